/** Which backups are kept. A number of 0 keeps none for its reason; the newest backup is always kept. */
export interface RetentionPolicy {
  /** The newest ones. */
  readonly last: number;
  /** The newest of a day, for so many days that have one. */
  readonly daily: number;
  /** The newest of a week, which begins on Monday. */
  readonly weekly: number;
  readonly monthly: number;
  /** Older ones go, whatever keeps them otherwise; 0 for any age. Milliseconds. */
  readonly maxAgeMs: number;
}

/** A backup by its name, with the moment in which it was begun, in milliseconds since 1970. */
export interface DatedBackup {
  readonly name: string;
  readonly at: number;
}

const DAY_MS = 86_400_000;

/**
 * The backups that a policy keeps no longer, in no order: the grandfather-father-son scheme, with days, weeks and months of
 * a time zone. An empty list has none.
 */
export function expiredBackups<B extends DatedBackup>(backups: readonly B[], { last, daily, weekly, monthly, maxAgeMs }: RetentionPolicy, now: number, timezone: string): B[] {
  const newestFirst = [...backups].sort((a, b) => b.at - a.at);
  const dayOf = dayOfZone(timezone);
  const kept = new Set<B>([
    ...newestFirst.slice(0, last),
    ...newestOfEach(newestFirst, daily, ({ at }) => dayOf(at).day),
    ...newestOfEach(newestFirst, weekly, ({ at }) => Math.floor((dayOf(at).day + 3) / 7)), // day 0 was a Thursday
    ...newestOfEach(newestFirst, monthly, ({ at }) => dayOf(at).month),
  ]);
  const tooOld = (at: number): boolean => maxAgeMs > 0 && at < now - maxAgeMs;
  return newestFirst.filter((backup, i) => i > 0 && (!kept.has(backup) || tooOld(backup.at)));
}

/** The first of each period, for the first `count` periods. */
function newestOfEach<B>(newestFirst: readonly B[], count: number, periodOf: (backup: B) => number): B[] {
  const found = new Map<number, B>();
  for (const backup of newestFirst) {
    const period = periodOf(backup);
    if (found.size < count && !found.has(period)) found.set(period, backup);
  }
  return [...found.values()];
}

/** The date on the wall: days since 1970, and months since year 0. */
function dayOfZone(timeZone: string): (ms: number) => { readonly day: number; readonly month: number } {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const [year, month, day] = [part['year']!, part['month']!, part['day']!];
    return { day: Date.UTC(year, month - 1, day) / DAY_MS, month: year * 12 + month };
  };
}
