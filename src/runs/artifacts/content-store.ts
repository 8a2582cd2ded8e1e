import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { durableRename } from '../../lib/durable-rename.ts';
import { makeFolder } from '../../lib/make-folder.ts';

const HASH = /^[0-9a-f]{64}$/;

/**
 * Files by the SHA-256 of their bytes, each once. What is being written is in a folder of this server until it is whole and on the disk, so
 * that nothing under a hash is ever half a file.
 */
export interface ContentStore {
  /** Makes the folder, and clears what a process that died has left half-written. */
  open(): Promise<void>;
  /** Bytes that are free where files are written. */
  freeBytes(): Promise<number>;
  /** Begins a file; `path` is for `stage`, `keep` or `discard`. */
  begin(): Promise<{ readonly file: FileHandle; readonly path: string }>;
  /** Does what takes long of keeping a file, beside others. */
  stage(path: string, sha256: string): Promise<void>;
  /** Names a file that is on the disk; one that has it already stays. */
  keep(path: string, sha256: string): Promise<void>;
  discard(path: string): Promise<void>;
  remove(sha256: string): Promise<void>;
  /** A part of a file, the whole without one; undefined for one that is not there. */
  read(sha256: string, size: number, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>;
  close(): Promise<void>;
  /** The hashes of all files that are not on their way into the store. */
  hashes(): AsyncGenerator<string>;
}

/** In a folder: `ab/abcd...`, and `new/` for what is being written. */
export class FolderContents implements ContentStore {
  readonly folder: string;
  readonly #new: string;

  /** `node`: the name of this server among those that share the folder. */
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
    // A folder needs no closing.
  }

  async stage(_path: string, _sha256: string): Promise<void> {
    // Naming it is quick.
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

  async read(sha256: string, _size: number, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined> {
    const file = await open(this.#pathOf(sha256), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return file && createReadStream('', { fd: file, ...range });
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
