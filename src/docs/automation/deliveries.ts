import { type Timer, unixSeconds } from '../../lib/clock.ts';
import { DeliveryEngine, type LaneSource, type Outbound, type Outcome, poster, type Progress,
  type Sequenced } from '../../net/index.ts';
import { outbox, type Transaction } from '../../storage/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { removeLanes, saveLanes } from '../webhooks/index.ts';
import { type LogEntry, writeLogs } from './log-rows.ts';
import { type Delivery, fillUrl, hasOtherPath, messageOf, namesOf, type Variables, variablesOf } from './message.ts';
import type { FindRule, Rule } from './rule.ts';

/** A delivery in its lane, which keeps the order of the deliveries of each document. */
interface Item extends Sequenced {
  readonly delivery: Delivery;
}

/** Decisions, section 6. */
const MAX_ATTEMPTS = 4;
const BATCH = 200;
const FROM_THE_START: Progress = { position: 0, open: [], failingMs: 0 };

interface DeliveriesDeps {
  readonly environment: Pick<DocsEnvironment, 'sql' | 'clock' | 'log' | 'settings' | 'keys'>;
  readonly outbound: Outbound;
  readonly timer: Timer;
  readonly find: FindRule;
  readonly readDocument: Documents['readDocument'];
}

/** The attempts of a delivery that has begun. */
interface Attempts {
  readonly startedAt: number;
  count: number;
  /** The URL of the latest attempt. */
  url: string;
}

/** Where a delivery goes, or why it is not sent. */
type Target = { readonly url: string; readonly rule: Rule | undefined; readonly refusal?: undefined } | {
  readonly url: string;
  readonly refusal: string;
};

type End = Pick<LogEntry, 'status' | 'httpStatus' | 'error'>;

/** Delivers matches of rules: at least once, in order for each document, with a separate lane for each rule. */
export class Deliveries {
  /** Number of deliveries since the start, by outcome. */
  readonly counts = { success: 0, error: 0, skipped: 0 };
  readonly #deps: DeliveriesDeps;
  readonly #engine: DeliveryEngine;
  readonly #post: ReturnType<typeof poster>;
  readonly #attempts = new Map<string, Attempts>();
  readonly #opening = new Map<string, Promise<void>>();
  #isRunning = false;

  constructor(deps: DeliveriesDeps) {
    const { environment: { sql, log }, outbound, timer } = this.#deps = deps;
    this.#post = poster(outbound);
    this.#engine = new DeliveryEngine({ timer, log, save: (lanes) => sql.transaction((tx) => saveLanes(tx, lanes)) });
  }

