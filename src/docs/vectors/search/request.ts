import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Filter } from '../../../search/filter/index.ts';
import type { Circle } from '../../../search/geo/index.ts';
import type { Algorithm, Metric } from '../../../search/vector/index.ts';
import type { Retrieval } from '../../collections/index.ts';
import type { Rerank } from '../../embeddings/index.ts';
import { circleOf, expressionOf, limitOf, type Projection, projectionOf, type ResultOrder,
  resultOrderOf } from '../../search/index.ts';
import { toSearchVector } from '../query-vector.ts';

export type SearchInput = InputOf<Operations, 'searchVectors'>;
export type RetrievalMode = 'parent' | 'chunk' | 'window';

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface SearchRequest {
  readonly collection: string;
  /** Empty when only a vector was sent. */
  readonly query: string;
  /** Absent: the query must be embedded. */
  readonly queryVector: Float32Array | undefined;
  /** Number of results to find, including skipped ones. */
  readonly topK: number;
  /** Number of results to skip. */
  readonly offset: number;
  readonly threshold: number;
  /** All conditions on documents. */
  readonly filter: Filter | undefined;
  /** The circle in which they must be; undefined for any place. */
  readonly circle: Circle | undefined;
  readonly algorithm: Algorithm | undefined;
  readonly metric: Metric;
  readonly mode: RetrievalMode;
  /** Number of neighbours on each side. */
  readonly windowSize: number;
  /** As requested; an algorithm has its own default. */
  readonly oversample: number | undefined;
  /** Tokens; 0 for no budget. */
  readonly budget: number;
  readonly projection: Projection;
  /** Weight of relevance against diversity; undefined without maximal marginal relevance. */
  readonly lambda: number | undefined;
  /** As requested; undefined if the server decides. */
  readonly rerank: Rerank | undefined;
  /** Undefined for best first and pages by offset. */
  readonly order: ResultOrder | undefined;
}

const DEFAULT_TOP_K = 5;

/** Throws `missing_fields` without a query, `invalid_argument` for what a schema cannot check. */
export function resolveRequest(input: SearchInput, profile: Retrieval = {}): SearchRequest {
  const { collection, query = '', fields, includeContent, mmr, mmrLambda, distanceMetric: metric } = input;
  if (input.queryVector === undefined && query.trim() === '')
    throw new ServiceError('missing_fields', 'missing fields: query or queryVector');
  if (input.rerank === 'encoder' && query.trim() === '')
    throw new ServiceError('invalid_argument',
      'rerank: encoder needs query, which the encoder compares with what was found');
  if (mmr && (input.sort !== undefined || input.cursor !== undefined))
    throw new ServiceError('invalid_argument',
      'mmr must not come with sort or cursor: it chooses results in an order of its own');
  const filter = expressionOf(input);
  const mode = input.retrievalMode ?? profile.retrievalMode ?? 'parent';
  return {
    collection,
    query,
    filter,
    metric,
    circle: input.geo && circleOf(input.geo),
    queryVector: input.queryVector && toSearchVector(input.queryVector, metric),
    topK: input.offset + (limitOf(input) ?? profile.topK ?? DEFAULT_TOP_K),
    offset: input.offset,
    threshold: input.threshold,
    algorithm: input.algorithm,
    mode,
    windowSize: input.windowSize,
    oversample: input.oversample ?? profile.oversample,
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
    // The default of `includeContent` must not hide a body that `fields` names.
    projection: fields === undefined
      ? projectionOf(undefined, includeContent)
      : projectionOf(fields, includeContent || undefined),
    lambda: mmr ? mmrLambda : undefined,
    rerank: input.rerank,
    order: resultOrderOf(input, ['vectors', collection.toLowerCase(), query, input.queryVector, metric, input.algorithm,
      mode, input.windowSize]),
  };
}
