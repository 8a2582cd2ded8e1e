import { ServiceError } from '../../errors/index.ts';
import type { Pace } from '../../lib/pace.ts';
import type { Confirmation } from './checkpoint-files.ts';
import { nameOfPartition, type Partition } from './partitions.ts';
import { IndexLoading } from './readiness.ts';
import type { Entry, EntryGroup, Steps, ViewIndex } from './view-kind.ts';

/** An index that is being built. */
export interface Build<Index> {
  readonly index: Index;
  /** Ordinals that the feed has changed meanwhile: what the scan read of them may be out of date. */
  readonly touched: Set<number>;
  /** How often the index had been asked for anew when the build began. */
  readonly asked: number;
}

/**
 * The index of one collection, or of one of its partitions, and the one that is being built for it, if any. Changes go
 * to both, so that searches continue while a collection is reindexed.
 */
export class CollectionIndex<Index extends ViewIndex> {
  readonly partition: Partition;
  /** That of the partition. */
  readonly name: string;
  readonly #kind: string;
  #serving: Index | undefined;
  #build: Build<Index> | undefined;
  #failure: unknown;
  /** Resolves when the running change is done. */
  #changing: Promise<void> | undefined;
  #upTo = 0;
  #isResting = false;
  #usedAt = performance.now();
  /** Documents that changed since the last checkpoint. */
  changed = 0;
  /** The checkpoint that the serving index was read from or written to. */
  kept: Confirmation | undefined;
  /** How often a change has asked for the index to be made anew, and which of these times has been met. */
  #asked = 0;
  #met = 0;

  /** `kind` is the name of the view in messages. It starts as loading. */
  constructor(kind: string, partition: Partition) {
    this.#kind = kind;
    this.partition = partition;
    this.name = nameOfPartition(partition);
  }

  /** Begins to serve: with an empty index, or with that of a checkpoint, which is `kept`. */
  serve(serving: Index, kept?: Confirmation): void {
    this.#serving = serving;
    this.#upTo = kept?.lsn ?? 0;
    this.kept = kept;
  }

  /** Undefined while it is loading or has failed. */
  get serving(): Index | undefined {
    return this.#serving;
  }

  /**
   * Whether a change has asked for an index that is not built yet: a checkpoint of the present one would not be what
   * the feed says.
   */
  get isOutdated(): boolean {
    return this.#asked > this.#met;
  }

  /** A change asks for the index to be made anew. */
  outdate(): void {
    this.#asked += 1;
  }

