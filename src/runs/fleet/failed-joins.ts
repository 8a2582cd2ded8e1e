import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { FleetRefusal } from './port.ts';

/** Joins of an address that may fail within a minute (decisions, section 4, "Joining"). */
const MOST = 10;
const WINDOW_MS = 60_000;
const ADDRESSES = 10_000;

/** Counts the joins of each address that have failed, and those under way, which may. */
export class FailedJoins {
  readonly #clock: Clock;
  readonly #times = new Lru<string, number[]>(ADDRESSES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does the work unless too many have failed. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    const times = (this.#times.get(address) ?? []).filter((at) => Math.abs(now - at) < WINDOW_MS);
    if (times.length >= MOST) throw new FleetRefusal('resource_exhausted', 'too many failed joins from this address; wait a minute');
    times.push(now);
    this.#times.set(address, times);
    const result = await work();
    const known = this.#times.get(address) ?? [];
    const index = known.indexOf(now);
    if (index >= 0) known.splice(index, 1);
    return result;
  }
}
