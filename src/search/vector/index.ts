export { type AnnAlgorithm, type AnnFactory, type AnnIndex, type AnnQuery, type Candidates, DimensionError, type Metric,
  METRIC_CODES, type SegmentAccess, VectorCheckpointError, VectorIndexClosedError } from './ann-index.ts';
export type { Hit, Rescoring } from './ranking.ts';
export { numbersOf, type VectorChunk } from './segment.ts';
export type { StructureState } from './structures.ts';
export { type Algorithm, allFactories, MAX_ORDINAL, type SetStats, VectorIndex, type VectorIndexOptions,
  type VectorQuery, type VectorResult, type VectorStats } from './vector-index.ts';
export { WorkerFailure, WorkerPool } from './workers/worker-pool.ts';
