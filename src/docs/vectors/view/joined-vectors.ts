import { OrdSet } from '../../../lib/ord-set.ts';
import { JoinedVectorIndex, type Metric, type VectorQuery, type VectorReader,
  type VectorResult } from '../../../search/vector/index.ts';
import type { ModelIdentity } from '../../embeddings/index.ts';
import type { ModelCount } from '../vector-search.ts';
import type { CollectionVectors, ReadableVectors } from './collection-vectors.ts';
import type { SpaceReader, SpaceVectors } from './space-vectors.ts';

/** The partitions of a collection as one index with all of their documents. */
export function joinCollectionVectors(parts: readonly CollectionVectors[]): ReadableVectors {
  return new JoinedCollectionVectors(parts);
}

class JoinedCollectionVectors implements ReadableVectors {
  readonly #parts: readonly CollectionVectors[];
  /** A search that was begun again recognises by it whether there is another index now. */
  readonly #joined = new Map<string, JoinedSpaceVectors>();

  constructor(parts: readonly CollectionVectors[]) {
    this.#parts = parts;
  }

  get documents(): number {
    return this.#parts.reduce((sum, { documents }) => sum + documents, 0);
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  of(space: string): SpaceReader | undefined {
    const present = this.#parts.map((part) => part.of(space)).filter((part) => part !== undefined);
    const known = this.#joined.get(space);
    if (present.length > 1 && known?.consistsOf(present) === true) return known;
    this.#joined.delete(space);
    if (present.length < 2) return present[0];
    const joined = new JoinedSpaceVectors(present);
    this.#joined.set(space, joined);
    return joined;
  }
}

/** The vectors of the partitions that have some in a space. */
class JoinedSpaceVectors implements SpaceReader {
  readonly index: VectorReader;
  readonly #parts: readonly SpaceVectors[];

  constructor(parts: readonly SpaceVectors[]) {
    this.#parts = parts;
    this.index = new JoinedVectorIndex(parts.map(({ index }) => index));
  }

  consistsOf(parts: readonly SpaceVectors[]): boolean {
    return parts.length === this.#parts.length && parts.every((part, i) => part === this.#parts[i]);
  }

  get documents(): number {
    return this.index.documentCount;
  }

  get bytes(): number {
    return this.index.stats().bytes;
  }

  get rowBytes(): number {
    return this.index.rowBytes;
  }

  search(query: VectorQuery): Promise<VectorResult> {
    return this.index.search(query);
  }

  firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    return this.index.firstScores(ords, vector, metric);
  }

  models(): ModelCount[] {
    const counts = new Map<string, ModelCount>();
    for (const { model, variant, dimensions, documents } of this.#parts.flatMap((part) => part.models())) {
      const name = JSON.stringify([model, variant, dimensions]);
      const others = counts.get(name)?.documents ?? 0;
      counts.set(name, { model, variant, dimensions, documents: documents + others });
    }
    return [...counts.values()].sort((a, b) => b.documents - a.documents);
  }

  modelOf(ord: number): ModelIdentity | undefined {
    for (const part of this.#parts) {
      const model = part.modelOf(ord);
      if (model !== undefined) return model;
    }
    return undefined;
  }

  ordsOf(model?: ModelIdentity): OrdSet {
    const all = new OrdSet();
    for (const part of this.#parts) all.unite(part.ordsOf(model));
    return all;
  }

  chunkCount(ord: number): number {
    return this.index.chunkCount(ord);
  }

  vectorsOf(ord: number): readonly Float32Array[] {
    return this.index.vectorsOf(ord);
  }

  meanOf(ord: number, unit: boolean): Float32Array | undefined {
    return this.index.meanOf(ord, unit);
  }
}
