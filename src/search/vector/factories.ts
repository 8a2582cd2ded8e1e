import type { AnnFactory } from './ann-index.ts';
import { ivfFactory, opqFactory, pqFactory } from './clusters/index.ts';
import { codeFactories } from './codes-index.ts';
import { type CodeBits, hnswFactory } from './hnsw/index.ts';

/**
 * Every algorithm that has a structure; `bqFactor` is how many candidates a result of bq has (SVC_VECTOR_BQ_RERANK_FACTOR),
 * `graphBits` how many bits a dimension in the codes of graphs.
 */
export function allFactories(bqFactor?: number, graphBits?: CodeBits): AnnFactory[] {
  return [...codeFactories(bqFactor), hnswFactory(graphBits), ivfFactory, pqFactory, opqFactory];
}
