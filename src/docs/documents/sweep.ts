import { type Timer, unixSeconds } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import { forgetDeleted, removeDocuments } from './deleted-documents.ts';
import { type Deps, transact } from './deps.ts';
import { type CurrentRow, REPLACED } from './document-rows.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Removes expired data of one kind, in transactions of bounded size, and returns how many were removed. */
export type Sweep = (signal: AbortSignal) => Promise<number>;

/** Documents removed in one transaction (decisions section 3.1). */
const SWEPT_AT_ONCE = 1000;

/**
 * Removes expired documents, which are absent for every reader already, and returns how many. Each removal appends a
 * `doc.delete` with the reason `ttl` to the change feed.
 */
export async function sweepExpired(deps: Pick<Deps, 'sql' | 'feed' | 'clock'>, signal?: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal?.aborted && (await hasExpired(deps))) total += await transact(deps, sweepSome);
  return total;
}

/** Checked outside of a transaction, so that a sweep with nothing to do does not write to the disk. */
async function hasExpired({ sql, clock }: Pick<Deps, 'sql' | 'clock'>): Promise<boolean> {
  return (await sql.get('SELECT ord FROM documents WHERE expires_at <= ? LIMIT 1', [unixSeconds(clock)])) !== undefined;
}

async function sweepSome(work: UnitOfWork): Promise<number> {
  const rows = await work.tx.all<CurrentRow>(
    `SELECT ${REPLACED} FROM documents d WHERE d.expires_at <= ? ORDER BY d.expires_at LIMIT ?`,
    [work.now, SWEPT_AT_ONCE],
  );
  await removeDocuments(work, rows, 'ttl');
  return rows.length;
}

/** Removes the kept versions of deleted documents after their retention, and returns the number of those documents. */
export async function sweepDeleted(deps: Pick<Deps, 'sql' | 'feed' | 'clock' | 'deletedRetention'>,
  signal?: AbortSignal): Promise<number>
{
  const due = 'SELECT ord FROM deleted_documents WHERE deleted_at <= ? OR expires_at <= ? LIMIT ?';
  const params = (limit: number) => [unixSeconds(deps.clock) - deps.deletedRetention, unixSeconds(deps.clock), limit];
  let total = 0;
  while (!signal?.aborted && (await deps.sql.get(due, params(1))) !== undefined) {
    total += await transact(deps, async (work) => {
      const rows = await work.tx.all<{ ord: number }>(due, params(SWEPT_AT_ONCE));
      await forgetDeleted(work, rows.map(({ ord }) => ord));
      return rows.length;
    });
  }
  return total;
}

/** The background service that removes expired documents and data that expire with them. */
export function createSweeper(deps: Pick<Deps, 'sql' | 'feed' | 'clock' | 'log' | 'ttlSweepMs' | 'deletedRetention'>,
  timer: Timer | undefined, more: readonly Sweep[] = []): Loop
{
  const { log, ttlSweepMs } = deps;
  return new Loop({
    name: 'expired documents',
    everyMs: ttlSweepMs,
    timer,
    log,
    failure: 'expired documents could not be removed; the next sweep tries again',
  }, async (signal) => {
    const removed = await sweepExpired(deps, signal);
    if (removed > 0) log.info({ removed }, 'expired documents removed');
    const forgotten = await sweepDeleted(deps, signal);
    if (forgotten > 0) log.info({ forgotten }, 'versions of deleted documents removed');
    for (const sweep of more) await sweep(signal);
  });
}
