import { LINE_FEED } from './scanned-text.ts';

/** Bytes of a part: it is scanned in some milliseconds, even by a tokeniser in JavaScript. */
export const PART = 2 ** 17;
const SPACE = 0x20;

/**
 * The end of a part of a UTF-8 text: behind a blank line in its second half, else behind a line, a space or a
 * character.
 */
export function endOfPart(bytes: Buffer, start: number): number {
  const limit = start + PART;
  if (limit >= bytes.length) return bytes.length;
  const middle = start + PART / 2;
  const half = bytes.subarray(middle, limit);
  const behind = (at: number, length: number): number | undefined => (at < 0 ? undefined : middle + at + length);
  return behind(half.lastIndexOf('\n\n'), 2) ?? behind(half.lastIndexOf(LINE_FEED), 1) ??
    behind(half.findLastIndex((byte) => byte <= SPACE), 1) ?? startOfCharacter(bytes, limit);
}

function startOfCharacter(bytes: Buffer, at: number): number {
  while ((bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}
