import { eachBlock, pairsFrom, type Pattern, SPECIAL, type Spelling } from './secret-patterns.ts';

/** Bytes of a block. */
const BLOCK = 3;
/**
 * The text is sampled at most once in so many bytes; a longer distance would make few texts faster, and the filter
 * slower to build.
 */
const MAX_WINDOW = 24;

/** A bit for each block with a special byte, which is taken as part of a match; made for the first filter. */
let specialBlocks: Uint8Array | undefined;

function withSpecialBlocks(): Uint8Array {
  if (specialBlocks === undefined) {
    specialBlocks = new Uint8Array(1 << 18);
    for (const byte of SPECIAL) {
      for (let others = 0; others < 1 << 14; others++) {
        set(specialBlocks, (byte << 14) | others);
        set(specialBlocks, ((others >> 7) << 14) | (byte << 7) | (others & 127));
        set(specialBlocks, (others << 7) | byte);
      }
    }
  }
  return specialBlocks.slice();
}

/**
 * Where a match may begin: sampling, after Wu and Manber, "A fast algorithm for multi-pattern searching" (1994). Each
 * match covers one of the sampled blocks of three bytes, so where such a block occurs in no pattern, all bytes up to it
 * are passed over.
 */
class BlockFilter {
  /** No match is shorter. */
  readonly #window: number;
  /** A bit for each block that may stand in the window of a match; letters beyond ASCII share the bits of others. */
  readonly #inside = withSpecialBlocks();
  /** A bit for each block that may begin a match. */
  readonly #first = new Uint8Array(1 << 18);
  /** 1 for each byte that may begin a match. */
  readonly #firstBytes = new Uint8Array(256);

  constructor(patterns: readonly Pattern[]) {
    this.#window = Math.min(MAX_WINDOW, ...patterns.map(shortest));
    for (const pattern of patterns) this.#add(pattern);
  }

  /** Whether a match may begin here, as far as the text goes. */
  mayBegin(text: Uint8Array, at: number): boolean {
    return at + BLOCK > text.length ? this.#firstBytes[text[at]!] === 1 : has(this.#first, blockAt(text, at));
  }

