import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { constants, type FileHandle, lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createGlob } from '../../lib/glob.ts';
import { StagingFailure } from './port.ts';
import type { User } from './sandbox/index.ts';

/** Bytes per read. */
const PIECE = 256 * 1024;

/**
 * Opens a file that the steps of a run have written. This process may have more rights than the steps, so neither the
 * file nor a folder in its path may be a link, also if a background step replaces one meanwhile, and the file must
 * belong to the run's user if it has one. Throws a readable reason.
 */
export async function openInside(root: string, name: string, user: User | undefined): Promise<FileHandle> {
  const path = join(root, name);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(error.code === 'ELOOP' ? 'it is a link' : `it cannot be read (${error.code})`);
    },
  );
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('it is no file');
    if (user !== undefined && stat.uid !== user.uid) throw new Error('it belongs to another user');
    if (!await isAt(file, root, name)) throw new Error('there is a link on the way to it');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Whether an open file or folder is at its path below `root`, without links. */
async function isAt(file: FileHandle, root: string, name: string): Promise<boolean> {
  const expected = join(await realpath(dirname(root)), basename(root), name);
  // The kernel's name for what is open (proc_pid_fd(5)); a path that is looked up again may lead elsewhere by then.
  const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(join(root, name)).catch(() => ''));
  return real === expected.replace(/\/$/, '');
}

/** The bytes of an open file, from its beginning; the file stays open. */
export async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

export async function sha256Of(file: FileHandle): Promise<{ readonly size: number; readonly sha256: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of bytesOf(file)) {
    hash.update(piece);
    size += piece.length;
  }
  return { size, sha256: hash.digest() };
}

/** A new file for bytes that the server sends. Failures of the disk are `StagingFailure`s. */
export class HashedFile {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');

  static async create(path: string, mode: number): Promise<HashedFile> {
    return new HashedFile(await onDisk(() => open(path, 'wx', mode)));
  }

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    await onDisk(() => this.#file.writeFile(bytes));
  }

  /** Closes it; throws if its bytes have another hash. `what`: names it in the message. */
  async finish(expected: Uint8Array, what: string): Promise<void> {
    await this.close();
    if (!this.#hash.digest().equals(expected)) throw new Error(`the bytes of ${what} have another hash`);
  }

  /** Safe twice. */
  async close(): Promise<void> {
    if (this.#file.fd !== -1) await this.#file.close();
  }
}

/** Rejects with a `StagingFailure` if the disk does not do it. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new StagingFailure((cause as Error).message, { cause });
  }
}

/** Most entries of folders that one pattern may read. */
const MAX_LOOKED_AT = 500_000;

/**
 * Files below a folder that match a pattern, as paths with `/`, sorted. `*` and `?` match letters of a name, `**`
 * matches any folders; a folder selects all files in it. Names that begin with a dot match only if the pattern has the
 * dot. Links are neither found nor followed. `passed` receives what matches and is not found, and why. Throws a
 * readable reason if there are too many entries to read.
 */
export async function findFiles(root: string, pattern: string, passed: Passed = () => undefined): Promise<string[]> {
  const found = new Set<string>();
  const looked = { at: 0 };
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw new Error(`${pattern} leads out of the work folder`);
  await find({ root, found, looked, pattern, passed }, '', segments);
  return [...found].sort();
}

/** Why something that matches a pattern is not found. */
export type PassedOver = 'link' | 'no file' | 'empty folder' | 'not UTF-8' | 'odd name';
type Passed = (path: string, why: PassedOver) => void;

interface Search {
  readonly root: string;
  readonly passed: Passed;
  readonly pattern: string;
  readonly found: Set<string>;
  readonly looked: { at: number };
}

async function find(search: Search, path: string, segments: readonly string[]): Promise<void> {
  const [segment = '**', ...rest] = segments;
  if (segment === '**') {
    if (rest.length > 0) await find(search, path, rest);
    return each(search, path, rest.length === 0 ? 'all' : 'inner', async (name, kind) => {
      if (name.startsWith('.')) return;
      if (kind === 'folder') await find(search, `${path}${name}/`, ['**', ...rest]);
      else if (rest.length === 0) take(search, `${path}${name}`, kind);
    });
  }
  const matches = createGlob(segment);
  const enter = async (name: string, kind: Kind): Promise<void> => {
    if (kind === 'folder') await find(search, `${path}${name}/`, rest);
    else if (rest.length === 0) take(search, `${path}${name}`, kind);
  };
  if (!/[*?]/.test(segment)) {
    const kind = kindOf(await lstat(join(search.root, path, segment)).catch(() => undefined));
    return kind === undefined ? undefined : enter(segment, kind);
  }
  return each(search, path, rest.length === 0 ? 'some' : 'inner', async (name, kind) => {
    if (matches(name) && (segment.startsWith('.') || !name.startsWith('.'))) await enter(name, kind);
  });
}

type Kind = 'file' | 'folder' | 'link' | 'no file';

/** Systems and archives do not agree on such names; the server refuses them. */
const ODD = /[\u0000-\u001f\u007f\\]/;

function take({ found, passed }: Search, path: string, kind: Kind): void {
  if (kind !== 'file' && kind !== 'folder') passed(path, kind);
  else if (ODD.test(path)) passed(path, 'odd name');
  else found.add(path);
}

/** `wanted`: what of the folder itself matches; `inner` for only what is below. */
async function each(search: Search, path: string, wanted: 'all' | 'some' | 'inner',
  visit: (name: string, kind: Kind) => Promise<void>): Promise<void>
{
  const entries = await entriesOf(search.root, path);
  if (wanted === 'all' && path !== '' && entries?.length === 0) search.passed(path, 'empty folder');
  search.looked.at += entries?.length ?? 0;
  if (search.looked.at > MAX_LOOKED_AT)
    throw new Error(`${search.pattern} has to look at more than ${MAX_LOOKED_AT} files`);
  for (const entry of entries ?? []) {
    const kind = kindOf(entry);
    if (!isUtf8(entry.name)) {
      if (wanted !== 'inner') search.passed(`${path}${entry.name.toString()}`, 'not UTF-8');
    } else if (kind !== undefined) await visit(entry.name.toString(), kind);
  }
}

/** Undefined if the folder cannot be read, or is reached through a link. */
async function entriesOf(root: string, path: string): Promise<Dirent<Buffer>[] | undefined> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const folder = await open(join(root, path), flags).catch(() => undefined);
  try {
    if (folder === undefined || !await isAt(folder, root, path)) return undefined;
    const options = { withFileTypes: true, encoding: 'buffer' } as const;
    return await readdir(`/proc/self/fd/${folder.fd}`, options).catch(() => readdir(join(root, path), options));
  } catch {
    return undefined;
  } finally {
    await folder?.close();
  }
}

function kindOf(
  entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean } | undefined,
): Kind | undefined {
  if (entry === undefined) return undefined;
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'no file';
}
