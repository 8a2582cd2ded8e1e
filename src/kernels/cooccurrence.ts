import * as layout from '../../generated/kernels/cooccurrence.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Terms are numbers from 1 to this, exclusive. */
export const MAX_TERMS = layout.MAX_TERMS;
/** Capacity of the hash table of pairs; at most 75 % of it is used. */
export const MAX_SLOTS = layout.MAX_SLOTS;
/** A gap in the text: a word that is not a term, but keeps its place in the window. */
export const GAP = 0;
/** Any two terms within this number of consecutive tokens count as a pair. */
export const WINDOW = layout.REACH + 1;
/** Maximum number of neighbours of a term. */
export const BEST_NEIGHBOURS = layout.BEST;
/** Minimum number of occurrences for a term to have neighbours and to be one. */
export const MIN_OCCURRENCES = layout.MIN_OCCURRENCES;

/**
 * A neighbour of a term: `ratio` is p(a,b) / (p(a) p(b)) of the two terms, above 1; its logarithm is their pointwise
 * mutual information.
 */
interface RatedNeighbour {
  readonly term: number;
  readonly ratio: number;
}

/**
 * The neighbours of a term, best first; `largest` is the largest ratio of the term with any other, 0 if it has none.
 */
export interface RatedNeighbours {
  readonly best: readonly RatedNeighbour[];
  readonly largest: number;
}

/** Counts which terms occur together. */
export interface PairCounter {
  /** Counts the tokens of a document. */
  add(tokens: Uint32Array): void;
  /** Removes the terms below `end` that occurred at most `occurrences` times; returns their numbers, ascending. */
  forget(end: number, occurrences: number): number[];
  /** Ranks the neighbours of the terms below `end`; afterwards nothing can be added. */
  rank(end: number): void;
  /**
   * Best first, by ratio, then by occurrences of the pair, then by number; empty if the term is too rare. Only pairs
   * that occur in several documents count, unless the term has none: a pair in a single document may be accidental.
   */
  neighboursOf(term: number): RatedNeighbours;
}

/** Exports of `asm/cooccurrence.ts`, where their contracts are documented. */
interface CooccurrenceExports extends WebAssembly.Exports {
  initialize(maxSlots: number): void;
  tokens(): number;
  tokenRoom(): number;
  beginDocument(): void;
  count(from: number, end: number): void;
  counts(): number;
  forgetTerms(end: number, occurrences: number): void;
  rank(end: number): void;
  bestOf(term: number): number;
}

/** Of a list of neighbours; `SEVERAL` is the bit of an entry's second number that means "in several documents". */
const { FIRST, ENTRY, B_COUNT, B_RATIO, SEVERAL } = layout;

/** Counts in a WebAssembly memory of its own, of at most 300 MB (asm/cooccurrence/layout.ts). */
export class CooccurrenceKernel implements PairCounter {
  readonly #memory = new WebAssembly.Memory({ initial: 4 });
  readonly #call: CooccurrenceExports;
  readonly #tokens: number;
  readonly #room: number;

  /** `maxSlots`, a power of two of at least 16, limits the pairs that are counted at once. */
  constructor({ build = 'release', maxSlots = MAX_SLOTS }: { build?: KernelBuild; maxSlots?: number } = {}) {
    this.#call = instantiateKernel(loadKernel('cooccurrence', build), this.#memory) as CooccurrenceExports;
    this.#call.initialize(maxSlots);
    this.#tokens = this.#call.tokens();
    this.#room = this.#call.tokenRoom();
  }

  add(tokens: Uint32Array): void {
    this.#call.beginDocument();
    const reach = WINDOW - 1;
    for (let from = 0; from < tokens.length;) {
      const before = Math.min(from, reach);
      const part = tokens.subarray(from - before, from - before + this.#room);
      new Uint32Array(this.#memory.buffer, this.#tokens, part.length).set(part);
      this.#call.count(before, part.length);
      from += part.length - before;
    }
  }

  forget(end: number, occurrences: number): number[] {
    this.#call.forgetTerms(end, occurrences);
    const counts = new Uint32Array(this.#memory.buffer, this.#call.counts(), end);
    const free: number[] = [];
    for (let term = 1; term < end; term++) if (counts[term] === 0) free.push(term);
    return free;
  }

  rank(end: number): void {
    this.#call.rank(end);
  }

  neighboursOf(term: number): RatedNeighbours {
    const at = this.#call.bestOf(term);
    if (at === 0) return { best: [], largest: 0 };
    const list = new DataView(this.#memory.buffer, at, FIRST + ENTRY * BEST_NEIGHBOURS);
    const several = list.getUint32(FIRST + B_COUNT, true) & SEVERAL;
    const best: RatedNeighbour[] = [];
    for (let i = FIRST; i < list.byteLength; i += ENTRY) {
      const neighbour = list.getUint32(i, true);
      if (neighbour === 0 || (list.getUint32(i + B_COUNT, true) & SEVERAL) !== several) break;
      best.push({ term: neighbour, ratio: list.getFloat64(i + B_RATIO, true) });
    }
    return { best, largest: list.getFloat64(0, true) };
  }
}
