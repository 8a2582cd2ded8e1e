import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Algorithm, Metric } from '../../../search/vector/index.ts';
import type { CollectionConfig } from '../../collections/index.ts';
import { candidatesOf, diverseCandidates, diversityOf, type RankedRequest, resolveSearch,
  resultOrderOf } from '../../search/index.ts';
import { fieldQueriesOf, type FieldQuery, numbersOfQuery, toSearchVector } from '../../vector-fields/index.ts';

export type SearchInput = InputOf<Operations, 'searchVectors'>;

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface SearchRequest extends RankedRequest {
  /** Absent: the query must be embedded. */
  readonly queryVector: Float32Array | undefined;
  /** The fields of supplied vectors to search; absent for embeddings. */
  readonly fields?: readonly FieldQuery[] | undefined;
  readonly threshold: number;
  readonly algorithm: Algorithm | undefined;
  readonly metric: Metric;
  /** As requested; an algorithm has its own default. */
  readonly oversample: number | undefined;
}

const DEFAULT_TOP_K = 5;

/** Throws `missing_fields` without a query, `invalid_argument` for what a schema cannot check. */
export function resolveRequest(input: SearchInput,
  { retrieval: profile = {}, vectors }: CollectionConfig = {}): SearchRequest
{
  const { collection, query = '', algorithm, windowSize, passagesPerDocument } = input;
  const fields = fieldQueriesOf(input, vectors);
  if (fields === undefined && input.queryVector === undefined && query.trim() === '')
    throw new ServiceError('missing_fields', 'missing fields: query or queryVector');
  const isCombined = fields !== undefined && (fields.length > 1 || fields[0]!.field.kind === 'multi');
  if (isCombined) requireDocuments(input);
  if (input.mmr && fields?.[0]!.field.kind === 'sparse')
    throw new ServiceError('invalid_argument', 'mmr needs one field of the kind dense');
  if (input.rerank === 'encoder' && query.trim() === '')
    throw new ServiceError('invalid_argument',
      'rerank: encoder needs query, which the encoder compares with what was found');
  const metric = fields?.[0]!.field.metric ?? input.distanceMetric;
  const diversity = diversityOf(input, metric);
  const search = resolveSearch(input, profile, DEFAULT_TOP_K, vectors);
  const mode = isCombined ? 'parent' : input.retrievalMode ?? profile.retrievalMode ?? 'parent';
  const oversample = input.oversample ?? profile.oversample;
  const order = resultOrderOf(input, ['vectors', collection.toLowerCase(), query, input.queryVector, metric, algorithm,
    mode, windowSize, passagesPerDocument, input.boost,
    ...(fields === undefined
      ? [input.vectorField ?? []].flat()
      : [input.vectorField, input.queryVectors, input.querySparse, input.vectorFields])]);
  const isCounted = input.facetBy !== undefined;
  const isWide = mode === 'window' || passagesPerDocument !== undefined || diversity !== undefined ||
    Object.keys(search.boost).length > 0;
  // Only windows, which merge, a choice, passages left out, boosts and facets need more candidates than results.
  const candidates = order === undefined && !isWide && !isCounted
    ? search.limit
    : candidatesOf(search, order, isWide ? oversample : 1);
  return {
    ...search,
    mode,
    windowSize,
    metric,
    algorithm,
    oversample,
    order,
    fields,
    queryVector: fields === undefined && input.queryVector !== undefined
      ? toComparedVector(numbersOfQuery(input.queryVector), metric)
      : undefined,
    threshold: input.threshold,
    candidates: diversity === undefined ? candidates : diverseCandidates(candidates, search.limit),
    diversity,
    passagesPerDocument,
    rerank: input.rerank,
    fusion: undefined,
    isCounted,
  };
}

/**
 * A vector of a client in the form in which it is compared with embeddings. For the dot product it is scaled to length
 * 1: then a score is at most the length of the stored vector, which is 1 for all models, and `threshold` means the same
 * as for the cosine.
 */
export function toComparedVector(numbers: readonly number[], metric: Metric): Float32Array {
  const vector = toSearchVector(numbers, metric);
  if (metric !== 'dot_product') return vector;
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  // Zeros stay zeros.
  return length === 0 ? vector : vector.map((number) => number / length);
}

/** Throws `invalid_argument` for what needs single vectors, where several of a document are summed up. */
function requireDocuments({ retrievalMode = 'parent', mmr }: SearchInput): void {
  if (retrievalMode !== 'parent') {
    throw new ServiceError('invalid_argument',
      `retrievalMode must be parent with several vectorFields or a field of the kind multi, got ${retrievalMode}`);
  }
  if (mmr)
    throw new ServiceError('invalid_argument', 'mmr needs one field of the kind dense');
}
