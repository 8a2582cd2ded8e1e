import type { WebhookDeadLetter } from '../../../generated/docs/sdk/types.gen.ts';
import type { Queries, Row, Transaction } from '../../storage/index.ts';
import type { ServiceEvent } from '../events/index.ts';

/** Maximum number of dead letters of each webhook; the oldest are removed first. */
const MAX_DEAD_LETTERS = 10_000;

/** An event and the id of its delivery. */
export interface Letter {
  readonly id: string;
  readonly event: ServiceEvent;
}

interface DeadLetter extends Letter {
  readonly webhookId: string;
  readonly attempts: number;
  /** 0 for none. */
  readonly status: number;
  readonly error: string;
  /** Unix seconds. */
  readonly failedAt: number;
}

/** Returns how many older ones were removed for it. */
export async function writeDeadLetter(tx: Transaction,
  { id, webhookId, event, attempts, status, error, failedAt }: DeadLetter): Promise<number>
{
  await tx.run('DELETE FROM webhook_dead_letters WHERE id = ?', [id]);
  await tx.run(
    'INSERT INTO webhook_dead_letters(id, webhook, event, attempts, status, error, failed_at) VALUES (?, ?, ?, ?, ' +
      '?, ?, ?)',
    [id, webhookId, JSON.stringify(event), attempts, status, error, failedAt],
  );
  const surplus = await tx.get<{ seq: number }>(
    'SELECT seq FROM webhook_dead_letters WHERE webhook = ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
    [webhookId, MAX_DEAD_LETTERS],
  );
  if (surplus === undefined) return 0;
  return (await tx.run('DELETE FROM webhook_dead_letters WHERE webhook = ? AND seq <= ?', [webhookId, surplus.seq]))
    .changes;
}

interface DeadLetterRow extends Row {
  readonly id: string;
  readonly webhook: string;
  readonly event: string;
  readonly attempts: number;
  readonly status: number;
  readonly error: string;
  readonly failed_at: number;
}

/** Newest first; of one webhook or all. */
export async function readDeadLetters(queries: Queries, webhookId: string | undefined): Promise<WebhookDeadLetter[]> {
  const [where, params] = webhookId === undefined ? ['', []] : [' WHERE webhook = ?', [webhookId]];
  const rows = await queries.all<DeadLetterRow>(
    `SELECT id, webhook, event, attempts, status, error, failed_at FROM webhook_dead_letters${where} ORDER BY seq DESC`,
    params,
  );
  return rows.map((row) => {
    const { event, collection, key, lang, docId, timestamp } = JSON.parse(row.event) as ServiceEvent;
    return {
      deliveryId: row.id,
      webhookId: row.webhook,
      event,
      collection,
      key,
      lang,
      docId,
      timestamp,
      attempts: row.attempts,
      httpStatus: row.status || undefined,
      error: row.error,
      failedAt: row.failed_at,
    };
  });
}

/** Removes and returns dead letters, oldest first: one, or all of a webhook. */
export async function takeDeadLetters(tx: Transaction,
  { deliveryId, webhookId }: { deliveryId?: string | undefined; webhookId?: string | undefined }
): Promise<(Letter & { readonly webhookId: string })[]> {
  const conditions = [...(deliveryId === undefined ? [] : ['id = ?']),
    ...(webhookId === undefined ? [] : ['webhook = ?'])].join(' AND ');
  const params = [deliveryId, webhookId].filter((value) => value !== undefined);
  const rows = await tx.all<{ id: string; webhook: string; event: string }>(
    `SELECT id, webhook, event FROM webhook_dead_letters WHERE ${conditions} ORDER BY seq`,
    params,
  );
  await tx.run(`DELETE FROM webhook_dead_letters WHERE ${conditions}`, params);
  return rows.map(({ id, webhook, event }) => ({ id, webhookId: webhook, event: JSON.parse(event) as ServiceEvent }));
}

export async function removeDeadLetters(tx: Transaction, webhookId: string): Promise<void> {
  await tx.run('DELETE FROM webhook_dead_letters WHERE webhook = ?', [webhookId]);
}

/** By webhook. */
export async function countDeadLetters(queries: Queries): Promise<Map<string, number>> {
  const rows = await queries.all<{ webhook: string; n: number }>(
    'SELECT webhook, count(*) AS n FROM webhook_dead_letters GROUP BY webhook',
  );
  return new Map(rows.map(({ webhook, n }) => [webhook, n]));
}
