import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { MemoryDeps } from './deps.ts';
import { messagesOf } from './get-history.ts';
import { rename, SESSION, type SessionRow } from './session-rows.ts';
import { madeUpTitle, titleOf } from './title.ts';

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
      await sql.transaction(async (tx) => {
        const work = { tx, feed, now: unixSeconds(clock), pace: new Pace() };
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
