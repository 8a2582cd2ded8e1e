import { ServiceError } from '../../errors/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import type { Evidence, Fusion } from '../../search/fusion/fuse.ts';
import type { Circle } from '../../search/geo/index.ts';
import type { Retrieval, VectorFields } from '../collections/index.ts';
import type { Rerank } from '../embeddings/index.ts';
import type { Diversity } from './diversify.ts';
import { expressionOf, type RequestFilter } from './filter.ts';
import { ORDERED_CANDIDATES, type ResultOrder } from './order.ts';
import { type Projection, projectionOf, wantedVectors } from './present.ts';

/** What inputs of searches have in common; each operation has some of it. */
export interface SearchInput extends RequestFilter {
  readonly collection: string;
  readonly query?: string | undefined;
  /** `limit` and `topK` are two names of one number. */
  readonly limit?: number | undefined;
  readonly topK?: number | undefined;
  readonly offset: number;
  readonly geo?: CircleInput | undefined;
  readonly boost?: Readonly<Record<string, number>> | undefined;
  readonly facetBy?: readonly string[] | undefined;
  readonly facetMaxValues?: number | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly includeContent?: boolean | undefined;
  readonly includeVectors?: boolean | undefined;
  readonly contextTokenBudget?: number | undefined;
}

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface SearchRequest {
  readonly collection: string;
  /** Empty if the request has none. */
  readonly query: string;
  readonly limit: number;
  /** Number of results to skip. */
  readonly offset: number;
  /** All conditions on documents. */
  readonly filter: Filter | undefined;
  /** The circle in which they must be; undefined for any place. */
  readonly circle: Circle | undefined;
  readonly boost: Readonly<Record<string, number>>;
  readonly facetBy: readonly string[] | undefined;
  readonly facetMaxValues: number;
  readonly projection: Projection;
  /** Tokens; 0 for no budget. */
  readonly budget: number;
}

/**
 * `declared`: the vector fields of the collection. Throws `invalid_argument` for what a schema cannot check: total
 * sizes, filters, times.
 */
export function resolveSearch(input: SearchInput, profile: Retrieval, usualLimit: number,
  declared?: VectorFields): SearchRequest
{
  const { collection, query = '', offset, geo, boost = {}, facetBy, facetMaxValues = 0 } = input;
  return {
    collection,
    query,
    offset,
    boost,
    facetBy,
    facetMaxValues,
    limit: limitOf(input) ?? profile.topK ?? usualLimit,
    filter: expressionOf(input),
    circle: geo && circleOf(geo),
    projection: { ...wantedProjection(input), vectors: wantedVectors(input, declared) },
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
  };
}

/**
 * What is shown of each document, where the default of `includeContent` is false: it must not hide a body that `fields`
 * names.
 */
export function wantedProjection(
  { fields, includeContent }: Pick<SearchInput, 'fields' | 'includeContent'>,
): Projection {
  return projectionOf(fields, fields === undefined ? includeContent : includeContent || undefined);
}

/** What a result is: a document, a passage, or one with its neighbours. */
export type RetrievalMode = 'parent' | 'chunk' | 'window';

/** How the sides are combined; `balanced` where nothing sets their weights: then what they find decides. */
export type WantedFusion = Fusion | ({ readonly strategy: 'balanced' } & Pick<Evidence, 'queryWords'>);

/** How the results of a search by words, by vectors or by both are ranked. */
export interface Ranking {
  readonly mode: RetrievalMode;
  /** Number of neighbours on each side. */
  readonly windowSize: number;
  /** Number of candidates of each side for the first pages; it does not depend on `offset`. */
  readonly candidates: number;
  /** Undefined if there is one side, whose scores are those of the results. */
  readonly fusion: WantedFusion | undefined;
  /** As requested; undefined if the server decides. */
  readonly rerank: Rerank | undefined;
  /** Undefined for best first and pages by offset. */
  readonly order: ResultOrder | undefined;
  /** Undefined if results may resemble each other. */
  readonly diversity: Diversity | undefined;
  /** Maximum number of passages of one document, if results are passages; undefined for all. */
  readonly passagesPerDocument: number | undefined;
  /** Whether all matches are known, for facets or their number. */
  readonly isCounted: boolean;
}

export interface RankedRequest extends SearchRequest, Ranking {}

/** The ranking of documents that one side finds, by its scores alone. */
export const ONE_SIDE = {
  mode: 'parent',
  windowSize: 0,
  fusion: undefined,
  rerank: undefined,
  passagesPerDocument: undefined,
} as const satisfies Partial<Ranking>;

/** Decisions sections 4.3 and 4.5. */
const OVERSAMPLE = 3;
const MIN_CANDIDATES = 50;

/** The number of candidates of each side, whatever the page. */
export function candidatesOf({ limit }: Pick<SearchRequest, 'limit'>, order: ResultOrder | undefined,
  oversample: number | undefined = OVERSAMPLE): number
{
  return order === undefined ? Math.max(MIN_CANDIDATES, Math.ceil(limit * oversample)) : ORDERED_CANDIDATES;
}

/**
 * The requested number of results: `limit` and `topK` are two names for it. Throws `invalid_argument` when they differ.
 */
export function limitOf(
  { limit, topK }: { readonly limit?: number | undefined; readonly topK?: number | undefined },
): number | undefined {
  if (limit !== undefined && topK !== undefined && limit !== topK) {
    throw new ServiceError('invalid_argument',
      `limit and topK are two names of one number, got limit ${limit} and topK ${topK}`);
  }
  return limit ?? topK;
}

/** A circle as requests define it. */
export interface CircleInput {
  readonly lat: number;
  readonly lng: number;
  readonly radiusMeters: number;
}

export function circleOf({ lat, lng, radiusMeters }: CircleInput): Circle {
  return { middle: { lat, lng }, radiusMeters };
}
