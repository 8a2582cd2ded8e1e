import { backoffDelay } from '../../lib/backoff.ts';
import type { Timer } from '../../lib/timer.ts';
import { sleepUntil } from './sleep-until.ts';

/** Waits between two attempts at reaching the server (decisions, section 4). */
export const RECONNECT = { initial: 500, max: 30_000 } as const;

/** The pauses between attempts that fail one after another. */
export class RetryPause {
  readonly #timer: Timer;
  readonly #random: () => number;
  #failures = 0;
  #hurry: AbortController | undefined;

  constructor(timer: Timer, random: () => number) {
    this.#timer = timer;
    this.#random = random;
  }

  /** Waits longer from failure to failure; never longer than `atMost`. Ends at once when the signal aborts. */
  async afterFailure(signal: AbortSignal, atMost = Infinity): Promise<void> {
    this.#failures++;
    this.#hurry = new AbortController();
    const delay = backoffDelay(this.#failures, RECONNECT, this.#random);
    await sleepUntil(this.#timer, Math.min(delay, Math.max(0, atMost)), signal, this.#hurry.signal);
  }

  /** The next pause is a short one again. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** The server has been seen: ends the pause under way, and the next one is short. */
  hurry(): void {
    this.#failures = 0;
    this.#hurry?.abort();
  }
}
