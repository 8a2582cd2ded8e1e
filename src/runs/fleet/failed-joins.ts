import { Lru } from '../../lib/caches.ts';
import type { Clock } from '../../lib/clock.ts';
import { FleetRefusal } from './port.ts';

/** Failed joins per minute and address (decisions, section 4, "Joining"). */
const MOST = 10;
const WINDOW_MS = 60_000;
const ADDRESSES = 10_000;
/** Waiting joins per address: enough for a fleet that starts at once, but it stops endless requests. */
const MOST_WAITING = 1000;

interface Joins {
  /** Start times of the failed joins. */
  failed: number[];
  underWay: number;
  /** Resumed each time that a join under way has ended. */
  readonly waiting: (() => void)[];
}

/**
 * Counts the failed joins of each address. Joins under way may still fail, so a join that could exceed the limit
 * together with them waits: a hundred machines behind one address may join at the same moment.
 */
export class FailedJoins {
  readonly #clock: Clock;
  readonly #joins = new Lru<string, Joins>(ADDRESSES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does the work unless too many joins have failed. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const joins = this.#joins.get(address) ?? { failed: [], underWay: 0, waiting: [] };
    this.#joins.set(address, joins);
    const begun = await this.#begin(joins);
    try {
      return await work();
    } catch (error) {
      joins.failed.push(begun);
      throw error;
    } finally {
      joins.underWay -= 1;
      // All of them check again: each one proceeds, waits, or is refused.
      for (const goOn of joins.waiting.splice(0)) goOn();
    }
  }

  /** Waits until another join may start, counts it as under way, and returns the time. */
  async #begin(joins: Joins): Promise<number> {
    for (;;) {
      const now = this.#clock.now();
      joins.failed = joins.failed.filter((at) => Math.abs(now - at) < WINDOW_MS);
      if (joins.failed.length >= MOST)
        throw new FleetRefusal('resource_exhausted', 'too many failed joins from this address; wait a minute');
      if (joins.failed.length + joins.underWay < MOST) {
        joins.underWay += 1; // synchronously, so that no other join comes in between
        return now;
      }
      if (joins.waiting.length >= MOST_WAITING)
        throw new FleetRefusal('resource_exhausted', 'too many joins from this address at once; try again later');
      await new Promise<void>((resolve) => joins.waiting.push(resolve));
    }
  }
}
