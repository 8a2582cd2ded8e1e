import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Transaction } from '../../storage/index.ts';
import type { ApprovalStep, Concurrency } from '../definitions/index.ts';
import { readyToStart, releaseCells } from './cells.ts';
import type { Core } from './core.ts';
import { enterGroup, overtakenBy } from './enter-group.ts';
import type { Approval, NewRun, RunRecord } from './port.ts';
import { partOf, readById, type RunRow, type StoredApproval, toRecord } from './run-rows.ts';
import { cancelled, type Ending, failed, failureOf, suspended } from './transitions.ts';

/*
 * Runs that need an approval before they start (`approval` of a pipeline) or between two steps (`approval` of a step).
 * While they wait for it they hold no slot and no lease. Before the start they block no other run of their group, but a
 * newer one may supersede them; at an approval step they keep their group. `available_ms` is when the time limit for
 * the approval ends.
 */

/** The columns of a new run that needs an approval. */
export function newApproval({ env }: Core, { approvalMs, concurrency }: NewRun): StoredApproval | undefined {
  if (approvalMs === undefined) return undefined;
  const expiresAt = Math.floor((env.clock.now() + approvalMs) / 1000);
  return {
    state: 'waiting',
    by: null,
    at: null,
    expiresAt,
    timeoutMs: approvalMs,
    others: concurrency?.others,
  };
}

/**
 * Row 13, if an approval step follows the part of the run that its ship has completed: the run waits without a ship.
 * Undefined if none follows, so the run has succeeded.
 */
export async function awaitApproval(core: Core, tx: Transaction, row: RunRow,
  ending: Ending): Promise<RunRecord | undefined>
{
  const next = await nextApproval(core, tx, row);
  if (next === undefined) return undefined;
  const { name, message, timeoutMs } = next;
  const expiresAt = Math.floor((core.env.clock.now() + timeoutMs) / 1000);
  return suspended(core, tx, row, {
    state: 'waiting',
    by: null,
    at: null,
    expiresAt,
    timeoutMs,
    step: { name, message, part: partOf(row) + 1 },
  }, ending);
}

/** The approval step after the current part of the run. */
export async function nextApproval(core: Core, tx: Transaction, row: RunRow): Promise<ApprovalStep | undefined> {
  return (await core.definitions.ofRun(tx, row.seq)).approvals?.[partOf(row)];
}

/**
 * Moves the run to its lane, or to its group. Undefined if it does not wait for an approval.
 * @throws {ServiceError} `run_state_conflict` if a run of its pipeline and group that was queued later has begun.
 */
export async function approve(core: Core, tx: Transaction, id: string, by: string): Promise<RunRecord | undefined> {
  const found = await readWaiting(tx, id);
  if (found === undefined) return undefined;
  const { row, approval } = found;
  if (!(await decide(core, tx, row, approval, 'approved', by))) return undefined;
  const waits = approval.step === undefined && await enterOwnGroup(core, tx, row, approval);
  await tx.run('UPDATE runs SET waits_for = ?, available_ms = 0, queued_ms = ?, updated_at = ? WHERE seq = ?', [
    waits ? 'concurrency_group' : readyToStart(row),
    core.time.now(),
    unixSeconds(core.env.clock),
    row.seq,
  ]);
  await core.note(tx, id, row.attempt, 'info',
    `${approval.step === undefined ? 'the run' : `the step ${approval.step.name}`} is approved by ${by}`);
  if (row.cells > 0 && !waits) await releaseCells(core, tx, row);
  tx.onCommit(() => {
    core.lanes.filled(row.lane_id);
    core.wake();
  });
  return toRecord((await readById(tx, id))!);
}

/** Returns whether the run has to wait for others of its group; without a group it does not. */
async function enterOwnGroup(core: Core, tx: Transaction, row: RunRow, approval: StoredApproval): Promise<boolean> {
  if (row.concurrency_group === null) return false;
  const later = await overtakenBy(tx, row);
  if (later !== undefined)
    throw new ServiceError('run_state_conflict',
      `run ${later} of its group, which was queued later, has begun before this one was approved; reject this run, ` +
        'and run it again (`rerun`) if it is still wanted');
  return enterGroup(core, tx, row.id, concurrencyOf(row.concurrency_group, approval), row.seq);
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
  const message = `nobody approved ${
    approval.step === undefined ? 'the run' : `the step ${approval.step.name}`
  } within ${formatDuration(approval.timeoutMs)}`;
  return failed(core, tx, row, failureOf(row, { code: 'approval_timeout', message, retryable: true }), {
    outcome: 'approval_timeout',
    reported: false,
  });
}

async function readWaiting(tx: Transaction,
  id: string): Promise<{ row: RunRow; approval: StoredApproval } | undefined>
{
  const row = await readById(tx, id);
  if (row?.waits_for !== 'approval' || row.approval === null) return undefined;
  return { row, approval: JSON.parse(row.approval) as StoredApproval };
}

/** Returns false if another decision was recorded meanwhile. */
async function decide({ env }: Core, tx: Transaction, { seq }: RunRow, approval: StoredApproval,
  state: Approval['state'], by: string | null): Promise<boolean>
{
  const decided: StoredApproval = { ...approval, state, by, at: by === null ? null : unixSeconds(env.clock) };
  return (await tx.run("UPDATE runs SET approval = ? WHERE seq = ? AND state = 'queued' AND waits_for = 'approval'", [
    JSON.stringify(decided),
    seq,
  ])).changes === 1;
}

const concurrencyOf = (group: string, { others = 'first' }: StoredApproval): Concurrency => ({ group, others });
