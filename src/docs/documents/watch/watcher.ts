import { ServiceError } from '../../../errors/index.ts';
import type { DocumentEvent } from './events.ts';

/** Maximum number of events that wait for a watcher (decisions, section 4.12). */
export const MAX_BEHIND = 4096;

/** The events that wait for one watcher, from the time at which it has caught up. */
export class Watcher {
  readonly #wanted: (event: DocumentEvent) => boolean;
  #waiting: DocumentEvent[] = [];
  /** Number of events at the front of `#waiting` that were taken already; removing each one would copy the rest. */
  #taken = 0;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(wanted: (event: DocumentEvent) => boolean) {
    this.#wanted = wanted;
  }

  push(event: DocumentEvent): void {
    if (this.#failure !== undefined || !this.#wanted(event)) return;
    this.#waiting.push(event);
    if (this.#waiting.length - this.#taken > MAX_BEHIND) {
      this.fail(
        new ServiceError('rate_limited',
          `the watcher is more than ${MAX_BEHIND} events behind; it may resume after the last event that it has seen`),
      );
    } else {
      this.#wake?.();
    }
  }

  /** Ends the watcher: waiting events are dropped, and `next` rejects. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#waiting = [];
    this.#taken = 0;
    this.#wake?.();
  }

  /** The next event, when there is one. Rejects when the watcher was ended. At most one caller may wait at a time. */
  async next(): Promise<DocumentEvent> {
    while (this.#failure === undefined && this.#taken === this.#waiting.length) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    if (this.#failure !== undefined) throw this.#failure;
    const event = this.#waiting[this.#taken++]!;
    if (this.#taken === this.#waiting.length) {
      this.#waiting = [];
      this.#taken = 0;
    }
    return event;
  }
}
