import { exact } from '../parameters.ts';
import type { SqlValue } from '../port.ts';

/** Type numbers of PostgreSQL's catalogue (pg_type). */
const OID = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, float4: 700, float8: 701, numeric: 1700 } as const;

/**
 * PostgreSQL's text cannot hold U+0000. It is stored as U+0001 and `0`, and U+0001 itself as U+0001 and `1`, so that
 * every text is read back unchanged.
 */
const ESCAPE = '\u0001';
const TO_ESCAPE = /[\u0000\u0001]/g;
const ESCAPED = /\u0001([01])/g;

/**
 * A parameter as `pg` sends it. Numbers are sent as text, so that the server converts them to the type that the
 * statement needs.
 */
export function toParameter(value: SqlValue): string | Buffer | null {
  if (value === null) return null;
  if (typeof value === 'string')
    return value.replace(TO_ESCAPE, (character) => ESCAPE + (character === ESCAPE ? '1' : '0'));
  if (typeof value !== 'object') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

type Parse = (text: string) => SqlValue;

const PARSERS: Readonly<Record<number, Parse>> = {
  [OID.bool]: (text) => (text === 't' ? 1 : 0),
  [OID.bytea]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  [OID.int2]: Number,
  [OID.int4]: Number,
  [OID.int8]: readInteger,
  [OID.float4]: Number,
  [OID.float8]: Number,
  // The type of sum() over integers.
  [OID.numeric]: (text) => (/^-?\d+$/.test(text) ? readInteger(text) : Number(text)),
};

/** Text as it was before it was stored. */
export const readText = (
  text: string,
): string => (text.includes(ESCAPE) ? text.replace(ESCAPED, (_, digit) => (digit === '1' ? ESCAPE : '\u0000')) : text);

/** Parsers for the columns of results, which arrive as text. */
export const types = { getTypeParser: (oid: number): Parse => PARSERS[oid] ?? readText };

function readInteger(text: string): SqlValue {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : exact(BigInt(text));
}
