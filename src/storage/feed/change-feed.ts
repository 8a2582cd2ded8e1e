import { type Clock, systemClock } from '../../lib/clock.ts';
import { FEED_LOCK, type Queries, type Sql, type Transaction } from '../port.ts';
import { areAlike, type Change, copyChanges, FeedGap, insertChanges, type NewChange, newestChange, newOrdinals,
  oldestChange, selectChanges, type StoredDocuments } from './change.ts';
import { type FeedReader, type Keep, lastToRemove } from './pruning.ts';
import { RecentChanges } from './recent-changes.ts';
import { SharedHead } from './shared-head.ts';

/** Maximum number of this process's commits that are remembered, to distinguish them from those of other processes. */
const OWN_NOTED = 4096;

/** Rows deleted in one transaction while pruning, so that writers wait only for milliseconds. */
const PRUNE_STEP = 5000;

/**
 * The binlog: every write appends its changes in its own transaction, which assigns their log sequence numbers. Views,
 * webhooks, triggers and replication read them in that order.
 */
export class ChangeFeed {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #readers = new Set<FeedReader>();
  readonly #recent = new RecentChanges();
  #latest: number | undefined;
  /** Number of the last change that this process committed and that is on disk. */
  #committed: number | undefined;
  /** The same, whether it is on disk yet or not. */
  #written: number | undefined;
  /** Number of the first change that is committed but not known to be on disk. */
  #unsafe = Infinity;
  /** The head as transactions see it that have appended. */
  readonly #headOf = new WeakMap<Transaction, number>();
  readonly #onAppend: () => void;
  /** Present if other processes append, too: then the head that this process knows may be out of date. */
  readonly #shared: SharedHead | undefined;
  /** If other processes append, too: the last head that was read, at which the readers were woken. */
  #seen: number | undefined;
  #history = 0;
  /** If other processes append, too: the recent commits of this process, ascending. */
  #own: { readonly first: number; readonly last: number }[] = [];

  /** `onAppend` is called after each commit of this process that appended. */
  constructor(sql: Sql, clock: Clock = systemClock,
    { shared = false, onAppend = () => undefined }: { readonly shared?: boolean; readonly onAppend?: () => void } = {})
  {
    this.#onAppend = onAppend;
    this.#sql = sql;
    this.#clock = clock;
    this.#shared = shared ? new SharedHead(sql, (head, isRewound) => this.#sharedHeadRead(head, isRewound)) : undefined;
  }

  /**
   * Appends in the caller's transaction and returns the number of the last change. Numbers are assigned from the rows
   * that exist, so that an undone change leaves no gap. Without changes it returns the head.
   */
  async append(tx: Transaction, changes: readonly NewChange[]): Promise<number> {
    const known = this.#headOf.get(tx);
    if (changes.length === 0) return known ?? (tx.isShared ? newestChange(tx) : this.headIn(tx));
    const head = known ?? (await this.headIn(tx));
    const at = this.#clock.now();
    // Before the changes become visible; if they are undone, a number that is too high does no harm.
    this.#latest = head + changes.length;
    const stored = changes.map((change, i): Change => ({ ...change, lsn: head + 1 + i, at, flags: change.flags ?? 0 }));
    await insertChanges(tx, stored);
    return this.#appended(tx, stored);
  }

  /**
   * As `append`, for documents that the transaction has just stored, in the order of their ordinals. The database
   * copies their names from their rows, which is faster than passing them again. `isLast`: no statement of the
   * transaction follows (`Transaction.complete`).
   */
  async appendStored(tx: Transaction, changes: readonly NewChange[], documents: StoredDocuments,
    isLast = false): Promise<number>
  {
    if (!areAlike(changes)) {
      const ords = await newOrdinals(tx, documents);
      return this.append(tx, changes.map((change, i) => ({ ...change, ord: ords[i]! })));
    }
    const [{ kind, collection, flags = 0 }] = changes;
    const at = this.#clock.now();
    let head = this.#headOf.get(tx);
    // If the transaction is shared, only the statement itself can read the head without another round trip.
    if (head === undefined && !tx.isShared) head = await this.headIn(tx);
    if (head !== undefined) this.#latest = head + changes.length;
    const locked = head === undefined ? tx.lock(FEED_LOCK) : undefined;
    const copied = copyChanges(tx, { kind, collection, at, flags }, documents, head);
    if (isLast) tx.complete?.();
    const [rows] = await Promise.all([copied, locked]);
    return this.#appended(tx, changes.map((change, i): Change => ({ ...change, ...rows[i]!, at, flags })));
  }

