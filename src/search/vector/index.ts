export { type AnnAlgorithm, type AnnFactory, DimensionError, type Metric, METRIC_CODES, VectorCheckpointError,
  VectorIndexClosedError } from './ann-index.ts';
export { JoinedVectorIndex, joinVectors } from './joined-index.ts';
export { openValue, type OrClosed, orClosed } from './or-closed.ts';
export type { Hit, Rescoring } from './ranking.ts';
export { numbersOf } from './segment.ts';
export { answerVectors, summaryOfVectors, type VectorLink, type VectorPart, VectorStandIn,
  type VectorSummary } from './stand-in.ts';
export { allFactories, VectorIndex, type VectorIndexOptions } from './vector-index.ts';
export type { Algorithm, StoredPassage, VectorQuery, VectorReader, VectorResult } from './vector-reader.ts';
export { WorkerPool } from './workers/worker-pool.ts';
