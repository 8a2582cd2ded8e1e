import type { Queries, SqlValue, Transaction } from '../../storage/index.ts';

/** The sessions of a user, of a scenario, of both, or all. */
export interface SessionFilter {
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
