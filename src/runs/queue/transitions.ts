import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { MultiRow, type SqlValue, type Transaction } from '../../storage/index.ts';
import { ACCEPT_MS, type Core, longestCancelMs, pauseAfter, settings } from './core.ts';
import { leaveGroup } from './groups.ts';
import type { RunFailure, RunRecord, RunState, StepRecord } from './port.ts';
import { isFinished, isHeld, partOf, readById, type RunRow, type StoredApproval, toRecord } from './run-rows.ts';

/*
 * The rows of the state machine (run-queue decisions, section 2.3), one function each. Every change of a run's state
 * uses `move`, or does the same for many runs: it is guarded by state and fence, adds a line to the log of the attempt,
 * and notifies the listeners after the commit.
 */

/** A line of the log of the attempt that the change concerns. */
interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

/** How an assignment ended. `reported`: by its ship. */
export interface Ending {
  readonly outcome: string;
  readonly reported: boolean;
  readonly steps?: readonly StepRecord[] | undefined;
}

const lineOf = ({ level, text }: Line) => ({ level, message: text });

const info = (text: string): Line => ({ level: 'info', text });

const warn = (text: string): Line => ({ level: 'warn', text });

const CLAIM = new MultiRow(
  `UPDATE runs SET state = 'running', waits_for = NULL, fence = fence + 1, accepted = 0, started_at = ?, updated_at = ?, lease_ms = ?, renewed_ms = ?, deadline_ms = ?,
     ship_id = given.column3, logs_bytes = logs_bytes + given.column4 FROM (VALUES`,
  '(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT))',
  ") AS given WHERE seq = given.column1 AND fence = given.column2 AND state = 'queued'",
);

/** Row 2, for runs that the transaction has locked, by a few statements. */
export async function claimAll(core: Core, tx: Transaction,
  claims: readonly { readonly row: RunRow; readonly shipId: string }[]): Promise<RunRecord[]>
{
  const [now, at] = [core.time.now(), unixSeconds(core.env.clock)];
  const patch = {
    state: 'running',
    waits_for: null,
    accepted: 0,
    started_at: at,
    updated_at: at,
    lease_ms: now + settings(core).queue.lease_ttl,
    renewed_ms: now,
    deadline_ms: now + ACCEPT_MS,
  } as const;
  const bytes = await core.lines(tx, claims.map(({ row, shipId }) => (
    {
      runId: row.id,
      attempt: row.attempt,
      ...lineOf(info(`attempt ${row.attempt} of ${row.max_attempts} is given to ${core.nameShip(shipId)}`)),
    }
  )));
  const { changes } = await CLAIM.run(tx, [at, at, patch.lease_ms, now, patch.deadline_ms],
    claims.map(({ row, shipId }, i) => [row.seq, row.fence, shipId, bytes[i]!]));
  if (changes !== claims.length) throw new Error('a run changed while it was being claimed');
  const runs: RunRecord[] = [];
  for (const [i, { row, shipId }] of claims.entries()) {
    runs.push(await recordMove(core, tx, row, {
      ...row,
      ...patch,
      fence: row.fence + 1,
      ship_id: shipId,
      logs_bytes: row.logs_bytes + bytes[i]!,
    }));
    if (row.parent_id !== null) await begin(core, tx, row.parent_id);
  }
  return runs;
}

/** For a run that no ship holds: its lease and its deadline never end. */
const NEVER_MS = 9_000_000_000_000_000;

/**
 * Row 2 for a run with cells, when its first cell starts. Cells may be claimed at the same time, so the number of
 * changed rows shows which was first.
 */
async function begin(core: Core, tx: Transaction, id: string): Promise<void> {
  const at = unixSeconds(core.env.clock);
  const { changes } = await tx.run(
    "UPDATE runs SET state = 'running', waits_for = NULL, started_at = ?, updated_at = ?, lease_ms = ?, " +
      "deadline_ms = ? WHERE id = ? AND state = 'queued'",
    [at, at, NEVER_MS, NEVER_MS, id],
  );
  if (changes === 0) return;
  await core.note(tx, id, 1, 'info', 'the first cell has begun');
  const run = toRecord((await readById(tx, id))!);
  const change = { run, from: 'queued', formerShipId: null } as const;
  await core.changes.record(tx, change);
}

/** Row 9. The lease is not extended, because a cancel request is no sign of life. */
export function askToStop(core: Core, tx: Transaction, row: RunRow): Promise<RunRecord> {
  if (row.cells > 0)
    return move(core, tx, row, { state: 'cancelling' }, info('the cells of the run are asked to stop'));
  const deadline = core.time.now() + longestCancelMs(core);
  return move(core, tx, row, { state: 'cancelling', deadline_ms: Math.min(deadline, row.deadline_ms) },
    info('the run is asked to stop'));
}

/**
 * Rows 3, 10 and 11. Unless the ship has reported the end, the fence increases, so that its later reports are refused.
 */
export async function cancelled(core: Core, tx: Transaction, row: RunRow, why: string,
  ending: Ending): Promise<RunRecord>
{
  await recordEnd(core, tx, row, ending);
  return move(core, tx, row, { ...finish(core, 'cancelled'), fence: row.fence + forced(row, ending) },
    info(`the run is cancelled: ${why}`), 'cancelled');
}

