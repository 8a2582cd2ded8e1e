import type { Transaction } from '../../storage/index.ts';
import { type CellValues, nameOfCell } from '../config/index.ts';
import { releaseCells } from './cells.ts';
import { type Core, settings, SILENT_MS } from './core.ts';
import type { RunRecord, RunState } from './port.ts';
import { isFinished, lockById, readById, type RunRow, toRecord } from './run-rows.ts';
import { askToStop, cancelled, failed, failureOf, succeeded } from './transitions.ts';

export const CELLS_BY_STATE = 'SELECT state, count(*) AS n FROM runs WHERE parent_id = ? GROUP BY state';

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

async function cancelCells(core: Core, tx: Transaction, id: string, why: string): Promise<void> {
  for (const { id: cell } of await tx.all<RunRow>(LOCKED_CELLS, [id])) {
    const row = await readById(tx, cell);
    if (row !== undefined) await cancelOne(core, tx, row, why);
  }
}

async function cellEnded(core: Core, tx: Transaction, { id, state, matrix, error }: RunRecord,
  parentId: string): Promise<void>
{
  const parent = await lockById(tx, parentId);
  if (parent === undefined || isFinished(parent)) return;
  const reason = error === null ? '' : `: ${error.code}: ${error.message}`;
  await core.note(tx, parentId, parent.attempt, state === 'failed' ? 'error' : 'info',
    `cell ${nameOfCell(matrix ?? {})} (run ${id}) ${state === 'cancelled' ? 'is cancelled' : state}${reason}`);
  const counts = await countCells(tx, parentId);
  if (counts.unfinished === 0) return settle(core, tx, parent, counts);
  const failFast = counts.failed > 0 && (await core.definitions.ofRun(tx, parent.seq)).matrix?.failFast === true;
  if (state === 'failed' && failFast && parent.state !== 'cancelling')
    await cancelCells(core, tx, parentId, `cell ${nameOfCell(matrix ?? {})} has failed`);
  else if (!failFast && parent.state !== 'cancelling') await releaseCells(core, tx, parent);
}

const OPEN_MATRICES = 'SELECT id FROM runs WHERE finished_at IS NULL AND cells > 0';

/** At the start: ends a run whose cells were all ended by a restore. */
export async function repairMatrices(core: Core): Promise<void> {
  for (const { id } of await core.env.sql.background.all<{ id: string }>(OPEN_MATRICES)) {
    await core.env.sql.transaction(async (tx) => {
      const parent = await lockById(tx, id);
      const counts = await countCells(tx, id);
      if (parent !== undefined && !isFinished(parent) && counts.unfinished === 0)
        await settle(core, tx, parent, counts);
    });
  }
}

interface CellCounts {
  readonly failed: number;
  readonly cancelled: number;
  readonly unfinished: number;
  readonly all: number;
}

async function countCells(tx: Transaction, parentId: string): Promise<CellCounts> {
  const rows = await tx.all<{ state: RunState; n: number }>(CELLS_BY_STATE, [parentId]);
  const of = (state: RunState): number => rows.find((row) => row.state === state)?.n ?? 0;
  return {
    failed: of('failed'),
    cancelled: of('cancelled'),
    unfinished: of('queued') + of('running') + of('cancelling'),
    all: rows.reduce((sum, { n }) => sum + n, 0),
  };
}

async function settle(core: Core, tx: Transaction, parent: RunRow,
  { failed: broken, cancelled: stopped, all }: CellCounts): Promise<void>
{
  if (parent.state === 'cancelling')
    await cancelled(core, tx, parent, 'its cells have ended', { outcome: 'cancelled', reported: true });
  else if (broken > 0) {
    const rows = await tx.all<{ matrix: string }>(
      "SELECT matrix FROM runs WHERE parent_id = ? AND state = 'failed' ORDER BY seq LIMIT ?",
      [parent.id, NAMED],
    );
    const names = rows.map(({ matrix }) => nameOfCell(JSON.parse(matrix) as CellValues)).join(', ');
    const message = `${broken} of ${all} cells failed: ${names}${broken > NAMED ? ', ...' : ''}${
      stopped > 0 ? `; ${stopped} were cancelled` : ''
    }`;
    await failed(core, tx, parent, failureOf(parent, { code: 'matrix_failed', message: message.slice(0, 2000) }), {
      outcome: 'failed',
      reported: true,
    });
  } else if (stopped > 0)
    await cancelled(core, tx, parent, `${stopped} of its ${all} cells were cancelled`, {
      outcome: 'cancelled',
      reported: true,
    });
  else await succeeded(core, tx, parent);
}

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
