import { createHash, randomBytes } from 'node:crypto';
import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { type Post, signatureHeaders } from '../../net/index.ts';
import type { ServiceEvent } from '../events/index.ts';
import type { Letter } from './dead-letter-rows.ts';
import type { Webhook } from './webhook-rows.ts';

/** The id of a delivery. It is the same whenever the change is read again, so that receivers can drop repeats. */
export function deliveryId({ id }: Pick<Webhook, 'id'>, { seq, timestamp }: ServiceEvent): string {
  return `dlv_${createHash('sha256').update(`${id}/${seq}/${timestamp}`).digest('hex').slice(0, 24)}`;
}

/** A delivery that only tests an endpoint: it is about nothing that is stored, and its id is not that of any change. */
export function testLetter(timestamp: number): Letter {
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
export function messageOf(webhook: Webhook,
  { id, event: { event, collection, key, lang, docId, timestamp, detail } }: Letter,
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
