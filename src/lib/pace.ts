import { setImmediate } from 'node:timers/promises';

/** How long a loop may work, in milliseconds, before it yields the event loop. */
const MAX_HOLD_MS = 8;

/** Keeps a long loop from blocking the event loop: the loop calls `rest()` after each small step. */
export class Pace {
  #since = performance.now();

  /** Whether `rest` would yield. A loop over many small steps checks this first, which is cheaper than a promise for each step. */
  get isDue(): boolean {
    return performance.now() - this.#since >= MAX_HOLD_MS;
  }

  /** Returns at once if the time is not used up. */
  async rest(): Promise<void> {
    if (!this.isDue) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
