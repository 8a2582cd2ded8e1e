import { unixSeconds } from '../../lib/clock.ts';
import type { Transaction } from '../../storage/index.ts';
import type { CellName, Definition, ResolvedCell } from '../definitions/index.ts';
import { newApproval } from './approvals.ts';
import { nameOf } from './cell-names.ts';
import { readyToStart, releaseCells } from './cells.ts';
import { cutText } from './completion.ts';
import type { Core } from './core.ts';
import { enterGroup } from './enter-group.ts';
import type { NewRun, RunRecord, WaitsFor } from './port.ts';
import { type RunRow, type StoredApproval, toRecord } from './run-rows.ts';

/** Columns of a row that the run itself does not determine. */
interface Place {
  readonly id: string;
  readonly waitsFor: WaitsFor;
  readonly approval?: StoredApproval | undefined;
  readonly parentId?: string;
  readonly cell?: CellName | undefined;
  readonly line: string;
}

/** Row 1: adds a new run at the end of its lane, with its cells if it has any. */
export async function insert(core: Core, tx: Transaction, run: NewRun): Promise<RunRecord> {
  const id = core.nextId();
  const { cells = [] } = run;
  const waitsFor = await waitsForOf(core, tx, id, run);
  const line = run.retryOf === undefined
    ? 'the run is queued'
    : `the run is queued, as a ${run.source} of ${run.retryOf.id}`;
  const row = await insertOne(core, tx, run, {
    id,
    waitsFor,
    approval: newApproval(core, run),
    cell: run.cell,
    line,
  });
  for (const cell of cells) await insertCell(core, tx, run, cell, id);
  if (cells.length > 0 && waitsFor === 'matrix') await releaseCells(core, tx, row);
  return toRecord(row);
}

async function insertCell(core: Core, tx: Transaction, run: NewRun, cell: ResolvedCell,
  parentId: string): Promise<void>
{
  const { cells: _, concurrency: __, approvalMs: ___, retryOf: ____, ...shared } = run;
  const rule = run.definition.jobs?.find(({ name }) => name === cell.job);
  const place: Place = {
    id: core.nextId(),
    waitsFor: rule !== undefined && rule.needs.length > 0 ? 'needs' : 'matrix',
    parentId,
    cell,
    line: `the run is queued, as ${nameOf(cell)} of ${parentId}`,
  };
  const { definition, runsOn, maxAttempts } = cell;
  await insertOne(core, tx, { ...shared, definition, runsOn, maxAttempts, input: null }, place, commitOf(run));
}

/** The commit that a run repeats, or that is known already; undefined for one that has its ref resolved. */
const commitOf = ({ retryOf, wantsNewest, gitCommit }: NewRun): string | null | undefined =>
  wantsNewest ? gitCommit : retryOf?.gitCommit ?? gitCommit;

async function insertOne(core: Core, tx: Transaction, run: NewRun, place: Place,
  commit = commitOf(run)): Promise<RunRow>
{
  const lane = await core.lanes.of(tx, run);
  const definition = await core.definitions.save(tx, run.definition);
  const [bytes] = await core.lines(tx, [{
    runId: place.id,
    attempt: 1,
    level: 'info',
    message: `${place.line}${withoutSteps(run.definition)}`,
    isFirst: true,
  }]);
  // Sent together, which saves a round trip to a database server.
  const [row] = await Promise.all([insertRow(core, tx, run, { ...place, lane: lane.id, commit, bytes: bytes! }),
    tx.run(
      'INSERT INTO run_material(seq, input, input_is_json, definition_id) SELECT seq, ?, ?, ? FROM runs WHERE id = ?',
      [run.input, Number(run.inputIsJson), definition, place.id],
    )]);
  tx.onCommit(() => core.lanes.filled(lane.id));
  await core.changes.record(tx, { run: toRecord(row), from: null, formerShipId: null });
  tx.onCommit(core.wake);
  return row;
}

/** What the first line of the log says about steps that are left out. */
function withoutSteps({ skipped = [] }: Definition): string {
  const steps = skipped.map(({ name, reason }) => `the step ${name} is skipped: it ${reason}`);
  return steps.length === 0 ? '' : cutText(`; ${steps.join('; ')}`, 2000);
}

/** A run that needs an approval enters its group when it is approved. */
async function waitsForOf(core: Core, tx: Transaction, id: string,
  { approvalMs, concurrency, cells = [] }: NewRun): Promise<WaitsFor>
{
  if (approvalMs !== undefined) return 'approval';
  return concurrency !== undefined && await enterGroup(core, tx, id, concurrency)
    ? 'concurrency_group'
    : readyToStart({ cells: cells.length });
}

/** What a new row has besides its run and its place. */
interface Rest {
  readonly lane: number;
  readonly commit: string | null | undefined;
  /** Stored bytes of its log. */
  readonly bytes: number;
}

async function insertRow({ env, time }: Core, tx: Transaction, run: NewRun,
  { id, lane, waitsFor, approval, parentId, cell, commit, bytes }: Place & Rest): Promise<RunRow>
{
  const at = unixSeconds(env.clock);
  const row = await tx.get<RunRow>(
    `INSERT INTO runs(id, project_id, kind, task, state, attempt, max_attempts, priority, runs_on, source, lane_id, waits_for, fence, accepted,
       created_at, updated_at, queued_ms, available_ms, lease_ms, renewed_ms, deadline_ms, timeout_ms, retry_of, root_id, retry_number, concurrency_group, approval, git_ref, git_commit,
       origin, cells, parent_id, job, matrix, logs_bytes)
     VALUES (?, ?, ?, ?, 'queued', 1, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    [id, run.projectId, run.kind, run.task, run.maxAttempts, run.priority, JSON.stringify(run.runsOn), run.source, lane,
      waitsFor, at, at, time.now(), approval === undefined ? 0 : time.now() + approval.timeoutMs,
      run.definition.timeoutMs, run.retryOf?.id ?? null, run.retryOf?.rootId ?? id,
      (run.retryOf?.retryNumber ?? -1) + 1, run.concurrency?.group ?? null,
      approval === undefined ? null : JSON.stringify(approval), run.gitRef ?? null, commit ?? null,
      JSON.stringify(run.origin), run.cells?.length ?? 0, parentId ?? null, cell?.job ?? null, storedValues(cell),
      bytes],
  );
  return row!;
}

/** Null for the only cell of a job without a matrix. */
function storedValues(cell: CellName | undefined): string | null {
  return cell === undefined || Object.keys(cell.values).length === 0 ? null : JSON.stringify(cell.values);
}
