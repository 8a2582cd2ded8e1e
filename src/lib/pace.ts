import { turns } from './turns.ts';

/** Keeps a long loop from blocking the event loop: the loop calls `rest()` after each small step. */
export class Pace {
  #until = turns.restAt();

  /** Whether `rest` would yield. A loop over many small steps checks this first, which is cheaper than a promise for each step. */
  get isDue(): boolean {
    return performance.now() >= this.#until;
  }

  /** Returns at once if the time is not used up. */
  async rest(): Promise<void> {
    if (!this.isDue) return;
    await turns.loop();
    this.#until = turns.restAt();
  }
}
