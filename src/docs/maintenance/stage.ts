import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openDatabase, type Sql, type Transaction,
  verifyDatabaseFile } from '../../storage/index.ts';
import { keepChecksumKey } from '../documents/index.ts';
import { beginHistory, type ReplicationState } from '../replication/index.ts';

/**
 * Numbers that the live feed may still assign between the reading of its head and the swap. The new feed starts after
 * them, so that no reader can mistake its position for one of the new feed.
 */
const HEADROOM = 1_000_000;

/** Values that a backup takes over from the database that it replaces. */
export interface LiveDatabase {
  /** Number of the last change of its feed. */
  readonly head: number;
  /** Its replication state: the restored database has the same, and followers take a snapshot of it. */
  readonly replication: ReplicationState | undefined;
}

/** A backup that cannot be served; the message says why, without a path. */
export class UnusableBackup extends Error {}

/**
 * Converts a backup to the file that will be swapped in: of this build's format, with a change feed that restarts after
 * the numbers of the live one. Every step that can fail runs on copies, before the live database is changed. Throws
 * `UnusableBackup`; the caller removes `target` and `target.work`.
 */
export async function stageBackup(backup: string, target: string, live: LiveDatabase, clock: Clock): Promise<void> {
  await assertUsable(backup);
  const work = `${target}.work`;
  await copyFile(backup, work, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const copy = await openDatabase({ path: work });
  try {
    await bringUpToDate(copy, clock);
    await keepChecksumKey(copy);
    await copy.transaction((tx) => restartFeed(tx, new ChangeFeed(copy, clock), live.head));
    await copy.transaction((tx) => beginHistory(tx, live.replication));
    await copy.snapshotTo(target);
  } finally {
    await copy.close();
  }
}

/** Isolated: a malicious or torn file is never opened as a database before it was verified. */
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

/** The epoch makes followers that ask for it fetch a new snapshot, and the gap those that only continue reading. */
async function restartFeed(tx: Transaction, feed: ChangeFeed, head: number): Promise<void> {
  const lsn = await feed.restart(tx, head + HEADROOM);
  await tx.run(
    "INSERT INTO settings(name, value) VALUES ('binlog_epoch', ?) ON CONFLICT(name) DO UPDATE SET value = " +
      'excluded.value',
    [String(lsn)],
  );
}

/** Removes a staged file and all files that were made beside it. */
export async function removeStaged(target: string): Promise<void> {
  const files = [target, ...['', '-wal', '-shm', '-journal', '.lock'].map((ending) => `${target}.work${ending}`)];
  await Promise.all(files.map((file) => rm(file, { force: true })));
}
