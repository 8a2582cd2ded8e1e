import { chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { User } from '../sandbox/index.ts';
import { isOwnedByOther, ownerText, OWNER_FILE } from './owner.ts';

/** Where one attempt works. */
export interface WorkFolder {
  readonly path: string;
  /** Steps start here, and the repository is put here. */
  readonly source: string;
  readonly home: string;
  readonly temporary: string;
  readonly inputFile: string;
  readonly resultFile: string;
}

/** Makes the folder of an attempt, closed to others, with its input in it. */
export async function makeWorkFolder(workDir: string, name: string, input: Uint8Array, user: User | undefined): Promise<WorkFolder> {
  const path = join(workDir, name);
  const folder: WorkFolder = { path, source: join(path, 'src'), home: join(path, 'home'), temporary: join(path, 'tmp'), inputFile: join(path, 'input'), resultFile: join(path, 'result') };
  await makeAnew(path);
  await writeFile(join(path, OWNER_FILE), await ownerText());
  for (const inner of [folder.source, folder.home, folder.temporary]) await mkdir(inner, { mode: 0o700 });
  await writeFile(folder.inputFile, input, { mode: 0o600 });
  if (user !== undefined) for (const owned of [folder.source, folder.home, folder.temporary, folder.inputFile, path]) await chown(owned, user.uid, user.gid);
  return folder;
}

/** A folder of the same attempt may have been kept, or left behind when it was handed out before. */
async function makeAnew(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || await isOwnedByOther(path)) throw error;
    await removeFolder(path);
    await mkdir(path, { mode: 0o700 });
  }
}

/** Removes a folder with everything in it, also what its owner made read-only. */
export async function removeFolder(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 2 } as const;
  try {
    await rm(path, options);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await openFolders(path);
    await rm(path, options);
  }
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isDirectory()) await openFolders(join(path, entry.name));
}
