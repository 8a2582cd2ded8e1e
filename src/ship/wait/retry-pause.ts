import { backoffDelay } from '../../lib/backoff.ts';
import type { Timer } from '../../lib/timer.ts';
import { sleepUntil } from './sleep-until.ts';

/** Bounds of the pauses between attempts to reach the server (decisions, section 4). */
export const RECONNECT = { initial: 500, max: 30_000 } as const;

/** The pauses between consecutive failed attempts. */
export class RetryPause {
  readonly #timer: Timer;
  readonly #random: () => number;
  #failures = 0;
  #hurry: AbortController | undefined;

  constructor(timer: Timer, random: () => number) {
    this.#timer = timer;
    this.#random = random;
  }

  /** Waits longer after each failure, but at most `atMost`. Ends at once when the signal aborts. */
  async afterFailure(signal: AbortSignal, atMost = Infinity): Promise<void> {
    this.#failures++;
    this.#hurry = new AbortController();
    const delay = backoffDelay(this.#failures, RECONNECT, this.#random);
    await sleepUntil(this.#timer, Math.min(delay, Math.max(0, atMost)), signal, this.#hurry.signal);
  }

  /** Makes the next pause a short one again. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** The server was reached: ends the current pause, and makes the next one short. */
  hurry(): void {
    this.#failures = 0;
    this.#hurry?.abort();
  }
}
