export type Interval = 'day' | 'week' | 'month';

/** Unix seconds; `to` is excluded: it belongs to the next bucket. */
export interface Bucket {
  readonly from: number;
  readonly to: number;
  count: number;
}

const DAY = 86_400;

/** 1970-01-01 was a Thursday, the fourth day of an ISO week. */
const THURSDAY = 3;

/** The days as intervals in UTC, in their order; those without events are left out. */
export function bucketsOf(days: readonly { readonly day: number; readonly count: number }[],
  interval: Interval): Bucket[]
{
  const buckets: Bucket[] = [];
  for (const { day, count } of days) {
    const last = buckets.at(-1);
    if (last !== undefined && day * DAY < last.to) last.count += count;
    else buckets.push({ ...boundsOf(day, interval), count });
  }
  return buckets;
}

function boundsOf(day: number, interval: Interval): { from: number; to: number } {
  if (interval === 'day') return { from: day * DAY, to: (day + 1) * DAY };
  if (interval === 'week') {
    const monday = day - ((day + THURSDAY) % 7);
    return { from: monday * DAY, to: (monday + 7) * DAY };
  }
  const date = new Date(day * DAY * 1000);
  const monthFrom = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 1000;
  return { from: monthFrom(0), to: monthFrom(1) };
}
