import { untilAborted } from './until-aborted.ts';

/** Wakes whoever waits for news. A ring that nobody heard wakes the next who waits. */
export class Bell {
  #rung = Promise.withResolvers<void>();

  ring(): void {
    this.#rung.resolve();
  }

  /** Resolves at the next ring, at once after one that was not heard, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#rung.promise, signal);
    this.#rung = Promise.withResolvers<void>();
  }
}
