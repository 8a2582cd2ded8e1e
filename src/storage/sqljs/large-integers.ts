import type { SqlValue } from '../port.ts';

/** What sql.js can bind. */
export type Bindable = string | number | null | Uint8Array;

/**
 * sql.js binds integers of 32 bits only: it would convert a larger one to a double and a bigint to text. Such a
 * parameter is passed as text, and its placeholder becomes `CAST(? AS INTEGER)`. `offsets` are those of the
 * placeholders in `sql`.
 */
export function castLargeIntegers(sql: string, offsets: readonly number[], params: readonly SqlValue[]): string {
  if (!params.some(isLarge)) return sql;
  let text = '';
  let from = 0;
  offsets.forEach((offset, i) => {
    text += sql.slice(from, offset) + (isLarge(params[i]!) ? 'CAST(? AS INTEGER)' : '?');
    from = offset + 1;
  });
  return text + sql.slice(from);
}

export function toBindable(value: SqlValue): Bindable {
  if (isLarge(value)) return String(value);
  return typeof value === 'bigint' ? Number(value) : value;
}

function isLarge(value: SqlValue): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(32, value) !== value;
  return Number.isSafeInteger(value) && value !== ((value as number) | 0);
}
