import { formatDuration } from '../../lib/duration.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Concurrency } from '../definitions/run-request.ts';
import { readyToStart, releaseCells } from './cells.ts';
import type { Core } from './core.ts';
import { enterGroup } from './enter-group.ts';
import { WAITS_FOR_GROUP } from './groups.ts';
import type { Approval, NewRun, RunRecord } from './port.ts';
import { readById, toRecord, type RunRow, type StoredApproval } from './run-rows.ts';
import { cancelled, failed, failureOf } from './transitions.ts';

/*
 * Runs that need an approval before they start (`approval` of a pipeline). Until then they are `ready` 3 and in no group: they block no slot, no
 * lease and no other run. `available_ms` is when the time limit for the approval ends.
 */

/** Value of `ready` of a run that is not approved yet. */
export const WAITS_FOR_APPROVAL = 3;

/** The columns of a new run that needs an approval. */
export function newApproval({ env }: Core, { approvalMs, concurrency }: NewRun): StoredApproval | undefined {
  if (approvalMs === undefined) return undefined;
  const expiresAt = Math.floor((env.clock.now() + approvalMs) / 1000);
  return { state: 'waiting', by: null, at: null, expiresAt, timeoutMs: approvalMs, ...(concurrency && { others: concurrency.others }) };
}

/** Moves the run to its lane, or to its group. Undefined if it does not wait for an approval. */
export async function approve(core: Core, tx: Transaction, id: string, by: string): Promise<RunRecord | undefined> {
  const found = await readWaiting(tx, id);
  if (found === undefined) return undefined;
  const { row, approval } = found;
  if (!(await decide(core, tx, row, approval, 'approved', by))) return undefined;
  const waits = row.concurrency_group !== null && await enterGroup(core, tx, id, concurrencyOf(row.concurrency_group, approval));
  await tx.run(
    'UPDATE runs SET ready = ?, available_ms = 0, queued_ms = ?, updated_at = ? WHERE seq = ?',
    [waits ? WAITS_FOR_GROUP : readyToStart(row), core.time.now(), unixSeconds(core.env.clock), row.seq],
  );
  await core.note(tx, id, row.attempt, 'info', `the run is approved by ${by}`);
  if (row.cells > 0 && !waits) await releaseCells(core, tx, row);
  tx.onCommit(() => {
    core.lanes.filled(row.lane_id);
    core.wake();
  });
  return toRecord((await readById(tx, id))!);
}

/** Cancels the run. Undefined if it does not wait for an approval. */
export async function reject(core: Core, tx: Transaction, id: string, by: string): Promise<RunRecord | undefined> {
  const found = await readWaiting(tx, id);
  if (found === undefined || !(await decide(core, tx, found.row, found.approval, 'rejected', by))) return undefined;
  return cancelled(core, tx, found.row, `rejected by ${by}`, { outcome: 'rejected', reported: false });
}

/** Nobody has decided within the time limit. */
export async function expire(core: Core, tx: Transaction, row: RunRow): Promise<RunRecord | undefined> {
  const approval = JSON.parse(row.approval!) as StoredApproval;
  if (!(await decide(core, tx, row, approval, 'expired', null))) return undefined;
  const message = `nobody approved the run within ${formatDuration(approval.timeoutMs)}`;
  return failed(core, tx, row, failureOf(row, { code: 'approval_timeout', message, retryable: true }), { outcome: 'approval_timeout', reported: false });
}

async function readWaiting(tx: Transaction, id: string): Promise<{ row: RunRow; approval: StoredApproval } | undefined> {
  const row = await readById(tx, id);
  if (row?.state !== 'queued' || row.ready !== WAITS_FOR_APPROVAL || row.approval === null) return undefined;
  return { row, approval: JSON.parse(row.approval) as StoredApproval };
}

/** Returns false if another decision was recorded meanwhile. */
async function decide({ env }: Core, tx: Transaction, { seq }: RunRow, approval: StoredApproval, state: Approval['state'], by: string | null): Promise<boolean> {
  const decided: StoredApproval = { ...approval, state, by, at: by === null ? null : unixSeconds(env.clock) };
  return (await tx.run("UPDATE runs SET approval = ? WHERE seq = ? AND state = 'queued' AND ready = 3", [JSON.stringify(decided), seq])).changes === 1;
}

const concurrencyOf = (group: string, { others = 'first' }: StoredApproval): Concurrency => ({ group, others });
