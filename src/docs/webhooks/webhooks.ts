import { randomBytes } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Webhook as WebhookAnswer } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer, unixSeconds } from '../../lib/clock.ts';
import type { Outbound } from '../../net/index.ts';
import type { Handlers, Standing } from '../../operations/index.ts';
import { outbox, type Transaction } from '../../storage/index.ts';
import type { Documents } from '../documents/index.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';
import { checkSigningSecret, keepQuery, requireSecret, shownUrl, warnOfSecrets } from '../secrets.ts';
import { countDeadLetters, readDeadLetters, removeDeadLetters, takeDeadLetters } from './dead-letter-rows.ts';
import { Deliveries, enqueueLetters } from './deliveries.ts';
import { forgetFailures, removeLanes, saveLanes } from './lanes.ts';
import { readWebhooks, removeWebhook, type Webhook, writeWebhook } from './webhook-rows.ts';

type WebhookHandlers = Required<
  Pick<Handlers<Operations>,
    'listWebhooks' | 'createWebhook' | 'updateWebhook' | 'deleteWebhook' | 'listWebhookDeadLetters'
      | 'redeliverWebhooks' | 'testWebhook'>
>;

/** The webhooks: which endpoints receive which events, and their delivery. */
export interface Webhooks {
  readonly handlers: WebhookHandlers;
  /** Reads the webhooks. Call it before `work`, and again after the database was replaced. */
  load(): Promise<void>;
  /** Starts to deliver. Not for read-only servers, which cannot store their progress. */
  work(): Promise<void>;
  /** Delivers what another node has put into outboxes. */
  wake(): Promise<void>;
  /** Waits briefly for running deliveries; harmless when repeated. */
  stop(): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

interface WebhooksAreas {
  readonly outbound: Outbound;
  readonly documents: Pick<Documents, 'readDocument'>;
  readonly timer?: Timer;
}

/** Decisions, section 8. */
const MAX_WEBHOOKS = 1000;

interface Deps {
  readonly environment: DocsEnvironment;
  readonly outbound: Outbound;
  /** By id, oldest first. */
  readonly book: Map<string, Webhook>;
  readonly deliveries: Deliveries;
  isRunning: boolean;
}

export function createWebhooks(environment: DocsEnvironment,
  { outbound, documents, timer = systemTimer }: WebhooksAreas): Webhooks
{
  const { sql, feed, clock, log, settings, keys } = environment;
  const book = new Map<string, Webhook>();
  const deliveries: Deliveries = new Deliveries({
    sql,
    feed,
    clock,
    log,
    settings,
    outbound,
    timer,
    readDocument: documents.readDocument,
    webhookOf: (id) => book.get(id),
    onFailing: (id, error) => void pauseFailing(deps, id, error),
  });
  const deps: Deps = { environment, outbound, book, deliveries, isRunning: false };
  const applyAll = async (): Promise<void> => {
    if (deps.isRunning) await Promise.all([...book.keys()].map((id) => deliveries.apply(id)));
  };
  return {
    handlers: createHandlers(deps),
    async load() {
      await deliveries.abandon();
      const webhooks = await readWebhooks(sql, keys);
      book.clear();
      for (const webhook of webhooks) book.set(webhook.id, webhook);
      await applyAll();
    },
    async work() {
      deps.isRunning = true;
      warnOfSecrets(log, 'webhook', book.values());
      deliveries.start();
      await applyAll();
    },
    async wake() {
      if (deps.isRunning) { for (const id of await outbox.outboxesInUse(sql)) deliveries.wakeOutbox(id); }
    },
    async stop() {
      deps.isRunning = false;
      await deliveries.stop();
    },
    registerMetrics: (registers) => registerMetrics(registers, deliveries, book),
  };
}

function createHandlers(deps: Deps): WebhookHandlers {
  const { environment: { sql }, book, deliveries } = deps;
  return {
    async listWebhooks({ collection }) {
      const dead = await countDeadLetters(sql);
      const isHeard = (webhook: Webhook) =>
        collection === undefined || webhook.collection === '' ||
        webhook.collection.toLowerCase() === collection.toLowerCase();
      return [...book.values()].filter(isHeard).map((webhook) => present(webhook, deliveries, dead.get(webhook.id)));
    },
    createWebhook: (draft, context) => create(deps, draft, context),
    updateWebhook: (changes, context) => update(deps, changes, context),
    async deleteWebhook({ id }, context) {
      await remove(deps, id, context);
      return { status: 'deleted', id };
    },
    async listWebhookDeadLetters({ webhookId }) {
      const deadLetters = await readDeadLetters(sql, webhookId);
      return { deadLetters, total: deadLetters.length };
    },
    async redeliverWebhooks({ deliveryId, webhookId }, context) {
      if (deliveryId === undefined && webhookId === undefined)
        throw new ServiceError('missing_fields', 'missing fields: deliveryId or webhookId');
      if (webhookId !== undefined && !book.has(webhookId)) throw notFound();
      const letters = await transactFor(sql, context, async (tx) => {
        const taken = await takeDeadLetters(tx, { deliveryId, webhookId });
        await enqueueLetters(tx, taken);
        return taken;
      });
      if (deliveryId !== undefined && letters.length === 0) throw notFound();
      for (const id of new Set(letters.map((letter) => letter.webhookId))) deliveries.wakeOutbox(id);
      return { status: 'queued', queued: letters.length };
    },
    async testWebhook({ id }, { signal }) {
      const webhook = book.get(id);
      if (webhook === undefined) throw notFound();
      return deliveries.test(webhook, signal);
    },
  };
}

const notFound = (): ServiceError => new ServiceError('not_found', 'not found');

type Draft = Parameters<WebhookHandlers['createWebhook']>[0];

async function create(deps: Deps, { url, events, collection, secret = '' }: Draft,
  by: Standing): Promise<WebhookAnswer>
{
  const { environment: { sql, feed, clock, keys }, book, deliveries } = deps;
  checkUrl(deps, url);
  checkSigningSecret(secret);
  // The prefix tells a reader of a log what the id names.
  const webhook: Webhook = {
    id: `wh_${randomBytes(12).toString('hex')}`,
    url,
    events,
    collection,
    secret,
    pause: '',
    lastError: '',
    createdAt: unixSeconds(clock),
  };
  await transactFor(sql, by, async (tx) => {
    const { n } = (await tx.get<{ n: number }>('SELECT count(*) AS n FROM webhooks'))!;
    if (n >= MAX_WEBHOOKS) throw new ServiceError('invalid_argument', `at most ${MAX_WEBHOOKS} webhooks are kept`);
    await writeWebhook(tx, webhook, keys);
    const position = await feed.append(tx, [{ kind: 'webhook.put', collection: '', key: webhook.id }]);
    await saveLanes(tx, [{ lane: webhook.id, position, open: [], failingMs: 0 }]);
    tx.onCommit(() => book.set(webhook.id, webhook));
  });
  if (deps.isRunning) await deliveries.apply(webhook.id);
  return present(webhook, deliveries, 0);
}

type Changes = Parameters<WebhookHandlers['updateWebhook']>[0];

async function update(deps: Deps, { id, paused, ...given }: Changes, by: Standing): Promise<WebhookAnswer> {
  const { environment: { sql }, book, deliveries } = deps;
  if (given.url !== undefined) checkUrl(deps, given.url);
  checkSigningSecret(given.secret);
  const webhook = await transactFor(sql, by, async (tx) => {
    const stored = book.get(id);
    if (stored === undefined) throw notFound();
    const changes = given.url === undefined ? given : { ...given, url: keepQuery(stored.url, given.url) };
    requireSecret({ secret: 'secret', target: 'url' }, { secret: stored.secret, target: stored.url }, {
      secret: changes.secret,
      target: changes.url,
    });
    // An endpoint that has failed for 24 hours gets another 24 hours of attempts.
    if (paused === false && stored.pause !== '') await forgetFailures(tx, id);
    const pause = paused === undefined ? stored.pause : paused ? (stored.pause || 'requested') : '';
    return put(deps, tx, {
      ...stored,
      ...withoutAbsent(changes),
      secret: changes.secret || stored.secret,
      pause,
      lastError: pause === '' ? '' : stored.lastError,
    });
  });
  if (deps.isRunning) await deliveries.apply(id);
  return present(webhook, deliveries, (await countDeadLetters(sql)).get(id));
}

function withoutAbsent<T extends object>(changes: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

async function put({ environment: { feed, keys }, book }: Deps, tx: Transaction, webhook: Webhook): Promise<Webhook> {
  await writeWebhook(tx, webhook, keys);
  await feed.append(tx, [{ kind: 'webhook.put', collection: '', key: webhook.id }]);
  tx.onCommit(() => book.set(webhook.id, webhook));
  return webhook;
}

async function remove({ environment: { sql, feed }, book, deliveries, isRunning }: Deps, id: string,
  by: Standing): Promise<void>
{
  await transactFor(sql, by, async (tx) => {
    if (!book.has(id)) throw notFound();
    await removeWebhook(tx, id);
    await removeDeadLetters(tx, id);
    await removeLanes(tx, id);
    await feed.append(tx, [{ kind: 'webhook.delete', collection: '', key: id }]);
    tx.onCommit(() => book.delete(id));
  });
  if (isRunning) await deliveries.apply(id);
}

/** Pauses a webhook that has accepted nothing for 24 hours; its progress is kept. Never rejects. */
async function pauseFailing(deps: Deps, id: string, error: string): Promise<void> {
  const { environment: { sql, log }, book, deliveries } = deps;
  try {
    await sql.transaction(async (tx) => {
      const stored = book.get(id);
      if (stored !== undefined) await put(deps, tx, { ...stored, pause: stored.pause || 'failing', lastError: error });
    });
    log.warn({ webhook: id, error },
      'a webhook accepted nothing for a day and is paused; resume it when its endpoint works');
    await deliveries.apply(id);
  } catch (failure) {
    log.error({ err: failure, webhook: id }, 'a webhook that keeps failing could not be paused');
  }
}

function checkUrl({ outbound }: Deps, url: string): void {
  const refusal = outbound.refusal(url);
  if (refusal !== undefined) throw new ServiceError('invalid_argument', `url: ${refusal}`);
}

function present({ id, url, events, collection, secret, pause, lastError, createdAt }: Webhook, deliveries: Deliveries,
  deadLetters = 0): WebhookAnswer
{
  const error = deliveries.lastErrorOf(id) ?? lastError;
  return {
    id,
    url: shownUrl(url),
    events: [...events],
    collection,
    secretSet: secret !== '',
    createdAt,
    paused: pause !== '',
    pauseReason: pause || undefined,
    lastError: error || undefined,
    deadLetters,
  };
}

function registerMetrics(registers: Registry[], deliveries: Deliveries, book: ReadonlyMap<string, Webhook>): void {
  new Counter({
    name: 'svc_webhook_deliveries_total',
    help: 'Deliveries by outcome: `failed` counts attempts, `dropped` dead letters that went for newer ones.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(deliveries.counts)) this.inc({ outcome }, count as number);
    },
  });
  new Gauge({
    name: 'svc_webhook_waiting',
    help: 'Deliveries in memory that are not done.',
    registers,
    collect() {
      this.set(deliveries.engine.waiting);
    },
  });
  new Gauge({
    name: 'svc_webhooks',
    help: 'Webhooks by state: `down` are those whose endpoint accepts nothing at present.',
    labelNames: ['state'],
    registers,
    collect() {
      const paused = [...book.values()].filter(({ pause }) => pause !== '').length;
      this.set({ state: 'active' }, book.size - paused);
      this.set({ state: 'paused' }, paused);
      this.set({ state: 'down' }, deliveries.engine.down);
    },
  });
}
