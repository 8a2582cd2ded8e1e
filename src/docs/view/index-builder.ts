import { type Backoff, backoffDelay, type Timer } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { BodyUnavailable } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Confirmation } from './checkpoint-files.ts';
import type { Build, CollectionIndex } from './collection-index.ts';
import type { KeptIndexes } from './kept-indexes.ts';
import { partitionOf } from './partitions.ts';
import type { Entry, ViewIndex, ViewKind } from './view-kind.ts';

const BUILD_BACKOFF: Backoff = { initial: 1000, max: 60_000 };

/** Milliseconds between tries to build an index whose bodies could not be read. */
const OUT_OF_REACH_MS = 5000;

/** What a build needs of the running view. */
export interface BuildRun {
  readonly signal: AbortSignal;
  /** Number of the last change that is certainly applied to all indexes; undefined while it is not known. */
  readonly position: () => number | undefined;
  /** Does some work after the other builds. */
  readonly inTurn: (work: () => Promise<void>) => void;
}

export interface IndexBuilderOptions<Index extends ViewIndex> {
  readonly env: Pick<DocsEnvironment, 'feed' | 'log'>;
  readonly kind: ViewKind<Index, unknown, unknown>;
  readonly kept: KeptIndexes<Index>;
  readonly timer: Timer;
  /** False for a collection that was deleted, also if there is a new one of its name. */
  readonly isPresent: (collection: CollectionIndex<Index>) => boolean;
  /** An index serves, or is given up. */
  readonly onChange: (collection: CollectionIndex<Index>) => void;
}

/** Makes indexes from the tables, or from a checkpoint and what changed since then, while the feed is followed. */
export class IndexBuilder<Index extends ViewIndex> {
  readonly #options: IndexBuilderOptions<Index>;
  /** Collections whose bodies could not be read; each has a build that waits. */
  readonly #outOfReach = new Set<CollectionIndex<Index>>();

  constructor(options: IndexBuilderOptions<Index>) {
    this.#options = options;
  }

