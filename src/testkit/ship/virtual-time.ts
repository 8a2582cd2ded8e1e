import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../../lib/clock.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/**
 * Time that advances when the test says so. Sleeps end in order, and the work after one is done before the next ends.
 */
export class VirtualTime implements Timer, Clock {
  #now = 0;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const sleeper: Sleeper = {
        at: this.#now + Math.max(0, milliseconds),
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Advances the time. Work that depends only on promises, not on timers, is done when it resolves. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    for (;;) {
      await setImmediate();
      const next = this.#earliest();
      if (next === undefined || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = until;
  }

  /** Advances the time until the promise settles; fails if that takes longer than `atMost`. */
  async until<T>(promise: Promise<T>, atMost = 3_600_000): Promise<T> {
    let settled = false;
    const done = (): void => void (settled = true);
    promise.then(done, done);
    const limit = this.#now + atMost;
    for (;;) {
      await setImmediate();
      if (settled) return promise;
      const next = this.#earliest();
      if (next === undefined || next.at > limit)
        throw new Error(`nothing settled it until ${this.#now} ms${next === undefined ? ', and nobody sleeps' : ''}`);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }

  #earliest(): Sleeper | undefined {
    let earliest: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (earliest === undefined || sleeper.at < earliest.at) earliest = sleeper;
    return earliest;
  }
}
