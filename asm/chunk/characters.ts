// UTF-8 characters. Bytes that are not a valid sequence are counted as an unspecified number of characters, but nothing
// is read behind `end`.

export const NEWLINE: u32 = 0x0a;
export const BACKSLASH: u32 = 0x5c;

/** The byte at an address, or 0 from `end` on. */
export function byteAt(at: usize, end: usize): u32 {
  return at < end ? <u32>load<u8>(at) : 0;
}

/** Space, tab, newline, vertical tab, form feed, carriage return. */
export function isSpace(byte: u32): bool {
  return byte === 0x20 || byte - 9 < 5;
}

/** Bytes of the character at an address below `end`. */
export function widthAt(at: usize, end: usize): usize {
  const lead = <u32>load<u8>(at);
  if (lead < 0xc0) return 1;
  const width: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return min(width, end - at);
}

/** The code point at an address below `end`. */
export function codePointAt(at: usize, end: usize): u32 {
  const lead = <u32>load<u8>(at);
  const width = widthAt(at, end);
  if (width === 1) return lead;
  let codePoint = lead & (0xff >> <u32>(width + 1));
  for (let i: usize = 1; i < width; i++) codePoint = (codePoint << 6) | (<u32>load<u8>(at + i) & 0x3f);
  return codePoint;
}

/** Address of the newline that ends the line, or `end`. */
export function endOfLine(at: usize, end: usize): usize {
  while (at < end && load<u8>(at) !== <u8>NEWLINE) at++;
  return at;
}

/** Address of the first byte that is not whitespace, or `end`. */
export function skipSpaces(at: usize, end: usize): usize {
  while (at < end && isSpace(load<u8>(at))) at++;
  return at;
}
