import { createHash, randomBytes } from 'node:crypto';
import type { Document, TestWebhookResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { type Timer, unixSeconds } from '../../lib/clock.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import { DeliveryEngine, type Failure, type LaneProgress, type Outbound, type Outcome, type Post, poster, type Progress,
  signatureHeaders } from '../../net/index.ts';
import { outbox, type Transaction } from '../../storage/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { BURST_EVENT, canonicalEvents, isServerEvent, type ServiceEvent } from '../events/index.ts';
import { shownUrl } from '../secrets.ts';
import { type Letter, writeDeadLetter } from './dead-letter-rows.ts';
import { feedLane, type LaneDuties, type LaneItem, outboxLaneOf, removeLanes, saveLanes,
  SharedReader } from './lanes.ts';
import type { Webhook } from './webhook-rows.ts';

interface DeliveriesDeps extends Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'log' | 'settings'> {
  readonly outbound: Outbound;
  readonly timer: Timer;
  readonly readDocument: Documents['readDocument'];
  /** The current state of the webhook; undefined when it is deleted. */
  readonly webhookOf: (id: string) => Webhook | undefined;
  /** Called when the endpoint has accepted nothing for 24 hours. */
  readonly onFailing: (id: string, error: string) => void;
}

/** Counters since the start. */
interface DeliveryCounts {
  delivered: number;
  failed: number;
  dead: number;
  /** Dead letters that were removed for newer ones. */
  dropped: number;
}

/** If there are many webhooks, wake-ups within this time in milliseconds are combined. */
const WAKE_MS = 20;
const MANY = 16;

const FROM_THE_START: Progress = { position: 0, open: [], failingMs: 0 };

