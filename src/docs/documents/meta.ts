/** Metadata: any text as key (`__proto__` too), values in the given order, repeats included. */
export type Meta = Readonly<Record<string, readonly string[]>>;

/**
 * The stored form: JSON with sorted keys and no spaces, so that equal metadata have equal text; the checksum requires
 * that. The order of values and their repeats are data.
 */
export function canonicalMeta(meta: Meta): string {
  const keys = Object.keys(meta);
  if (isSorted(keys)) return JSON.stringify(meta);
  keys.sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(meta[key])}`).join(',')}}`;
}

/** Whether the keys are in the order of `sort`. */
function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i]! < keys[i - 1]!) return false;
  return true;
}

export function parseMeta(text: string): Record<string, string[]> {
  return JSON.parse(text) as Record<string, string[]>;
}
