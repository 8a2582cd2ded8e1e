import { isUtf8 } from 'node:buffer';

export type Value = number | bigint | string | Uint8Array | null;

/**
 * A value of SQLite's varint: big-endian groups of 7 bits; the ninth byte contributes all 8. Undefined when it is
 * truncated.
 */
export function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0n;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    if (i === 8) return done((value << 8n) | BigInt(byte), at + 9);
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return done(value, at + i + 1);
  }
  return undefined;
}

function done(value: bigint, end: number): { value: number; end: number } {
  return { value: Number(BigInt.asIntN(64, value)), end };
}

/** Bytes of an integer by its serial type. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8] as const;

/** The values of a record (section 2.1 of the file format); undefined when it is damaged. */
export function readRecord(payload: Buffer): Value[] | undefined {
  const head = readVarint(payload, 0);
  if (head === undefined || head.value < head.end || head.value > payload.length) return undefined;
  const values: Value[] = [];
  let at = head.end;
  let body = head.value;
  while (at < head.value) {
    const type = readVarint(payload, at);
    if (type === undefined || type.end > head.value) return undefined;
    at = type.end;
    const length = lengthOf(type.value);
    if (length === undefined || body + length > payload.length) return undefined;
    const value = valueOf(type.value, payload.subarray(body, body + length));
    if (value === undefined) return undefined;
    values.push(value);
    body += length;
  }
  return body === payload.length ? values : undefined;
}

function lengthOf(type: number): number | undefined {
  if (type < 0 || type === 10 || type === 11) return undefined;
  if (type >= 12) return Math.floor((type - 12) / 2);
  if (type === 7) return 8;
  return INTEGER_BYTES[type] ?? 0;
}

function valueOf(type: number, bytes: Buffer): Value | undefined {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type < 7) return integerOf(bytes);
  if (type % 2 === 0) return Uint8Array.from(bytes);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

function integerOf(bytes: Buffer): number | bigint {
  if (bytes.length < 8) return bytes.readIntBE(0, bytes.length);
  const value = bytes.readBigInt64BE(0);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
