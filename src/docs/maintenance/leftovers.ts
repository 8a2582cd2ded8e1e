import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

/**
 * Files of a backup or a restore before it has ended: copies of the whole database. The content before a restore
 * (`pre-restore-….db`) is not among them, because it may be the only copy.
 */
const UNFINISHED =
  /(?:\.[0-9a-f]{12}\.tmp(?:-journal)?|^restore-\d+-[0-9a-f]{8}\.tmp(?:\.work(?:-wal|-shm|-journal|\.lock)?)?)$/;

/** Another process may be writing to the same folder. */
const OLD_MS = 86_400_000;

/** Removes what backups and restores have left that a crash interrupted a day ago or earlier. Never rejects. */
export async function removeLeftovers(dir: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log }): Promise<void>
{
  try {
    const names = (await readdir(dir).catch(() => [])).filter((name) => UNFINISHED.test(name));
    for (const name of names) {
      const { mtimeMs } = await stat(join(dir, name));
      if (mtimeMs > clock.now() - OLD_MS) continue;
      await rm(join(dir, name), { force: true });
      log.info({ file: name }, 'a file that an interrupted backup or restore has left was removed');
    }
  } catch (error) {
    log.warn({ err: error }, 'files that interrupted backups have left could not be removed');
  }
}
