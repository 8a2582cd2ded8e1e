import type { DumpBatch, WikiDocument } from '../../../convert/wiki/index.ts';

/**
 * A batch as it passes from one thread to another: its documents are UTF-8 in bytes that are handed over and back. So
 * the batches that wait are outside the heap of the thread that receives them, where they would survive collections,
 * for which the engine enlarges the space of young objects by tens of megabytes.
 *
 * Each document is everything except its content as JSON, and the content behind it: parsing a large page would take
 * too long.
 */
interface PackedBatch extends Pick<DumpBatch, 'skipped' | 'indexes'> {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the JSON and the content of each document end, in turn. */
  readonly ends: readonly number[];
}

/** Size of the bytes for a batch unless it has a large page. */
export const USUAL_BYTES = 2 ** 20;

const encoder = new TextEncoder();

/**
 * `free`: the bytes of an earlier batch that are no longer needed. What is not valid Unicode becomes U+FFFD, as when it
 * is stored.
 */
export function packBatch({ documents, skipped, indexes }: DumpBatch,
  free: Uint8Array<ArrayBuffer> = new Uint8Array(USUAL_BYTES)): PackedBatch
{
  let bytes = free;
  let end = 0;
  const add = (text: string): number => {
    const most = end + 3 * text.length; // UTF-8 takes at most three bytes for a unit of UTF-16
    if (most > bytes.length) bytes = enlarged(bytes, most);
    return (end += encoder.encodeInto(text, bytes.subarray(end)).written);
  };
  const ends = documents.flatMap(({ contentMd, ...rest }) => [add(JSON.stringify(rest)), add(contentMd)]);
  return { bytes, ends, skipped, indexes };
}

function enlarged(bytes: Uint8Array<ArrayBuffer>, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}

/** The documents of a batch, each made when it is reached; throws once the bytes are handed back. */
export function* documentsOf({ bytes, ends }: PackedBatch): Generator<WikiDocument> {
  const textOf = (i: number): string =>
    Buffer.from(bytes.buffer, ends[i - 1] ?? 0, ends[i]! - (ends[i - 1] ?? 0)).toString();
  for (let i = 0; i < ends.length; i += 2)
    yield { ...JSON.parse(textOf(i)) as Omit<WikiDocument, 'contentMd'>, contentMd: textOf(i + 1) };
}

/** Messages to the thread. After `written` there is room for another batch, and its bytes are free for one. */
export type ToThread = { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> } | { readonly kind: 'end' }
  | { readonly kind: 'written'; readonly bytes: Uint8Array<ArrayBuffer> };

/** Messages from the thread. After `read`, a piece of the dump is done, and its buffer is free for another piece. */
export type FromThread = { readonly kind: 'read'; readonly buffer: ArrayBuffer } | { readonly kind: 'batch';
  readonly batch: PackedBatch } | { readonly kind: 'done' } | { readonly kind: 'failed'; readonly message: string;
  readonly isTooLarge: boolean };
