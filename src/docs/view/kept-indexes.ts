import type { KeyRing } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { ViewCopies } from './bucket/index.ts';
import type { Manifest } from './bucket/manifest.ts';
import type { CheckpointFiles, CheckpointHeader, Confirmation, FeedPlace } from './checkpoint-files.ts';
import type { CollectionIndex } from './collection-index.ts';
import type { ViewIndex, ViewKind } from './view-kind.ts';

export interface KeepingOptions {
  /** Where indexes are stored between runs; absent for a database in memory. */
  readonly checkpoints?: CheckpointFiles | undefined;
  /** Copies of them that several machines share; absent without such a place. */
  readonly copies?: ViewCopies | undefined;
  /** Whether a collection is encrypted: a plaintext checkpoint would reveal its words. */
  readonly isSecret?: (collection: string) => boolean;
  /** The keys that encrypt the checkpoints of such collections; without keys they have none. */
  readonly keys?: KeyRing | undefined;
}

/** A checkpoint is written when this many documents changed, or this fraction of the collection, whichever is more. */
const CHECKPOINT_CHANGES = 5000;
const CHECKPOINT_PART = 4;

/**
 * The checkpoints of one view and their positions in the feed. They only save time, so a failure is logged and has no
 * other effect.
 */
export class KeptIndexes<Index extends ViewIndex> {
  readonly #env: Pick<DocsEnvironment, 'sql' | 'log'>;
  readonly #kind: ViewKind<Index, unknown, unknown>;
  readonly #files: CheckpointFiles | undefined;
  readonly #copies: ViewCopies | undefined;
  /** Copies that are used because there is no file; they are fetched when their index is restored. */
  readonly #wanted = new Map<string, Manifest>();
  /** Collections whose file was found; its copy may be older, or missing. */
  readonly #compared = new Set<string>();
  readonly #isSecret: (collection: string) => boolean;
  readonly #keys: KeyRing | undefined;

  constructor(env: Pick<DocsEnvironment, 'sql' | 'log'>, kind: ViewKind<Index, unknown, unknown>,
    { checkpoints, copies, isSecret = () => false, keys }: KeepingOptions)
  {
    this.#env = env;
    this.#kind = kind;
    this.#files = checkpoints;
    this.#copies = checkpoints && copies;
    this.#isSecret = isSecret;
    this.#keys = keys;
  }

