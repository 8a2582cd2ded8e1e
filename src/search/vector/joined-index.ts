import type { StoredType } from '../../kernels/vectors.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import type { Metric } from './ann-index.ts';
import { firstScoresOf, searchRows } from './search-rows.ts';
import type { VectorIndex } from './vector-index.ts';
import type { SetStats, VectorQuery, VectorReader, VectorResult, VectorStats } from './vector-reader.ts';

/**
 * Several indexes with different documents, read as one index with all of them: searches have the same results. A
 * search rejects with a VectorIndexClosedError when one of them was closed.
 */
export class JoinedVectorIndex implements VectorReader {
  readonly #parts: readonly VectorIndex[];

  constructor(parts: readonly VectorIndex[]) {
    this.#parts = parts;
  }

  get dims(): readonly number[] {
    return [...new Set(this.#parts.flatMap(({ dims }) => dims))].toSorted((a, b) => a - b);
  }

  get documentCount(): number {
    return this.#parts.reduce((sum, { documentCount }) => sum + documentCount, 0);
  }

  get rowBytes(): number {
    return this.#parts.reduce((sum, { rowBytes }) => sum + rowBytes, 0);
  }

  ords(): Iterable<number> {
    const all = new OrdSet();
    for (const part of this.#parts) for (const ord of part.ords()) all.add(ord);
    return all;
  }

  search(query: VectorQuery): Promise<VectorResult> {
    return searchRows(this.#parts.map(({ held }) => held), query);
  }

  firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    return firstScoresOf(this.#parts.map(({ held }) => held), ords, vector, metric);
  }

  chunkCount(ord: number): number {
    return this.#partOf(ord)?.chunkCount(ord) ?? 0;
  }

  vectorsOf(ord: number): Float32Array[] {
    return this.#partOf(ord)?.vectorsOf(ord) ?? [];
  }

  typeOf(ord: number): StoredType | undefined {
    return this.#partOf(ord)?.typeOf(ord);
  }

  meanOf(ord: number, unit = false): Float32Array | undefined {
    return this.#partOf(ord)?.meanOf(ord, unit);
  }

  /** Sets of the same dimension and stored type are added up. */
  stats(): VectorStats {
    const stats = this.#parts.map((part) => part.stats());
    const groups = Map.groupBy(stats.flatMap(({ sets }) => sets), ({ dims, type }) => `${dims} ${type}`);
    return {
      documents: stats.reduce((sum, { documents }) => sum + documents, 0),
      chunks: stats.reduce((sum, { chunks }) => sum + chunks, 0),
      bytes: stats.reduce((sum, { bytes }) => sum + bytes, 0),
      sets: [...groups.values()].map(sumOf),
    };
  }

  async settled(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.settled()));
  }

  #partOf(ord: number): VectorIndex | undefined {
    return this.#parts.find(({ held }) => held.documents.get(ord) !== undefined);
  }
}

function sumOf(sets: readonly SetStats[]): SetStats {
  const [{ dims, type }] = sets as [SetStats];
  const sum = (of: (set: SetStats) => number) => sets.reduce((total, set) => total + of(set), 0);
  return {
    dims,
    type,
    segments: sum(({ segments }) => segments),
    chunks: sum(({ chunks }) => chunks),
    dead: sum(({ dead }) => dead),
    bytes: sum(({ bytes }) => bytes),
    structures: sets.flatMap(({ structures }) => structures),
  };
}
