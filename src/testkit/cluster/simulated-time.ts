import { setImmediate } from 'node:timers/promises';
import type { Timer } from '../../lib/clock.ts';

interface Sleeper {
  readonly due: number;
  readonly order: number;
  readonly wake: () => void;
}

/**
 * The time of a simulation. It advances to the next moment at which something ends to sleep, once every task sleeps: so
 * a run with one seed always happens in the same order, however long computations take.
 */
export class SimulatedTime implements Timer {
  /** Milliseconds since the beginning. */
  now = 0;
  /** Tasks, each of which sleeps or works. */
  tasks = 0;
  #order = 0;
  readonly #sleepers = new Set<Sleeper>();

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const sleeper: Sleeper = {
        due: this.now + Math.max(0, milliseconds),
        order: this.#order++,
        wake: () => {
          if (this.#sleepers.delete(sleeper)) resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Advances the time, and calls `observe` at each moment at which something has happened. */
  async advance(milliseconds: number, observe: () => void = () => undefined): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      await this.#settle();
      observe();
      if ((this.#next()?.due ?? Infinity) > end) break;
      this.step();
    }
    this.now = end;
  }

  /** Ends the next sleep. */
  step(): void {
    const next = this.#next();
    if (next === undefined) return;
    this.now = Math.max(this.now, next.due);
    next.wake();
  }

  /** Waits until every task sleeps. */
  async #settle(): Promise<void> {
    do await setImmediate(); while (this.#sleepers.size < this.tasks);
  }

  #next(): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers)
      if (next === undefined || sleeper.due < next.due || sleeper.due === next.due && sleeper.order < next.order)
        next = sleeper;
    return next;
  }
}
