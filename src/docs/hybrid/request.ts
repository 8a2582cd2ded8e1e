import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { InputOf } from '../../operations/index.ts';
import { hybridAlphaOf, type Retrieval, type VectorFields } from '../collections/index.ts';
import { PLAIN_SEARCH, resolveWords, type WordsDeps, type WordsRequest } from '../fulltext/index.ts';
import { candidatesOf, distanceOrderOf, diverseCandidates, diversityOf, isByWordsAlone, type RankedRequest,
  resolveSearch, resultOrderOf, type RetrievalMode, type WantedFusion } from '../search/index.ts';
import { fieldQueriesOf, type FieldQuery, numbersOfQuery } from '../vector-fields/index.ts';
import { toComparedVector } from '../vectors/index.ts';

export type HybridInput = InputOf<Operations, 'searchHybrid'>;

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface HybridRequest extends RankedRequest {
  /** The lexical side: the equivalent full-text request for its candidates. */
  readonly words: WordsRequest;
  readonly fusion: WantedFusion;
  /** As they are returned; only one of them is used. */
  readonly alpha: number;
  readonly rrfK: number;
  readonly threshold: number;
  readonly vectorAlgorithm: HybridInput['vectorAlgorithm'];
  readonly metric: HybridInput['distanceMetric'];
  /** The field of supplied vectors to search; absent for embeddings. */
  readonly fields?: readonly FieldQuery[] | undefined;
  /** What embeddings are compared with; absent: the query must be embedded. */
  readonly queryVector: Float32Array | undefined;
}

const DEFAULT_TOP_K = 10;
const DEFAULT_ALPHA = 0.5;

/**
 * Throws `invalid_argument` for what a schema cannot check: the query's syntax, total sizes, an order that needs a
 * place.
 */
export function resolveRequest(deps: WordsDeps, input: HybridInput): HybridRequest {
  const { rrfK, threshold, distanceMetric: metric, windowSize, vectorAlgorithm, rerank, passagesPerDocument } = input;
  const diversity = diversityOf({ ...input, sort: input.sort === 'combined' ? undefined : input.sort });
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
  const words = resolveWords(deps, wordsInput(input), { forPresent: true });
  const fusion = fusionOf(input, profile, alpha, words);
  const candidates = candidatesOf(search, order, input.oversample ?? profile.oversample);
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
    queryVector: fields === undefined && input.queryVector !== undefined
      ? toComparedVector(numbersOfQuery(input.queryVector), metric)
      : undefined,
    vectorAlgorithm,
    rerank,
    isCounted: input.facetBy !== undefined || input.totals !== 'none',
    candidates: diversity === undefined ? candidates : diverseCandidates(candidates, search.limit),
    diversity,
    passagesPerDocument,
    fusion,
    // The lexical side ranks as full-text search does, including reranking, unless weights of the sides are set or the
    // request has an order: then its scores are those of the algorithm, as in the contract's formulas.
    words: fusion.strategy === 'balanced' && order === undefined ? words : { ...words, rerank: false },
  };
}

/** Throws `invalid_argument` for a vector without a field, because embeddings are made of the query. */
function fieldsOf(input: HybridInput, declared: VectorFields | undefined): readonly FieldQuery[] | undefined {
  const fields = fieldQueriesOf(input, declared);
  if (fields === undefined && input.queryVector !== undefined && input.vectorField === undefined) {
    const names = Object.keys(declared ?? {});
    throw new ServiceError('invalid_argument',
      `queryVector needs vectorField${names.length === 0 ? '' : `, such as ${names.join(' or ')}`}`);
  }
  if (input.mmr && fields !== undefined && fields[0]!.field.kind !== 'dense')
    throw new ServiceError('invalid_argument', 'mmr needs a field of the kind dense');
  return fields;
}

/** The order of a request by fields of documents, or by cursor. Throws `invalid_argument`. */
function orderOf(input: HybridInput, mode: RetrievalMode): HybridRequest['order'] {
  const { collection, query, algorithm, vectorAlgorithm, alpha, strategy, rrfK, fuzzy, prefix, matchingStrategy,
    threshold, distanceMetric, windowSize, passagesPerDocument, disableStem, disableSynonyms, boost, sort, cursor,
    offset } = input;
  const isByDistance = sort === 'distance';
  const bound = ['hybrid', collection.toLowerCase(), query, algorithm, vectorAlgorithm, alpha, strategy, rrfK, fuzzy,
    prefix, matchingStrategy, threshold, distanceMetric, mode, windowSize, passagesPerDocument, disableStem,
    disableSynonyms, boost, isByDistance ? input.geo : undefined,
    ...(input.vectorField === undefined
      ? []
      : [input.vectorField, input.queryVector, input.queryVectors, input.querySparse])];
  if (isByDistance) return distanceOrderOf({ cursor, offset }, bound);
  return resultOrderOf({ sort: sort === 'combined' ? undefined : sort, cursor, offset }, bound);
}

/** By what sets the weights of the sides; if nothing does, they are balanced. */
function fusionOf(input: HybridInput, profile: Retrieval, alpha: number,
  { plan: { mode, readings } }: WordsRequest): WantedFusion
{
  const strategy = input.strategy ?? profile.hybridStrategy;
  if (strategy === 'rrf') return { strategy, k: input.rrfK };
  if ([strategy, input.alpha, hybridAlphaOf(profile)].some((wish) => wish !== undefined))
    return { strategy: 'alpha', alpha };
  // Code has no stop words, so the reading with the fewest words is that of the prose.
  const queryWords = mode === 'simple' ? Math.min(...readings.map(({ wanted }) => wanted.length)) : undefined;
  return { strategy: 'balanced', queryWords };
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
  return { ...request, alpha: 0, fusion: { strategy: 'alpha', alpha: 0 } };
}

/** Whether the query is embedded: not if it is blank, nor if the vector side has weight 0. */
export function isMeaningWanted({ fusion, query, fields, queryVector }: HybridRequest): boolean {
  return (query.trim() !== '' || fields !== undefined || queryVector !== undefined) && !isByWordsAlone(fusion);
}
