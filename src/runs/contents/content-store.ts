import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { durableRename, makeFolder } from '../../lib/files.ts';

const HASH = /^[0-9a-f]{64}$/;

/**
 * Stores each file once, under the SHA-256 of its bytes. An unfinished file stays in a folder of this server until it
 * is complete and flushed to disk, so a hash never names half a file.
 */
export interface ContentStore {
  /** Creates the folder, and removes unfinished files that a dead process has left. */
  open(): Promise<void>;
  /** Free bytes on the disk to which files are written. */
  freeBytes(): Promise<number>;
  /** Starts a file; pass `path` to `stage`, `keep` or `discard`. */
  begin(): Promise<{ readonly file: FileHandle; readonly path: string }>;
  /** Does the slow part of storing a file; several may run at the same time. */
  stage(path: string, sha256: string): Promise<void>;
  /** Gives a file on disk its name; a file that already has this name stays. */
  keep(path: string, sha256: string): Promise<void>;
  discard(path: string): Promise<void>;
  remove(sha256: string): Promise<void>;
  /** Returns a part of a file, or the whole file if no range is passed; undefined if the file does not exist. */
  read(sha256: string, size: number,
    range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>;
  close(): Promise<void>;
  /** The hashes of all files, except those that are being stored. */
  hashes(): AsyncGenerator<string>;
}

/** Stores files in a folder: `ab/abcd...`, and `new/` for unfinished ones. */
export class FolderContents implements ContentStore {
  readonly folder: string;
  readonly #new: string;

  /** `node`: name of this server among the servers that share the folder. */
  constructor(folder: string, node: string) {
    this.folder = folder;
    this.#new = join(folder, 'new', `of-${node}`);
  }

  async open(): Promise<void> {
    makeFolder(this.folder, 0o700);
    await rm(this.#new, { recursive: true, force: true });
    makeFolder(this.#new, 0o700);
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }

  async begin(): Promise<{ readonly file: FileHandle; readonly path: string }> {
    const path = join(this.#new, randomUUID());
    return { file: await open(path, 'wx', 0o600), path };
  }

  async close(): Promise<void> {
    // A folder need not be closed.
  }

  async stage(_path: string, _sha256: string): Promise<void> {
    // Renaming is fast.
  }

  async keep(path: string, sha256: string): Promise<void> {
    const target = this.#pathOf(sha256);
    if (await stat(target).then(() => true, () => false)) return this.discard(path);
    makeFolder(join(this.folder, sha256.slice(0, 2)), 0o700);
    await durableRename(path, target);
  }

  async discard(path: string): Promise<void> {
    await rm(path, { force: true });
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  async read(sha256: string, _size: number,
    range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>
  {
    const path = this.#pathOf(sha256);
    const exists = await stat(path).then(() => true, (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    });
    // Opened at the first read: a response without a body, such as 304, never reads it.
    return exists ? Readable.from(piecesOf(path, range), { objectMode: false }) : undefined;
  }

  #pathOf(sha256: string): string {
    if (!HASH.test(sha256)) throw new Error(`${sha256} is no SHA-256`);
    return join(this.folder, sha256.slice(0, 2), sha256);
  }

  async *hashes(): AsyncGenerator<string> {
    for (const name of await readdir(this.folder)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      for (const hash of await readdir(join(this.folder, name))) if (HASH.test(hash)) yield hash;
    }
  }
}

async function* piecesOf(path: string,
  range?: { readonly start: number; readonly end: number }): AsyncGenerator<Buffer>
{
  const file = await open(path, 'r');
  yield* file.createReadStream(range) as AsyncIterable<Buffer>;
}
