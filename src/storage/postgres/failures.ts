import { ServiceError } from '../../errors/index.ts';

/** Another transaction changed what this one has read, or there was a deadlock: it can be repeated (SQLSTATE). */
const CONFLICTS = new Set(['40001', '40P01']);

/**
 * The connection is unusable, though another one may reach the database: its server stops, starts or became a standby,
 * or a network failed. Codes of SQLSTATE and of Node.
 */
const LOST = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '25006', '53300', 'ECONNREFUSED', 'ECONNRESET',
  'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const LOST_CLASSES = ['08'];
/** Messages of `pg` that have no code. */
const LOST_MESSAGES =
  /^Connection terminated|^Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect/;

/** Other failures of the medium: a full or broken disk, too little memory, a statement or a lock that timed out. */
const MEDIUM_CODES = new Set(['57014', '55P03', 'XX001', 'XX002']);
const MEDIUM_CLASSES = ['53', '58'];

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');

export const isConflict = (error: unknown): boolean => CONFLICTS.has(codeOf(error));

/** True when the connection failed, so that a retry over another one may succeed. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return LOST.has(code) || LOST_CLASSES.some((start) => code.length === 5 && code.startsWith(start))
    || (error instanceof Error && code === '' && LOST_MESSAGES.test(error.message));
}

/** A prepared statement whose columns have changed; it succeeds under another name. */
export const isStale = (error: unknown): boolean =>
  codeOf(error) === '0A000' && error instanceof Error && error.message.includes('cached plan');

/** `unavailable` for failures of the medium; mistakes in SQL stay plain errors. */
export function translate(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const code = codeOf(error);
  if (isConflict(error)) return unavailable('other transactions kept changing the same rows', error);
  if (isLost(error)) return unavailable('the database cannot be reached', error);
  if (MEDIUM_CODES.has(code) || MEDIUM_CLASSES.some((start) => code.startsWith(start) && code.length === 5))
    return unavailable('the database failed', error);
  return error;
}

function unavailable(what: string, cause: unknown): ServiceError {
  return new ServiceError('unavailable',
    `${what}: ${cause instanceof Error && cause.message !== '' ? cause.message : codeOf(cause)}`, { cause });
}

/** The connection was lost during a commit, whose outcome is unknown. */
export function commitDoubt(cause: unknown): ServiceError {
  return new ServiceError('unavailable',
    `the database did not confirm the transaction, which may be written or not: ${reasonOf(cause)}`, { cause });
}

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' ? String((cause as { code?: unknown }).code ?? cause.name) : cause.message;
}
