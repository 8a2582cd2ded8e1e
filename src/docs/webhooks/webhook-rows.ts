import { isSealedText, type KeyRing, type Queries, type Row, type Transaction } from '../../storage/index.ts';
import type { Pause, Webhook } from './webhook.ts';

interface WebhookRow extends Row {
  readonly id: string;
  readonly url: string;
  readonly events: string;
  readonly collection: string;
  readonly secret: string;
  readonly pause: string;
  readonly last_error: string;
  readonly created_at: number;
}

const COLUMNS = 'id, url, events, collection, secret, pause, last_error, created_at';

/** All webhooks, oldest first. Throws `internal` for a secret whose key is not configured. */
export async function readWebhooks(queries: Queries, keys: KeyRing | undefined): Promise<Webhook[]> {
  return (await queries.all<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks ORDER BY seq`)).map((row) => ({
    id: row.id, url: row.url, events: JSON.parse(row.events) as string[], collection: row.collection,
    secret: openSecret(row, keys), pause: row.pause as Pause, lastError: row.last_error, createdAt: row.created_at,
  }));
}

/** Stores a webhook under its id, replacing an existing one. */
export async function writeWebhook(tx: Transaction, webhook: Webhook, keys: KeyRing | undefined): Promise<void> {
  const { id, url, events, collection, pause, lastError, createdAt } = webhook;
  await tx.run(
    `INSERT INTO webhooks(${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET
       url = excluded.url, events = excluded.events, collection = excluded.collection, secret = excluded.secret, pause = excluded.pause, last_error = excluded.last_error`,
    [id, url, JSON.stringify(events), collection, sealSecret(webhook, keys), pause, lastError, createdAt],
  );
}

export async function removeWebhook(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM webhooks WHERE id = ?', [id]);
}

const boundTo = (id: string): string => `\0webhook\0${id}`;

function sealSecret({ id, secret }: Webhook, keys: KeyRing | undefined): string {
  return secret === '' || keys === undefined ? secret : keys.seal(Buffer.from(secret, 'utf8'), boundTo(id)).toString('base64');
}

function openSecret({ id, secret }: WebhookRow, keys: KeyRing | undefined): string {
  return keys === undefined || !isSealedText(secret) ? secret : keys.open(Buffer.from(secret, 'base64'), boundTo(id)).toString('utf8');
}
