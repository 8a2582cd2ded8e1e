/** Bytes of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Returns the first items that together fit into a number of bytes; at least one, so that paging always advances. */
export function fitting<T>(items: readonly T[], bytes: number): readonly T[] {
  let used = 0;
  const end = items.findIndex((item, i) => (used += bytesOf(item) + 1) > bytes && i > 0);
  return end === -1 ? items : items.slice(0, end);
}

/**
 * Returns the longest prefix of a text whose JSON has at most a given number of bytes. It ends at a line end if there
 * is one in its last quarter, and never within a character.
 */
export function beginningOf(text: string, bytes: number): string {
  if (text.length * 6 + 2 <= bytes || bytesOf(text) <= bytes) return text;
  let [fits, tooLong] = [0, Math.min(text.length, bytes) + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (bytesOf(text.slice(0, middle)) <= bytes) fits = middle;
    else tooLong = middle;
  }
  const line = text.lastIndexOf('\n', fits - 1) + 1;
  if (line > fits * 0.75) return text.slice(0, line);
  return text.slice(0, isHighSurrogate(text.charCodeAt(fits - 1)) ? fits - 1 : fits);
}

/** Returns a text of at most a given number of characters, with `…` where it was truncated. */
export function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = characters - 1;
  return `${text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end)}…`;
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