/** Row 5. */
export async function succeeded(core: Core, tx: Transaction, row: RunRow, steps?: Ending['steps']): Promise<RunRecord> {
  await recordEnd(core, tx, row, { outcome: 'succeeded', reported: true, steps });
  return move(core, tx, row, finish(core, 'succeeded'), info('the run succeeded'));
}

const SUCCEED = new MultiRow(
  "UPDATE runs SET state = 'succeeded', waits_for = NULL, finished_at = ?, updated_at = ?, logs_bytes = " +
    'logs_bytes + given.column3 FROM (VALUES',
  '(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))',
  ") AS given WHERE seq = given.column1 AND fence = given.column2 AND state = 'running'",
);

/**
 * Row 5, for runs that the transaction has locked, by a few statements. No two of them may depend on each other, as
 * those of a group or matrix do.
 */
export async function succeededAll(core: Core, tx: Transaction,
  ended: readonly { readonly row: RunRow; readonly steps: Ending['steps'] }[]): Promise<void>
{
  const at = unixSeconds(core.env.clock);
  const [bytes] = await Promise.all([core.lines(tx, ended.map(({ row }) => ({
    runId: row.id,
    attempt: row.attempt,
    ...lineOf(info('the run succeeded')),
    isLast: true,
  }))),
    recordEnds(core, tx,
      ended.map(({ row, steps }) => ({ row, ending: { outcome: 'succeeded', reported: true, steps } })))]);
  const { changes } = await SUCCEED.run(tx, [at, at], ended.map(({ row }, i) => [row.seq, row.fence, bytes[i]!]));
  if (changes !== ended.length) throw new Error('a run changed while its end was being recorded');
  for (const [i, { row }] of ended.entries()) {
    await recordMove(core, tx, row, {
      ...row,
      ...finish(core, 'succeeded'),
      updated_at: at,
      logs_bytes: row.logs_bytes + bytes[i]!,
    });
  }
}

/** Rows 4, 6 and 8. */
export async function failed(core: Core, tx: Transaction, row: RunRow, failure: RunFailure,
  ending: Ending): Promise<RunRecord>
{
  await recordEnd(core, tx, row, ending);
  const patch = { ...finish(core, 'failed'), error: JSON.stringify(failure), fence: row.fence + forced(row, ending) };
  return move(core, tx, row, patch, { level: 'error', text: `the run failed: ${failure.code}: ${failure.message}` },
    failure.code);
}

/** Row 7: another attempt, after a pause. */
export async function nextAttempt(core: Core, tx: Transaction, row: RunRow,
  failure: Pick<RunFailure, 'code' | 'message'>, ending: Ending): Promise<RunRecord>
{
  await recordEnd(core, tx, row, ending);
  const pause = pauseAfter(row.attempt, settings(core).queue.backoff, core.random);
  const now = core.time.now();
  const patch = {
    ...requeued(row),
    attempt: row.attempt + 1,
    waits_for: 'backoff' as const,
    queued_ms: now + pause,
    available_ms: now + pause,
    log_truncated: 0,
    logs_expired: 0, // both are about the current attempt
    ...(partOf(row) > 0 && { approval: null }), // it starts with the first step, and asks for its approvals again
  };
  return move(core, tx, row, patch,
    warn(
      `attempt ${row.attempt} ended: ${failure.code}: ${failure.message}; the next one follows in ${
        (pause / 1000).toFixed(1)
      } s`,
    ), failure.code);
}

/**
 * Row 12, and an attempt that is returned before its first step: queues the same attempt again, as if it had not been
 * assigned.
 */
export async function sameAttempt(core: Core, tx: Transaction, row: RunRow, reason: string, why: string,
  ending: Ending): Promise<RunRecord>
{
  await recordEnd(core, tx, row, ending);
  const record = await move(core, tx, row, { ...requeued(row), waits_for: 'ship', available_ms: 0 },
    info(`attempt ${row.attempt} waits for another ship: ${why}`), reason);
  tx.onCommit(() => core.lanes.filled(row.lane_id));
  return record;
}

/**
 * Row 13: the steps before an approval step are done. The ship is free, and the attempt continues after the approval,
 * on any ship.
 */
export async function suspended(core: Core, tx: Transaction, row: RunRow, approval: StoredApproval,
  ending: Ending): Promise<RunRecord>
{
  await recordEnd(core, tx, row, ending);
  const patch = {
    ...requeued(row),
    waits_for: 'approval' as const,
    queued_ms: core.time.now(),
    available_ms: core.time.now() + approval.timeoutMs,
    approval: JSON.stringify(approval),
  };
  return move(core, tx, row, patch, info(`the run waits for the approval of step ${approval.step!.name}`), 'approval');
}

/** Rows 7, 8 and 11: the ship is gone, whatever the reason. */
export function takeFromShip(core: Core, tx: Transaction, row: RunRow, failure: { code: string; message: string },
  ending: Ending): Promise<RunRecord>
{
  if (row.state === 'cancelling') return cancelled(core, tx, row, failure.message, ending);
  if (row.attempt < row.max_attempts) return nextAttempt(core, tx, row, failure, ending);
  return failed(core, tx, row, failureOf(row, { ...failure, retryable: true }), ending);
}

