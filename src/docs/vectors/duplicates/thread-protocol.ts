import type { SimilarityMetric, SimilarityResult } from '../../../kernels/similarity.ts';

/** Messages to the thread. */
export type ToThread =
  /** Rows of a set of comparable vectors: `vectors` are concatenated, and each row takes the next `counts` of them. */
  | {
    readonly op: 'add';
    readonly set: number;
    readonly dims: number;
    readonly metric: SimilarityMetric;
    readonly counts: readonly number[];
    readonly vectors: Float32Array<ArrayBuffer>;
  }
  /** Compares the rows of each set. The last message. */
  | { readonly op: 'compare'; readonly threshold: number };

/** The result of each set, by its number; empty for rows that were added. */
export type FromThread = readonly (readonly [set: number, result: SimilarityResult])[];
