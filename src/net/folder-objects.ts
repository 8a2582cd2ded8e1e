import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { durableRename } from '../lib/files.ts';
import { type ListedObject, type ObjectPage, type ObjectStore, StoreFailure } from './objects.ts';

const DRAFT = '.tmp';

/**
 * Objects as files in a folder, which several machines may share. Names are paths. An object is complete as soon as it
 * has its name; what a crash left half written ends in `.tmp` and is listed as well, so that it can be removed.
 */
export class FolderStore implements ObjectStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#folder, name);
    const draft = `${path}.${randomBytes(4).toString('hex')}${DRAFT}`;
    await asking(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await writeFile(draft, bytes, { mode: 0o600 });
        await durableRename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    });
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return asking(() => unlessAbsent(readFile(join(this.#folder, name)), undefined));
  }

  remove(name: string): Promise<void> {
    return asking(() => rm(join(this.#folder, name), { force: true }));
  }

  /** All at once; `from` is ignored. */
  async list(_from: string | undefined, under = ''): Promise<ObjectPage> {
    const root = join(this.#folder, under);
    return asking(async () => {
      const entries = await unlessAbsent(readdir(root, { recursive: true, withFileTypes: true }), []);
      const objects: ListedObject[] = [];
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const found = await unlessAbsent(stat(path), undefined);
        const name = relative(this.#folder, path).replaceAll(sep, '/');
        if (found !== undefined) objects.push({ name, putAt: found.mtimeMs });
      }
      return { objects, next: undefined };
    });
  }
}

async function unlessAbsent<T, U>(found: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StoreFailure(`the folder cannot be used (${code ?? 'unknown'})`, {
      field: 'endpoint',
      passes: true,
      cause,
    });
  }
}
