import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { InputOf } from '../../operations/index.ts';
import type { Fusion } from '../../search/fusion/index.ts';
import type { Circle } from '../../search/geo/index.ts';
import { hybridAlphaOf, type Retrieval } from '../collections/index.ts';
import type { EncoderScores, Rerank } from '../embeddings/index.ts';
import { resolveWords, type WordsDeps, type WordsRequest } from '../fulltext/index.ts';
import { circleOf, distanceOrderOf, keepsMeta, limitOf, ORDERED_CANDIDATES, type Projection, projectionOf,
  type ResultOrder, resultOrderOf } from '../search/index.ts';

export type HybridInput = InputOf<Operations, 'searchHybrid'>;
export type RetrievalMode = 'parent' | 'chunk' | 'window';

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface HybridRequest {
  readonly collection: string;
  readonly query: string;
  /** The lexical side: the equivalent full-text request for its candidates. */
  readonly words: WordsRequest;
  /** Number of results to find, including skipped ones. */
  readonly topK: number;
  /** Number of results to skip. */
  readonly offset: number;
  /** Number of hits from each side for the first pages; it does not depend on `offset`. */
  readonly candidates: number;
  readonly fusion: Fusion;
  /**
   * Whether `alpha` is fitted to the query, because neither the request nor the profile sets the weights of the sides.
   */
  readonly isFitted: boolean;
  /** As they are returned; only one of them is used. */
  readonly alpha: number;
  readonly rrfK: number;
  readonly threshold: number;
  readonly vectorAlgorithm: HybridInput['vectorAlgorithm'];
  readonly metric: HybridInput['distanceMetric'];
  readonly circle: Circle | undefined;
  /** Undefined for best first and pages by offset. */
  readonly order: ResultOrder | undefined;
  readonly mode: RetrievalMode;
  /** Number of neighbours on each side. */
  readonly windowSize: number;
  /** Tokens; 0 for no budget. */
  readonly budget: number;
  readonly projection: Projection;
  /** As requested; undefined if the server decides. */
  readonly rerank: Rerank | undefined;
  /** Scores of the best candidates by the encoder, once it was called. */
  readonly encoderScores?: EncoderScores;
}

/** Decisions sections 4.3 and 4.5. */
const DEFAULT_TOP_K = 10;
const DEFAULT_ALPHA = 0.5;
const OVERSAMPLE = 3;
const MIN_CANDIDATES = 50;

/**
 * Throws `invalid_argument` for what a schema cannot check: the query's syntax, total sizes, an order that needs a
 * place.
 */
export function resolveRequest(deps: WordsDeps, input: HybridInput): HybridRequest {
  const { collection, query, geo, rrfK, threshold, distanceMetric: metric, windowSize } = input;
  if (input.sort === 'distance' && geo === undefined)
    throw new ServiceError('invalid_argument', 'sort: distance needs geo');
  const profile = deps.collections.configOf(collection)?.retrieval ?? {};
  const limit = limitOf(input) ?? profile.topK ?? DEFAULT_TOP_K;
  const topK = input.offset + limit;
  const mode = input.retrievalMode ?? profile.retrievalMode ?? 'parent';
  const order = orderOf(input, mode);
  const candidates = order === undefined
    ? Math.max(MIN_CANDIDATES, Math.ceil(limit * (input.oversample ?? profile.oversample ?? OVERSAMPLE)))
    : ORDERED_CANDIDATES;
  const alpha = alphaOf(input, profile);
  const strategy = input.strategy ?? profile.hybridStrategy ?? 'alpha';
  const isFitted = isUsual(input, profile);
  return {
    collection,
    query,
    topK,
    candidates,
    offset: input.offset,
    alpha,
    rrfK,
    threshold,
    metric,
    windowSize,
    isFitted,
    order,
    mode,
    words: rankedUsually(resolveWords(deps, wordsInput(input, candidates)), isFitted && order === undefined),
    fusion: strategy === 'rrf' ? { strategy, k: rrfK } : { strategy, alpha },
    vectorAlgorithm: input.vectorAlgorithm,
    circle: geo && circleOf(geo),
    rerank: input.rerank,
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
    // The default of `includeContent` must not hide a body that `fields` names.
    projection: projectionOf(input.fields,
      input.fields === undefined ? input.includeContent : input.includeContent || undefined),
  };
}

