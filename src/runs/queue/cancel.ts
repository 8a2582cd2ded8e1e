import type { Transaction } from '../../storage/index.ts';
import { cancelOne } from './cancel-one.ts';
import type { Core } from './core.ts';
import { cancelMatrix } from './matrix.ts';
import type { RunRecord } from './port.ts';
import { lockById, readById } from './run-rows.ts';

/** Cancels a run, and its cells if it has any. Undefined if it cannot be cancelled. */
export async function cancel(core: Core, tx: Transaction, id: string): Promise<RunRecord | undefined> {
  const seen = await readById(tx, id);
  if (seen === undefined) return undefined;
  if (seen.cells > 0) return cancelMatrix(core, tx, id, 'before one of its cells had begun');
  return cancelOne(core, tx, (await lockById(tx, id))!, 'before a ship had it');
}
