import { OrdSet } from '../../lib/ord-set.ts';
import { fittedAlpha, fuse, type FusedHit, type Fusion, type MeaningHit,
  type WordsHit } from '../../search/fusion/fuse.ts';
import type { RankedRequest } from './request.ts';
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
  #words = new Map<number, WordsHit>();
  #meaning: MeaningHit[] = [];
  /** Vector scores of documents that only the lexical side has found. */
  #others: MeaningHit[] = [];
  /** All lexical matches, if they are counted. */
  #matches: OrdSet | undefined;
  readonly #distances = new Map<number, number>();
  /** The best of each side, until something is added. */
  #best: Best | undefined;

  /** Keeps the best `limit` of each side. */
  constructor(request: RankedRequest, limit: number) {
    this.#request = request;
    this.#limit = limit;
  }

  /** Every document that is a match; undefined if they are not counted. */
  all(): OrdSet | undefined {
    const { isCounted, fusion } = this.#request;
    if (!isCounted) return undefined;
    const counted = this.#matches !== undefined && !isByVectorsAlone(fusion);
    const all = counted ? OrdSet.fromWords(this.#matches!.words.slice()) : new OrdSet();
    for (const { ord } of this.#bestOfSides().meaning) all.add(ord);
    return all;
  }

  /** Metres from the centre of the circle. */
  distanceOf(ord: number): number | undefined {
    return this.#distances.get(ord);
  }

  /** Adds the results of a read; for the documents of `only`, they replace the earlier ones. */
  take({ words: { hits, matches }, vectors, others, distances }: Look, only: ReadonlySet<number> | undefined): void {
    this.#best = undefined;
    for (const ord of only ?? []) {
      this.#words.delete(ord);
      this.#distances.delete(ord);
      this.#matches?.delete(ord);
    }
    const kept = ({ ord }: MeaningHit): boolean => only?.has(ord) !== true;
    this.#meaning = [...this.#meaning.filter(kept), ...vectors.hits];
    this.#others = [...this.#others.filter(kept), ...others];
    for (const hit of hits) this.#words.set(hit.ord, hit);
    for (const [ord, distance] of distances ?? []) this.#distances.set(ord, distance);
    if (this.#matches === undefined) this.#matches = matches;
    else for (const ord of matches ?? []) this.#matches.add(ord);
  }

  /** Best first. `alpha`: weight of the vector side, if both sides are weighed. */
  ranked(alpha: number | undefined): FusedHit[] {
    const { fusion } = this.#request;
    const { words, meaning } = this.#bestOfSides();
    if (fusion === undefined)
      return [...words, ...meaning].map((hit) => ({ chunk: undefined, ...hit, words: undefined, meaning: undefined }));
    const found = new Set(meaning.map(({ ord }) => ord));
    const others = this.#others.filter(({ ord }) => this.#words.has(ord) && !found.has(ord));
    return fuse(words, [...meaning, ...others], fusion.strategy === 'alpha' ? { ...fusion, alpha: alpha! } : fusion);
  }

  /** Whether a side may have more. */
  get isFull(): boolean {
    const { words, meaning } = this.#bestOfSides();
    return Math.max(words.length, meaning.length) >= this.#limit;
  }

  /** Weight of the vector side: from the request, or fitted to what both sides found; undefined without weights. */
  get alpha(): number | undefined {
    const { isFitted, fusion } = this.#request;
    if (fusion?.strategy !== 'alpha') return undefined;
    const { words, meaning } = this.#bestOfSides();
    return isFitted && meaning.length > 0 ? fittedAlpha(ordsOf(words), ordsOf(meaning)) : fusion.alpha;
  }

  /** Equal hits of a side stay as the side returned them. */
  #bestOfSides(): Best {
    return this.#best ??= {
      words: best([...this.#words.values()], this.#limit),
      meaning: best(this.#meaning, this.#limit),
    };
  }
}

/** Whether documents that only the lexical side finds are no results. */
export function isByVectorsAlone(fusion: Fusion | undefined): boolean {
  return fusion?.strategy === 'alpha' && fusion.alpha === 1;
}

/** Whether documents that only the vector side finds are no results, so that it need not be asked. */
export function isByWordsAlone(fusion: Fusion | undefined): boolean {
  return fusion?.strategy === 'alpha' && fusion.alpha === 0;
}

/** Removes the hits that boosts and repeated reads added beyond the requested number. */
function best<H extends WordsHit>(hits: readonly H[], limit: number): H[] {
  return hits.toSorted((a, b) => b.score - a.score).slice(0, limit);
}

function ordsOf(hits: readonly WordsHit[]): number[] {
  return hits.map(({ ord }) => ord);
}
