import { createTask, parse } from 'node-cron';
import { Lru } from './lru.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Days that are looked through for a match: the longest cycle of dates, of which 29 February on a given weekday takes 28 or 40 years. */
const MAX_DAYS = 41 * 366;

/** A change of the offset is looked for this far around a day: no zone is farther than 14 hours from UTC. */
const AROUND_MS = 15 * HOUR_MS;

/**
 * The moments of a cron expression of five fields in a time zone. node-cron parses the expression and matches its dates; where
 * the zone's clock changes, this is decided here (as Debian's cron does it):
 * - an expression with certain hours counts by the clock on the wall. A time that is skipped counts at the end of the gap, a
 *   time that comes twice counts at its first;
 * - an expression for every hour follows the time that passes: nothing in the gap, and both hours where one comes twice.
 */
export class CronTimes {
  readonly #zone: ZoneClock;
  readonly #fields: { readonly minutes: readonly number[]; readonly hours: readonly number[]; readonly months: ReadonlySet<number> };
  readonly #matches: (date: Date) => boolean;
  readonly #days = new Lru<number, readonly number[]>(8);

  /** Throws for an expression that `validate` of node-cron refuses, and for a zone that does not exist. */
  constructor(expression: string, timezone: string) {
    const { minute, hour, month } = parse(expression);
    this.#fields = { minutes: ascending(minute), hours: ascending(hour), months: new Set(month) };
    // A task that is never started; dates of the zone are passed to it as if they were of UTC.
    const task = createTask(expression, () => {}, { timezone: 'UTC' });
    void task.destroy(); // only out of the list of tasks; it still matches
    this.#matches = (date) => task.match(date);
    this.#zone = new ZoneClock(timezone);
  }

  /** The first moment after this one, in milliseconds since 1970; undefined when there is none. */
  after(ms: number): number | undefined {
    const first = this.#zone.dayOf(ms) - DAY_MS; // a clock that is put back over midnight repeats the end of a day
    for (let day = first; day <= first + MAX_DAYS * DAY_MS; day += DAY_MS) {
      const found = this.#momentsOf(day).find((moment) => moment > ms);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The last moment that is not after this one; undefined when there is none. */
  upTo(ms: number): number | undefined {
    const first = this.#zone.dayOf(ms) + DAY_MS;
    for (let day = first; day >= first - MAX_DAYS * DAY_MS; day -= DAY_MS) {
      const found = this.#momentsOf(day).findLast((moment) => moment <= ms);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Ascending. `day`: its midnight as if the zone were UTC. */
  #momentsOf(day: number): readonly number[] {
    if (!this.#fields.months.has(new Date(day).getUTCMonth() + 1)) return [];
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const { hours, minutes } = this.#fields;
    const isOfDay = this.#matches(new Date(day + hours[0]! * HOUR_MS + minutes[0]! * MINUTE_MS));
    const moments = isOfDay ? this.#momentsAt(day, hours.flatMap((hour) => minutes.map((minute) => day + hour * HOUR_MS + minute * MINUTE_MS))) : [];
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

/** The clock on the wall of a time zone. Times of it are milliseconds as if the zone were UTC. */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' });
  }

  /** The midnight with which the day of this moment begins on the wall. */
  dayOf(ms: number): number {
    const wall = ms + this.#offsetAt(ms);
    return wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  }

  /** How far the wall is ahead of UTC before and after the one change between two moments; without a change, both are the same. */
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
