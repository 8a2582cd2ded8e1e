import { lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatByteSize } from '../../lib/byte-size.ts';
import { makeFolder } from '../../lib/files.ts';
import type { Log } from '../../lib/log.ts';
import { isAliveAs, ownName } from './process/leftovers.ts';

const KINDS = ['clones', 'caches'] as const;
type KeptKind = (typeof KINDS)[number];

/** File in the folder that names the process that uses it. */
const OWNER = 'owner';
/**
 * File in an entry that is being changed; if it is still there later, the process has died, and the entry is not used.
 */
const BUSY = 'busy';

interface KeptStoreOptions {
  /** Belongs to the store; inaccessible to others. */
  readonly folder: string;
  /** Size limit of all entries in bytes; 0 to keep nothing. */
  readonly limit: number;
  readonly log: Log;
}

interface Entry {
  size: number;
  /** Milliseconds since 1970. */
  usedAt: number;
  /** Number of runs that use it now. */
  users: number;
}

/**
 * Data that a ship keeps between runs, one folder per entry: clones of repositories and caches of steps. Together they
 * have a size limit; the least recently used entries are removed first. All data can be produced again, so entries that
 * may be damaged are removed.
 */
export class KeptStore {
  readonly #options: KeptStoreOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #turns = new Map<string, Promise<void>>();
  #isOpen = false;

  constructor(options: KeptStoreOptions) {
    this.#options = options;
  }

  /** Whether entries can be kept; false if another process uses the folder. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Bytes of all entries. */
  get limit(): number {
    return this.#options.limit;
  }

  /** Never rejects: a ship also works without it. */
  async open(): Promise<void> {
    const { folder, limit, log } = this.#options;
    if (limit === 0) return;
    try {
      makeFolder(folder, 0o700);
      if (!await this.#claim()) {
        log.warn({ folder }, 'clones and caches are not kept: another process works in their folder');
        return;
      }
      await rm(join(folder, 'new'), { recursive: true, force: true });
      for (const kind of [...KINDS, 'new']) await mkdir(join(folder, kind), { recursive: true, mode: 0o700 });
      for (const kind of KINDS) for (const key of await readdir(join(folder, kind))) await this.#load(`${kind}/${key}`);
      this.#isOpen = true;
      await this.#evict();
    } catch (err) {
      log.warn({ err, folder }, 'clones and caches are not kept');
    }
  }

  /** Names of the entries of a kind, most recently used first. */
  keysOf(kind: KeptKind): string[] {
    const named = [...this.#entries].filter(([name]) => name.startsWith(`${kind}/`)).sort(([, one], [, other]) =>
      other.usedAt - one.usedAt
    );
    return named.map(([name]) => name.slice(kind.length + 1));
  }

