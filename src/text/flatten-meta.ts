export type Meta = Record<string, string[]>;

/** A mapping of any depth: from YAML, whose keys may have any type, or from JSON. */
type Nested = ReadonlyMap<unknown, unknown> | Readonly<Record<string, unknown>>;

interface Flattened {
  readonly meta: Meta;
  /** Paths below which a non-scalar key was omitted; '' for the root. */
  readonly leftOut: readonly string[];
  /** The first path with a number that is not finite, which JSON reads from texts such as `1e999`. */
  readonly infinite?: string | undefined;
}

/** Aliases of YAML can repeat a list many times, so the number of values of a front matter is limited. */
export const MAX_VALUES = 100_000;

/**
 * What metadata may have (contract section 8, "Metadata"). One more of each is collected, so that whoever checks the
 * limits finds it.
 */
const MOST = { keys: 256, values: 1000, pathBytes: 1024 };

/**
 * Metadata as they are stored: itself when every value is a list of texts that is not empty; otherwise flattened. What
 * exceeds a limit of metadata still exceeds it afterwards.
 */
export function flatMeta(given: Readonly<Record<string, unknown>>): Meta {
  return flattenIfNested(given).meta;
}

/** The same, with what else is known of metadata that had to be flattened. */
export function flattenIfNested(given: Readonly<Record<string, unknown>>): Flattened {
  for (const key of Object.keys(given)) if (!isListOfTexts(given[key])) return flattenMeta(given)!;
  return { meta: given as Meta, leftOut: [] };
}

/**
 * Flat metadata (contract, section 2, "Structured frontmatter"): a scalar is one value, a list of scalars is several,
 * null is nothing, and nested structures take dotted keys such as `faq.0.question`. A key that is also written with
 * dots has the values of both, in the order in which they are given. Undefined when there are more than `mostValues`
 * values, nested ones and nulls included.
 */
export function flattenMeta(root: Nested, mostValues = Infinity): Flattened | undefined {
  let count = 0;
  // Whether a limit is exceeded already, so that nothing more need be collected.
  let isBeyond = false;
  const values = new Map<string, string[]>();
  const leftOut: string[] = [];
  let infinite: string | undefined;

  const add = (key: string, value: string): void => {
    if (isBeyond) return;
    const list = values.get(key);
    if (list === undefined) isBeyond = values.set(key, [value]).size > MOST.keys;
    else isBeyond = list.push(value) > MOST.values;
  };
  const visitNested = (path: string | undefined, nested: Nested): void => {
    for (const [key, value] of nested instanceof Map ? nested : Object.entries(nested)) {
      if (isScalar(key)) visit(path === undefined ? String(key) : `${path}.${String(key)}`, value);
      else leftOut.push(path ?? '');
    }
  };
  const visit = (path: string, value: unknown): void => {
    if (++count > mostValues || value === null || value === undefined) return;
    if (typeof value === 'number' && !Number.isFinite(value)) infinite ??= path;
    if (isScalar(value)) add(path, String(value));
    // Every level makes the path longer, so this bounds the depth as well.
    else if (path.length > MOST.pathBytes) add(path.slice(0, MOST.pathBytes + 1), '');
    else if (!Array.isArray(value)) visitNested(path, value as Nested);
    else if (value.every(isScalar)) value.forEach((item) => visit(path, item));
    else value.forEach((item, index) => visit(`${path}.${index}`, item));
  };

  visitNested(undefined, root);
  if (count > mostValues) return undefined;
  // `fromEntries` defines own properties, whatever their name, so a key `__proto__` is harmless.
  return { meta: Object.fromEntries(values), leftOut, infinite };
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

/**
 * Whether a metadata value looks like a list of maps that was converted to text: structured front matter that was
 * forced into flat metadata (contract, section 2). `/v1/validate` warns of it. It recognises JSON (`[{"question":
 * "…"}]`), the print forms of other languages (`[map[a:1 b:2]]`, `[{'a': 1}]`, `[{:a=>1}]`) and JavaScript's `[object
 * Object]`.
 */
export function looksLikeStringifiedMaps(value: string): boolean {
  const text = value.trim();
  return isJsonListOfObjects(text) || PRINTED_FORMS.some((form) => form.test(text));
}

const PRINTED_FORMS = [/^\[\s*map\[/, /^\[\s*\{\s*(?:'[^']*'|"[^"]*"|:?[\w.$-]+)\s*(?::|=>|=)[^]*\}\s*\]$/,
  /^\[?\s*\[object Object\]/];

function isJsonListOfObjects(text: string): boolean {
  if (!text.startsWith('[') || !text.endsWith(']')) return false;
  try {
    const list = JSON.parse(text) as unknown[];
    return list.length > 0 && list.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  } catch {
    // Not JSON: try the other forms.
    return false;
  }
}