  /**
   * Number of the newest change as a transaction sees it. Once it is known, appending needs no query for it. Nobody
   * else appends until the transaction has ended.
   */
  async headIn(tx: Transaction): Promise<number> {
    const known = this.#headOf.get(tx);
    if (known !== undefined) return known;
    const locked = tx.isShared && tx.lock(FEED_LOCK);
    const [head] = await Promise.all([newestChange(tx), locked]);
    this.#headOf.set(tx, head);
    return head;
  }

  /**
   * Records that the caller's transaction has written changes as rows, up to a number: those of another node whose feed
   * this one copies. There may be fewer than before, after the database was replaced.
   */
  copied(tx: Transaction, head: number): void {
    this.#latest = head;
    this.#headOf.set(tx, head);
    tx.onCommit(() => {
      this.#recent.clear();
      this.#committed = this.#written = head;
      this.#unsafe = Infinity;
      this.#wake();
    });
  }

  /** Tells the readers once the changes, at least one, are committed. Returns the number of the last one. */
  #appended(tx: Transaction, stored: readonly Change[]): number {
    const [{ lsn: first }, { lsn: last }] = [stored[0]!, stored.at(-1)!];
    this.#headOf.set(tx, last);
    const written = (): void => {
      this.#recent.add(stored);
      this.#written = last;
    };
    tx.onWritten?.(() => {
      written();
      this.#unsafe = Math.min(this.#unsafe, first);
      this.#wake({ early: true });
    });
    tx.onCommit(() => {
      if (tx.onWritten === undefined) written();
      this.#unsafe = Infinity;
      this.#committed = last;
      if (this.#shared !== undefined) this.#noteOwn(first, stored.at(-1)!);
      this.#onAppend();
      this.#wake(tx.onWritten === undefined ? undefined : { early: false });
    });
    return last;
  }

  #noteOwn(first: number, last: Change): void {
    if (this.#own.length === OWN_NOTED) this.#own = [];
    this.#own.push({ first, last: last.lsn });
    this.#shared!.know(last);
  }