  /** Path of an entry, whether or not it exists. */
  pathOf(kind: KeptKind, key: string): string {
    return join(this.#options.folder, kind, key);
  }

  has(kind: KeptKind, key: string): boolean {
    return this.#entries.has(`${kind}/${key}`);
  }

  /**
   * Changes an entry in place, one run after another: `change` gets its folder, which is empty at first. If `change`
   * rejects, or the process dies, the entry is removed.
   */
  async change<T>(kind: KeptKind, key: string, signal: AbortSignal, change: (path: string) => Promise<T>): Promise<T> {
    const name = `${kind}/${key}`;
    const path = this.pathOf(kind, key);
    return this.#inTurn(name, signal, () =>
      this.#using(name, async () => {
        await mkdir(path, { recursive: true, mode: 0o700 });
        await writeFile(join(path, BUSY), '');
        try {
          const result = await change(path);
          await rm(join(path, BUSY));
          return result;
        } catch (error) {
          await this.#drop(name);
          throw error;
        }
      }));
  }

  /** A folder on the same disk for data that `add` will make an entry. */
  async begin(): Promise<string> {
    const path = join(this.#options.folder, 'new', `${process.hrtime.bigint()}`);
    await mkdir(path, { mode: 0o700 });
    return path;
  }

  /** Moves a folder to its place atomically; an existing entry stays. */
  async add(kind: KeptKind, key: string, from: string): Promise<void> {
    const name = `${kind}/${key}`;
    if (this.#entries.has(name)) return rm(from, { recursive: true, force: true });
    await rename(from, this.pathOf(kind, key));
    await this.#using(name, async () => undefined);
  }

  /** Removes an entry that cannot be used. */
  async remove(kind: KeptKind, key: string): Promise<void> {
    await this.#drop(`${kind}/${key}`);
  }

  /** Prevents an entry from being removed while it is used, and records the use. */
  async use<T>(kind: KeptKind, key: string, work: (path: string) => Promise<T>): Promise<T> {
    return this.#using(`${kind}/${key}`, () => work(this.pathOf(kind, key)));
  }

  async #using<T>(name: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(name) ?? { size: 0, usedAt: 0, users: 0 };
    this.#entries.set(name, entry);
    entry.users += 1;
    try {
      return await work();
    } finally {
      entry.users -= 1;
      await this.#used(name, entry);
    }
  }

  async #used(name: string, entry: Entry): Promise<void> {
    if (this.#entries.get(name) !== entry) return;
    const path = join(this.#options.folder, name);
    entry.usedAt = Date.now();
    try {
      await utimes(path, new Date(entry.usedAt), new Date(entry.usedAt));
      entry.size = await sizeOf(path);
    } catch {
      this.#entries.delete(name);
    }
    await this.#evict();
  }

  async #evict(): Promise<void> {
    const { limit, log } = this.#options;
    let total = 0;
    for (const { size } of this.#entries.values()) total += size;
    if (total <= limit) return;
    for (const [name, { size, users }] of [...this.#entries].sort(([, one], [, other]) => one.usedAt - other.usedAt)) {
      if (total <= limit) return;
      if (users > 0) continue;
      log.info({ entry: name, size: formatByteSize(size) }, 'removed what was used longest ago, to make room');
      await this.#drop(name);
      total -= size;
    }
  }

  /** Renamed first, so that a partly removed entry is never used. */
  async #drop(name: string): Promise<void> {
    this.#entries.delete(name);
    const aside = join(this.#options.folder, 'new', `removed-${process.hrtime.bigint()}`);
    const moved = await rename(join(this.#options.folder, name), aside).then(() => true, () => false);
    if (moved) await rm(aside, { recursive: true, force: true, maxRetries: 2 });
  }

  async #load(name: string): Promise<void> {
    const path = join(this.#options.folder, name);
    const isBusy = await lstat(join(path, BUSY)).then(() => true, () => false);
    if (isBusy) return this.#drop(name);
    this.#entries.set(name, { size: await sizeOf(path), usedAt: lstatSync(path).mtimeMs, users: 0 });
  }

  async #inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const former = this.#turns.get(name) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const both = former.then(() => mine.promise);
    this.#turns.set(name, both);
    try {
      await orAborted(former, signal);
      return await work();
    } finally {
      mine.resolve();
      void both.then(() => {
        if (this.#turns.get(name) === both) this.#turns.delete(name);
      });
    }
  }

  async #claim(): Promise<boolean> {
    const file = join(this.#options.folder, OWNER);
    const owner = await readFile(file, 'utf8').catch(() => '');
    if (owner !== '' && owner !== ownName() && isAliveAs(owner)) return false;
    await writeFile(`${file}.${process.pid}`, ownName(), { mode: 0o600 });
    await rename(`${file}.${process.pid}`, file);
    return true;
  }
}

/** Rejects if the signal aborts first, because work that must end does not wait for other runs. */
async function orAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Bytes of a folder and everything in it; links are not followed. */
async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    size += entry.isDirectory() ? await sizeOf(path) : (await lstat(path)).size;
  }
  return size;
}
