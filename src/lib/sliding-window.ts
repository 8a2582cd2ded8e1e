import type { Clock } from './clock.ts';
import { Lru } from './lru.ts';

export interface SlidingWindowOptions {
  /** Events that a key may have within any span as long as the window; a fraction counts down. */
  readonly limit: number;
  readonly windowMs: number;
  /** Keys that are remembered; those not seen for longest are forgotten first. Default 100,000. */
  readonly capacity?: number;
  readonly clock: Clock;
}

/** What became of one event. */
export interface Verdict {
  readonly allowed: boolean;
  /** Events that are left at the moment. */
  readonly remaining: number;
  /** Milliseconds until the next event is allowed; 0 when one is allowed now. */
  readonly waitMs: number;
}

interface Counts {
  /** Number of the window since 1970. */
  window: number;
  current: number;
  previous: number;
}

/**
 * Counts the events of each key by the sliding-window counter: those of the current fixed window and, as
 * far as the last `windowMs` reach into it, those of the one before, taken as evenly spread. Two numbers
 * for each key, whatever the limit. Events that are refused are not counted, so that who waits as told
 * gets through.
 */
export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #keys: Lru<string, Counts>;

  constructor({ limit, windowMs, capacity = 100_000, clock }: SlidingWindowOptions) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#keys = new Lru(capacity);
  }

  /** Counts an event of a key if it is allowed. */
  take(key: string): Verdict {
    const now = this.#clock.now();
    const counts = this.#countsAt(key, Math.floor(now / this.#windowMs));
    const elapsed = (now % this.#windowMs) / this.#windowMs;
    const used = counts.current + counts.previous * (1 - elapsed);
    if (used + 1 > this.#limit) return { allowed: false, remaining: 0, waitMs: this.#waitMs(counts, elapsed) };
    counts.current++;
    const remaining = Math.max(0, Math.floor(this.#limit - used - 1));
    return { allowed: true, remaining, waitMs: remaining > 0 ? 0 : this.#waitMs(counts, elapsed) };
  }

  #countsAt(key: string, window: number): Counts {
    const known = this.#keys.get(key);
    if (known === undefined) {
      const fresh = { window, current: 0, previous: 0 };
      this.#keys.set(key, fresh);
      return fresh;
    }
    if (known.window !== window) {
      known.previous = window === known.window + 1 ? known.current : 0;
      known.current = 0;
      known.window = window;
    }
    return known;
  }

  /** When enough of the counted events lie behind: within this window, by the previous one's share, else in the next by this one's. */
  #waitMs({ current, previous }: Counts, elapsed: number): number {
    const room = this.#limit - 1;
    const shareNow = (room - current) / previous;
    const fraction = current <= room && previous > 0
      ? 1 - shareNow - elapsed
      : 1 - elapsed + Math.max(0, 1 - room / Math.max(current, 1));
    return Math.max(1, Math.ceil(fraction * this.#windowMs));
  }
}
