import { unixSeconds } from '../../lib/clock.ts';
import type { Row } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { MEMORY } from './deps.ts';
import { countSession } from './session-rows.ts';

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
