// Only files without further dependencies of storage and embedding are imported: this runs in a thread, which must start quickly.
import { embedText } from '../../../embedding/builtin/embed-text.ts';
import type { PassageStyle } from '../../../embedding/index.ts';
import type { EmbeddingKernel } from '../../../kernels/embedding.ts';
import { decodeBody } from '../../../storage/body/codec.ts';
import { createChunker, embeddedText, type DocumentChunk } from '../chunker.ts';
import type { EmbeddingSettings } from '../settings.ts';
import { blobBytes, toBlob, type Precision } from '../vector-blob.ts';
import type { ChunkPlace } from '../vector-rows.ts';

export type CutSettings = Pick<EmbeddingSettings, 'chunkEnabled' | 'chunkMode' | 'chunkSize'>;

/** A document whose passages are to be embedded, as the table has it. */
export interface StoredText {
  readonly key: string;
  /** JSON. */
  readonly meta: string;
  /** The compression record. */
  readonly body: Uint8Array;
  /** Precision of its vectors. */
  readonly precision: Precision;
}

export interface PassageOrder {
  readonly settings: CutSettings;
  readonly style: PassageStyle | undefined;
  readonly texts: readonly StoredText[];
}

/** The vectors of all passages of an order, in few arrays, because to send many objects takes longer than to make them. */
export interface MadePassages {
  /** Number of passages of each text; `UNREAD` for a body that cannot be read. */
  readonly counts: Int32Array<ArrayBuffer>;
  /** First and last line, start and end, of each passage. */
  readonly places: Uint32Array<ArrayBuffer>;
  /** The vectors as `toBlob` makes them, one behind the other. */
  readonly vectors: Uint8Array<ArrayBuffer>;
}

/** A passage with its vector as `toBlob` makes it. */
export interface MadePassage extends ChunkPlace {
  readonly vector: Uint8Array;
}

export const UNREAD = -1;
const PLACE_FIELDS = 4;

/** Decompresses, cuts and embeds documents. */
export function makePassages(kernel: EmbeddingKernel, { settings, style, texts }: PassageOrder): MadePassages {
  const { chunksOf } = createChunker(settings, () => style);
  const chunks = texts.map((text) => chunksOfStored(chunksOf, text));
  const sizes = texts.map(({ precision }) => blobBytes(kernel.dims, precision));
  const all = chunks.reduce((sum, own) => sum + (own?.length ?? 0), 0);
  const places = new Uint32Array(all * PLACE_FIELDS);
  const vectors = new Uint8Array(chunks.reduce((sum, own, i) => sum + (own?.length ?? 0) * sizes[i]!, 0));
  let place = 0;
  let at = 0;
  for (const [i, own] of chunks.entries()) {
    for (const chunk of own ?? []) {
      places.set([chunk.startLine, chunk.endLine, chunk.start, chunk.end], place);
      vectors.set(toBlob(embedText(kernel, embeddedText(chunk)), texts[i]!.precision), at);
      place += PLACE_FIELDS;
      at += sizes[i]!;
    }
  }
  return { counts: Int32Array.from(chunks, (own) => own?.length ?? UNREAD), places, vectors };
}

/** Undefined for a damaged body. */
function chunksOfStored(chunksOf: ReturnType<typeof createChunker>['chunksOf'], { key, meta, body }: StoredText): DocumentChunk[] | undefined {
  try {
    const utf8 = decodeBody(body);
    const contentMd = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength).toString('utf8');
    return chunksOf({ key, meta: JSON.parse(meta) as Record<string, string[]>, contentMd });
  } catch {
    return undefined;
  }
}

/** The passages of each text of an order; undefined for a body that cannot be read. The vectors share one buffer. */
export function passagesOf({ counts, places, vectors }: MadePassages, dims: number, texts: readonly Pick<StoredText, 'precision'>[]): (MadePassage[] | undefined)[] {
  let place = 0;
  let at = 0;
  return texts.map(({ precision }, i) => {
    if (counts[i] === UNREAD) return undefined;
    const bytes = blobBytes(dims, precision);
    return Array.from({ length: counts[i]! }, () => {
      const passage = { startLine: places[place]!, endLine: places[place + 1]!, start: places[place + 2]!, end: places[place + 3]!, vector: vectors.subarray(at, at + bytes) };
      place += PLACE_FIELDS;
      at += bytes;
      return passage;
    });
  });
}
