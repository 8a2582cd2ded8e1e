import { BlockFilter } from './block-filter.ts';
import { pairsFrom } from './paths.ts';
import type { Pattern } from './secret-patterns.ts';
import type { Spelling } from './spelling.ts';

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
