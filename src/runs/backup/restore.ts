import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { durableRename, makeFolder } from '../../lib/files.ts';
import { FileLock, migrate, openDatabase, type Queries, RUN_QUEUE_MIGRATIONS, type Sql,
  verifyDatabaseFile } from '../../storage/index.ts';
import { settleUnfinished, type Unfinished } from '../queue/index.ts';
import { AUTHORITY, BackupError, DATABASE, type Manifest, type Places, readManifest } from './layout.ts';

export interface RestoreOptions {
  readonly clock: Clock;
  /** What to do with runs that were unfinished when the backup was made; required if there are any. */
  readonly unfinished?: Unfinished | undefined;
}

interface UnfinishedCounts {
  readonly queued: number;
  /** Assigned to a ship. */
  readonly held: number;
}

export interface Restored {
  /** Seconds since 1970. */
  readonly madeAt: number;
  readonly unfinished: UnfinishedCounts;
  /** Where the former queue and authority are kept. */
  readonly keptAside: readonly string[];
}

/** A database consists of its file and the files that SQLite keeps beside it. */
const DATABASE_FILES = ['', '-wal', '-shm'];

/**
 * Replaces the queue by a backup; the queue must not be served. Everything is checked and prepared beside the queue
 * first, so that only renaming is left; the former files are kept under another name. Throws `BackupError`, and has
 * changed nothing then.
 */
export async function restore(places: Places, from: string, options: RestoreOptions): Promise<Restored> {
  const folder = resolve(from);
  const manifest = await readManifest(folder);
  await assertSound(join(folder, DATABASE));
  makeFolder(dirname(places.database), 0o700);
  const lock = takeLock(places.database);
  const tag = randomBytes(6).toString('hex');
  const staged: Places = {
    database: `${places.database}.${tag}.restore`,
    authority: `${places.authority}.${tag}.restore`,
  };
  try {
    const unfinished = await prepare(join(folder, DATABASE), staged.database, options);
    const hasAuthority = await copyAuthority(manifest, folder, staged.authority);
    const aside = `before-restore-${unixSeconds(options.clock)}`;
    const kept = [...await moveAside(places.database, aside, DATABASE_FILES),
      ...(hasAuthority ? await moveAside(places.authority, aside) : [])];
    if (hasAuthority) await rename(staged.authority, places.authority);
    await durableRename(staged.database, places.database);
    return { madeAt: manifest.madeAt, unfinished, keptAside: kept };
  } finally {
    lock.release();
    await removeStaged(staged);
  }
}

function takeLock(database: string): FileLock {
  try {
    return FileLock.take(database);
  } catch (cause) {
    throw new BackupError(`the queue cannot be replaced: ${(cause as Error).message}`, { cause });
  }
}

async function assertSound(database: string): Promise<void> {
  const { ok, problems } = await verifyDatabaseFile(database, { knownFormat: RUN_QUEUE_MIGRATIONS.length });
  if (!ok) throw new BackupError(`the backup's database cannot be used: ${problems.slice(0, 3).join('; ')}`);
}

/**
 * Turns the backup into the database to be swapped in: migrates it to the format of this build, and settles the runs
 * that were under way.
 */
async function prepare(backup: string, staged: string, options: RestoreOptions): Promise<UnfinishedCounts> {
  const work = `${staged}.work`;
  await copyFile(backup, work);
  const sql = await openDatabase({ path: work });
  try {
    await migrate(sql, RUN_QUEUE_MIGRATIONS, options.clock);
    const counts = await settle(sql, options);
    await sql.snapshotTo(staged);
    return counts;
  } finally {
    await sql.close();
  }
}

async function settle(sql: Sql, { clock, unfinished }: RestoreOptions): Promise<UnfinishedCounts> {
  const counts = await countUnfinished(sql);
  if (counts.queued + counts.held === 0) return counts;
  if (unfinished === undefined) throw new BackupError(undecided(counts));
  await sql.transaction((tx) => settleUnfinished(tx, unfinished, clock));
  return counts;
}

async function countUnfinished(queries: Queries): Promise<UnfinishedCounts> {
  const row = await queries.get<{ queued: number; held: number }>(
    `SELECT count(*) FILTER (WHERE state = 'queued') AS queued, count(*) FILTER (WHERE state <> 'queued' AND cells = 0) AS held
     FROM runs WHERE finished_at IS NULL`,
  );
  return { queued: row!.queued, held: row!.held };
}

function undecided({ queued, held }: UnfinishedCounts): string {
  return `${queued} queued and ${held} running runs of the backup may have ended since it was made: give --unfinished ` +
    'queue to run them once more, or --unfinished fail to leave them to be retried by hand';
}

/** Returns the new names of the former files. */
async function moveAside(path: string, aside: string, endings: readonly string[] = ['']): Promise<string[]> {
  const present = endings.filter((ending) => existsSync(`${path}${ending}`));
  for (const ending of present) await rename(`${path}${ending}`, `${path}.${aside}${ending}`);
  return present.includes('') ? [`${path}.${aside}`] : [];
}

/**
 * Returns whether the backup contains an authority; otherwise the one of this machine stays, because ships may know it.
 */
async function copyAuthority({ files }: Manifest, folder: string, staged: string): Promise<boolean> {
  const names = files.map(({ name }) => name).filter((name) => name.startsWith(`${AUTHORITY}/`));
  if (names.length > 0) makeFolder(staged, 0o700);
  for (const name of names) await copySynced(join(folder, name), join(staged, basename(name)));
  return names.length > 0;
}

async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.tmp`);
  await durableRename(`${to}.tmp`, to);
}

async function removeStaged({ database, authority }: Places): Promise<void> {
  for (const ending of ['', '.work', '.work-wal', '.work-shm', '.work-journal', '.work.lock'])
    await rm(`${database}${ending}`, { force: true });
  await rm(authority, { recursive: true, force: true });
}
