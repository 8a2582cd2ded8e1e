import type { KernelBuild } from '../../kernels/load.ts';
import { MAX_SEGMENT_BYTES, type StoredType } from '../../kernels/vectors.ts';
import type { AnnFactory, Metric } from './ann-index.ts';
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { ivfFactory } from './clusters/ivf.ts';
import { opqFactory, pqFactory } from './clusters/pq.ts';
import { codeFactories } from './codes-index.ts';
import { bestScoresOf, firstScoresOf } from './document-scores.ts';
import { HeldRows } from './held-rows.ts';
import { type CodeBits, hnswFactory } from './hnsw/hnsw-index.ts';
import { INLINE_BYTES } from './parts.ts';
import { mustBeFinite, searchRows } from './search-rows.ts';
import { dimsOf, numbersOf, type VectorChunk } from './segment.ts';
import type { SetStats, StoredPassage, VectorQuery, VectorReader, VectorResult, VectorStats } from './vector-reader.ts';
import type { VectorSet } from './vector-set.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** Exclusive limit of ordinals: the index has a dense table by ordinal. */
const MAX_ORDINAL = 2 ** 30;
/** Below this number of rows, a scan is never divided among workers (SVC_VECTOR_PARALLEL_MIN_SIZE). */
const PARALLEL_MIN_ROWS = 2048;
/** If at most this many bytes of rows pass the filter, they are scanned, whatever the algorithm. */
const EXACT_BYTES = 1024 * 1024;
/** Up to this many documents of a filter, their rows are looked up; for more, all rows are tested. */
const FEW_DOCUMENTS = 64;

export interface VectorIndexOptions {
  /** Shared by the indexes of all collections. */
  readonly pool: WorkerPool;
  /** Algorithms beside `flat` and `quantized`; all of them by default. */
  readonly factories?: readonly AnnFactory[];
  readonly parallelMinRows?: number;
  /**
   * For tests: the bytes at which a segment is full, up to which rows are scanned instead of using structures, and that
   * this thread reads.
   */
  readonly segmentBytes?: number;
  readonly exactBytes?: number;
  readonly inlineBytes?: number;
  /** For tests: the number of documents of a filter whose rows are looked up. */
  readonly fewDocuments?: number;
  readonly build?: KernelBuild;
}

/** The vectors of a collection: rows in shared memory, exact and approximate searches, checkpoints. */
export class VectorIndex implements VectorReader {
  /** The rows themselves, for searches of several indexes. */
  readonly held: HeldRows;

  constructor(options: VectorIndexOptions) {
    this.held = new HeldRows({
      pool: options.pool,
      build: options.build ?? 'release',
      factories: options.factories ?? allFactories(),
      segmentBytes: options.segmentBytes ?? MAX_SEGMENT_BYTES,
      parallelMinRows: options.parallelMinRows ?? PARALLEL_MIN_ROWS,
      exactBytes: options.exactBytes ?? EXACT_BYTES,
      inlineBytes: options.inlineBytes ?? INLINE_BYTES,
    }, options.fewDocuments ?? FEW_DOCUMENTS);
  }

  /** Restores what `save` wrote. Throws a VectorCheckpointError when it is damaged or of another version. */
  static async restore(source: AsyncIterable<Uint8Array>,
    options: VectorIndexOptions): Promise<{ index: VectorIndex; lsn: string }>
  {
    const index = new VectorIndex(options);
    try {
      const { held } = index;
      const lsn = await readCheckpoint(source, (dims, type) => held.setFor(dims, type).addSegment(), held.documents);
      return { index, lsn };
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  get dims(): readonly number[] {
    return this.held.dims;
  }

  get documentCount(): number {
    return this.held.documents.size;
  }

  get rowBytes(): number {
    return this.held.segments.reduce((sum, { rowCount, stride }) => sum + rowCount * stride, 0);
  }

  ords(): Iterable<number> {
    return this.held.documents.ords();
  }

  /**
   * Replaces the vectors of a document, which must all have the same dimension and finite components; an empty list
   * removes them. Searches by every algorithm see the change at once.
   */
  put(ord: number, chunks: readonly VectorChunk[], type: StoredType = 'float32'): void {
    this.held.mustBeOpen();
    if (!Number.isInteger(ord) || ord < 0 || ord >= MAX_ORDINAL)
      throw new RangeError(`an ordinal is below ${MAX_ORDINAL}, got ${ord}`);
    const dims = chunks[0] === undefined ? 0 : dimsOf(chunks[0]);
    for (const chunk of chunks) {
      if (dimsOf(chunk) !== dims)
        throw new RangeError(`vectors of a document have one dimension, got ${dims} and ${dimsOf(chunk)}`);
      if (type !== 'int8' && !(chunk.vector instanceof Float32Array))
        throw new RangeError(`only vectors of int8 can be rounded before, got ${type}`);
      mustBeFinite(numbersOf(chunk));
    }
    const old = this.held.runOf(ord); // before anything is written, because new rows may follow the old ones directly
    if (chunks.length > 0) this.held.setFor(dims, type).write(ord, chunks);
    else this.held.documents.delete(ord);
    if (old !== undefined) this.held.kill(old);
  }

  /** Removes the vectors of a document. Returns whether it had any. */
  remove(ord: number): boolean {
    this.held.mustBeOpen();
    const run = this.held.runOf(ord);
    this.held.documents.delete(ord);
    if (run !== undefined) this.held.kill(run);
    return run !== undefined;
  }

  search(query: VectorQuery): Promise<VectorResult> {
    return searchRows([this.held], query);
  }

  firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    return firstScoresOf([this.held], ords, vector, metric);
  }

  bestScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    return bestScoresOf([this.held], ords, vector, metric);
  }

