import type { SparseHit } from '../../kernels/sparse.ts';
import { Pace } from '../../lib/pace.ts';
import { gathered, readEach } from '../parts/index.ts';
import type { SparseIndex, SparseQuery, SparseReader } from './sparse-index.ts';
import { type SparsePart, SparseStandIn, type SparseStats } from './stand-in.ts';

/** Indexes with different documents as one; undefined for none. */
export function joinSparse(parts: readonly SparsePart[]): SparseReader | undefined {
  const [first] = parts;
  return first === undefined || (parts.length === 1 && !(first instanceof SparseStandIn))
    ? first
    : new JoinedSparseIndex(parts);
}

/**
 * Several indexes with different documents, read as one index with all of them: searches have the same results. They
 * reject with a VectorIndexClosedError when one of them was closed. Parts may be in other processes.
 */
export class JoinedSparseIndex implements SparseReader {
  readonly #parts: readonly SparsePart[];
  readonly #here: readonly SparseIndex[];
  readonly #away: readonly SparseStandIn[];

  constructor(parts: readonly SparsePart[]) {
    this.#parts = parts;
    this.#here = parts.flatMap((part) => (part instanceof SparseStandIn ? [] : [part]));
    this.#away = parts.filter((part) => part instanceof SparseStandIn);
  }

  async search(query: SparseQuery, signal?: AbortSignal): Promise<readonly SparseHit[]> {
    if (this.#away.length === 0) return this.#searchHere(query, signal);
    const found = await Promise.all([
      this.#searchHere(query, signal),
      gathered(() => readEach(this.#away, (part) => part.search(query))),
    ]);
    signal?.throwIfAborted();
    return bestOf(found.flat(2), query.k);
  }

  *ords(): Generator<number> {
    for (const ords of readEach(this.#parts, (part) => part.ords())) yield* ords;
  }

  stats(): SparseStats {
    const stats = readEach(this.#parts, (part) => part.stats());
    return {
      documents: stats.reduce((sum, { documents }) => sum + documents, 0),
      bytes: stats.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  /** One part after the other, because each occupies this thread; the best so far are the bar for the next. */
  async #searchHere(query: SparseQuery, signal: AbortSignal | undefined): Promise<readonly SparseHit[]> {
    const { k, threshold } = query;
    const pace = new Pace();
    let best: readonly SparseHit[] = [];
    for (const part of this.#here) {
      const least = k > 0 && best.length >= k ? best[k - 1]!.score : -Infinity;
      const found = await part.search({ ...query, threshold: Math.max(least, threshold ?? -Infinity) }, signal);
      best = bestOf([...best, ...found], k);
      await pace.rest();
    }
    return best;
  }
}

function bestOf(hits: SparseHit[], k: number): SparseHit[] {
  return hits.sort((a, b) => b.score - a.score || a.ord - b.ord).slice(0, k);
}
