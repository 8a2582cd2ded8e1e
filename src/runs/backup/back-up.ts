import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { syncFolder } from '../../lib/files.ts';
import { snapshotDatabase } from '../../storage/index.ts';
import { AUTHORITY, BackupError, type BackupFile, DATABASE, describeFile, FORMAT, MANIFEST, type Manifest,
  type Places } from './layout.ts';

export interface BackedUp {
  /** Absolute path of the backup. */
  readonly folder: string;
  readonly bytes: number;
  /** Whether the backup contains the certificate authority, which identifies ships. */
  readonly hasAuthority: boolean;
}

/**
 * Writes a consistent copy of the queue and of its certificate authority into a new folder; the service may run
 * meanwhile. The folder appears when it is complete and has been read back. Throws `BackupError`.
 */
export async function backUp(places: Places, to: string,
  { clock, version }: { readonly clock: Clock; readonly version: string }): Promise<BackedUp>
{
  const folder = resolve(to);
  if (existsSync(folder)) throw new BackupError(`${folder} exists already; a backup is never overwritten`);
  if (!existsSync(places.database))
    throw new BackupError(`there is no queue to back up: ${places.database} does not exist`);
  const draft = `${folder}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await mkdir(draft, { mode: 0o700 });
    // The authority is copied first, so that it knows every ship of the database that is copied afterwards.
    const keys = await copyAuthority(places.authority, join(draft, AUTHORITY));
    await snapshotDatabase(places.database, join(draft, DATABASE));
    const files = await Promise.all([DATABASE, ...keys].map((name) => describeFile(draft, name)));
    await writeManifest(draft, { format: FORMAT, madeAt: unixSeconds(clock), version, files });
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return { folder, bytes: sizeOf(files), hasAuthority: keys.length > 0 };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Returns the names of the copied files within the backup. */
async function copyAuthority(from: string, to: string): Promise<string[]> {
  const names = (await readdir(from).catch(() => [])).filter((name) => name.endsWith('.pem'));
  if (names.length > 0) await mkdir(to, { mode: 0o700 });
  for (const name of names) await copyFile(join(from, name), join(to, name));
  return names.map((name) => `${AUTHORITY}/${name}`);
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flush: true });
  await syncFolder(folder);
}

function sizeOf(files: readonly BackupFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
