import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import type { Standing } from '../../operations/index.ts';
import { ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openDatabase, type Sql, type Transaction,
  verifyDatabaseFile } from '../../storage/index.ts';
import { keepChecksumKey } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { beginHistory, type ReplicationState } from '../replication/index.ts';
import { type BackupJail, resolveBackup } from './backup.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'log' | 'replication'>;

/** Makes all caches follow the database's new content. */
type Reload = () => Promise<void>;

/**
 * Replaces the database by a backup (contract section 4): the backup is validated and prepared on a copy, a snapshot of
 * the present content is kept until the swap has succeeded, and on any failure the present content remains or is
 * restored. Throws `invalid_argument` for a bad name, `not_found`, and `internal` when the restore failed.
 */
export async function restoreBackup(environment: Environment, jail: BackupJail, from: string,
  { reload, by }: { readonly reload: Reload; readonly by: Standing }): Promise<void>
{
  const { path, exists } = await resolveBackup(jail, from);
  if (!exists)
    throw new ServiceError('not_found', `not found: the backup directory (SVC_BACKUP_DIR) has no file ${from}`);
  const tag = `${unixSeconds(environment.clock)}-${randomBytes(4).toString('hex')}`;
  const staged = join(jail.dir, `restore-${tag}.tmp`);
  try {
    await stageBackup(path, staged, {
      head: await environment.feed.head(),
      replication: environment.replication?.state,
    }, environment.clock);
    await by.requirePermission();
    await swap(environment, staged, join(jail.dir, `pre-restore-${tag}.db`), reload);
  } catch (error) {
    throw failure(environment, from, error);
  } finally {
    await removeStaged(staged);
  }
  environment.log.info({ backup: from }, 'database restored');
}

async function swap(environment: Environment, staged: string, kept: string, reload: Reload): Promise<void> {
  const { sql, feed } = environment;
  await sql.snapshotTo(kept);
  let swapped = false;
  try {
    await sql.replaceFrom(staged);
    swapped = true;
    // Wakes the subscribers, which then meet the gap, and proves that the new content can be written.
    await sql.transaction((tx) => feed.append(tx, [{ kind: 'database.restore', collection: '' }]));
    await reload();
  } catch (error) {
    if (swapped) await rollBack(environment, kept, reload);
    await rm(kept, { force: true });
    throw error;
  }
  await rm(kept, { force: true });
}

/** The snapshot is kept if even this fails, because it is then the only copy of the previous content. */
async function rollBack({ sql, log }: Environment, kept: string, reload: Reload): Promise<void> {
  try {
    await sql.replaceFrom(kept);
    await reload();
  } catch (error) {
    log.error({ err: error, snapshot: kept }, 'rollback of a restore failed; the snapshot is kept');
    throw new ServiceError('internal',
      `restore failed and could not be undone; the content before is kept as ${basename(kept)}`, { cause: error });
  }
}

function failure({ log }: Environment, from: string, error: unknown): ServiceError {
  // The caller has lost the permission.
  if (error instanceof ServiceError && error.status < 500) return error;
  log.error({ err: error, backup: from }, 'restore failed');
  if (error instanceof ServiceError && error.code === 'internal') return error;
  const reason = error instanceof UnusableBackup
    ? error.message
    : 'the database could not be replaced; the previous one is still served';
  return new ServiceError('internal', `restore failed: ${reason}`, { cause: error });
}

/**
 * Numbers that the live feed may still assign between the reading of its head and the swap. The new feed starts after
 * them, so that no reader can mistake its position for one of the new feed.
 */
const HEADROOM = 1_000_000;

/** Values that a backup takes over from the database that it replaces. */
interface LiveDatabase {
  /** Number of the last change of its feed. */
  readonly head: number;
  /** Its replication state: the restored database has the same, and followers take a snapshot of it. */
  readonly replication: ReplicationState | undefined;
}

/** A backup that cannot be served; the message says why, without a path. */
class UnusableBackup extends Error {}

/**
 * Converts a backup to the file that will be swapped in: of this build's format, with a change feed that restarts after
 * the numbers of the live one. Every step that can fail runs on copies, before the live database is changed. Throws
 * `UnusableBackup`; the caller removes `target` and `target.work`.
 */
async function stageBackup(backup: string, target: string, live: LiveDatabase, clock: Clock): Promise<void> {
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
async function removeStaged(target: string): Promise<void> {
  const files = [target, ...['', '-wal', '-shm', '-journal', '.lock'].map((ending) => `${target}.work${ending}`)];
  await Promise.all(files.map((file) => rm(file, { force: true })));
}
