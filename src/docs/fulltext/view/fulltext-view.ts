import { backoffDelay, type Backoff } from '../../../lib/backoff.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { systemTimer, type Timer } from '../../../lib/timer.ts';
import { CHANGE_FLAGS, memoryCursor, Subscriber, type Change } from '../../../storage/index.ts';
import { Pace } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { CheckpointFiles } from './checkpoints.ts';
import { CollectionIndex, indexLoading, type Build } from './collection-index.ts';
import { allTexts, TEXTS_AT_ONCE, textsOf } from './document-texts.ts';
import type { IndexedDocument, TermAnalyzer, TextIndex, TextIndexes } from './text-index.ts';
import { toIndexed, type DocumentText } from './to-indexed.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock' | 'log'>;

export interface FullTextViewOptions {
  readonly indexes: TextIndexes;
  /** The analyzer of a document's language. */
  readonly analyzerOf: (lang: string) => TermAnalyzer;
  /** Where indexes are kept between runs; absent for a database in memory. */
  readonly checkpoints?: CheckpointFiles;
  /** Whether a collection may have a checkpoint: one of an encrypted collection would show its words (decision D-43). */
  readonly mayKeep?: (collection: string) => boolean;
  readonly timer?: Timer;
}

/** A checkpoint is written when so many documents changed, or this part of the collection, whichever is more. */
const CHECKPOINT_CHANGES = 5000;
const CHECKPOINT_PART = 4;

const BUILD_BACKOFF: Backoff = { initial: 1000, max: 60_000 };

/** One life of the view, from `start` to `stop` or `restart`. */
interface Run {
  readonly abort: AbortController;
  readonly subscriber: Subscriber;
  /** What goes on in the background: loading, building, writing checkpoints; never rejects. */
  work: Promise<void>;
  /** Whether the subscriber has reached what was written before the start. */
  current: boolean;
}

/**
 * Full-text indexes of all collections, which follow the change feed: a view that can always be made
 * anew from the tables. A new collection gets its index with its first document; at a start, indexes come
 * from checkpoints or from the tables, in the background, and searches are refused meanwhile.
 */
export class FullTextView {
  readonly #env: Environment;
  readonly #options: FullTextViewOptions;
  readonly #collections = new Map<string, CollectionIndex>();
  #run: Run | undefined;
  #listed = false;

  constructor(env: Environment, options: FullTextViewOptions) {
    this.#env = env;
    this.#options = options;
  }

  /** Resolves when the collections are known, while their indexes load. A view that runs is left alone. */
  async start(): Promise<void> {
    if (this.#run !== undefined) return;
    await this.#options.checkpoints?.clean();
    const head = await this.#env.feed.head();
    await this.#list();
    const starts = await this.#usableCheckpoints(head);
    const subscriber = this.#subscriberFrom(Math.min(head, ...starts.values()));
    const run: Run = { abort: new AbortController(), subscriber, work: Promise.resolve(), current: false };
    this.#run = run;
    run.work = this.#load(run, head, [...starts.keys()]).catch((error: unknown) => {
      if (!run.abort.signal.aborted) this.#env.log.error({ err: error }, 'full-text indexes could not be loaded');
    });
    // With nothing to load, the first search need not be refused.
    if (this.#collections.size === 0) await run.work;
  }

  /** Resolves when what is under way in the background is done: indexes are loaded, checkpoints written. */
  async settled(): Promise<void> {
    await this.#run?.work;
  }

