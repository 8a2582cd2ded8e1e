import { fittedAlpha, fuse, type FusedHit, type MeaningHit, type WordsHit } from '../../search/fusion/index.ts';
import { inList, type Sql } from '../../storage/index.ts';
import { OrdSet } from '../fulltext/index.ts';
import type { Look } from './look-at-sides.ts';
import { type HybridRequest, isWordsWanted } from './request.ts';

/**
 * Numbers of the last changes that the indexes had applied at one moment; undefined for an index that does not follow.
 * `words`: the least of the lexical index, the columns and, with a circle, the places.
 */
export interface Positions {
  readonly words: number | undefined;
  readonly meaning: number | undefined;
}

/** The hits of each side, best first. */
interface Sides {
  readonly words: readonly WordsHit[];
  readonly meaning: readonly MeaningHit[];
}

/** Maximum number of ordinals in one statement. */
const STEP = 256;

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
  /** Before the first read. */
  #first: Positions | undefined;
  /** Positions of the indexes for documents that were read again. */
  readonly #later = new Map<number, Positions>();

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

  /**
   * Adds the results of a read that began at `positions`; for the documents of `only`, they replace the earlier ones.
   */
  take({ words, matches, meaning, others, distances }: Look, positions: Positions,
    only: ReadonlySet<number> | undefined): void
  {
    this.#first ??= positions;
    this.#best = undefined;
    for (const ord of only ?? []) {
      this.#later.set(ord, positions);
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

  /** Best first. */
  fused(): FusedHit[] {
    const { fusion } = this.#request;
    const { words, meaning } = this.#bestOfSides();
    const found = new Set(meaning.map(({ ord }) => ord));
    const others = this.#others.filter(({ ord }) => this.#words.has(ord) && !found.has(ord));
    return fuse(words, [...meaning, ...others],
      fusion.strategy === 'alpha' ? { ...fusion, alpha: this.alpha } : fusion);
  }

  /** Weight of the vector side: from the request, or from what both sides found (decision D-149). */
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

  /**
   * The documents that changed since they were read: their values may be from different versions. `isLatest`: whether
   * no change follows one.
   */
  async changed(sql: Sql, ords: readonly number[], isLatest: (lsn: number) => boolean): Promise<Set<number>> {
    const changed = new Set<number>();
    const first = leastOf(this.#first);
    if (first !== undefined && isLatest(first)) return changed;
    for (let i = 0; first !== undefined && i < ords.length; i += STEP) {
      const { marks, params } = inList(ords.slice(i, i + STEP));
      const rows = await sql.all<{ ord: number; kind: string; lsn: number }>(
        `SELECT ord, kind, max(lsn) AS lsn FROM changes
         WHERE lsn > ? AND kind IN ('doc.put', 'doc.delete', 'vectors.put') AND ord IN (${marks}) GROUP BY ord, kind`,
        [first, ...params],
      );
      for (const { ord, kind, lsn } of rows) if (lsn > this.#seen(ord, kind)) changed.add(ord);
    }
    return changed;
  }

  /** Number of the last change that is certainly included in what was read of a document. */
  #seen(ord: number, kind: string): number {
    const { words, meaning } = this.#later.get(ord) ?? this.#first!;
    return (kind === 'vectors.put' ? meaning : words) ?? Infinity;
  }
}

/** Removes the hits that boosts and repeated reads added beyond the requested number. */
function best<H extends WordsHit & { readonly chunk?: number }>(hits: readonly H[], limit: number): H[] {
  return hits.toSorted((a, b) => b.score - a.score || a.ord - b.ord || (a.chunk ?? 0) - (b.chunk ?? 0)).slice(0, limit);
}

function ordsOf(hits: readonly WordsHit[]): number[] {
  return hits.map(({ ord }) => ord);
}

function leastOf(positions: Positions | undefined): number | undefined {
  const known = [positions?.words, positions?.meaning].filter((position) => position !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
