/** Metadata: any text as key (`__proto__` too), values in the order given, repeats included. */
export type Meta = Readonly<Record<string, readonly string[]>>;

/**
 * The stored form: JSON with sorted keys and no spaces, so that equal metadata have equal text, which
 * the checksum of decision D-36 builds upon. The order of values and their repeats are data.
 */
export function canonicalMeta(meta: Meta): string {
  const keys = Object.keys(meta).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(meta[key])}`).join(',')}}`;
}

export function parseMeta(text: string): Record<string, string[]> {
  return JSON.parse(text) as Record<string, string[]>;
}

/** Each value of each key once, as the metadata index has them. */
export function distinctPairs(meta: Meta): [key: string, value: string][] {
  return Object.entries(meta).flatMap(([key, values]) => [...new Set(values)].map((value): [string, string] => [key, value]));
}

/** What the index must lose and gain when metadata change. */
export function pairChanges(before: Meta, after: Meta): { removed: [string, string][]; added: [string, string][] } {
  return { removed: pairsWithout(before, after), added: pairsWithout(after, before) };
}

function pairsWithout(meta: Meta, other: Meta): [string, string][] {
  const known = new Map(Object.entries(other).map(([key, values]) => [key, new Set(values)]));
  return distinctPairs(meta).filter(([key, value]) => !known.get(key)?.has(value));
}
