/** Values that documents must have, by metadata key: one of the values of each key. */
export type Filters = Readonly<Record<string, readonly string[]>>;

const PREFIX = 'f.';

/** In the URL they are `f.KEY`, a JSON list each, because values may contain any character. */
export function readFilters(query: Readonly<Record<string, string>>): Filters {
  const entries = Object.entries(query).filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries(
    entries.map(([name, text]) => [name.slice(PREFIX.length), listOf(text)]).filter(([, values]) => values!.length > 0),
  );
}

/** Returns the parameters that change the filters of a URL into others. */
export function writeFilters(before: Filters, next: Filters): Record<string, string | undefined> {
  const keys = new Set([...Object.keys(before), ...Object.keys(next)]);
  return Object.fromEntries(
    [...keys].map((key) => [PREFIX + key, next[key]?.length ? JSON.stringify(next[key]) : undefined]),
  );
}

/** Adds a value to a filter, or removes it if it is there. */
export function toggled(filters: Filters, key: string, value: string): Filters {
  const values = filters[key] ?? [];
  return { ...filters, [key]: values.includes(value) ? values.filter((other) => other !== value) : [...values, value] };
}

function listOf(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}
