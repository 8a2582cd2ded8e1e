import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { FleetRefusal } from './port.ts';

/** Joins of an address that may fail within a minute (decisions, section 4, "Joining"). */
const MOST = 10;
const WINDOW_MS = 60_000;
const ADDRESSES = 10_000;
/** Joins of an address that may wait for those under way: a fleet that starts at once, not whoever sends without end. */
const MOST_WAITING = 1000;

interface Joins {
  /** When those began that have failed. */
  failed: number[];
  underWay: number;
  /** They go on, one after the other, when one that is under way has ended. */
  readonly waiting: (() => void)[];
}

/**
 * Counts the joins of each address that have failed. Those under way may fail, too: what would be too many with
 * them waits, since a hundred machines behind one address may well join at the same moment.
 */
export class FailedJoins {
  readonly #clock: Clock;
  readonly #joins = new Lru<string, Joins>(ADDRESSES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does the work unless too many have failed. */
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
      // All look again: each goes on, waits, or is refused.
      for (const goOn of joins.waiting.splice(0)) goOn();
    }
  }

  /** Counts one more that is under way, once there is room for it; answers when. */
  async #begin(joins: Joins): Promise<number> {
    for (;;) {
      const now = this.#clock.now();
      joins.failed = joins.failed.filter((at) => Math.abs(now - at) < WINDOW_MS);
      if (joins.failed.length >= MOST) throw new FleetRefusal('resource_exhausted', 'too many failed joins from this address; wait a minute');
      if (joins.failed.length + joins.underWay < MOST) {
        joins.underWay += 1; // at once, so that nobody comes in between
        return now;
      }
      if (joins.waiting.length >= MOST_WAITING) throw new FleetRefusal('resource_exhausted', 'too many joins from this address at once; try again later');
      await new Promise<void>((resolve) => joins.waiting.push(resolve));
    }
  }
}
