// Reference implementation of the index of sparse vectors, with maps and loops: slow and obvious.
import type { SparseHit, SparseQuery, SparseVector } from '../../search/sparse/index.ts';

export class ReferenceSparse {
  readonly #documents = new Map<number, ReadonlyMap<number, number>>();

  get documents(): number {
    return this.#documents.size;
  }

  put(ord: number, { indices, values }: SparseVector): void {
    this.#documents.set(ord, new Map(Array.from(indices, (index, i) => [index, values[i]!])));
  }

  remove(ord: number): boolean {
    return this.#documents.delete(ord);
  }

  search({ vector, k, eligible, threshold = -Infinity }: SparseQuery): SparseHit[] {
    const hits: SparseHit[] = [];
    for (const [ord, values] of this.#documents) {
      if (eligible?.has(ord) === false || !vector.indices.some((index) => values.has(index))) continue;
      // As float32, in the order of dimensions.
      let score = 0;
      for (const [i, index] of vector.indices.entries())
        score = Math.fround(score + Math.fround((values.get(index) ?? 0) * vector.values[i]!));
      if (score >= threshold) hits.push({ ord, score });
    }
    return hits.sort((a, b) => b.score - a.score || a.ord - b.ord).slice(0, k);
  }
}
