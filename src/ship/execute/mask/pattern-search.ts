/** Longer patterns count only up to this length for the skip distance; more would not make the search faster. */
const MAX_WINDOW = 32;

export interface Found {
  readonly start: number;
  /** After the last byte. */
  readonly end: number;
}

/**
 * Finds many byte patterns at once: Wu and Manber, "A fast algorithm for multi-pattern searching" (1994), with blocks of three bytes. A table
 * contains for each block how far the window may move, so most of a text is never read. Patterns have at least three bytes.
 */
export class PatternSearch {
  /** Bytes of the longest pattern. */
  readonly maxLength: number;
  readonly #window: number;
  /** How far to move when the window ends with a block of this hash; 0: a pattern may begin at the start of the window. */
  readonly #shift = new Uint8Array(1 << 16);
  /** Patterns, longest first, by the hash of the block that ends their window. */
  readonly #byBlock = new Map<number, Uint8Array[]>();
  /** In byte order. */
  readonly #sorted: readonly Buffer[];
  /** 1 for the hash of each pattern's first block. */
  readonly #beginnings = new Uint8Array(1 << 16);

  constructor(patterns: readonly Buffer[]) {
    const lengths = patterns.map(({ length }) => length);
    this.maxLength = Math.max(0, ...lengths);
    this.#window = Math.min(MAX_WINDOW, ...lengths);
    this.#sorted = [...patterns].sort((a, b) => Buffer.compare(a, b));
    this.#shift.fill(this.#window - 2);
    for (const pattern of [...patterns].sort((a, b) => b.length - a.length)) this.#add(pattern);
  }

  #add(pattern: Buffer): void {
    const window = this.#window;
    for (let at = 2; at < window; at++) {
      const block = hash(pattern[at - 2]!, pattern[at - 1]!, pattern[at]!);
      this.#shift[block] = Math.min(this.#shift[block]!, window - 1 - at);
    }
    const last = hash(pattern[window - 3]!, pattern[window - 2]!, pattern[window - 1]!);
    const bucket = this.#byBlock.get(last);
    if (bucket === undefined) this.#byBlock.set(last, [pattern]);
    else bucket.push(pattern);
    this.#beginnings[hash(pattern[0]!, pattern[1]!, pattern[2]!)] = 1;
  }

  /** The first match at or after `from`; if several patterns match there, the longest. */
  find(text: Uint8Array, from: number): Found | undefined {
    if (this.maxLength === 0) return undefined;
    const shift = this.#shift;
    const length = text.length;
    let at = from + this.#window - 1;
    while (at < length) {
      const block = hash(text[at - 2]!, text[at - 1]!, text[at]!);
      const skip = shift[block]!;
      if (skip > 0) {
        at += skip;
        continue;
      }
      const start = at - this.#window + 1;
      const end = this.#matchAt(text, start, block);
      if (end > 0) return { start, end };
      at++;
    }
    return undefined;
  }

  /** The end of the longest pattern that begins here; 0 for none. */
  #matchAt(text: Uint8Array, start: number, block: number): number {
    candidates: for (const pattern of this.#byBlock.get(block)!) {
      if (start + pattern.length > text.length) continue;
      for (let i = 0; i < pattern.length; i++) if (text[start + i] !== pattern[i]) continue candidates;
      return start + pattern.length;
    }
    return 0;
  }

  /** The start of the longest end of the text that may be the beginning of a pattern; the length of the text if there is none. */
  unfinished(text: Buffer): number {
    const { length } = text;
    for (let start = Math.max(0, length - this.maxLength + 1); start < length; start++) {
      const mayBegin = start > length - 3 || this.#beginnings[hash(text[start]!, text[start + 1]!, text[start + 2]!)] === 1;
      if (mayBegin && this.#isProperPrefix(text.subarray(start))) return start;
    }
    return length;
  }

  #isProperPrefix(bytes: Buffer): boolean {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Buffer.compare(this.#sorted[middle]!, bytes) <= 0) low = middle + 1;
      else high = middle;
    }
    // If a pattern begins with these bytes and is longer, it is the next one in the sort order.
    const next = this.#sorted[low];
    return next !== undefined && next.length > bytes.length && bytes.equals(next.subarray(0, bytes.length));
  }
}

/** Distributes the few letters that texts consist of over 16 bits. */
function hash(a: number, b: number, c: number): number {
  return ((a << 11) ^ (b << 5) ^ c ^ (a >> 2)) & 0xffff;
}
