import type { Clock, Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { type Change, CHANGE_FLAGS, type ChangeFeed, type Cursor, type Sql, Subscriber,
  type Transaction } from '../../../storage/index.ts';
import { collectionOfId, transact, type UnitOfWork } from '../../documents/index.ts';
import type { EmbeddingSpace } from '../space.ts';
import { vectorsChange } from '../store-vectors.ts';
import { removeVectors } from '../vector-rows.ts';
import type { QueueGate } from './gate.ts';
import { countQueued, type EmbeddingState, type EmbeddingStatus, putStates, removeStates, statusOfOrds,
  unhandledSince } from './state-rows.ts';

interface FollowerOptions {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly log: Log;
  readonly timer: Timer;
  /** Called for each batch of changes. */
  readonly spaces: () => Iterable<EmbeddingSpace>;
  readonly gate: QueueGate;
  /** Called when there are new documents in the queue. */
  readonly onQueued: () => void;
  /** Called when the configuration of a collection has changed. */
  readonly onConfigured: () => void;
}

/** The combined effect of the changes of a document. */
type Wish = 'embed' | 'drop' | 'skip' | 'meta';

/** Number of documents that one statement examines. */
const STEP = 128;

/** Combines a wish with a further change. */
function wishOf(before: Wish | undefined, flags: number): Wish {
  if (flags & CHANGE_FLAGS.SKIP_EMBEDDINGS) return 'skip';
  if (flags & CHANGE_FLAGS.BODY_KEPT) return before ?? 'meta';
  // A document that waits already is embedded with its latest body.
  if (flags & CHANGE_FLAGS.EMBEDDING_DROPPED) return before === 'embed' ? 'embed' : 'drop';
  return 'embed';
}

/** The new state of a document; `none` when its vectors are up to date, undefined when its state stays. */
function nextState(status: EmbeddingStatus, wish: Wish, chunking: string): EmbeddingState | 'none' | undefined {
  const { embedded, state } = status;
  const sameBody = embedded !== undefined && embedded.crc === status.crc && embedded.bytes === status.bytes;
  if (sameBody && embedded.chunking === chunking) return state === undefined ? undefined : 'none';
  switch (wish) {
    case 'embed':
      return state === 'queued' ? undefined : 'queued';
    case 'meta':
      // Other metadata can turn prose into code, which is cut differently.
      return sameBody && state === undefined ? 'queued' : undefined;
    case 'drop':
      return state === 'queued' ? undefined : 'dropped';
    case 'skip':
      return 'skipped';
  }
}

/**
 * Puts written documents into the queue. The number of the last followed change commits together with the effects of
 * the changes, so after a crash each document has its vectors or waits for them.
 */
export class QueueFollower {
  readonly #options: FollowerOptions;
  readonly #cursor: FollowerCursor;
  #subscriber: Subscriber | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#cursor = new FollowerCursor(options.sql);
  }

  /** Opens the gate: follows everything that is committed from now on, and what an earlier run left. */
  async start(): Promise<void> {
    if (this.#subscriber !== undefined) return;
    const { sql, feed, gate, log, timer } = this.#options;
    const head = await feed.head();
    const position = (await this.#cursor.load()) ?? head;
    if (this.#cursor.isNew) await sql.transaction((tx) => this.#cursor.saveWithin(tx, head, this.#options.clock.now()));
    gate.open(position, await countQueued(sql));
    if (position < head) gate.expect(await countPuts(sql, position), head);
    this.#subscriber = new Subscriber({
      feed,
      timer,
      cursor: this.#cursor,
      handle: (changes) => this.#handle(changes),
      onGap: () => this.#startOver(),
      onFailure: (error, failures) =>
        log.warn({ err: error, failures },
          'the queue of documents to embed could not follow the change feed; trying again'),
    });
    this.#subscriber.start();
  }

  async stop(): Promise<void> {
    const subscriber = this.#subscriber;
    if (subscriber === undefined) return;
    this.#subscriber = undefined;
    this.#options.gate.close();
    await subscriber.stop();
    await this.#cursor.flush();
  }

  /** Removes its position in the feed; the next start begins with what is written then. */
  forget(): Promise<void> {
    return this.#cursor.forget();
  }

  /** Resolves when everything written so far is in the queue. */
  async caughtUp(signal?: AbortSignal): Promise<void> {
    await this.#subscriber?.caughtUp(await this.#options.feed.head(), signal);
  }

  async #handle(changes: readonly Change[]): Promise<void> {
    const wishes = new Map<number, Wish>();
    let removed = false;
    if (changes.some(({ kind }) => kind === 'config.put' || kind === 'config.delete')) this.#options.onConfigured();
    for (const { kind, ord, flags } of changes) {
      if (kind === 'doc.put' && ord !== undefined) wishes.set(ord, wishOf(wishes.get(ord), flags));
      removed ||= kind === 'doc.delete' || kind === 'collection.delete';
    }
    const last = changes.at(-1)!;
    if (wishes.size > 0 || (removed && this.#options.gate.depth > 0)) await this.#queue(wishes, last);
    else this.#options.gate.followed(last.lsn);
  }

  async #queue(wishes: ReadonlyMap<number, Wish>, last: Pick<Change, 'lsn' | 'at'>): Promise<void> {
    const { sql, feed, clock, gate, onQueued } = this.#options;
    await transact({ sql, feed, clock }, async (work) => {
      const ords = [...wishes.keys()];
      for (const space of this.#options.spaces()) {
        for (let i = 0; i < ords.length; i += STEP) {
          await this.#decide(work, space, await statusesIn(work.tx, space, ords.slice(i, i + STEP)), wishes);
          await work.pace.rest();
        }
      }
      await this.#finish(work.tx, last, (queued) => gate.followed(last.lsn, queued));
    });
    onQueued();
  }

  async #decide(work: UnitOfWork, { name, chunker }: EmbeddingSpace, statuses: readonly EmbeddingStatus[],
    wishes: ReadonlyMap<number, Wish>): Promise<void>
  {
    const { clock } = this.#options;
    const next = statuses.map((status) => ({
      status,
      state: nextState(status, wishes.get(status.ord)!, chunker.chunkingOf(status)),
    }));
    const entries = next.flatMap((
      { status: { ord, cid }, state },
    ) => (state === undefined || state === 'none' ? [] : [{ ord, cid, state, dueAt: clock.now() }]));
    await putStates(work, name, entries);
    await removeStates(work, name, next.filter(({ state }) => state === 'none').map(({ status: { ord } }) => ord));
    // These documents are stored without vectors: vectors of an earlier body must not be found.
    const outdated = next.filter(({ status, state }) =>
      status.embedded !== undefined && (state === 'dropped' || state === 'skipped')
    );
    await removeVectors(work, name, outdated.map(({ status: { ord } }) => ord));
    await work.feed.append(work.tx, outdated.map(({ status }) => vectorsChange(status)));
  }

  async #finish(tx: Transaction, { lsn, at }: Pick<Change, 'lsn' | 'at'>,
    then: (queued: number) => void): Promise<void>
  {
    await this.#cursor.saveWithin(tx, lsn, at);
    const queued = await countQueued(tx);
    tx.onCommit(() => then(queued));
  }

  /**
   * The feed does not continue at the queue's position, because the database was replaced. Its tables contain the state
   * of the queue, except for the last changes before the backup was made; those concern documents that were written
   * since.
   */
  async #startOver(): Promise<number> {
    const { sql, feed, clock, gate, onQueued } = this.#options;
    const head = await feed.head();
    const since = await this.#cursor.handledAt();
    const spaces = [...this.#options.spaces()];
    const unhandled = new Map<EmbeddingSpace, number[]>();
    if (since !== undefined) {
      for (const space of spaces)
        unhandled.set(space, await unhandledSince(sql.background, space.name, Math.floor(since / 1000)));
    }
    await transact({ sql, feed, clock }, async (work) => {
      for (const [space, ords] of unhandled) {
        for (let i = 0; i < ords.length; i += STEP) {
          const statuses = await statusesIn(work.tx, space, ords.slice(i, i + STEP));
          await putStates(work, space.name,
            statuses.map(({ ord, cid }) => ({ ord, cid, state: 'queued', dueAt: clock.now() })));
          await work.pace.rest();
        }
      }
      await this.#finish(work.tx, { lsn: head, at: clock.now() }, (queued) => gate.followed(head, queued));
    });
    onQueued();
    return head;
  }
}

