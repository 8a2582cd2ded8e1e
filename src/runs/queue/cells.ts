import type { Transaction } from '../../storage/index.ts';
import type { JobRule } from '../definitions/index.ts';
import type { Core } from './core.ts';
import { type CellRow, cellsOfJob, cellsOfRun, isOpen, isWaiting, verdictOn } from './jobs.ts';
import type { WaitsFor } from './port.ts';

/*
 * A run with cells is not assigned to a ship; its cells are runs of their own. The group and the approval belong to the
 * whole run. Code that changes which cells may be assigned, or that ends the whole run, must lock its row first.
 */

/** Allows cells to be assigned: those of jobs that wait for no other, in order, up to the limits of their matrices. */
export async function releaseCells(core: Core, tx: Transaction,
  { seq, id }: { readonly seq: number; readonly id: string }): Promise<void>
{
  const { jobs = [] } = await core.definitions.ofRun(tx, seq);
  const cells = await cellsOfRun(tx, id);
  const released = jobs.flatMap((rule) => (verdictOn(rule, jobs, cells) === 'start' ? startable(rule, cells) : []));
  if (released.length === 0) return;
  // From now on they wait for a ship.
  await tx.runMany("UPDATE runs SET waits_for = 'ship', queued_ms = ? WHERE seq = ?",
    released.map((cell) => [core.time.now(), cell.seq]));
  tx.onCommit(() => {
    for (const lane of new Set(released.map(({ lane_id: lane }) => lane))) core.lanes.filled(lane);
    core.wake();
  });
}

/** The cells of a job for which there is room; none after a failure that ends the others. */
function startable(rule: JobRule, cells: readonly CellRow[]): CellRow[] {
  const own = cellsOfJob(cells, rule);
  if (rule.failFast && own.some(({ state }) => state === 'failed')) return [];
  const waiting = own.filter(isWaiting);
  if (rule.maxParallel === 0) return waiting;
  const underWay = own.filter(isOpen).length - waiting.length;
  return waiting.slice(0, Math.max(0, rule.maxParallel - underWay));
}

/** What a run waits for that nothing else keeps waiting any more. */
export const readyToStart = ({ cells }: { readonly cells: number }): WaitsFor => (cells === 0 ? 'ship' : 'matrix');
