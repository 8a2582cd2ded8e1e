import type { KernelBuild } from '../../kernels/load.ts';
import type { StoredType } from '../../kernels/vectors.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** How similarity is measured. */
export type Metric = 'cosine' | 'dot_product' | 'euclidean';

/** Searches that need a structure beside the rows. `flat` and `quantized` read the rows themselves. */
export type AnnAlgorithm = 'sq' | 'sq4' | 'bq' | 'hnsw' | 'ivf' | 'pq' | 'opq';

/** The numbers of metrics in the kernels. */
export const METRIC_CODES: Readonly<Record<Metric, number>> = { cosine: 0, dot_product: 1, euclidean: 2 };

/**
 * What a structure sees of the segment whose rows it is about (asm/vector/rows.ts), in a shared
 * memory that modules are instantiated over (`loadKernel`, `instantiateKernel`; `pool.run` in workers).
 */
export interface SegmentAccess {
  readonly memory: WebAssembly.Memory;
  readonly build: KernelBuild;
  readonly pool: WorkerPool;
  readonly dims: number;
  /** How its rows are stored. */
  readonly type: StoredType;
  /** Bytes of a row's vector. */
  readonly stride: number;
  /** Rows that were ever written; those below it never change. */
  readonly rowCount: number;
  readonly liveCount: number;
  /** Bytes in the segment's memory, aligned to 64, whatever they were before. Throws a SegmentFullError. */
  allocate(bytes: number): number;
  /** The same for what a search needs while it runs: a segment that is full has room for that. */
  allocateScratch(bytes: number): number;
  /** Gives back what either gave for as many bytes. */
  release(address: number, bytes: number): void;
  /** The memory as it is now; made anew after the memory has grown, so not to be kept. */
  readonly bytes: Uint8Array<ArrayBufferLike>;
}

/** One search of a structure. Addresses are in the segment's memory, and stay valid until the promise settles. */
export interface AnnQuery {
  /** f32 components, zeros up to a multiple of 128 bytes. For `cosine` it has length 1 (or is zero). */
  readonly query: number;
  readonly metric: Metric;
  /** Candidates wanted; the caller has multiplied by the oversampling already. */
  readonly k: number;
  /** A bitmap of the rows that count (bit `row & 63` of u64 `row >> 6`): those that live and pass the filter; 0 for all. */
  readonly rows: number;
  /** Rows of the bitmap: rows from here on are not to be given. */
  readonly rowCount: number;
  /** Rows that the bitmap has. */
  readonly selected: number;
  /** Only one row of each document is wanted: a structure may leave out those that it likes less. */
  readonly perDocument: boolean;
  /** Knobs of one algorithm, such as `efSearch` and `nprobe`. */
  readonly options: Readonly<Record<string, number>>;
}

/** Rows that were found: u32 each at an address that the caller releases by `release(address, bytes)`; in any order. */
export interface Candidates {
  readonly address: number;
  readonly count: number;
  readonly bytes: number;
  /** Rows that were looked at. */
  readonly scanned: number;
}

/**
 * A structure over the rows of one segment. The index does the rest: it scores candidates exactly, looks at
 * the rows from `covers` on itself, groups by document, applies the threshold and merges segments.
 */
export interface AnnIndex {
  /** Rows from 0 up to here are in the structure. 0 until it can be searched. */
  readonly covers: number;
  /** Bytes of the segment's memory that the structure takes. */
  readonly bytes: number;
  /**
   * Takes in the rows up to `upTo` at least, training or rebuilding first when that is due; in workers, beside
   * searches. Is not called again before it has settled, nor while `save` is under way; after a failure the
   * structure is as it was.
   */
  insert(upTo: number): Promise<void>;
  search(query: AnnQuery): Promise<Candidates>;
  /** Everything that `AnnFactory.restore` needs; rows are named by their numbers, never by addresses. */
  save(): AsyncIterable<Uint8Array>;
  /** Releases its memory; no search is under way. */
  close(): void;
}

/** Makes the structures of one algorithm. */
export interface AnnFactory {
  readonly algorithm: AnnAlgorithm;
  /** Types of rows that it takes. */
  readonly types: readonly StoredType[];
  /** Rows below which a structure isn't worth having: such segments are scanned exactly. */
  readonly minRows: number;
  /** The metric whose structure answers searches by `metric`; one that serves all gives always the same. */
  structureFor(metric: Metric): Metric;
  /** Candidates to ask for when `k` results are wanted of `rows` of so many dimensions; `oversample` is the caller's wish, if any. */
  candidates(k: number, rows: number, oversample: number | undefined, dims: number): number;
  create(segment: SegmentAccess, metric: Metric): AnnIndex;
  /** Reads what `save` gave. Throws when the bytes are not of this version; the structure is built anew then. */
  restore(segment: SegmentAccess, metric: Metric, bytes: AsyncIterable<Uint8Array>): Promise<AnnIndex>;
}
