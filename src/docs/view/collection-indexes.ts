import type { Log } from '../../lib/log.ts';
import { Pace } from '../../lib/pace.ts';
import { BodyUnavailable, type Change } from '../../storage/index.ts';
import type { Confirmation } from './checkpoint-files.ts';
import { CollectionIndex } from './collection-index.ts';
import type { Effect, Entry, EntryGroup, ViewIndex, ViewKind } from './view-kind.ts';

/** The result of a batch of changes. */
export interface Followed {
  /** Collections whose documents changed. */
  readonly changed: ReadonlySet<string>;
  /** Collections that were deleted. */
  readonly dropped: ReadonlySet<string>;
  /** Collections whose index must be rebuilt. */
  readonly outdated: ReadonlySet<string>;
  /** Whether an index went out of service. */
  readonly failed: boolean;
}

/** The effective change of a document in a batch: if there are several, the last one. */
interface Pending {
  readonly collection: string;
  readonly effect: Effect;
  readonly change: Change;
}

interface Applied {
  /** Whether an index failed. */
  readonly failed: boolean;
  /** Collections whose bodies could not be read, whose indexes must be rebuilt. */
  readonly outOfReach: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** The indexes of all collections; applies changes to them. */
export class CollectionIndexes<Index extends ViewIndex> {
  readonly #kind: ViewKind<Index>;
  readonly #log: Log;
  readonly #byName = new Map<string, CollectionIndex<Index>>();
  /** Number of indexes that went out of service so far. */
  #failures = 0;

  constructor(kind: ViewKind<Index>, log: Log) {
    this.#kind = kind;
    this.#log = log;
  }

  get size(): number {
    return this.#byName.size;
  }

  /** By its lowercased name. */
  get(name: string): CollectionIndex<Index> | undefined {
    return this.#byName.get(name);
  }

  /** A copy, which later changes do not affect. */
  all(): CollectionIndex<Index>[] {
    return [...this.#byName.values()];
  }

  names(): string[] {
    return [...this.#byName.keys()];
  }

  /** Without an index it starts as loading; with one, it comes from the checkpoint `kept`, if any. */
  set(name: string, serving?: Index, kept?: Confirmation): CollectionIndex<Index> {
    const collection = new CollectionIndex(this.#kind.name, name, serving, kept);
    this.#byName.set(name, collection);
    return collection;
  }

  clear(): void {
    for (const collection of this.#byName.values()) collection.close();
    this.#byName.clear();
  }

  /**
   * Applies a batch. Rejects when the tables cannot be read or the signal aborts; the same batch may then be passed
   * again. Without a promise if nothing is to be waited for, as for the single change of a small write.
   */
  follow(changes: readonly Change[], signal: AbortSignal): Followed | Promise<Followed> {
    const pending = new Map<number, Pending>();
    const dropped = new Set<string>();
    const outdated = new Set<string>();
    for (const change of changes) {
      const { kind, collection, ord } = change;
      if (this.#byName.get(collection)?.isWithin(change.lsn)) continue;
      if (kind === 'collection.delete') {
        this.#drop(collection, pending);
        dropped.add(collection);
        continue;
      }
      if (kind === this.#kind.reindexChange) {
        outdated.add(collection);
        continue;
      }
      const effect = this.#kind.effectOf(change);
      if (effect === undefined || ord === undefined) continue;
      const index = this.#byName.get(collection);
      if (index?.isFollowing !== false) pending.set(ord, { collection, effect, change });
      else index.changed += 1;
    }
    const changed = new Set([...pending.values()].map(({ collection }) => collection));
    const followed = ({ failed, outOfReach }: Applied): Followed => ({
      changed,
      dropped,
      outdated: outdated.union(outOfReach),
      failed,
    });
    const applied = pending.size > 1 ? this.#apply(pending, signal) : this.#applyAtMostOne(pending, signal);
    return applied instanceof Promise ? applied.then(followed) : followed(applied);
  }

  /** Drops earlier changes of its documents; later ones start a new index. */
  #drop(name: string, pending: Map<number, Pending>): void {
    for (const [ord, { collection }] of pending) if (collection === name) pending.delete(ord);
    this.#byName.get(name)?.close();
    this.#byName.delete(name);
  }

  #applyAtMostOne(pending: ReadonlyMap<number, Pending>, signal: AbortSignal): Applied | Promise<Applied> {
    const failures = this.#failures;
    for (const [ord, next] of pending) {
      const isGroup = next.effect === 'read' && (this.#kind.groupsOf?.([next.change]).length ?? 0) > 0;
      const applied = isGroup ? false : this.#applyCarried(ord, next, new Pace());
      if (applied === false) return this.#apply(pending, signal);
      if (applied !== true) return applied.then(() => ({ failed: this.#failures > failures, outOfReach: NONE }));
    }
    return { failed: this.#failures > failures, outOfReach: NONE };
  }

  async #apply(pending: ReadonlyMap<number, Pending>, signal: AbortSignal): Promise<Applied> {
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
    const outOfReach = new Set<string>();
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
        this.#failed(this.#byName.get(collection) ?? this.set(collection, this.#kind.create(collection)), error);
        outOfReach.add(collection);
      }
    }
    // They were deleted from the tables meanwhile, which a later change reports, too.
    for (const [ord, { collection }] of unread)
      if (!outOfReach.has(collection)) await this.#remove(collection, ord, pace);
    return { failed: this.#failures > failures, outOfReach };
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
      for (const ord of group.ords) together.add(ord);
      const changing = this.#putTogether(group, pace);
      if (changing !== undefined) await changing;
      if (pace.isDue) await pace.rest();
    }
    return together;
  }

  #putTogether(group: EntryGroup<Index>, pace: Pace): Promise<void> | undefined {
    const collection = this.#byName.get(group.collection) ??
      this.set(group.collection, this.#kind.create(group.collection));
    return this.#guarded(collection, () => collection.putTogether(group, pace));
  }

  #put(name: string, entry: Entry<Index>, pace: Pace): Promise<void> | undefined {
    const collection = this.#byName.get(name) ?? this.set(name, this.#kind.create(name));
    return this.#guarded(collection, () => collection.put(entry, pace));
  }

  #remove(name: string, ord: number, pace: Pace): Promise<void> | undefined {
    const collection = this.#byName.get(name);
    return collection && this.#guarded(collection, () => collection.remove(ord, pace));
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
