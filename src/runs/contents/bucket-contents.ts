import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';
import type { Outbound } from '../../net/index.ts';
import type { S3Store } from '../../net/objects.ts';
import { type ContentStore, FolderContents } from './content-store.ts';

/** Younger objects may belong to a file whose row is not written yet. */
const ON_ITS_WAY_MS = 3_600_000;

/**
 * Stores files in a bucket, for several servers or for more data than a disk holds. An upload is written to the disk
 * first and copied to the bucket when it is complete.
 */
export class BucketContents extends FolderContents implements ContentStore {
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
