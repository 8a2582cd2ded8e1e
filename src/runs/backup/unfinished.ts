import { type Clock, unixSeconds } from '../../lib/clock.ts';
import type { Queries, Transaction } from '../../storage/index.ts';

/** Unfinished runs are either queued again, or fail, so that people who know their outcome can retry them. */
export type Unfinished = 'queue' | 'fail';

export interface UnfinishedCounts {
  readonly queued: number;
  /** Assigned to a ship. */
  readonly held: number;
}

/**
 * More often than any run is assigned after a backup, so that the fence refuses later reports of ships for these
 * attempts.
 */
const FENCES = 1_048_576;

const WHY = 'the queue was restored from a backup, and what became of the run since is not known';

export async function countUnfinished(queries: Queries): Promise<UnfinishedCounts> {
  const row = await queries.get<{ queued: number; held: number }>(
    "SELECT count(*) FILTER (WHERE state = 'queued') AS queued, count(*) FILTER (WHERE state <> 'queued' AND " +
      'cells = 0) AS held FROM runs WHERE finished_at IS NULL',
  );
  return { queued: row!.queued, held: row!.held };
}

/**
 * Ends all attempts that were under way, and then their runs, unless these are queued again. Runs that were being
 * cancelled are cancelled.
 */
export async function settleUnfinished(tx: Transaction, unfinished: Unfinished, clock: Clock): Promise<void> {
  const now = unixSeconds(clock);
  await tx.run(`INSERT INTO attempts(seq, fence, attempt, ship_id, started_at, ended_at, outcome, reported)
     SELECT seq, fence, attempt, ship_id, started_at, ?, 'restored', 0 FROM runs WHERE state IN ('running', 'cancelling') AND cells = 0`,
    [now]);
  await tx.run(
    `UPDATE runs SET state = 'cancelled', ready = 0, finished_at = ?, updated_at = ?, fence = fence + ${FENCES} ` +
      `WHERE state = 'cancelling'`,
    [now, now],
  );
  if (unfinished === 'queue') await queueAgain(tx, clock);
  else await fail(tx, now);
}

/**
 * The attempt may have started its work, so the next one gets a new number, even after the last allowed attempt. The
 * time limit for waiting starts again, and so do approvals between steps. A run with cells does not change until its
 * cells have ended.
 */
async function queueAgain(tx: Transaction, clock: Clock): Promise<void> {
  const row = await tx.get<{ offset_ms: number | null }>('SELECT max(offset_ms) AS offset_ms FROM queue_time');
  const queuedMs = clock.now() + (row!.offset_ms ?? 0);
  await tx.run(
    `UPDATE runs SET fence = fence + ${FENCES}, queued_ms = ?, available_ms = min(available_ms, ?) WHERE state = ` +
      `'queued'`,
    [queuedMs, queuedMs],
  );
  await tx.run(
    `UPDATE runs SET state = 'queued', ready = 1, attempt = attempt + 1, max_attempts = max(max_attempts, attempt + 1), fence = fence + ${FENCES}, ship_id = NULL, started_at = NULL,
       accepted = 0, queued_ms = ?, available_ms = 0, log_truncated = 0, logs_expired = 0, approval = CASE WHEN approval ->> '$.step' IS NULL THEN approval END, updated_at = ? WHERE state = 'running' AND cells = 0`,
    [queuedMs, unixSeconds(clock)],
  );
}

async function fail(tx: Transaction, now: number): Promise<void> {
  await tx.run(`UPDATE runs SET state = 'failed', ready = 0, finished_at = ?, updated_at = ?, fence = fence + ${FENCES},
       error = json_object('code', 'internal', 'message', ?, 'attempt', attempt, 'step', NULL, 'exit_code', NULL, 'signal', NULL, 'retryable', json('true'))
     WHERE state IN ('queued', 'running')`, [now, now, WHY]);
}
