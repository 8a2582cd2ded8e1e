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
export function wordsOf(tokens: readonly { readonly start: number; readonly end: number }[]): Words {
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
