import { ServiceError } from '../../../errors/index.ts';
import { type BoundName, BOUNDS, type Bounds, isMoment, type RangeValue } from '../../../search/filter/index.ts';

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
