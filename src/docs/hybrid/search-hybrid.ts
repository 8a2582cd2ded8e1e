import type { SearchHybridResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { AnswerBounds } from '../../operations/index.ts';
import type { CurationRule } from '../curation/index.ts';
import { type EncoderScores, scoreByEncoder } from '../embeddings/index.ts';
import { readyWords } from '../fulltext/index.ts';
import { type Cost, costOf } from '../search-cost.ts';
import { contentsFor, countFacets, endPage, promptOf, type ShownFacets, shownFacets } from '../search/index.ts';
import { incomparableWarning } from '../vectors/index.ts';
import type { HybridDeps, QueryVector } from './deps.ts';
import { findResults, firstHits, type FoundResults } from './find-results.ts';
import type { Scope } from './look-at-sides.ts';
import { presentResults } from './present-results.ts';
import { rareWordOf } from './rare-word.ts';
import { byWordsAlone, type HybridInput, type HybridRequest, isMeaningWanted, isWordsWanted, needsBodies, needsMeta,
  resolveRequest } from './request.ts';

/** The result for a collection that does not exist. */
const NOTHING: FoundResults = { results: [], all: undefined, algorithm: undefined, incomparable: 0, alpha: undefined };

/**
 * `POST /v1/hybrid-search` (contract section 4, "Full-text search"; decisions section 4.5). Only the scoring occupies a
 * place in the search gate.
 */
export async function searchHybrid(deps: HybridDeps, input: HybridInput,
  bounds: AnswerBounds): Promise<SearchHybridResponse>
{
  const { signal, budget } = bounds;
  const started = performance.now();
  const { words, gate } = deps;
  const asked = resolveRequest(words, input);
  const documents = words.columns.indexOf(asked.collection)?.documents;
  const { request, vector, warnings } = await withVector(deps, {
    ...asked,
    words: await readyWords(words, asked.words, signal),
  }, signal);
  const rules = words.curation.rulesOf(request.collection);
  const content = {
    ...contentsFor(budget, needsBodies(request), request.projection.body),
    withMeta: needsMeta(request),
  };
  const cost = costOf(input, documents ?? 0);
  const encoderScores = documents === undefined
    ? undefined
    : await askEncoder(deps, request, { vector, signal }, rules, cost);
  const found = documents === undefined
    ? NOTHING
    : await gate.run(() =>
      findResults(deps, { ...request, ...(encoderScores && { encoderScores }) }, { vector, signal, content }, rules),
      signal, cost);
  const facets = await facetsOf(deps, request, found, budget);
  const presented = await presentResults(deps, request, found.results, bounds);
  const { results, end } = endPage(presented, { offset: request.offset, tokens: request.budget, order: request.order },
    budget, (at) => found.results[at]?.mark);
  const notes = [...warnings, ...incomparableWarning(found.incomparable, vector)];
  return {
    results,
    total: results.length,
    strategy: request.fusion.strategy,
    alpha: found.alpha ?? request.alpha,
    rrfK: request.rrfK,
    ftsAlgorithm: input.algorithm,
    vectorAlgorithm: found.algorithm ?? request.vectorAlgorithm ?? 'flat',
    distanceMetric: request.metric,
    retrievalMode: request.mode,
    ...facets,
    ...(notes.length > 0 && { warnings: notes }),
    ...(encoderScores && { reranked: encoderScores.count }),
    ...end,
    searchStats: { durationMs: Math.round(performance.now() - started) },
    ...promptOf(words.collections.configOf(request.collection)?.responsePrompt, {
      collection: request.collection,
      query: request.query,
    }),
  };
}

interface Prepared {
  readonly request: HybridRequest;
  /** Absent: the vector side is not searched. */
  readonly vector: QueryVector | undefined;
  readonly warnings: readonly string[];
}

/**
 * Embeds the query. If that is not possible, only the lexical side is searched (decisions section 4.3, "No provider").
 * Throws `index_loading`.
 */
async function withVector({ meaning }: HybridDeps, request: HybridRequest, signal: AbortSignal): Promise<Prepared> {
  if (!isMeaningWanted(request)) return { request, vector: undefined, warnings: [] };
  const alone = (reason: string): Prepared => ({
    request: byWordsAlone(request),
    vector: undefined,
    warnings: [`${reason}: the words alone decided`],
  });
  if (!meaning.isConfigured()) return alone('embedding provider not configured');
  if (meaning.modelsOf(request.collection).length === 0) {
    return {
      request,
      vector: undefined,
      warnings: ['no document of the collection has vectors: nothing was found by meaning'],
    };
  }
  try {
    return { request, vector: await meaning.embedQuery(request.query, signal, request.collection), warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    // The provider may have just been removed.
    if (error instanceof ServiceError && (error.code === 'unavailable' || !meaning.isConfigured()))
      return alone(error.message);
    throw error;
  }
}

/** Determines the best hits, and calls the encoder for them without a place in the search gate. */
async function askEncoder(deps: HybridDeps, request: HybridRequest, scope: Omit<Scope, 'hidden' | 'side'>,
  rules: readonly CurationRule[], cost: Cost): Promise<EncoderScores | undefined>
{
  const { gate, meaning } = deps;
  if (!meaning.encoder.isWanted(request.rerank) || request.order !== undefined || request.query.trim() === '')
    return undefined;
  const hits = await gate.run(() => firstHits(deps, request, scope, rules), scope.signal, cost);
  const rareWord = isWordsWanted(request)
    ? rareWordOf(deps.words.view.indexOf(request.collection), request, [...new Set(hits.map(({ ord }) => ord))])
    : undefined;
  return scoreByEncoder(meaning.encoder, request.query, hits, request.mode === 'parent', scope.signal, rareWord);
}

async function facetsOf({ words }: HybridDeps,
  { collection, words: { facetBy: fields, facetMaxValues: max } }: HybridRequest, { all, results }: FoundResults,
  budget: AnswerBounds['budget']): Promise<ShownFacets>
{
  const counted = fields && all &&
    await countFacets(words.columns, collection, all, { fields, max }, results.map(({ row }) => row));
  return shownFacets(fields, counted?.facets, budget);
}
