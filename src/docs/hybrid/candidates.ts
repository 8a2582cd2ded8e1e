import { fittedAlpha, fuse, type FusedHit, type MeaningHit, type WordsHit } from '../../search/fusion/index.ts';
import { OrdSet } from '../fulltext/index.ts';
import type { Look } from './look-at-sides.ts';
import { type HybridRequest, isWordsWanted } from './request.ts';

/** The hits of each side, best first. */
interface Sides {
  readonly words: readonly WordsHit[];
  readonly meaning: readonly MeaningHit[];
}

/** What both sides have found so far; for each document, from its last read. */
export class Candidates {
  readonly #request: HybridRequest;
  #words = new Map<number, WordsHit>();
  #meaning: MeaningHit[] = [];
  /** Vector scores of documents that only the lexical side has found. */
  #others: MeaningHit[] = [];
  /** All lexical matches, if facets are counted. */
  #matches: OrdSet | undefined;
  readonly #distances = new Map<number, number>();
  /** The best of each side, until something is added. */
  #best: Sides | undefined;

  constructor(request: HybridRequest) {
    this.#request = request;
  }

  /** Every document that is a match; undefined if no facets are counted. */
  all(): OrdSet | undefined {
    if (this.#matches === undefined) return undefined;
    const all = isWordsWanted(this.#request) ? OrdSet.fromWords(this.#matches.words.slice()) : new OrdSet();
    for (const { ord } of this.#bestOfSides().meaning) all.add(ord);
    return all;
  }

  /** Metres from the centre of the circle. */
  distanceOf(ord: number): number | undefined {
    return this.#distances.get(ord);
  }

  /** Adds the results of a read; for the documents of `only`, they replace the earlier ones. */
  take({ words, matches, meaning, others, distances }: Look, only: ReadonlySet<number> | undefined): void {
    this.#best = undefined;
    for (const ord of only ?? []) {
      this.#words.delete(ord);
      this.#distances.delete(ord);
      this.#matches?.delete(ord);
    }
    const kept = ({ ord }: MeaningHit): boolean => only?.has(ord) !== true;
    this.#meaning = [...this.#meaning.filter(kept), ...meaning];
    this.#others = [...this.#others.filter(kept), ...others];
    for (const hit of words) this.#words.set(hit.ord, hit);
    for (const [ord, distance] of distances ?? []) this.#distances.set(ord, distance);
    if (this.#matches === undefined) this.#matches = matches;
    else for (const ord of matches ?? []) this.#matches.add(ord);
  }

  /** Best first. `alpha`: weight of the vector side, if it has one. */
  fused(alpha: number): FusedHit[] {
    const { fusion } = this.#request;
    const { words, meaning } = this.#bestOfSides();
    const found = new Set(meaning.map(({ ord }) => ord));
    const others = this.#others.filter(({ ord }) => this.#words.has(ord) && !found.has(ord));
    return fuse(words, [...meaning, ...others], fusion.strategy === 'alpha' ? { ...fusion, alpha } : fusion);
  }

  /** Weight of the vector side: from the request, or fitted to what both sides found. */
  get alpha(): number {
    const { isFitted, alpha } = this.#request;
    const { words, meaning } = this.#bestOfSides();
    return isFitted && meaning.length > 0 ? fittedAlpha(ordsOf(words), ordsOf(meaning)) : alpha;
  }

  #bestOfSides(): Sides {
    const { candidates } = this.#request;
    return this.#best ??= {
      words: best([...this.#words.values()], candidates),
      meaning: best(this.#meaning, candidates),
    };
  }
}

/** Removes the hits that boosts and repeated reads added beyond the requested number. */
function best<H extends WordsHit & { readonly chunk?: number }>(hits: readonly H[], limit: number): H[] {
  return hits.toSorted((a, b) => b.score - a.score || a.ord - b.ord || (a.chunk ?? 0) - (b.chunk ?? 0)).slice(0, limit);
}

function ordsOf(hits: readonly WordsHit[]): number[] {
  return hits.map(({ ord }) => ord);
}
