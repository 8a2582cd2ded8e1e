import { encodeFloats } from '../lib/bytes.ts';
import { decodeVectors, rowsOf, type SuppliedVectors, unpackSparse } from '../storage/index.ts';
import type { VectorField, VectorFields } from './collections/index.ts';

/** Whether vectors fit the declaration of their field: they may have been written for another. */
export function isUsable({ shape, dimensions }: SuppliedVectors, field: VectorField | undefined): boolean {
  if (field === undefined || (shape === 'sparse') !== (field.kind === 'sparse')) return false;
  return shape === 'sparse' || (dimensions === field.dimensions && (shape === 'tokens') === (field.kind === 'multi'));
}

/** Characters of a number of a sparse vector, with a comma. */
const NUMBER_BYTES = 18;

/** The vectors of a document as clients get them, in the form in which they were sent. */
export type ShownVectors = Record<string, unknown>;

/** Those of declared fields; undefined for none. Vectors are base64 of 32-bit floats, which is exact and short. */
export function shownVectors(stored: Uint8Array | null, declared: VectorFields = {}): ShownVectors | undefined {
  if (stored === null) return undefined;
  const fields = [...decodeVectors(stored)].filter(([name, vectors]) => isUsable(vectors, declared[name]));
  return fields.length === 0
    ? undefined
    : Object.fromEntries(fields.map(([name, vectors]) => [name, shownField(vectors)]));
}

function shownField(vectors: SuppliedVectors): unknown {
  if (vectors.shape === 'sparse') {
    const { indices, values } = unpackSparse(vectors);
    return { indices: [...indices], values: [...values] };
  }
  const rows = rowsOf(vectors).map(encodeFloats);
  if (vectors.shape === 'one') return rows[0];
  if (vectors.shape === 'tokens') return rows;
  return rows.map((vector, i) => {
    const { startLine, endLine } = vectors.places[i]!;
    return { vector, start: startLine, end: endLine };
  });
}

/** Bytes that the shown vectors add to an answer, about at most: sparse ones are written as numbers. */
export function shownBytes(stored: Uint8Array | null): number {
  if (stored === null) return 0;
  const sparse = [...decodeVectors(stored).values()].filter(({ shape }) => shape === 'sparse');
  return Math.ceil(stored.length * 4 / 3) + sparse.reduce((sum, { numbers }) => sum + numbers.length * NUMBER_BYTES, 0);
}
