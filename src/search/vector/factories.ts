import type { AnnFactory } from './ann-index.ts';
import { ivfFactory, opqFactory, pqFactory } from './clusters/index.ts';
import { codeFactories } from './codes-index.ts';
import { hnswFactory } from './hnsw/index.ts';

/** Every algorithm that has a structure; `bqFactor` is how many candidates a result of bq has (SVC_VECTOR_BQ_RERANK_FACTOR). */
export function allFactories(bqFactor?: number): AnnFactory[] {
  return [...codeFactories(bqFactor), hnswFactory, ivfFactory, pqFactory, opqFactory];
}
