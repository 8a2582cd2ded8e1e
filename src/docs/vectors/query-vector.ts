import { ServiceError } from '../../errors/index.ts';
import type { Metric } from '../../search/vector/index.ts';

/** Larger components could result in products outside the range of 32-bit floats. */
const MAX_COMPONENT = 1e15;

/** Throws `invalid_argument` for numbers whose distances and products could be outside the range of 32-bit floats. */
export function toBoundedVector(numbers: readonly number[]): Float32Array {
  const largest = largestOf(numbers);
  if (largest > MAX_COMPONENT)
    throw new ServiceError('invalid_argument', `queryVector must have numbers up to ${MAX_COMPONENT}, got ${largest}`);
  return Float32Array.from(numbers);
}

/** The cosine ignores lengths, so it accepts a vector of any length except zero. */
export function toSearchVector(numbers: readonly number[], metric: Metric): Float32Array {
  if (metric !== 'cosine') return toBoundedVector(numbers);
  const largest = largestOf(numbers);
  if (largest === 0)
    throw new ServiceError('invalid_argument',
      'queryVector must not be all zeros: it has no direction that a cosine could be measured from');
  // By a power of two, so that no precision is lost.
  const isUnwieldy = largest > MAX_COMPONENT || largest < 1 / MAX_COMPONENT;
  const exponent = isUnwieldy ? -Math.floor(Math.log2(largest)) : 0;
  // In two steps, because the factor for the smallest numbers is not representable by itself.
  const [half, rest] = [Math.trunc(exponent / 2), exponent - Math.trunc(exponent / 2)];
  return Float32Array.from(numbers, (number) => number * 2 ** half * 2 ** rest);
}

function largestOf(numbers: readonly number[]): number {
  return numbers.reduce((max, number) => Math.max(max, Math.abs(number)), 0);
}
