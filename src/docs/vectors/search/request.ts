import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Algorithm, Metric } from '../../../search/vector/index.ts';
import type { Retrieval } from '../../collections/index.ts';
import { candidatesOf, diverseCandidates, diversityOf, type RankedRequest, resolveSearch,
  resultOrderOf } from '../../search/index.ts';

export type SearchInput = InputOf<Operations, 'searchVectors'>;

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface SearchRequest extends RankedRequest {
  /** Absent: the query must be embedded. */
  readonly queryVector: Float32Array | undefined;
  readonly threshold: number;
  readonly algorithm: Algorithm | undefined;
  readonly metric: Metric;
  /** As requested; an algorithm has its own default. */
  readonly oversample: number | undefined;
}

const DEFAULT_TOP_K = 5;

/** Throws `missing_fields` without a query, `invalid_argument` for what a schema cannot check. */
export function resolveRequest(input: SearchInput, profile: Retrieval = {}): SearchRequest {
  const { collection, query = '', algorithm, distanceMetric: metric, windowSize, passagesPerDocument } = input;
  if (input.queryVector === undefined && query.trim() === '')
    throw new ServiceError('missing_fields', 'missing fields: query or queryVector');
  if (input.rerank === 'encoder' && query.trim() === '')
    throw new ServiceError('invalid_argument',
      'rerank: encoder needs query, which the encoder compares with what was found');
  const diversity = diversityOf(input, metric);
  const search = resolveSearch(input, profile, DEFAULT_TOP_K);
  const mode = input.retrievalMode ?? profile.retrievalMode ?? 'parent';
  const oversample = input.oversample ?? profile.oversample;
  const order = resultOrderOf(input, ['vectors', collection.toLowerCase(), query, input.queryVector, metric, algorithm,
    mode, windowSize, passagesPerDocument, input.boost]);
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
    queryVector: input.queryVector && toSearchVector(input.queryVector, metric),
    threshold: input.threshold,
    candidates: diversity === undefined ? candidates : diverseCandidates(candidates, search.limit),
    diversity,
    passagesPerDocument,
    rerank: input.rerank,
    fusion: undefined,
    isCounted,
  };
}

/** Larger components could result in products outside the range of 32-bit floats. */
const MAX_COMPONENT = 1e15;

/** Throws `invalid_argument` for numbers whose distances and products could be outside the range of 32-bit floats. */
export function toBoundedVector(numbers: readonly number[]): Float32Array {
  const largest = largestOf(numbers);
  if (largest > MAX_COMPONENT)
    throw new ServiceError('invalid_argument', `queryVector must have numbers up to ${MAX_COMPONENT}, got ${largest}`);
  return Float32Array.from(numbers);
}

/**
 * A vector of a client in the form in which it is compared. The cosine ignores lengths, so it accepts a vector of any
 * length except zero. For the dot product it is scaled to length 1: then a score is at most the length of the stored
 * vector, which is 1 for all models, and `threshold` means the same as for the cosine.
 */
export function toSearchVector(numbers: readonly number[], metric: Metric): Float32Array {
  if (metric === 'euclidean') return toBoundedVector(numbers);
  if (metric === 'dot_product') return toUnitVector(toBoundedVector(numbers));
  const largest = largestOf(numbers);
  if (largest === 0)
    throw new ServiceError('invalid_argument',
      'queryVector must not be all zeros: it has no direction that a cosine could be measured from');
  // By a power of two, so that no precision is lost.
  const isUnwieldy = largest > MAX_COMPONENT || largest < 1 / MAX_COMPONENT;
  const exponent = isUnwieldy ? -Math.floor(Math.log2(largest)) : 0;
  // In two steps, because the factor for the smallest numbers is not representable by itself.
  const [half, rest] = [Math.trunc(exponent / 2), exponent - Math.trunc(exponent / 2)];
  return Float32Array.from(numbers, (number) => number * 2 ** half * 2 ** rest);
}

/** Zeros stay zeros. */
function toUnitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return length === 0 ? vector : vector.map((number) => number / length);
}

function largestOf(numbers: readonly number[]): number {
  return numbers.reduce((max, number) => Math.max(max, Math.abs(number)), 0);
}
