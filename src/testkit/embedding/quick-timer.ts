import { ATTEMPT_MS } from '../../embedding/remote/post-json.ts';
import type { Timer } from '../../lib/clock.ts';

/**
 * A timer for calls with retries: waits between attempts end at once unless they are held; the time limit of an attempt
 * expires only when the test says so.
 */
export class QuickTimer implements Timer {
  /** Waits between attempts so far, in milliseconds. */
  readonly waits: number[] = [];
  readonly #hold: boolean;
  #attempts: (() => void)[] = [];
  #begun = Promise.withResolvers<void>();

  /** `hold`: waits between attempts end only when their signal aborts. */
  constructor({ hold = false } = {}) {
    this.#hold = hold;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    const isAttempt = milliseconds === ATTEMPT_MS;
    if (!isAttempt) {
      this.waits.push(milliseconds);
      this.#begun.resolve();
      if (!this.#hold) return;
    }
    await new Promise<void>((resolve) => {
      if (isAttempt) this.#attempts.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Resolves when a wait between attempts has begun. */
  waiting(): Promise<void> {
    return this.#begun.promise;
  }

  /** Makes the time limits of all attempts in progress expire. */
  timeOut(): void {
    for (const end of this.#attempts.splice(0)) end();
  }
}
