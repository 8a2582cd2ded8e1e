import type { Transaction } from '../../storage/index.ts';
import type { Concurrency } from '../definitions/index.ts';
import type { Core } from './core.ts';
import { takeGroup } from './groups.ts';
import { readById, type RunRow } from './run-rows.ts';
import { askToStop, cancelled } from './transitions.ts';
import { cancelMatrix } from './whole-run.ts';

export const WAITING_OF_GROUP =
  "SELECT * FROM runs WHERE concurrency_group = ? AND state = 'queued' AND waits_for = 'concurrency_group' ORDER " +
  'BY priority DESC, seq';

/** Ends the runs that the new run supersedes, and then takes the group for it. Returns whether it has to wait. */
export async function enterGroup(core: Core, tx: Transaction, runId: string,
  { group, others }: Concurrency): Promise<boolean>
{
  const holder = await takeGroup(tx, group, runId);
  if (holder === runId) return false;
  if (others === 'first') return true;
  // Waiting runs first, so that none of them gets the group.
  for (const row of await tx.all<RunRow>(WAITING_OF_GROUP, [group])) await supersede(core, tx, row, runId);
  const row = await readById(tx, holder);
  if (row !== undefined && (others === 'cancel_all' || hasNotBegun(row))) await supersede(core, tx, row, runId);
  return (await takeGroup(tx, group, runId)) !== runId;
}

/** A run between two attempts counts as begun. */
const hasNotBegun = ({ state, fence }: RunRow): boolean => state === 'queued' && fence === 0;

async function supersede(core: Core, tx: Transaction, row: RunRow, by: string): Promise<void> {
  const why = `run ${by} of its group takes its place`;
  if (row.state !== 'queued' && row.state !== 'running') return;
  if (row.cells > 0) await cancelMatrix(core, tx, row.id, why);
  else if (row.state === 'queued') await cancelled(core, tx, row, why, { outcome: 'cancelled', reported: false });
  else await askToStop(core, tx, row);
  await core.onSuperseded(tx, row.id, by);
}
