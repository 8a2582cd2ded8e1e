import type { KernelBuild } from '../../kernels/load.ts';
import { Metrics, type StoredType } from '../../kernels/vectors.ts';
import { BlockReader } from '../../lib/checked-blocks.ts';
import type { Portion } from './parts.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** How similarity is measured. */
export type Metric = 'cosine' | 'dot_product' | 'euclidean';

/** Algorithms that need a structure beside the rows. `flat` and `quantized` read the rows themselves. */
export type AnnAlgorithm = 'sq' | 'sq4' | 'bq' | 'hnsw' | 'ivf' | 'pq' | 'opq';

/** The numbers of metrics in the kernels. */
export const METRIC_CODES: Readonly<Record<Metric, number>> = {
  cosine: Metrics.cosine,
  dot_product: Metrics.dotProduct,
  euclidean: Metrics.euclidean,
};

/**
 * The interface of a segment to the structures over its rows (asm/vector/rows.ts). Its shared memory can be used by
 * several modules (`loadKernel`, `instantiateKernel`; `pool.run` in workers).
 */
export interface SegmentAccess {
  readonly memory: WebAssembly.Memory;
  readonly build: KernelBuild;
  readonly pool: WorkerPool;
  readonly dims: number;
  /** The stored type of its rows. */
  readonly type: StoredType;
  /** Bytes of a row's vector. */
  readonly stride: number;
  /** Number of rows ever written; rows below it never change. */
  readonly rowCount: number;
  readonly liveCount: number;
  /** Allocates uninitialised bytes in the segment's memory, aligned to 64. Throws a SegmentFullError. */
  allocate(bytes: number): number;
  /** The same for data that a search needs while it runs: a full segment still has memory for it. */
  allocateScratch(bytes: number): number;
  /** Frees memory from either method; `bytes` must be the allocated size. */
  release(address: number, bytes: number): void;
  /** A view of the current memory; a new one is made after the memory has grown, so callers must not keep it. */
  readonly bytes: Uint8Array<ArrayBufferLike>;
}

/** One search of a structure. Addresses are in the segment's memory and stay valid until the promise settles. */
export interface AnnQuery {
  /** f32 components, zeros up to a multiple of 128 bytes. For `cosine` it has length 1 (or is zero). */
  readonly query: number;
  readonly metric: Metric;
  /** Number of candidates wanted, with oversampling already applied. */
  readonly k: number;
  /**
   * Number of candidates that must be found if there are as many; at most `k`. A structure need not look further for
   * more.
   */
  readonly least: number;
  /** A bitmap of the rows that count (bit `row & 63` of u64 `row >> 6`): live rows that pass the filter; 0 for all. */
  readonly rows: number;
  /** Number of rows in the bitmap: later rows must not be returned. */
  readonly rowCount: number;
  /** Number of rows that count. */
  readonly selected: number;
  /** Only one row of each document is wanted: a structure may omit the less similar rows of a document. */
  readonly perDocument: boolean;
  /** Parameters of one algorithm, such as `efSearch` and `nprobe`. */
  readonly options: Readonly<Record<string, number>>;
  /** What the segment has of all rows of the search, for the division among threads. */
  readonly portion: Portion;
  /** Where a structure may offer its candidates, scored by their stored vectors. */
  readonly scoring: Scoring;
}

/** How candidates are scored by their stored vectors. */
export interface Scoring {
  /** Rows from this one on are not scored. */
  readonly border: number;
  /** An empty heap for them. */
  readonly heap: number;
}

/** The rows found: u32 each, in any order, at an address that the caller frees by `release(address, bytes)`. */
export interface Candidates {
  readonly address: number;
  readonly count: number;
  readonly bytes: number;
  /** Whether they have been offered as `AnnQuery.scoring` says; only if `findsRows`. */
  readonly areScored?: boolean;
  /** Number of rows compared. */
  readonly scanned: number;
}

/**
 * A structure over the rows of one segment. The index does the rest: it scores candidates exactly, scans the rows from
 * `covers` on itself, groups by document, applies the threshold and merges segments.
 */
export interface AnnIndex {
  /** The structure contains the rows from 0 up to this one. 0 until it can be searched. */
  readonly covers: number;
  /** Bytes of the segment's memory that the structure uses. */
  readonly bytes: number;
  /**
   * True if candidates for documents are rows too, several of a document if they are similar enough. Otherwise, they
   * are one row of each document, and its neighbours in the document are scored, too.
   */
  readonly findsRows?: boolean;
  /**
   * Adds the rows up to `upTo` or more, and first trains or rebuilds if necessary; runs in workers, while searches
   * continue. Is not called again before it has settled, nor during `save`; a failure leaves the structure unchanged.
   */
  insert(upTo: number): Promise<void>;
  search(query: AnnQuery): Promise<Candidates>;
  /** The data that `AnnFactory.restore` needs; it refers to rows by number, never by address. */
  save(): AsyncIterable<Uint8Array>;
  /** Frees its memory; called when no search is running. */
  close(): void;
}

/** Creates the structures of one algorithm. */
export interface AnnFactory {
  readonly algorithm: AnnAlgorithm;
  /** Supported types of rows. */
  readonly types: readonly StoredType[];
  /** Below this number of rows a structure does not pay: such segments are scanned exactly. */
  readonly minRows: number;
  /** The metric whose structure serves searches by `metric`; always the same if one structure serves all metrics. */
  structureFor(metric: Metric): Metric;
  /**
   * Number of candidates for `k` results from `rows` rows of `dims` dimensions; `oversample` is the caller's choice, if
   * any.
   */
  candidates(k: number, rows: number, oversample: number | undefined, dims: number): number;
  create(segment: SegmentAccess, metric: Metric): AnnIndex;
  /** Restores what `save` wrote. Rejects when the bytes are of another version; the structure is rebuilt then. */
  restore(segment: SegmentAccess, metric: Metric, bytes: AsyncIterable<Uint8Array>): Promise<AnnIndex>;
}

/** The index has no vectors of the query's dimension. */
export class DimensionError extends Error {
  readonly dims: number;
  /** Dimensions of the existing vectors, ascending. */
  readonly known: readonly number[];

  constructor(dims: number, known: readonly number[]) {
    super(`the vectors have ${known.join(' or ')} dimensions, got ${dims}`);
    this.dims = dims;
    this.known = known;
  }
}

/** Reports why a checkpoint cannot be read; the index has to be rebuilt. */
export class VectorCheckpointError extends Error {}

/** The index was closed. */
export class VectorIndexClosedError extends Error {
  constructor() {
    super('the vector index was closed');
  }
}

/** Reads exact numbers of bytes, and blocks, from a checkpoint. */
export class ByteReader extends BlockReader {
  constructor(source: AsyncIterable<Uint8Array>) {
    super(source, (problem) => new VectorCheckpointError(problem));
  }
}