  /**
   * Builds the index of a collection that has none or is outdated. Never rejects, because failures of the database may
   * be temporary; an index that cannot take the documents would fail again. `onTried` is called after each try, with
   * what made it fail.
   */
  async build(collection: CollectionIndex<Index>, run: BuildRun,
    onTried: (failure?: unknown) => void = () => undefined): Promise<void>
  {
    const { env, kind, kept, timer, isPresent, onChange } = this.#options;
    const { signal } = run;
    const isWanted = (): boolean =>
      !signal.aborted && isPresent(collection) && (collection.isOutdated || collection.serving === undefined);
    for (let failures = 1; isWanted(); failures++) {
      try {
        await this.#fromTables(collection, signal);
        onTried();
        await kept.save(collection, run.position());
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof NotIndexed) {
          collection.giveUp(error.cause);
          onChange(collection);
          return onTried(error.cause);
        }
        onTried(error);
        env.log.warn({ err: error, collection: collection.name, failures },
          `a ${kind.name} index could not be built; trying again`);
        if (error instanceof BodyUnavailable) return this.#later(collection, run);
        await timer.sleep(backoffDelay(failures, BUILD_BACKOFF), signal);
      }
    }
  }

  /** Brings an index that rests into memory. Never rejects. */
  async wake(collection: CollectionIndex<Index>, run: BuildRun): Promise<void> {
    const { env, kind, kept } = this.#options;
    const { name } = collection;
    if (this.#outOfReach.has(collection)) return;
    try {
      const place = (await kept.usable([name], await env.feed.head())).get(name);
      const index = place && await kept.restored(name);
      if (place !== undefined && index !== undefined &&
        await this.#fromCheckpoint(collection, run.signal, index, place)) return;
    } catch (error) {
      if (run.signal.aborted) return;
      env.log.warn({ err: error, collection: name },
        `a ${kind.name} index could not be read from its checkpoint; it is made from the tables`);
    }
    // A change that asks for the index anew starts a build of its own.
    if (!collection.isOutdated) await this.build(collection, run);
  }

  /**
   * The store of a collection's bodies may be unreachable for long: meanwhile the indexes of other collections are
   * built.
   */
  #later(collection: CollectionIndex<Index>, run: BuildRun): void {
    if (this.#outOfReach.has(collection)) return;
    this.#outOfReach.add(collection);
    void this.#options.timer.sleep(OUT_OF_REACH_MS, run.signal).then(() => {
      this.#outOfReach.delete(collection);
      if (!run.signal.aborted) run.inTurn(() => this.build(collection, run));
    });
  }

  /**
   * Builds a new index from the documents in the tables. Changes of the feed are applied to it as well, and are newer
   * than what the scan reads. Throws `NotIndexed` if the index fails.
   */
  async #fromTables(collection: CollectionIndex<Index>, signal: AbortSignal): Promise<void> {
    const { kind } = this.#options;
    const { partition } = collection;
    await whileBuilding(collection, kind.create(partition.collection), async (build) => {
      if (await addAll(signal, collection, build, kind.allEntries(partition))) this.#finish(collection, build);
    });
  }

  /** Brings the index of a checkpoint up to date; false if the checkpoint is of no use. */
  async #fromCheckpoint(collection: CollectionIndex<Index>, signal: AbortSignal, index: Index,
    place: Confirmation): Promise<boolean>
  {
    const { kind, kept } = this.#options;
    return whileBuilding(collection, index, async (build) => {
      // After the build has begun: it gets the later changes from the feed.
      const all = await kept.changedSince(place, collection.partition.collection);
      if (all === undefined) return false;
      const { number, of } = collection.partition;
      const changed = new Set([...all].filter((ord) => partitionOf(ord, of) === number));
      const gone = new Set(changed);
      const isWhole = await addAll(signal, collection, build, forgetting(gone, kind.entriesOf([...changed])));
      if (!isWhole || collection.isOutdated) return false;
      for (const ord of gone.difference(build.touched)) index.remove(ord);
      collection.changed = changed.union(build.touched).size;
      this.#finish(collection, build, place);
      return true;
    });
  }

  #finish(collection: CollectionIndex<Index>, build: Build<Index>, place?: Confirmation): void {
    collection.finish(build, place);
    this.#options.onChange(collection);
  }
}

async function whileBuilding<Index extends ViewIndex, T>(collection: CollectionIndex<Index>, index: Index,
  work: (build: Build<Index>) => Promise<T>): Promise<T>
{
  const build = collection.begin(index);
  try {
    return await work(build);
  } finally {
    collection.abandon(build);
  }
}

/** Adds entries to a build; false if another one has taken its place. */
async function addAll<Index extends ViewIndex>(signal: AbortSignal, collection: CollectionIndex<Index>,
  build: Build<Index>, entries: AsyncIterable<Entry<Index>>): Promise<boolean>
{
  const pace = new Pace();
  const isUnderWay = (): boolean => collection.isUnderWay(build);
  for await (const entry of entries) {
    signal.throwIfAborted();
    if (!isUnderWay()) return false;
    await addInSteps(entry, build, pace, isUnderWay).catch((cause: unknown) => {
      throw new NotIndexed(cause);
    });
    await pace.rest();
  }
  return isUnderWay();
}

/** Adds what a scan has read, unless the feed changes the document before it is added. */
async function addInSteps<Index>(entry: Entry<Index>, build: Build<Index>, pace: Pace,
  isUnderWay: () => boolean): Promise<void>
{
  const isWanted = (): boolean => isUnderWay() && !build.touched.has(entry.ord);
  if (!isWanted()) return;
  const more = entry.addTo(build.index);
  while (isWanted() && more?.() === true) await pace.rest();
}

/** The entries; removes the ordinal of each from the set. */
async function* forgetting<Index>(ords: Set<number>, entries: AsyncIterable<Entry<Index>>): AsyncGenerator<
  Entry<Index>
> {
  for await (const entry of entries) {
    ords.delete(entry.ord);
    yield entry;
  }
}

/** A document that its index has not taken; `cause` is what the index threw. */
class NotIndexed extends Error {
  constructor(cause: unknown) {
    super('a document could not be indexed', { cause });
  }
}
