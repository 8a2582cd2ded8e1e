import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../../lib/log.ts';
import { killLeftovers } from '../process/index.ts';
import { isOwned } from './owner.ts';
import { removeFolder } from './work-folder.ts';

const ATTEMPT_FOLDER = /^([0-9a-f]{32})\.(\d+)$/;

/**
 * Ends what processes that died left behind: kills the work that they started, and removes its folders.
 * Work of living processes is left alone.
 */
export async function clearAbandonedWork(workDir: string, log: Log): Promise<void> {
  for (const name of await readdir(workDir)) {
    const [, runId, attempt] = ATTEMPT_FOLDER.exec(name) ?? [];
    if (runId === undefined || await isOwned(join(workDir, name))) continue;
    const survivors = await killLeftovers({ variables: [`QUIRE_RUN_ID=${runId}`, `QUIRE_ATTEMPT=${attempt}`] });
    if (survivors.length > 0) log.warn({ run: runId, processes: survivors }, 'abandoned processes cannot be killed');
    await removeFolder(join(workDir, name));
    log.info({ run: runId, attempt: Number(attempt) }, 'removed abandoned work');
  }
}
