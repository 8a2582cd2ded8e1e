import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ServiceError } from '../../errors/index.ts';

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
