import { createHmac } from 'node:crypto';
import { keyOf } from './secret.ts';

export interface Signed {
  /** Id of the delivery, the same for all its attempts. */
  readonly id: string;
  /** Time at which the attempt is sent, in Unix seconds. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/**
 * The headers that sign one attempt, in two formats: `X-SVC-Signature` over timestamp and body (decisions, section 6),
 * and `webhook-*` over id, timestamp and body (Standard Webhooks, standardwebhooks.com). Without a secret, there is no
 * signature; a secret from before keys were checked that has none signs in the first format alone, whose key is the
 * secret as it is written.
 */
export function signatureHeaders(secret: string, { id, timestamp, body }: Signed): Record<string, string> {
  const standard = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
  if (secret === '') return standard;
  const own = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const headers = { 'X-SVC-Signature': `sha256=${own}`, ...standard };
  const key = keyOf(secret);
  if (key === undefined) return headers;
  const theirs = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${theirs}` };
}
