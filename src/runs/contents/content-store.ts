import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock, Timer } from '../../lib/clock.ts';
import { durableRename, makeFolder } from '../../lib/files.ts';
import { createOutbound, type Outbound } from '../../net/index.ts';
import { S3Store } from '../../net/objects.ts';
import { type Environment, inDataDir, type RunsConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';

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

/** Younger objects may belong to a file whose row is not written yet. */
const ON_ITS_WAY_MS = 3_600_000;

/**
 * Stores files in a bucket, for several servers or for more data than a disk holds. An upload is written to the disk
 * first and copied to the bucket when it is complete.
 */
class BucketContents extends FolderContents implements ContentStore {
  readonly #bucket: S3Store;
  readonly #clock: Clock;
  readonly #outbound: Pick<Outbound, 'close'>;

  constructor(folder: string, node: string,
    { bucket, clock, outbound }: { readonly bucket: S3Store; readonly clock: Clock;
      readonly outbound: Pick<Outbound, 'close'> })
  {
    super(folder, node);
    this.#bucket = bucket;
    this.#clock = clock;
    this.#outbound = outbound;
  }

  override close(): Promise<void> {
    return this.#outbound.close();
  }

  override async stage(path: string, sha256: string): Promise<void> {
    if (await this.#bucket.has(sha256)) return;
    const file = await open(path, 'r');
    try {
      await this.#bucket.putFile(sha256, file, (await file.stat()).size);
    } finally {
      await file.close();
    }
  }

  /** Uploads again if the object was removed after staging because the run that had the same content expired. */
  override async keep(path: string, sha256: string): Promise<void> {
    await this.stage(path, sha256);
    await this.discard(path);
  }

  override remove(sha256: string): Promise<void> {
    return this.#bucket.remove(sha256);
  }

  override async read(sha256: string, size: number,
    { start, end } = { start: 0, end: size - 1 }): Promise<Readable | undefined>
  {
    if (!await this.#bucket.has(sha256)) return undefined;
    return Readable.from(this.#bucket.read(sha256, start, end), { objectMode: false });
  }

  override async *hashes(): AsyncGenerator<string> {
    let from: string | undefined;
    do {
      const { objects, next } = await this.#bucket.list(from);
      for (const { name, putAt } of objects) if (putAt < this.#clock.now() - ON_ITS_WAY_MS) yield name;
      from = next;
    } while (from !== undefined);
  }
}

/** Longest time for a part of 8 MiB. */
const TIMEOUT_MS = 60_000;
/**
 * Objects are removed under a lock of their name, in a transaction that PostgreSQL rolls back once it was idle for 10
 * s: a request that was still in progress then could remove the bytes of a file that another server has added
 * meanwhile.
 */
const REMOVE_TIMEOUT_MS = 5000;

/**
 * Opens the store that a section of the configuration describes; a change of the setting takes effect at the next
 * start. Objects in a bucket are in a folder with the name of the section, under the prefix; `timer` measures
 * time-outs. Throws for a bucket whose address or keys are missing.
 */
export function openContents({ clock, nodeId }: Pick<RunsEnvironment, 'clock' | 'nodeId'>, config: RunsConfig,
  section: 'artifacts' | 'caches', variables: Environment, timer?: Timer): ContentStore
{
  const { dir, store, s3 } = config[section];
  const folder = inDataDir(config, dir);
  if (store !== 's3') return new FolderContents(folder, nodeId);
  const keyOf = (name: string): string => {
    const value = variables[name];
    if (value) return value;
    throw new Error(`${section}.s3: the variable ${name} is not set`);
  };
  const settings = {
    endpoint: s3.endpoint,
    bucket: s3.bucket,
    region: s3.region,
    prefix: s3.prefix,
    useTLS: s3.use_tls,
    accessKey: keyOf(s3.access_key_env),
    secretKey: keyOf(s3.secret_key_env),
  };
  // The address comes from the configuration, which may name any host.
  const outbound = createOutbound({ allowPrivate: 'true', allowlist: [] }, timer === undefined ? {} : { timer });
  return new BucketContents(folder, nodeId, {
    bucket: new S3Store(settings, {
      outbound,
      folder: section,
      timeoutMs: TIMEOUT_MS,
      removeTimeoutMs: REMOVE_TIMEOUT_MS,
    }),
    clock,
    outbound,
  });
}
