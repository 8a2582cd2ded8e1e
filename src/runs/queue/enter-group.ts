import type { Transaction } from '../../storage/index.ts';
import type { Concurrency } from '../definitions/index.ts';
import type { Core } from './core.ts';
import { takeGroup } from './groups.ts';
import { readById, type RunRow, type StoredApproval } from './run-rows.ts';
import { askToStop, cancelled } from './transitions.ts';
import { cancelMatrix } from './whole-run.ts';

export const WAITING_OF_GROUP =
  "SELECT * FROM runs WHERE concurrency_group = ? AND state = 'queued' AND waits_for = 'concurrency_group' ORDER " +
  'BY priority DESC, seq';

export const AWAITING_OF_GROUP =
  "SELECT * FROM runs WHERE concurrency_group = ? AND state = 'queued' AND waits_for = 'approval' AND approval ->> " +
  "'$.step' IS NULL ORDER BY priority DESC, seq";

/**
 * Ends the runs that this one supersedes, and then takes the group for it. Returns whether it has to wait. `seq`: the
 * number of the run if it was queued before, and waited for its approval; only older runs are superseded.
 */
export async function enterGroup(core: Core, tx: Transaction, runId: string, { group, others }: Concurrency,
  seq = Infinity): Promise<boolean>
{
  const holder = await takeGroup(tx, group, runId);
  if (others !== 'first') {
    // Waiting runs first, so that none of them gets the group. If those that wait for an approval stayed, approving one
    // later would let an older run follow this one.
    for (const query of [WAITING_OF_GROUP, AWAITING_OF_GROUP]) {
      for (const row of await tx.all<RunRow>(query, [group]))
        if (row.seq < seq && row.id !== runId) await supersede(core, tx, row, runId);
    }
  }
  if (holder === runId) return false;
  if (others === 'first') return true;
  const row = await readById(tx, holder);
  if (row !== undefined && row.seq < seq && (others === 'cancel_all' || hasNotBegun(row)))
    await supersede(core, tx, row, runId);
  return (await takeGroup(tx, group, runId)) !== runId;
}

const HOLDER_OF_GROUP = 'SELECT r.* FROM concurrency_groups g JOIN runs r ON r.id = g.holder WHERE g.name = ?';

/** Servers may have clocks that differ by less than this many seconds. */
const CLOCKS_DIFFER = 300;

/** What has run and ended since an approval was asked for: `created_at` and the index bound how many runs are read. */
export const LATER_OF_GROUP =
  "SELECT id FROM runs WHERE project_id = ? AND state IN ('succeeded', 'failed', 'cancelled') AND state NOT IN " +
  "('running', 'cancelling') AND kind = ? AND created_at >= ? AND task = ? AND concurrency_group = ? AND seq > ? AND " +
  '(started_at IS NOT NULL OR attempt > 1) LIMIT 1';

/**
 * The id of a run of the same pipeline and group that was queued after this one and has begun, if there is one. Letting
 * this run start now would undo what the later one has done.
 */
export async function overtakenBy(tx: Transaction, row: RunRow): Promise<string | undefined> {
  const holder = await tx.get<RunRow>(HOLDER_OF_GROUP, [row.concurrency_group]);
  const isOfPipeline = holder?.project_id === row.project_id && holder.task === row.task;
  if (isOfPipeline && holder.seq > row.seq && hasBegun(holder)) return holder.id;
  const later = await tx.get<{ id: string }>(LATER_OF_GROUP, [row.project_id, row.kind, row.created_at - CLOCKS_DIFFER,
    row.task, row.concurrency_group, row.seq]);
  return later?.id;
}

/** Also between two attempts, and at an approval step. A restore changes the fences of runs that have not begun. */
const hasBegun = ({ state, attempt, approval }: RunRow): boolean =>
  state !== 'queued' || attempt > 1 ||
  (approval !== null && (JSON.parse(approval) as StoredApproval).step !== undefined);

/** A run between two attempts counts as begun. */
const hasNotBegun = ({ state, fence }: RunRow): boolean => state === 'queued' && fence === 0;

async function supersede(core: Core, tx: Transaction, row: RunRow, by: string): Promise<void> {
  const why = `run ${by} of its group takes its place`;
  if (row.state !== 'queued' && row.state !== 'running') return;
  if (row.cells > 0) await cancelMatrix(core, tx, row.id, why);
  else if (row.state === 'queued') await cancelled(core, tx, row, why, { outcome: 'cancelled', reported: false });
  else await askToStop(core, tx, row);
  await core.onSuperseded(tx, row.id, by);
}
