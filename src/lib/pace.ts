import { setImmediate } from 'node:timers/promises';

/** A loop that worked for so long lets others have the event loop. */
const MAX_HOLD_MS = 8;

/** Keeps a long loop from holding the event loop: it calls `rest()` after each small step. */
export class Pace {
  #since = performance.now();

  /** Whether `rest` would wait. Asked first where steps are so short that a promise for each of them counts. */
  get isOver(): boolean {
    return performance.now() - this.#since >= MAX_HOLD_MS;
  }

  /** Returns at once while the time is not used up. */
  async rest(): Promise<void> {
    if (!this.isOver) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
