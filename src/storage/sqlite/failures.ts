import { ServiceError } from '../../errors/index.ts';
import { closedError, isCorruptCode, isMediumCode, mediumError } from '../failures.ts';

/** SQLite says no more than that, whether the path is a folder or lacks permissions. */
const CANNOT_OPEN = 14;

/** SQLite's extended result code of an error that `node:sqlite` threw; undefined for other errors. */
export function resultCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** Converts an error to the port's form: `ServiceError('unavailable')` for the medium, the error itself otherwise. */
export function translate(error: unknown): unknown {
  if (error instanceof Error && error.message === 'database is not open') return closedError();
  const code = resultCode(error);
  return code !== undefined && isMediumCode(code) ? mediumError(code, error) : error;
}

/** An error that says which database could not be opened, and why. */
export function openError(file: string, cause: unknown): ServiceError {
  const reason = resultCode(cause) === CANNOT_OPEN
    ? 'it has to be a file, in a folder in which this user may write'
    : cause instanceof Error
    ? cause.message
    : String(cause);
  return new ServiceError('unavailable', `cannot open database ${file}: ${reason}`, { cause });
}

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
