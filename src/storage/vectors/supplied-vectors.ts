import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';

/** How the vectors of a field were supplied: one, one for each passage, one for each token, or a sparse one. */
export type VectorShape = 'one' | 'passages' | 'tokens' | 'sparse';

/** A passage of a body: bytes of its UTF-8, the end exclusive, and lines from 1, the last one inclusive. */
export interface VectorPlace {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
}

/** The vectors of a document in one field. */
export interface SuppliedVectors {
  readonly shape: VectorShape;
  readonly dimensions: number;
  /** CRC-32 and length of the body with which they were written: the places are in that one. */
  readonly crc: number;
  readonly bytes: number;
  /** One for each vector; with the shapes `tokens` and `sparse`, one for all. */
  readonly places: readonly VectorPlace[];
  /** The vectors one after the other; with the shape `sparse`, see `packSparse`. */
  readonly numbers: Float32Array;
}

/**
 * The vectors that clients supplied for a document, of all its fields in one value. Little-endian, like every platform
 * of this service, and each part a multiple of four bytes, so that numbers can be read in place:
 *
 *     version (1) | number of fields (1) | 0 (2) | fields
 *     field: length of the name (1) | shape (1) | 0 (2) | dimensions (4) | vectors (4) | CRC-32 of the body (4)
 *            | bytes of the body (4) | name, filled with zeros | places (16 each) | numbers (float32)
 *
 * Fields are in the order of their names, so that equal vectors have equal bytes. A sparse vector of n values is stored
 * as n vectors of two numbers: all indices, then all values.
 */
const VERSION = 1;
const SHAPES: readonly VectorShape[] = ['one', 'passages', 'tokens', 'sparse'];
const HEAD = 4;
const FIELD_HEAD = 20;
const PLACE = 16;

const padded = (length: number): number => (length + 3) & ~3;

/** Undefined without any field, which is stored as NULL. */
export function encodeVectors(fields: ReadonlyMap<string, SuppliedVectors>): Uint8Array | undefined {
  if (fields.size === 0) return undefined;
  const all = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  const size = all.reduce(
    (sum, [name, { places, numbers }]) =>
      sum + FIELD_HEAD + padded(name.length) + places.length * PLACE + numbers.byteLength,
    HEAD,
  );
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes[0] = VERSION;
  bytes[1] = all.length;
  let at = HEAD;
  for (const [name, { shape, dimensions, crc, bytes: bodyBytes, places, numbers }] of all) {
    bytes[at] = name.length;
    bytes[at + 1] = SHAPES.indexOf(shape);
    for (const [i, value] of [dimensions, numbers.length / dimensions, crc, bodyBytes].entries())
      view.setUint32(at + 4 + i * 4, value, true);
    at += FIELD_HEAD;
    bytes.set(Buffer.from(name, 'latin1'), at);
    at += padded(name.length);
    for (const { start, end, startLine, endLine } of places) {
      for (const [i, value] of [start, end, startLine, endLine].entries()) view.setUint32(at + i * 4, value, true);
      at += PLACE;
    }
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
    at += numbers.byteLength;
  }
  return bytes;
}

/** Tells vectors in their stored form from others: 48 bits of their SHA-256; 0 for none. */
export function vectorsHash(stored: Uint8Array | null): number {
  return stored === null ? 0 : createHash('sha256').update(stored).digest().readUIntBE(0, 6) || 1;
}

/**
 * The inverse of `encodeVectors`; `only` names the one field to return. The numbers may be a view of the bytes. Throws
 * `internal` for bytes that are damaged or of another version.
 */
export function decodeVectors(stored: Uint8Array, only?: string): Map<string, SuppliedVectors> {
  if (stored[0] !== VERSION)
    throw damaged(`its version is ${stored[0]}, and this build knows ${VERSION}`);
  // Numbers can be read in place only if their address is aligned.
  const bytes = stored.byteOffset % 4 === 0 ? stored : Uint8Array.from(stored);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<string, SuppliedVectors>();
  let at = HEAD;
  for (let left = bytes[1]!; left > 0; left--) {
    if (at + FIELD_HEAD > bytes.length) throw damaged('it breaks off');
    const [nameLength, shape] = [bytes[at]!, SHAPES[bytes[at + 1]!]];
    const [dimensions, count, crc, bodyBytes] = [4, 8, 12, 16].map((i) => view.getUint32(at + i, true)) as [number,
      number, number, number];
    if (shape === undefined) throw damaged('it has an unknown shape');
    const nameAt = at + FIELD_HEAD;
    const placesAt = nameAt + padded(nameLength);
    const numbersAt = placesAt + (shape === 'tokens' || shape === 'sparse' ? 1 : count) * PLACE;
    at = numbersAt + count * dimensions * 4;
    if (at > bytes.length) throw damaged('it breaks off');
    const name = Buffer.from(bytes.buffer, bytes.byteOffset + nameAt, nameLength).toString('latin1');
    if (only !== undefined && name !== only) continue;
    fields.set(name, {
      shape,
      dimensions,
      crc,
      bytes: bodyBytes,
      places: placesOf(view, placesAt, numbersAt),
      numbers: new Float32Array(bytes.buffer, bytes.byteOffset + numbersAt, count * dimensions),
    });
  }
  if (at !== bytes.length) throw damaged('it is too long');
  return fields;
}

function placesOf(view: DataView, from: number, to: number): VectorPlace[] {
  const places: VectorPlace[] = [];
  for (let at = from; at < to; at += PLACE) {
    places.push({
      start: view.getUint32(at, true),
      end: view.getUint32(at + 4, true),
      startLine: view.getUint32(at + 8, true),
      endLine: view.getUint32(at + 12, true),
    });
  }
  return places;
}

/** The vectors of a field one by one, as views of its numbers. */
export function rowsOf({ numbers, dimensions }: SuppliedVectors): Float32Array[] {
  return Array.from({ length: numbers.length / dimensions },
    (_, i) => numbers.subarray(i * dimensions, (i + 1) * dimensions));
}

/** Numbers in which a sparse vector is stored: the bits of its indices, then its values. */
export const SPARSE_DIMENSIONS = 2;

export function packSparse(indices: Uint32Array, values: Float32Array): Float32Array {
  const numbers = new Float32Array(indices.length * SPARSE_DIMENSIONS);
  new Uint32Array(numbers.buffer).set(indices);
  numbers.set(values, indices.length);
  return numbers;
}

/** The inverse, as views. */
export function unpackSparse({ numbers }: Pick<SuppliedVectors, 'numbers'>): {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
} {
  const count = numbers.length / SPARSE_DIMENSIONS;
  return { indices: new Uint32Array(numbers.buffer, numbers.byteOffset, count), values: numbers.subarray(count) };
}

function damaged(reason: string): ServiceError {
  return new ServiceError('internal', `the stored vectors of a document are corrupt: ${reason}`);
}
