import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutorContext } from '../context.ts';
import { killLeftovers } from '../process/index.ts';
import { isOwned } from './owner.ts';
import { removeFolder, userOf } from './work-folder.ts';

const ATTEMPT_FOLDER = /^([0-9a-f]{32})\.(\d+)$/;

/**
 * Cleans up after processes that have died: kills the work that they started, and removes its folders. Work of living
 * processes is not touched.
 */
export async function clearAbandonedWork({ workDir, users, log }: ExecutorContext): Promise<void> {
  for (const name of await readdir(workDir)) {
    const path = join(workDir, name);
    const [, runId, attempt] = ATTEMPT_FOLDER.exec(name) ?? [];
    if (runId === undefined || isOwned(path)) continue;
    const user = await userOf(path);
    const survivors = [...await killLeftovers({ variables: [`QUIRE_RUN_ID=${runId}`, `QUIRE_ATTEMPT=${attempt}`] }),
      ...(user === undefined ? [] : await users?.endAbandoned(user.uid) ?? [])];
    if (survivors.length > 0) log.warn({ run: runId, processes: survivors }, 'abandoned processes cannot be killed');
    await removeFolder(path, user);
    log.info({ run: runId, attempt: Number(attempt) }, 'removed abandoned work');
  }
}
