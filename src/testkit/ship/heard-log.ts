import type { Log } from '../../lib/log.ts';

/** A log whose messages a test can await. */
export class HeardLog implements Log {
  readonly messages: string[] = [];
  readonly #listeners = new Set<() => void>();

  readonly debug = (_fields: object, message: string): void => this.#hear(message);
  readonly info = this.debug;
  readonly warn = this.debug;
  readonly error = this.debug;
  readonly child = (): Log => this;

  /** Resolves when the message has been written the given number of times. */
  heard(message: string, times = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.messages.filter((each) => each === message).length < times) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  #hear(message: string): void {
    this.messages.push(message);
    for (const look of [...this.#listeners]) look();
  }
}
