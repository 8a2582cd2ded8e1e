import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, systemTimer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Settings } from '../settings/index.ts';
import { BackupSchedule } from './backup-schedule.ts';
import { s3Copies } from './s3-copies.ts';

interface DocsBackupDeps {
  /** Writes a verified backup with this name into the folder, like the operation `createBackup`. */
  readonly make: (name: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The scheduled backups of the document service; undefined without a schedule. */
export function createDocsBackups({ backup, database: { backupDir } }: Settings, { make, clock, log }: DocsBackupDeps):
  | BackupSchedule
  | undefined
{
  const { cron, tz: timezone, keepLast, keepDaily, keepWeekly, keepMonthly, maxAge, s3Url: url, s3Region: region,
    s3AccessKey: accessKey, s3SecretKey: secretKey } = backup;
  if (cron === '') return undefined;
  const folder = resolve(backupDir);
  return new BackupSchedule({
    cron,
    timezone,
    clock,
    timer: systemTimer,
    log,
    retention: { last: keepLast, daily: keepDaily, weekly: keepWeekly, monthly: keepMonthly, maxAgeMs: maxAge },
    folder: {
      ending: '.db',
      make: async (name) => void (await make(name)),
      list: () => listFiles(folder),
      remove: (name) => rm(join(folder, name), { force: true }),
    },
    copies: url === '' ? undefined : s3Copies({ url, region, accessKey, secretKey, folder, filesOf: async () => [''] }),
  });
}

/** Empty if the folder does not exist yet. */
async function listFiles(folder: string): Promise<{ name: string; sizeBytes: number }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.filter((entry) => entry.isFile() && entry.name.startsWith('scheduled-'));
  return Promise.all(files.map(async ({ name }) => ({ name, sizeBytes: (await stat(join(folder, name))).size })));
}
