import type { SqlValue } from './port.ts';

/**
 * Values for `IN (...)`, padded with repeats to a power of two, so that a few prepared statements serve lists of every
 * length. The list must not be empty.
 */
export function inList<T extends SqlValue>(values: readonly T[]): { marks: string; params: T[] } {
  const params = [...values];
  const size = 2 ** Math.ceil(Math.log2(values.length));
  while (params.length < size) params.push(values[0]!);
  return { marks: Array(size).fill('?').join(', '), params };
}