/** Those of some documents that are to have vectors in a space. */
async function statusesIn(tx: Transaction, space: EmbeddingSpace, ords: readonly number[]): Promise<EmbeddingStatus[]> {
  return (await statusOfOrds(tx, space.name, ords)).filter(({ id }) => space.embeds(collectionOfId(id)));
}

/** Counts the documents that were written after a position and are to be embedded. */
async function countPuts(sql: Sql, after: number): Promise<number> {
  const left = CHANGE_FLAGS.SKIP_EMBEDDINGS | CHANGE_FLAGS.EMBEDDING_DROPPED | CHANGE_FLAGS.BODY_KEPT;
  const row = await sql.get<{ n: number }>(
    "SELECT count(DISTINCT ord) AS n FROM changes WHERE lsn > ? AND kind = 'doc.put' AND (flags & ?) = 0",
    [after, left],
  );
  return row!.n;
}

const SUBSCRIBER = 'embeddings';
const HANDLED_AT = 'embedding_handled_at';

/**
 * Changes that do not concern the queue are not worth a commit each; at most this many are read again after a crash.
 */
const LAG = 1000;

const UPSERT_CURSOR =
  'INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn';
const UPSERT_SETTING =
  'INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value';

/** The queue's position in the change feed, stored in the transaction that puts documents into the queue. */
class FollowerCursor implements Cursor {
  readonly #sql: Sql;
  #position = 0;
  /** The position in the database; undefined while none is stored. */
  #stored: number | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Whether the database has no position. */
  get isNew(): boolean {
    return this.#stored === undefined;
  }

