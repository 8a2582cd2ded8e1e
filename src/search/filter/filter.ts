import { ServiceError } from '../../errors/index.ts';
import type { Bounds } from './compare-values.ts';

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
