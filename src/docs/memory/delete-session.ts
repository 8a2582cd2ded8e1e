import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { Identity } from '../../operations/index.ts';
import { removeUnder, type UnitOfWork } from '../documents/index.ts';
import { transactFor } from '../transact-for.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers } from './deps.ts';
import { keysOf } from './message-documents.ts';
import { findSession, noSession, removeSession, type SessionRow } from './session-rows.ts';

/** Maximum number of documents removed in one transaction. */
const REMOVED_AT_ONCE = 500;

/**
 * `DELETE /v1/memory/sessions/{id}`. A long conversation takes several transactions; the last one removes the session,
 * so that an interrupted deletion can be requested again.
 */
export function deleteSession({ sql, feed, clock }: MemoryDeps): MemoryHandlers['deleteSession'] {
  const find = async (queries: Parameters<typeof findSession>[0], id: string,
    identity: Identity): Promise<SessionRow> =>
  {
    const session = await findSession(queries, id, unixSeconds(clock));
    if (session === undefined) throw noSession();
    requireOwner(session, identity);
    return session;
  };
  return async ({ id }, context) => {
    for (;;) {
      context.signal.throwIfAborted();
      const deleted = await transactFor(sql, context, async (tx) => {
        const session = await find(tx, id, context.identity);
        const work: UnitOfWork = { tx, feed, now: unixSeconds(clock), pace: new Pace() };
        if ((await removeUnder(work, MEMORY, keysOf(id), REMOVED_AT_ONCE)) === REMOVED_AT_ONCE) return undefined;
        await removeSession(work, session);
        return session;
      });
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
