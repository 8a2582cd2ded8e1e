import { randomBytes } from 'node:crypto';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { type Post, signatureHeaders } from '../../net/index.ts';
import type { RunChange } from '../queue/port.ts';

/** A notification as stored in the outbox of its webhook. */
export interface Letter {
  /** The same for all attempts. */
  readonly id: string;
  /** `run.` and the new state of the run. */
  readonly event: string;
  readonly runId: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The JSON to send. */
  readonly body: string;
}

/** The body that a webhook receives: the change, the run after it, and its result in JSON, or null. */
export function letterOf(webhook: string, { run: { id: runId, state }, from, reason }: RunChange,
  { run, result }: { readonly run: Run; readonly result: unknown }, timestamp: number): Letter
{
  const id = `dlv_${randomBytes(12).toString('hex')}`;
  const event = `run.${state}`;
  const body = JSON.stringify({
    event,
    delivery_id: id,
    webhook,
    timestamp,
    from,
    reason: reason ?? null,
    run,
    result,
  });
  return { id, event, runId, timestamp, body };
}

interface Sending {
  readonly name: string;
  readonly url: string;
  /** Key of the signature; empty for no signature. */
  readonly secret: string;
  /** Version of this build. */
  readonly version: string;
  /** When the attempt is sent, in Unix seconds. */
  readonly now: number;
}

/** The request of one attempt, with the same headers as webhooks of the document service. */
export function postOf({ id, event, body: text }: Letter, { name, url, secret, version, now }: Sending): Post {
  const body = new TextEncoder().encode(text);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `quire-runs/${version}`,
    'X-SVC-Event': event,
    'X-SVC-Webhook-ID': name,
    'X-SVC-Delivery': id,
    'X-SVC-Timestamp': String(now),
    ...signatureHeaders(secret, { id, timestamp: now, body }),
  };
  return { url, headers, body };
}
