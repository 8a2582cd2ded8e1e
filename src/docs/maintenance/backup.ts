import { lstat, mkdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Standing } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';

/**
 * Letters, digits and a few other characters: no separator, no drive letter, no hidden file, nothing with a meaning for
 * a shell.
 */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._ ()+@=,-]*$/u;

const MAX_BYTES = 200;

/** Files that SQLite keeps beside a database. */
const SIDE_FILES = ['', '-wal', '-shm', '-journal', '.lock'];

/** The folder of backups, and the database that they must not overwrite. */
export interface BackupJail {
  readonly dir: string;
  readonly databasePath: string;
}

/**
 * The path of a backup that a request names: the only place where input of a client becomes a path. Throws
 * `invalid_argument`, always with the same message, unless it is the plain name of a regular file, or of no existing
 * file, directly in the folder: other folders cannot be probed.
 */
export async function resolveBackup({ dir, databasePath }: BackupJail,
  name: string): Promise<{ path: string; exists: boolean }>
{
  if (!isPlainName(name)) throw refused();
  const path = join(resolve(dir), name);
  if (SIDE_FILES.some((ending) => sameName(path, resolve(databasePath) + ending))) throw refused();
  const found = await lstat(path).catch(absent);
  if (found === undefined) return { path, exists: false };
  const live = await stat(databasePath).catch(absent);
  const isDatabase = found.ino === live?.ino && found.dev === live.dev;
  if (!found.isFile() || isDatabase) throw refused();
  return { path, exists: true };
}

function isPlainName(name: string): boolean {
  return NAME.test(name) && !name.includes('..') && !/[. ]$/.test(name) && Buffer.byteLength(name) <= MAX_BYTES;
}

/** Some file systems treat both spellings as one file. */
function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function refused(): ServiceError {
  return new ServiceError('invalid_argument', 'invalid backup name');
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
  return undefined;
}

export interface Backup {
  readonly backup: string;
  readonly sizeBytes: number;
  readonly verified: true;
  /** The indexes' checkpoints are left out: a restore starts a new change feed, to which none of them would belong. */
  readonly includesIndexes: false;
}

/**
 * Writes a consistent snapshot of the database into the backup folder; it gets its name only after it was verified.
 * Throws `conflict` when the name is taken: a backup is never overwritten. Nothing is left of a backup whose caller has
 * lost the permission meanwhile.
 */
export async function createBackup({ sql, clock }: Pick<DocsEnvironment, 'sql' | 'clock'>, jail: BackupJail,
  to: string | undefined, by?: Standing): Promise<Backup>
{
  await mkdir(jail.dir, { recursive: true, mode: 0o700 });
  const { name, path } = to === undefined ? await freeName(jail, unixSeconds(clock)) : await named(jail, to);
  const { sizeBytes } = await sql.snapshotTo(path);
  await by?.requirePermission().catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
  return { backup: name, sizeBytes, verified: true, includesIndexes: false };
}

async function named(jail: BackupJail, name: string): Promise<{ name: string; path: string }> {
  const { path, exists } = await resolveBackup(jail, name);
  if (exists) throw new ServiceError('conflict', `backup ${name} exists already`);
  return { name, path };
}

/** `backup-<unix>.db`, followed by a number for a second one within a second. */
async function freeName(jail: BackupJail, seconds: number): Promise<{ name: string; path: string }> {
  for (let i = 1;; i++) {
    const name = i === 1 ? `backup-${seconds}.db` : `backup-${seconds}-${i}.db`;
    const { path, exists } = await resolveBackup(jail, name);
    if (!exists) return { name, path };
  }
}
