/** Shift of clocks in a time zone changes at multiples of so many seconds only. */
const STEP = 900;
const DAY = 86_400;

/**
 * The wall clock of a time zone, in seconds: the number that Unix time would have if the zone's clocks showed UTC. It jumps
 * where clocks are set for summer and back.
 */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;
  #known: { readonly step: number; readonly offset: number } | undefined;

  /** Throws `RangeError` for a zone that is not known. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' });
  }

  /** What the clocks show at a moment in Unix seconds. */
  at(second: number): number {
    const step = Math.floor(second / STEP);
    if (this.#known?.step !== step) this.#known = { step, offset: this.#offsetAt(step * STEP) };
    return second + this.#known.offset;
  }

  /** The first moment after another one, in Unix seconds, at which the clocks show `local`; where they skip it, the moment of the jump. */
  toUnix(local: number, after: number): number {
    const offsets = [this.#offsetAt(local - DAY), this.#offsetAt(local + DAY)];
    const [early, late] = [local - Math.max(...offsets), local - Math.min(...offsets)] as const;
    for (const moment of [early, late]) if (moment > after && this.at(moment) === local) return moment;
    return this.at(early) === local || this.at(late) === local ? late : this.#jumpBetween(early, late);
  }

  /** Clocks are set at most once between both. */
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
    const parts = Object.fromEntries(this.#format.formatToParts(second * 1000).map(({ type, value }) => [type, Number(value)])) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) / 1000 - second;
  }
}
