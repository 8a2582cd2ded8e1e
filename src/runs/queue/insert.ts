import { unixSeconds } from '../../lib/clock.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Core } from './core.ts';
import type { NewRun, RunRecord } from './port.ts';
import { readById, toRecord } from './run-rows.ts';

/** Row 1: a new run at the end of its lane. */
export async function insert(core: Core, tx: Transaction, run: NewRun): Promise<RunRecord> {
  const lane = await core.lanes.of(tx, run);
  const definition = await core.definitions.save(tx, run.definition);
  const id = core.nextId();
  await insertRow(core, tx, run, id, lane.id);
  await tx.run(
    'INSERT INTO run_material(seq, input, input_is_json, definition_id) SELECT seq, ?, ?, ? FROM runs WHERE id = ?',
    [run.input, Number(run.inputIsJson), definition, id],
  );
  await core.note(tx, id, 1, 'info', run.retryOf === undefined ? 'the run is queued' : `the run is queued, as a retry of ${run.retryOf.id}`);
  const record = toRecord((await readById(tx, id))!);
  tx.onCommit(() => {
    core.lanes.filled(lane.id);
    core.changes.announce({ run: record, from: null, formerShipId: null });
    core.wake();
  });
  return record;
}

async function insertRow({ env, time }: Core, tx: Transaction, run: NewRun, id: string, lane: number): Promise<void> {
  const at = unixSeconds(env.clock);
  await tx.run(
    `INSERT INTO runs(id, project_id, kind, task, state, attempt, max_attempts, priority, runs_on, source, lane_id, ready, fence, accepted,
       created_at, updated_at, queued_ms, available_ms, lease_ms, renewed_ms, deadline_ms, timeout_ms, retry_of, root_id, retry_number, git_ref, git_commit)
     VALUES (?, ?, ?, ?, 'queued', 1, ?, ?, ?, ?, ?, 1, 0, 0, ?, ?, ?, 0, 0, 0, 0, ?, ?, ?, ?, ?, ?)`,
    [
      id, run.projectId, run.kind, run.task, run.maxAttempts, run.priority, JSON.stringify(run.runsOn), run.source, lane,
      at, at, time.now(), run.definition.timeoutMs, run.retryOf?.id ?? null, run.retryOf?.rootId ?? id, (run.retryOf?.retryNumber ?? -1) + 1,
      run.gitRef ?? null, run.retryOf?.gitCommit ?? null,
    ],
  );
}
