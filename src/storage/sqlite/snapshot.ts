import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ServiceError } from '../../errors/index.ts';
import { durableRename } from '../../lib/files.ts';
import { verifyDatabaseFile } from '../verify/verify.ts';
import { translate } from './failures.ts';

/** Pages copied in one step in the thread pool: 16 MiB. */
const STEP = 4096;

/** See `Sql.snapshotTo`: copies to a temporary name beside the target, checks the copy, and renames it. */
export async function snapshotTo(source: string, target: string): Promise<{ sizeBytes: number }> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, '', { mode: 0o600 });
    await copyOneSnapshot(source, temporary);
    await assertIntact(temporary);
    await durableRename(temporary, target);
    return { sizeBytes: (await stat(target)).size };
  } catch (error) {
    throw translate(error);
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}-journal`, { force: true });
  }
}

/** An open read transaction holds the snapshot; without it a concurrent write would restart the copy. */
async function copyOneSnapshot(source: string, target: string): Promise<void> {
  const database = new DatabaseSync(source, { timeout: 5000 });
  try {
    database.exec('BEGIN; SELECT count(*) FROM sqlite_master');
    await backup(database, target, { rate: STEP });
  } finally {
    database.close();
  }
  leaveWalMode(target);
}

/** Makes the copy a single file: without this, reading it would create side files beside it. */
function leaveWalMode(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

async function assertIntact(file: string): Promise<void> {
  const { ok, problems } = await verifyDatabaseFile(file);
  if (!ok) throw new ServiceError('internal', `the copy of the database is damaged: ${problems.join('; ')}`);
}

/**
 * Writes the content of `file` over the live database at `target`, as one transaction of its write-ahead log: readers
 * see the old content until it commits, and a failure or crash before that leaves the old content. Nothing else must
 * write meanwhile. Both files need the same page size.
 */
export async function overwriteWith(file: string, target: string): Promise<void> {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  try {
    const source = new DatabaseSync(url, { readOnly: true });
    try {
      source.prepare('SELECT count(*) FROM sqlite_master').get(); // throws if the file is not a database
      await backup(source, target, { rate: STEP });
    } finally {
      source.close();
    }
  } catch (error) {
    throw translate(error);
  }
}
