import type { Timer } from '../../lib/timer.ts';
import { beginCursor, CHANGE_FLAGS, saveCursor, storedCursor, Subscriber, type Change, type Cursor, type Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { serviceEventOf, type ServiceEvent } from '../events/index.ts';
import type { Deliveries } from './deliveries.ts';
import { Evaluation, type Firing, type Written } from './evaluation.ts';
import type { PercolatedDocument } from './percolator.ts';
import { addPending, forgetPendingOf, hasCurrentVectors, markReady, type PendingEvent, readReady, removePending } from './pending-rows.ts';
import type { Rule } from './rule.ts';
import { hasTrigger } from './rule-rows.ts';
import { RuleIndex } from './rule-index.ts';
import type { RuleSearchDeps } from './search.ts';

/** Under which the change feed knows how far triggers have come. */
export const CURSOR = 'automation';
const BATCH = 100;
/** Events that are looked at together once their documents have vectors. */
const READY_BATCH = 20;
/** Until what could not be evaluated is tried again. */
const TROUBLE_MS = 5000;

export interface TriggersDeps {
  readonly environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>;
  readonly timer: Timer;
  readonly search: RuleSearchDeps;
  readonly rules: () => Iterable<Rule>;
  readonly deliveries: Pick<Deliveries, 'add' | 'wake'>;
}

/**
 * Follows the change feed and fires triggers, off the path of requests and from a stored cursor: after a crash no event is
 * missing and none is delivered under another id. Without triggers it does not follow, so that writes cost nothing more.
 * Triggers that compare vectors have a queue of their own, because embedding may take long: they hold up no others.
 */
export class Triggers {
  readonly evaluation: Evaluation;
  readonly index: RuleIndex;
  readonly #deps: TriggersDeps;
  #subscriber: Subscriber | undefined;
  #stopping: AbortController | undefined;
  #waiting: Promise<void> | undefined;
  #ready = Promise.withResolvers<void>();
  /** The cursor that the latest batch stored. */
  #saved: number | undefined;
  #isFollowing = false;
  /** Whether the database may have a cursor or events that wait. */
  #hasPlace = true;
  #steps: Promise<unknown> = Promise.resolve();

  constructor(deps: TriggersDeps) {
    const { environment, search, rules } = this.#deps = deps;
    this.index = new RuleIndex(search, rules);
    this.evaluation = new Evaluation({ environment, search, index: this.index });
  }

  /** Within the transaction that stores a trigger: from its number in the change feed on, nothing is missed. */
  async began(tx: Transaction, lsn: number): Promise<void> {
    this.#hasPlace = true;
    await beginCursor(tx, CURSOR, lsn);
  }

  /** Follows, or not, as the rules ask for; to be called when they have changed. */
  apply(): Promise<void> {
    this.index.clear();
    this.#isFollowing = true;
    const step = this.#steps.then(() => (this.#hasTriggers ? void this.#start() : this.#halt().then(() => this.forget())));
    this.#steps = step.catch(() => undefined);
    return step;
  }

  /** Gives up the place in the feed, unless there are triggers by now: what is written from now on is not looked at when there are some again. */
  async forget(): Promise<void> {
    if (!this.#hasPlace) return;
    await this.#deps.environment.sql.transaction(async (tx) => {
      if (this.#subscriber !== undefined || (this.#isFollowing && await hasTrigger(tx))) return;
      await tx.run('DELETE FROM cursors WHERE subscriber = ?', [CURSOR]);
      await tx.run('DELETE FROM automation_pending');
      this.#hasPlace = false;
    });
  }

  /** Waits for what is under way. Safe twice; `apply` starts again. */
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
    const [subscriber, waiting] = [this.#subscriber, this.#waiting];
    this.#subscriber = this.#waiting = undefined;
    this.#stopping?.abort();
    this.#ready.resolve();
    await subscriber?.stop();
    await waiting;
  }

  #start(): void {
    if (this.#subscriber !== undefined || !this.#isFollowing) return;
    this.#hasPlace = true;
    this.#saved = undefined;
    const { environment: { feed, log }, timer } = this.#deps;
    this.#subscriber = new Subscriber({
      feed, timer, batch: BATCH, cursor: this.#cursor(), begin: 'head',
      onGap: async ({ after, head }) => {
        log.warn({ after, head }, 'the change feed was replaced; triggers do not fire for what was lost with it');
        return head;
      },
      onFailure: (error, failures) => log.warn({ err: error, failures }, 'triggers could not follow the change feed; trying again'),
      handle: (changes, signal) => this.#handle(changes, signal),
    });
    this.#subscriber.start();
    this.#stopping = new AbortController();
    this.#waiting = this.#work(this.#stopping.signal);
  }

  /** What a batch has made is stored with its cursor. */
  #cursor(): Cursor {
    const stored = storedCursor(this.#deps.environment.sql, CURSOR);
    return { load: () => stored.load(), save: async (lsn) => (lsn === this.#saved ? undefined : stored.save(lsn)) };
  }

  async #handle(changes: readonly Change[], signal: AbortSignal): Promise<void> {
    const { environment: { sql }, search: { words }, deliveries } = this.#deps;
    await Promise.all([words.view.caughtUp(signal), words.columns.caughtUp(signal)]);
    const firings: Firing[] = [];
    const steps: ((tx: Transaction) => Promise<void>)[] = [];
    for (const change of changes) {
      signal.throwIfAborted();
      if (change.docId !== undefined && change.kind === 'vectors.put') steps.push((tx) => markReady(tx, change.docId!));
      if (change.docId !== undefined && change.kind === 'doc.delete') steps.push((tx) => forgetPendingOf(tx, change.docId!));
      const event = serviceEventOf(change);
      if (event === undefined || change.kind !== 'doc.put' || event.isQuiet || event.collection.startsWith('_')) continue;
      const written = await this.#writtenOf(event, change);
      if (written === undefined) continue;
      firings.push(...await this.evaluation.byWords(written, signal));
      if (await this.evaluation.needsVectors(event)) {
        const isReady = (change.flags & (CHANGE_FLAGS.SKIP_EMBEDDINGS | CHANGE_FLAGS.EMBEDDING_DROPPED)) !== 0 || await hasCurrentVectors(sql, written.ord);
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
    if (steps.length > 0) this.#ready.resolve();
  }

  async #keep(tx: Transaction, firings: readonly Firing[]): Promise<void> {
    for (const [rule, own] of Map.groupBy(firings, (firing) => firing.rule)) await this.#deps.deliveries.add(tx, rule, own.map(({ delivery }) => delivery));
  }

  /** Undefined for a document that was deleted since. What the feed tells of it saves reading it. */
  async #writtenOf(event: ServiceEvent, { ord, document }: Pick<Change, 'ord' | 'document'> = {}): Promise<Written | undefined> {
    const { environment: { sql }, search } = this.#deps;
    const row = ord === undefined ? await sql.get<{ ord: number }>('SELECT ord FROM documents WHERE id = ?', [event.docId]) : { ord };
    const content = document ?? (row && await search.readDocument(event));
    if (row === undefined || content === undefined) return undefined;
    const percolated: PercolatedDocument = { key: event.key, lang: event.lang, meta: content.meta, contentMd: content.contentMd };
    return { event, ord: row.ord, document: percolated };
  }

  /** Looks at events whose documents have their vectors. Never rejects. */
  async #work(signal: AbortSignal): Promise<void> {
    const { environment: { sql, log }, timer } = this.#deps;
    while (!signal.aborted) {
      this.#ready = Promise.withResolvers<void>();
      if (signal.aborted) return;
      const awake = this.#ready.promise;
      try {
        const events = await readReady(sql, READY_BATCH);
        if (events.length === 0) await awake;
        else await this.#lookAt(events, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'triggers that compare vectors could not be evaluated; trying again');
        await timer.sleep(TROUBLE_MS, signal);
      }
    }
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