  async load(): Promise<number | undefined> {
    const row = await this.#sql.get<{ lsn: number }>('SELECT lsn FROM cursors WHERE subscriber = ?', [SUBSCRIBER]);
    this.#stored = row?.lsn;
    this.#position = row?.lsn ?? 0;
    return row?.lsn;
  }

  async save(lsn: number): Promise<void> {
    this.#position = lsn;
    if (this.#stored === undefined || lsn - this.#stored >= LAG || lsn < this.#stored) await this.flush();
  }

  /**
   * Stores the position together with the effects of the changes up to it. `at`: time of the last of these changes, in
   * milliseconds since 1970.
   */
  async saveWithin(tx: Transaction, lsn: number, at: number): Promise<void> {
    await tx.run(UPSERT_CURSOR, [SUBSCRIBER, lsn]);
    await tx.run(UPSERT_SETTING, [HANDLED_AT, String(at)]);
    tx.onCommit(() => {
      this.#stored = lsn;
      this.#position = lsn;
    });
  }

  /** Stores the position if it is not there yet. */
  async flush(): Promise<void> {
    const position = this.#position;
    if (position === this.#stored) return;
    await this.#sql.transaction((tx) => tx.run(UPSERT_CURSOR, [SUBSCRIBER, position]));
    this.#stored = position;
  }

  /** Everything written up to this time is certainly in the queue; undefined when nothing ever was. */
  async handledAt(): Promise<number | undefined> {
    const row = await this.#sql.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', [HANDLED_AT]);
    return row && Number(row.value);
  }

  /** Removes the position in the feed, which would hold back its pruning. Costs nothing when there is none. */
  async forget(): Promise<void> {
    if ((await this.load()) === undefined) return;
    await this.#sql.transaction((tx) => tx.run('DELETE FROM cursors WHERE subscriber = ?', [SUBSCRIBER]));
    this.#stored = undefined;
  }
}
