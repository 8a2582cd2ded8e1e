import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { FilterInput, GeoCircleInput, Maybe, MetaInput,
  Scalars } from '../../../../generated/graphql/resolvers.ts';
import { toFilter, toMeta } from './input.ts';

interface Filters {
  readonly filterMeta?: Maybe<readonly MetaInput[]>;
  readonly filter?: Maybe<FilterInput>;
  readonly langs?: Maybe<readonly string[]>;
  readonly geo?: Maybe<GeoCircleInput>;
}

/** A search in the form of the operations' input: its filters are converted, and the other fields unchanged. */
export function withFilters<I extends Filters>({ filterMeta, filter, langs, geo, ...rest }: I) {
  return {
    ...rest,
    filterMeta: toMeta(filterMeta),
    filter: toFilter(filter),
    langs: langs && [...langs],
    ...(geo && { geo }),
  };
}

interface WordOptions {
  readonly fuzzy?: Maybe<keyof typeof EDITS>;
  readonly matchingStrategy?: Maybe<keyof typeof STRATEGIES>;
  readonly boost?: Maybe<Scalars['JSONObject']['input']>;
  readonly facetBy?: Maybe<readonly string[]>;
  readonly totals?: Maybe<keyof typeof TOTALS>;
}

const EDITS = { EXACT: 0, ONE: 1, TWO: 2, AUTO: 'auto' } as const;
const TOTALS = { EXACT: 'exact', BOUNDED: 'bounded', NONE: 'none' } as const;
const STRATEGIES = { ANY: 'any', ALL: 'all', MOST: 'most' } as const;

/**
 * Options of a search by words in the form of the operations' input; GraphQL has its own names for enumeration values.
 */
export function withWordOptions<I extends WordOptions>(
  { fuzzy, matchingStrategy, boost, facetBy, totals, ...rest }: I,
) {
  return {
    ...rest,
    boost: numbers(boost),
    facetBy: facetBy && [...facetBy],
    ...(fuzzy && { fuzzy: EDITS[fuzzy] }),
    ...(matchingStrategy && { matchingStrategy: STRATEGIES[matchingStrategy] }),
    ...(totals && { totals: TOTALS[totals] }),
  };
}

/** An object of numbers; the operation checks its values. */
export function numbers(value: Maybe<Scalars['JSONObject']['input']> | undefined): Record<string, number> | undefined {
  return value == null ? undefined : (value as Record<string, number>);
}

/** The passages of a result; null if none were requested. */
export function presentHighlights(highlights: readonly Highlight[] | undefined) {
  return highlights?.map(({ valueIndex, ...highlight }) => ({ ...highlight, valueIndex: valueIndex ?? null })) ?? null;
}
