import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Filter } from '../../../search/filter/index.ts';
import type { Circle } from '../../../search/geo/index.ts';
import type { Algorithm, Metric } from '../../../search/vector/index.ts';
import type { Retrieval } from '../../collections/index.ts';
import { expressionOf, projectionOf, type Projection } from '../../documents/index.ts';
import { circleOf } from '../../geo/index.ts';
import type { Rerank } from '../../embeddings/index.ts';
import { limitOf } from '../../limit-of.ts';
import { toSearchVector } from '../query-vector.ts';

export type SearchInput = InputOf<Operations, 'searchVectors'>;
export type RetrievalMode = 'parent' | 'chunk' | 'window';

/** A request with everything decided: what it says, then the collection's profile, then the defaults. */
export interface SearchRequest {
  readonly collection: string;
  /** Empty when only a vector was sent. */
  readonly query: string;
  /** Absent: the query has to be embedded. */
  readonly queryVector: Float32Array | undefined;
  /** Results to find, those that are skipped included. */
  readonly topK: number;
  /** Results to skip. */
  readonly offset: number;
  readonly threshold: number;
  /** All that it says of the documents. */
  readonly filter: Filter | undefined;
  /** Where they have to be; undefined for anywhere. */
  readonly circle: Circle | undefined;
  readonly algorithm: Algorithm | undefined;
  readonly metric: Metric;
  readonly mode: RetrievalMode;
  /** Neighbours on each side. */
  readonly windowSize: number;
  /** As wished; an algorithm has its own default. */
  readonly oversample: number | undefined;
  /** Tokens; 0 is no budget. */
  readonly budget: number;
  readonly projection: Projection;
  /** Weight of relevance against difference; undefined without maximal marginal relevance. */
  readonly lambda: number | undefined;
  /** As the request has it; undefined where the server decides. */
  readonly rerank: Rerank | undefined;
}

const DEFAULT_TOP_K = 5;

/** Throws `missing_fields` without a query, `invalid_argument` for what a schema cannot see. */
export function resolveRequest(input: SearchInput, profile: Retrieval = {}): SearchRequest {
  const { collection, query = '', fields, includeContent, mmr, mmrLambda, distanceMetric: metric } = input;
  if (input.queryVector === undefined && query.trim() === '') throw new ServiceError('missing_fields', 'missing fields: query or queryVector');
  if (input.rerank === 'encoder' && query.trim() === '') throw new ServiceError('invalid_argument', 'rerank: encoder needs query, which the encoder compares with what was found');
  const filter = expressionOf(input);
  return {
    collection, query, filter, metric,
    circle: input.geo && circleOf(input.geo),
    queryVector: input.queryVector && toSearchVector(input.queryVector, metric),
    topK: input.offset + (limitOf(input) ?? profile.topK ?? DEFAULT_TOP_K),
    offset: input.offset,
    threshold: input.threshold,
    algorithm: input.algorithm,
    mode: input.retrievalMode ?? profile.retrievalMode ?? 'parent',
    windowSize: input.windowSize,
    oversample: input.oversample ?? profile.oversample,
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
    // The default of `includeContent` must not hide a body that `fields` names (decision D-40).
    projection: fields === undefined ? projectionOf(undefined, includeContent) : projectionOf(fields, includeContent || undefined),
    lambda: mmr ? mmrLambda : undefined,
    rerank: input.rerank,
  };
}
