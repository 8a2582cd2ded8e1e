const GROUP = 'group:';

/**
 * The value of a claim and what it stands for, from `VALUE=ROLE` or `VALUE=group:NAME`; undefined for what is neither.
 * The last `=` counts, for values may have some.
 */
export function parseClaimEntry(entry: string): [value: string, meaning: string] | undefined {
  const at = entry.lastIndexOf('=');
  const [value, meaning] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  return at < 0 || value === '' || meaning === '' || meaning === GROUP ? undefined : [value, meaning];
}
