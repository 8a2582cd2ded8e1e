import type { Queries, Sql } from '../../storage/index.ts';
import type { ContentStore } from './content-store.ts';
import { writeContent, type Announced, type ContentPart } from './write-content.ts';

export interface RowContentsOptions {
  readonly sql: Sql;
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
    const { sql, store, isReferenced } = this.#options;
    for (const sha256 of hashes) if (!await isReferenced(sql, sha256)) await store.remove(sha256);
  }

  /** Removes contents without rows: a process that died between the two steps has left them. */
  async removeUnreferenced(stopping: AbortSignal): Promise<void> {
    const { sql, store, isReferenced } = this.#options;
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
