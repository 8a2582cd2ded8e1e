import type { Timer } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import { beginCursor, type Change, CHANGE_FLAGS, type Cursor, inList, type Queries, saveCursor, storedCursor,
  Subscriber, type Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type ServiceEvent, serviceEventOf } from '../events/index.ts';
import { loadingHere } from '../view/index.ts';
import type { Deliveries } from './deliveries.ts';
import { Evaluation, type Firing, type Written } from './evaluation.ts';
import type { PercolatedDocument } from './percolator.ts';
import { RuleIndex } from './rule-index.ts';
import { hasTrigger, type Rule } from './rule.ts';
import type { RuleSearchDeps } from './search.ts';

/** An event whose document waits for its vectors, or has them. */
interface PendingEvent {
  readonly lsn: number;
  readonly event: ServiceEvent;
}

async function addPending(tx: Transaction, event: ServiceEvent, isReady: boolean): Promise<void> {
  await tx.run(
    'INSERT INTO automation_pending(lsn, doc_id, ready, event) VALUES (?, ?, ?, ?) ON CONFLICT(lsn) DO NOTHING',
    [event.seq, event.docId, Number(isReady), JSON.stringify(event)],
  );
}

/** Marks the events of a document that has the vectors of its current body. */
async function markReady(tx: Transaction, docId: string): Promise<void> {
  await tx.run('UPDATE automation_pending SET ready = 1 WHERE doc_id = ?', [docId]);
}

async function forgetPendingOf(tx: Transaction, docId: string): Promise<void> {
  await tx.run('DELETE FROM automation_pending WHERE doc_id = ?', [docId]);
}

/** The oldest events whose documents have their vectors. */
async function readReady(queries: Queries, limit: number): Promise<PendingEvent[]> {
  const rows = await queries.all<{ lsn: number; event: string }>(
    'SELECT lsn, event FROM automation_pending WHERE ready = 1 ORDER BY lsn LIMIT ?',
    [limit],
  );
  return rows.map(({ lsn, event }) => ({ lsn, event: JSON.parse(event) as ServiceEvent }));
}

async function removePending(tx: Transaction, lsns: readonly number[]): Promise<void> {
  const { marks, params } = inList(lsns);
  await tx.run(`DELETE FROM automation_pending WHERE lsn IN (${marks})`, params);
}

/** Whether a document has vectors of its current body in a space. */
async function hasCurrentVectors(queries: Queries, space: string, ord: number): Promise<boolean> {
  return (await queries.get(
    'SELECT 1 AS one FROM documents d JOIN embeddings e ON e.ord = d.ord AND e.space = ? WHERE d.ord = ? AND ' +
      'd.crc = e.crc AND d.bytes = e.bytes',
    [space, ord],
  )) !== undefined;
}

/** Name of the cursor of triggers in the change feed. */
const CURSOR = 'automation';
const BATCH = 100;
/** Number of events that are evaluated together when their documents have vectors. */
const READY_BATCH = 20;
/** Milliseconds until a failed evaluation is tried again. */
const TROUBLE_MS = 5000;

interface TriggersDeps {
  readonly environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>;
  readonly timer: Timer;
  readonly search: RuleSearchDeps;
  readonly rules: () => Iterable<Rule>;
  readonly deliveries: Pick<Deliveries, 'add' | 'wake'>;
}

/**
 * Follows the change feed and fires triggers, independently of requests and from a stored cursor: after a crash no
 * event is missing and none is delivered under another id. Without triggers it does not follow the feed, so writes have
 * no extra cost. Triggers that compare vectors have a separate queue, because embedding may take long; they do not
 * delay the others.
 */
export class Triggers {
  readonly evaluation: Evaluation;
  readonly index: RuleIndex;
  readonly #deps: TriggersDeps;
  #subscriber: Subscriber | undefined;
  /** Evaluates events whose documents have their vectors. */
  readonly #waiting: Loop;
  /** The position that the latest batch stored. */
  #saved: number | undefined;
  #isFollowing = false;
  /** Whether the database may contain a cursor or waiting events. */
  #hasPlace = true;
  #steps: Promise<unknown> = Promise.resolve();

