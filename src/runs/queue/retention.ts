import { unixSeconds } from '../../lib/clock.ts';
import type { Transaction } from '../../storage/index.ts';
import { type Core, settings } from './core.ts';

/** Most runs that are removed in one tick (run-queue decisions, section 6), and in one transaction. */
const PER_TICK = 500;
const BATCH = 100;

export const EXPIRED =
  `SELECT runs.seq, run_material.definition_id FROM runs JOIN run_material ON run_material.seq = runs.seq
  WHERE runs.finished_at <= ? ORDER BY runs.finished_at LIMIT ?`;

/**
 * Removes runs that finished longer ago than `queue.run_retention`. Their logs are removed when the retention of logs
 * is over.
 */
export async function expireRuns(core: Core, signal?: AbortSignal): Promise<void> {
  const kept = settings(core).queue.run_retention;
  if (kept === 0) return;
  const until = unixSeconds(core.env.clock) - Math.ceil(kept / 1000);
  for (let gone = 0; gone < PER_TICK && !signal?.aborted; gone += BATCH) {
    if ((await core.env.sql.get(EXPIRED, [until, 1])) === undefined) return;
    await core.env.sql.transaction((tx) => removeSome(core, tx, until), { isolation: 'read committed' });
  }
}

async function removeSome(core: Core, tx: Transaction, until: number): Promise<void> {
  const rows = await tx.all<{ seq: number; definition_id: number }>(EXPIRED, [until, BATCH]);
  const seqs = rows.map(({ seq }) => [seq]);
  for (const table of ['run_material', 'run_results', 'run_summaries', 'attempts', 'test_results', 'test_reports',
    'runs'])
    await tx.runMany(`DELETE FROM ${table} WHERE seq = ?`, seqs);
  await core.definitions.prune(tx, rows.map(({ definition_id: id }) => id));
}
