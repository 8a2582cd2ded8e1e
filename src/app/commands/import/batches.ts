import type { SourceDocument } from './source.ts';

export interface BatchLimits {
  readonly maxDocuments: number;
  /** Most bytes of markdown and metadata; a larger document is a batch of its own. */
  readonly maxBytes: number;
}

/**
 * An eighth of the largest request that the service accepts by default, because JSON escapes take up to six times the
 * bytes.
 */
export const MAX_BATCH_BYTES = 4 * 2 ** 20;

export interface PlacedDocument {
  readonly document: SourceDocument;
  readonly origin: string;
  readonly position: number;
}

/** The documents of one request, at least one; a file that the service converts is a batch of its own. */
export interface Batch {
  readonly documents: readonly SourceDocument[];
  /** The source position of each document. */
  readonly origins: readonly string[];
  /** How far the source was read, in its unit. */
  readonly position: number;
  /** UTF-8 bytes of the markdown, or bytes of the file. */
  readonly bytes: number;
}

/**
 * Collects documents into batches, in order, and reads no further than the requested batch needs. After the signal
 * aborts it ends without the batch that is not full yet.
 */
export async function* batches(documents: AsyncIterable<PlacedDocument>, limits: BatchLimits,
  signal: AbortSignal): AsyncGenerator<Batch>
{
  let gathered: PlacedDocument[] = [];
  let size = 0;
  for await (const placed of documents) {
    if (signal.aborted) return;
    const added = documentSize(placed.document);
    if (gathered.length > 0 && (size + added > limits.maxBytes || gathered.length === limits.maxDocuments)) {
      yield toBatch(gathered);
      [gathered, size] = [[], 0];
    }
    if (placed.document.file !== undefined) {
      yield toBatch([placed]);
      continue;
    }
    gathered.push(placed);
    size += added;
  }
  if (gathered.length > 0 && !signal.aborted) yield toBatch(gathered);
}

function toBatch(gathered: readonly PlacedDocument[]): Batch {
  return {
    documents: gathered.map(({ document }) => document),
    origins: gathered.map(({ origin }) => origin),
    position: gathered.at(-1)!.position,
    bytes: gathered.reduce(
      (sum, { document: { contentMd, file } }) => sum + (file?.bytes ?? Buffer.byteLength(contentMd)),
      0,
    ),
  };
}

function documentSize({ contentMd, meta }: SourceDocument): number {
  let size = Buffer.byteLength(contentMd);
  for (const [key, values] of Object.entries(meta))
    size += key.length + values.reduce((sum, value) => sum + value.length, 0);
  return size;
}
