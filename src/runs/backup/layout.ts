import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { inDataDir, type RunsConfig } from '../config/index.ts';

/*
 * A backup of the queue is a folder:
 *
 *     queue.db       the database, as one file
 *     authority/     the certificate authority, which identifies ships; absent if there is none
 *     backup.json    names, sizes and hashes of the files above
 */
export const DATABASE = 'queue.db';
export const AUTHORITY = 'authority';
export const MANIFEST = 'backup.json';
export const FORMAT = 1;

/** Paths on disk of one configuration. */
export interface Places {
  readonly database: string;
  /** Folder of the certificate authority. */
  readonly authority: string;
}

export interface BackupFile {
  /** Within the backup, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: number;
  /** Seconds since 1970. */
  readonly madeAt: number;
  readonly version: string;
  readonly files: readonly BackupFile[];
}

/** Why a backup was not made or not restored; the message is for the caller of the command. */
export class BackupError extends Error {}

/** Undefined if the queue is only in memory. */
export function placesOf(config: RunsConfig): Places | undefined {
  const { path } = config.storage.sqlite;
  if (path === ':memory:') return undefined;
  return { database: inDataDir(config, path), authority: inDataDir(config, config.fleet.ca_dir) };
}

export async function describeFile(folder: string, name: string): Promise<BackupFile> {
  const path = join(folder, name);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { name, bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}

/** Throws `BackupError` unless all files are present and unchanged. */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = await parseManifest(folder);
  if (manifest.format !== FORMAT)
    throw new BackupError(
      `the backup has format ${manifest.format}, and this build knows ${FORMAT}; restore it with the version that ` +
        `made it (${manifest.version})`,
    );
  for (const file of manifest.files) {
    const found = await describeFile(folder, file.name).catch(() => undefined);
    if (found === undefined) throw new BackupError(`${file.name} is missing in the backup`);
    if (found.sha256 !== file.sha256)
      throw new BackupError(
        `${file.name} is not as it was written: it has ${found.bytes} bytes of ${file.bytes}, or others`,
      );
  }
  return manifest;
}

/** Accepts only names of files within the backup, because the manifest may have been changed. */
const NAME = /^(queue\.db|authority\/[a-z-]{1,40}\.pem)$/;

async function parseManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new BackupError(`${folder} is no backup of a run queue: it has no ${MANIFEST}`);
  });
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (typeof manifest.format === 'number' && manifest.files.every(({ name }) => NAME.test(name)) &&
      manifest.files.some(({ name }) => name === DATABASE)) return manifest;
  } catch {
    // Reported below.
  }
  throw new BackupError(`${MANIFEST} of the backup cannot be read`);
}
