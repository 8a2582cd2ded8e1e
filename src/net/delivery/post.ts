import { createHmac } from 'node:crypto';
import { retryAfter } from '../../lib/headers.ts';
import type { AnswerHead } from '../guarded-sender.ts';
import type { Outbound } from '../outbound.ts';
import { MAX_RETRY_AFTER_MS, type Outcome } from './lane.ts';

/** Prefix of secrets; the rest is the key in base64 (Standard Webhooks). */
const ENCODED = 'whsec_';
/**
 * Minimum length of such a key in bytes (Standard Webhooks); shorter ones are mostly words with the prefix before them.
 */
const MIN_KEY_BYTES = 24;
/** The URL-safe alphabet too, which Node decodes without asking. */
const BASE64 = /^([A-Za-z0-9+/_-]+)(={0,2})$/;

/**
 * The key with which `webhook-signature` is made: the decoded rest of a secret `whsec_…`, else the secret itself.
 * Undefined if the rest is not base64 as a whole: a decoder leaves out what it does not know, which makes a short or
 * even an empty key that others can guess.
 */
export function keyOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(ENCODED)) return Buffer.from(secret, 'utf8');
  const [encoded, digits = '', padding = ''] = BASE64.exec(secret.slice(ENCODED.length)) ?? [];
  if (encoded === undefined || digits.length % 4 === 1 || (padding !== '' && encoded.length % 4 !== 0))
    return undefined;
  return Buffer.from(encoded, 'base64');
}

/** Why a secret is not accepted, without the secret; undefined if it is. An empty one stands for no secret. */
export function secretRefusal(secret: string): string | undefined {
  const key = keyOf(secret);
  if (secret === '' || (key !== undefined && (key.length >= MIN_KEY_BYTES || !secret.startsWith(ENCODED))))
    return undefined;
  const got = key === undefined ? 'what is not base64' : `${key.length} bytes`;
  return `after "${ENCODED}", expected the base64 of a key of at least ${MIN_KEY_BYTES} bytes, got ${got}; make one with ` +
    `\`openssl rand -base64 32\`, or leave out the prefix`;
}

interface Signed {
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

export interface Post {
  readonly url: string;
  readonly method?: 'POST' | 'PUT' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Time limit for one attempt (decisions, section 6). */
const ATTEMPT_MS = 10_000;

/** Maximum number of bytes of a response that are read; they are read only so that the connection can be reused. */
const ANSWER_BYTES = 64 * 1024;

const GONE = 410;
const MAX_ERROR = 300;

/** Makes one attempt under the policy for outgoing requests, without following redirects. Never rejects. */
export function poster(outbound: Pick<Outbound, 'sender'>): (post: Post, signal: AbortSignal) => Promise<Outcome> {
  const send = outbound.sender({ timeoutMs: ATTEMPT_MS, maxBytes: ANSWER_BYTES });
  return async ({ url, method = 'POST', headers, body }, signal) => {
    try {
      return outcomeOf(await send({ url, method, headers, body: method === 'GET' ? undefined : body }, signal));
    } catch (error) {
      return { kind: 'failed', error: messageOf(error) };
    }
  };
}

function outcomeOf({ status, headers }: AnswerHead): Outcome {
  if (status >= 200 && status <= 299) return { kind: 'delivered', status };
  const error = `HTTP status ${status}`;
  if (status === GONE) return { kind: 'refused', error, status };
  const delay = retryAfter(headers) ?? 0;
  return { kind: 'failed', error, status, ...(delay > 0 && { retryAfterMs: Math.min(delay, MAX_RETRY_AFTER_MS) }) };
}

/** Errors of connections to several addresses have a code but no message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_ERROR);
  return (error.message || ('code' in error ? String(error.code) : error.name)).slice(0, MAX_ERROR);
}
