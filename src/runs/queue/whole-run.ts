import type { Transaction } from '../../storage/index.ts';
import type { CellValues } from '../config/index.ts';
import type { CellName } from '../definitions/index.ts';
import { nameOf } from './cell-names.ts';
import { releaseCells } from './cells.ts';
import { type Core, settings, SILENT_MS } from './core.ts';
import { type CellRow, cellsOfJob, cellsOfRun, isOpen, isWaiting, outcomeOf, verdictOn } from './jobs.ts';
import type { RunRecord } from './port.ts';
import { isFinished, lockById, readById, type RunRow, toRecord } from './run-rows.ts';
import { askToStop, cancelled, failed, failureOf, succeeded } from './transitions.ts';

const LOCKED_CELLS =
  "SELECT * FROM runs WHERE parent_id = ? AND state IN ('queued', 'running', 'cancelling') ORDER BY seq FOR UPDATE";

/** Most cells that the error message of the whole run names. */
const NAMED = 5;

/**
 * A run has finished. If it has cells they end with it; if it is a cell, the run that it belongs to may continue or
 * end.
 */
export async function runEnded(core: Core, tx: Transaction, run: RunRecord): Promise<void> {
  if (run.cells > 0) await cancelCells(core, tx, run.id, 'the run that it is a cell of has ended');
  if (run.parentId !== null) await cellEnded(core, tx, run, run.parentId);
}

/** Cancels a run with its cells: it is `cancelling` until the last cell has ended. */
export async function cancelMatrix(core: Core, tx: Transaction, id: string,
  why: string): Promise<RunRecord | undefined>
{
  // In the same order in which an ending cell locks them.
  await tx.all(LOCKED_CELLS, [id]);
  const row = await lockById(tx, id);
  if (row?.state === 'queued') return cancelled(core, tx, row, why, { outcome: 'cancelled', reported: false });
  if (row?.state !== 'running') return undefined;
  await askToStop(core, tx, row);
  await cancelCells(core, tx, id, 'the run that it is a cell of is cancelled');
  return toRecord((await readById(tx, id))!);
}

/** `job`: only the cells of this one. */
async function cancelCells(core: Core, tx: Transaction, id: string, why: string, job?: string): Promise<void> {
  for (const cell of await tx.all<RunRow>(LOCKED_CELLS, [id])) {
    if (job !== undefined && cell.job !== job) continue;
    const row = await readById(tx, cell.id);
    if (row !== undefined) await cancelOne(core, tx, row, why);
  }
}

async function cellEnded(core: Core, tx: Transaction, run: RunRecord, parentId: string): Promise<void> {
  const parent = await lockById(tx, parentId);
  if (parent === undefined || isFinished(parent)) return;
  if (run.skipped === null) await noteEnd(core, tx, run, parent);
  const { jobs = [] } = await core.definitions.ofRun(tx, parent.seq);
  const endsOthers = run.state === 'failed' && jobs.some(({ name, failFast }) => failFast && name === (run.job ?? ''));
  if (endsOthers && parent.state !== 'cancelling')
    await cancelCells(core, tx, parentId, `${nameOf(cellOf(run))} has failed`, run.job ?? '');
  await goOn(core, tx, parentId);
}

async function noteEnd(core: Core, tx: Transaction, run: RunRecord, parent: RunRow): Promise<void> {
  const { id, state, error } = run;
  const reason = error === null ? '' : `: ${error.code}: ${error.message}`;
  await core.note(tx, parent.id, parent.attempt, state === 'failed' ? 'error' : 'info',
    `${nameOf(cellOf(run))} (run ${id}) ${state === 'cancelled' ? 'is cancelled' : state}${reason}`);
}

/**
 * What follows from the cells of a run that are under way or have ended: others start, are skipped, or the whole run
 * ends. A cell that is skipped here calls it again, so each look reads everything anew.
 */
async function goOn(core: Core, tx: Transaction, id: string): Promise<void> {
  const parent = await lockById(tx, id);
  if (parent === undefined || isFinished(parent)) return;
  const { jobs = [] } = await core.definitions.ofRun(tx, parent.seq);
  const cells = await cellsOfRun(tx, id);
  if (!cells.some(isOpen)) return settle(core, tx, parent, cells);
  if (parent.state === 'cancelling') return;
  for (const rule of jobs) {
    const verdict = verdictOn(rule, jobs, cells);
    const waiting = cellsOfJob(cells, rule).filter(isWaiting);
    if (typeof verdict === 'object' && waiting.length > 0) return skip(core, tx, parent, waiting, verdict.skipped);
  }
  if (mayStart(parent)) await releaseCells(core, tx, parent);
}

