import { untilAborted } from './until-aborted.ts';

/** Wakes the waiting caller. A ring while nothing waits wakes the next caller at once. */
export class Signal {
  #signalled = Promise.withResolvers<void>();

  ring(): void {
    this.#signalled.resolve();
  }

  /** Resolves at the next ring, at once if a ring is pending, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#signalled.promise, signal);
    this.#signalled = Promise.withResolvers<void>();
  }
}
