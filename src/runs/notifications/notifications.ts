import type { Operations } from '../../../generated/runs/operations.ts';
import type { NotificationDeadLetter, NotificationWebhook } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { type Handlers, Reply } from '../../operations/index.ts';
import { outbox, type Queries, type Transaction } from '../../storage/index.ts';
import type { Audit } from '../audit/index.ts';
import { actorOf } from '../auth/index.ts';
import type { NotificationConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { decodeCursor, pageSize, toPage } from '../pages/index.ts';
import type { ChangingListener, RunChange } from '../queue/port.ts';
import { presentResult, type Runs } from '../runs/index.ts';
import { countDeadLetters, type DeadLetter, listDeadLetters, takeDeadLetters } from './dead-letter-rows.ts';
import { Deliveries, type DeliveriesDeps } from './deliveries.ts';
import { letterOf } from './letter.ts';

type Names = 'listNotifications' | 'listNotificationDeadLetters' | 'redeliverNotifications';

interface NotificationsDeps extends Pick<DeliveriesDeps, 'variables' | 'onOutcome'> {
  readonly audit: Audit;
  readonly present: Runs['present'];
}

/** Webhooks that are notified when runs change. */
export interface Notifications {
  readonly handlers: Required<Pick<Handlers<Operations>, Names>>;
  /** Adds a change to the outboxes of the webhooks that want it, in the transaction that makes the change. */
  readonly notify: ChangingListener;
  /** Starts delivering. */
  start(): Promise<void>;
  /** Waits for a short time for deliveries under way; safe twice. The rest is delivered after the next start. */
  stop(): Promise<void>;
}

/** The number of a dead letter, used as its id in cursors. */
const SEQ = /^[1-9]\d{0,15}$/;

export function createNotifications(env: RunsEnvironment,
  { variables, onOutcome, audit, present }: NotificationsDeps): Notifications
{
  const { sql, clock, config } = env;
  const deliveries = new Deliveries({ env, variables, onOutcome });
  const webhooks = (): readonly NotificationConfig[] => config.current().config.notifications.webhooks;
  let unsubscribe = (): void => {};
  return {
    async notify(tx, change) {
      const { state, projectId } = change.run;
      const receivers = webhooks().filter((each) =>
        each.enabled && each.states.includes(state) && (each.projects?.includes(projectId) ?? true)
      );
      if (receivers.length === 0) return;
      const shown = { run: present(change.run), result: await resultOf(tx, change.run) };
      for (const { name } of receivers) {
        await outbox.lockOutbox(tx, name);
        await outbox.enqueue(tx, name, [JSON.stringify(letterOf(name, change, shown, unixSeconds(clock)))]);
        tx.onCommit(() => deliveries.wake(name));
      }
    },
    async start() {
      unsubscribe = config.onChange(() => void deliveries.apply());
      await deliveries.apply();
    },
    async stop() {
      unsubscribe();
      await deliveries.stop();
    },
    handlers: {
      async listNotifications() {
        const [waiting, dead] = [await countWaiting(sql), await countDeadLetters(sql)];
        return {
          data: webhooks().map((webhook) =>
            presentWebhook(webhook, waiting.get(outbox.outboxLane(webhook.name)), dead.get(webhook.name),
              deliveries.lastErrorOf(webhook.name))
          ),
        };
      },
      async listNotificationDeadLetters({ limit, before }) {
        const size = pageSize(limit);
        const older = before === undefined ? undefined : Number(decodeCursor(before, SEQ).id);
        const { entries, next_cursor } = toPage(await listDeadLetters(sql, older, size + 1), size,
          ({ failedAt, seq }) => ({ at: failedAt, id: String(seq) }));
        return { data: entries.map(presentDeadLetter), next_cursor };
      },
      async redeliverNotifications({ name, delivery_id: id }, context) {
        if (!webhooks().some((webhook) => webhook.name === name))
          throw new ServiceError('notification_not_found',
            `there is no webhook ${JSON.stringify(name.slice(0, 80))} in notifications.webhooks`);
        const queued = await sql.transaction(async (tx) => {
          const letters = await takeDeadLetters(tx, name, id);
          if (id !== undefined && letters.length === 0)
            throw new ServiceError('notification_not_found', 'the webhook has no such dead letter');
          await outbox.lockOutbox(tx, name);
          await outbox.enqueue(tx, name, letters.map((letter) => JSON.stringify(letter)));
          if (letters.length > 0)
            await audit.record(tx, actorOf(context), 'redeliver', name, { notifications: letters.length });
          return letters.length;
        });
        deliveries.wake(name);
        return new Reply({ data: { queued } }, {}, 202);
      },
    },
  };
}

/** Most bytes of a result in a notification; a longer one can be read from the API. */
const MAX_RESULT_BYTES = 16_384;

/** The result of a finished run, if it is JSON and not too long; null otherwise. */
async function resultOf(tx: Transaction, { id, state }: RunChange['run']): Promise<unknown> {
  if (state !== 'succeeded' && state !== 'failed') return null;
  const row = await tx.get<{ type: string; body: Uint8Array }>(
    'SELECT s.type, s.body FROM run_results s JOIN runs r ON r.seq = s.seq WHERE r.id = ? AND s.type = ' +
      "'application/json' AND length(s.body) <= ?",
    [id, MAX_RESULT_BYTES],
  );
  return row === undefined ? null : presentResult(row).value;
}

/** Notifications that no webhook has accepted yet. */
export async function totalWaiting(from: Queries): Promise<number> {
  return (await from.get<{ n: number }>('SELECT count(*) AS n FROM delivery_outbox'))!.n;
}

/** By lane. */
async function countWaiting(from: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await from.all<{ lane: string; n: number }>(
    'SELECT lane, count(*) AS n FROM delivery_outbox GROUP BY lane',
  );
  return new Map(rows.map(({ lane, n }) => [lane, n]));
}

function presentWebhook({ name, url, projects, states, secret_env: variable }: NotificationConfig, waiting = 0,
  dead = 0, lastError: string | undefined): NotificationWebhook
{
  return {
    name,
    host: new URL(url).host,
    projects: projects && [...projects],
    states: [...states],
    signed: variable !== '',
    waiting,
    dead_letters: dead,
    last_error: lastError ?? null,
  };
}

function presentDeadLetter({ letter, webhook, attempts, status, error, failedAt }: DeadLetter): NotificationDeadLetter {
  return {
    delivery_id: letter.id,
    webhook,
    event: letter.event,
    run_id: letter.runId,
    timestamp: letter.timestamp,
    attempts,
    http_status: status === 0 ? null : status,
    error,
    failed_at: failedAt,
  };
}