  /**
   * Removes files of a process that died while it wrote, and checkpoints that belong to none of these collections or
   * must not exist.
   */
  async clean(collections: readonly string[]): Promise<void> {
    await this.#files?.clean(collections);
    for (const name of collections) {
      if (!this.#isSecret(name)) continue;
      await this.#removePlain(name);
      this.#copies?.encrypted(name);
    }
  }

  /** An existing plaintext checkpoint must be removed if the collection was encrypted meanwhile. */
  async configured(collection: CollectionIndex<Index>): Promise<void> {
    if (!this.#isSecret(collection.name)) return;
    this.#copies?.encrypted(collection.name);
    if (!(await this.#removePlain(collection.name))) return;
    // Otherwise the next checkpoint would be written only after the next change.
    collection.changed = Math.max(collection.changed, 1);
  }

  /** The collections whose checkpoint, or else its copy, belongs to this feed. */
  async usable(collections: Iterable<string>, head: number): Promise<Map<string, Confirmation>> {
    const usable = new Map<string, Confirmation>();
    if (this.#files === undefined) return usable;
    const confirmed = await this.#files.confirmed();
    for (const name of collections) {
      this.#wanted.delete(name);
      const header = await this.#files.header(name);
      const kept = header && keptAs({ lsn: header.lsn, at: header.at }, confirmed.get(name));
      if (kept === undefined || !(await this.#isUsable(header!, kept, head))) continue;
      usable.set(name, kept);
      if (!this.#compared.has(name)) this.#copies?.changed(name);
      this.#compared.add(name);
    }
    await this.#addCopies([...collections].filter((name) => !usable.has(name)), usable, head);
    return usable;
  }

  async #addCopies(names: readonly string[], usable: Map<string, Confirmation>, head: number): Promise<void> {
    for (const [name, manifest] of (await this.#copies?.manifests(names)) ?? []) {
      const { header, kept: { lsn, at } } = manifest;
      const kept = { lsn, at, written: { lsn: header.lsn, at: header.at } };
      // A plaintext copy of an encrypted collection will be removed.
      if (header.sealed !== true && this.#isSecret(name) || !(await this.#isUsable(header, kept, head))) continue;
      usable.set(name, kept);
      this.#wanted.set(name, manifest);
    }
  }

  async #isUsable(header: CheckpointHeader, kept: FeedPlace, head: number): Promise<boolean> {
    if (header.sealed === true && this.#keys === undefined) return false;
    const { newest = kept } = header;
    return kept.lsn <= head && (await this.#isThere(kept)) && (newest.lsn <= kept.lsn || (await this.#isThere(newest)));
  }

  /**
   * Ordinals of the documents of a collection that changed after its checkpoint; undefined when the checkpoint is of no
   * use, because the collection was deleted or reindexed since then.
   */
  async changedSince({ lsn }: FeedPlace, collection: string): Promise<Set<number> | undefined> {
    const rows = await this.#env.sql.background.all<{ kind: string; ord: number | null }>(
      'SELECT DISTINCT kind, ord FROM changes WHERE lsn > ? AND collection = ?',
      [lsn, collection],
    );
    const isOver = rows.some(({ kind }) => kind === 'collection.delete' || kind === this.#kind.reindexChange);
    return isOver ? undefined : new Set(rows.map(({ ord }) => ord).filter((ord) => ord !== null));
  }

  /** The index of a checkpoint; undefined when it can't be used. */
  async restored(collection: string): Promise<Index | undefined> {
    try {
      const manifest = this.#wanted.get(collection);
      this.#wanted.delete(collection);
      if (manifest !== undefined) await this.#copies!.fetch(manifest);
      return await this.#loaded(collection);
    } catch (error) {
      this.#env.log.warn({ err: error, collection },
        `a ${this.#kind.name} checkpoint cannot be used; the index is rebuilt`);
      return undefined;
    }
  }

  /** Rejects for a file of another version, or under a key that is not here; then its copy is as useless. */
  async #loaded(collection: string): Promise<Index | undefined> {
    try {
      const stored = await this.#files?.load(collection, this.#keys);
      try {
        return stored && (await this.#kind.restore(collection, stored));
      } finally {
        await stored?.close();
      }
    } catch (error) {
      this.#copies?.unusable(collection);
      throw error;
    }
  }

  /** Whether enough has changed to write a checkpoint. */
  isDue({ serving, changed }: CollectionIndex<Index>): boolean {
    return serving !== undefined && changed >= Math.max(CHECKPOINT_CHANGES, serving.documents / CHECKPOINT_PART);
  }

  /**
   * Writes a checkpoint, if there are changes and the index is not outdated. `position` is the last change that is
   * certainly included.
   */
  async save(collection: CollectionIndex<Index>, position: number | undefined): Promise<void> {
    const { name } = collection;
    if (this.#files === undefined || !position || collection.changed === 0 || collection.isOutdated) return;
    try {
      const secret = this.#isSecret(name);
      if (secret && this.#keys === undefined) return await this.#files.remove(name);
      const at = await this.#timeOf(position);
      await collection.idle();
      const { serving, changed } = collection;
      if (at === undefined || serving === undefined) return;
      // The saved state may be newer than `position`, which is harmless: those changes are applied again with the same
      // result.
      collection.changed = 0;
      try {
        await this.#files.save({ collection: name, lsn: position, at }, serving.save(), secret ? this.#keys : undefined,
          this.#mayLoseCommits ? () => this.#newest() : undefined);
        const written = { lsn: position, at };
        if (collection.serving === serving) collection.kept = { ...written, written };
        this.#copies?.changed(name);
      } catch (error) {
        collection.changed += changed;
        throw error;
      }
    } catch (error) {
      this.#env.log.warn({ err: error, collection: name }, `a ${this.#kind.name} checkpoint could not be written`);
    }
  }

  /**
   * Ensures that no change up to number `lsn` is needed after a restart. `position`, which is greater, is that of the
   * last change that is certainly included. Checkpoints of collections that changed are written, and those of the
   * others confirmed; one whose index is outdated keeps its checkpoint, and is built from the tables if the changes
   * since then are gone. So is one that rests and has changed.
   */
  async release(collections: readonly CollectionIndex<Index>[], position: number, lsn = position): Promise<void> {
    const at = await this.#timeOf(position);
    if (this.#files === undefined || at === undefined) return;
    // What was confirmed of a collection that has rested since the start is still valid.
    const resting = new Set(
      collections.filter(({ isResting, kept }) => isResting && kept === undefined).map(({ name }) => name),
    );
    const before = resting.size === 0 ? [] : await this.#files.confirmed();
    const confirmed = new Map([...before].filter(([name]) => resting.has(name)));
    for (const collection of collections) {
      if (collection.changed > 0 && (collection.kept?.lsn ?? 0) <= lsn) await this.save(collection, position);
      if (collection.kept === undefined || collection.isOutdated) continue;
      if (collection.changed === 0) collection.kept = { lsn: position, at, written: collection.kept.written };
      if (collection.kept.lsn > collection.kept.written.lsn) confirmed.set(collection.name, collection.kept);
    }
    if (confirmed.size > 0) await this.#files.confirm(confirmed);
    // At a stop nothing is removed from the feed, so the copies can stay as they are.
    if (lsn < position) this.#copies?.confirmed(confirmed, lsn);
  }

  async remove(collection: string): Promise<void> {
    await this.#files?.remove(collection);
    this.#copies?.removed(collection);
  }

  /** Returns whether there was one. */
  async #removePlain(collection: string): Promise<boolean> {
    const header = await this.#files?.header(collection);
    if (header === undefined || header.sealed === true) return false;
    await this.#files!.remove(collection);
    return true;
  }

  /**
   * A server's database may be promoted or restored without the latest commits. SQLite's checkpoints do not belong to a
   * restored database.
   */
  get #mayLoseCommits(): boolean {
    return this.#env.sql.info.driver === 'postgres';
  }

  async #isThere({ lsn, at }: FeedPlace): Promise<boolean> {
    return (await this.#timeOf(lsn)) === at;
  }

  #newest(): Promise<FeedPlace | undefined> {
    return this.#env.sql.get<{ lsn: number; at: number }>('SELECT lsn, at FROM changes ORDER BY lsn DESC LIMIT 1');
  }

  /** The time of a change; undefined when the feed does not have it (any more). */
  async #timeOf(lsn: number): Promise<number | undefined> {
    const row = await this.#env.sql.get<{ at: number }>('SELECT at FROM changes WHERE lsn = ?', [lsn]);
    return row?.at;
  }
}

/** A confirmation that was made for another checkpoint is not valid. */
function keptAs(written: FeedPlace, confirmation: Confirmation | undefined): Confirmation {
  return confirmation?.written.lsn === written.lsn && confirmation.written.at === written.at
    ? confirmation
    : { ...written, written };
}
