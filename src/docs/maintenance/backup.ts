import { mkdir, rm } from 'node:fs/promises';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Standing } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type BackupJail, resolveBackup } from './backup-name.ts';

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