  /** Waits for what is under way and writes checkpoints; before `start`, or again, it is harmless. */
  async stop(): Promise<void> {
    const run = this.#run;
    await this.#halt();
    if (run === undefined) return;
    for (const collection of this.#collections.values()) await this.#keep(run, collection);
    this.#forget();
  }

  /** Begins anew after the database was replaced: nothing that is in memory means anything any more. */
  async restart(): Promise<void> {
    await this.#halt();
    this.#forget();
    await this.start();
  }

  /**
   * Resolves when everything written so far can be found. At once while the indexes load, because
   * searches are refused then, and when the view is not running: writes never wait for that.
   */
  async caughtUp(signal?: AbortSignal): Promise<void> {
    const run = this.#run;
    if (run === undefined || !run.current) return;
    const head = await this.#env.feed.head();
    try {
      await run.subscriber.caughtUp(head, signal);
    } catch (error) {
      // What is committed is acknowledged even when the view is stopped under it.
      if (!run.abort.signal.aborted) throw error;
    }
  }

  /** The index of a collection, undefined while it has no documents. Throws `index_loading`. */
  indexOf(collection: string): TextIndex | undefined {
    if (!this.#listed || this.#run?.current !== true) throw indexLoading();
    return this.#collections.get(collection.toLowerCase())?.ready;
  }

  /** Indexes a collection anew while searches go on; answers its documents. Throws `index_loading`. */
  async reindex(collection: string): Promise<number> {
    const run = this.#run;
    if (!this.#listed || run?.current !== true) throw indexLoading();
    const found = this.#collections.get(collection.toLowerCase());
    if (found === undefined) return 0;
    await this.#build(run, found);
    return found.ready.documents;
  }

  async #halt(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    run.abort.abort();
    await run.subscriber.stop();
    await run.work;
    if (this.#run === run) this.#run = undefined;
  }

  #forget(): void {
    this.#listed = false;
    for (const collection of this.#collections.values()) collection.close();
    this.#collections.clear();
  }

  /** Every collection that has documents, without an index yet, the smallest first. */
  async #list(): Promise<void> {
    const rows = await this.#env.sql.all<{ name: string }>('SELECT name FROM collections WHERE docs > 0 ORDER BY docs');
    this.#forget();
    for (const { name } of rows) this.#collections.set(name, new CollectionIndex(name));
    this.#listed = true;
  }

  /** Collections whose checkpoint belongs to this feed, with the number of the change to go on after. */
  async #usableCheckpoints(head: number): Promise<Map<string, number>> {
    const { checkpoints } = this.#options;
    const usable = new Map<string, number>();
    for (const name of checkpoints === undefined ? [] : this.#collections.keys()) {
      const header = await checkpoints!.header(name);
      if (header === undefined || header.lsn > head) continue;
      if ((await this.#timeOf(header.lsn)) === header.at) usable.set(name, header.lsn);
    }
    return usable;
  }

  /** When a change was made; undefined when the feed does not have it (any more). */
  async #timeOf(lsn: number): Promise<number | undefined> {
    const row = await this.#env.sql.get<{ at: number }>('SELECT at FROM changes WHERE lsn = ?', [lsn]);
    return row?.at;
  }

  #subscriberFrom(lsn: number): Subscriber {
    const { feed, log } = this.#env;
    return new Subscriber({
      feed,
      cursor: memoryCursor(lsn),
      handle: (changes, signal) => this.#follow(changes, signal),
      onGap: () => this.#startOver(),
      onFailure: (error, failures) => log.warn({ err: error, failures }, 'full-text indexes could not follow the change feed; trying again'),
      ...(this.#options.timer && { timer: this.#options.timer }),
    });
  }

  /** Checkpoints first, then what changed since they were written, then the collections that have none. */
  async #load(run: Run, head: number, kept: readonly string[]): Promise<void> {
    const { checkpoints, indexes } = this.#options;
    for (const name of kept) {
      if (run.abort.signal.aborted) return;
      const index = await this.#restored(name, checkpoints!, indexes);
      if (index !== undefined) this.#collections.set(name, new CollectionIndex(name, index));
    }
    if (run.abort.signal.aborted) return;
    run.subscriber.start();
    await run.subscriber.caughtUp(head, run.abort.signal);
    run.current = true;
    for (const collection of [...this.#collections.values()]) {
      if (collection.serving === undefined) await this.#buildUntilDone(run, collection);
    }
  }

  async #restored(collection: string, checkpoints: CheckpointFiles, indexes: TextIndexes): Promise<TextIndex | undefined> {
    try {
      const bytes = await checkpoints.load(collection);
      return bytes && (await indexes.restore(bytes));
    } catch (error) {
      this.#env.log.warn({ err: error, collection }, 'a full-text checkpoint cannot be used; the index is built anew');
      return undefined;
    }
  }

  /** The feed does not go on where the view stands: every index is made anew from the tables. */
  async #startOver(): Promise<number> {
    const head = await this.#env.feed.head();
    await this.#list();
    const run = this.#run!;
    for (const collection of [...this.#collections.values()]) this.#inBackground(run, () => this.#buildUntilDone(run, collection));
    return head;
  }

  /** Applies changes; where several are of one document, the last one says what is left of it. */
  async #follow(changes: readonly Change[], signal: AbortSignal): Promise<void> {
    const latest = new Map<number, Change>();
    for (const change of changes) {
      if (change.kind === 'collection.delete') await this.#dropCollection(change.collection, latest);
      else if (change.ord !== undefined && (change.kind === 'doc.put' || change.kind === 'doc.delete')) latest.set(change.ord, change);
    }
    const pace = new Pace();
    const written: Change[] = [];
    for (const change of latest.values()) {
      if (change.kind === 'doc.put' && (change.flags & CHANGE_FLAGS.SKIP_FTS) === 0) written.push(change);
      else if (this.#collections.has(change.collection)) this.#apply(change, (index) => index.remove(change.ord!));
    }
    for (let i = 0; i < written.length; i += TEXTS_AT_ONCE) await this.#put(written.slice(i, i + TEXTS_AT_ONCE), pace, signal);
    for (const name of new Set([...latest.values()].map(({ collection }) => collection))) await this.#afterChanges(name);
  }

  async #put(changes: readonly Change[], pace: Pace, signal: AbortSignal): Promise<void> {
    const byOrd = new Map(changes.map((change) => [change.ord!, change]));
    for await (const text of textsOf(this.#env.sql, this.#env.codec, [...byOrd.keys()])) {
      // Thrown, so that the feed's position stays before these changes.
      signal.throwIfAborted();
      this.#apply(byOrd.get(text.ord)!, (index) => index.put(this.#toIndexed(text)));
      await pace.rest();
    }
  }

  #apply({ collection: name }: Change, change: (index: CollectionIndex) => void): void {
    let collection = this.#collections.get(name);
    if (collection === undefined) this.#collections.set(name, collection = new CollectionIndex(name, this.#options.indexes.create()));
    try {
      change(collection);
    } catch (error) {
      this.#env.log.error({ err: error, collection: name }, 'a full-text index failed and is out of service until it is built anew');
      collection.fail(error);
    }
  }

  #toIndexed(text: DocumentText): IndexedDocument {
    return toIndexed(text, this.#options.analyzerOf(text.lang));
  }

  /** Earlier changes of its documents mean nothing any more; later ones begin a new index. */
  async #dropCollection(name: string, latest: Map<number, Change>): Promise<void> {
    for (const [ord, change] of latest) if (change.collection === name) latest.delete(ord);
    this.#collections.get(name)?.close();
    this.#collections.delete(name);
    await this.#options.checkpoints?.remove(name);
  }

