import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

const sync = promisify(fdatasync);

/**
 * Puts the write-ahead log on disk away from the event loop: a commit writes it without waiting
 * (`synchronous = NORMAL`), and the transactions are acknowledged when this has been done. An fsync takes
 * a fraction of a millisecond most of the time and tens of milliseconds now and then, which nobody else
 * should wait for. Any descriptor of a file serves to sync what was written through another one.
 */
export class LogSync {
  readonly #file: string;
  #descriptor: number | undefined;

  /** `file`: the log's own, which is there after the first commit. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when all that was written before the call is on disk. */
  async sync(): Promise<void> {
    this.#descriptor ??= await promisify(open)(this.#file, 'r+');
    await sync(this.#descriptor);
  }

  /** The log may be another file from here on. */
  close(): void {
    if (this.#descriptor !== undefined) close(this.#descriptor);
    this.#descriptor = undefined;
  }
}
