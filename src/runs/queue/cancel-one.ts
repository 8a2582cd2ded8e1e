import type { Transaction } from '../../storage/index.ts';
import { type Core, settings, SILENT_MS } from './core.ts';
import type { RunRecord } from './port.ts';
import type { RunRow } from './run-rows.ts';
import { askToStop, cancelled } from './transitions.ts';

/**
 * Rows 3 and 9 for a locked run, and row 11 at once if its ship has been silent. Undefined if it cannot be cancelled.
 */
export async function cancelOne(core: Core, tx: Transaction, row: RunRow, why: string): Promise<RunRecord | undefined> {
  if (row.state === 'queued') return cancelled(core, tx, row, why, { outcome: 'cancelled', reported: false });
  if (row.state !== 'running') return undefined;
  const silent = core.time.now() - row.renewed_ms;
  if (silent <= Math.max(SILENT_MS, 2 * settings(core).queue.heartbeat)) return askToStop(core, tx, row);
  return cancelled(core, tx, row, `its ship has been silent for ${Math.round(silent / 1000)} s`, {
    outcome: 'silent',
    reported: false,
  });
}
