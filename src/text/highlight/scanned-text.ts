import type { HighlightToken } from './hits.ts';
import type { ByteRange } from './markup.ts';

/** A text with its words. */
export interface ScannedText {
  /** The text as UTF-8. */
  readonly bytes: Buffer;
  /** The words at least of the given parts of the text, which must be in order. The next call may overwrite them. */
  readonly wordsOf: (parts: readonly ByteRange[]) => Words;
  readonly lines: Lines;
  /** The tokens that may match, in order of start: at least those with matching forms, or forms of a phrase. */
  readonly candidates: readonly HighlightToken[];
}

/**
 * Scans a text with a tokeniser, whose tokens must be in order of start; `isCandidate` selects the forms that may
 * match, all by default.
 */
export function scanTokens(text: string | Buffer, tokens: (text: string) => readonly HighlightToken[],
  isCandidate?: (form: string) => boolean): ScannedText
{
  const found = tokens(text.toString());
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return {
    bytes,
    wordsOf: () => wordsOf(found),
    lines: linesOf(bytes),
    candidates: isCandidate === undefined ? found : found.filter(({ form }) => isCandidate(form)),
  };
}

/** The words of a text as byte offsets, in order and not overlapping: where a fragment may begin and end. */
export interface Words {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The words `first .. last - 1` of a text. */
export interface WordRange {
  readonly first: number;
  readonly last: number;
}

/** The words of tokens in order of start; overlapping tokens (an identifier and its parts) are one word. */
function wordsOf(tokens: readonly { readonly start: number; readonly end: number }[]): Words {
  const starts = new Uint32Array(tokens.length);
  const ends = new Uint32Array(tokens.length);
  let count = 0;
  for (const { start, end } of tokens) {
    if (count > 0 && start < ends[count - 1]!) {
      ends[count - 1] = Math.max(ends[count - 1]!, end);
      continue;
    }
    starts[count] = start;
    ends[count++] = end;
  }
  return { starts: starts.subarray(0, count), ends: ends.subarray(0, count) };
}

/** The words that overlap the bytes `[start, end)`. */
export function wordsWithin({ starts, ends }: Words, start: number, end: number): WordRange {
  return { first: firstAtLeast(ends, start + 1), last: firstAtLeast(starts, end) };
}

/**
 * Adds words evenly on both sides, as far as there are any, while the range is at most `size` bytes long and stays
 * within `room`. A range that is already longer is returned unchanged.
 */
export function growRange({ starts, ends }: Words, inner: WordRange, size: number, room: WordRange): WordRange {
  let { first, last } = inner;
  const start = starts[first]!;
  const end = ends[last - 1]!;
  for (;;) {
    const canLeft = first > room.first && ends[last - 1]! - starts[first - 1]! <= size;
    const canRight = last < room.last && ends[last]! - starts[first]! <= size;
    if (!canLeft && !canRight) return { first, last };
    const leftIsShorter = start - starts[first]! <= ends[last - 1]! - end;
    if (canLeft && (leftIsShorter || !canRight)) first--;
    else last++;
  }
}

/** Index of the first value that is at least `value`; the length if there is none. */
function firstAtLeast(values: Uint32Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