  chunkCounts(ords: readonly number[]): number[] {
    const segments = this.held.segmentsById();
    return ords.map((ord) => this.held.runOf(ord, segments)?.count ?? 0);
  }

  passageVectors(passages: readonly StoredPassage[]): (Float32Array | undefined)[] {
    const segments = this.held.segmentsById();
    return passages.map(({ ord, chunk }) => {
      const run = this.held.runOf(ord, segments);
      if (run === undefined) return undefined;
      if (chunk === undefined) return run.segment.mean(run.row, true);
      return chunk < run.count ? run.segment.vector(run.row + chunk) : undefined;
    });
  }

  vectorsOf(ord: number): Float32Array[] {
    const run = this.held.runOf(ord);
    return run === undefined ? [] : Array.from({ length: run.count }, (_, i) => run.segment.vector(run.row + i));
  }

  typeOf(ord: number): StoredType | undefined {
    return this.held.runOf(ord)?.segment.type;
  }

  meanOf(ord: number, unit = false): Float32Array | undefined {
    const run = this.held.runOf(ord);
    return run?.segment.mean(run.row, unit);
  }

  stats(): VectorStats {
    const sets = this.held.sets.filter(({ rowCount }) => rowCount > 0).map(statsOf);
    const sum = (of: (set: SetStats) => number) => sets.reduce((total, set) => total + of(set), 0);
    return {
      documents: this.documentCount,
      chunks: sum(({ chunks }) => chunks),
      bytes: sum(({ bytes }) => bytes) + this.held.documents.bytes,
      sets,
    };
  }

  /** Drops the rows of replaced and removed documents; runs automatically when most rows of a segment are such rows. */
  async compact(): Promise<void> {
    this.held.mustBeOpen();
    for (const set of this.held.sets) await set.compact();
  }

  async settled(): Promise<void> {
    await Promise.all(this.held.segments.map(({ structures }) => structures.settled()));
  }

  /**
   * The index in pieces of about 1 MiB, as of the moment when the first piece is written; it may be used and changed
   * meanwhile. `lsn` returns the position in the change feed of that moment.
   */
  save(lsn: () => string): AsyncGenerator<Uint8Array> {
    this.held.mustBeOpen();
    return writeCheckpoint(() => this.held.segments, lsn);
  }

  /** Closes the index; running searches finish. */
  close(): Promise<void> {
    return this.held.close();
  }
}

function statsOf({ dims, type, segments, liveCount, rowCount }: VectorSet): SetStats {
  return {
    dims,
    type,
    segments: segments.length,
    chunks: liveCount,
    dead: rowCount - liveCount,
    bytes: segments.reduce((sum, { rows }) => sum + rows.used, 0),
    structures: segments.flatMap(({ structures }) => structures.states()),
  };
}

/**
 * Factories for all algorithms that have a structure; `bqFactor` is the number of candidates per result of bq
 * (SVC_VECTOR_BQ_RERANK_FACTOR), `graphBits` the number of bits per dimension in the codes of graphs.
 */
export function allFactories(bqFactor?: number, graphBits?: CodeBits): AnnFactory[] {
  return [...codeFactories(bqFactor), hnswFactory(graphBits), ivfFactory, pqFactory, opqFactory];
}
