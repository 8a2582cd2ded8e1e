import type { Log } from './log.ts';

/**
 * A failure that repeats, in one line of the log: it is written the first time and when it has become another, and when it is over
 * a line says how often it came.
 */
export class RepeatedFailure {
  readonly #log: Log;
  readonly #message: string;
  readonly #level: 'warn' | 'error';
  #last: string | undefined;
  #count = 0;

  constructor(log: Log, message: string, level: 'warn' | 'error' = 'warn') {
    this.#log = log;
    this.#message = message;
    this.#level = level;
  }

  note(err: unknown, fields: object = {}): void {
    this.#count += 1;
    const text = err instanceof Error ? err.message : String(err);
    if (text === this.#last) return;
    this.#last = text;
    this.#log[this.#level]({ err, ...fields }, this.#message);
  }

  /** It has succeeded. Does nothing unless it had failed. */
  over(): void {
    if (this.#count > 1) this.#log.info({ failures: this.#count }, `over: ${this.#message}`);
    this.#count = 0;
    this.#last = undefined;
  }
}
