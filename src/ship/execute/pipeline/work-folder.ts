import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

/**
 * Makes the folder of an attempt, closed to others, with its input in it. Where the run has a user of its own, the folder
 * itself stays with this process: the user passes through it and owns what is inside, so that no step can put a link in the
 * place of what this process looks for there. It is handed over once it is complete.
 */
export async function makeWorkFolder(workDir: string, name: string, input: Uint8Array, user: User | undefined): Promise<WorkFolder> {
  const path = join(workDir, name);
  const out = join(path, 'out');
  const folder: WorkFolder = { path, source: join(path, 'src'), home: join(path, 'home'), temporary: join(path, 'tmp'), inputFile: join(path, 'input'), resultFile: join(out, 'result') };
  await makeAnew(path);
  await writeNew(join(path, OWNER_FILE), Buffer.from(ownerText()));
  for (const inner of [folder.source, folder.home, folder.temporary, out]) await mkdir(inner, { mode: 0o700 });
  await writeNew(folder.inputFile, input, user);
  if (user !== undefined) for (const owned of [folder.source, folder.home, folder.temporary, out]) await giveFolder(owned, user);
  return folder;
}

/** Lets the run's user through, when nothing is left to be done there in its name. */
export async function handOver({ path }: WorkFolder, user: User | undefined): Promise<void> {
  if (user === undefined) return;
  await using(await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW), async (folder) => {
    await folder.chown(process.getuid!(), user.gid);
    await folder.chmod(0o710);
  });
}

/** Whether a folder of the attempt is still what was made, and no link; to be asked while nothing of the run is alive. */
export async function isPlainFolder(path: string): Promise<boolean> {
  return lstat(path).then((found) => found.isDirectory(), () => false);
}

async function giveFolder(path: string, { uid, gid }: User): Promise<void> {
  await using(await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW), (folder) => folder.chown(uid, gid));
}

async function writeNew(path: string, content: Uint8Array, user?: User): Promise<void> {
  await using(await open(path, 'wx', 0o600), async (file) => {
    await file.writeFile(content);
    if (user !== undefined) await file.chown(user.uid, user.gid);
  });
}

async function using(handle: FileHandle, act: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await act(handle);
  } finally {
    await handle.close();
  }
}

/** A folder of the same attempt may have been kept, or left behind when it was handed out before. */
async function makeAnew(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || isOwnedByOther(path)) throw error;
    await removeFolder(path, await userOf(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/** The user that a run's folder was given to; undefined where that is this process's own. */
export async function userOf(path: string): Promise<User | undefined> {
  const source = await lstat(join(path, 'src')).catch(() => undefined);
  if (source === undefined || process.getuid?.() !== 0 || source.uid === 0) return undefined;
  return { uid: source.uid, gid: source.gid };
}

/**
 * Removes a folder with everything in it, also what its owner made read-only. Nothing of the run is alive any more. What
 * belongs to a user of its own is removed as that user, who can reach nothing else, whatever has been put there.
 */
export async function removeFolder(path: string, user: User | undefined): Promise<void> {
  if (user !== undefined) await removeAs(path, user);
  const options = { recursive: true, force: true, maxRetries: 2 } as const;
  try {
    await rm(path, options);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await openFolders(path);
    await rm(path, options);
  }
}

const EMPTY = `
for folder in src home tmp out; do
  chmod u+rwx "$folder" && (cd "$folder" || exit; find . -type d ! -perm -700 -exec chmod u+rwx {} \\;; find . -mindepth 1 -delete)
done`;

/** What it can't remove is left to this process, with the folder closed again. */
async function removeAs(path: string, user: User): Promise<void> {
  // The folder is entered by this process: those above may be closed to the user.
  await promisify(execFile)('/bin/sh', ['-c', EMPTY], { uid: user.uid, gid: user.gid, cwd: path, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } }).catch(() => undefined);
  await chmod(path, 0o700);
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isDirectory()) await openFolders(join(path, entry.name));
}
