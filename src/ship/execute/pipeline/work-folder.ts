import { execFile } from 'node:child_process';
import { constants, existsSync, readFileSync } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ExecutorContext, labelOf } from '../context.ts';
import { isAliveAs, killLeftovers, ownName } from '../process/leftovers.ts';
import { ownUser, type User, writeAccounts } from '../sandbox/index.ts';

const ACCOUNTS = '.etc';

/** File in the folder of an attempt that names the process that uses it. */
export const OWNER_FILE = '.owner';

/** The text that identifies this process. */
export const ownerText = ownName;

/** Whether the process that uses a folder is alive. */
export function isOwned(folder: string): boolean {
  return isAliveAs(ownerOf(folder));
}

/** Whether another living process uses a folder. */
export function isOwnedByOther(folder: string): boolean {
  return ownerOf(folder) !== ownName() && isOwned(folder);
}

function ownerOf(folder: string): string {
  try {
    return readFileSync(join(folder, OWNER_FILE), 'utf8');
  } catch {
    return '';
  }
}

/** The folders of one attempt. */
export interface WorkFolder {
  readonly path: string;
  /** Steps start here, and the repository is checked out here. */
  readonly source: string;
  readonly home: string;
  readonly temporary: string;
  readonly inputFile: string;
  readonly resultFile: string;
  /** The files of accounts, beside the folder, where no step can replace them. */
  readonly accounts: string;
  /** Markdown for people. */
  readonly summaryFile: string;
}

/**
 * Creates the folder of an attempt, inaccessible to others, with its input. If the run has a user of its own, this
 * process keeps the folder itself: the user traverses it and owns its content, so that no step can replace a path that
 * this process uses there by a link. It is handed over once it is complete.
 */
export async function makeWorkFolder(workDir: string, name: string, input: Uint8Array,
  user: User | undefined): Promise<WorkFolder>
{
  const path = join(workDir, name);
  const out = join(path, 'out');
  const folder: WorkFolder = {
    path,
    source: join(path, 'src'),
    home: join(path, 'home'),
    temporary: join(path, 'tmp'),
    inputFile: join(path, 'input'),
    resultFile: join(out, 'result'),
    accounts: accountsOf(path),
    summaryFile: join(out, 'summary'),
  };
  await makeEmpty(path);
  await rm(folder.accounts, { recursive: true, force: true });
  await writeNew(join(path, OWNER_FILE), Buffer.from(ownerText()));
  for (const inner of [folder.source, folder.home, folder.temporary, out]) await mkdir(inner, { mode: 0o700 });
  await writeNew(folder.inputFile, input, user);
  await writeAccounts(folder.accounts, { ...(user ?? ownUser()), home: folder.home });
  if (user !== undefined) {
    for (const owned of [folder.source, folder.home, folder.temporary, out]) await chownFolder(owned, user);
  }
  return folder;
}

/** The folder with the files of accounts of the attempt whose folder this is. */
function accountsOf(path: string): string {
  return `${path}${ACCOUNTS}`;
}

/** In the folder of accounts, where no step can replace it. */
const ENGINE_FILE = 'engine';

/** Records that containers may be alive when this process has died; the next one removes them. */
export async function noteContainers({ accounts }: WorkFolder): Promise<void> {
  await writeFile(join(accounts, ENGINE_FILE), '');
}

/** Lets the run's user traverse the folder once this process has finished its work there. */
export async function handOver({ path }: WorkFolder, user: User | undefined): Promise<void> {
  if (user === undefined) return;
  await using(await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW), async (folder) => {
    await folder.chown(process.getuid!(), user.gid);
    await folder.chmod(0o710);
  });
}

/**
 * Whether a folder of the attempt is still the original one, and not a link; must be called while no process of the run
 * is alive.
 */
export async function isPlainFolder(path: string): Promise<boolean> {
  return lstat(path).then((found) => found.isDirectory(), () => false);
}

async function chownFolder(path: string, { uid, gid }: User): Promise<void> {
  await using(await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW),
    (folder) => folder.chown(uid, gid));
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

/** A folder of the same attempt may have been kept, or left by an earlier assignment of it. */
async function makeEmpty(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || isOwnedByOther(path)) throw error;
    await removeFolder(path, await userOf(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/** The user that owns a run's folder; undefined if that is the user of this process. */
export async function userOf(path: string): Promise<User | undefined> {
  const source = await lstat(join(path, 'src')).catch(() => undefined);
  if (source === undefined || process.getuid?.() !== 0 || source.uid === 0) return undefined;
  return { uid: source.uid, gid: source.gid };
}

/**
 * Removes a folder with everything in it, including what its owner made read-only. No process of the run is alive any
 * more. Files of the run's own user are removed as that user, who can reach nothing else, whatever was put there.
 */
export async function removeFolder(path: string, user: User | undefined): Promise<void> {
  await removeAccounts(path);
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

/** Removes the files of accounts of an attempt. */
export async function removeAccounts(path: string): Promise<void> {
  await rm(accountsOf(path), { recursive: true, force: true });
}

const EMPTY = `
for folder in src home tmp out; do
  chmod u+rwx "$folder" && (cd "$folder" || exit; find . -type d ! -perm -700 -exec chmod u+rwx {} \\;; find . -mindepth 1 -delete)
done`;

/** Files that it cannot remove are left to this process, with the folder closed again. */
async function removeAs(path: string, user: User): Promise<void> {
  // This process enters the folder, because the folders above may be closed to the user.
  await promisify(execFile)('/bin/sh', ['-c', EMPTY], {
    uid: user.uid,
    gid: user.gid,
    cwd: path,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  }).catch(() => undefined);
  await chmod(path, 0o700);
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
}

const ATTEMPT_FOLDER = /^([0-9a-f]{32})\.(\d+)$/;
const ACCOUNTS_FOLDER = /^[0-9a-f]{32}\.\d+\.etc$/;

/**
 * Cleans up after processes that have died: kills the work that they started, and removes its folders. Work of living
 * processes is not touched.
 */
export async function clearAbandonedWork({ workDir, users, sandboxes, log }: ExecutorContext): Promise<void> {
  for (const name of await readdir(workDir)) {
    const path = join(workDir, name);
    // Usually it is removed with its attempt.
    if (ACCOUNTS_FOLDER.test(name) && !existsSync(path.slice(0, -ACCOUNTS.length)))
      await rm(path, { recursive: true, force: true });
    const [, runId, attempt] = ATTEMPT_FOLDER.exec(name) ?? [];
    if (runId === undefined || isOwned(path)) continue;
    const user = await userOf(path);
    if (existsSync(join(accountsOf(path), ENGINE_FILE)))
      await sandboxes.containers()?.clear(labelOf({ runId, attempt: Number(attempt) })).catch((err: unknown) => {
        log.warn({ err, run: runId }, 'abandoned containers cannot be removed');
      });
    const survivors = [...await killLeftovers({ variables: [`QUIRE_RUN_ID=${runId}`, `QUIRE_ATTEMPT=${attempt}`] }),
      ...(user === undefined ? [] : await users?.endAbandoned(user.uid) ?? [])];
    if (survivors.length > 0) log.warn({ run: runId, processes: survivors }, 'abandoned processes cannot be killed');
    await removeFolder(path, user);
    log.info({ run: runId, attempt: Number(attempt) }, 'removed abandoned work');
  }
}
