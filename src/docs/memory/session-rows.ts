import type { MemorySession } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Queries, Row, SqlValue, Transaction } from '../../storage/index.ts';
import type { Meta, UnitOfWork } from '../documents/index.ts';
import { MEMORY } from './deps.ts';

export interface SessionRow extends Row {
  readonly seq: number;
  readonly id: string;
  readonly user_id: string;
  /** The id of the record of the user whom `user_id` named when the session began; empty if there was none. */
  readonly owner: string;
  readonly scenario: string;
  readonly title: string;
  /** 0 until the first message of the user has replaced a generated title. */
  readonly title_final: number;
  /** Number of stored messages, which is also the number of the newest. */
  readonly messages: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** Null for never. */
  readonly expires_at: number | null;
  /** JSON. */
  readonly meta: string;
}

interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly owner: string;
  readonly scenario: string;
  readonly title: string;
  readonly titleFinal: boolean;
  readonly meta: Meta;
  readonly expiresAt: number | null;
}

export const SESSION =
  's.seq, s.id, s.user_id, s.owner, s.scenario, s.title, s.title_final, s.messages, s.created_at, s.updated_at, ' +
  's.expires_at, s.meta';

/** The error for a session that is unknown or has expired (decisions section 4.7). */
export function noSession(): ServiceError {
  return new ServiceError('not_found', 'not found');
}

/** A session that has not expired. Throws `not_found`. */
export async function readSession(queries: Queries, id: string, now: number): Promise<SessionRow> {
  const session = await queries.get<SessionRow>(
    `SELECT ${SESSION} FROM memory_sessions s WHERE s.id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)`,
    [id, now],
  );
  if (session === undefined) throw noSession();
  return session;
}

export async function insertSession(work: UnitOfWork,
  { id, userId, owner, scenario, title, titleFinal, meta, expiresAt }: NewSession): Promise<void>
{
  const { tx, now } = work;
  const values: SqlValue[] = [id, userId, owner, scenario, title, Number(titleFinal), now, now, expiresAt,
    JSON.stringify(meta)];
  await tx.run(
    `INSERT INTO memory_sessions(id, user_id, owner, scenario, title, title_final, created_at, updated_at, expires_at, meta) VALUES (${
      values.map(() => '?').join(', ')
    })`,
    values,
  );
  await countSession(tx, { userId, scenario }, 1);
  await noteSession(work, id);
}

/** Adds one to the number of messages and returns the updated row. Throws `not_found`. */
export async function advanceSession(work: UnitOfWork, id: string): Promise<SessionRow> {
  const { tx, now } = work;
  // The write comes first: it prevents others from reading the same number, whatever the database locks.
  const { changes } = await tx.run(
    'UPDATE memory_sessions SET messages = messages + 1, updated_at = ? WHERE id = ? AND (expires_at IS NULL OR ' +
      'expires_at > ?)',
    [now, id, now],
  );
  if (changes === 0) throw noSession();
  await noteSession(work, id);
  return readSession(tx, id, now);
}

/** Makes the title final; undefined keeps the generated one. */
export async function settleTitle({ tx }: UnitOfWork, { seq }: SessionRow, title: string | undefined): Promise<void> {
  await tx.run('UPDATE memory_sessions SET title = coalesce(?, title), title_final = 1 WHERE seq = ?', [title ?? null,
    seq]);
}

/** Replaces the title, which is final. */
export async function rename(work: UnitOfWork, { seq, id }: SessionRow, title: string): Promise<void> {
  await work.tx.run('UPDATE memory_sessions SET title = ? WHERE seq = ?', [title, seq]);
  await noteSession(work, id);
}

/** Removes the row; the caller removes its documents. */
export async function removeSession({ tx, feed }: UnitOfWork,
  { seq, id, user_id: userId, scenario }: SessionRow): Promise<void>
{
  await tx.run('DELETE FROM memory_sessions WHERE seq = ?', [seq]);
  await countSession(tx, { userId, scenario }, -1);
  await feed.append(tx, [{ kind: 'memory.delete', collection: MEMORY, key: id }]);
}

/** Tells readers that copy the database by its feed to read the row again. */
async function noteSession({ tx, feed }: UnitOfWork, id: string): Promise<void> {
  await feed.append(tx, [{ kind: 'memory.put', collection: MEMORY, key: id }]);
}

export function toSession(row: SessionRow): MemorySession {
  return {
    sessionId: row.id,
    userId: row.user_id,
    scenario: row.scenario,
    title: row.title,
    meta: JSON.parse(row.meta) as MemorySession['meta'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at ?? 0,
    messageCount: row.messages,
  };
}

/** The sessions of a user, of a scenario, of both, or all. */
interface SessionFilter {
  readonly userId?: string | undefined;
  readonly scenario?: string | undefined;
}

/** Counts a session that was added, or removed (-1), in its four lists. */
export async function countSession(tx: Transaction, { userId, scenario }: Required<SessionFilter>,
  difference: 1 | -1): Promise<void>
{
  const scopes = [{}, { userId }, { scenario }, { userId, scenario }].map(scopeOf);
  await tx.runMany(
    'INSERT INTO memory_session_counts(scope, sessions) VALUES (?, ?) ON CONFLICT(scope) DO UPDATE SET sessions = ' +
      'memory_session_counts.sessions + excluded.sessions',
    scopes.map((scope) => [scope, difference]),
  );
  if (difference < 0)
    await tx.runMany('DELETE FROM memory_session_counts WHERE scope = ? AND sessions = 0',
      scopes.map((scope) => [scope]));
}

/** Number of sessions that a filter selects and that have not expired; few have expired without being swept. */
export async function totalSessions(queries: Queries, filter: SessionFilter, now: number): Promise<number> {
  const { sql, params } = conditionOf(filter, '+');
  const row = await queries.get<{ total: number }>(
    `SELECT coalesce((SELECT sessions FROM memory_session_counts WHERE scope = ?), 0)
       - (SELECT count(*) FROM memory_sessions s WHERE s.expires_at <= ?${sql}) AS total`,
    [scopeOf(filter), now, ...params],
  );
  return row!.total;
}

/**
 * The conditions that a filter adds to a WHERE. The prefix `+` prevents the use of an index (SQLite, "Disqualifying
 * WHERE Clause Terms Using Unary +").
 */
export function conditionOf({ userId, scenario }: SessionFilter,
  prefix: '' | '+' = ''): { sql: string; params: SqlValue[] }
{
  // With both conditions, a user has fewer sessions than a scenario.
  const other = userId === undefined ? prefix : '+';
  return {
    sql: `${userId === undefined ? '' : ` AND ${prefix}s.user_id = ?`}${
      scenario === undefined ? '' : ` AND ${other}s.scenario = ?`
    }`,
    params: [userId, scenario].filter((value) => value !== undefined),
  };
}

function scopeOf({ userId, scenario }: SessionFilter): string {
  return JSON.stringify([userId ?? null, scenario ?? null]);
}
