import type { AnnFactory } from './ann-index.ts';
import { ivfFactory, opqFactory, pqFactory } from './clusters/index.ts';
import { codeFactories } from './codes-index.ts';
import { type CodeBits, hnswFactory } from './hnsw/index.ts';

/**
 * Factories for all algorithms that have a structure; `bqFactor` is the number of candidates per result of bq
 * (SVC_VECTOR_BQ_RERANK_FACTOR), `graphBits` the number of bits per dimension in the codes of graphs.
 */
export function allFactories(bqFactor?: number, graphBits?: CodeBits): AnnFactory[] {
  return [...codeFactories(bqFactor), hnswFactory(graphBits), ivfFactory, pqFactory, opqFactory];
}
