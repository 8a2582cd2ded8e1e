import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { type Identity, truncationOf } from '../../operations/index.ts';
import type { Row } from '../../storage/index.ts';
import { recordOf } from '../access/index.ts';
import { removeUnder, transact } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers, newId } from './deps.ts';
import { keysOf, messagesOf } from './messages.ts';
import { conditionOf, countSession, insertSession, readSession, removeSession, rename, SESSION, type SessionRow,
  toSession, totalSessions } from './session-rows.ts';
import { madeUpTitle, titleOf } from './title.ts';

/** `POST /v1/memory/session`. */
export function startSession({ sql, feed, clock }: MemoryDeps): MemoryHandlers['startSession'] {
  return ({ userId, scenario = '', title = '', meta = {}, ttl }, context) =>
    transact({ sql, feed, clock }, async (work) => {
      const id = newId('ses');
      await insertSession(work, {
        id,
        userId,
        scenario,
        meta,
        owner: await recordOf(work.tx, userId),
        title: title || madeUpTitle(scenario, work.now),
        titleFinal: title !== '',
        expiresAt: ttl === 0 ? null : work.now + ttl,
      });
      return toSession(await readSession(work.tx, id, work.now));
    }, context);
}

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

/** Maximum number of documents removed in one transaction. */
const REMOVED_AT_ONCE = 500;

/**
 * `DELETE /v1/memory/sessions/{id}`. A long conversation takes several transactions; the last one removes the session,
 * so that an interrupted deletion can be requested again.
 */
export function deleteSession({ sql, feed, clock }: MemoryDeps): MemoryHandlers['deleteSession'] {
  return async ({ id }, context) => {
    for (;;) {
      context.signal.throwIfAborted();
      const deleted = await transact({ sql, feed, clock }, async (work) => {
        const session = await readSession(work.tx, id, work.now);
        requireOwner(session, context.identity);
        if ((await removeUnder(work, MEMORY, keysOf(id), REMOVED_AT_ONCE)) === REMOVED_AT_ONCE) return undefined;
        await removeSession(work, session);
        return session;
      }, context);
      if (deleted !== undefined) return { status: 'deleted', sessionId: deleted.id, messages: deleted.messages };
    }
  };
}

/** A conversation belongs to the user that it named when it began: to that record, and to no later user of the name. */
function requireOwner({ owner }: SessionRow, identity: Identity): void {
  if (identity.may('admin', MEMORY) || (identity.account !== undefined && identity.account === owner)) return;
  throw new ServiceError('forbidden',
    `forbidden: a session is deleted by the user that it belongs to, or with admin permission on ${MEMORY}`);
}

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'clock'>;

/** Maximum number of sessions removed in one transaction. */
const SWEPT_AT_ONCE = 200;

interface Expired extends Row {
  readonly seq: number;
  readonly id: string;
  readonly user_id: string;
  readonly scenario: string;
}

/**
 * Removes expired sessions and returns their number. Their messages expire at the same time, and are swept like all
 * documents.
 */
export async function sweepSessions(environment: Environment, signal?: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal?.aborted && (await hasExpired(environment))) total += await sweepSome(environment);
  return total;
}

/** Queried outside of a transaction, so that a sweep with nothing to do does not write to disk. */
async function hasExpired({ sql, clock }: Environment): Promise<boolean> {
  return (await sql.get('SELECT seq FROM memory_sessions WHERE expires_at <= ? LIMIT 1', [unixSeconds(clock)])) !==
    undefined;
}

function sweepSome({ sql, feed, clock }: Environment): Promise<number> {
  return sql.transaction(async (tx) => {
    const expired = await tx.all<Expired>(
      'SELECT seq, id, user_id, scenario FROM memory_sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
      [unixSeconds(clock), SWEPT_AT_ONCE],
    );
    for (const { user_id: userId, scenario } of expired) await countSession(tx, { userId, scenario }, -1);
    await tx.runMany('DELETE FROM memory_sessions WHERE seq = ?', expired.map(({ seq }) => [seq]));
    await feed.append(tx, expired.map(({ id }) => ({
      kind: 'memory.delete',
      collection: MEMORY,
      key: id,
      detail: JSON.stringify({ reason: 'ttl' }),
    })));
    return expired.length;
  });
}

/** Number of sessions that are read at once. */
const BATCH = 100;

/**
 * Gives sessions whose title quotes a message of their user a generated one: sessions are not encrypted when their
 * messages are. For the time after a switch; later titles quote no message (`addMessage`).
 */
export async function withholdTitles(deps: Pick<MemoryDeps, 'sql' | 'feed' | 'codec' | 'clock'>,
  signal: AbortSignal): Promise<void>
{
  const { sql, feed, clock } = deps;
  for (let after = 0;;) {
    const sessions = await sql.background.all<SessionRow>(
      `SELECT ${SESSION} FROM memory_sessions s WHERE s.seq > ? AND s.title_final = 1 AND s.messages > 0 ORDER BY ` +
        `s.seq LIMIT ${BATCH}`,
      [after],
    );
    if (sessions.length === 0) return;
    const quoting: SessionRow[] = [];
    for (const session of sessions) if (await quotesMessage(deps, session, signal)) quoting.push(session);
    if (quoting.length > 0) {
      await transact({ sql, feed, clock }, async (work) => {
        for (const session of quoting) await rename(work, session, madeUpTitle(session.scenario, session.created_at));
      });
    }
    after = sessions.at(-1)!.seq;
  }
}

async function quotesMessage({ sql, codec }: Pick<MemoryDeps, 'sql' | 'codec'>, { id, title, messages }: SessionRow,
  signal: AbortSignal): Promise<boolean>
{
  try {
    for await (const batch of messagesOf({ sql: sql.background, codec }, id, 1, messages)) {
      signal.throwIfAborted();
      if (batch.some(({ meta, contentMd }) => meta['role']?.[0] === 'user' && titleOf(contentMd) === title))
        return true;
    }
    return false;
  } catch (error) {
    // Nobody can tell whether it quotes a message that cannot be decrypted.
    if (error instanceof ServiceError && error.code === 'internal') return true;
    throw error;
  }
}
