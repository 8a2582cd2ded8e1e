import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { InputOf } from '../../operations/index.ts';
import type { Fusion } from '../../search/fusion/index.ts';
import type { Circle } from '../../search/geo/index.ts';
import type { Retrieval } from '../collections/index.ts';
import { keepsMeta, projectionOf, type Projection } from '../documents/index.ts';
import { circleOf } from '../geo/index.ts';
import type { Opinions, Rerank } from '../embeddings/index.ts';
import { limitOf } from '../limit-of.ts';
import { resolveWords, type WordsDeps, type WordsRequest } from '../fulltext/index.ts';

export type HybridInput = InputOf<Operations, 'searchHybrid'>;
export type RetrievalMode = 'parent' | 'chunk' | 'window';

/** A request with everything decided: what it says, then the collection's profile, then the defaults. */
export interface HybridRequest {
  readonly collection: string;
  readonly query: string;
  /** The side of the words, as full-text search would be asked for its candidates. */
  readonly words: WordsRequest;
  /** Results to find, those that are skipped included. */
  readonly topK: number;
  /** Results to skip. */
  readonly offset: number;
  /** Hits that each side brings along. */
  readonly candidates: number;
  readonly fusion: Fusion;
  /** Whether `alpha` is to be fitted to the query, since neither the request nor the profile says how both sides are weighed. */
  readonly isFitted: boolean;
  /** As they are answered; one of them decides. */
  readonly alpha: number;
  readonly rrfK: number;
  readonly threshold: number;
  readonly vectorAlgorithm: HybridInput['vectorAlgorithm'];
  readonly metric: HybridInput['distanceMetric'];
  readonly circle: Circle | undefined;
  readonly byDistance: boolean;
  readonly mode: RetrievalMode;
  /** Neighbours on each side. */
  readonly windowSize: number;
  /** Tokens; 0 is no budget. */
  readonly budget: number;
  readonly projection: Projection;
  /** As the request has it; undefined where the server decides. */
  readonly rerank: Rerank | undefined;
  /** What the encoder says of the best candidates, once it was asked. */
  readonly opinions?: Opinions;
}

/** Decisions sections 4.3 and 4.5. */
const DEFAULT_TOP_K = 10;
const DEFAULT_ALPHA = 0.5;
const OVERSAMPLE = 3;
const MIN_CANDIDATES = 50;

/** Throws `invalid_argument` for what a schema cannot see: the query's syntax, sizes in all, an order that needs a place. */
export function resolveRequest(deps: WordsDeps, input: HybridInput): HybridRequest {
  const { collection, query, geo, rrfK, threshold, distanceMetric: metric, windowSize } = input;
  if (input.sort === 'distance' && geo === undefined) throw new ServiceError('invalid_argument', 'sort: distance needs geo');
  const profile = deps.collections.configOf(collection)?.retrieval ?? {};
  const topK = input.offset + (limitOf(input) ?? profile.topK ?? DEFAULT_TOP_K);
  const candidates = Math.max(MIN_CANDIDATES, Math.ceil(topK * (input.oversample ?? profile.oversample ?? OVERSAMPLE)));
  const alpha = alphaOf(input, profile);
  const strategy = input.strategy ?? profile.hybridStrategy ?? 'alpha';
  const isFitted = isUsual(input, profile);
  return {
    collection, query, topK, candidates, offset: input.offset, alpha, rrfK, threshold, metric, windowSize,
    isFitted, words: rankedUsually(resolveWords(deps, wordsInput(input, candidates)), isFitted),
    fusion: strategy === 'rrf' ? { strategy, k: rrfK } : { strategy, alpha },
    vectorAlgorithm: input.vectorAlgorithm,
    circle: geo && circleOf(geo),
    byDistance: input.sort === 'distance',
    rerank: input.rerank,
    mode: input.retrievalMode ?? profile.retrievalMode ?? 'parent',
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
    // The default of `includeContent` must not hide a body that `fields` names (decision D-40).
    projection: projectionOf(input.fields, input.fields === undefined ? input.includeContent : input.includeContent || undefined),
  };
}

/** The weight of the profile counts when it is present, 0 included (decision D-136). */
function alphaOf({ alpha }: HybridInput, { hybridAlpha }: Retrieval): number {
  return alpha ?? hybridAlpha ?? DEFAULT_ALPHA;
}

/**
 * The words rank as in full-text search, best matches put into a better order included, unless somebody says how both sides are
 * to be weighed: then their scores are those of the algorithm, as the contract's formulas have them.
 */
function rankedUsually(words: WordsRequest, isFitted: boolean): WordsRequest {
  return isFitted ? words : { ...words, rerank: false };
}

/** Whether nobody says how both sides are weighed. */
function isUsual({ alpha, strategy }: HybridInput, { hybridAlpha, hybridStrategy }: Retrieval): boolean {
  return [alpha, strategy, hybridAlpha, hybridStrategy].every((wish) => wish === undefined);
}

/** What the request says of the words, with the defaults of full-text search for what it cannot say. */
function wordsInput({ collection, query, algorithm, fuzzy, matchingStrategy, disableStem, disableSynonyms, filterMeta, filter, langs, boost, facetBy, facetMaxValues }: HybridInput, limit: number): Parameters<typeof resolveWords>[1] {
  return {
    collection, query, algorithm, fuzzy, matchingStrategy, prefix: 'none', disableStem, disableSynonyms, limit, offset: 0, facetMaxValues,
    mode: 'auto', distance: 5, totals: 'exact', includeContent: false, highlight: false, highlightTag: '<mark>', highlightEscape: 'none', maxHighlights: 0, fragmentSize: 150,
    ...(filterMeta && { filterMeta }), ...(filter !== undefined && { filter }), ...(langs && { langs }), ...(boost && { boost }), ...(facetBy && { facetBy }),
  };
}

/** Whether results need their bodies, if only for passages of them. */
export function needsBodies({ projection, mode }: HybridRequest): boolean {
  return projection.body || mode !== 'parent';
}

/** Whether results need their metadata: to be shown, to be counted, or to know source code, whose passages are other ones. */
export function needsMeta({ projection, mode, words: { facetBy } }: HybridRequest): boolean {
  return keepsMeta(projection) || facetBy !== undefined || mode !== 'parent';
}

/** The request of a search whose words decide alone. */
export function byWordsAlone(request: HybridRequest): HybridRequest {
  if (request.fusion.strategy === 'rrf') return request;
  return { ...request, isFitted: false, alpha: 0, fusion: { strategy: 'alpha', alpha: 0 } };
}

/** Whether the query is to be embedded: not when it is blank, nor when meaning weighs nothing. */
export function isMeaningWanted({ fusion, query }: HybridRequest): boolean {
  return query.trim() !== '' && !(fusion.strategy === 'alpha' && fusion.alpha === 0);
}

/** Whether what words alone find is a result. */
export function isWordsWanted({ fusion }: HybridRequest): boolean {
  return !(fusion.strategy === 'alpha' && fusion.alpha === 1);
}
