export { type AnnAlgorithm, type AnnFactory, DimensionError, type Metric, METRIC_CODES, VectorCheckpointError,
  VectorIndexClosedError } from './ann-index.ts';
export { JoinedVectorIndex } from './joined-index.ts';
export type { Hit, Rescoring } from './ranking.ts';
export { numbersOf } from './segment.ts';
export { allFactories, VectorIndex, type VectorIndexOptions } from './vector-index.ts';
export type { Algorithm, VectorQuery, VectorReader, VectorResult } from './vector-reader.ts';
export { WorkerPool } from './workers/worker-pool.ts';
