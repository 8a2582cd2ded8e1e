import type { DocsEnvironment } from '../environment.ts';
import type { CheckpointFiles } from './checkpoint-files.ts';
import type { CollectionIndex } from './collection-index.ts';
import type { ViewIndex, ViewKind } from './view-kind.ts';

export interface KeepingOptions {
  /** Where indexes are kept between runs; absent for a database in memory. */
  readonly checkpoints?: CheckpointFiles | undefined;
  /** Whether a collection may have a checkpoint: one of an encrypted collection would show its words (decision D-43). */
  readonly mayKeep?: (collection: string) => boolean;
}

/** A checkpoint is written when so many documents changed, or this part of the collection, whichever is more. */
const CHECKPOINT_CHANGES = 5000;
const CHECKPOINT_PART = 4;

/**
 * The checkpoints of one view against the feed. They only save time, so a failure is told and then
 * costs nothing but the time.
 */
export class KeptIndexes<Index extends ViewIndex> {
  readonly #env: Pick<DocsEnvironment, 'sql' | 'log'>;
  readonly #kind: ViewKind<Index>;
  readonly #files: CheckpointFiles | undefined;
  readonly #mayKeep: (collection: string) => boolean;

  constructor(env: Pick<DocsEnvironment, 'sql' | 'log'>, kind: ViewKind<Index>, { checkpoints, mayKeep = () => true }: KeepingOptions) {
    this.#env = env;
    this.#kind = kind;
    this.#files = checkpoints;
    this.#mayKeep = mayKeep;
  }

  /** Removes what a process that died while it wrote has left, and what belongs to none of these collections or must not be there. */
  async clean(collections: readonly string[]): Promise<void> {
    await this.#files?.clean(collections.filter((name) => this.#mayKeep(name)));
  }

  /** Those of some collections whose checkpoint belongs to this feed, with the number of the change to go on after. */
  async usable(collections: Iterable<string>, head: number): Promise<Map<string, number>> {
    const usable = new Map<string, number>();
    if (this.#files === undefined) return usable;
    for (const name of collections) {
      const header = await this.#files.header(name);
      if (header === undefined || header.lsn > head) continue;
      if ((await this.#timeOf(header.lsn)) === header.at) usable.set(name, header.lsn);
    }
    return usable;
  }

  /** The index of a checkpoint; undefined when it can't be used. */
  async restored(collection: string): Promise<Index | undefined> {
    try {
      const bytes = await this.#files?.load(collection);
      return bytes && (await this.#kind.restore(collection, bytes));
    } catch (error) {
      this.#env.log.warn({ err: error, collection }, `a ${this.#kind.name} checkpoint cannot be used; the index is built anew`);
      return undefined;
    }
  }

  /** Whether so much has changed that a checkpoint is worth its writing. */
  isDue({ serving, changed }: CollectionIndex<Index>): boolean {
    return serving !== undefined && changed >= Math.max(CHECKPOINT_CHANGES, serving.documents / CHECKPOINT_PART);
  }

  /** Writes a checkpoint, if there is something new. `position` is the last change that is surely within. */
  async save(collection: CollectionIndex<Index>, position: number | undefined): Promise<void> {
    const { name } = collection;
    if (this.#files === undefined || !position || collection.changed === 0) return;
    try {
      if (!this.#mayKeep(name)) return await this.#files.remove(name);
      const at = await this.#timeOf(position);
      await collection.idle();
      const { serving } = collection;
      if (at === undefined || serving === undefined) return;
      // Newer than `position` at most, which is harmless: those changes come again, and say the same.
      collection.changed = 0;
      await this.#files.save({ collection: name, lsn: position, at }, serving.save());
    } catch (error) {
      this.#env.log.warn({ err: error, collection: name }, `a ${this.#kind.name} checkpoint could not be written`);
    }
  }

  async remove(collection: string): Promise<void> {
    await this.#files?.remove(collection);
  }

  /** When a change was made; undefined when the feed does not have it (any more). */
  async #timeOf(lsn: number): Promise<number | undefined> {
    const row = await this.#env.sql.get<{ at: number }>('SELECT at FROM changes WHERE lsn = ?', [lsn]);
    return row?.at;
  }
}
