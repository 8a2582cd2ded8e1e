/** Splits text into pieces of at most this many bytes of UTF-8, without breaking a character. */
export function splitMessage(text: string, maxBytes: number): string[] {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return [text];
  const bytes = Buffer.from(text);
  const limit = Math.max(maxBytes, 4); // longest character in UTF-8
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = boundary(bytes, Math.min(start + limit, bytes.length));
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

/** The last position, at or before `at`, where a character begins. */
function boundary(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return end;
}
