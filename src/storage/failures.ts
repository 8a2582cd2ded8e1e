import { ServiceError } from '../errors/index.ts';

/** SQLite's primary result codes that mean the medium failed, not the statement. */
const MEDIUM: Readonly<Record<number, string>> = {
  5: 'the database is busy',
  6: 'the database is locked',
  7: 'the database is out of memory',
  8: 'the database is read-only',
  10: 'the disk failed',
  11: 'the database file is corrupt',
  13: 'the database or its disk is full',
  14: 'the database file cannot be opened',
  26: 'the file is not a database',
};

const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** The error of a database that is used after `close()`. */
export function closedError(): ServiceError {
  return new ServiceError('unavailable', 'the database is closed');
}

/** An `unavailable` error, with a message that names the meaning of SQLite's result code. */
export function mediumError(code: number, cause: unknown): ServiceError {
  const detail = cause instanceof Error ? `: ${cause.message}` : '';
  return new ServiceError('unavailable', `${MEDIUM[code & 0xff] ?? 'the database failed'}${detail}`, { cause });
}

/** True when the (extended) result code reports a failure of the medium rather than of the statement. */
export function isMediumCode(code: number): boolean {
  return (code & 0xff) in MEDIUM;
}

/** True when the content itself is damaged: a retry cannot help. */
export function isCorruptCode(code: number): boolean {
  const primary = code & 0xff;
  return primary === CORRUPT || primary === NOT_A_DATABASE;
}
