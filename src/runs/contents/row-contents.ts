import { formatByteSize } from '../../lib/byte-size.ts';
import type { Queries } from '../../storage/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { ContentStore } from './content-store.ts';
import { writeContent, type Announced, type ContentPart } from './write-content.ts';

/** Time between two searches for contents that are no longer kept. */
const SWEEP_MS = 60_000;

export interface RowContentsOptions {
  readonly env: RunsEnvironment;
  readonly store: ContentStore;
  /** Whether a row of the table names this content. */
  readonly isReferenced: (from: Queries, sha256: string) => Promise<boolean>;
}

/** Contents that rows of a table name. Rows and contents change together, one change at a time; contents without rows are removed. */
export class RowContents {
  readonly #options: RowContentsOptions;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: RowContentsOptions) {
    this.#options = options;
  }

  /** Writes announced bytes, and calls `keep` once the content has its name, to add its row. */
  async receive<T>(parts: AsyncIterator<ContentPart>, announced: Announced, keep: () => Promise<T>): Promise<T> {
    const { store } = this.#options;
    const { file, path } = await store.begin();
    try {
      try {
        await writeContent(file, parts, announced);
      } finally {
        await file.close();
      }
      await store.stage(path, announced.sha256);
      return await this.oneByOne(async () => {
        await store.keep(path, announced.sha256);
        return keep();
      });
    } catch (error) {
      await store.discard(path);
      throw error;
    }
  }

  /** Must be called within `oneByOne`, after rows that named them are deleted: removes those that no other row names. */
  async forget(hashes: Iterable<string>): Promise<void> {
    const { env: { sql }, store, isReferenced } = this.#options;
    for (const sha256 of hashes) if (!await isReferenced(sql, sha256)) await store.remove(sha256);
  }

  /** Why the disk has no room for a content of this size; undefined if it has. */
  async lackOfRoom(size: number): Promise<string | undefined> {
    const { env: { config }, store } = this.#options;
    const { reserve } = config.current().config.storage;
    const free = await store.freeBytes();
    return free - size < reserve ? `the disk of the server has ${formatByteSize(free)} left, of which ${formatByteSize(reserve)} are reserved (storage.reserve)` : undefined;
  }

  /** Calls `sweep` once a minute until the signal aborts, after contents without rows are removed. Logs failures with this message. Never rejects. */
  async sweepForEver(sweep: () => Promise<void>, stopping: AbortSignal, message: string): Promise<void> {
    const { env: { timer, log } } = this.#options;
    const failed = (error: unknown): void => log.warn({ err: error }, message);
    await this.#removeUnreferenced(stopping).catch(failed);
    while (!stopping.aborted) {
      await sweep().catch(failed);
      await timer.sleep(SWEEP_MS, stopping);
    }
  }

  /** Removes contents without rows: a process that died between the two steps has left them. */
  async #removeUnreferenced(stopping: AbortSignal): Promise<void> {
    const { env: { sql }, store, isReferenced } = this.#options;
    for await (const sha256 of store.hashes()) {
      if (stopping.aborted) return;
      if (!await isReferenced(sql.background, sha256)) await this.oneByOne(() => this.forget([sha256]));
    }
  }

  oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#changing.then(work);
    this.#changing = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when all changes so far are over. Never rejects. */
  async idle(): Promise<void> {
    await this.#changing;
  }
}
