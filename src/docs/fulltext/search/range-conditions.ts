import { ServiceError } from '../../../errors/index.ts';

export type BoundName = 'gte' | 'lte' | 'gt' | 'lt';
export type RangeValue = string | number;
export type Bounds = Readonly<Partial<Record<BoundName, RangeValue>>>;

/** Bounds of one field that must all hold for one of its values. */
export interface RangeCondition {
  readonly field: string;
  readonly bounds: Bounds;
}

/** `rangeMeta` of a request: an array, or a map from field to bounds (decision D-91). */
export type RangeMeta = readonly ({ readonly field: string } & Bounds)[] | Readonly<Record<string, Bounds>>;

const BOUNDS = ['gte', 'lte', 'gt', 'lt'] as const;
const TIMES: ReadonlySet<string> = new Set(['addedAt', 'updatedAt']);
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const ISO_DATE = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/i;

/** Conditions in one form. Throws `invalid_argument` for a bound of a time that is neither a number nor a date. */
export function toConditions(ranges: RangeMeta = []): RangeCondition[] {
  const list = Array.isArray(ranges)
    ? (ranges as readonly ({ field: string } & Bounds)[]).map(({ field, ...bounds }) => ({ field, bounds }))
    : Object.entries(ranges as Readonly<Record<string, Bounds>>).map(([field, bounds]) => ({ field, bounds }));
  for (const { field, bounds } of list) if (isTime(field)) for (const name of BOUNDS) checkTime(field, name, bounds[name]);
  return list;
}

/** Whether a field is a time of the document rather than a metadata key. */
export function isTime(field: string): field is 'addedAt' | 'updatedAt' {
  return TIMES.has(field);
}

/** Whether a value is within all bounds. */
export function isWithin(value: RangeValue, bounds: Bounds): boolean {
  const holds = (name: BoundName, test: (order: number) => boolean): boolean => bounds[name] === undefined || test(compare(value, bounds[name]));
  return holds('gte', (order) => order >= 0) && holds('lte', (order) => order <= 0) && holds('gt', (order) => order > 0) && holds('lt', (order) => order < 0);
}

/** Numbers by size; else dates, for which a number counts as Unix seconds; else text by code point (decision D-91). */
function compare(a: RangeValue, b: RangeValue): number {
  const numbers = [toNumber(a), toNumber(b)] as const;
  if (numbers[0] !== undefined && numbers[1] !== undefined) return numbers[0] - numbers[1];
  const [from, to] = [numbers[0] ?? toSeconds(a), numbers[1] ?? toSeconds(b)];
  if (from !== undefined && to !== undefined) return from - to;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

function toNumber(value: RangeValue): number | undefined {
  if (typeof value === 'number') return value;
  const text = value.trim();
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** Dates without a zone are in UTC. */
function toSeconds(value: RangeValue): number | undefined {
  const text = String(value).trim();
  const match = ISO_DATE.exec(text);
  if (match === null) return undefined;
  const milliseconds = Date.parse(text.length > 10 && match[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

function checkTime(field: string, name: BoundName, value: RangeValue | undefined): void {
  if (value === undefined || toNumber(value) !== undefined || toSeconds(value) !== undefined) return;
  throw new ServiceError('invalid_argument', `rangeMeta: ${name} of ${field} must be a Unix time or an ISO 8601 date, got "${value}"`);
}
