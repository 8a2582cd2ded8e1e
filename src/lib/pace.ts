import { setImmediate } from 'node:timers/promises';

/** A loop that worked for so long lets others have the event loop. */
const MAX_HOLD_MS = 8;

/** Keeps a long loop from holding the event loop: it calls `rest()` after each small step. */
export class Pace {
  #since = performance.now();

  /** Returns at once while the time is not used up. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since < MAX_HOLD_MS) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
