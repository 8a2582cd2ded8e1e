import type { StoredType } from '../../kernels/vectors.ts';
import type { Metric } from '../../search/vector/index.ts';

// The computations of the kernels of asm/vectors.ts, in plain loops over 64-bit numbers.

/** Shorter vectors are treated as zero vectors. */
export const SHORTEST = 2 ** -126;

export function dotTwin(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

export function l2sqTwin(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return sum;
}

/** A score as callers receive it. */
export function scoreTwin(query: ArrayLike<number>, vector: ArrayLike<number>, metric: Metric): number {
  if (metric === 'euclidean') return Math.fround(1 / (1 + Math.sqrt(l2sqTwin(query, vector))));
  const product = dotTwin(query, vector);
  if (metric === 'dot_product') return Math.fround(product);
  const [asked, length] = [Math.sqrt(dotTwin(query, query)), Math.sqrt(dotTwin(vector, vector))];
  return asked === 0 || length < SHORTEST ? 0 : Math.fround(Math.min(1, Math.max(-1, product / (asked * length))));
}

/** The codes of a vector that is stored as int8 or int4, and the values that they represent. */
export function quantizeTwin(vector: ArrayLike<number>,
  type: 'int8' | 'int4'): { minimum: number; step: number; codes: number[] }
{
  const values = Array.from(vector);
  const minimum = Math.min(...values);
  const levels = type === 'int8' ? 255 : 15;
  const step = (Math.max(...values) - minimum) / levels;
  const codes = values.map((value) => (step > 0 ? Math.min(levels, Math.floor((value - minimum) / step + 0.5)) : 0));
  return { minimum, step: Math.fround(step), codes };
}

/** A vector as it is returned by a store of a type. */
export function storedTwin(vector: Float32Array, type: StoredType): Float64Array {
  if (type === 'float32') return Float64Array.from(vector);
  const { minimum, step, codes } = quantizeTwin(vector, type);
  return Float64Array.from(codes, (code) => minimum + step * code);
}
