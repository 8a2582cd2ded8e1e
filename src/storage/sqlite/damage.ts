import { isCorruptCode } from '../failures.ts';
import { resultCode } from './failures.ts';

/** Remembers that SQLite found the file damaged, on any connection, until its content is replaced. */
export class Damage {
  #seen = false;

  get seen(): boolean {
    return this.#seen;
  }

  /** Inspects an error on its way to the caller, and returns it. */
  note(error: unknown): unknown {
    const code = resultCode(error instanceof Error && error.cause !== undefined ? error.cause : error);
    if (code !== undefined && isCorruptCode(code)) this.#seen = true;
    return error;
  }

  repaired(): void {
    this.#seen = false;
  }
}
