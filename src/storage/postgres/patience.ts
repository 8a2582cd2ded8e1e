import { setTimeout } from 'node:timers/promises';
import { backoffDelay, type Backoff } from '../../lib/backoff.ts';

/** A database that cannot be reached is retried for this many milliseconds before `unavailable` is thrown. */
const PATIENCE_MS = 5000;
const LOST_AGAIN: Backoff = { initial: 10, max: 500 };

/** Waits between tries, longer each time, until the limit is reached. */
export class Patience {
  readonly #until = performance.now() + PATIENCE_MS;
  #failures = 0;

  async allows(): Promise<boolean> {
    const pause = backoffDelay(++this.#failures, LOST_AGAIN);
    if (performance.now() + pause > this.#until) return false;
    await setTimeout(pause);
    return true;
  }
}
