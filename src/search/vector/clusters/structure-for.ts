import type { Metric } from '../ann-index.ts';

/** Clusters are of directions for the cosine, and of the vectors themselves for the two other metrics. */
export function structureFor(metric: Metric): Metric {
  return metric === 'cosine' ? 'cosine' : 'euclidean';
}