  constructor(deps: TriggersDeps) {
    const { environment, search, rules } = this.#deps = deps;
    this.index = new RuleIndex(search, rules);
    this.evaluation = new Evaluation({ environment, search, index: this.index });
    let isMore = false;
    this.#waiting = new Loop({
      name: 'triggers',
      everyMs: () => isMore ? 0 : Infinity,
      backoff: { initial: TROUBLE_MS, max: TROUBLE_MS },
      timer: deps.timer,
      log: environment.log,
      failure: 'triggers that compare vectors could not be evaluated; trying again',
    }, async (signal) => {
      const events = await readReady(environment.sql, READY_BATCH);
      isMore = events.length > 0;
      if (isMore) await loadingHere(() => this.#lookAt(events, signal), signal);
    });
  }

  /** Called within the transaction that stores a trigger: no change after its number in the change feed is missed. */
  async began(tx: Transaction, lsn: number): Promise<void> {
    this.#hasPlace = true;
    await beginCursor(tx, CURSOR, lsn);
  }

  /** Starts or stops following, depending on the rules; call it when they have changed. */
  apply(): Promise<void> {
    this.index.clear();
    this.#isFollowing = true;
    const step = this.#steps.then(
      () => (this.#hasTriggers ? void this.#start() : this.#halt().then(() => this.forget()))
    );
    this.#steps = step.catch(() => undefined);
    return step;
  }

  /**
   * Removes the cursor, unless there are triggers by now. When there are triggers again later, writes before that are
   * not evaluated.
   */
  async forget(): Promise<void> {
    if (!this.#hasPlace) return;
    await this.#deps.environment.sql.transaction(async (tx) => {
      if (this.#subscriber !== undefined || (this.#isFollowing && await hasTrigger(tx))) return;
      await tx.run('DELETE FROM cursors WHERE subscriber = ?', [CURSOR]);
      await tx.run('DELETE FROM automation_pending');
      this.#hasPlace = false;
    });
  }

  /** Waits for running work; harmless when repeated. `apply` starts again. */
  stop(): Promise<void> {
    this.#isFollowing = false;
    const step = this.#steps.then(() => this.#halt());
    this.#steps = step.catch(() => undefined);
    return step;
  }

  get #hasTriggers(): boolean {
    return Array.from(this.#deps.rules()).some(({ body }) => body.type === 'trigger');
  }

  async #halt(): Promise<void> {
    const subscriber = this.#subscriber;
    this.#subscriber = undefined;
    await Promise.all([subscriber?.stop(), this.#waiting.stop()]);
  }

  #start(): void {
    if (this.#subscriber !== undefined || !this.#isFollowing) return;
    this.#hasPlace = true;
    this.#saved = undefined;
    const { environment: { feed, log }, timer } = this.#deps;
    this.#subscriber = new Subscriber({
      feed,
      timer,
      batch: BATCH,
      cursor: this.#cursor(),
      begin: 'head',
      onGap: async ({ after, head }) => {
        log.warn({ after, head }, 'the change feed was replaced; triggers do not fire for what was lost with it');
        return head;
      },
      onFailure: (error, failures) =>
        log.warn({ err: error, failures }, 'triggers could not follow the change feed; trying again'),
      handle: (changes, signal) => loadingHere(() => this.#handle(changes, signal), signal),
    });
    this.#subscriber.start();
    this.#waiting.start();
  }

  /** A batch with effects has already stored its position with them. */
  #cursor(): Cursor {
    const stored = storedCursor(this.#deps.environment.sql, CURSOR);
    return { load: () => stored.load(), save: async (lsn) => (lsn === this.#saved ? undefined : stored.save(lsn)) };
  }

  /** Whether the vectors that triggers compare are those of the present body; others may have come first. */
  async #isReady({ collection, ord }: Change): Promise<boolean> {
    const { environment: { sql }, search } = this.#deps;
    if (ord === undefined || !await this.evaluation.comparesVectors(collection)) return true;
    return hasCurrentVectors(sql, search.vectors.of(collection).space, ord);
  }

  async #handle(changes: readonly Change[], signal: AbortSignal): Promise<void> {
    const { environment: { sql }, search, deliveries } = this.#deps;
    const { words } = search;
    await Promise.all([words.view.caughtUp(signal), words.columns.caughtUp(signal)]);
    const firings: Firing[] = [];
    const steps: ((tx: Transaction) => Promise<void>)[] = [];
    for (const change of changes) {
      signal.throwIfAborted();
      if (change.docId !== undefined && change.kind === 'vectors.put' && await this.#isReady(change))
        steps.push((tx) => markReady(tx, change.docId!));
      if (change.docId !== undefined && change.kind === 'doc.delete')
        steps.push((tx) => forgetPendingOf(tx, change.docId!));
      const event = serviceEventOf(change);
      if (event === undefined || change.kind !== 'doc.put' || event.isQuiet || isSystemCollection(event.collection))
        continue;
      const written = await this.#writtenOf(event, change);
      if (written === undefined) continue;
      firings.push(...await this.evaluation.byWords(written, signal));
      if (await this.evaluation.needsVectors(event)) {
        const isReady = (change.flags & (CHANGE_FLAGS.SKIP_EMBEDDINGS | CHANGE_FLAGS.EMBEDDING_DROPPED)) !== 0 ||
          await hasCurrentVectors(sql, search.vectors.of(event.collection).space, written.ord);
        steps.push((tx) => addPending(tx, event, isReady));
      }
    }
    if (firings.length + steps.length === 0) return;
    await sql.transaction(async (tx) => {
      await this.#keep(tx, firings);
      for (const step of steps) await step(tx);
      await saveCursor(tx, CURSOR, changes.at(-1)!.lsn);
    });
    this.#saved = changes.at(-1)!.lsn;
    for (const { rule } of firings) deliveries.wake(rule.id);
    if (steps.length > 0) this.#waiting.wake();
  }

  async #keep(tx: Transaction, firings: readonly Firing[]): Promise<void> {
    for (const [rule, own] of Map.groupBy(firings, (firing) => firing.rule))
      await this.#deps.deliveries.add(tx, rule, own.map(({ delivery }) => delivery));
  }

  /** Undefined for a document that was deleted meanwhile. If the feed contains the document, it need not be read. */
  async #writtenOf(event: ServiceEvent,
    { ord, document }: Pick<Change, 'ord' | 'document'> = {}): Promise<Written | undefined>
  {
    const { environment: { sql }, search } = this.#deps;
    const row = ord === undefined
      ? await sql.get<{ ord: number }>('SELECT ord FROM documents WHERE id = ?', [event.docId])
      : { ord };
    const content = document ?? (row && await search.readDocument(event));
    if (row === undefined || content === undefined) return undefined;
    const percolated: PercolatedDocument = {
      key: event.key,
      lang: event.lang,
      meta: content.meta,
      contentMd: content.contentMd,
    };
    return { event, ord: row.ord, document: percolated };
  }

  async #lookAt(events: readonly PendingEvent[], signal: AbortSignal): Promise<void> {
    const { environment: { sql }, search: { words, vectors }, deliveries } = this.#deps;
    await Promise.all([words.view.caughtUp(signal), words.columns.caughtUp(signal), vectors.view.caughtUp(signal)]);
    const firings: Firing[] = [];
    for (const { event } of events) {
      const written = await this.#writtenOf(event);
      if (written !== undefined) firings.push(...await this.evaluation.byVectors(written, signal));
    }
    await sql.transaction(async (tx) => {
      await this.#keep(tx, firings);
      await removePending(tx, events.map(({ lsn }) => lsn));
    });
    for (const { rule } of firings) deliveries.wake(rule.id);
  }
}
