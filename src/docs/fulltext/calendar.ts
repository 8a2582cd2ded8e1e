export const INTERVALS = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** A period of the calendar in UTC. */
export interface Period {
  /** `2026-01-31`, `2026-W05`, `2026-01` or `2026`. */
  readonly key: string;
  /** Its first second, in Unix time. */
  readonly from: number;
  /** The second after its last one. */
  readonly to: number;
}

export const DAY_SECONDS = 86_400;

/** The period that contains a day; days count from 1970-01-01 in UTC (decisions section 4.5). */
export function periodOf(day: number, interval: Interval): Period {
  switch (interval) {
    case 'day':
      return period(isoDate(day), day, day + 1);
    case 'week':
      return weekOf(day);
    case 'month':
      return monthOf(day);
    case 'year':
      return yearOf(day);
  }
}

/** Weeks start on Monday, and belong to the year of their Thursday (ISO 8601). */
function weekOf(day: number): Period {
  const monday = day - weekday(day);
  const { year } = dateOf(monday + 3);
  const week = Math.floor((monday + 3 - dayOf(year, 0)) / 7) + 1;
  return period(`${pad(year, 4)}-W${pad(week, 2)}`, monday, monday + 7);
}

function monthOf(day: number): Period {
  const { year, month } = dateOf(day);
  return period(isoDate(day).slice(0, -'-dd'.length), dayOf(year, month), dayOf(year, month + 1));
}

function yearOf(day: number): Period {
  const { year } = dateOf(day);
  return period(pad(year, 4), dayOf(year, 0), dayOf(year + 1, 0));
}

/** Monday is 0; 1970-01-01 was a Thursday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function period(key: string, from: number, to: number): Period {
  return { key, from: from * DAY_SECONDS, to: to * DAY_SECONDS };
}

function dateOf(day: number): { year: number; month: number } {
  const date = new Date(day * DAY_SECONDS * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() };
}

/** The first day of a month; months count from 0, and 12 is allowed. */
function dayOf(year: number, month: number): number {
  return Date.UTC(year, month) / (DAY_SECONDS * 1000);
}

function isoDate(day: number): string {
  const date = new Date(day * DAY_SECONDS * 1000);
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
