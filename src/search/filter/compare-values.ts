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

/** Compares numbers by size; otherwise dates, where a number counts as Unix seconds; otherwise texts by code point. */
export function compareValues(a: RangeValue, b: RangeValue): number {
  const numbers = [toNumber(a), toNumber(b)] as const;
  if (numbers[0] !== undefined && numbers[1] !== undefined) return numbers[0] - numbers[1];
  const [from, to] = [numbers[0] ?? toSeconds(a), numbers[1] ?? toSeconds(b)];
  if (from !== undefined && to !== undefined) return from - to;
  return compareTexts(String(a), String(b));
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

/** Whether a value represents a moment: a Unix time or a date. */
export function isMoment(value: RangeValue): boolean {
  return toNumber(value) !== undefined || toSeconds(value) !== undefined;
}