/** The order of a request by fields of documents, or by cursor. Throws `invalid_argument`. */
function orderOf(input: HybridInput, mode: RetrievalMode): ResultOrder | undefined {
  const { collection, query, algorithm, vectorAlgorithm, alpha, strategy, rrfK, fuzzy, matchingStrategy, threshold,
    distanceMetric, windowSize, disableStem, disableSynonyms, boost, sort, cursor, offset } = input;
  const isByDistance = sort === 'distance';
  const bound = ['hybrid', collection.toLowerCase(), query, algorithm, vectorAlgorithm, alpha, strategy, rrfK, fuzzy,
    matchingStrategy, threshold, distanceMetric, mode, windowSize, disableStem, disableSynonyms, boost,
    isByDistance ? input.geo : undefined];
  if (isByDistance) return distanceOrderOf({ cursor, offset }, bound);
  return resultOrderOf({ sort: sort === 'combined' ? undefined : sort, cursor, offset }, bound);
}

/** The weight of the profile counts unless it is turned off, even if it is 0. */
function alphaOf({ alpha }: HybridInput, profile: Retrieval): number {
  return alpha ?? hybridAlphaOf(profile) ?? DEFAULT_ALPHA;
}

/**
 * The lexical side ranks as full-text search does, including reranking, unless weights of the sides are set or the
 * request has an order: then its scores are those of the algorithm, as in the contract's formulas.
 */
function rankedUsually(words: WordsRequest, isUsually: boolean): WordsRequest {
  return isUsually ? words : { ...words, rerank: false };
}

/** Whether no weights of the sides are set. */
function isUsual({ alpha, strategy }: HybridInput, profile: Retrieval): boolean {
  return [alpha, strategy, hybridAlphaOf(profile), profile.hybridStrategy].every((wish) => wish === undefined);
}

/** The lexical part of the request, with the defaults of full-text search for options that it does not have. */
function wordsInput(
  { collection, query, algorithm, fuzzy, matchingStrategy, disableStem, disableSynonyms, filterMeta, filter, langs,
    boost, facetBy, facetMaxValues }: HybridInput,
  limit: number,
): Parameters<typeof resolveWords>[1] {
  return {
    collection,
    query,
    algorithm,
    fuzzy,
    matchingStrategy,
    prefix: 'none',
    disableStem,
    disableSynonyms,
    limit,
    offset: 0,
    facetMaxValues,
    mode: 'auto',
    distance: 5,
    totals: 'exact',
    includeContent: false,
    highlight: false,
    highlightTag: '<mark>',
    highlightEscape: 'none',
    maxHighlights: 0,
    fragmentSize: 150,
    ...(filterMeta && { filterMeta }),
    ...(filter !== undefined && { filter }),
    ...(langs && { langs }),
    ...(boost && { boost }),
    ...(facetBy && { facetBy }),
  };
}

/** Whether results need their bodies, even if only for passages. */
export function needsBodies({ projection, mode }: HybridRequest): boolean {
  return projection.body || mode !== 'parent';
}

/**
 * Whether results need their metadata: to show them, for counts, or to recognize source code, whose passages are
 * different.
 */
export function needsMeta({ projection, mode, words: { facetBy } }: HybridRequest): boolean {
  return keepsMeta(projection) || facetBy !== undefined || mode !== 'parent';
}

/** The request of a search that uses only the lexical side. */
export function byWordsAlone(request: HybridRequest): HybridRequest {
  if (request.fusion.strategy === 'rrf') return request;
  return { ...request, isFitted: false, alpha: 0, fusion: { strategy: 'alpha', alpha: 0 } };
}

/** Whether the query is embedded: not if it is blank, nor if the vector side has weight 0. */
export function isMeaningWanted({ fusion, query }: HybridRequest): boolean {
  return query.trim() !== '' && !(fusion.strategy === 'alpha' && fusion.alpha === 0);
}

/** Whether documents that only the lexical side finds are results. */
export function isWordsWanted({ fusion }: HybridRequest): boolean {
  return !(fusion.strategy === 'alpha' && fusion.alpha === 1);
}
