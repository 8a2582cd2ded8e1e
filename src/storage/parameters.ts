import type { SqlValue } from './port.ts';

const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);

/**
 * Refuses parameters that a driver would misread: a wrong count (SQLite binds NULL to missing ones) or a value without
 * an SQL form. These are mistakes of the caller, hence plain errors.
 */
export function checkParameters(sql: string, expected: number, params: readonly SqlValue[]): void {
  if (params.length !== expected) {
    throw new Error(`the statement takes ${expected} parameters, got ${params.length}: ${sql}`);
  }
  for (let i = 0; i < params.length; i++) {
    if (!isSqlValue(params[i])) throw new Error(`parameter ${i + 1} has no SQL form (${describe(params[i])}): ${sql}`);
  }
}

function isSqlValue(value: unknown): value is SqlValue {
  switch (typeof value) {
    case 'string':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'bigint':
      return value >= SMALLEST && value <= LARGEST;
    default:
      return value === null || value instanceof Uint8Array;
  }
}

function describe(value: unknown): string {
  return typeof value === 'object' ? Object.prototype.toString.call(value) : `${typeof value} ${String(value)}`;
}

/** Returns a number if it is exact, a bigint for larger integers, and every other value unchanged. */
export function exact(value: SqlValue): SqlValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
