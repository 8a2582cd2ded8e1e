import type { KernelBuild } from '../../kernels/load.ts';
import { MAX_SEGMENT_BYTES, type StoredType } from '../../kernels/vectors.ts';
import { type AnnAlgorithm, type AnnFactory, DimensionError, type Metric,
  VectorIndexClosedError } from './ann-index.ts';
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { ivfFactory } from './clusters/ivf.ts';
import { opqFactory, pqFactory } from './clusters/pq.ts';
import { codeFactories } from './codes-index.ts';
import { type CodeBits, hnswFactory } from './hnsw/hnsw-index.ts';
import { INLINE_BYTES } from './parts.ts';
import { bestOf, type Hit, type Rescoring, scoreHits } from './ranking.ts';
import { type RowHit, type RowRun, searchSegment } from './segment-search.ts';
import { dimsOf, numbersOf, type Segment, type SegmentOptions, type VectorChunk } from './segment.ts';
import type { StructureState } from './structures.ts';
import { DocumentRows, VectorSet } from './vector-set.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** How a search finds its candidates; scores are always exact. */
export type Algorithm = 'flat' | 'quantized' | AnnAlgorithm;

/** Exclusive limit of ordinals: the index has a dense table by ordinal. */
const MAX_ORDINAL = 2 ** 30;
const MAX_SEGMENTS = 65_536;
/** Below this number of rows, a scan is never divided among workers (SVC_VECTOR_PARALLEL_MIN_SIZE). */
const PARALLEL_MIN_ROWS = 2048;
/** If at most this many bytes of rows pass the filter, they are scanned, whatever the algorithm. */
const EXACT_BYTES = 1024 * 1024;
/** Up to this many documents of a filter, their rows are looked up; for more, all rows are tested. */
const FEW_DOCUMENTS = 64;
/** Additional rows of int8 and int4 that are scored in full, because their scan rounds the query. */
const SPARE = 16;

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

export interface VectorQuery {
  readonly vector: Float32Array;
  readonly metric?: Metric;
  readonly algorithm?: Algorithm;
  /** Number of results wanted. */
  readonly k: number;
  /** Number of results with which an approximate search does not look further for `k`. Default `k`. */
  readonly enough?: number;
  /** Minimum score of results. */
  readonly threshold?: number;
  /**
   * Documents to search: bit `ord & 31` of word `ord >>> 5`. It must not be changed afterwards, because selections are
   * cached by its identity.
   */
  readonly filter?: Uint32Array;
  /** Return one result per document, its best chunk; otherwise one per chunk. */
  readonly perDocument?: boolean;
  /** Candidates per result that are scored exactly; each algorithm has its own default. */
  readonly oversample?: number;
  /** Loads the full vectors of chunks that are stored as int8 or int4; `oversample` x k of them are scored with it. */
  readonly fullVectors?: Rescoring;
  /** Parameters of the algorithm, such as `efSearch` and `nprobe`. */
  readonly options?: Readonly<Record<string, number>>;
}

export interface VectorResult {
  /** Best first; equal scores are ordered by ordinal, then by chunk. */
  readonly hits: readonly Hit[];
  /**
   * The algorithm used: `flat` if rows were scanned because the requested structure was not ready or would not be
   * faster, `quantized` if all vectors are int8 or int4.
   */
  readonly algorithm: Algorithm;
  /** Number of rows compared. */
  readonly scanned: number;
}

/** Rows of one dimension and stored type. */
interface SetStats {
  readonly dims: number;
  readonly type: StoredType;
  readonly segments: number;
  /** Live rows, and the rows of replaced and removed documents that compaction has not dropped yet. */
  readonly chunks: number;
  readonly dead: number;
  readonly bytes: number;
  readonly structures: readonly StructureState[];
}

interface VectorStats {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly sets: readonly SetStats[];
}

/** Rows of a document. */
interface Run extends RowRun {
  readonly segment: Segment;
}

/** The vectors of a collection: rows in shared memory, exact and approximate searches, checkpoints. */
export class VectorIndex {
  readonly #options: SegmentOptions;
  readonly #fewDocuments: number;
  readonly #documents = new DocumentRows();
  readonly #sets = new Map<string, VectorSet>();
  #lastSegment = -1;
  #isClosed = false;

