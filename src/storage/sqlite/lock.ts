import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../errors/index.ts';
import { openError, resultCode } from './failures.ts';

const BUSY = 5;

/**
 * Keeps other processes away from a database file: an exclusive transaction held open on a second database beside it.
 * The operating system releases the lock when the process ends, however it ends. (SQLite's own exclusive locking mode
 * would also lock out our own reading connections.)
 */
export class FileLock {
  readonly #holder: DatabaseSync;

  private constructor(holder: DatabaseSync) {
    this.#holder = holder;
  }

  /** Throws `unavailable` when another process, or another database of this one, holds the lock. */
  static take(file: string): FileLock {
    let holder: DatabaseSync | undefined;
    try {
      holder = new DatabaseSync(`${file}.lock`, { timeout: 0 });
      holder.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new FileLock(holder);
    } catch (cause) {
      holder?.close();
      if (resultCode(cause) !== BUSY) throw openError(file, cause);
      throw new ServiceError('unavailable', `database ${file} is in use by another process; stop that process first`, {
        cause,
      });
    }
  }

  release(): void {
    if (this.#holder.isOpen) this.#holder.close();
  }
}