  /** The first place at or after `at` where a match may begin; the length of the text if there is none. */
  next(text: Uint8Array, at: number): number {
    const inside = this.#inside;
    const { length } = text;
    const reach = this.#window - BLOCK;
    let start = at;
    while (start + reach + BLOCK <= length) {
      if (!has(inside, blockAt(text, start + reach))) {
        start += reach + 1;
        continue;
      }
      // Most blocks that may be inside of a match stand alone, so a second one saves looking at each byte before.
      const middle = start + (reach >> 1);
      if (has(inside, blockAt(text, middle))) {
        for (; start <= middle; start++) if (has(this.#first, blockAt(text, start))) return start;
      } else start = middle + 1;
    }
    while (start < length && !this.mayBegin(text, start)) start++;
    return start;
  }

  #add({ spellings, mayLackFirst }: Pattern): void {
    for (let start = 0; start <= (mayLackFirst ? 1 : 0); start++) {
      for (const byte of spellings[start]!.next.keys()) this.#firstBytes[byte] = 1;
      eachBlock(spellings[start]!.fromStart, spellings[start + 1]?.fromStart, spellings[start + 2]?.fromStart,
        (block) => set(this.#first, block));
    }
    const reached = Math.min(spellings.length, this.#window + 1);
    for (let at = 0; at < reached; at++) {
      eachBlock(spellings[at]!.fromAnywherePlain, spellings[at + 1]?.fromStartPlain, spellings[at + 2]?.fromStartPlain,
        (block) => set(this.#inside, block));
    }
  }
}

/** Bytes of the shortest match. */
const shortest = ({ spellings, mayLackFirst }: Pattern): number =>
  (mayLackFirst ? spellings.slice(1) : spellings).reduce((sum, spelling) => sum + spelling.shortest(), 0);

const blockAt = (text: Uint8Array, at: number): number =>
  ((text[at]! & 127) << 14) | ((text[at + 1]! & 127) << 7) | (text[at + 2]! & 127);
const has = (bits: Uint8Array, block: number): boolean => (bits[block >> 3]! & (1 << (block & 7))) !== 0;

function set(bits: Uint8Array, block: number): void {
  bits[block >> 3]! |= 1 << (block & 7);
}

/** A pattern, and a number that is unique for each of its characters. */
interface Numbered {
  readonly spellings: readonly Spelling[];
  readonly base: number;
}

/** A place at which a match may begin. */
interface Beginning {
  readonly of: Numbered;
  readonly unit: number;
}

/** What a text up to now may be the beginning of: the place in a pattern that it has reached. */
interface Thread {
  readonly of: Numbered;
  unit: number;
  place: Spelling;
  /** Where it begins in the text. */
  start: number;
}

/** The patterns to search for; the same for all streams. */
export class SecretSearch {
  readonly filter: BlockFilter;
  /** Characters of all patterns. */
  readonly units: number;
  /** By the first byte, for the end of a text. */
  readonly #byByte = new Map<number, Beginning[]>();
  /** By the first two bytes, seven bits of each. */
  readonly #byPair = new Map<number, Beginning[]>();

  constructor(patterns: readonly Pattern[]) {
    this.filter = new BlockFilter(patterns);
    let base = 0;
    for (const { spellings, mayLackFirst } of patterns) {
      const of = { spellings, base };
      for (let unit = 0; unit <= (mayLackFirst ? 1 : 0); unit++) this.#add({ of, unit });
      base += spellings.length;
    }
    this.units = base;
  }

  /** The patterns that may begin here, as far as two bytes tell. */
  beginnings(text: Uint8Array, at: number): readonly Beginning[] {
    const first = text[at]! & 127;
    return (at + 1 < text.length ? this.#byPair.get((first << 7) | (text[at + 1]! & 127)) : this.#byByte.get(first)) ??
      NONE;
  }

  #add(beginning: Beginning): void {
    const { of: { spellings }, unit } = beginning;
    const { fromStart } = spellings[unit]!;
    for (const byte of fromStart.one) append(this.#byByte, byte, beginning);
    for (const pair of new Set(pairsFrom(fromStart, spellings[unit + 1]?.fromStart)))
      append(this.#byPair, pair, beginning);
  }
}

const NONE: readonly Beginning[] = [];

function append(lists: Map<number, Beginning[]>, key: number, beginning: Beginning): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [beginning]);
  else list.push(beginning);
}

/**
 * Searches a text that comes in pieces. All places at which a secret may have begun are followed at the same time, so
 * each byte is read once. Of those that have come to the same character of a pattern, only the first one is followed:
 * it ends where the others end.
 */
export class SecretScan {
  readonly #search: SecretSearch;
  /** In the order of their starts. */
  #threads: Thread[] = [];
  /** The step in which a character was last reached, for each character of all patterns; undefined until one is. */
  #reachedIn: Uint32Array | undefined;
  #step = 0;

  constructor(search: SecretSearch) {
    this.#search = search;
  }

  /**
   * Reads the text from `from` on, and calls back with each secret in it, in the order of their ends; of those with the
   * same end, at least the first one.
   */
  read(text: Uint8Array, from: number, found: (start: number, end: number) => void): void {
    const search = this.#search;
    const { filter } = search;
    let at = from;
    for (;;) {
      if (this.#threads.length === 0) at = filter.next(text, at);
      if (at >= text.length) return;
      if (this.#threads.length === 0 || filter.mayBegin(text, at)) {
        for (const { of, unit } of search.beginnings(text, at))
          this.#threads.push({ of, unit, place: of.spellings[unit]!, start: at });
      }
      this.#advance(text[at]!, at + 1, found);
      at++;
    }
  }

  /** Where the first secret begins that the next piece may complete; undefined if there is none. */
  get unfinished(): number | undefined {
    return this.#threads[0]?.start;
  }

  /** The next piece is appended to a text that lacks this many bytes at the beginning. */
  cut(bytes: number): void {
    if (bytes > 0) { for (const thread of this.#threads) thread.start -= bytes; }
  }

  #advance(byte: number, end: number, found: (start: number, end: number) => void): void {
    this.#step = (this.#step + 1) >>> 0;
    const going: Thread[] = [];
    for (const thread of this.#threads) {
      const next = thread.place.next.get(byte);
      if (next === undefined) continue;
      if (next.next.size > 0) going.push(next.complete ? { ...thread, place: next } : thread);
      thread.place = next;
      if (next.complete && this.#complete(thread, end, found)) going.push(thread);
    }
    this.#threads = going;
  }

  /**
   * A character is complete: goes on to the next one. Returns false if there is none, or if another thread has reached
   * it.
   */
  #complete(thread: Thread, end: number, found: (start: number, end: number) => void): boolean {
    const { of: { spellings, base }, start } = thread;
    const unit = thread.unit + 1;
    if (unit === spellings.length) {
      found(start, end);
      return false;
    }
    const reachedIn = (this.#reachedIn ??= new Uint32Array(this.#search.units));
    if (reachedIn[base + unit] === this.#step) return false;
    reachedIn[base + unit] = this.#step;
    thread.unit = unit;
    thread.place = spellings[unit]!;
    return true;
  }
}
