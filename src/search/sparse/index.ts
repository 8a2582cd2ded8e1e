/** Sparse vectors, such as those of SPLADE: the documents with the greatest inner products with one. */
export type { SparseHit, SparseVector } from '../../kernels/sparse.ts';
export { SparseCheckpointError } from './checkpoint.ts';
export { JoinedSparseIndex, joinSparse } from './joined-index.ts';
export { SparseFullError, SparseIndex, type SparseQuery, type SparseReader } from './sparse-index.ts';
export { sparseVector, SparseVectorError } from './sparse-vector.ts';
export { answerSparse, type SparseLink, type SparsePart, SparseStandIn, type SparseStats } from './stand-in.ts';
