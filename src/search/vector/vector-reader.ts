import type { StoredType } from '../../kernels/vectors.ts';
import type { AnnAlgorithm, Metric } from './ann-index.ts';
import type { Hit, Rescoring } from './ranking.ts';
import type { StructureState } from './structures.ts';

/** How a search finds its candidates; scores are always exact. */
export type Algorithm = 'flat' | 'quantized' | AnnAlgorithm;

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
   * The algorithm used: the requested one if any segment used its structure, `flat` if rows were scanned because no
   * structure was ready or would be faster, `quantized` if all vectors are int8 or int4.
   */
  readonly algorithm: Algorithm;
  /** Number of rows compared. */
  readonly scanned: number;
}

/** Rows of one dimension and stored type. */
export interface SetStats {
  readonly dims: number;
  readonly type: StoredType;
  readonly segments: number;
  /** Live rows, and the rows of replaced and removed documents that compaction has not dropped yet. */
  readonly chunks: number;
  readonly dead: number;
  readonly bytes: number;
  readonly structures: readonly StructureState[];
}

export interface VectorStats {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly sets: readonly SetStats[];
}

/** A passage of which the stored vector is read. */
export interface StoredPassage {
  readonly ord: number;
  /** Index of the chunk; undefined for the mean of all chunks, with length 1 unless it is zero. */
  readonly chunk?: number | undefined;
}

/** What is read of the vectors of a collection, in one index or in those of its partitions. */
export interface VectorReader {
  /** Dimensions of the existing vectors, ascending. */
  readonly dims: readonly number[];
  /** Number of documents that have vectors. */
  readonly documentCount: number;
  /** Bytes of all rows, without structures. */
  readonly rowBytes: number;
  /** Ordinals of the documents that have vectors, ascending. */
  ords(): Iterable<number>;
  /**
   * The k best chunks, or documents. Throws a DimensionError when there are vectors, but none of the query's dimension,
   * a RangeError when the query has components that are not finite, and a VectorIndexClosedError.
   */
  search(query: VectorQuery): Promise<VectorResult>;
  /**
   * Scores of the first chunks of documents, in their order; undefined for a document without a vector of the query's
   * dimension.
   */
  firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]>;
  /** The same for their best chunks, exactly. */
  bestScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]>;
  /** Numbers of chunks of documents that have vectors, in their order; 0 for a document that has none. */
  chunkCounts(ords: readonly number[]): number[];
  /**
   * The stored vectors of passages, in their order: those of int8 and int4 only approximate the original ones.
   * Undefined where there is none.
   */
  passageVectors(passages: readonly StoredPassage[]): (Float32Array | undefined)[];
  stats(): VectorStats;
  /** Resolves when every structure that was ever requested covers every row. */
  settled(): Promise<void>;
}
