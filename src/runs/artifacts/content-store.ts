import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { durableRename } from '../../lib/durable-rename.ts';
import { makeFolder } from '../../lib/make-folder.ts';

const HASH = /^[0-9a-f]{64}$/;

/**
 * Files by the SHA-256 of their bytes, each once: `ab/abcd...`. What is being written is in `new/` until it is whole and on the
 * disk, so that nothing under a hash is ever half a file.
 */
export class ContentStore {
  readonly folder: string;
  readonly #new: string;

  /** `node`: the name of this server among those that share the folder. */
  constructor(folder: string, node: string) {
    this.folder = folder;
    this.#new = join(folder, 'new', `of-${node}`);
  }

  /** Makes the folder, and clears what a process that died has left half-written. */
  async open(): Promise<void> {
    makeFolder(this.folder, 0o700);
    await rm(this.#new, { recursive: true, force: true });
    makeFolder(this.#new, 0o700);
  }

  /** Bytes that are free where the files are. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }

  /** Begins a file; `path` is for `keep` or `discard`. */
  async begin(): Promise<{ readonly file: FileHandle; readonly path: string }> {
    const path = join(this.#new, randomUUID());
    return { file: await open(path, 'wx', 0o600), path };
  }

  /** Names a file that is on the disk; one that has it already stays. */
  async keep(path: string, sha256: string): Promise<void> {
    const target = this.pathOf(sha256);
    if (await stat(target).then(() => true, () => false)) return this.discard(path);
    makeFolder(join(this.folder, sha256.slice(0, 2)), 0o700);
    await durableRename(path, target);
  }

  async discard(path: string): Promise<void> {
    await rm(path, { force: true });
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.pathOf(sha256), { force: true });
  }

  pathOf(sha256: string): string {
    if (!HASH.test(sha256)) throw new Error(`${sha256} is no SHA-256`);
    return join(this.folder, sha256.slice(0, 2), sha256);
  }

  /** The hashes of all files. */
  async *hashes(): AsyncGenerator<string> {
    for (const name of await readdir(this.folder)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      for (const hash of await readdir(join(this.folder, name))) if (HASH.test(hash)) yield hash;
    }
  }
}
