import type { Operations } from '../../../../generated/docs/operations.ts';
import type { FindSimilarResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds, InputOf } from '../../../operations/index.ts';
import { findSourceByKey, type SourceDeps } from '../cross-search/source-document.ts';
import { resolveRequest } from './request.ts';
import { findNearest, type SearchDeps } from './search-vectors.ts';

type SimilarInput = InputOf<Operations, 'findSimilar'>;

/** Options of vector search that are fixed here: results are documents, and no text is requested. */
const DECIDED = {
  retrievalMode: 'parent',
  windowSize: 1,
  mmr: false,
  mmrLambda: 0.5,
  rerank: 'none',
  facetMaxValues: 0,
} as const;

/**
 * `POST /v1/similar`: documents by the similarity of their vectors to the mean of those of a stored document, which is
 * left out. Only the scoring occupies a place in the search gate.
 */
export async function findSimilar(deps: SearchDeps & SourceDeps, input: SimilarInput,
  bounds: AnswerBounds): Promise<FindSimilarResponse>
{
  const started = performance.now();
  const { key, lang, ...wishes } = input;
  const source = await findSourceByKey(deps, { collection: input.collection, key, lang }, bounds.signal);
  const request = resolveRequest({
    ...wishes,
    ...DECIDED,
    query: JSON.stringify(['similar', key.toLowerCase(), lang?.toLowerCase()]),
  }, deps.collections.configOf(input.collection)?.retrieval);
  const { reranked: _, ...answer } = await findNearest(deps, input, request, source.query, bounds, [source.ord]);
  return { ...answer, searchStats: { durationMs: Math.round(performance.now() - started) } };
}
