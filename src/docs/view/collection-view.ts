import { systemTimer, type Timer } from '../../lib/clock.ts';
import { Answers, type PartAddress } from '../../search/parts/index.ts';
import { type Change, memoryCursor, Subscriber } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Confirmation } from './checkpoint-files.ts';
import type { CollectionIndex } from './collection-index.ts';
import { CollectionIndexes, type Followed, type Partitioning } from './collection-indexes.ts';
import type { CollectionParts } from './collection-parts.ts';
import { Dividing, type DividingRun } from './dividing.ts';
import { IndexBuilder } from './index-builder.ts';
import type { IndexCounts, IndexInMemory } from './index-memory.ts';
import { IndexesAtRest } from './indexes-at-rest.ts';
import { type KeepingOptions, KeptIndexes } from './kept-indexes.ts';
import { collectionOf, type Division, type Partition } from './partitions.ts';
import { IndexElsewhere, IndexLoading } from './readiness.ts';
import type { ViewIndex, ViewKind } from './view-kind.ts';

export interface CollectionViewOptions extends KeepingOptions {
  readonly timer?: Timer;
  /** Ends work that belongs to the indexes; called before these are released. */
  readonly whenHalted?: () => Promise<void>;
  /** Most documents of a collection whose index is read when it is searched, not at a start; absent: all are read. */
  readonly mostAtRest?: number | undefined;
  /** How many partitions a collection shall have (`Partitioning`); one by default. */
  readonly partitions?: Partitioning;
}

/** What a view needs to know of the nodes with which it shares its partitions. */
export interface OtherNodes {
  /** Whether others have a partition ready that rests here, and this node is not meant to have it. */
  readonly have: (partition: Partition) => boolean;
  /** Number of documents of a collection, by its lowercased name, as all nodes count them; undefined if not known. */
  readonly documentsOf: (collection: string) => number | undefined;
}

/**
 * Maximum number of times that a loading view catches up with concurrent writes; under continuous writes it would never
 * end.
 */
const CATCHING_UP_PASSES = 20;

/** State of the view from `start` to `stop` or `restart`. */
interface Run extends DividingRun {
  readonly abort: AbortController;
  readonly subscriber: Subscriber;
  /** The background work: loading, building, writing checkpoints; never rejects. */
  work: Promise<void>;
  /** Whether the subscriber has reached the changes from before the start. */
  current: boolean;
  /** The history of the feed (`ChangeFeed.history`) to which the indexes belong. */
  readonly history: number;
  /** The last rebuild of each index that a change asked for, by its name. */
  readonly rebuilds: Map<string, Rebuild>;
}

/** A build of an index that exists already. */
interface Rebuild {
  /** Until then, further changes that ask for it are met by it. */
  begun: boolean;
  /** Settles with the first try: with what made it fail, if anything. Later tries follow in the background. */
  readonly tried: PromiseWithResolvers<unknown>;
}

/**
 * Indexes of all collections, one for each partition, which follow the change feed: a view that can always be rebuilt
 * from the tables. A new collection gets its indexes with its first document. At a start, indexes are read from
 * checkpoints or built from the tables, in the background, and searches are refused meanwhile. When a collection is
 * divided anew, the former indexes serve until the new ones are complete.
 */
