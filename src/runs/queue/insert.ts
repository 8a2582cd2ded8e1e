import { unixSeconds } from '../../lib/clock.ts';
import type { Transaction } from '../../storage/index.ts';
import { newApproval, WAITS_FOR_APPROVAL } from './approvals.ts';
import type { Core } from './core.ts';
import { enterGroup } from './enter-group.ts';
import { WAITS_FOR_GROUP } from './groups.ts';
import type { NewRun, RunRecord } from './port.ts';
import { toRecord, type RunRow, type StoredApproval } from './run-rows.ts';

/** Row 1: a new run at the end of its lane. */
export async function insert(core: Core, tx: Transaction, run: NewRun): Promise<RunRecord> {
  const lane = await core.lanes.of(tx, run);
  const definition = await core.definitions.save(tx, run.definition);
  const id = core.nextId();
  const approval = newApproval(core, run);
  const ready = await readyOf(core, tx, id, run);
  const text = run.retryOf === undefined ? 'the run is queued' : `the run is queued, as a retry of ${run.retryOf.id}`;
  // Asked for at once, which saves the ways to a server.
  const [bytes] = await Promise.all([
    core.line(tx, id, 1, 'info', text, { isFirst: true }),
    insertRow(core, tx, run, { id, lane: lane.id, ready, approval }),
    tx.run(
      'INSERT INTO run_material(seq, input, input_is_json, definition_id) SELECT seq, ?, ?, ? FROM runs WHERE id = ?',
      [run.input, Number(run.inputIsJson), definition, id],
    ),
  ]);
  const row = (await tx.get<RunRow>('UPDATE runs SET logs_bytes = logs_bytes + ? WHERE id = ? RETURNING *', [bytes, id]))!;
  const record = toRecord(row);
  const change = { run: record, from: null, formerShipId: null };
  await core.tell(tx, change);
  tx.onCommit(() => {
    core.lanes.filled(lane.id);
    core.changes.announce(change);
    core.wake();
  });
  return record;
}

/** A run that is to be approved enters its group when it is. */
async function readyOf(core: Core, tx: Transaction, id: string, { approvalMs, concurrency }: NewRun): Promise<number> {
  if (approvalMs !== undefined) return WAITS_FOR_APPROVAL;
  return concurrency !== undefined && await enterGroup(core, tx, id, concurrency) ? WAITS_FOR_GROUP : 1;
}

async function insertRow({ env, time }: Core, tx: Transaction, run: NewRun, { id, lane, ready, approval }: { id: string; lane: number; ready: number; approval: StoredApproval | undefined }): Promise<void> {
  const at = unixSeconds(env.clock);
  await tx.run(
    `INSERT INTO runs(id, project_id, kind, task, state, attempt, max_attempts, priority, runs_on, source, lane_id, ready, fence, accepted,
       created_at, updated_at, queued_ms, available_ms, lease_ms, renewed_ms, deadline_ms, timeout_ms, retry_of, root_id, retry_number, concurrency_group, approval, git_ref, git_commit)
     VALUES (?, ?, ?, ?, 'queued', 1, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id, run.projectId, run.kind, run.task, run.maxAttempts, run.priority, JSON.stringify(run.runsOn), run.source, lane, ready,
      at, at, time.now(), approval === undefined ? 0 : time.now() + approval.timeoutMs, run.definition.timeoutMs, run.retryOf?.id ?? null, run.retryOf?.rootId ?? id, (run.retryOf?.retryNumber ?? -1) + 1, run.concurrency?.group ?? null,
      approval === undefined ? null : JSON.stringify(approval),
      run.gitRef ?? null, run.retryOf?.gitCommit ?? null,
    ],
  );
}
