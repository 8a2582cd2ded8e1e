import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { backUp, placesOf } from '../../runs/backup/index.ts';
import { type Environment, inDataDir, type RunsConfig } from '../../runs/config/index.ts';
import { BackupSchedule } from './backup-schedule.ts';
import { s3Copies } from './s3-copies.ts';

interface RunsBackupDeps {
  /** The variables with the keys of the bucket. */
  readonly variables: Environment;
  readonly version: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

/**
 * The scheduled backups of the run queue; undefined without a schedule. Throws `ConfigError` for a store without a
 * file.
 */
export function createRunsBackups(config: RunsConfig, { variables, version, clock, timer, log }: RunsBackupDeps):
  | BackupSchedule
  | undefined
{
  const { schedule, timezone, folder: place, keep, s3 } = config.backup;
  if (schedule === '') return undefined;
  const places = config.storage.driver === 'sqlite' ? placesOf(config) : undefined;
  if (places === undefined)
    throw new ConfigError(['backup.schedule: the queue is not in a file; PostgreSQL is backed up with pg_dump']);
  const folder = inDataDir(config, place);
  return new BackupSchedule({
    cron: schedule,
    timezone,
    clock,
    timer,
    log,
    retention: { last: keep.last, daily: keep.daily, weekly: keep.weekly, monthly: keep.monthly, maxAgeMs: keep.age },
    folder: {
      ending: '',
      make: async (name) => void (await backUp(places, join(folder, name), { clock, version })),
      list: () => listFolders(folder),
      remove: (name) => rm(join(folder, name), { recursive: true, force: true }),
    },
    copies: s3.url === '' ? undefined : s3Copies({
      url: s3.url,
      region: s3.region,
      accessKey: valueOf(variables, s3.access_key_env, 'access_key_env'),
      secretKey: valueOf(variables, s3.secret_key_env, 'secret_key_env'),
      folder,
      filesOf: (name) => filesOf(join(folder, name)),
    }),
  });
}

function valueOf(variables: Environment, name: string, setting: string): string {
  const value = variables[name];
  if (!value)
    throw new ConfigError([
      `backup.s3.${setting}: the variable ${name || '(none is named)'} must hold a key of the bucket`,
    ]);
  return value;
}

/** Empty if the folder does not exist yet. */
async function listFolders(folder: string): Promise<{ name: string; sizeBytes: number }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const backups = entries.filter((entry) =>
    entry.isDirectory() && entry.name.startsWith('scheduled-') && !entry.name.endsWith('.tmp')
  );
  return Promise.all(backups.map(async ({ name }) => ({ name, sizeBytes: await sizeOf(join(folder, name)) })));
}

async function sizeOf(backup: string): Promise<number> {
  const sizes = await Promise.all((await filesOf(backup)).map(async (file) => (await stat(join(backup, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const MANIFEST = 'backup.json';

/** The manifest is copied last: a copy that contains it is complete. */
async function filesOf(backup: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(backup, MANIFEST), 'utf8')) as {
    readonly files: readonly { readonly name: string }[];
  };
  return [...manifest.files.map(({ name }) => name), MANIFEST];
}
