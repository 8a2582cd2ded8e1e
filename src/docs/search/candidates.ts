import { OrdSet } from '../../lib/ord-set.ts';
import { balanced, fuse, type FusedHit, type MeaningHit, shareOfMeaning, type Weights,
  type WordsHit } from '../../search/fusion/fuse.ts';
import type { Mark } from '../../search/order/index.ts';
import type { RankedRequest, WantedFusion } from './request.ts';
import type { Look } from './retrieve.ts';

/** The hits of each side, best first. */
interface Best {
  readonly words: readonly WordsHit[];
  readonly meaning: readonly MeaningHit[];
}

/** What the sides have found so far; for each document, from its last read. */
export class Candidates {
  readonly #request: RankedRequest;
  readonly #limit: number;
  readonly #isWhole: boolean;
  #words = new Map<number, WordsHit>();
  #meaning: MeaningHit[] = [];
  #matchedWords: number | undefined;
  /** All lexical matches, if they are collected, and their number, if the side counts them. */
  #matches: OrdSet | undefined;
  #total: number | undefined;
  #isLowerBound = false;
  readonly #places = new Map<number, Mark>();
  readonly #distances = new Map<number, number>();
  /** The best of each side, until something is added. */
  #best: Best | undefined;

  /** Keeps the best `limit` of each side, and all of a lexical side that is `whole` and alone. */
  constructor(request: RankedRequest, limit: number, whole: boolean) {
    this.#request = request;
    this.#limit = limit;
    this.#isWhole = whole;
  }

