/** Which backups are kept. The number 0 disables its rule; the newest backup is always kept. */
export interface RetentionPolicy {
  /** How many of the newest backups are kept. */
  readonly last: number;
  /** The newest backup of a day is kept, for this many days that have one. */
  readonly daily: number;
  /** The same for weeks, which begin on Monday. */
  readonly weekly: number;
  readonly monthly: number;
  /** Older backups are removed even if another rule keeps them; 0 for no limit. Milliseconds. */
  readonly maxAgeMs: number;
}

/** A backup by its name, with its start in milliseconds since 1970. */
export interface DatedBackup {
  readonly name: string;
  readonly at: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the backups that a policy no longer keeps, in no particular order: the grandfather-father-son scheme, with
 * days, weeks and months of a time zone.
 */
export function expiredBackups<B extends DatedBackup>(backups: readonly B[],
  { last, daily, weekly, monthly, maxAgeMs }: RetentionPolicy, now: number, timezone: string): B[]
{
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

/** Returns the first backup of each period, for the first `count` periods. */
function newestOfEach<B>(newestFirst: readonly B[], count: number, periodOf: (backup: B) => number): B[] {
  const found = new Map<number, B>();
  for (const backup of newestFirst) {
    const period = periodOf(backup);
    if (found.size < count && !found.has(period)) found.set(period, backup);
  }
  return [...found.values()];
}

/** The local date: days since 1970, and months since year 0. */
function dayOfZone(timeZone: string): (ms: number) => { readonly day: number; readonly month: number } {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const [year, month, day] = [part['year']!, part['month']!, part['day']!];
    return { day: Date.UTC(year, month - 1, day) / DAY_MS, month: year * 12 + month };
  };
}
