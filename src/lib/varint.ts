/**
 * Unsigned LEB128: seven bits a byte, lowest first, the high bit set on all but the last byte.
 * Values up to `Number.MAX_SAFE_INTEGER`, so at most eight bytes.
 */
export function encodeVarint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`a varint holds a non-negative integer, got ${value}`);
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/**
 * Returns the value at an offset and the offset after it; undefined if the bytes end early or the value is too large.
 */
export function decodeVarint(bytes: Uint8Array, offset = 0): { value: number; end: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let i = offset; i < bytes.length && scale <= Number.MAX_SAFE_INTEGER; i++) {
    const byte = bytes[i]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, end: i + 1 } : undefined;
    scale *= 0x80;
  }
  return undefined;
}
