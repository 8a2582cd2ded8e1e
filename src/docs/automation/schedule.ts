import { createTask, parse, validate } from 'node-cron';

const NAMES: Readonly<Record<string, string>> = { '@hourly': '0 * * * *', '@daily': '0 0 * * *', '@weekly': '0 0 * * 0', '@monthly': '0 0 1 * *' };

const DAY = 86_400;
const MINUTE = 60;
/** Days among which the next run is looked for: a leap day comes within them. */
const MAX_DAYS = 8 * 366;
/** Days whose answer is remembered. */
const REMEMBERED = 16;

/** Whether a schedule is understood: five fields, six with leading seconds, or a name. */
export function isSchedule(schedule: string): boolean {
  const pattern = patternOf(schedule);
  return /^\S+(?: +\S+){4,5}$/.test(pattern) && validate(pattern);
}

function patternOf(schedule: string): string {
  const text = schedule.trim();
  return Object.hasOwn(NAMES, text) ? NAMES[text]! : text;
}

/**
 * When a cron is due, in the seconds of a wall clock (`LocalTime`). node-cron reads the pattern and decides which days are meant;
 * the time of day is looked up here, as a thousand schedules are asked each second.
 */
export class Schedule {
  /** Whether it may be due in any hour. Such a schedule counts time rather than hours, so it ignores that clocks are set. */
  readonly isEveryHour: boolean;
  readonly #pattern: string;
  readonly #fields: { readonly seconds: readonly number[]; readonly minutes: readonly number[]; readonly hours: readonly number[]; readonly months: ReadonlySet<number> };
  readonly #days = new Map<number, boolean>();

  /** Expects a schedule for which `isSchedule` holds. */
  constructor(schedule: string) {
    this.#pattern = patternOf(schedule);
    const { second, minute, hour, month } = parse(this.#pattern);
    const [seconds, minutes, hours] = [second, minute, hour].map((values) => values.toSorted((a, b) => a - b)) as [number[], number[], number[]];
    this.#fields = { seconds, minutes, hours, months: new Set(month) };
    this.isEveryHour = hours.length === 24;
  }

  isDue(local: number): boolean {
    const { seconds, minutes, hours } = this.#fields;
    return seconds.includes(local % MINUTE) && minutes.includes(Math.floor(local / MINUTE) % 60) && hours.includes(Math.floor(local / 3600) % 24) && this.#isDay(Math.floor(local / DAY));
  }

  /** Whether it is due at some second from one to another, both inclusive. */
  isDueWithin(from: number, to: number): boolean {
    const next = this.next(from - 1, Math.ceil((to - from) / DAY) + 1);
    return next !== undefined && next <= to;
  }

  /** The first second after another one in which it is due; undefined when there is none within eight years (or `days`). */
  next(local: number, days = MAX_DAYS): number | undefined {
    const first = Math.floor(local / DAY);
    for (let day = first; day < first + days; day++) {
      if (!this.#isDay(day)) continue;
      const time = this.#firstTime(day === first ? local % DAY : -1);
      if (time !== undefined) return day * DAY + time;
    }
    return undefined;
  }

  /** The first time of a day after another one, in seconds. */
  #firstTime(after: number): number | undefined {
    const { seconds, minutes, hours } = this.#fields;
    for (const hour of hours) {
      if ((hour + 1) * 3600 <= after) continue;
      for (const minute of minutes) {
        const time = seconds.map((second) => hour * 3600 + minute * MINUTE + second).find((each) => each > after);
        if (time !== undefined) return time;
      }
    }
    return undefined;
  }

  #isDay(day: number): boolean {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const { seconds, minutes, hours, months } = this.#fields;
    const date = new Date((day * DAY + hours[0]! * 3600 + minutes[0]! * MINUTE + seconds[0]!) * 1000);
    const isDay = months.has(date.getUTCMonth() + 1) && this.#matches(date);
    if (this.#days.size >= REMEMBERED) this.#days.clear();
    this.#days.set(day, isDay);
    return isDay;
  }

  #matches(date: Date): boolean {
    const task = createTask(this.#pattern, () => undefined, { timezone: 'UTC' });
    const isMatch = task.match(date);
    void task.destroy();
    return isMatch;
  }
}
