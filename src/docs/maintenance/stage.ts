import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openDatabase, verifyDatabaseFile, type Sql, type Transaction } from '../../storage/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { beginHistory, type ReplicationState } from '../replication/index.ts';

/**
 * Numbers that the live feed may still give out between the reading of its head and the swap; the
 * new one starts behind them, so that no follower can take its position for one of the new feed.
 */
const HEADROOM = 1_000_000;

/** What a backup takes over from the database that it replaces. */
export interface LiveDatabase {
  /** Number of the last change of its feed. */
  readonly head: number;
  /** Its part in replication: what is restored has the same, and followers take a snapshot of it. */
  readonly replication: ReplicationState | undefined;
}

/** A backup that cannot be served; the message says why, without a path. */
export class UnusableBackup extends Error {}

/**
 * Makes from a backup the file that will be swapped in: of this build's format, with a change feed
 * that starts again behind that of the live one. All that can fail is done on copies, before the live database is
 * touched. Throws `UnusableBackup`; the caller removes what is there under `target` and `target.work`.
 */
export async function stageBackup(backup: string, target: string, live: LiveDatabase, clock: Clock): Promise<void> {
  await assertUsable(backup);
  const work = `${target}.work`;
  await copyFile(backup, work, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const copy = await openDatabase({ path: work });
  try {
    await bringUpToDate(copy, clock);
    await copy.transaction((tx) => restartFeed(tx, new ChangeFeed(copy, clock), live.head));
    await copy.transaction((tx) => beginHistory(tx, live.replication));
    await copy.snapshotTo(target);
  } finally {
    await copy.close();
  }
}

/** In isolation: a hostile or torn file is never opened as a database before it was found whole. */
async function assertUsable(backup: string): Promise<void> {
  const { ok, problems } = await verifyDatabaseFile(backup, { knownFormat: DOCUMENT_MIGRATIONS.length });
  if (!ok) throw new UnusableBackup(`the backup is damaged: ${problems.slice(0, 3).join('; ')}`);
}

async function bringUpToDate(copy: Sql, clock: Clock): Promise<void> {
  try {
    await migrate(copy, DOCUMENT_MIGRATIONS, clock);
  } catch (cause) {
    throw new UnusableBackup('the backup does not fit this service', { cause });
  }
}

/** The epoch tells followers that ask for it, and the gap those that only read on, to fetch a new snapshot. */
async function restartFeed(tx: Transaction, feed: ChangeFeed, head: number): Promise<void> {
  const lsn = await feed.restart(tx, head + HEADROOM);
  await tx.run("INSERT INTO settings(name, value) VALUES ('binlog_epoch', ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value", [String(lsn)]);
}

/** Removes a staged file and all that was beside it while it was made. */
export async function removeStaged(target: string): Promise<void> {
  const files = [target, ...['', '-wal', '-shm', '-journal', '.lock'].map((ending) => `${target}.work${ending}`)];
  await Promise.all(files.map((file) => rm(file, { force: true })));
}
