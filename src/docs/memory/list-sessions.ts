import { unixSeconds } from '../../lib/clock.ts';
import { truncationOf } from '../../operations/index.ts';
import type { MemoryDeps, MemoryHandlers } from './deps.ts';
import { conditionOf, SESSION, type SessionRow, toSession, totalSessions } from './session-rows.ts';

const COLUMNS = { updatedAt: 'updated_at', createdAt: 'created_at', title: 'title' } as const;

/** With a larger offset, the query runs outside the event loop. */
const FAR = 1000;

/** `POST /v1/memory/sessions`. Sessions that are equal in the requested order are in the order of their creation. */
export function listSessions({ sql, clock }: MemoryDeps): MemoryHandlers['listSessions'] {
  return async ({ userId, scenario, limit, offset, sort, asc }, { budget }) => {
    const now = unixSeconds(clock);
    const filter = { userId, scenario };
    const condition = conditionOf(filter);
    const direction = asc ? 'ASC' : 'DESC';
    const order = `ORDER BY s.${COLUMNS[sort]} ${direction}, s.seq ${direction}`;
    // The page is selected from an index that covers all columns of this subquery; then its rows are read.
    const page =
      `SELECT s.seq FROM memory_sessions s WHERE (s.expires_at IS NULL OR s.expires_at > ?)${condition.sql} ` +
      `${order} LIMIT ? OFFSET ?`;
    const rows = await (offset > FAR ? sql.background : sql).all<SessionRow>(
      `SELECT ${SESSION} FROM memory_sessions s WHERE s.seq IN (${page}) ${order}`,
      [now, ...condition.params, limit, offset],
    );
    const fitting = budget.fit(rows,
      ({ title, meta, scenario, user_id: user }) =>
        [title, meta, scenario, user].reduce((bytes, text) => bytes + Buffer.byteLength(text), 0));
    return {
      sessions: fitting.map(toSession),
      total: await totalSessions(sql, filter, now),
      ...truncationOf(budget.isSpent, offset + fitting.length),
    };
  };
}
