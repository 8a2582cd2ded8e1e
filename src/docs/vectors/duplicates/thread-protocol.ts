import type { SimilarityMetric, SimilarityResult } from '../../../kernels/similarity.ts';

/** What the thread is told. */
export type ToThread =
  /** Rows of a set of comparable vectors: `vectors` one behind the other, of which each row takes the next `counts`. */
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

/** The one answer: of each set, by its number. */
export type FromThread = readonly (readonly [set: number, result: SimilarityResult])[];
