import { parse, validate } from 'node-cron';

const NAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
};

const DAY = 86_400;
const MINUTE = 60;
/** Number of days in which the next run is looked for: they include a leap day. */
const MAX_DAYS = 8 * 366;

/** Whether a schedule is valid: five fields, six with leading seconds, or a name. */
export function isSchedule(schedule: string): boolean {
  const pattern = patternOf(schedule);
  return /^\S+(?: +\S+){4,5}$/.test(pattern) && validate(pattern);
}

function patternOf(schedule: string): string {
  const text = schedule.trim();
  return Object.hasOwn(NAMES, text) ? NAMES[text]! : text;
}

/**
 * When a cron is due, in the seconds of a wall clock (`LocalTime`). node-cron parses the pattern. Matching of a second
 * is implemented here, because node-cron needs tens of microseconds for it, and a thousand schedules are checked each
 * second.
 */
export class Schedule {
  /**
   * Whether the schedule may be due in any hour. Such a schedule measures elapsed time, so it ignores changes of the
   * clock.
   */
  readonly isEveryHour: boolean;
  readonly #seconds: readonly number[];
  readonly #minutes: readonly number[];
  readonly #hours: readonly number[];
  readonly #days: ReturnType<typeof parse>;

  /** Requires a schedule for which `isSchedule` returns true. */
  constructor(schedule: string) {
    this.#days = parse(patternOf(schedule));
    const { second, minute, hour } = this.#days;
    [this.#seconds, this.#minutes, this.#hours] = [second, minute, hour].map((values) =>
      values.toSorted((a, b) => a - b)
    ) as [number[], number[], number[]];
    this.isEveryHour = this.#hours.length === 24;
  }

  isDue(local: number): boolean {
    return this.#seconds.includes(local % MINUTE) && this.#minutes.includes(Math.floor(local / MINUTE) % 60)
      && this.#hours.includes(Math.floor(local / 3600) % 24) && this.#isDay(Math.floor(local / DAY));
  }

  /** Whether the schedule is due at some second from `from` to `to`, both inclusive. */
  isDueWithin(from: number, to: number): boolean {
    const next = this.next(from - 1, Math.ceil((to - from) / DAY) + 1);
    return next !== undefined && next <= to;
  }

  /**
   * The first second after another one at which the schedule is due; undefined when there is none within eight years
   * (or `days`).
   */
  next(local: number, days = MAX_DAYS): number | undefined {
    const first = Math.floor(local / DAY);
    for (let day = first; day < first + days; day++) {
      const time = this.#isDay(day) ? this.#firstTime(day === first ? local % DAY : -1) : undefined;
      if (time !== undefined) return day * DAY + time;
    }
    return undefined;
  }

  /** The first due time of a day after a given one, in seconds. */
  #firstTime(after: number): number | undefined {
    for (const hour of this.#hours) {
      if ((hour + 1) * 3600 <= after) continue;
      for (const minute of this.#minutes) {
        const time = this.#seconds.map((second) => hour * 3600 + minute * MINUTE + second).find((each) => each > after);
        if (time !== undefined) return time;
      }
    }
    return undefined;
  }

  /** Month, day of the month and weekday must all match, as in node-cron. */
  #isDay(number: number): boolean {
    const { month, dayOfMonth, dayOfWeek } = this.#days;
    const date = dateOf(number);
    return month.includes(date.month) && dayOfMonth.some((value) => isDayOfMonth(value, date)) &&
      dayOfWeek.some((value) => isDayOfWeek(value, date));
  }
}

interface CalendarDate {
  /** From 1. */
  readonly month: number;
  /** The day of the month from 1, and the last day of the month. */
  readonly day: number;
  readonly last: number;
  /** From 0 for Sunday. */
  readonly weekday: number;
}

/** The date of a day that is counted from 1970. */
function dateOf(number: number): CalendarDate {
  const date = new Date(number * DAY * 1000);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate(), last, weekday: date.getUTCDay() };
}

/** A number, `L` for the last day, `L-2` for two days before it, `15W` and `LW` for the nearest working day. */
function isDayOfMonth(value: number | string, { day, last, weekday }: CalendarDate): boolean {
  if (typeof value === 'number') return value === day;
  if (value === 'L') return day === last;
  if (value.startsWith('L-')) return day === last - Number(value.slice(2));
  const target = value.startsWith('L') ? last : Number.parseInt(value, 10);
  const weekdayOfTarget = (((weekday + target - day) % 7) + 7) % 7;
  if (target > last) return false;
  if (weekdayOfTarget === 6) return day === (target === 1 ? 3 : target - 1);
  if (weekdayOfTarget === 0) return day === (target === last ? last - 2 : target + 1);
  return day === target;
}

/** A number, `5L` for the last such weekday of the month, `5#2` for the second. */
function isDayOfWeek(value: number | string, { day, last, weekday }: CalendarDate): boolean {
  if (typeof value === 'number') return value === weekday;
  if (Number.parseInt(value, 10) % 7 !== weekday) return false;
  return value.includes('#') ? Math.ceil(day / 7) === Number(value.split('#')[1]) : day + 7 > last;
}

/** The offset of a time zone changes only at multiples of this many seconds. */
const STEP = 900;

/**
 * The wall clock of a time zone, in seconds: the number that Unix time would have if the zone's clocks showed UTC. It
 * jumps when daylight saving time begins and ends.
 */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;
  #known: { readonly step: number; readonly offset: number } | undefined;

  /** Throws `RangeError` for an unknown zone. */
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

  /** The local time at a time in Unix seconds. */
  at(second: number): number {
    const step = Math.floor(second / STEP);
    if (this.#known?.step !== step) this.#known = { step, offset: this.#offsetAt(step * STEP) };
    return second + this.#known.offset;
  }

  /**
   * The first time after another one, in Unix seconds, at which the clocks show `local`; if they skip it, the time of
   * the jump.
   */
  toUnix(local: number, after: number): number {
    const offsets = [this.#offsetAt(local - DAY), this.#offsetAt(local + DAY)];
    const [early, late] = [local - Math.max(...offsets), local - Math.min(...offsets)] as const;
    for (const moment of [early, late]) if (moment > after && this.at(moment) === local) return moment;
    return this.at(early) === local || this.at(late) === local ? late : this.#jumpBetween(early, late);
  }

  /** The offset changes at most once between the two. */
  #jumpBetween(early: number, late: number): number {
    const offset = this.at(early) - early;
    let [low, high] = [early, late];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.at(middle) - middle === offset) low = middle;
      else high = middle;
    }
    return high;
  }

  #offsetAt(second: number): number {
    const parts = Object.fromEntries(
      this.#format.formatToParts(second * 1000).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) / 1000 - second;
  }
}
