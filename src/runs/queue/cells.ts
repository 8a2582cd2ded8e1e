import type { Row, Transaction } from '../../storage/index.ts';
import type { Core } from './core.ts';
import type { WaitsFor } from './port.ts';

/*
 * A run whose pipeline has a matrix is not assigned to a ship; its cells are runs of their own. The group and the
 * approval belong to the whole run. Code that changes which cells may be assigned, or that ends the whole run, must
 * lock its row first.
 */

const UNFINISHED_CELLS =
  "SELECT seq, lane_id, waits_for FROM runs WHERE parent_id = ? AND state IN ('queued', 'running', 'cancelling') " +
  'ORDER BY seq';

interface CellRow extends Row {
  readonly seq: number;
  readonly lane_id: number;
  readonly waits_for: WaitsFor | null;
}

/** Allows cells to be assigned, in order, up to the limit of the matrix. */
export async function releaseCells(core: Core, tx: Transaction,
  { seq, id }: { readonly seq: number; readonly id: string }): Promise<void>
{
  const { matrix } = await core.definitions.ofRun(tx, seq);
  const cells = await tx.all<CellRow>(UNFINISHED_CELLS, [id]);
  const waiting = cells.filter(({ waits_for: waitsFor }) => waitsFor === 'matrix');
  const room = matrix === undefined || matrix.maxParallel === 0
    ? Infinity
    : matrix.maxParallel - (cells.length - waiting.length);
  const released = waiting.slice(0, Math.max(0, room));
  if (released.length === 0) return;
  // From now on they wait for a ship.
  await tx.runMany("UPDATE runs SET waits_for = 'ship', queued_ms = ? WHERE seq = ?",
    released.map((cell) => [core.time.now(), cell.seq]));
  tx.onCommit(() => {
    for (const lane of new Set(released.map(({ lane_id: lane }) => lane))) core.lanes.filled(lane);
    core.wake();
  });
}

/** What a run waits for that nothing else keeps waiting any more. */
export const readyToStart = ({ cells }: { readonly cells: number }): WaitsFor => (cells === 0 ? 'ship' : 'matrix');
