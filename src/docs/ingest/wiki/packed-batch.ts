import type { DumpBatch, WikiDocument } from '../../../convert/wiki/index.ts';

/**
 * A batch as it passes from one thread to another: its documents are JSON in UTF-8, in bytes that are handed over and back. So the batches that
 * wait are outside the heap of the thread that receives them, where they would survive collections, for which the engine enlarges the space of
 * young objects by tens of megabytes.
 */
export interface PackedBatch extends Pick<DumpBatch, 'skipped' | 'indexes'> {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each document ends. */
  readonly ends: readonly number[];
}

/** Size of the bytes for a batch unless it has a large page. */
export const USUAL_BYTES = 2 ** 20;

const encoder = new TextEncoder();

/** `free`: the bytes of an earlier batch that are no longer needed. */
export function packBatch({ documents, skipped, indexes }: DumpBatch, free: Uint8Array<ArrayBuffer> = new Uint8Array(USUAL_BYTES)): PackedBatch {
  let bytes = free;
  let end = 0;
  const ends = documents.map((document) => {
    const text = JSON.stringify(document);
    const most = end + 3 * text.length; // UTF-8 takes at most three bytes for a unit of UTF-16
    if (most > bytes.length) bytes = enlarged(bytes, most);
    return (end += encoder.encodeInto(text, bytes.subarray(end)).written);
  });
  return { bytes, ends, skipped, indexes };
}

function enlarged(bytes: Uint8Array<ArrayBuffer>, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}

/** The documents of a batch, each made when it is reached; not valid any more once the bytes are handed back. */
export function* documentsOf({ bytes, ends }: PackedBatch): Generator<WikiDocument> {
  let from = 0;
  for (const end of ends) {
    yield JSON.parse(Buffer.from(bytes.buffer, from, end - from).toString()) as WikiDocument;
    from = end;
  }
}
