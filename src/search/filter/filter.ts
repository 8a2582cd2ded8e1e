import { ServiceError } from '../../errors/index.ts';

/** A number is compared with numbers, a text with the stored text. */
export type FilterValue = string | number;

/** A condition on documents, from either of its notations. `field` is the name as it was written (`columnOf`). */
export type Filter = { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] } | { readonly kind: 'not';
  readonly part: Filter } | Condition;

/** A condition on one field. It holds when any value of the field satisfies it. */
export type Condition =
  /** A value equals one of these. */
  | { readonly kind: 'match'; readonly field: string; readonly values: readonly FilterValue[] }
  /** Some value is within all bounds. */
  | { readonly kind: 'range'; readonly field: string; readonly bounds: Bounds }
  /** Some value begins with this text. */
  | { readonly kind: 'prefix'; readonly field: string; readonly prefix: string }
  /** There is a value. */
  | { readonly kind: 'exists'; readonly field: string };

/** Depth of parentheses, `NOT`s, and nested objects of a tree. */
export const MAX_FILTER_DEPTH = 24;
const MAX_CONDITIONS = 200;
/** The same limit as for `filterMeta` (decisions section 8). */
const MAX_VALUES = 1000;

/** Throws on a filter with too many conditions: each is looked up separately. */
export function checkFilterSize(filter: Filter): void {
  let conditions = 0;
  let values = 0;
  for (const condition of conditionsOf(filter)) {
    conditions += 1;
    if (condition.kind === 'match') values += condition.values.length;
  }
  if (conditions > MAX_CONDITIONS)
    throw invalidFilter(`must have at most ${MAX_CONDITIONS} conditions, got ${conditions}`);
  if (values > MAX_VALUES) throw invalidFilter(`must have at most ${MAX_VALUES} values, got ${values}`);
}

/** All conditions, in the order in which they were written. */
export function* conditionsOf(filter: Filter): Generator<Condition> {
  if ('parts' in filter) { for (const part of filter.parts) yield* conditionsOf(part); }
  else if (filter.kind === 'not') yield* conditionsOf(filter.part);
  else yield filter;
}

/** Joins filters that must all match; a single filter is returned as it is. The list must not be empty. */
export function allOf(parts: readonly Filter[]): Filter {
  return parts.length === 1 ? parts[0]! : { kind: 'and', parts };
}

/** `problem` completes a sentence that begins with the position in the filter. */
export function invalidFilter(problem: string, place = 'filter'): ServiceError {
  return new ServiceError('invalid_argument', `${place} ${problem}`);
}

/** Where the values of a field are stored. */
export type Column =
  /** Times of the document, in Unix seconds. */
  | { readonly kind: 'time'; readonly name: 'addedAt' | 'updatedAt' | 'expiresAt' }
  /** What the document is called; letter case does not matter. */
  | { readonly kind: 'name'; readonly name: 'key' | 'lang' }
  | { readonly kind: 'meta'; readonly key: string };

const PREFIX = 'meta.';
const COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ...(['addedAt', 'updatedAt', 'expiresAt'] as const).map((name): [string, Column] => [name, { kind: 'time', name }]),
  ...(['key', 'lang'] as const).map((name): [string, Column] => [name, { kind: 'name', name }]),
]);

/**
 * A field of the document; otherwise a metadata key. Its prefix `meta.` may be omitted unless the key has the name of a
 * document field.
 */
export function columnOf(field: string): Column {
  return COLUMNS.get(field) ?? {
    kind: 'meta',
    key: field.startsWith(PREFIX) && field.length > PREFIX.length ? field.slice(PREFIX.length) : field,
  };
}

/** Bitmaps of a bit for each document that fit into the room, between its limits. */
const FILTERS = 256;
const LEAST_BYTES = 8 * 1024 * 1024;
/** More would be memory that is worth more elsewhere: few requests use so many filters of so many documents in turn. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Bytes in which an index of so many documents remembers the filters that were used last, in columns and in full-text
 * indexes alike: 32 for each document, at least 8 MiB and at most 32 MiB. If fewer filters fit than are used in turn,
 * each is evaluated again every time.
 */
export function roomForFilters(documents: number): number {
  return Math.min(Math.max((documents * FILTERS) / 8, LEAST_BYTES), MOST_BYTES);
}

export type BoundName = 'gte' | 'lte' | 'gt' | 'lt';
export type RangeValue = string | number;
export type Bounds = Readonly<Partial<Record<BoundName, RangeValue>>>;

export const BOUNDS = ['gte', 'lte', 'gt', 'lt'] as const;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const ISO_DATE = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/i;

/** Whether a value is within all bounds. */
export function isWithin(value: RangeValue, bounds: Bounds): boolean {
  const holds = (name: BoundName, test: (order: number) => boolean): boolean =>
    bounds[name] === undefined || test(compareValues(value, bounds[name]));
  return holds('gte', (order) => order >= 0) && holds('lte', (order) => order <= 0) && holds('gt', (order) =>
    order > 0) &&
    holds('lt', (order) => order < 0);
}

/**
 * Compares a value with a number by size, with a date by time, where a number counts as Unix seconds, and with any
 * other text by code point. NaN, which is on no side of anything, if a number or a date is compared with a value that
 * is neither.
 */
export function compareValues(value: RangeValue, bound: RangeValue): number {
  const wanted = toMoment(bound);
  if (wanted === undefined) return compareTexts(String(value), String(bound));
  return (toMoment(value) ?? Number.NaN) - wanted;
}

/** By code point, as SQL compares. */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The number that a value represents, also as text; undefined for anything else. */
export function toNumber(value: RangeValue): number | undefined {
  if (typeof value === 'number') return value;
  const text = value.trim();
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** Unix seconds of an ISO 8601 date, undefined for anything else. Dates without a zone are in UTC. */
export function toSeconds(value: RangeValue): number | undefined {
  const text = String(value).trim();
  const match = ISO_DATE.exec(text);
  if (match === null) return undefined;
  const milliseconds = Date.parse(text.length > 10 && match[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** The number that a value represents, or else the Unix seconds of a date; undefined for anything else. */
export function toMoment(value: RangeValue): number | undefined {
  return toNumber(value) ?? toSeconds(value);
}

/** Whether a value represents a moment: a Unix time or a date. */
export function isMoment(value: RangeValue): boolean {
  return toMoment(value) !== undefined;
}
