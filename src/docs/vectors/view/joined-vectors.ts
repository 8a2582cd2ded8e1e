import { OrdSet } from '../../../lib/ord-set.ts';
import { readEach } from '../../../search/parts/index.ts';
import { JoinedVectorIndex, type Metric, type StoredPassage, type VectorQuery, type VectorReader,
  type VectorResult } from '../../../search/vector/index.ts';
import type { ModelIdentity } from '../../embeddings/index.ts';
import type { ModelCount } from '../vector-search.ts';
import type { ReadableVectors } from './collection-vectors.ts';
import { type SpaceReader, SpaceVectors } from './space-vectors.ts';
import type { SpacePart, VectorsPart } from './vectors-stand-in.ts';

/** The partitions of a collection as one index with all of their documents; some may be on other nodes. */
export function joinCollectionVectors(parts: readonly VectorsPart[]): ReadableVectors {
  return new JoinedCollectionVectors(parts);
}

class JoinedCollectionVectors implements ReadableVectors {
  readonly #parts: readonly VectorsPart[];
  /** A search that was begun again recognises by it whether there is another index now. */
  readonly #joined = new Map<string, JoinedSpaceVectors>();

  constructor(parts: readonly VectorsPart[]) {
    this.#parts = parts;
  }

  get documents(): number {
    return readEach(this.#parts, ({ documents }) => documents).reduce((sum, documents) => sum + documents, 0);
  }

  get bytes(): number {
    return readEach(this.#parts, ({ bytes }) => bytes).reduce((sum, bytes) => sum + bytes, 0);
  }

  of(space: string): SpaceReader | undefined {
    const present = readEach(this.#parts, (part) => part.of(space)).filter((part) => part !== undefined);
    const known = this.#joined.get(space);
    if (known?.consistsOf(present) === true) return known;
    this.#joined.delete(space);
    const [first] = present;
    if (first === undefined || (present.length === 1 && first instanceof SpaceVectors)) return first;
    const joined = new JoinedSpaceVectors(present);
    this.#joined.set(space, joined);
    return joined;
  }
}

/** The vectors of the partitions that have some in a space. */
class JoinedSpaceVectors implements SpaceReader {
  readonly index: VectorReader;
  readonly #parts: readonly SpacePart[];

  constructor(parts: readonly SpacePart[]) {
    this.#parts = parts;
    this.index = new JoinedVectorIndex(parts.map(({ index }) => index));
  }

  consistsOf(parts: readonly SpacePart[]): boolean {
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
    for (const { model, variant, dimensions, documents } of readEach(this.#parts, (part) => part.models()).flat()) {
      const name = JSON.stringify([model, variant, dimensions]);
      const others = counts.get(name)?.documents ?? 0;
      counts.set(name, { model, variant, dimensions, documents: documents + others });
    }
    return [...counts.values()].sort((a, b) => b.documents - a.documents);
  }

  documentModels(ords: readonly number[]): (ModelIdentity | undefined)[] {
    const found = readEach(this.#parts, (part) => part.documentModels(ords));
    return ords.map((_, i) => found.find((models) => models[i] !== undefined)?.[i]);
  }

  ordsOf(model?: ModelIdentity): OrdSet {
    const all = new OrdSet();
    for (const ords of readEach(this.#parts, (part) => part.ordsOf(model))) all.unite(ords);
    return all;
  }

  chunkCounts(ords: readonly number[]): readonly number[] {
    return this.index.chunkCounts(ords);
  }

  passageVectors(passages: readonly StoredPassage[]): readonly (Float32Array | undefined)[] {
    return this.index.passageVectors(passages);
  }
}
