/** A structured log in the style of pino: fields first, then a fixed message that can be searched for. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log that adds these fields to everything it writes. */
  child(fields: Record<string, unknown>): Log;
}

const nothing = (): void => undefined;

/** Writes nothing; for tests and for callers that need no log. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silentLog };

/**
 * Logs a failure that repeats in one line: it is written when it first occurs and when its message changes. When the
 * failure is over, another line states how often it occurred.
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

  /** Reports a success. Does nothing if there was no failure before. */
  over(): void {
    if (this.#count > 1) this.#log.info({ failures: this.#count }, `over: ${this.#message}`);
    this.#count = 0;
    this.#last = undefined;
  }
}
