import type { SearchDocumentsRequest } from '../../../generated/docs/sdk/types.gen.ts';
import type { FilterInput } from '../../../generated/graphql/resolvers.ts';

type Filter = NonNullable<SearchDocumentsRequest['filter']>;

/**
 * A filter in the form of the operations' input: a null field is the same as an absent one. Returns undefined for no
 * filter.
 */
export function toFilter(input: FilterInput | null | undefined): Filter | undefined {
  return input == null ? undefined : (withoutNulls(input) as Filter);
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
