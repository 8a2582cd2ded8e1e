/** The lines of a text, each up to its line feed. A line feed at the end of the text does not begin another line. */
export interface Lines {
  /** For each line: the byte offset of its start. */
  readonly starts: Uint32Array;
  /** For each line: its first byte that is not a space, tab or `>`; a line feed if there is none. */
  readonly signs: Uint8Array;
}

export const LINE_FEED = 0x0a;
const [SPACE, TAB, QUOTE] = [0x20, 0x09, 0x3e];

/** The lines of a UTF-8 text. */
export function linesOf(bytes: Buffer): Lines {
  const starts: number[] = [];
  const signs: number[] = [];
  for (let at = 0; at < bytes.length;) {
    starts.push(at);
    signs.push(firstSign(bytes, at));
    const feed = bytes.indexOf(LINE_FEED, at);
    at = feed < 0 ? bytes.length : feed + 1;
  }
  return { starts: Uint32Array.from(starts), signs: Uint8Array.from(signs) };
}

function firstSign(bytes: Buffer, at: number): number {
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte !== SPACE && byte !== TAB && byte !== QUOTE) return byte;
  }
  return LINE_FEED;
}

/** The number of the line that contains a byte of the text, from 1. */
export function lineAt({ starts }: Lines, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
