import type { SparseHit } from '../../kernels/sparse.ts';
import { Pace } from '../../lib/pace.ts';
import type { SparseIndex, SparseQuery, SparseReader } from './sparse-index.ts';

/**
 * Several indexes with different documents, read as one index with all of them: searches have the same results. They
 * reject with a VectorIndexClosedError when one of them was closed.
 */
export class JoinedSparseIndex implements SparseReader {
  readonly #parts: readonly SparseIndex[];

  constructor(parts: readonly SparseIndex[]) {
    this.#parts = parts;
  }

  /** One part after the other, because each occupies this thread; the best so far are the bar for the next. */
  async search(query: SparseQuery, signal?: AbortSignal): Promise<readonly SparseHit[]> {
    const { k, threshold } = query;
    const pace = new Pace();
    let best: readonly SparseHit[] = [];
    for (const part of this.#parts) {
      const least = k > 0 && best.length >= k ? best[k - 1]!.score : -Infinity;
      const found = await part.search({ ...query, threshold: Math.max(least, threshold ?? -Infinity) }, signal);
      best = [...best, ...found].sort((a, b) => b.score - a.score || a.ord - b.ord).slice(0, k);
      await pace.rest();
    }
    return best;
  }

  *ords(): Generator<number> {
    for (const part of this.#parts) yield* part.ords();
  }

  stats(): { readonly documents: number; readonly bytes: number } {
    const stats = this.#parts.map((part) => part.stats());
    return {
      documents: stats.reduce((sum, { documents }) => sum + documents, 0),
      bytes: stats.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }
}
