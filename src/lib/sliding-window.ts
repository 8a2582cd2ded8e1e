import { Lru } from './caches.ts';
import type { Clock } from './clock.ts';

interface SlidingWindowOptions {
  /** Number of events that a key may have within any span as long as the window; a fraction is rounded down. */
  readonly limit: number;
  readonly windowMs: number;
  /** Number of keys that are remembered; the least recently seen are removed first. Default 100,000. */
  readonly capacity?: number;
  readonly clock: Clock;
}

/** The result of one event. */
interface Verdict {
  readonly allowed: boolean;
  /** Number of events that are still allowed now. */
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
 * Counts the events of each key with the sliding-window counter: the events of the current fixed window plus a share of
 * those of the previous one, which are taken as evenly spread. The share is the part of the previous window that lies
 * within the last `windowMs`. Each key needs two numbers, whatever the limit. Events that are refused are not counted,
 * so that a client that waits as long as it was told succeeds.
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

  /**
   * When enough of the counted events have expired: within this window because the previous window's share shrinks,
   * otherwise in the next because this window's does.
   */
  #waitMs({ current, previous }: Counts, elapsed: number): number {
    const room = this.#limit - 1;
    const shareNow = (room - current) / previous;
    const fraction = current <= room && previous > 0
      ? 1 - shareNow - elapsed
      : 1 - elapsed + Math.max(0, 1 - room / Math.max(current, 1));
    return Math.max(1, Math.ceil(fraction * this.#windowMs));
  }
}
