import { OrdSet } from '../../lib/ord-set.ts';
import { gathered, readEach } from '../parts/index.ts';
import type { Metric } from './ann-index.ts';
import type { HeldRows } from './held-rows.ts';
import { definedOf, scoresOfParts, searchParts } from './search-parts.ts';
import { type VectorPart, VectorStandIn } from './stand-in.ts';
import type { SetStats, StoredPassage, VectorQuery, VectorReader, VectorResult, VectorStats } from './vector-reader.ts';

/** Indexes with different documents as one; undefined for none. */
export function joinVectors(parts: readonly VectorPart[]): VectorReader | undefined {
  const [first] = parts;
  return first === undefined || (parts.length === 1 && !(first instanceof VectorStandIn))
    ? first
    : new JoinedVectorIndex(parts);
}

/**
 * Several indexes with different documents, read as one index with all of them: searches have the same results. A
 * search rejects with a VectorIndexClosedError when one of them was closed. Parts may be in other processes.
 */
export class JoinedVectorIndex implements VectorReader {
  readonly #parts: readonly VectorPart[];
  readonly #away: readonly VectorStandIn[];

  constructor(parts: readonly VectorPart[]) {
    this.#parts = parts;
    this.#away = parts.filter((part) => part instanceof VectorStandIn);
  }

  get dims(): readonly number[] {
    return [...new Set(readEach(this.#parts, ({ dims }) => dims).flat())].toSorted((a, b) => a - b);
  }

  get documentCount(): number {
    return sumOf(readEach(this.#parts, ({ documentCount }) => documentCount));
  }

  get rowBytes(): number {
    return sumOf(readEach(this.#parts, ({ rowBytes }) => rowBytes));
  }

  ords(): Iterable<number> {
    const all = new OrdSet();
    for (const ords of readEach(this.#parts, (part) => part.ords())) for (const ord of ords) all.add(ord);
    return all;
  }

  search(query: VectorQuery): Promise<VectorResult> {
    return searchParts(this.#held, this.#away, query);
  }

  firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    return scoresOfParts(this.#held, this.#away, 'firstScores', ords, vector, metric);
  }

  bestScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    return scoresOfParts(this.#held, this.#away, 'bestScores', ords, vector, metric);
  }

  chunkCounts(ords: readonly number[]): number[] {
    const counts = readEach(this.#parts, (part) => part.chunkCounts(ords));
    return ords.map((_, i) => sumOf(counts.map((part) => part[i]!)));
  }

  passageVectors(passages: readonly StoredPassage[]): (Float32Array | undefined)[] {
    return definedOf(passages, readEach(this.#parts, (part) => part.passageVectors(passages)));
  }

  /** Sets of the same dimension and stored type are added up. */
  stats(): VectorStats {
    const stats = readEach(this.#parts, (part) => part.stats());
    const groups = Map.groupBy(stats.flatMap(({ sets }) => sets), ({ dims, type }) => `${dims} ${type}`);
    return {
      documents: sumOf(stats.map(({ documents }) => documents)),
      chunks: sumOf(stats.map(({ chunks }) => chunks)),
      bytes: sumOf(stats.map(({ bytes }) => bytes)),
      sets: [...groups.values()].map(sumOfSets),
    };
  }

  async settled(): Promise<void> {
    await Promise.all(this.#parts.map((part) => gathered(() => part.settled())));
  }

  /** The rows that are in this process. */
  get #held(): HeldRows[] {
    return this.#parts.flatMap((part) => (part instanceof VectorStandIn ? [] : [part.held]));
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function sumOfSets(sets: readonly SetStats[]): SetStats {
  const [{ dims, type }] = sets as [SetStats];
  const sum = (of: (set: SetStats) => number) => sumOf(sets.map(of));
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
