import type { FindSimilarResponse, SearchVectorsResponse,
  VectorResult } from '../../../../generated/docs/sdk/types.gen.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import { costOf } from '../../search-gate.ts';
import { type AnswerFields, promptOf, type RankedDeps, searchRanked } from '../../search/index.ts';
import type { QueryVector, VectorSearch } from '../vector-search.ts';
import type { VectorView } from '../view/vector-view.ts';
import { resolveRequest, type SearchInput, type SearchRequest } from './request.ts';
import { type NearestDeps, searchByVector } from './search-by-vector.ts';
import { readPassages, vectorsRetriever } from './vectors-retriever.ts';

export interface SearchDeps extends NearestDeps, RankedDeps {
  readonly view: Pick<VectorView, 'indexOf' | 'position' | 'caughtUp'>;
  readonly embed: Pick<VectorSearch, 'embedQuery'> & {
    /** Throws `invalid_argument` without a provider. */
    requireProvider(): void;
    describe(): { readonly model: string; readonly dimensions: number };
  };
}

/**
 * `POST /v1/vector-search` (contract section 4, "Vector search"; decisions section 4.3). Only the scoring occupies a
 * place in the search gate.
 */
export async function searchVectors(deps: SearchDeps, input: SearchInput,
  bounds: AnswerBounds): Promise<SearchVectorsResponse>
{
  const started = performance.now();
  const config = deps.collections.configOf(input.collection);
  const request = resolveRequest(input, config?.retrieval);
  const { collection, query, queryVector } = request;
  if (queryVector === undefined) deps.embed.requireProvider();
  // If nothing can be found, the provider is not called.
  const isEmpty = (deps.view.indexOf(collection)?.documents ?? 0) === 0;
  const vector = queryVector !== undefined
    ? { vector: queryVector }
    : isEmpty
    ? undefined
    : await deps.embed.embedQuery(query, bounds.signal, collection);
  const answer = await findNearest(deps, input, request, vector, bounds);
  return {
    ...answer,
    searchStats: { durationMs: Math.round(performance.now() - started) },
    retrievalMode: request.mode,
    ...promptOf(config?.responsePrompt, { collection, query }),
  };
}

/** The nearest documents or passages, without those of `hidden`. */
export async function findNearest(deps: SearchDeps, input: Parameters<typeof costOf>[0], request: SearchRequest,
  query: QueryVector | undefined, bounds: AnswerBounds,
  hidden: readonly number[] = []): Promise<Omit<FindSimilarResponse, 'searchStats'> & AnswerFields<VectorResult>>
{
  const { sql, view } = deps;
  const { collection, mode, metric, threshold, algorithm, oversample, order } = request;
  const side = {
    view,
    searchByVector: (wanted: Parameters<VectorSearch['searchByVector']>[0]) =>
      searchByVector(deps, wanted, bounds.signal),
    passagesOf: (passages: Parameters<VectorSearch['passagesOf']>[0]) => readPassages(sql, passages),
    chunkCount: (_: string, ord: number) => view.indexOf(collection)?.chunkCount(ord) ?? 0,
  };
  const documents = view.indexOf(collection)?.documents ?? 0;
  const found = await searchRanked<VectorResult>(deps, {
    request,
    hidden,
    rules: [],
    cost: documents === 0 ? undefined : costOf(input, documents),
    sides: {
      vectors: query && vectorsRetriever(side, sql, {
        ...query,
        // In another order, or with a cursor, the scores are those of the vectors alone, which depend on no other
        // document.
        text: order === undefined ? query.text : undefined,
        collection,
        metric,
        threshold,
        algorithm,
        oversample,
        perDocument: mode === 'parent',
        quotable: mode !== 'parent',
      }, bounds.signal),
    },
    show: ({ score }, { document, ...parts }) => ({ document, score: roundScore(score), ...parts }),
  }, bounds);
  const warnings = [...warningsOf(found.incomparable, query), ...found.warnings];
  return {
    ...found.answer,
    ...modelOf(deps, request, query),
    algorithm: found.algorithm ?? 'flat',
    distanceMetric: metric,
    ...(warnings.length > 0 && { warnings }),
  };
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

/** Says how many documents a search left out, if any, and that the model does not know the script of its query. */
export function warningsOf(documents: number, query: QueryVector | undefined): string[] {
  return [...incomparableWarning(documents, query), ...unknownWarning(query)];
}

function unknownWarning(query: QueryVector | undefined): string[] {
  return query?.isUnknown === true
    ? [`the model ${query.model!.model} does not know the script of the query: it was compared by its spelling`]
    : [];
}

function incomparableWarning(documents: number, query: QueryVector | undefined): string[] {
  if (documents === 0) return [];
  const count = documents === 1 ? 'the vectors of 1 document were' : `the vectors of ${documents} documents were`;
  const reason = query?.model === undefined
    ? 'they have another dimension than queryVector'
    : 'they are of another model or variant than the query; POST /v1/vector-reindex embeds them again';
  return [`${count} not compared: ${reason}`];
}
