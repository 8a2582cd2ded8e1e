import { createTask, parse } from 'node-cron';
import { Lru } from './caches.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Number of days searched for a match. The longest cycle of dates is that of 29 February on a given weekday: 28 or 40
 * years.
 */
const MAX_DAYS = 41 * 366;

/**
 * A change of the offset is searched for within this time around a day, because no zone is more than 14 hours from UTC.
 */
const AROUND_MS = 15 * HOUR_MS;

/**
 * The times of a cron expression of five fields in a time zone. node-cron parses the expression and matches its dates;
 * where the zone's clock changes, this class decides (with the rules of Debian's cron):
 * - an expression with specific hours follows local time. A local time that is skipped matches at the end of the gap; a
 *   local time that occurs twice matches the first time;
 * - an expression for every hour follows elapsed time: nothing matches in the gap, and both occurrences of a repeated
 *   hour match.
 */
export class CronTimes {
  readonly #zone: ZoneClock;
  readonly #fields: { readonly minutes: readonly number[]; readonly hours: readonly number[];
    readonly months: ReadonlySet<number> };
  readonly #matches: (date: Date) => boolean;
  readonly #days = new Lru<number, readonly number[]>(8);

  /** Throws for an expression that node-cron's `validate` rejects, and for a zone that does not exist. */
  constructor(expression: string, timezone: string) {
    const { minute, hour, month } = parse(expression);
    this.#fields = { minutes: ascending(minute), hours: ascending(hour), months: new Set(month) };
    // The task is never started; dates of the zone are passed to it as if they were in UTC.
    const task = createTask(expression, () => {}, { timezone: 'UTC' });
    void task.destroy(); // this removes it only from the list of tasks; it still matches
    this.#matches = (date) => task.match(date);
    this.#zone = new ZoneClock(timezone);
  }

  /** The first time after this one, in milliseconds since 1970; undefined when there is none. */
  after(ms: number): number | undefined {
    const first = this.#zone.dayOf(ms) - DAY_MS; // a clock that is put back across midnight repeats the end of a day
    for (let day = first; day <= first + MAX_DAYS * DAY_MS; day += DAY_MS) {
      const found = this.#momentsOf(day).find((moment) => moment > ms);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The last time that is not after this one; undefined when there is none. */
  upTo(ms: number): number | undefined {
    const first = this.#zone.dayOf(ms) + DAY_MS;
    for (let day = first; day >= first - MAX_DAYS * DAY_MS; day -= DAY_MS) {
      const found = this.#momentsOf(day).findLast((moment) => moment <= ms);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** In ascending order. `day`: the day's midnight, as if the zone were UTC. */
  #momentsOf(day: number): readonly number[] {
    if (!this.#fields.months.has(new Date(day).getUTCMonth() + 1)) return [];
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const { hours, minutes } = this.#fields;
    const isOfDay = this.#matches(new Date(day + hours[0]! * HOUR_MS + minutes[0]! * MINUTE_MS));
    const moments = isOfDay
      ? this.#momentsAt(day, hours.flatMap((hour) =>
        minutes.map((minute) => day + hour * HOUR_MS + minute * MINUTE_MS)
      ))
      : [];
    this.#days.set(day, moments);
    return moments;
  }

  #momentsAt(day: number, walls: readonly number[]): number[] {
    const change = this.#zone.changeWithin(day - AROUND_MS, day + DAY_MS + AROUND_MS);
    const everyHour = this.#fields.hours.length === 24;
    const moments = walls.flatMap((wall) => {
      const before = wall - change.before;
      const after = wall - change.after;
      const found = [...(before < change.at ? [before] : []), ...(after >= change.at ? [after] : [])];
      if (everyHour) return found;
      return found.length === 0 ? [change.at] : [found[0]!];
    });
    return ascending(moments);
  }
}

/** Local time of a time zone. Local times are milliseconds as if the zone were UTC. */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The midnight at which the local day of this time begins. */
  dayOf(ms: number): number {
    const wall = ms + this.#offsetAt(ms);
    return wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  }

  /**
   * The offset of local time from UTC before and after the only change between two times; both are equal if there is no
   * change.
   */
  changeWithin(from: number, to: number): { readonly at: number; readonly before: number; readonly after: number } {
    const before = this.#offsetAt(from);
    const after = this.#offsetAt(to);
    if (before === after) return { at: Infinity, before, after };
    let [earlier, later] = [from, to];
    while (later - earlier > 1000) {
      const middle = Math.floor((earlier + later) / 2000) * 1000;
      if (middle <= earlier) break;
      if (this.#offsetAt(middle) === before) earlier = middle;
      else later = middle;
    }
    return { at: later, before, after };
  }

  #offsetAt(ms: number): number {
    const part = Object.fromEntries(this.#format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const wall = Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second']);
    return wall - Math.floor(ms / 1000) * 1000;
  }
}

const ascending = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