  constructor(options: VectorIndexOptions) {
    this.#options = {
      pool: options.pool,
      build: options.build ?? 'release',
      factories: options.factories ?? allFactories(),
      segmentBytes: options.segmentBytes ?? MAX_SEGMENT_BYTES,
      parallelMinRows: options.parallelMinRows ?? PARALLEL_MIN_ROWS,
      exactBytes: options.exactBytes ?? EXACT_BYTES,
      inlineBytes: options.inlineBytes ?? INLINE_BYTES,
    };
    this.#fewDocuments = options.fewDocuments ?? FEW_DOCUMENTS;
  }

  /** Restores what `save` wrote. Throws a VectorCheckpointError when it is damaged or of another version. */
  static async restore(source: AsyncIterable<Uint8Array>,
    options: VectorIndexOptions): Promise<{ index: VectorIndex; lsn: string }>
  {
    const index = new VectorIndex(options);
    try {
      const lsn = await readCheckpoint(source, (dims, type) => index.#setFor(dims, type).addSegment(),
        index.#documents);
      return { index, lsn };
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  /** Dimensions of the existing vectors, ascending. */
  get dims(): readonly number[] {
    return [...new Set([...this.#sets.values()].filter((set) => set.liveCount > 0).map(({ dims }) => dims))].toSorted((
      a,
      b,
    ) => a - b);
  }

  /** Number of documents that have vectors. */
  get documentCount(): number {
    return this.#documents.size;
  }

  /** Bytes of all rows, without structures. */
  get rowBytes(): number {
    return this.#segments().reduce((sum, { rowCount, stride }) => sum + rowCount * stride, 0);
  }

  /** Ordinals of the documents that have vectors, ascending. */
  ords(): Iterable<number> {
    return this.#documents.ords();
  }

  /**
   * Replaces the vectors of a document, which must all have the same dimension and finite components; an empty list
   * removes them. Searches by every algorithm see the change at once.
   */
  put(ord: number, chunks: readonly VectorChunk[], type: StoredType = 'float32'): void {
    this.#mustBeOpen();
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
    const old = this.#runOf(ord); // before anything is written, because new rows may follow the old ones directly
    if (chunks.length > 0) this.#setFor(dims, type).write(ord, chunks);
    else this.#documents.delete(ord);
    this.#kill(old);
  }

  /** Removes the vectors of a document. Returns whether it had any. */
  remove(ord: number): boolean {
    this.#mustBeOpen();
    const run = this.#runOf(ord);
    this.#documents.delete(ord);
    this.#kill(run);
    return run !== undefined;
  }

  /**
   * The k best chunks, or documents. Throws a DimensionError when the index has vectors, but none of the query's
   * dimension, and a RangeError when the query has components that are not finite.
   */
  async search(query: VectorQuery): Promise<VectorResult> {
    this.#mustBeOpen();
    mustBeFinite(query.vector);
    const sets = [...this.#sets.values()].filter(({ dims, liveCount }) =>
      dims === query.vector.length && liveCount > 0
    );
    const known = sets.length > 0 ? [] : this.dims;
    if (known.length > 0) throw new DimensionError(query.vector.length, known);
    const asked = query.algorithm ?? 'flat';
    const algorithm = asked === 'flat' || asked === 'quantized' ? undefined : asked;
    const { metric = 'cosine', perDocument = false, oversample, filter, options = {} } = query;
    const isRounded = sets.some(({ type }) => type !== 'float32');
    const rescoring = isRounded ? query.fullVectors : undefined;
    const k = rescoring === undefined ? query.k + (isRounded ? SPARE : 0) : Math.ceil(query.k * (oversample ?? 1));
    const enough = Math.min(k, (query.enough ?? query.k) + k - query.k);
    const runs = filter && this.#runsOf(filter);
    const found = await Promise.all(sets.flatMap(({ segments }) => segments).map((segment) =>
      searchSegment(segment, {
        vector: query.vector,
        metric,
        algorithm,
        k,
        enough,
        perDocument,
        filter,
        runs: runs?.filter((run) => run.segment === segment),
        oversample,
        options,
      })
    ));
    // After compaction has replaced segments, only the new ones know about changes of documents.
    if (found.some(({ hits }) => hits.some(({ segment }) => segment.isRetired))) return this.search(query);
    // The hits of a single segment are already in order, and contain each document once if that is required.
    const best = found.length === 1 ? found[0]!.hits : bestOf(found.flatMap(({ hits }) => hits), k, perDocument);
    const hits = await scoreHits(best, query.vector, metric, rescoring);
    return {
      hits: hits.filter(({ score }) => score >= (query.threshold ?? -Infinity)).slice(0, query.k),
      algorithm: usedAlgorithm(asked, sets, found.map(({ usedStructure }) => usedStructure)),
      scanned: found.reduce((sum, { scanned }) => sum + scanned, 0),
    };
  }

  /**
   * Scores of the first chunks of documents, in their order; undefined for a document without a vector of the query's
   * dimension.
   */
  async firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    this.#mustBeOpen();
    const segments = this.#segmentsById();
    const rows = ords.flatMap((ord): RowHit[] => {
      const first = this.#firstRowOf(ord, segments);
      return first?.segment.dims === vector.length ? [{ ...first, ord, rank: 0 }] : [];
    });
    const scores = new Map((await scoreHits(rows, vector, metric, undefined)).map(({ ord, score }) => [ord, score]));
    return ords.map((ord) => scores.get(ord));
  }

  /** Number of chunks of a document that have vectors. */
  chunkCount(ord: number): number {
    return this.#runOf(ord)?.count ?? 0;
  }

  /** The stored vectors of a document, by chunk: those of int8 and int4 only approximate the original ones. */
  vectorsOf(ord: number): Float32Array[] {
    const run = this.#runOf(ord);
    return run === undefined ? [] : Array.from({ length: run.count }, (_, i) => run.segment.vector(run.row + i));
  }

  /** The stored type of a document's vectors. */
  typeOf(ord: number): StoredType | undefined {
    return this.#runOf(ord)?.segment.type;
  }

  /** The mean of a document's vectors; with `unit`, of length 1 unless it is zero. */
  meanOf(ord: number, unit = false): Float32Array | undefined {
    const run = this.#runOf(ord);
    return run?.segment.mean(run.row, unit);
  }

  stats(): VectorStats {
    const sets = [...this.#sets.values()].filter(({ rowCount }) => rowCount > 0).map(statsOf);
    const sum = (of: (set: SetStats) => number) => sets.reduce((total, set) => total + of(set), 0);
    return {
      documents: this.#documents.size,
      chunks: sum(({ chunks }) => chunks),
      bytes: sum(({ bytes }) => bytes) + this.#documents.bytes,
      sets,
    };
  }

  /** Drops the rows of replaced and removed documents; runs automatically when most rows of a segment are such rows. */
  async compact(): Promise<void> {
    this.#mustBeOpen();
    for (const set of this.#sets.values()) await set.compact();
  }

  /** Resolves when every structure that was ever requested covers every row. */
  async settled(): Promise<void> {
    await Promise.all(this.#segments().map(({ structures }) => structures.settled()));
  }

  /**
   * The index in pieces of about 1 MiB, as of the moment when the first piece is written; it may be used and changed
   * meanwhile. `lsn` returns the position in the change feed of that moment.
   */
  save(lsn: () => string): AsyncGenerator<Uint8Array> {
    this.#mustBeOpen();
    return writeCheckpoint(() => this.#segments(), lsn);
  }

  /** Closes the index; running searches finish. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sets.values()].map((set) => set.close()));
    this.#sets.clear();
  }

  #segments(): Segment[] {
    return [...this.#sets.values()].flatMap(({ segments }) => segments);
  }

  #setFor(dims: number, type: StoredType): VectorSet {
    const key = `${dims} ${type}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = new VectorSet(dims, type, this.#options, this.#documents, () => this.#nextSegment());
      this.#sets.set(key, set);
    }
    return set;
  }

  /** A number that no segment has. */
  #nextSegment(): number {
    const taken = new Set(this.#segments().map(({ id }) => id));
    do this.#lastSegment = (this.#lastSegment + 1) % MAX_SEGMENTS; while (taken.has(this.#lastSegment));
    return this.#lastSegment;
  }

  /** The rows of the documents of a filter; undefined if it has many. */
  #runsOf(filter: Uint32Array): Run[] | undefined {
    const ords: number[] = [];
    for (let at = 0; at < filter.length; at++) {
      for (let left = filter[at]!; left !== 0; left &= left - 1) {
        if (ords.length === this.#fewDocuments) return undefined;
        ords.push(at * 32 + 31 - Math.clz32(left & -left));
      }
    }
    const segments = this.#segmentsById();
    return ords.map((ord) => this.#runOf(ord, segments)).filter((run) => run !== undefined);
  }

  #segmentsById(): ReadonlyMap<number, Segment> {
    return new Map(this.#segments().map((segment) => [segment.id, segment]));
  }

  /** The rows of a document. */
  #runOf(ord: number, segments?: ReadonlyMap<number, Segment>): Run | undefined {
    const first = this.#firstRowOf(ord, segments);
    return first && { ...first, count: first.segment.documentRows(first.row) };
  }

  #firstRowOf(ord: number, segments = this.#segmentsById()): Pick<Run, 'segment' | 'row'> | undefined {
    const place = this.#documents.get(ord);
    const segment = place && segments.get(place.segment);
    return segment && { segment, row: place!.row };
  }

  #kill(run: Run | undefined): void {
    if (run === undefined) return;
    const { segment } = run;
    segment.kill(run.row, run.count);
    this.#sets.get(`${segment.dims} ${segment.type}`)?.compactIfDue();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new VectorIndexClosedError();
  }
}

/**
 * The algorithm to report: the requested one if any segment used its structure, `flat` if rows were scanned instead.
 */
function usedAlgorithm(asked: Algorithm, sets: readonly VectorSet[],
  usedStructure: readonly (boolean | undefined)[]): Algorithm
{
  if (sets.length > 0 && sets.every(({ type }) => type !== 'float32'))
    return usedStructure.includes(true) ? asked : 'quantized';
  return asked === 'quantized' || (usedStructure.includes(false) && !usedStructure.includes(true)) ? 'flat' : asked;
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

function mustBeFinite(vector: Float32Array): void {
  for (let i = 0; i < vector.length; i++) {
    if (!Number.isFinite(vector[i]))
      throw new RangeError(`the components of a vector are finite, got ${vector[i]} at ${i}`);
  }
}

/**
 * Factories for all algorithms that have a structure; `bqFactor` is the number of candidates per result of bq
 * (SVC_VECTOR_BQ_RERANK_FACTOR), `graphBits` the number of bits per dimension in the codes of graphs.
 */
export function allFactories(bqFactor?: number, graphBits?: CodeBits): AnnFactory[] {
  return [...codeFactories(bqFactor), hnswFactory(graphBits), ivfFactory, pqFactory, opqFactory];
}