/** Whether its cells may be assigned, as far as the run as a whole is concerned. */
const mayStart = ({ waits_for: waitsFor }: RunRow): boolean =>
  waitsFor !== 'approval' && waitsFor !== 'concurrency_group';

/** Ends cells that are not run; each of them calls `goOn`. */
async function skip(core: Core, tx: Transaction, parent: RunRow, cells: readonly CellRow[],
  why: string): Promise<void>
{
  await tx.runMany('UPDATE runs SET skipped = ? WHERE seq = ?', cells.map(({ seq }) => [why, seq]));
  for (const { job, matrix } of cells)
    await core.note(tx, parent.id, parent.attempt, 'info',
      `${nameOf({ job, values: valuesOf(matrix) })} is skipped: ${why}`);
  for (const { id } of cells) {
    const row = await readById(tx, id);
    if (row !== undefined) await cancelOne(core, tx, row, why);
  }
}

const OPEN_RUNS = 'SELECT id FROM runs WHERE finished_at IS NULL AND cells > 0';

/** At the start: goes on with runs of which a restore has ended cells. */
export async function repairMatrices(core: Core): Promise<void> {
  for (const { id } of await core.env.sql.background.all<{ id: string }>(OPEN_RUNS)) {
    await core.env.sql.transaction((tx) => goOn(core, tx, id));
  }
}

async function settle(core: Core, tx: Transaction, parent: RunRow, cells: readonly CellRow[]): Promise<void> {
  const { jobs = [] } = await core.definitions.ofRun(tx, parent.seq);
  const { failed: broken, stopped } = outcomeOf(jobs, cells);
  const ending = { outcome: 'cancelled', reported: true } as const;
  const parts = jobs.some(({ name }) => name !== '') ? 'jobs' : 'cells';
  if (parent.state === 'cancelling') await cancelled(core, tx, parent, `its ${parts} have ended`, ending);
  else if (broken.length > 0) {
    const names = broken.slice(0, NAMED).map(shortNameOf).join(', ');
    const message = `${broken.length} of ${cells.length} ${parts} failed: ${names}${
      broken.length > NAMED ? ', ...' : ''
    }${stopped > 0 ? `; ${stopped} were cancelled` : ''}`;
    const code = parts === 'jobs' ? 'job_failed' : 'matrix_failed';
    await failed(core, tx, parent, failureOf(parent, { code, message: message.slice(0, 2000) }), {
      outcome: 'failed',
      reported: true,
    });
  } else if (stopped > 0)
    await cancelled(core, tx, parent, `${stopped} of its ${cells.length} ${parts} were cancelled`, ending);
  else await succeeded(core, tx, parent);
}

const valuesOf = (matrix: string | null): CellValues => (matrix === null ? {} : (JSON.parse(matrix) as CellValues));

const cellOf = ({ job, matrix }: Pick<RunRecord, 'job' | 'matrix'>): CellName => ({
  job: job ?? '',
  values: matrix ?? {},
});

/** Without the word that says what it is. */
const shortNameOf = ({ job, matrix }: CellRow): string =>
  nameOf({ job, values: valuesOf(matrix) }).replace(/^(cell|job) /, '');

/** Cancels a run, and its cells if it has any. Undefined if it cannot be cancelled. */
export async function cancel(core: Core, tx: Transaction, id: string): Promise<RunRecord | undefined> {
  const seen = await readById(tx, id);
  if (seen === undefined) return undefined;
  if (seen.cells > 0) return cancelMatrix(core, tx, id, 'before one of its cells had begun');
  return cancelOne(core, tx, (await lockById(tx, id))!, 'before a ship had it');
}

/**
 * Rows 3 and 9 for a locked run, and row 11 at once if its ship has been silent. Undefined if it cannot be cancelled.
 */
async function cancelOne(core: Core, tx: Transaction, row: RunRow, why: string): Promise<RunRecord | undefined> {
  if (row.state === 'queued') return cancelled(core, tx, row, why, { outcome: 'cancelled', reported: false });
  if (row.state !== 'running') return undefined;
  const silent = core.time.now() - row.renewed_ms;
  if (silent <= Math.max(SILENT_MS, 2 * settings(core).queue.heartbeat)) return askToStop(core, tx, row);
  return cancelled(core, tx, row, `its ship has been silent for ${Math.round(silent / 1000)} s`, {
    outcome: 'silent',
    reported: false,
  });
}
