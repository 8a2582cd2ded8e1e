import type { RangeCondition, SearchDocumentsRequest } from '../../../../generated/docs/sdk/types.gen.ts';
import type { FilterInput, GeoCircleInput, Maybe, MetaInput, RangeInput,
  Scalars } from '../../../../generated/graphql/resolvers.ts';

/** Returns the object without its null and undefined fields, which count as absent. */
export function given<T extends object>(value: T): Given<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field != null)) as Given<T>;
}

type Given<T> = { [K in keyof T]: Exclude<T[K], null> };

type Filter = NonNullable<SearchDocumentsRequest['filter']>;

/**
 * A filter in the form of the operations' input: a null field is the same as an absent one. Returns undefined for no
 * filter.
 */
export function toFilter(input: FilterInput | null | undefined): Filter | undefined {
  return input == null ? undefined : (withoutNulls(input) as Filter);
}

/** Ranges in the form of the operations' input: a null bound is the same as an absent one. */
export function toRanges(ranges: Maybe<readonly RangeInput[]> | undefined): RangeCondition[] | undefined {
  return ranges?.map((range) => given(range) as RangeCondition);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== null && field !== undefined).map((
      [name, field],
    ) => [name, withoutNulls(field)]),
  );
}

/**
 * Metadata in the form of the operations' input; the values of a key that is listed several times are joined. Returns
 * undefined for no list.
 */
export function toMeta(list: readonly MetaInput[] | null | undefined): Record<string, string[]> | undefined {
  if (list == null) return undefined;
  const meta = new Map<string, string[]>();
  for (const { key, values } of list) {
    const known = meta.get(key);
    if (known === undefined) meta.set(key, [...values]);
    else for (const value of values) known.push(value);
  }
  return Object.fromEntries(meta);
}

/** The vectors of the tokens of a query, as the operations' input has them. */
export function toVectors(vectors: Maybe<readonly (readonly number[])[]> | undefined): number[][] | undefined {
  return vectors?.map((vector) => [...vector]);
}

/** A sparse vector of a query. */
export function toSparse(
  vector: Maybe<{ readonly indices: readonly number[]; readonly values: readonly number[] }> | undefined,
): { indices: number[]; values: number[] } | undefined {
  return vector ? { indices: [...vector.indices], values: [...vector.values] } : undefined;
}

interface Filters {
  readonly filterMeta?: Maybe<readonly MetaInput[]>;
  readonly filter?: Maybe<FilterInput>;
  readonly langs?: Maybe<readonly string[]>;
  readonly rangeMeta?: Maybe<readonly RangeInput[]>;
  readonly geo?: Maybe<GeoCircleInput>;
}

/** A search in the form of the operations' input: its filters are converted, and the other fields unchanged. */
export function withFilters<I extends Filters>({ filterMeta, filter, langs, rangeMeta, geo, ...rest }: I) {
  return {
    ...rest,
    filterMeta: toMeta(filterMeta),
    filter: toFilter(filter),
    langs: langs && [...langs],
    rangeMeta: toRanges(rangeMeta),
    geo: geo ?? undefined,
  };
}

interface WordOptions {
  readonly fuzzy?: Maybe<keyof typeof EDITS>;
  readonly prefix?: Maybe<keyof typeof PREFIXES>;
  readonly matchingStrategy?: Maybe<keyof typeof STRATEGIES>;
  readonly boost?: Maybe<Scalars['JSONObject']['input']>;
  readonly facetBy?: Maybe<readonly string[]>;
  readonly totals?: Maybe<keyof typeof TOTALS>;
}

const EDITS = { EXACT: 0, ONE: 1, TWO: 2, AUTO: 'auto' } as const;
const TOTALS = { EXACT: 'exact', BOUNDED: 'bounded', NONE: 'none' } as const;
const PREFIXES = { NONE: 'none', LAST: 'last' } as const;
const STRATEGIES = { ANY: 'any', ALL: 'all', MOST: 'most' } as const;

/**
 * Options of a search by words in the form of the operations' input; GraphQL has its own names for enumeration values.
 */
export function withWordOptions<I extends WordOptions>(
  { fuzzy, prefix, matchingStrategy, boost, facetBy, totals, ...rest }: I,
) {
  return {
    ...rest,
    boost: numbers(boost),
    facetBy: facetBy && [...facetBy],
    fuzzy: fuzzy ? EDITS[fuzzy] : undefined,
    prefix: prefix ? PREFIXES[prefix] : undefined,
    matchingStrategy: matchingStrategy ? STRATEGIES[matchingStrategy] : undefined,
    totals: totals ? TOTALS[totals] : undefined,
  };
}

/** An object of numbers; the operation checks its values. */
export function numbers(value: Maybe<Scalars['JSONObject']['input']> | undefined): Record<string, number> | undefined {
  return value == null ? undefined : (value as Record<string, number>);
}
