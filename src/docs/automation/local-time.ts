/** The offset of a time zone changes only at multiples of this many seconds. */
const STEP = 900;
const DAY = 86_400;

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
