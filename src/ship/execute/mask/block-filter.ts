import { eachBlock, SPECIAL } from './paths.ts';
import type { Pattern } from './secret-patterns.ts';

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
export class BlockFilter {
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
