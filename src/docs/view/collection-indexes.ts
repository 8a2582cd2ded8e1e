import type { Log } from '../../lib/log.ts';
import { Pace } from '../../lib/pace.ts';
import { BodyUnavailable, type Change } from '../../storage/index.ts';
import type { CollectionIndex } from './collection-index.ts';
import { CollectionParts } from './collection-parts.ts';
import type { IndexCounts, IndexInMemory } from './index-memory.ts';
import { collectionOf, partitionOf } from './partitions.ts';
import type { Effect, Entry, EntryGroup, ViewIndex, ViewKind } from './view-kind.ts';

/** The result of a batch of changes. */
export interface Followed<Index extends ViewIndex> {
  /** Indexes whose documents changed. */
  readonly changed: ReadonlySet<CollectionIndex<Index>>;
  /** Names of indexes whose collection was deleted. */
  readonly dropped: readonly string[];
  /** Indexes that must be rebuilt. */
  readonly outdated: ReadonlySet<CollectionIndex<Index>>;
  /** Whether an index went out of service. */
  readonly failed: boolean;
}

/** The effective change of a document in a batch: if there are several, the last one. */
interface Pending {
  readonly collection: string;
  readonly effect: Effect;
  readonly change: Change;
}

interface Applied<Index extends ViewIndex> {
  /** Whether an index failed. */
  readonly failed: boolean;
  /** Indexes that need bodies which could not be read, and must be rebuilt. */
  readonly outOfReach: ReadonlySet<CollectionIndex<Index>>;
}

/**
 * The number of partitions that a collection shall have, by its lowercased name; it is divided into `present`
 * partitions now, and has so many `documents`, if that is known.
 */
export type Partitioning = (collection: string, present: number, documents: () => number | undefined) => number;

interface CollectionIndexesOptions<Index extends ViewIndex & Readable & Part, Readable, Part> {
  readonly kind: ViewKind<Index, Readable, Part>;
  readonly log: Log;
  readonly partitions: Partitioning;
}

const NONE: ReadonlySet<never> = new Set<never>();

/** The indexes of all collections; applies changes to them. */
export class CollectionIndexes<Index extends ViewIndex & Readable & Part, Readable, Part = Index> {
  readonly #kind: ViewKind<Index, Readable, Part>;
  readonly #log: Log;
  readonly #partitions: Partitioning;
  readonly #byName = new Map<string, CollectionParts<Index, Readable, Part>>();
  /** Number of indexes that went out of service so far. */
  #failures = 0;

  constructor({ kind, log, partitions }: CollectionIndexesOptions<Index, Readable, Part>) {
    this.#kind = kind;
    this.#log = log;
    this.#partitions = partitions;
  }

  /** By the lowercased name of the collection. */
  get(collection: string): CollectionParts<Index, Readable, Part> | undefined {
    return this.#byName.get(collection);
  }

  /** An index by its name. */
  index(name: string): CollectionIndex<Index> | undefined {
    return this.#byName.get(collectionOf(name))?.all.find((part) => part.name === name);
  }