  /** Whether it is out of service until it is built again. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Whether it is out of memory until a search asks for it: then it is complete, but not read yet. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /**
   * Throws `IndexLoading` before the first index is complete, `unavailable` when it could not be built. `changed`
   * resolves when a retry makes sense.
   */
  ready(changed: Promise<void>): Index {
    this.#usedAt = performance.now();
    if (this.#serving !== undefined) return this.#serving;
    if (this.#failure === undefined) throw new IndexLoading(this.#kind, changed);
    // Only the message of an error that is meant for users is included.
    const message = this.#failure instanceof ServiceError
      ? this.#failure.message
      : `the ${this.#kind} index failed; reindex the collection`;
    throw new ServiceError('unavailable', message, { cause: this.#failure });
  }

  /** Whether the checkpoint that it was read from includes this change. */
  isWithin(lsn: number): boolean {
    return lsn <= this.#upTo;
  }

  /**
   * Whether changes must be applied. Otherwise they may be skipped, because the next build reads the tables after them.
   */
  get isFollowing(): boolean {
    return this.#serving !== undefined || this.#build !== undefined;
  }

  /**
   * Puts a document into the indexes, pausing between steps; undefined when that is done synchronously, as almost
   * always.
   */
  put(entry: Entry<Index>, pace: Pace): Promise<void> | undefined {
    return this.#each([entry.ord], (index) => entry.addTo(index), pace);
  }

  /** As `put`. */
  putTogether(group: EntryGroup<Index>, pace: Pace): Promise<void> | undefined {
    return this.#each(group.ords, (index) => group.addTo(index), pace);
  }

  /** As `put`. */
  remove(ord: number, pace: Pace): Promise<void> | undefined {
    return this.#each([ord], (index) => index.remove(ord), pace);
  }

  /** Resolves when no change is half done. */
  async idle(): Promise<void> {
    while (this.#changing !== undefined) await this.#changing;
  }

  /** A running build is abandoned. */
  begin(index: Index): Build<Index> {
    this.#build?.index.close?.();
    this.#build = { index, touched: new Set(), asked: this.#asked };
    return this.#build;
  }

  isUnderWay(build: Build<Index>): boolean {
    return this.#build === build;
  }

  /** The build, made from the tables or read from the checkpoint `kept`, becomes the index that serves. */
  finish(build: Build<Index>, kept?: Confirmation): void {
    this.#serving?.close?.();
    this.#serving = build.index;
    this.#build = undefined;
    this.#failure = undefined;
    this.#isResting = false;
    this.kept = kept;
    if (kept !== undefined) return;
    this.#met = build.asked;
    this.changed += build.index.documents;
  }

  /** When it was searched or changed last, on the clock of `performance.now`. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /**
   * Releases the index until a search asks for it; changes are skipped meanwhile. False if a change or a build is under
   * way.
   */
  rest(): boolean {
    if (this.#changing !== undefined || this.#build !== undefined || this.isOutdated || this.#failure !== undefined)
      return false;
    this.#serving?.close?.();
    this.#serving = undefined;
    this.#isResting = true;
    return true;
  }

  abandon(build: Build<Index>): void {
    if (this.#build !== build) return;
    build.index.close?.();
    this.#build = undefined;
  }

  /** A new index cannot take all documents: the present one serves on, if there is one. */
  giveUp(failure: unknown): void {
    this.#met = this.#asked;
    if (this.#serving === undefined) this.fail(failure);
  }

  /** An index that missed a change must not serve. */
  fail(failure: unknown): void {
    this.close();
    this.#failure = failure;
  }

  /** Releases the indexes; a running build is abandoned. */
  close(): void {
    this.#serving?.close?.();
    this.#build?.index.close?.();
    this.#serving = undefined;
    this.#build = undefined;
    this.#isResting = false;
    this.kept = undefined;
  }

  /** Records first that a build's own reading of the documents is out of date. */
  #each(ords: readonly number[], change: (index: Index) => Steps | undefined | void, pace: Pace): Promise<void>
    | undefined
  {
    this.changed += ords.length;
    this.#usedAt = performance.now();
    for (const ord of ords) this.#build?.touched.add(ord);
    const only = this.#build === undefined ? this.#serving : undefined;
    if (only === undefined || only.settle?.() === true)
      return this.#whileChanging(() => this.#eachInSteps(change, pace));
    const more = change(only);
    return more?.() === true ? this.#whileChanging(() => this.#rest(only, more, pace)) : undefined;
  }

  async #whileChanging(work: () => Promise<void>): Promise<void> {
    const changing = Promise.withResolvers<void>();
    this.#changing = changing.promise;
    try {
      await work();
    } finally {
      this.#changing = undefined;
      changing.resolve();
    }
  }

  async #eachInSteps(change: (index: Index) => Steps | undefined | void, pace: Pace): Promise<void> {
    for (const index of [this.#serving, this.#build?.index])
      if (index !== undefined) await this.#inSteps(index, change, pace);
  }

  /** An index may be released between two steps. */
  async #inSteps(index: Index, change: (index: Index) => Steps | undefined | void, pace: Pace): Promise<void> {
    while (this.#isHeld(index) && index.settle?.() === true) await pace.rest();
    if (this.#isHeld(index)) await this.#rest(index, change(index) ?? undefined, pace);
  }

  async #rest(index: Index, more: Steps | undefined, pace: Pace): Promise<void> {
    while (this.#isHeld(index) && more?.() === true) await pace.rest();
  }

  #isHeld(index: Index): boolean {
    return index === this.#serving || index === this.#build?.index;
  }
}
