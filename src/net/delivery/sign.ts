import { createHmac } from 'node:crypto';

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