  /** Those that serve, or will when they are loaded; a copy, which later changes do not affect. */
  parts(): CollectionIndex<Index>[] {
    return [...this.#byName.values()].flatMap(({ parts }) => parts);
  }

  /** Also those that are being built to divide a collection anew. */
  all(): CollectionIndex<Index>[] {
    return [...this.#byName.values()].flatMap(({ all }) => all);
  }

  /** The collections that have several partitions, or are being divided. */
  divided(): CollectionParts<Index, Readable, Part>[] {
    return [...this.#byName.values()].filter(({ all }) => all.length > 1);
  }

  /** Where those that serve are. */
  counts(): IndexCounts {
    const all = this.parts();
    const memory = all.filter(({ serving }) => serving !== undefined).length;
    const resting = all.filter(({ isResting }) => isResting).length;
    return { memory, resting, missing: all.length - memory - resting };
  }

  /** Those that serve, or `all`. */
  inMemory(all: boolean): IndexInMemory[] {
    return (all ? this.all() : this.parts()).flatMap(({ name, serving, usedAt }) =>
      serving === undefined ? [] : [{ name, documents: serving.documents, bytes: serving.bytes, usedAt }]
    );
  }

  /** A collection with so many documents, whose indexes are loading. */
  add(collection: string, documents: number): CollectionParts<Index, Readable, Part> {
    const parts = new CollectionParts(this.#kind, collection, this.#partitions(collection, 1, () => documents));
    this.#byName.set(collection, parts);
    return parts;
  }

  clear(): void {
    for (const parts of this.#byName.values()) parts.close();
    this.#byName.clear();
  }

  /**
   * Applies a batch. Rejects when the tables cannot be read or the signal aborts; the same batch may then be passed
   * again. Without a promise if nothing is to be waited for, as for the single change of a small write.
   */
  follow(changes: readonly Change[], signal: AbortSignal): Followed<Index> | Promise<Followed<Index>> {
    const pending = new Map<number, Pending>();
    const dropped: string[] = [];
    const outdated = new Set<CollectionIndex<Index>>();
    for (const change of changes) {
      const { kind, collection } = change;
      if (kind === 'collection.delete') dropped.push(...this.#drop(change, pending));
      else if (kind === this.#kind.reindexChange) {
        for (const part of this.#present(collection).all) if (!part.isWithin(change.lsn)) outdated.add(part);
      } else this.#note(change, pending);
    }
    const followed = ({ failed, outOfReach }: Applied<Index>): Followed<Index> => ({
      changed: new Set([...pending].flatMap(([ord, { collection }]) => this.#holding(collection, ord))),
      dropped,
      outdated: outdated.union(outOfReach),
      failed,
    });
    const applied = pending.size > 1 ? this.#apply(pending, signal) : this.#applyAtMostOne(pending, signal);
    return applied instanceof Promise ? applied.then(followed) : followed(applied);
  }

  /** A change of a document is skipped by the indexes that do not follow, and by those whose checkpoint includes it. */
  #note(change: Change, pending: Map<number, Pending>): void {
    const { collection, ord, lsn } = change;
    const effect = this.#kind.effectOf(change);
    if (effect === undefined || ord === undefined) return;
    const parts = this.#byName.get(collection)?.holding(ord).filter((part) => !part.isWithin(lsn));
    if (parts === undefined || parts.some(({ isFollowing }) => isFollowing))
      pending.set(ord, { collection, effect, change });
    for (const part of parts ?? []) if (!part.isFollowing) part.changed += 1;
  }

  /**
   * Drops earlier changes of its documents; later ones start new indexes. A checkpoint may be from after the deletion:
   * then only the other partitions are emptied.
   */
  #drop({ collection: name, lsn }: Change, pending: Map<number, Pending>): string[] {
    const parts = this.#byName.get(name);
    const before = parts?.all.filter((part) => !part.isWithin(lsn)) ?? [];
    if (parts !== undefined && before.length === 0) return [];
    for (const [ord, { collection }] of pending) if (collection === name) pending.delete(ord);
    for (const part of before) part.close();
    if (before.length === parts?.all.length) this.#byName.delete(name);
    else for (const part of before) part.serve(this.#kind.create(name));
    return before.map((part) => part.name);
  }

  /** The indexes of a collection; empty ones if it has none yet. */
  #present(collection: string): CollectionParts<Index, Readable, Part> {
    const present = this.#byName.get(collection);
    if (present !== undefined) return present;
    const parts = this.add(collection, 0);
    for (const part of parts.parts) part.serve(this.#kind.create(collection));
    return parts;
  }

  #holding(collection: string, ord: number): readonly CollectionIndex<Index>[] {
    return this.#byName.get(collection)?.holding(ord) ?? [];
  }

  #applyAtMostOne(pending: ReadonlyMap<number, Pending>, signal: AbortSignal): Applied<Index> | Promise<
    Applied<Index>
  > {
    const failures = this.#failures;
    for (const [ord, next] of pending) {
      const isGroup = next.effect === 'read' && (this.#kind.groupsOf?.([next.change]).length ?? 0) > 0;
      const applied = isGroup ? false : this.#applyCarried(ord, next, new Pace());
      if (applied === false) return this.#apply(pending, signal);
      if (applied !== true) return applied.then(() => ({ failed: this.#failures > failures, outOfReach: NONE }));
    }
    return { failed: this.#failures > failures, outOfReach: NONE };
  }

  async #apply(pending: ReadonlyMap<number, Pending>, signal: AbortSignal): Promise<Applied<Index>> {
    const pace = new Pace();
    const failures = this.#failures;
    const unread = new Map<number, Pending>();
    const together = await this.#applyGroups(pending, pace, signal);
    for (const [ord, next] of pending) {
      if (together.has(ord)) continue;
      signal.throwIfAborted();
      const applied = this.#applyCarried(ord, next, pace);
      if (applied === false) unread.set(ord, next);
      else if (applied !== true) await applied;
      if (pace.isDue) await pace.rest();
    }
    const outOfReach = await this.#applyFromTables(unread, pace, signal);
    return { failed: this.#failures > failures, outOfReach };
  }

  async #applyFromTables(unread: Map<number, Pending>, pace: Pace,
    signal: AbortSignal): Promise<ReadonlySet<CollectionIndex<Index>>>
  {
    const outOfReach = new Set<CollectionIndex<Index>>();
    for (const [collection, ords] of byCollection(unread)) {
      try {
        for await (const entry of this.#kind.entriesOf(ords)) {
          // Throws, so that the feed's position stays before these changes.
          signal.throwIfAborted();
          await this.#put(collection, entry, pace);
          unread.delete(entry.ord);
          await pace.rest();
        }
      } catch (error) {
        // Other collections must not wait for the store that keeps this one's bodies.
        if (!(error instanceof BodyUnavailable)) throw error;
        const parts = this.#present(collection);
        for (const ord of ords.filter((each) => unread.delete(each)))
          for (const part of parts.holding(ord)) outOfReach.add(part);
        for (const part of outOfReach) if (!part.hasFailed) this.#failed(part, error);
      }
    }
    // They were deleted from the tables meanwhile, which a later change reports, too.
    for (const [ord, { collection }] of unread) await this.#remove(collection, ord, pace);
    return outOfReach;
  }

  /**
   * Applies a change with the document that it carries; the promise resolves when that is done. False if the tables
   * must be read for it.
   */
  #applyCarried(ord: number, { collection, effect, change }: Pending, pace: Pace): Promise<void> | boolean {
    if (effect === 'remove') return this.#remove(collection, ord, pace) ?? true;
    const entry = this.#kind.entryOf?.(change);
    return entry !== undefined && (this.#put(collection, entry, pace) ?? true);
  }

  /** Applies changes that can be applied together, and returns the ordinals of their documents. */
  async #applyGroups(pending: ReadonlyMap<number, Pending>, pace: Pace,
    signal: AbortSignal): Promise<ReadonlySet<number>>
  {
    const together = new Set<number>();
    const read = this.#kind.groupsOf &&
      [...pending.values()].filter(({ effect }) => effect === 'read').map(({ change }) => change);
    for (const group of (read && this.#kind.groupsOf?.(read)) ?? []) {
      signal.throwIfAborted();
      const parts = this.#holdingAll(group);
      if (parts === undefined) continue;
      for (const ord of group.ords) together.add(ord);
      const changing = this.#onEach(parts, (part) => part.putTogether(group, pace));
      if (changing !== undefined) await changing;
      if (pace.isDue) await pace.rest();
    }
    return together;
  }

  /** The indexes to which all documents of a group belong; undefined if they belong to different partitions. */
  #holdingAll({ collection, ords }: EntryGroup<Index>): readonly CollectionIndex<Index>[] | undefined {
    const parts = this.#present(collection).holding(ords[0]!);
    return parts.every(({ partition: { number, of } }) =>
        of === 1 || ords.every((ord) => partitionOf(ord, of) === number)
      )
      ? parts
      : undefined;
  }

  #put(collection: string, entry: Entry<Index>, pace: Pace): Promise<void> | undefined {
    return this.#onEach(this.#present(collection).holding(entry.ord), (part) => part.put(entry, pace));
  }

  #remove(collection: string, ord: number, pace: Pace): Promise<void> | undefined {
    return this.#onEach(this.#holding(collection, ord), (part) => part.remove(ord, pace));
  }

  /** Changes some indexes, one after the other; undefined when that is done. Neither throws nor rejects. */
  #onEach(parts: readonly CollectionIndex<Index>[],
    change: (part: CollectionIndex<Index>) => Promise<void> | undefined): Promise<void> | undefined
  {
    let changing: Promise<void> | undefined;
    for (const part of parts) {
      const next = (): Promise<void> | undefined => this.#guarded(part, () => change(part));
      changing = changing === undefined ? next() : changing.then(next);
    }
    return changing;
  }

  /** Undefined when the change is done; neither throws nor rejects. */
  #guarded(collection: CollectionIndex<Index>, change: () => Promise<void> | undefined): Promise<void> | undefined {
    try {
      return change()?.catch((error: unknown) => this.#failed(collection, error));
    } catch (error) {
      this.#failed(collection, error);
      return undefined;
    }
  }

  #failed(collection: CollectionIndex<Index>, error: unknown): void {
    this.#log.error({ err: error, collection: collection.name },
      `a ${this.#kind.name} index failed and is out of service until it is rebuilt`);
    collection.fail(error);
    this.#failures += 1;
  }
}

function byCollection(pending: ReadonlyMap<number, Pending>): Map<string, number[]> {
  const ords = new Map<string, number[]>();
  for (const [ord, { collection }] of pending) {
    const some = ords.get(collection);
    if (some === undefined) ords.set(collection, [ord]);
    else some.push(ord);
  }
  return ords;
}
