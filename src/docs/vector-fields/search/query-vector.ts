import { ServiceError } from '../../../errors/index.ts';
import { decodeFloats } from '../../../lib/bytes.ts';
import type { Metric } from '../../../search/vector/index.ts';

/** A vector of a query as a client sends it: numbers, or base64 of 32-bit floats, little-endian. */
export type GivenQueryVector = readonly number[] | string;

/** Larger components could result in products outside the range of 32-bit floats. */
const MAX_COMPONENT = 1e15;

/**
 * The numbers of a vector of a query; `name` is its field in messages. Throws `invalid_argument` for what is no base64
 * of 32-bit floats, and for numbers that are not finite, which only base64 can hold.
 */
export function numbersOfQuery(given: GivenQueryVector, name = 'queryVector'): readonly number[] {
  if (typeof given !== 'string') return given;
  const floats = decodeFloats(given);
  if (floats === undefined || floats.length === 0)
    throw new ServiceError('invalid_argument', `${name} must be base64 of 32-bit floats, of four bytes each`);
  const numbers = [...floats];
  if (!numbers.every(Number.isFinite))
    throw new ServiceError('invalid_argument', `${name} must have finite numbers only`);
  return numbers;
}

/** Throws `invalid_argument` for numbers whose distances and products could be outside the range of 32-bit floats. */
export function toBoundedVector(numbers: readonly number[], name = 'queryVector'): Float32Array {
  const largest = largestOf(numbers);
  if (largest > MAX_COMPONENT)
    throw new ServiceError('invalid_argument', `${name} must have numbers up to ${MAX_COMPONENT}, got ${largest}`);
  return Float32Array.from(numbers);
}

/** The cosine ignores lengths, so it accepts a vector of any length except zero. */
export function toSearchVector(numbers: readonly number[], metric: Metric, name = 'queryVector'): Float32Array {
  if (metric !== 'cosine') return toBoundedVector(numbers, name);
  const largest = largestOf(numbers);
  if (largest === 0)
    throw new ServiceError('invalid_argument',
      `${name} must not be all zeros: it has no direction that a cosine could be measured from`);
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
