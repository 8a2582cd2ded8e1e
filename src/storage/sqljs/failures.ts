import { closedError, mediumError } from '../failures.ts';

/** sql.js reports failures only by SQLite's message: these are the ones of the medium and their result codes. */
const MESSAGES: readonly (readonly [pattern: RegExp, code: number])[] = [[/^database or disk is full/, 13], [
  /^out of memory|memory access out of bounds|^Cannot enlarge memory/,
  7,
], [/^disk I\/O error/, 10], [/^attempt to write a readonly database/, 8], [/^database disk image is malformed/, 11], [
  /^file is not a database/,
  26,
]];

/** Converts an error to the port's form: `ServiceError('unavailable')` for the medium, an `Error` otherwise. */
export function translate(thrown: unknown): unknown {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown)); // sql.js also throws strings
  if (error.message === 'database is not open') return closedError();
  const code = MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1];
  return code === undefined ? error : mediumError(code, error);
}
