import type { StoredType } from '../../kernels/vectors.ts';
import type { Hit, Metric } from '../../search/vector/index.ts';
import { scoreTwin, storedTwin } from './twins.ts';

interface ReferenceQuery {
  readonly vector: Float32Array;
  readonly metric: Metric;
  readonly k: number;
  readonly threshold: number;
  readonly perDocument: boolean;
  readonly filter: ReadonlySet<number> | undefined;
}

/** The contract of a vector index, implemented with maps and loops over 64-bit numbers. */
export class ReferenceVectors {
  readonly #documents = new Map<number, { type: StoredType; vectors: Float64Array[] }>();

  put(ord: number, vectors: readonly Float32Array[], type: StoredType): void {
    if (vectors.length === 0) this.#documents.delete(ord);
    else this.#documents.set(ord, { type, vectors: vectors.map((vector) => storedTwin(vector, type)) });
  }

  remove(ord: number): boolean {
    return this.#documents.delete(ord);
  }

  get ords(): number[] {
    return [...this.#documents.keys()].toSorted((a, b) => a - b);
  }

  vectorsOf(ord: number): readonly Float64Array[] {
    return this.#documents.get(ord)?.vectors ?? [];
  }

  /** Dimensions, in ascending order. */
  get dims(): number[] {
    return [...new Set([...this.#documents.values()].map(({ vectors }) => vectors[0]!.length))].toSorted((a, b) =>
      a - b
    );
  }

  /** Types of the vectors of a dimension. */
  types(dims: number): Set<StoredType> {
    return new Set(
      [...this.#documents.values()].filter(({ vectors }) => vectors[0]!.length === dims).map(({ type }) => type),
    );
  }

  search({ vector, metric, k, threshold, perDocument, filter }: ReferenceQuery): Hit[] {
    const hits: Hit[] = [];
    for (const [ord, { vectors }] of this.#documents) {
      if (vectors[0]!.length !== vector.length || filter?.has(ord) === false) continue;
      const own = vectors.map((stored, chunk) => ({ ord, chunk, score: scoreTwin(vector, stored, metric) })).sort(
        compareHits,
      );
      hits.push(...(perDocument ? own.slice(0, 1) : own));
    }
    return hits.sort(compareHits).filter(({ score }) => score >= threshold).slice(0, k);
  }
}

/** Best first; equal scores by ordinal, then by chunk. */
export function compareHits(a: Hit, b: Hit): number {
  return b.score - a.score || a.ord - b.ord || a.chunk - b.chunk;
}
