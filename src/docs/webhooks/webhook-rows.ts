import { type KeyRing, openSecret, type Queries, type Row, sealSecret, SECRETS,
  type Transaction } from '../../storage/index.ts';

/** Why a webhook is paused; empty if it is not. */
type Pause = '' | 'requested' | 'failing';

/** A webhook as it is stored. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** As given by the client. */
  readonly events: readonly string[];
  /** As given by the client; empty for every collection. */
  readonly collection: string;
  /** Empty means the secret of the server. */
  readonly secret: string;
  readonly pause: Pause;
  /** The error because of which it was paused. */
  readonly lastError: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

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

/** All webhooks, oldest first. Throws `internal` for a credential whose key is not configured. */
export async function readWebhooks(queries: Queries, keys: KeyRing | undefined): Promise<Webhook[]> {
  return (await queries.all<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks ORDER BY seq`)).map((row) => ({
    id: row.id,
    url: openSecret(keys, SECRETS.webhookUrl, row.id, row.url),
    events: JSON.parse(row.events) as string[],
    collection: row.collection,
    secret: openSecret(keys, SECRETS.webhookSecret, row.id, row.secret),
    pause: row.pause as Pause,
    lastError: row.last_error,
    createdAt: row.created_at,
  }));
}

/** Stores a webhook under its id, replacing an existing one. */
export async function writeWebhook(tx: Transaction, webhook: Webhook, keys: KeyRing | undefined): Promise<void> {
  const { id, url, events, collection, secret, pause, lastError, createdAt } = webhook;
  await tx.run(`INSERT INTO webhooks(${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET
       url = excluded.url, events = excluded.events, collection = excluded.collection, secret = excluded.secret, pause = excluded.pause, last_error = excluded.last_error`,
    [id, sealSecret(keys, SECRETS.webhookUrl, id, url), JSON.stringify(events), collection,
      sealSecret(keys, SECRETS.webhookSecret, id, secret), pause, lastError, createdAt]);
}

export async function removeWebhook(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM webhooks WHERE id = ?', [id]);
}
