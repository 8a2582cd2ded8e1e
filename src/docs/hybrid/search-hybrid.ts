import type { SearchHybridResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { type AnswerBounds, truncationOf } from '../../operations/index.ts';
import { cursorBehind, passedBefore } from '../columns/index.ts';
import type { CurationRule } from '../curation/index.ts';
import { contentsFor, countWithinBudget } from '../documents/index.ts';
import { type EncoderScores, scoreByEncoder } from '../embeddings/index.ts';
import { countFacets, fillPrompt, fitFacets, prepareFor, withNeighbours } from '../fulltext/index.ts';
import { type Cost, costOf } from '../search-cost.ts';
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
  const { request, vector, warnings } = await withVector(deps, await withWords(deps, asked, signal), signal);
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
  const { presented, next } = await presentResults(deps, request, found.results, bounds);
  const fitting = countWithinBudget(presented.map(({ bytes }) => bytes), request.budget);
  const contextTruncated = fitting < presented.length;
  const { order } = request;
  const passed = order === undefined ? 0 : passedBefore(order);
  // A document that was deleted meanwhile is no result, but the page includes its place.
  const nextCursor = order &&
    cursorBehind(order, found.results[contextTruncated ? presented[fitting - 1]!.at : next - 1]?.mark);
  const notes = [...warnings, ...incomparableWarning(found.incomparable)];
  return {
    results: presented.slice(0, fitting).map(({ result }, i) => ({ ...result, rank: request.offset + passed + i + 1 })),
    total: fitting,
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
    ...(contextTruncated && { contextTruncated }),
    ...(order?.cursor === undefined && truncationOf(budget.isSpent && !contextTruncated, request.offset + next)),
    ...(nextCursor !== undefined && { nextCursor }),
    searchStats: { durationMs: Math.round(performance.now() - started) },
    ...promptOf(deps, request),
  };
}

/**
 * Prepares the lexical index for the query, in slices, and for `pmisparse` the neighbours of its terms. Throws
 * `index_loading`.
 */
async function withWords({ words }: HybridDeps, request: HybridRequest, signal: AbortSignal): Promise<HybridRequest> {
  const pace = new Pace();
  while (!prepareFor(words.view.indexOf(request.collection), request.words.plan)) await pace.rest();
  return { ...request, words: await withNeighbours(words, request.words, signal) };
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
  if (!meaning.encoder.isWanted(request.rerank) || request.byDistance || request.order !== undefined ||
    request.query.trim() === '') return undefined;
  const hits = await gate.run(() => firstHits(deps, request, scope, rules), scope.signal, cost);
  const rareWord = isWordsWanted(request)
    ? rareWordOf(deps.words.view.indexOf(request.collection), request, [...new Set(hits.map(({ ord }) => ord))])
    : undefined;
  return scoreByEncoder(meaning.encoder, request.query, hits, request.mode === 'parent', scope.signal, rareWord);
}

function incomparableWarning(documents: number): string[] {
  if (documents === 0) return [];
  const count = documents === 1 ? 'the vectors of 1 document were' : `the vectors of ${documents} documents were`;
  return [
    `${count} not compared: they are of another model or variant than the query; POST /v1/vector-reindex embeds ` +
    'them again',
  ];
}

async function facetsOf({ words }: HybridDeps, { collection, words: { facetBy, facetMaxValues } }: HybridRequest,
  { all, results }: FoundResults,
  budget: AnswerBounds['budget']): Promise<Pick<SearchHybridResponse, 'facets' | 'facetsTruncated'>>
{
  if (facetBy === undefined) return {};
  const counted = all &&
    await countFacets(words.columns, collection, all, { fields: facetBy, max: facetMaxValues }, results.map(({ row }) =>
      row
    ));
  const { facets, isTruncated } = fitFacets(counted?.facets ?? Object.fromEntries(facetBy.map((field) => [field, []])),
    budget);
  return { facets, ...(isTruncated && { facetsTruncated: true }) };
}

function promptOf({ words: { collections } }: HybridDeps,
  { collection, query }: HybridRequest): Pick<SearchHybridResponse, 'responsePrompt'>
{
  const prompt = collections.configOf(collection)?.responsePrompt;
  return prompt ? { responsePrompt: fillPrompt(prompt, { collection, query }) } : {};
}
