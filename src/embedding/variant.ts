import type { RolePrefixes } from './role-prefix.ts';

/** A text for everything that makes vectors of the same model incomparable; `plain` if there is nothing. */
export function variantOf(parts: readonly string[], prefixes: RolePrefixes | undefined): string {
  const all = prefixes === undefined ? parts : [...parts, `prefix=${prefixes.name}`];
  return all.length === 0 ? 'plain' : all.join(',');
}
