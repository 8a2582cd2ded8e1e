export type Meta = Record<string, string[]>;

/** A mapping of any depth: from YAML, whose keys may have any type, or from JSON. */
export type Nested = ReadonlyMap<unknown, unknown> | Readonly<Record<string, unknown>>;

export interface Flattened {
  readonly meta: Meta;
  /** Paths below which a non-scalar key was omitted; '' for the root. */
  readonly leftOut: readonly string[];
}

/** Aliases of YAML can repeat a list many times, so the number of values of a document is limited. */
export const MAX_VALUES = 100_000;

/**
 * Flat metadata (contract, section 2, "Structured frontmatter"): a scalar is one value, a list of
 * scalars is several, null is nothing, and nested structures take dotted keys such as
 * `faq.0.question`. Undefined when there are more than `MAX_VALUES` values.
 */
export function flattenMeta(root: Nested): Flattened | undefined {
  let count = 0;
  const values = new Map<string, string[]>();
  const leftOut: string[] = [];

  const add = (key: string, value: string): void => {
    count += 1;
    const list = values.get(key);
    if (list === undefined) values.set(key, [value]);
    else list.push(value);
  };
  const visitNested = (path: string, nested: Nested): void => {
    for (const [key, value] of nested instanceof Map ? nested : Object.entries(nested)) {
      if (isScalar(key)) visit(path === '' ? String(key) : `${path}.${String(key)}`, value);
      else leftOut.push(path);
    }
  };
  const visit = (path: string, value: unknown): void => {
    if (value === null || value === undefined || count > MAX_VALUES) return;
    if (isScalar(value)) add(path, String(value));
    else if (!Array.isArray(value)) visitNested(path, value as Nested);
    else if (value.every(isScalar)) value.forEach((item) => visit(path, item));
    else value.forEach((item, index) => visit(`${path}.${index}`, item));
  };

  visitNested('', root);
  if (count > MAX_VALUES) return undefined;
  // `fromEntries` defines own properties, whatever their name, so a key `__proto__` is harmless.
  return { meta: Object.fromEntries(values), leftOut };
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
