export { type AnnAlgorithm, type AnnFactory, DimensionError, type Metric, METRIC_CODES, VectorCheckpointError,
  VectorIndexClosedError } from './ann-index.ts';
export type { Hit, Rescoring } from './ranking.ts';
export { numbersOf } from './segment.ts';
export { type Algorithm, allFactories, VectorIndex, type VectorIndexOptions, type VectorQuery,
  type VectorResult } from './vector-index.ts';
export { WorkerPool } from './workers/worker-pool.ts';