  async #afterChanges(name: string): Promise<void> {
    const collection = this.#collections.get(name);
    const run = this.#run;
    if (collection?.serving === undefined || run === undefined) return;
    // One slice: the rest is done after later changes, and nobody waits for it.
    collection.serving.tidy();
    if (collection.changed >= Math.max(CHECKPOINT_CHANGES, collection.serving.documents / CHECKPOINT_PART)) {
      this.#inBackground(run, () => this.#keep(run, collection));
    }
  }

  #inBackground(run: Run, work: () => Promise<void>): void {
    run.work = run.work.then(() => (run.abort.signal.aborted ? undefined : work()));
  }

  /** Never rejects: the database may have its failures, and they pass. */
  async #buildUntilDone(run: Run, collection: CollectionIndex): Promise<void> {
    const { signal } = run.abort;
    for (let failures = 1; !signal.aborted && this.#collections.get(collection.name) === collection && collection.serving === undefined; failures++) {
      try {
        await this.#build(run, collection);
        await this.#keep(run, collection);
      } catch (error) {
        if (signal.aborted) return;
        this.#env.log.warn({ err: error, collection: collection.name, failures }, 'a full-text index could not be built; trying again');
        await (this.#options.timer ?? systemTimer).sleep(backoffDelay(failures, BUILD_BACKOFF), signal);
      }
    }
  }

  /**
   * Makes a new index of the documents in the tables. The feed goes to it as well, and what the feed has
   * brought is newer than what the scan reads.
   */
  async #build(run: Run, collection: CollectionIndex): Promise<void> {
    const { sql, codec, clock } = this.#env;
    const build: Build = collection.begin(this.#options.indexes.create());
    const pace = new Pace();
    try {
      for await (const text of allTexts(sql.background, codec, collection.name, unixSeconds(clock))) {
        run.abort.signal.throwIfAborted();
        if (!collection.isUnderWay(build)) return;
        if (!build.touched.has(text.ord)) build.index.put(this.#toIndexed(text));
        await pace.rest();
      }
      if (collection.isUnderWay(build)) collection.finish(build);
    } catch (error) {
      collection.abandon(build);
      throw error;
    }
  }

  /** Writes a checkpoint if there is something new. One that fails costs time at the next start, and nothing else. */
  async #keep({ subscriber: { position } }: Run, collection: CollectionIndex): Promise<void> {
    const { checkpoints, mayKeep = () => true } = this.#options;
    if (checkpoints === undefined || !position || collection.changed === 0) return;
    try {
      if (!mayKeep(collection.name)) return await checkpoints.remove(collection.name);
      const at = await this.#timeOf(position);
      const { serving } = collection;
      if (at === undefined || serving === undefined) return;
      // Newer than `position` at most, which is harmless: those changes come again, and say the same.
      collection.changed = 0;
      await checkpoints.save({ collection: collection.name, lsn: position, at }, serving.save());
    } catch (error) {
      this.#env.log.warn({ err: error, collection: collection.name }, 'a full-text checkpoint could not be written');
    }
  }
}
