import type { Timer } from '../lib/clock.ts';

/** A timer whose sleeps end when the test says so. */
export class ManualTimer implements Timer {
  /** The lengths of all sleeps so far, in milliseconds. */
  readonly sleeps: number[] = [];
  #pending: (() => void)[] = [];
  #begun = Promise.withResolvers<void>();

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      this.sleeps.push(milliseconds);
      this.#pending.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
      this.#begun.resolve();
    });
  }

  /** Ends all current sleeps; if there is none, waits for one to begin. */
  async elapse(): Promise<void> {
    await this.#begun.promise;
    this.#begun = Promise.withResolvers<void>();
    for (const wake of this.#pending.splice(0)) wake();
  }
}
