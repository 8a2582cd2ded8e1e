import type { Transaction } from '../../storage/index.ts';
import { settings, SILENT_MS, type Core } from './core.ts';
import type { RunRecord } from './port.ts';
import { lockById } from './run-rows.ts';
import { askToStop, cancelled } from './transitions.ts';

/** Rows 3 and 9; row 11 at once where the ship has been silent. Undefined where the run cannot be cancelled. */
export async function cancel(core: Core, tx: Transaction, id: string): Promise<RunRecord | undefined> {
  const row = await lockById(tx, id);
  if (row?.state === 'queued') return cancelled(core, tx, row, 'before a ship had it', { outcome: 'cancelled', reported: false });
  if (row?.state !== 'running') return undefined;
  const silent = core.time.now() - row.renewed_ms;
  if (silent <= Math.max(SILENT_MS, 2 * settings(core).queue.heartbeat)) return askToStop(core, tx, row);
  return cancelled(core, tx, row, `its ship has been silent for ${Math.round(silent / 1000)} s`, { outcome: 'silent', reported: false });
}
