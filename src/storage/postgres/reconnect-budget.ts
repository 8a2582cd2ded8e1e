import { setTimeout } from 'node:timers/promises';
import { type Backoff, backoffDelay } from '../../lib/backoff.ts';

/** A database that cannot be reached is tried again for so long before `unavailable` is told. */
const RECONNECT_MS = 5000;
const LOST_AGAIN: Backoff = { initial: 10, max: 500 };

/** Waits between tries, longer each time, until it has waited long enough. */
export class ReconnectBudget {
  readonly #until = performance.now() + RECONNECT_MS;
  #failures = 0;

  async allows(): Promise<boolean> {
    const pause = backoffDelay(++this.#failures, LOST_AGAIN);
    if (performance.now() + pause > this.#until) return false;
    await setTimeout(pause);
    return true;
  }
}
