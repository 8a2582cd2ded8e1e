import type { SqlValue } from '../port.ts';
import { toParameter } from './values.ts';

/** Type numbers of the elements (pg_type). */
const OID = { bigint: 20, text: 25, bytea: 17, 'double precision': 701 } as const;

export type ElementType = keyof typeof OID;

export const isElementType = (type: string): type is ElementType => Object.hasOwn(OID, type);

const HEADER = 20;

/**
 * An array in PostgreSQL's binary format (`array_recv`):
 *
 * dimensions 1 | has NULLs | type of elements | length | lower bound 1 | length, or -1 for NULL, and bytes of each
 * element
 *
 * All numbers have four bytes, the most significant first. Undefined if a value does not have the type.
 */
export function toArray(type: ElementType, values: readonly SqlValue[]): Buffer | undefined {
  let size = HEADER;
  for (const value of values) {
    if (value !== null && !fits(type, value)) return undefined;
    // A character of a string takes at most three bytes of UTF-8, or two if it is escaped.
    size += 4 + (typeof value === 'string' ? 3 * value.length : value instanceof Uint8Array ? value.length : 8);
  }
  const array = Buffer.allocUnsafe(size);
  [1, values.includes(null) ? 1 : 0, OID[type], values.length, 1].forEach((number, i) =>
    array.writeInt32BE(number, 4 * i)
  );
  let end = HEADER;
  for (const value of values) {
    const length = value === null ? -1 : writeElement(array, end + 4, type, value);
    array.writeInt32BE(length, end);
    end += 4 + Math.max(0, length);
  }
  return array.subarray(0, end);
}

function fits(type: ElementType, value: NonNullable<SqlValue>): boolean {
  switch (type) {
    case 'bigint':
      return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
    case 'double precision':
      return typeof value === 'number' && Number.isFinite(value);
    case 'text':
      return typeof value === 'string';
    default:
      return value instanceof Uint8Array;
  }
}

/** Returns the number of its bytes. */
function writeElement(array: Buffer, at: number, type: ElementType, value: NonNullable<SqlValue>): number {
  if (typeof value === 'string') return array.write(toParameter(value) as string, at);
  if (value instanceof Uint8Array) {
    array.set(value, at);
    return value.length;
  }
  if (type === 'double precision') array.writeDoubleBE(value as number, at);
  else if (typeof value === 'bigint') array.writeBigInt64BE(value, at);
  else {
    const high = Math.floor(value / 2 ** 32);
    array.writeInt32BE(high, at);
    array.writeUInt32BE(value - high * 2 ** 32, at + 4);
  }
  return 8;
}
