import type { SearchDocumentsRequest } from '../../../../generated/docs/sdk/types.gen.ts';
import type { FilterInput, MetaInput } from '../../../../generated/graphql/resolvers.ts';

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
