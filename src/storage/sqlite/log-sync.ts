import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

const sync = promisify(fdatasync);

/**
 * Syncs the write-ahead log to disk outside the event loop: a commit writes it without waiting (`synchronous =
 * NORMAL`), and the transactions are acknowledged after the sync. An fsync usually takes a fraction of a millisecond,
 * but tens of milliseconds now and then, and nothing else should wait for that. Any descriptor of a file can sync what
 * was written through another one.
 */
export class LogSync {
  readonly #file: string;
  #descriptor: number | undefined;

  /** `file`: the log file, which exists after the first commit. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when everything written before the call is on disk. */
  async sync(): Promise<void> {
    this.#descriptor ??= await promisify(open)(this.#file, 'r+');
    await sync(this.#descriptor);
  }

  /** The log may be a different file from here on. */
  close(): void {
    if (this.#descriptor !== undefined) close(this.#descriptor);
    this.#descriptor = undefined;
  }
}
