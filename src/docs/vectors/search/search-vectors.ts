import type { FindSimilarResponse, SearchVectorsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import { reorder, REORDERED } from '../../../search/fusion/index.ts';
import { scoreByEncoder } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { costOf } from '../../search-cost.ts';
import type { SearchGate } from '../../search-gate.ts';
import { endPage, promptOf } from '../../search/index.ts';
import type { QueryVector, VectorSearch } from '../vector-search.ts';
import { type FindDeps, findResults, type FoundResults } from './find-results.ts';
import { presentResults } from './present-results.ts';
import { resolveRequest, type SearchInput, type SearchRequest } from './request.ts';

export interface SearchDeps extends FindDeps, Pick<DocsEnvironment, 'codec'> {
  readonly encoder: VectorSearch['encoder'];
  readonly embed: Pick<VectorSearch, 'embedQuery'> & {
    /** Throws `invalid_argument` without a provider. */
    requireProvider(): void;
    describe(): { readonly model: string; readonly dimensions: number };
  };
  readonly gate: Pick<SearchGate, 'run'>;
}

/** The result for a collection without vectors. */
export const NOTHING: FoundResults = { results: [], algorithm: 'flat', incomparable: 0 };

/**
 * `POST /v1/vector-search` (contract section 4, "Vector search"; decisions section 4.3). Only the scoring occupies a
 * place in the search gate.
 */
export async function searchVectors(deps: SearchDeps, input: SearchInput,
  bounds: AnswerBounds): Promise<SearchVectorsResponse>
{
  const { signal } = bounds;
  const started = performance.now();
  const request = resolveRequest(input, deps.collections.configOf(input.collection)?.retrieval);
  if (request.queryVector === undefined) deps.embed.requireProvider();
  const index = deps.view.indexOf(request.collection);
  // If nothing can be found, the provider is not called.
  const isEmpty = index === undefined || index.documents === 0;
  const query = isEmpty && request.queryVector === undefined ? undefined : await toQuery(deps, request, signal);
  // If results are chosen for diversity, scoring each of them separately is not enough; an order is kept.
  const isReranked = deps.encoder.isWanted(request.rerank) && request.query.trim() !== '' &&
    request.lambda === undefined && request.order === undefined;
  const wanted = isReranked ? { ...request, topK: Math.max(request.topK, REORDERED) } : request;
  const found = isEmpty
    ? NOTHING
    : await deps.gate.run(() => findResults(deps, wanted, query!, signal), signal, costOf(input, index.documents));
  const { results, reranked } = isReranked
    ? await byEncoder(deps, request, found, signal)
    : { results: found.results, reranked: undefined };
  return {
    ...(await toAnswer(deps, request, query, { ...found, results }, bounds, started)),
    retrievalMode: request.mode,
    ...(reranked !== undefined && { reranked }),
    ...promptOf(deps.collections.configOf(request.collection)?.responsePrompt, {
      collection: request.collection,
      query: request.query,
    }),
  };
}

/**
 * The best results in the order of the encoder, as many as requested. Waits for the encoder without a place in the
 * search gate.
 */
async function byEncoder({ encoder }: SearchDeps, { query, mode, topK }: SearchRequest, { results }: FoundResults,
  signal: AbortSignal): Promise<{ results: FoundResults['results']; reranked: number }>
{
  const encoderScores = await scoreByEncoder(encoder, query, results, mode === 'parent', signal);
  return { results: reorder(results, encoderScores.of).slice(0, topK), reranked: encoderScores.count };
}

/** The response with the results that were found for a request since `started`. */
export async function toAnswer(deps: SearchDeps, request: SearchRequest, query: QueryVector | undefined,
  found: FoundResults, bounds: AnswerBounds, started: number): Promise<FindSimilarResponse>
{
  const { offset, order, budget: tokens } = request;
  const presented = await presentResults(deps, found.results.slice(offset), request, bounds);
  const { results, end } = endPage(presented, { offset, tokens, order }, bounds.budget,
    (at) => found.results[offset + at]?.mark);
  return {
    results,
    total: results.length,
    ...modelOf(deps, request, query),
    algorithm: found.algorithm,
    distanceMetric: request.metric,
    searchStats: { durationMs: Math.round(performance.now() - started) },
    ...end,
    ...(found.incomparable > 0 && { warnings: incomparableWarning(found.incomparable, query) }),
  };
}

async function toQuery({ embed }: SearchDeps, { collection, query, queryVector }: SearchRequest,
  signal: AbortSignal): Promise<QueryVector>
{
  return queryVector === undefined ? embed.embedQuery(query, signal, collection) : { vector: queryVector };
}

/** For a vector from the client, the model is that of the vectors that it is compared with. */
function modelOf({ embed, view }: SearchDeps, { collection, queryVector }: SearchRequest,
  query: QueryVector | undefined): { model: string; dimensions: number }
{
  if (queryVector !== undefined) {
    const met = view.indexOf(collection)?.models().find(({ dimensions }) => dimensions === queryVector.length);
    return { model: met?.model ?? '', dimensions: queryVector.length };
  }
  const { model, dimensions } = query?.model ?? embed.describe();
  return { model, dimensions };
}

/** Says how many documents a search left out, if any. */
export function incomparableWarning(documents: number, query: QueryVector | undefined): string[] {
  if (documents === 0) return [];
  const count = documents === 1 ? 'the vectors of 1 document were' : `the vectors of ${documents} documents were`;
  const reason = query?.model === undefined
    ? 'they have another dimension than queryVector'
    : 'they are of another model or variant than the query; POST /v1/vector-reindex embeds them again';
  return [`${count} not compared: ${reason}`];
}
