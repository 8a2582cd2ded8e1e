import type { Row, Transaction } from '../../storage/index.ts';
import type { Core } from './core.ts';
import type { RunState } from './port.ts';

/*
 * A run whose pipeline has a matrix is not assigned to a ship; its cells are runs of their own. The group and the
 * approval belong to the whole run. Code that changes which cells may be assigned, or that ends the whole run, must
 * lock its row first.
 */

/**
 * Value of `ready` of a cell that may not be assigned yet, and of a run whose cells may be assigned but have not
 * started.
 */
export const WAITS_FOR_MATRIX = 4;

const UNFINISHED_CELLS =
  "SELECT seq, lane_id, state, ready FROM runs WHERE parent_id = ? AND state IN ('queued', 'running', " +
  "'cancelling') ORDER BY seq";

interface CellRow extends Row {
  readonly seq: number;
  readonly lane_id: number;
  readonly state: RunState;
  readonly ready: number;
}

/** Allows cells to be assigned, in order, up to the limit of the matrix. */
export async function releaseCells(core: Core, tx: Transaction,
  { seq, id }: { readonly seq: number; readonly id: string }): Promise<void>
{
  const { matrix } = await core.definitions.ofRun(tx, seq);
  const cells = await tx.all<CellRow>(UNFINISHED_CELLS, [id]);
  const waiting = cells.filter(({ state, ready }) => state === 'queued' && ready === WAITS_FOR_MATRIX);
  const room = matrix === undefined || matrix.maxParallel === 0
    ? Infinity
    : matrix.maxParallel - (cells.length - waiting.length);
  const released = waiting.slice(0, Math.max(0, room));
  if (released.length === 0) return;
  // From now on they wait for a ship.
  await tx.runMany('UPDATE runs SET ready = 1, queued_ms = ? WHERE seq = ?',
    released.map((cell) => [core.time.now(), cell.seq]));
  tx.onCommit(() => {
    for (const lane of new Set(released.map(({ lane_id: lane }) => lane))) core.lanes.filled(lane);
    core.wake();
  });
}

/** The value of `ready` of a run that nothing keeps waiting any more. */
export const readyToStart = ({ cells }: { readonly cells: number }): number => (cells === 0 ? 1 : WAITS_FOR_MATRIX);
