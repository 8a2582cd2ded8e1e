import type { Metric } from '../ann-index.ts';

/** The cosine needs clusters of directions; the two other metrics share clusters of the vectors themselves. */
export function structureFor(metric: Metric): Metric {
  return metric === 'cosine' ? 'cosine' : 'euclidean';
}
