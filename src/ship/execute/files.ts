import { createHash } from 'node:crypto';
import { constants, type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { createGlob } from '../../lib/glob.ts';
import { StagingFailure } from './port.ts';
import type { User } from './sandbox/index.ts';

/** Bytes per read. */
const PIECE = 256 * 1024;

/**
 * Opens a file that the steps of a run have written, while no process of the run is alive. This process may have more
 * rights than the steps, so neither the file nor a folder in its path may be a link, and the file must belong to the
 * run's user if it has one. Throws a readable reason.
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
    if (await realpath(path) !== join(await realpath(root), name)) throw new Error('there is a link on the way to it');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
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
 * dot. Links are neither found nor followed. Throws a readable reason if there are too many entries to read.
 */
export async function findFiles(root: string, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  const looked = { at: 0 };
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw new Error(`${pattern} leads out of the work folder`);
  await find({ root, found, looked, pattern }, '', segments);
  return [...found].sort();
}

interface Search {
  readonly root: string;
  readonly pattern: string;
  readonly found: Set<string>;
  readonly looked: { at: number };
}

async function find(search: Search, path: string, segments: readonly string[]): Promise<void> {
  const [segment = '**', ...rest] = segments;
  if (segment === '**') {
    if (rest.length > 0) await find(search, path, rest);
    return each(search, path, async (name, kind) => {
      if (name.startsWith('.')) return;
      if (kind === 'folder') await find(search, `${path}${name}/`, ['**', ...rest]);
      else if (rest.length === 0) search.found.add(`${path}${name}`);
    });
  }
  const matches = createGlob(segment);
  const enter = async (name: string, kind: Kind): Promise<void> => {
    if (kind === 'folder') await find(search, `${path}${name}/`, rest);
    else if (rest.length === 0) search.found.add(`${path}${name}`);
  };
  if (!/[*?]/.test(segment)) {
    const kind = kindOf(await lstat(join(search.root, path, segment)).catch(() => undefined));
    return kind === undefined ? undefined : enter(segment, kind);
  }
  return each(search, path, async (name, kind) => {
    if (matches(name) && (segment.startsWith('.') || !name.startsWith('.'))) await enter(name, kind);
  });
}

type Kind = 'file' | 'folder';

async function each(search: Search, path: string, visit: (name: string, kind: Kind) => Promise<void>): Promise<void> {
  const entries = await readdir(join(search.root, path), { withFileTypes: true }).catch(() => []);
  search.looked.at += entries.length;
  if (search.looked.at > MAX_LOOKED_AT)
    throw new Error(`${search.pattern} has to look at more than ${MAX_LOOKED_AT} files`);
  for (const entry of entries) {
    const kind = kindOf(entry);
    if (kind !== undefined) await visit(entry.name, kind);
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean } | undefined): Kind | undefined {
  if (entry?.isFile()) return 'file';
  return entry?.isDirectory() ? 'folder' : undefined;
}
