import { ServiceError } from '../../errors/index.ts';
import { allOf, type BoundName, BOUNDS, type Bounds, checkFilterSize, checkMoments, composedFilter, type Condition,
  type Filter, type FilterNode, isMoment, parseFilter, type RangeValue,
  readFilterTree } from '../../search/filter/index.ts';
import { subtagsOf } from '../../text/languages/index.ts';
import type { Meta } from '../documents/index.ts';

/** The parts of a request that select documents, except `filterMeta`. */
export interface FilterInput {
  readonly filter?: string | FilterNode | undefined;
  readonly langs?: readonly string[] | undefined;
}

/** All parts of a request that select documents. */
export interface RequestFilter extends FilterInput {
  /** The values of a key are alternatives; all keys must match (contract section 4). */
  readonly filterMeta?: Meta | undefined;
  readonly rangeMeta?: RangeMeta | undefined;
}

const MAX_VALUES = 1000;

/**
 * All filters of a request as one expression, undefined without any. Throws `invalid_argument` for what a schema cannot
 * check.
 */
export function expressionOf({ filterMeta = {}, rangeMeta, ...rest }: RequestFilter): Filter | undefined {
  checkFilter(filterMeta);
  const ranges = toConditions(rangeMeta).map(({ field, bounds }): Condition => ({
    kind: 'range',
    field: isTime(field) ? field : metaField(field),
    bounds,
  }));
  const filter = readFilter(rest);
  const parts = [...matchesOf(filterMeta), ...ranges, ...(filter === undefined ? [] : [filter])];
  return parts.length === 0 ? undefined : composedFilter(allOf(parts));
}

/** `filter` and `langs` as one expression, undefined without either. */
function readFilter({ filter, langs = [] }: FilterInput): Filter | undefined {
  const parts: Filter[] = [];
  if (filter !== undefined) parts.push(typeof filter === 'string' ? parseFilter(filter) : readFilterTree(filter));
  for (const part of parts) {
    checkFilterSize(part);
    checkMoments(part);
  }
  if (langs.length > 0) parts.push(inLanguages(langs));
  return parts.length === 0 ? undefined : allOf(parts);
}

/** A language without a region or a script stands for those with one: `en` for `en-US` and `en_GB`. */
function inLanguages(langs: readonly string[]): Filter {
  const match: Filter = { kind: 'match', field: 'lang', values: langs };
  const prefixes = langs.flatMap(subtagsOf).map((prefix): Filter => ({ kind: 'prefix', field: 'lang', prefix }));
  return prefixes.length === 0 ? match : { kind: 'or', parts: [match, ...prefixes] };
}

/** Refuses filters with too many values in total (decisions section 8), which a schema cannot count. */
export function checkFilter(filter: Meta): void {
  const values = Object.values(filter).reduce((sum, list) => sum + list.length, 0);
  if (values > MAX_VALUES)
    throw new ServiceError('invalid_argument', `filterMeta must have at most ${MAX_VALUES} values, got ${values}`);
}

/** A key without values matches no document, and neither does an empty key, because no document has one. */
function matchesOf(filterMeta: Meta): Condition[] {
  return Object.entries(filterMeta).map(([key, values]) => ({
    kind: 'match',
    field: metaField(key),
    values: key === '' ? [] : values,
  }));
}

/** With its prefix, a metadata key may have the same name as a field of a document. */
function metaField(key: string): string {
  return `meta.${key}`;
}

/** Bounds of one field; one of its values must satisfy all of them. */
export interface RangeCondition {
  readonly field: string;
  readonly bounds: Bounds;
}

/** `rangeMeta` of a request: an array, or a map from field to bounds (decision D-91). */
export type RangeMeta = readonly ({ readonly field: string } & Bounds)[] | Readonly<Record<string, Bounds>>;

const TIMES: ReadonlySet<string> = new Set(['addedAt', 'updatedAt']);

/**
 * Conditions in a uniform form. Throws `invalid_argument` for a bound of a time that is neither a number nor a date.
 */
export function toConditions(ranges: RangeMeta = []): RangeCondition[] {
  const list = Array.isArray(ranges)
    ? (ranges as readonly ({ field: string } & Bounds)[]).map(({ field, ...bounds }) => ({ field, bounds }))
    : Object.entries(ranges as Readonly<Record<string, Bounds>>).map(([field, bounds]) => ({ field, bounds }));
  for (const { field, bounds } of list)
    if (isTime(field)) { for (const name of BOUNDS) checkTime(field, name, bounds[name]); }
  return list;
}

/** Whether a field is a time of the document rather than a metadata key. */
export function isTime(field: string): field is 'addedAt' | 'updatedAt' {
  return TIMES.has(field);
}

function checkTime(field: string, name: BoundName, value: RangeValue | undefined): void {
  if (value === undefined || isMoment(value)) return;
  throw new ServiceError('invalid_argument',
    `rangeMeta: ${name} of ${field} must be a Unix time or an ISO 8601 date, got "${value}"`);
}
