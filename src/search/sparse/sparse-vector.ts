import { MAX_VALUES, type SparseVector } from '../../kernels/sparse.ts';

/**
 * Greatest magnitude of a value. So no inner product can exceed what a float32 can be, whose greatest is 3.4e38: not
 * with MAX_VALUES values either.
 */
const MAX_MAGNITUDE = 1e15;
const MAX_INDEX = 2 ** 32 - 1;

/** Says what is wrong with a sparse vector: the problem of a sentence whose subject is its field. */
export class SparseVectorError extends Error {}

/**
 * A vector from dimensions in any order and their values; values of 0 are dropped. Throws a SparseVectorError if there
 * are more than MAX_VALUES, if a dimension is given twice or is no integer of 32 bits, or if a value is not finite or
 * too great.
 */
export function sparseVector(indices: ArrayLike<number>, values: ArrayLike<number>): SparseVector {
  if (indices.length !== values.length)
    throw new SparseVectorError(`must have one value for each index, got ${indices.length} and ${values.length}`);
  if (indices.length > MAX_VALUES)
    throw new SparseVectorError(`must have at most ${MAX_VALUES} values, got ${indices.length}`);
  const sorted = isAscending(indices) ? undefined : orderOf(indices);
  const vector = { indices: new Uint32Array(indices.length), values: new Float32Array(indices.length) };
  let count = 0;
  for (let i = 0; i < indices.length; i++) {
    const place = sorted?.[i] ?? i;
    const index = indices[place]!;
    if (!Number.isInteger(index) || index < 0 || index > MAX_INDEX)
      throw new SparseVectorError(`must have indices from 0 to ${MAX_INDEX}, got ${index}`);
    if (i > 0 && indices[sorted?.[i - 1] ?? i - 1] === index)
      throw new SparseVectorError(`must have each index once, got ${index} twice`);
    const value = values[place]!;
    if (!(Math.abs(value) <= MAX_MAGNITUDE))
      throw new SparseVectorError(`must have values from -1e15 to 1e15, got ${value} at index ${index}`);
    vector.indices[count] = index;
    vector.values[count] = value;
    if (vector.values[count] !== 0) count += 1;
  }
  return { indices: vector.indices.subarray(0, count), values: vector.values.subarray(0, count) };
}

function isAscending(indices: ArrayLike<number>): boolean {
  for (let i = 1; i < indices.length; i++) if (!(indices[i - 1]! < indices[i]!)) return false;
  return true;
}

/** The places of indices in ascending order. */
function orderOf(indices: ArrayLike<number>): Uint32Array {
  return Uint32Array.from({ length: indices.length }, (_, i) => i).sort((a, b) => indices[a]! - indices[b]!);
}
