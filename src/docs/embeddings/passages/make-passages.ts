// Only files without further dependencies of storage and embedding are imported: this runs in a thread, which must
// start quickly.
import { isUtf8 } from 'node:buffer';
import { embedText } from '../../../embedding/builtin/token-model.ts';
import type { PassageStyle } from '../../../embedding/index.ts';
import type { EmbeddingKernel } from '../../../kernels/embedding.ts';
import { decodeBody } from '../../../storage/body/codec.ts';
import { type Chunker, createChunker, embeddedText, type Piece } from '../chunker.ts';
import { isEnglish } from '../known-language.ts';
import type { EmbeddingSettings } from '../settings.ts';
import { blobBytes, type Precision, toBlob } from '../vector-blob.ts';
import type { ChunkPlace } from '../vector-rows.ts';

/** Numbers that describe the place of a passage: first and last line, start and end. */
const PLACE_FIELDS = 4;
const FIRST_PASSAGES = 256;
/** A vector of int8 at 256 dimensions. */
const USUAL_BYTES = 264;

/** Collects the places and the vectors of passages in two arrays, which grow. */
class PassageWriter {
  #places = new Uint32Array(PLACE_FIELDS * FIRST_PASSAGES);
  #placed = 0;
  #vectors = new Uint8Array(USUAL_BYTES * FIRST_PASSAGES);
  #written = 0;

  add({ startLine, endLine, start, end }: ChunkPlace, vector: Uint8Array): void {
    if (this.#placed === this.#places.length) this.#places = grown(this.#places, new Uint32Array(2 * this.#placed));
    if (this.#written + vector.length > this.#vectors.length)
      this.#vectors = grown(this.#vectors, new Uint8Array(2 * this.#vectors.length + vector.length));
    this.#places[this.#placed] = startLine;
    this.#places[this.#placed + 1] = endLine;
    this.#places[this.#placed + 2] = start;
    this.#places[this.#placed + 3] = end;
    this.#placed += PLACE_FIELDS;
    this.#vectors.set(vector, this.#written);
    this.#written += vector.length;
  }

  /** What was added, in arrays of that size. */
  finish(): { places: Uint32Array<ArrayBuffer>; vectors: Uint8Array<ArrayBuffer> } {
    return { places: this.#places.slice(0, this.#placed), vectors: this.#vectors.slice(0, this.#written) };
  }
}

function grown<T extends { set(other: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

export type CutSettings = Pick<EmbeddingSettings, 'chunkEnabled' | 'chunkMode' | 'chunkSize'>;

/** A document whose passages are to be embedded, as the table has it. */
export interface StoredText {
  readonly key: string;
  readonly lang: string;
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

/**
 * The vectors of all passages of an order, in few arrays, because to send many objects takes longer than to make them.
 */
export interface MadePassages {
  /** Number of passages of each text; `UNREAD` for a body that cannot be read. */
  readonly counts: Int32Array<ArrayBuffer>;
  /** First and last line, start and end, of each passage. */
  readonly places: Uint32Array<ArrayBuffer>;
  /** The vectors as `toBlob` makes them, one behind the other. */
  readonly vectors: Uint8Array<ArrayBuffer>;
}

/** A passage with its vector as `toBlob` makes it. */
interface MadePassage extends ChunkPlace {
  readonly vector: Uint8Array;
}

const UNREAD = -1;
/**
 * Bytes of a passage and UTF-16 units of its context that certainly fit into the kernel together; others are cut there
 * as texts.
 */
const LONGEST = 16_384;

/**
 * Decompresses, cuts and embeds documents. If not all of them are in English, the model must have the pieces of other
 * languages.
 */
export function makePassages(kernel: EmbeddingKernel, { settings, style, texts }: PassageOrder): MadePassages {
  const { piecesOf } = createChunker(settings, () => style);
  const writer = new PassageWriter();
  const counts = texts.map((text) => {
    const pieces = piecesOfStored(piecesOf, text);
    return pieces === undefined ? UNREAD : writeAll(writer, kernel, pieces, text);
  });
  return { counts: Int32Array.from(counts), ...writer.finish() };
}

/** Undefined for a damaged body. */
function piecesOfStored(piecesOf: Chunker['piecesOf'], { key, lang, meta, body }: StoredText): Iterable<Piece>
  | undefined
{
  try {
    const bytes = decodeBody(body);
    const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const contentMd = stored.toString('utf8');
    const utf8 = isUtf8(stored) ? stored : Buffer.from(contentMd);
    return piecesOf({ key, lang, meta: JSON.parse(meta) as Record<string, string[]>, contentMd, utf8 });
  } catch {
    return undefined;
  }
}

/** Embeds and writes the passages of a document, and returns their number. */
function writeAll(writer: PassageWriter, kernel: EmbeddingKernel, pieces: Iterable<Piece>,
  { lang, precision }: StoredText): number
{
  const english = isEnglish(lang);
  let count = 0;
  for (const piece of pieces) {
    const vector = english === true
      ? roundedVector(kernel, piece, precision) ?? vectorOfText(kernel, piece, precision, english)
      : vectorOfText(kernel, piece, precision, english);
    if (vector === undefined) continue;
    writer.add(piece, vector);
    count++;
  }
  return count;
}

/** Undefined if the vector is wanted in full, or can only be made of the text. */
function roundedVector(kernel: EmbeddingKernel, { context, utf8 }: Piece, precision: Precision): Uint8Array
  | undefined
{
  if (precision !== 'int8' || utf8 === undefined || utf8.length > LONGEST || context.length > LONGEST) return undefined;
  return kernel.rounded(context, utf8);
}

/** Undefined for a blank passage. */
function vectorOfText(kernel: EmbeddingKernel, { chunk }: Piece, precision: Precision, english: boolean | undefined):
  | Uint8Array
  | undefined
{
  const found = chunk();
  if (found === undefined) return undefined;
  const vector = embedText(kernel, embeddedText(found), english);
  if (typeof vector === 'string') throw new Error(`the ${vector} of pieces are missing`);
  return toBlob(vector, precision);
}

/** The passages of each text of an order; undefined for a body that cannot be read. The vectors share one buffer. */
export function passagesOf({ counts, places, vectors }: MadePassages, dims: number,
  texts: readonly Pick<StoredText, 'precision'>[]): (MadePassage[] | undefined)[]
{
  let place = 0;
  let at = 0;
  return texts.map(({ precision }, i) => {
    if (counts[i] === UNREAD) return undefined;
    const bytes = blobBytes(dims, precision);
    return Array.from({ length: counts[i]! }, () => {
      const passage = {
        startLine: places[place]!,
        endLine: places[place + 1]!,
        start: places[place + 2]!,
        end: places[place + 3]!,
        vector: vectors.subarray(at, at + bytes),
      };
      place += PLACE_FIELDS;
      at += bytes;
      return passage;
    });
  });
}
