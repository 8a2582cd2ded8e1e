import { setImmediate } from 'node:timers/promises';
import type { Timer } from '../lib/clock.ts';

/** Number of turns of the event loop after which work that waits for nothing else has finished. */
const TURNS = 4;

/** A timer whose time advances only when a test says so; each sleep ends at its moment. */
export class VirtualTimer implements Timer {
  /** Elapsed milliseconds. */
  now = 0;
  readonly #sleeping = new Set<{ readonly due: number; readonly wake: () => void }>();

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const sleeper = {
        due: this.now + milliseconds,
        wake: () => {
          this.#sleeping.delete(sleeper);
          resolve();
        },
      };
      this.#sleeping.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Advances the time, and lets the work that it wakes finish. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      await this.settle();
      const next = [...this.#sleeping].reduce<number>((least, { due }) => Math.min(least, due), Infinity);
      if (next > end) break;
      this.now = Math.max(this.now, next);
      for (const sleeper of [...this.#sleeping]) if (sleeper.due <= this.now) sleeper.wake();
    }
    this.now = end;
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await setImmediate();
  }
}
