import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Standing } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type BackupJail, resolveBackup } from './backup.ts';
import { removeStaged, stageBackup, UnusableBackup } from './stage.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'log' | 'replication'>;

/** Makes all caches follow the database's new content. */
export type Reload = () => Promise<void>;

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