  /**
   * Whether another process has appended, or may have appended, a change in the range (`after`, `upTo`]. Later calls
   * must not pass a smaller `after`.
   */
  hasForeign(after: number, upTo: number): boolean {
    this.#own = this.#own.filter(({ last }) => last > after);
    const own = this.#own.reduce(
      (sum, { first, last }) => sum + Math.max(0, Math.min(last, upTo) - Math.max(first - 1, after)),
      0,
    );
    return own < upTo - after;
  }

  /**
   * No visible change has a greater number. It is the number of the head, or of changes that are about to be committed.
   * Undefined before the first append or the first read of the head, and if other processes append.
   */
  get latest(): number | undefined {
    return this.#shared === undefined ? this.#latest : undefined;
  }

  /**
   * The head without a query. Undefined before the first append, and while one is running, because other connections
   * may see its changes before its commit is reported.
   */
  get settled(): number | undefined {
    return this.#shared === undefined && this.#committed === this.#latest ? this.#committed : undefined;
  }

  /**
   * Number of the newest change that this process knows without a query: it includes all its own commits. Undefined if
   * it is the head that is needed and not known.
   */
  get known(): number | undefined {
    if (this.#shared === undefined) return this.settled;
    return this.#seen === undefined ? undefined : Math.max(this.#seen, this.#committed ?? 0);
  }

  /**
   * Changes when the database has lost changes that this process knew, as after the promotion of a standby that did not
   * have the last commits: then everything that was read from it may be wrong. Found by `head`.
   */
  get history(): number {
    return this.#history;
  }

  /**
   * Number of the newest committed change; 0 when there was none yet. Wakes the readers if another process has appended
   * it. `queries`: a connection that reads it now, instead of a read that several callers share.
   */
  async head(queries?: Pick<Queries, 'get'>): Promise<number> {
    const head = this.#shared === undefined
      ? await newestChange(queries ?? this.#sql)
      : await (queries === undefined ? this.#shared.read() : this.#shared.readBy(queries));
    // The database was replaced by one that does not contain these changes. A shared head finds that out itself, and
    // may have been read before the last commit.
    if (this.#shared === undefined && head < this.#recent.last) this.#recent.clear();
    // After a restore the head is greater than every number that was appended here.
    this.#latest = Math.max(this.#latest ?? 0, head);
    return head;
  }

  #sharedHeadRead(head: number, isRewound: boolean): void {
    if (isRewound) {
      this.#history++;
      this.#recent.clear();
      this.#own = [];
      this.#latest = head;
      this.#committed = this.#written = undefined;
    }
    const isNew = isRewound || this.#seen === undefined || head > this.#seen;
    if (!isNew) return;
    this.#seen = head;
    this.#wake();
  }

  /**
   * Resolves once a change with this number or a later one is committed. Rejects with the signal's reason when that
   * aborts.
   */
  async reached(lsn: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const giveUp = (): void => reject(signal.reason as Error);
      // This reader reads nothing, so it does not prevent pruning.
      const leave = this.join({ wake: resolve, position: () => undefined });
      signal.addEventListener('abort', giveUp);
      try {
        if ((this.settled ?? (await this.head())) >= lsn) return;
        signal.throwIfAborted();
        await promise;
      } finally {
        leave();
        signal.removeEventListener('abort', giveUp);
      }
    }
  }

  /** Number of the oldest change that is kept; 0 when there was none yet. */
  oldest(): Promise<number> {
    return oldestChange(this.#sql);
  }

  /**
   * Returns at most `limit` changes that follow a position; none at the head. Changes that may not be on disk yet are
   * only for early readers. Throws `FeedGap`.
   */
  async read(after: number, limit: number, isEarly = false): Promise<Change[]> {
    return this.remembered(after, limit, isEarly) ?? this.#readable(await this.#stored(after, limit), isEarly);
  }

  /** As `read`, without a query; undefined if the tables must be read. */
  remembered(after: number, limit: number, isEarly = false): Change[] | undefined {
    this.#releaseRead();
    // A reader that has handled everything need not query the tables after each write; it is woken when more is known.
    if (after === this.#readableTo(isEarly)) return [];
    const recent = this.#recent.after(after, limit);
    return recent && this.#readable(recent, isEarly);
  }

  #readable(changes: Change[], isEarly: boolean): Change[] {
    return isEarly || (changes.at(-1)?.lsn ?? 0) < this.#unsafe
      ? changes
      : changes.filter(({ lsn }) => lsn < this.#unsafe);
  }

  #readableTo(isEarly: boolean): number | undefined {
    if (this.#shared !== undefined) return this.known;
    return isEarly ? this.#written : this.#committed;
  }

  async #stored(after: number, limit: number): Promise<Change[]> {
    const changes = await selectChanges(this.#sql, after, limit);
    if (changes[0]?.lsn !== after + 1) await this.#refuseGap(after);
    return changes;
  }

  /** Returns the function that removes the reader. */
  join(reader: FeedReader): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /**
   * Deletes old changes and returns their number. Keeps the newest change, from which numbering continues, and every
   * change that a stored cursor or a reader in this process has not read.
   */
  async prune(keep: Keep): Promise<number> {
    const last = await lastToRemove(this.#sql, await this.head(), this.#readers, keep);
    const oldest = await this.oldest();
    if (oldest === 0 || oldest > last) return 0;
    for (const { release } of [...this.#readers]) await release?.(last);
    let deleted = 0;
    for (let from = oldest; from <= last; from += PRUNE_STEP) {
      const to = Math.min(last, from + PRUNE_STEP - 1);
      const { changes } = await this.#sql.transaction((tx) => tx.run('DELETE FROM changes WHERE lsn <= ?', [to]));
      this.#recent.release(to);
      deleted += changes;
    }
    return deleted;
  }

  /**
   * Empties the feed after a restore, in the caller's transaction, so that every reader gets a `FeedGap` and rebuilds.
   * Numbers continue after a gap behind both this head and `beyond`, the last number that the replaced database may
   * have assigned. Returns the number of the only change, `feed.restart`. If it is called in the copy that is to be
   * restored, before `replaceFrom`, it is atomic with the restore.
   */
  async restart(tx: Transaction, beyond: number): Promise<number> {
    const lsn = Math.max(await newestChange(tx), beyond) + 2;
    this.#headOf.set(tx, lsn);
    await tx.run('DELETE FROM changes');
    await insertChanges(tx, [{ kind: 'feed.restart', collection: '', lsn, at: this.#clock.now(), flags: 0 }]);
    tx.onCommit(() => {
      this.#recent.clear();
      this.#committed = this.#written = lsn;
      this.#unsafe = Infinity;
      this.#wake();
    });
    return lsn;
  }

  async #refuseGap(after: number): Promise<void> {
    const [oldest, head] = [await this.oldest(), await this.head()];
    const reachable = after <= head && after >= Math.max(0, oldest - 1);
    if (!reachable) throw new FeedGap(after, oldest, head);
  }

  /** Changes that every reader has handled only take memory. */
  #releaseRead(): void {
    let least = Infinity;
    for (const { position } of this.#readers) least = Math.min(least, position() ?? Infinity);
    this.#recent.release(least);
  }

  /** Without a choice, all readers. */
  #wake(only?: { readonly early: boolean }): void {
    for (const reader of this.#readers)
      if (only === undefined || only.early === (reader.isEarly === true)) reader.wake();
  }
}
