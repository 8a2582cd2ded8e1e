import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { InputOf } from '../../operations/index.ts';
import type { Fusion } from '../../search/fusion/fuse.ts';
import { hybridAlphaOf, type Retrieval, type VectorFields } from '../collections/index.ts';
import { PLAIN_SEARCH, resolveWords, type WordsDeps, type WordsRequest } from '../fulltext/index.ts';
import { candidatesOf, distanceOrderOf, isByWordsAlone, type RankedRequest, resolveSearch, resultOrderOf,
  type RetrievalMode } from '../search/index.ts';
import { fieldQueriesOf, type FieldQuery } from '../vector-fields/index.ts';

export type HybridInput = InputOf<Operations, 'searchHybrid'>;

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface HybridRequest extends RankedRequest {
  /** The lexical side: the equivalent full-text request for its candidates. */
  readonly words: WordsRequest;
  readonly fusion: Fusion;
  /** As they are returned; only one of them is used. */
  readonly alpha: number;
  readonly rrfK: number;
  readonly threshold: number;
  readonly vectorAlgorithm: HybridInput['vectorAlgorithm'];
  readonly metric: HybridInput['distanceMetric'];
  /** The field of supplied vectors to search; absent for embeddings. */
  readonly fields?: readonly FieldQuery[] | undefined;
}

const DEFAULT_TOP_K = 10;
const DEFAULT_ALPHA = 0.5;

/**
 * Throws `invalid_argument` for what a schema cannot check: the query's syntax, total sizes, an order that needs a
 * place.
 */
export function resolveRequest(deps: WordsDeps, input: HybridInput): HybridRequest {
  const { rrfK, threshold, distanceMetric: metric, windowSize, vectorAlgorithm, rerank } = input;
  if (input.sort === 'distance' && input.geo === undefined)
    throw new ServiceError('invalid_argument', 'sort: distance needs geo');
  const { retrieval: profile = {}, vectors } = deps.collections.configOf(input.collection) ?? {};
  const fields = fieldsOf(input, vectors);
  const search = resolveSearch(input, profile, DEFAULT_TOP_K, vectors);
  const isMulti = fields?.[0]!.field.kind === 'multi';
  if (isMulti && (input.retrievalMode ?? 'parent') !== 'parent')
    throw new ServiceError('invalid_argument',
      `retrievalMode must be parent with a field of the kind multi, got ${input.retrievalMode}`);
  const mode = isMulti ? 'parent' : input.retrievalMode ?? profile.retrievalMode ?? 'parent';
  const order = orderOf(input, mode);
  // The weight of the profile counts unless it is turned off, even if it is 0.
  const alpha = input.alpha ?? hybridAlphaOf(profile) ?? DEFAULT_ALPHA;
  const strategy = input.strategy ?? profile.hybridStrategy ?? 'alpha';
  const isFitted = isUsual(input, profile);
  const words = resolveWords(deps, wordsInput(input), { forPresent: true });
  return {
    ...search,
    mode,
    windowSize,
    order,
    alpha,
    rrfK,
    threshold,
    metric: fields?.[0]!.field.metric ?? metric,
    fields,
    vectorAlgorithm,
    rerank,
    isFitted,
    isCounted: input.facetBy !== undefined || input.totals !== 'none',
    candidates: candidatesOf(search, order, input.oversample ?? profile.oversample),
    fusion: strategy === 'rrf' ? { strategy, k: rrfK } : { strategy, alpha },
    // The lexical side ranks as full-text search does, including reranking, unless weights of the sides are set or the
    // request has an order: then its scores are those of the algorithm, as in the contract's formulas.
    words: isFitted && order === undefined ? words : { ...words, rerank: false },
  };
}

/** Throws `invalid_argument` for a vector without a field, because embeddings are made of the query. */
function fieldsOf(input: HybridInput, declared: VectorFields | undefined): readonly FieldQuery[] | undefined {
  const fields = fieldQueriesOf(input, declared);
  if (fields === undefined && input.queryVector !== undefined) {
    const names = Object.keys(declared ?? {});
    throw new ServiceError('invalid_argument',
      `queryVector needs vectorField${names.length === 0 ? '' : `, such as ${names.join(' or ')}`}`);
  }
  return fields;
}

/** The order of a request by fields of documents, or by cursor. Throws `invalid_argument`. */
function orderOf(input: HybridInput, mode: RetrievalMode): HybridRequest['order'] {
  const { collection, query, algorithm, vectorAlgorithm, alpha, strategy, rrfK, fuzzy, prefix, matchingStrategy,
    threshold, distanceMetric, windowSize, disableStem, disableSynonyms, boost, sort, cursor, offset } = input;
  const isByDistance = sort === 'distance';
  const bound = ['hybrid', collection.toLowerCase(), query, algorithm, vectorAlgorithm, alpha, strategy, rrfK, fuzzy,
    prefix, matchingStrategy, threshold, distanceMetric, mode, windowSize, disableStem, disableSynonyms, boost,
    isByDistance ? input.geo : undefined,
    ...(input.vectorField === undefined
      ? []
      : [input.vectorField, input.queryVector, input.queryVectors, input.querySparse])];
  if (isByDistance) return distanceOrderOf({ cursor, offset }, bound);
  return resultOrderOf({ sort: sort === 'combined' ? undefined : sort, cursor, offset }, bound);
}

/** Whether no weights of the sides are set. */
function isUsual({ alpha, strategy }: HybridInput, profile: Retrieval): boolean {
  return [alpha, strategy, hybridAlphaOf(profile), profile.hybridStrategy].every((wish) => wish === undefined);
}

/** The lexical part of the request. What restricts the documents is applied to both sides. */
function wordsInput(
  { collection, query, algorithm, fuzzy, prefix, matchingStrategy, disableStem, disableSynonyms, highlight,
    highlightTag, highlightEscape, maxHighlights, fragmentSize }: HybridInput,
): Parameters<typeof resolveWords>[1] {
  return {
    ...PLAIN_SEARCH,
    collection,
    query,
    algorithm,
    fuzzy,
    prefix,
    matchingStrategy,
    disableStem,
    disableSynonyms,
    highlight,
    highlightTag,
    highlightEscape,
    maxHighlights,
    fragmentSize,
  };
}

/** The request of a search that uses only the lexical side. */
export function byWordsAlone(request: HybridRequest): HybridRequest {
  if (request.fusion.strategy === 'rrf') return request;
  return { ...request, isFitted: false, alpha: 0, fusion: { strategy: 'alpha', alpha: 0 } };
}

/** Whether the query is embedded: not if it is blank, nor if the vector side has weight 0. */
export function isMeaningWanted({ fusion, query, fields }: HybridRequest): boolean {
  return (query.trim() !== '' || fields !== undefined) && !isByWordsAlone(fusion);
}