export class CollectionView<Index extends ViewIndex & Readable & Part, Readable = Index, Part = Index> {
  readonly #env: Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>;
  readonly #kind: ViewKind<Index, Readable, Part>;
  readonly #timer: Timer;
  readonly #collections: CollectionIndexes<Index, Readable, Part>;
  readonly #kept: KeptIndexes<Index>;
  readonly #builder: IndexBuilder<Index>;
  readonly #atRest: IndexesAtRest<Index>;
  readonly #mostAtRest: number;
  readonly #dividing: Dividing<Index, Readable, Part>;
  readonly #whenHalted: (() => Promise<void>) | undefined;
  #run: Run | undefined;
  #listed = false;
  /** Answers for parts of which nothing is indexed. */
  #empty: Index | undefined;
  #others: OtherNodes | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(env: Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>, kind: ViewKind<Index, Readable, Part>,
    options: CollectionViewOptions = {})
  {
    this.#env = env;
    this.#kind = kind;
    this.#timer = options.timer ?? systemTimer;
    this.#whenHalted = options.whenHalted;
    const wanted = options.partitions ?? (() => 1);
    // All nodes must come to the same number; a view may start before the nodes are known.
    const partitions: Partitioning = (collection, present, documents) =>
      wanted(collection, present, () => this.#others?.documentsOf(collection) ?? documents());
    this.#collections = new CollectionIndexes({ kind, log: env.log, partitions });
    const { isSecret } = options;
    this.#kept = new KeptIndexes(env, kind, {
      ...options,
      isSecret: (name) => isSecret?.(collectionOf(name)) === true,
    });
    this.#builder = new IndexBuilder({
      env,
      kind,
      kept: this.#kept,
      timer: this.#timer,
      isPresent: (index) => this.#collections.get(index.partition.collection)?.all.includes(index) === true,
      onChange: (index) => {
        this.#notifyChange();
        this.#dividing.built(this.#run, this.#collections.get(index.partition.collection));
      },
    });
    this.#atRest = new IndexesAtRest({
      kept: this.#kept,
      builder: this.#builder,
      find: (name) => this.#collections.index(name),
    });
    this.#dividing = new Dividing({
      builder: this.#builder,
      partitions,
      isShared: () => this.#others !== undefined,
      onChange: () => this.#notifyChange(),
      removeKept: (names) => this.#removeKept(names),
    });
    this.#mostAtRest = options.mostAtRest ?? -1;
  }

  /** Resolves when the collections are known, while their indexes load. Does nothing if the view is running. */
  async start(): Promise<void> {
    if (this.#run !== undefined) return;
    const head = await this.#env.feed.head();
    const { history } = this.#env.feed;
    await this.#list();
    await this.#kept.clean(this.#collections.parts().map(({ name }) => name));
    const loaded = this.#collections.parts().filter(({ isResting }) => !isResting).map(({ name }) => name);
    const starts = await this.#kept.usable(loaded, head);
    const subscriber = this.#subscriberFrom(Math.min(head, ...[...starts.values()].map(({ lsn }) => lsn)));
    const abort = new AbortController();
    const run: Run = {
      abort,
      signal: abort.signal,
      position: () => subscriber.position,
      inTurn: (work) => this.#inBackground(run, work),
      subscriber,
      work: Promise.resolve(),
      current: false,
      history,
      rebuilds: new Map(),
      joining: new Set(),
    };
    this.#run = run;
    run.work = this.#load(run, head, starts).catch((error: unknown) => {
      if (!run.abort.signal.aborted)
        this.#env.log.error({ err: error }, `${this.#kind.name} indexes could not be loaded`);
    });
    // With nothing to load, the first search need not be refused.
    if (loaded.length === 0) await run.work;
  }

  /** Resolves when the running background work is done: indexes are loaded, checkpoints written. */
  async settled(): Promise<void> {
    await this.#run?.work;
  }

  /** Waits for running work and writes checkpoints; harmless before `start` and when repeated. */
  async stop(): Promise<void> {
    const run = this.#run;
    await this.#halt();
    if (run === undefined) return;
    await this.#release(run.subscriber.position);
    this.#forget();
  }

  /** Starts again after the database was replaced: everything in memory is invalid. */
  async restart(): Promise<void> {
    await this.#halt();
    this.#forget();
    await this.start();
  }

  /** Whether `caughtUp` would resolve at once, as far as that is known without a query. */
  get isCaughtUp(): boolean {
    const run = this.#run;
    return run === undefined || !run.current || (run.subscriber.position ?? -1) >= (this.#env.feed.known ?? Infinity);
  }

  /**
   * Resolves when everything written so far can be found. Resolves at once while the indexes load, because searches are
   * refused then, and when the view is not running: writes never wait for either.
   */
  async caughtUp(signal?: AbortSignal): Promise<void> {
    const run = this.#run;
    if (run === undefined || !run.current) return;
    const last = this.#env.feed.known ?? await this.#env.feed.head();
    try {
      await run.subscriber.caughtUp(last, signal);
    } catch (error) {
      // A committed write is acknowledged even if the view stops meanwhile.
      if (!run.abort.signal.aborted) throw error;
    }
  }

  /**
   * Resolves once the change with this number, which is committed, can be found. Resolves at once while the indexes
   * load, because searches are refused then, and when the view is not running. Rejects with the signal's reason when
   * that aborts.
   */
  async reached(lsn: number, signal: AbortSignal): Promise<void> {
    const run = this.#run;
    if (run === undefined || !run.current) return;
    try {
      await run.subscriber.caughtUp(lsn, signal);
    } catch (error) {
      if (!run.abort.signal.aborted) throw error;
    }
  }

  /** Number of the last change that is certainly included; undefined while it is not known. */
  get position(): number | undefined {
    return this.#run?.subscriber.position;
  }

  /** Whether the feed certainly has no change after a number. */
  isLatest(lsn: number): boolean {
    return this.#env.feed.latest === lsn;
  }

  /** The name of the view in messages. */
  get name(): string {
    return this.#kind.name;
  }

  /** Resolves when an index has started or stopped serving. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Whether every collection can be searched. */
  get isReady(): boolean {
    return this.#listed && this.#run?.current === true && this.#isCurrent(this.#run) &&
      this.#collections.parts().every(({ serving, isResting }) => isResting || serving !== undefined);
  }

  /**
   * The indexes are shared with other nodes from now on: searches leave partitions that rest here to those that have
   * them. A collection that is divided anew gets new indexes that rest, of which the node brings its share into memory
   * (`partIntoMemory`), and they serve when the nodes have all of them (`takeOver`).
   */
  leaveTo(others: OtherNodes): void {
    this.#others = others;
  }

  /** Where the index of a partition is; undefined while its collection has nothing indexed. */
  stateOf({ collection, number, of }: Partition): keyof IndexCounts | undefined {
    return this.#collections.get(collection)?.stateOf(number, of);
  }

  /** Into how many partitions a collection is divided; undefined while it has nothing indexed. */
  divisionOf(collection: string): Division | undefined {
    return this.#collections.get(collection)?.division;
  }

  /**
   * Searches of a collection read another number of partitions from now on. The former ones, if they were not the ones
   * that are wanted, can be asked for until `leaveFormer`.
   */
  takeOver(collection: string, partitions: number): void {
    const run = this.#requireCurrent();
    const left = this.#collections.get(collection)?.takeOver(partitions);
    if (left !== undefined) this.#dividing.left(run, left);
  }

  /** Releases the partitions that a collection had before `takeOver`. */
  leaveFormer(collection: string): void {
    const run = this.#requireCurrent();
    const left = this.#collections.get(collection)?.leaveFormer();
    if (left !== undefined) this.#dividing.left(run, left);
  }

  /**
   * What a search of a collection reads, undefined while it has nothing indexed. Parts that other nodes have are asked,
   * if the code runs in a request that may ask (`Answers`). Throws `IndexLoading`, `Unanswered`, and `IndexElsewhere`
   * where parts are needed that cannot be asked (`leaveTo`).
   */
  indexOf(name: string): Readable | undefined {
    const run = this.#requireCurrent();
    const collection = this.#collections.get(name.toLowerCase());
    if (collection === undefined) return undefined;
    this.#dividing.divide(run, collection);
    if (collection.isResting) return this.#readWithOthers(run, collection, name);
    if (collection.isCold) this.#dividing.joinLater(run, collection);
    return collection.ready(this.changed);
  }

  #readWithOthers(run: Run, collection: CollectionParts<Index, Readable, Part>, name: string): Readable {
    const elsewhere = this.#elsewhere(collection);
    if (elsewhere.length > 0 && !this.#mayAsk(collection))
      throw new IndexElsewhere(this.#kind.name, name, (signal) => this.#readHere(name, signal));
    this.#atRest.wake(run, collection.parts.filter((part) => !elsewhere.includes(part)));
    return collection.readyWith(this.changed, elsewhere);
  }

  #elsewhere({ parts }: CollectionParts<Index, Readable, Part>): readonly CollectionIndex<Index>[] {
    return parts.filter(({ isResting, partition }) => isResting && this.#others?.have(partition) === true);
  }

  /** The only part of a collection is not asked: the node that has it answers the whole request. */
  #mayAsk({ parts }: CollectionParts<Index, Readable, Part>): boolean {
    return parts.length > 1 && this.#kind.standIn !== undefined && Answers.current !== undefined;
  }

  /**
   * Answers another node that asks for a partition (`ViewKind.answer`). Throws `IndexLoading` until that is in memory,
   * and `IndexElsewhere` if it shall not be here, or the collection has another number of partitions. A collection of
   * which nothing is indexed answers as an empty one, because it is announced as ready.
   */
  answer({ collection: name, number, of }: Omit<PartAddress, 'view'>, method: string,
    args: readonly unknown[]): unknown
  {
    const run = this.#requireCurrent();
    const { name: view, answer } = this.#kind;
    if (answer === undefined) throw new RangeError(`the ${view} index answers no other nodes`);
    const collection = this.#collections.get(name);
    if (collection === undefined) return this.answerAsEmpty(name, method, args);
    const part = collection.part(number, of);
    if (part === undefined || (part.isResting && this.#others?.have(part.partition) === true))
      throw new IndexElsewhere(view, name, (signal) => this.#readHere(name, signal));
    this.#atRest.wake(run, [part]);
    return answer.call(this.#kind, part.ready(this.changed), method, args);
  }

  /**
   * The answer of a part without documents; always of the same one, because a request may ask for what has happened to
   * it.
   */
  answerAsEmpty(collection: string, method: string, args: readonly unknown[]): unknown {
    this.#empty ??= this.#kind.create(collection);
    return this.#kind.answer!(this.#empty, method, args);
  }

  /** The same if all of it serves and is in memory: what rests goes on resting. */
  servingOf(collection: string): Readable | undefined {
    return this.#collections.get(collection.toLowerCase())?.serving;
  }

  /** How many indexes searches have brought back into memory so far. */
  get woken(): number {
    return this.#atRest.woken;
  }

  counts(): IndexCounts {
    return this.#collections.counts();
  }

  /** The indexes that serve and are in memory; where they are shared, also those that divide a collection anew. */
  inMemory(): IndexInMemory[] {
    return this.#collections.inMemory(this.#others !== undefined);
  }

  /**
   * Takes an index out of memory until a search asks for it, after its checkpoint was written. Resolves with false if
   * it has been used since `usedAt`, or a change or a build of it is under way, and when the signal aborts: builds of
   * other indexes come first. Never rejects.
   */
  async rest(name: string, usedAt: number, signal: AbortSignal): Promise<boolean> {
    const run = this.#run;
    if (run === undefined) return false;
    let isResting = false;
    this.#inBackground(run, async () => {
      isResting = !signal.aborted && (await this.#atRest.rest(name, usedAt, run.subscriber.position));
    });
    await unlessAborted(run.work, signal).catch(() => undefined);
    return isResting;
  }

  /**
   * Resolves when those indexes of some collections that rested are in memory, for a search of all of them, or cannot
   * be read at the moment; parts that the search will ask other nodes for go on resting. Rejects with `IndexLoading`,
   * and with the signal's reason when that aborts.
   */
  async intoMemory(names: readonly string[], signal: AbortSignal): Promise<void> {
    const collections = names.flatMap((name) => this.#collections.get(name.toLowerCase()) ?? []);
    await this.#wake(collections.flatMap((each) => {
      const elsewhere = this.#mayAsk(each) ? this.#elsewhere(each) : [];
      return each.parts.filter((part) => !elsewhere.includes(part));
    }), signal);
  }

  /** The same for one partition, which this node is meant to hold. Does nothing if the collection has no such one. */
  async partIntoMemory({ collection, number, of }: Partition, signal: AbortSignal): Promise<void> {
    const part = this.#collections.get(collection)?.part(number, of);
    if (part !== undefined) await this.#wake([part], signal);
  }

  async #wake(wanted: readonly CollectionIndex<Index>[], signal: AbortSignal): Promise<void> {
    this.#atRest.wake(this.#requireCurrent(), wanted);
    await unlessAborted(this.#atRest.settled(wanted.map(({ name }) => name)), signal);
  }

  /** Rejects with `IndexLoading`, too, if it cannot be read: whoever tries again would do so without a pause. */
  async #readHere(name: string, signal: AbortSignal): Promise<void> {
    await this.#wake(this.#collections.get(name.toLowerCase())?.parts ?? [], signal);
    if (this.#collections.get(name.toLowerCase())?.isResting === true)
      throw new IndexLoading(this.#kind.name, this.changed);
  }

  /** Bytes of memory that the indexes of a collection use here; undefined while none of them is in memory. */
  bytesOf(collection: string): number | undefined {
    return this.#collections.get(collection.toLowerCase())?.bytes;
  }

  /**
   * Rebuilds the indexes of some collections from the tables while searches continue, and returns the number of their
   * documents. Partitions that rest and are shared with other nodes are rebuilt when they are read. It is asked for by
   * changes of the feed: other processes follow them as well, and so does a start that reads an earlier checkpoint.
   * Collections without documents count 0. Throws `IndexLoading`; rejects with what made a build fail, and when the
   * signal aborts.
   */
  async reindex(names: readonly string[], signal: AbortSignal): Promise<number> {
    const run = this.#requireCurrent();
    const filled = new Map((await this.#kind.collections()).map(({ name, docs }) => [name, docs]));
    const wanted = [...new Set(names.map((name) => name.toLowerCase()))].filter((name) =>
      filled.has(name) || this.#collections.get(name) !== undefined
    );
    if (wanted.length === 0) return 0;
    signal.throwIfAborted();
    const kind = this.#kind.reindexChange!;
    const lsn = await this.#env.sql.transaction((tx) =>
      this.#env.feed.append(tx, wanted.map((collection) => ({ kind, collection })))
    );
    const over = AbortSignal.any([signal, run.abort.signal]);
    await run.subscriber.caughtUp(lsn, over);
    const parts = wanted.flatMap((name) => this.#collections.get(name)?.parts ?? []);
    const tries = parts.map(({ name }) => run.rebuilds.get(name)?.tried.promise);
    for (const failure of await unlessAborted(Promise.all(tries), over))
      if (failure !== undefined) throw failure as Error;
    return wanted.reduce((sum, name) => sum + this.#documents(name, filled.get(name)), 0);
  }

  /** Of a collection of which parts are left to other nodes, those that the tables have. */
  #documents(name: string, listed = 0): number {
    const { parts = [] } = this.#collections.get(name) ?? {};
    if (this.#others !== undefined && parts.some(({ isResting }) => isResting)) return listed;
    return parts.reduce((sum, part) => sum + part.ready(this.changed).documents, 0);
  }

  #requireCurrent(): Run {
    if (!this.#listed || this.#run?.current !== true || !this.#isCurrent(this.#run))
      throw new IndexLoading(this.#kind.name, this.changed);
    return this.#run;
  }

  /** False if the database has lost changes that the indexes may include: then they must not serve before `restart`. */
  #isCurrent({ history }: Run): boolean {
    return history === this.#env.feed.history;
  }

  #notifyChange(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }

  async #halt(): Promise<void> {
    await this.#whenHalted?.();
    const run = this.#run;
    if (run === undefined) return;
    run.abort.abort();
    await run.subscriber.stop();
    await run.work;
    await this.#atRest.settled();
    if (this.#run === run) this.#run = undefined;
  }

  #forget(): void {
    this.#empty?.close?.();
    this.#empty = undefined;
    this.#listed = false;
    this.#collections.clear();
    this.#notifyChange();
  }

  /** Every collection that has something to index, at first without an index. */
  async #list(): Promise<void> {
    const listed = await this.#kind.collections();
    this.#forget();
    for (const { name, docs } of listed)
      for (const part of this.#collections.add(name, docs).parts) if (docs <= this.#mostAtRest) part.rest();
    this.#listed = true;
  }

  #subscriberFrom(lsn: number): Subscriber {
    const { feed, log } = this.#env;
    return new Subscriber({
      feed,
      cursor: memoryCursor(lsn),
      // Searches read rows that are committed but not on disk yet anyway, and a checkpoint of a commit that is lost is
      // refused (`KeptIndexes.usable`).
      isEarly: true,
      handle: (changes, signal) => this.#follow(changes, signal),
      onGap: () => this.#startOver(),
      release: (upTo) => this.#releaseInTurn(upTo),
      onFailure: (error, failures) =>
        log.warn({ err: error, failures }, `${this.#kind.name} indexes could not follow the change feed; trying again`),
      timer: this.#timer,
    });
  }

  /** Runs after earlier background work, such as an index that is rebuilt because of a change up to `upTo`. */
  async #releaseInTurn(upTo: number): Promise<void> {
    const run = this.#run;
    const position = run?.subscriber.position;
    if (run === undefined) return;
    this.#inBackground(run, () => this.#release(position, upTo));
    await run.work;
  }

  /** Never rejects: a restart that finds no checkpoint builds its indexes from the tables. */
  async #release(position: number | undefined, upTo?: number): Promise<void> {
    if (!position) return;
    try {
      await this.#kept.release(this.#collections.all(), position, upTo);
    } catch (error) {
      this.#env.log.warn({ err: error }, `the ${this.#kind.name} checkpoints could not be confirmed`);
    }
  }

  /** Checkpoints first, then the changes since they were written, then the collections that have none. */
  async #load(run: Run, head: number, checkpoints: ReadonlyMap<string, Confirmation>): Promise<void> {
    const { signal } = run.abort;
    for (const [name, kept] of checkpoints) {
      if (signal.aborted) return;
      const index = await this.#kept.restored(name);
      if (index !== undefined) this.#collections.index(name)?.serve(index, kept);
    }
    if (signal.aborted) return;
    run.subscriber.start();
    await run.subscriber.caughtUp(head, signal);
    // Writes do not wait for a view that loads, but searches that do must find them.
    const { feed } = this.#env;
    for (let pass = 0; pass < CATCHING_UP_PASSES && (feed.latest ?? 0) > (run.subscriber.position ?? 0); pass++)
      await run.subscriber.caughtUp(await feed.head(), signal);
    run.current = true;
    this.#notifyChange();
    for (const index of this.#collections.parts())
      if (!index.isResting) await this.#builder.build(index, run);
    for (const collection of this.#collections.divided()) await this.#dividing.join(run, collection);
  }

  /** The feed does not continue from the view's position: every index is rebuilt from the tables. */
  async #startOver(): Promise<number> {
    const head = await this.#env.feed.head();
    const run = this.#run!;
    if (!this.#isCurrent(run)) return head; // `restart` follows
    await this.#list();
    for (const index of this.#collections.parts())
      if (!index.isResting) this.#inBackground(run, () => this.#builder.build(index, run));
    return head;
  }

  #follow(changes: readonly Change[], signal: AbortSignal): Promise<void> | undefined {
    const followed = this.#collections.follow(changes, signal);
    return followed instanceof Promise
      ? followed.then((each) => this.#followed(changes, each))
      : this.#followed(changes, followed);
  }

  #followed(changes: readonly Change[], followed: Followed<Index>): Promise<void> | undefined {
    const { dropped, failed } = followed;
    if (failed || dropped.length > 0) this.#notifyChange();
    const run = this.#run;
    if (dropped.length > 0) return this.#removeKept(dropped).then(() => this.#afterBatch(run, changes, followed));
    this.#afterBatch(run, changes, followed);
    return undefined;
  }

  async #removeKept(names: Iterable<string>): Promise<void> {
    for (const name of names) await this.#kept.remove(name);
  }

  #afterBatch(run: Run | undefined, changes: readonly Change[], { changed, outdated }: Followed<Index>): void {
    if (run === undefined) return;
    for (const { kind, collection } of changes)
      if (kind === 'config.put' || kind === 'config.delete') this.#configured(run, collection);
    for (const index of changed) this.#afterChanges(run, index);
    for (const index of outdated) {
      // Whoever wakes it finds this change in the feed, after its checkpoint; other nodes have the new index meanwhile.
      if (this.#others !== undefined && index.isResting && !this.#atRest.isWaking(index.name)) index.changed += 1;
      else this.#rebuild(run, index);
    }
  }

  #afterChanges(run: Run, index: CollectionIndex<Index>): void {
    // One slice: the rest is done after later changes, and nothing waits for it.
    index.serving?.tidy?.();
    if (!this.#kept.isDue(index)) return;
    this.#inBackground(run, () => this.#kept.save(index, run.subscriber.position));
    const collection = this.#collections.get(index.partition.collection);
    if (collection !== undefined) this.#dividing.divide(run, collection);
  }

  #configured(run: Run, name: string): void {
    const collection = this.#collections.get(name);
    if (collection === undefined) return;
    for (const index of collection.all) this.#inBackground(run, () => this.#kept.configured(index));
    this.#dividing.divide(run, collection);
  }

  #rebuild(run: Run, index: CollectionIndex<Index>): void {
    const { name } = index;
    // An earlier build that goes on may have read the tables before this change.
    index.outdate();
    if (run.rebuilds.get(name)?.begun === false) return;
    const rebuild: Rebuild = { begun: false, tried: Promise.withResolvers() };
    run.rebuilds.set(name, rebuild);
    this.#inBackground(run, async () => {
      rebuild.begun = true;
      await this.#atRest.settled([name]);
      await this.#builder.build(index, run, rebuild.tried.resolve);
      rebuild.tried.resolve(undefined);
    });
  }

  #inBackground(run: Run, work: () => Promise<void>): void {
    run.work = run.work.then(() => (run.abort.signal.aborted ? undefined : work()));
  }
}

/** Settles as the promise does, or rejects with the signal's reason when that aborts first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