  /** Every document that is a match; undefined if they are not counted. Call it once, at the end. */
  all(): OrdSet | undefined {
    const { isCounted, fusion } = this.#request;
    if (!isCounted) return undefined;
    const all = this.#matches !== undefined && !isByVectorsAlone(fusion) ? this.#matches : new OrdSet();
    for (const { ord } of this.#bestOfSides().meaning) all.add(ord);
    return all;
  }

  /** Number of lexical matches; undefined if the side does not count them. */
  get total(): number | undefined {
    return this.#total;
  }

  /** Whether there may be more of them. */
  get isLowerBound(): boolean {
    return this.#isLowerBound;
  }

  /** The values by which a document was sorted; undefined if the lexical side has not sorted it. */
  placeOf(ord: number): Mark | undefined {
    return this.#places.get(ord);
  }

  /** Metres from the centre of the circle. */
  distanceOf(ord: number): number | undefined {
    return this.#distances.get(ord);
  }

  /** Adds the results of a read; for the documents of `only`, they replace the earlier ones. */
  take({ words, vectors, matchedWords, distances }: Look, only: ReadonlySet<number> | undefined): void {
    const { hits, matches, total, isLowerBound, places } = words;
    this.#best = undefined;
    this.#matchedWords ??= matchedWords;
    for (const ord of only ?? []) {
      if (this.#words.delete(ord) && this.#total !== undefined) this.#total -= 1;
      this.#distances.delete(ord);
      this.#matches?.delete(ord);
    }
    if (total !== undefined) this.#total = (this.#total ?? 0) + total;
    if (isLowerBound) this.#isLowerBound = true;
    for (const [ord, place] of places ?? []) this.#places.set(ord, place);
    const kept = ({ ord }: MeaningHit): boolean => only?.has(ord) !== true;
    this.#meaning = [...this.#meaning.filter(kept), ...vectors.hits];
    for (const hit of hits) this.#words.set(hit.ord, hit);
    for (const [ord, distance] of distances ?? []) this.#distances.set(ord, distance);
    if (this.#matches === undefined) this.#matches = matches;
    else for (const ord of matches ?? []) this.#matches.add(ord);
  }

  /** Best first. `weights`: those of both sides, if they are weighed. */
  ranked(weights: Weights | undefined): FusedHit[] {
    const { fusion } = this.#request;
    const { words, meaning } = this.#bestOfSides();
    if (fusion === undefined)
      return [...words, ...meaning].map((hit) => ({ chunk: undefined, ...hit, words: undefined, meaning: undefined }));
    return fuse(words, meaning, fusion.strategy === 'rrf' ? fusion : { strategy: 'alpha', ...weights! });
  }

  /** Whether a side may have more. */
  get isFull(): boolean {
    const { words, meaning } = this.#bestOfSides();
    return Math.max(words.length, meaning.length) >= this.#limit;
  }

  /** The weights of both sides: of the request, or by what they found; undefined without weights. */
  get weights(): Weights | undefined {
    const { fusion } = this.#request;
    if (fusion === undefined || fusion.strategy === 'rrf') return undefined;
    if (fusion.strategy === 'alpha') return fusion;
    const { words, meaning } = this.#bestOfSides();
    return balanced(words, meaning, shareOfMeaning(words, meaning, {
      ...fusion,
      matchedWords: this.#matchedWords ?? 0,
    }));
  }

  /** A lexical side that is whole has pinned documents besides its best. */
  #bestOfSides(): Best {
    return this.#best ??= {
      words: best([...this.#words.values()], this.#isWhole ? Infinity : this.#limit),
      meaning: best(this.#meaning, this.#limit),
    };
  }
}

/** Whether documents that only the lexical side finds are no results. */
export function isByVectorsAlone(fusion: WantedFusion | undefined): boolean {
  return fusion?.strategy === 'alpha' && fusion.alpha === 1;
}

/** Whether documents that only the vector side finds are no results, so that it need not be asked. */
export function isByWordsAlone(fusion: WantedFusion | undefined): boolean {
  return fusion?.strategy === 'alpha' && fusion.alpha === 0;
}

/** Removes the hits that boosts and repeated reads added beyond the requested number. */
function best<H extends WordsHit>(hits: readonly H[], limit: number): H[] {
  return hits.toSorted((a, b) => b.score - a.score || a.ord - b.ord).slice(0, limit);
}

/** By how much a list of candidates is longer than the one before it. */
export const GROWTH = 4;

/**
 * Lengths of the lists of candidates that a page needs: `first`, which does not depend on the page, and longer ones
 * while the page ends behind `wanted` results.
 */
export function listLengths(first: number, wanted: number): number[] {
  const lengths = [first];
  while (lengths.at(-1)! < wanted) lengths.push(lengths.at(-1)! * GROWTH);
  return lengths;
}

/**
 * Joins lists of candidates: a fused order depends on how many candidates each side has, so if pages further back were
 * of longer lists alone, they would repeat and lose results. The first results are those of the first list, up to its
 * length; each further list continues them with what they do not have. `listOf` returns a list without what is among
 * the results before it.
 */
export async function joinLists<T>(lengths: readonly number[],
  listOf: (i: number, before: readonly T[]) => Promise<readonly T[]> | readonly T[]): Promise<T[]>
{
  const joined: T[] = [];
  for (const [i, length] of lengths.entries()) {
    const list = await listOf(i, joined);
    const end = i === lengths.length - 1 ? list.length : Math.max(0, length - joined.length);
    for (const one of list.slice(0, end)) joined.push(one);
  }
  return joined;
}

/** A hit with the run of chunks that is shown for it; without one for a document that only the lexical side found. */
export interface Placed<H> {
  readonly hit: H;
  /** Numbers of chunks, both inclusive. The last one may be behind the end of the document. */
  readonly first: number | undefined;
  readonly last: number | undefined;
}

interface Hit {
  readonly ord: number;
  readonly chunk?: number | undefined;
}

interface Window<H> {
  readonly hit: H;
  first: number;
  last: number;
}

/**
 * Hits in the order of their rank with `size` neighbours on each side; windows of a document that share a chunk are
 * merged, at the place of the best.
 */
export function toWindows<H extends Hit>(hits: readonly H[], size: number): Placed<H>[] {
  const placed = new Set<Placed<H>>();
  const byDocument = new Map<number, Set<Window<H>>>();
  for (const hit of hits) {
    const { ord, chunk } = hit;
    if (chunk === undefined) {
      placed.add({ hit, first: undefined, last: undefined });
      continue;
    }
    let windows = byDocument.get(ord);
    if (windows === undefined) byDocument.set(ord, windows = new Set());
    const own: Window<H> = { hit, first: Math.max(0, chunk - size), last: chunk + size };
    const [best, ...others] = [...windows].filter(({ first, last }) => first <= own.last && own.first <= last);
    if (best === undefined) {
      windows.add(own);
      placed.add(own);
      continue;
    }
    for (const { first, last } of [own, ...others]) {
      best.first = Math.min(best.first, first);
      best.last = Math.max(best.last, last);
    }
    for (const other of others) {
      windows.delete(other);
      placed.delete(other);
    }
  }
  return [...placed];
}