  /** Starts to deliver what an earlier run left; harmless when repeated. */
  async start(): Promise<void> {
    this.#isRunning = true;
    for (const id of await outbox.outboxesInUse(this.#deps.environment.sql))
      if (this.#deps.find(id) !== undefined) this.wake(id);
  }

  /** Number of known deliveries that have not ended. */
  get waiting(): number {
    return this.#engine.waiting;
  }

  /** Ends the lane of a rule that was deleted, and removes its deliveries. */
  async remove(ruleId: string): Promise<void> {
    await this.#opening.get(ruleId);
    await this.#engine.remove(outbox.outboxLane(ruleId), 0);
    for (const name of this.#attempts.keys()) if (name.startsWith(`${ruleId}/`)) this.#attempts.delete(name);
    // A delivery that was being sent may have stored its progress after the rule was deleted.
    await this.#deps.environment.sql.transaction((tx) => removeLanes(tx, ruleId));
  }

  /** Ends all lanes without storing their progress, because the database was replaced. */
  async abandon(ruleIds: Iterable<string>): Promise<void> {
    await Promise.all(this.#opening.values());
    await Promise.all(Array.from(ruleIds, (id) => this.#engine.remove(outbox.outboxLane(id), 0)));
    this.#attempts.clear();
  }

  /**
   * Puts deliveries of one rule into its outbox; those of a disabled rule are logged instead. Call `wake` after the
   * commit.
   */
  async add(tx: Transaction, rule: Rule, deliveries: readonly Delivery[]): Promise<void> {
    if (rule.body.enabled) return outbox.enqueue(tx, rule.id, deliveries.map((delivery) => JSON.stringify(delivery)));
    const begun = { count: 0, startedAt: this.#deps.environment.clock.now(), url: '' };
    await this.#log(tx, deliveries.map((delivery) => this.#entryOf(delivery, DISABLED, begun)));
    tx.onCommit(() => (this.counts.skipped += deliveries.length));
  }

  /** Call this when the outbox of a rule has new deliveries. */
  wake(ruleId: string): void {
    if (!this.#isRunning) return;
    if (this.#engine.has(outbox.outboxLane(ruleId))) return this.#engine.wake(outbox.outboxLane(ruleId));
    if (this.#opening.has(ruleId)) return;
    this.#opening.set(ruleId, this.#open(ruleId).catch((error: unknown) => {
      this.#deps.environment.log.error({ err: error, rule: ruleId },
        'the deliveries of a rule could not be started; its next match tries again');
    }).finally(() => this.#opening.delete(ruleId)));
  }

  /** Waits briefly for running deliveries; harmless when repeated. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#opening.values());
    await this.#engine.stop();
  }

  async #open(ruleId: string): Promise<void> {
    const lane = outbox.outboxLane(ruleId);
    const { sql } = this.#deps.environment;
    const start = (await outbox.readLane(sql, lane)) ?? FROM_THE_START;
    const source: LaneSource<Item> = {
      id: lane,
      start,
      downAfter: Infinity,
      async read(after) {
        const rows = await outbox.readOutbox(sql, lane, after, BATCH);
        return { items: rows.map(itemOf), position: rows.at(-1)?.seq ?? after };
      },
      reread: async (seqs) => (await outbox.rereadOutbox(sql, lane, seqs)).map(itemOf),
      send: ({ delivery }, signal) => this.#send(delivery, signal),
      storeFailed: ({ delivery }, { error, status = 0 }) =>
        this.#end(delivery, { status: 'error', httpStatus: status, error }),
      onFailing: () => undefined,
    };
    if (this.#isRunning && this.#deps.find(ruleId) !== undefined) this.#engine.add(source);
  }

  /** Never rejects. */
  async #send(delivery: Delivery, signal: AbortSignal): Promise<Outcome> {
    const { environment: { clock, log, settings }, find } = this.#deps;
    const rule = find(delivery.ruleId);
    // The lane of the rule is about to be removed.
    if (rule === undefined) return { kind: 'failed', error: 'the rule was deleted' };
    const attempts = this.#attempts.get(nameOf(delivery)) ?? { startedAt: clock.now(), count: 0, url: '' };
    this.#attempts.set(nameOf(delivery), attempts);
    try {
      const document = (await this.#deps.readDocument(delivery)) ?? null;
      const names = namesOf(rule, find);
      const variables = variablesOf({ ...delivery, ...names, document, webhookId: rule.body.webhookId ?? '' });
      const target = this.#targetOf(rule, variables);
      attempts.url = target.url;
      if (target.refusal !== undefined) {
        await this.#end(delivery, { ...DISABLED, error: target.refusal });
        return { kind: 'delivered' };
      }
      attempts.count++;
      const secret = settings.webhookSecret ?? '';
      const outcome = await this.#post(messageOf(delivery, {
        url: target.url,
        names,
        variables,
        document,
        target: target.rule,
        secret,
        version: settings.buildVersion,
        now: unixSeconds(clock),
      }), signal);
      if (outcome.kind === 'delivered')
        await this.#end(delivery, { status: 'success', httpStatus: outcome.status ?? 0, error: '' });
      return outcome.kind === 'failed' && attempts.count >= MAX_ATTEMPTS && !signal.aborted
        ? { ...outcome, kind: 'refused' }
        : outcome;
    } catch (error) {
      log.warn({ err: error, rule: rule.id },
        'a delivery of an automation rule could not be read or logged; it is tried again');
      return { kind: 'failed', error: 'the server could not read or log the delivery' };
    }
  }

  #targetOf({ body: { enabled, webhookId, webhookUrl } }: Rule, variables: Variables): Target {
    const rule = webhookId ? this.#deps.find(webhookId) : undefined;
    if (webhookId && rule?.body.type !== 'webhook') return { url: '', refusal: 'its webhook target does not exist' };
    const template = rule?.body.url ?? webhookUrl;
    const url = fillUrl(template, variables);
    if (!enabled) return { url, refusal: DISABLED.error };
    if (rule?.body.enabled === false) return { url, refusal: 'its webhook target is disabled' };
    if (url === '') return { url, refusal: 'it has no webhook target' };
    if (hasOtherPath(template, url)) return { url, refusal: 'a variable would change the path of its URL' };
    const refusal = this.#deps.outbound.refusal(url);
    return refusal === undefined ? { url, rule } : { url, refusal };
  }

  async #end(delivery: Delivery, end: End): Promise<void> {
    const { environment: { sql, clock } } = this.#deps;
    const begun = this.#attempts.get(nameOf(delivery)) ?? { startedAt: clock.now(), count: 0, url: '' };
    await sql.transaction((tx) => this.#log(tx, [this.#entryOf(delivery, end, begun)]));
    this.#attempts.delete(nameOf(delivery));
    this.counts[end.status]++;
  }

  #entryOf({ id, ruleId, event, collection, docId, score }: Delivery, end: End,
    { count, startedAt, url }: Attempts): LogEntry
  {
    const { environment: { clock }, find } = this.#deps;
    const { name = '', webhookId = '' } = find(ruleId)?.body ?? {};
    return {
      delivery: id,
      timestamp: unixSeconds(clock),
      ruleId,
      ruleName: name,
      ruleType: event === 'cron.fired' ? 'cron' : 'trigger',
      webhookId,
      webhookUrl: url,
      ...end,
      durationMs: Math.max(0, Math.round(clock.now() - startedAt)),
      attempt: Math.min(count, MAX_ATTEMPTS),
      collection,
      docId,
      score,
    };
  }

  async #log(tx: Transaction, entries: readonly LogEntry[]): Promise<void> {
    const { settings, keys } = this.#deps.environment;
    if (settings.automation?.logs !== false) await writeLogs(tx, entries, keys);
  }
}

const DISABLED: End = { status: 'skipped', httpStatus: 0, error: 'the rule is disabled' };

function nameOf({ ruleId, id }: Delivery): string {
  return `${ruleId}/${id}`;
}

function itemOf({ seq, delivery: json }: { readonly seq: number; readonly delivery: string }): Item {
  const delivery = JSON.parse(json) as Delivery;
  return { seq, group: delivery.collection, key: delivery.docId, delivery };
}
