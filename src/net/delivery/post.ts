import { retryAfter } from '../../lib/headers.ts';
import type { AnswerHead } from '../guarded-sender.ts';
import type { Outbound } from '../outbound.ts';
import type { Outcome } from './lane.ts';
import { MAX_RETRY_AFTER_MS } from './schedule.ts';

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
      return outcomeOf(await send({ url, method, headers, ...(method !== 'GET' && { body }) }, signal));
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