/** A failure without step, exit code and signal, unless they are given. */
export function failureOf(row: RunRow, failure: { code: string; message: string } & Partial<RunFailure>): RunFailure {
  return { step: null, exit_code: null, signal: null, retryable: false, ...failure, attempt: row.attempt };
}

const finish = (core: Core, state: RunState) => ({ state, waits_for: null, finished_at: unixSeconds(core.env.clock) });

const requeued = (row: RunRow) =>
  ({ state: 'queued', fence: row.fence + 1, ship_id: null, started_at: null, accepted: 0 }) as const;

const forced = (row: RunRow, { reported }: Ending): number => (isHeld(row) && !reported ? 1 : 0);

const ENDS = new MultiRow(
  'INSERT INTO attempts(seq, fence, attempt, ship_id, started_at, ended_at, outcome, reported, git_commit, steps) ' +
    'VALUES',
  '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
);

async function recordEnd(core: Core, tx: Transaction, row: RunRow, ending: Ending): Promise<void> {
  if (isHeld(row)) await recordEnds(core, tx, [{ row, ending }]);
}

async function recordEnds({ env }: Core, tx: Transaction,
  ends: readonly { readonly row: RunRow; readonly ending: Ending }[]): Promise<void>
{
  const at = unixSeconds(env.clock);
  await ENDS.run(tx, [],
    ends.map((
      { row, ending: { outcome, reported, steps } },
    ) => [row.seq, row.fence, row.attempt, row.ship_id, row.started_at, at, outcome, Number(reported), row.git_commit,
      steps === undefined ? null : JSON.stringify(steps)]
    ));
}

async function move(core: Core, tx: Transaction, row: RunRow, patch: Partial<RunRow>, line: Line,
  reason?: string): Promise<RunRecord>
{
  const [bytes] = await core.lines(tx, [{
    runId: row.id,
    attempt: row.attempt,
    ...lineOf(line),
    isLast: patch.finished_at != null,
  }]);
  const columns = Object.entries({ ...patch, updated_at: unixSeconds(core.env.clock) }) as [string, SqlValue][];
  const moved = await tx.get<RunRow>(
    `UPDATE runs SET ${
      columns.map(([name]) => `${name} = ?`).join(', ')
    }, logs_bytes = logs_bytes + ? WHERE seq = ? AND fence = ? AND state = ? RETURNING *`,
    [...columns.map(([, value]) => value), bytes!, row.seq, row.fence, row.state],
  );
  if (moved === undefined) throw new Error(`run ${row.id} changed while it was being changed`);
  return recordMove(core, tx, row, moved, reason);
}

/** What follows from a change of a run, in its transaction and after the commit. */
async function recordMove(core: Core, tx: Transaction, row: RunRow, moved: RunRow,
  reason?: string): Promise<RunRecord>
{
  const run = toRecord(moved);
  const change = { run, from: row.state, formerShipId: row.ship_id, reason };
  if (isFinished(run)) {
    await leaveGroup(core, tx, row);
    if (run.cells > 0 || run.parentId !== null) await core.onEnd(tx, run);
  }
  await core.changes.record(tx, change);
  if (isHeld(row) && !isHeld(run)) tx.onCommit(core.wake); // a slot has become free
  return run;
}

/**
 * What becomes of runs that were unfinished in a backup: they are queued again, or fail, so that people who know their
 * outcome can retry them.
 */
export type Unfinished = 'queue' | 'fail';

/**
 * More often than any run is assigned after a backup, so that the fence refuses later reports of ships for these
 * attempts.
 */
const FENCES = 1_048_576;

const WHY = 'the queue was restored from a backup, and what became of the run since is not known';

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
    `UPDATE runs SET state = 'cancelled', waits_for = NULL, finished_at = ?, updated_at = ?, fence = fence + ` +
      `${FENCES} WHERE state = 'cancelling'`,
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
    `UPDATE runs SET state = 'queued', waits_for = 'ship', attempt = attempt + 1, max_attempts = max(max_attempts, attempt + 1), fence = fence + ${FENCES}, ship_id = NULL, started_at = NULL,
       accepted = 0, queued_ms = ?, available_ms = 0, log_truncated = 0, logs_expired = 0, approval = CASE WHEN approval ->> '$.step' IS NULL THEN approval END, updated_at = ? WHERE state = 'running' AND cells = 0`,
    [queuedMs, unixSeconds(clock)],
  );
}

async function fail(tx: Transaction, now: number): Promise<void> {
  await tx.run(
    `UPDATE runs SET state = 'failed', waits_for = NULL, finished_at = ?, updated_at = ?, fence = fence + ${FENCES},
       error = json_object('code', 'internal', 'message', ?, 'attempt', attempt, 'step', NULL, 'exit_code', NULL, 'signal', NULL, 'retryable', json('true'))
     WHERE state IN ('queued', 'running')`,
    [now, now, WHY],
  );
}
