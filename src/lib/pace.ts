import { turns } from './turns.ts';

/**
 * Counts work in units that take about as long everywhere, some nanoseconds each: points, edges or values that were
 * compared. Tests set one, to see how much is done without a pause.
 */
interface WorkCounter {
  spend(units: number): void;
  /** A loop could have paused here. */
  pause(): void;
}

let counter: WorkCounter | undefined;

/** Tells a counter, or none, of all work of this thread from now on. For tests. */
export function countWork(by: WorkCounter | undefined): void {
  counter = by;
}

/**
 * Reports work that was done without a pause; loops and kernels do so whose work depends on a request and on what is
 * stored.
 */
export function spend(units: number): void {
  counter?.spend(units);
}

/** Keeps a long loop from blocking the event loop: the loop calls `rest()` after each small step. */
export class Pace {
  #until = turns.restAt();

  /**
   * Whether `rest` would yield. A loop over many small steps checks this first, which is cheaper than a promise for
   * each step.
   */
  get isDue(): boolean {
    counter?.pause();
    return performance.now() >= this.#until;
  }

  /** Returns at once if the time is not used up. */
  async rest(): Promise<void> {
    if (!this.isDue) return;
    await turns.loop();
    this.#until = turns.restAt();
  }
}