/** Delivers events to each webhook that is not paused: those of the change feed, and those in its outbox. */
export class Deliveries {
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, dead: 0, dropped: 0 };
  readonly engine: DeliveryEngine;
  readonly #deps: DeliveriesDeps;
  readonly #reader: SharedReader;
  readonly #post: ReturnType<typeof poster>;
  /** Why the latest attempt of a webhook failed. */
  readonly #errors = new Map<string, string>();
  readonly #subscriptions = new WeakMap<Webhook, ReadonlySet<string>>();
  #running = new Set<string>();
  #steps: Promise<unknown> = Promise.resolve();
  #leave: (() => void) | undefined;
  #waking = false;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
    this.#reader = new SharedReader(deps.feed);
    this.#post = poster(deps.outbound);
    this.engine = new DeliveryEngine({
      timer: deps.timer,
      log: deps.log,
      save: (lanes) => deps.sql.transaction((tx) => saveLanes(tx, lanes)),
    });
  }

  start(): void {
    this.#leave ??= this.#deps.feed.join({
      wake: () => this.#wake(),
      position: () => this.engine.positionOf((lane) => outbox.logOf(lane) === 'feed'),
    });
  }

  /**
   * Starts or stops the lanes of a webhook according to its current state; calls run in order, and repeated calls are
   * harmless.
   */
  apply(id: string): Promise<void> {
    const step = this.#steps.then(() => this.#apply(id));
    this.#steps = step.catch((error: unknown) =>
      this.#deps.log.error({ err: error, webhook: id }, 'the deliveries of a webhook could not be started or stopped')
    );
    return step;
  }

  /** Call this when the outbox of a webhook has new deliveries. */
  wakeOutbox(id: string): void {
    this.engine.wake(outbox.outboxLane(id));
  }

  /**
   * Delivers the event `test` at once, also to a webhook that is paused: outside of the lanes, so that nothing of it is
   * counted, repeated or stored. Rejects with the reason of the signal.
   */
  async test(webhook: Webhook, signal: AbortSignal): Promise<TestWebhookResponse> {
    const { clock } = this.#deps;
    const begun = clock.now();
    const letter = testLetter(unixSeconds(clock));
    const { kind, ...result } = await this.#attempt(webhook, letter, signal);
    signal.throwIfAborted();
    return {
      deliveryId: letter.id,
      url: shownUrl(webhook.url),
      ok: kind === 'delivered',
      httpStatus: result.status,
      ...('error' in result && { error: result.error }),
      durationMs: Math.max(0, Math.round(clock.now() - begun)),
    };
  }

  lastErrorOf(id: string): string | undefined {
    return this.#errors.get(id);
  }

  /** Ends and removes all lanes without storing their progress, because the database was replaced. */
  async abandon(): Promise<void> {
    const lanes = [...this.#running].flatMap((id) => [id, outbox.outboxLane(id)]);
    await this.#steps;
    await Promise.all(lanes.map((lane) => this.engine.remove(lane, 0)));
    this.#running = new Set();
    this.#reader.forget();
  }

  /** Harmless when repeated. */
  async stop(): Promise<void> {
    this.#leave?.();
    this.#leave = undefined;
    await this.#steps;
    await this.engine.stop();
  }

  async #apply(id: string): Promise<void> {
    const webhook = this.#deps.webhookOf(id);
    const shouldRun = webhook?.pause === '';
    if (shouldRun === this.#running.has(id)) return;
    if (shouldRun) await this.#open(id);
    else await this.#shut(id, webhook !== undefined);
  }

  async #open(id: string): Promise<void> {
    const { sql, feed, log, webhookOf } = this.#deps;
    const [kept, box] = [await outbox.readLane(sql, id), await outbox.readLane(sql, outbox.outboxLane(id))];
    const duties = this.#dutiesOf(id);
    this.#running.add(id);
    this.engine.add(feedLane(id, kept ?? { ...FROM_THE_START, position: await feed.head() }, {
      feed,
      reader: this.#reader,
      wants: (event) => this.#wants(webhookOf(id), event),
      idOf: (event) => deliveryId({ id }, event),
      onGap: ({ after, head }) =>
        log.warn({ webhook: id, after, head },
          'the change feed was replaced; a webhook does not receive what was lost with it'),
    }, duties));
    this.engine.add(outboxLaneOf(id, box ?? FROM_THE_START, sql, duties));
  }

  async #shut(id: string, isKept: boolean): Promise<void> {
    this.#running.delete(id);
    if (!isKept) this.#errors.delete(id);
    const ended = await Promise.all(
      [id, outbox.outboxLane(id)].map((lane) => this.engine.remove(lane, isKept ? undefined : 0)),
    );
    const progress = ended.filter((lane): lane is LaneProgress => lane !== undefined);
    // A delivery that was being sent may have stored its progress after the webhook was deleted.
    await this.#deps.sql.transaction((tx) => (isKept ? saveLanes(tx, progress) : removeLanes(tx, id)));
  }

  #wants(webhook: Webhook | undefined, event: ServiceEvent): boolean {
    if (webhook === undefined) return false;
    if (event.event === BURST_EVENT) return true;
    if (!this.#subscriptionOf(webhook).has(event.event)) return false;
    if (isServerEvent(event.event)) return true;
    return webhook.collection === ''
      ? !isSystemCollection(event.collection)
      : webhook.collection.toLowerCase() === event.collection;
  }

  #subscriptionOf(webhook: Webhook): ReadonlySet<string> {
    const known = this.#subscriptions.get(webhook) ?? canonicalEvents(webhook.events);
    this.#subscriptions.set(webhook, known);
    return known;
  }

  #dutiesOf(id: string): LaneDuties {
    return {
      send: (item, signal) => this.#send(id, item, signal),
      storeFailed: (item, failure) => this.#storeFailed(id, item, failure),
      onFailing: () => this.#deps.onFailing(id, this.#errors.get(id) ?? ''),
    };
  }

  async #send(id: string, item: LaneItem, signal: AbortSignal): Promise<Outcome> {
    const webhook = this.#deps.webhookOf(id);
    // The lanes of the webhook are about to be removed.
    if (webhook === undefined) return { kind: 'failed', error: 'the webhook was deleted' };
    const outcome = await this.#attempt(webhook, item, signal);
    if (outcome.kind === 'delivered') {
      this.counts.delivered++;
      this.#errors.delete(id);
    } else if (!signal.aborted) {
      this.counts.failed++;
      this.#errors.set(id, outcome.error);
    }
    return outcome;
  }

  async #attempt(webhook: Webhook, { id, event }: Letter, signal: AbortSignal): Promise<Outcome> {
    const { clock, log, settings, readDocument } = this.#deps;
    try {
      const document = event.docId === ''
        ? {}
        : { document: event.event === 'doc.deleted' ? null : (await readDocument(event)) ?? null };
      const secret = webhook.secret || (settings.webhookSecret ?? '');
      return await this.#post(messageOf(webhook, { id, event }, {
        secret,
        version: settings.buildVersion,
        now: unixSeconds(clock),
        ...document,
      }), signal);
    } catch (error) {
      log.warn({ err: error, webhook: webhook.id }, 'a delivery could not be written; it is tried again');
      return { kind: 'failed', error: 'the server could not read the document' };
    }
  }

  async #storeFailed(webhookId: string, { id, event }: LaneItem,
    { error, status = 0, attempts }: Failure): Promise<void>
  {
    const { sql, clock, log } = this.#deps;
    const dropped = await sql.transaction((tx) =>
      writeDeadLetter(tx, { id, webhookId, event, attempts, status, error, failedAt: unixSeconds(clock) })
    );
    this.counts.dead++;
    this.counts.dropped += dropped;
    log.warn({ webhook: webhookId, delivery: id, event: event.event, attempts, error, dropped },
      'a delivery was given up');
  }

  #wake(): void {
    this.#reader.forget();
    if (this.#waking) return;
    this.#waking = true;
    setTimeout(() => {
      this.#waking = false;
      for (const id of this.#running) this.engine.wake(id);
    }, this.#running.size > MANY ? WAKE_MS : 0);
  }
}

/** Puts dead letters back into the outboxes of their webhooks. */
export async function enqueueLetters(tx: Transaction,
  letters: readonly (Letter & { readonly webhookId: string })[]): Promise<void>
{
  for (const [webhookId, own] of Map.groupBy(letters, (letter) => letter.webhookId)) {
    await outbox.enqueue(tx, webhookId, own.map(({ id, event }) => JSON.stringify({ id, event })));
  }
}

/** The id of a delivery. It is the same whenever the change is read again, so that receivers can drop repeats. */
export function deliveryId({ id }: Pick<Webhook, 'id'>, { seq, timestamp }: ServiceEvent): string {
  return `dlv_${createHash('sha256').update(`${id}/${seq}/${timestamp}`).digest('hex').slice(0, 24)}`;
}

/** A delivery that only tests an endpoint: it is about nothing that is stored, and its id is not that of any change. */
function testLetter(timestamp: number): Letter {
  return {
    id: `dlv_${randomBytes(12).toString('hex')}`,
    event: { event: 'test', seq: 0, collection: '', key: '', lang: '', docId: '', timestamp, isQuiet: false },
  };
}

interface MessageContext {
  /** Key of the signature; empty for none. */
  readonly secret: string;
  /** Version of this build. */
  readonly version: string;
  /** When the attempt is sent, in Unix seconds. */
  readonly now: number;
  /** The current document of a document's event; null when it was removed, absent for other events. */
  readonly document?: Document | null;
}

/** One attempt of a delivery (decisions, section 6). */
function messageOf(webhook: Webhook, { id, event: { event, collection, key, lang, docId, timestamp, detail } }: Letter,
  { secret, version, now, document }: MessageContext): Post
{
  const content = {
    event,
    deliveryId: id,
    webhookId: webhook.id,
    collection,
    key,
    lang,
    docId,
    timestamp,
    document,
    detail,
  };
  const body = new TextEncoder().encode(JSON.stringify(content));
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `svc-webhook/${version}`,
    'X-SVC-Event': event,
    'X-SVC-Webhook-ID': webhook.id,
    'X-SVC-Delivery': id,
    'X-SVC-Timestamp': String(now),
    ...signatureHeaders(secret, { id, timestamp: now, body }),
  };
  return { url: webhook.url, headers, body };
}
