import type { MetaInput } from '../../../generated/graphql/resolvers.ts';

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
