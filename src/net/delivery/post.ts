import type { Outbound } from '../outbound.ts';
import type { Outcome } from './lane.ts';
import { MAX_RETRY_AFTER_MS } from './schedule.ts';

export interface Post {
  readonly url: string;
  readonly method?: 'POST' | 'PUT' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Longest that one attempt may take (decisions, section 6). */
const ATTEMPT_MS = 10_000;

/** Most of an answer that is read, only so that its connection can be used again. */
const ANSWER_BYTES = 64 * 1024;

const GONE = 410;
const MAX_ERROR = 300;

/** Sends one attempt under the policy of outgoing requests, without following redirects. Never rejects. */
export function poster(outbound: Outbound): (post: Post, signal: AbortSignal) => Promise<Outcome> {
  const fetch = outbound.fetch({ timeoutMs: ATTEMPT_MS, maxBytes: ANSWER_BYTES });
  return async ({ url, method = 'POST', headers, body }, signal) => {
    try {
      const answer = await fetch(url, { method, headers, redirect: 'manual', signal, ...(method !== 'GET' && { body }) });
      // What comes after the status changes nothing, an answer that is too long included.
      await answer.arrayBuffer().catch(() => undefined);
      return outcomeOf(answer);
    } catch (error) {
      return { kind: 'failed', error: messageOf(error) };
    }
  };
}

function outcomeOf({ ok, status, headers }: Response): Outcome {
  if (ok) return { kind: 'delivered' };
  const error = `HTTP status ${status}`;
  if (status === GONE) return { kind: 'refused', error, status };
  const retryAfter = Number(headers.get('Retry-After') ?? '');
  return { kind: 'failed', error, status, ...(retryAfter > 0 && { retryAfterMs: Math.min(retryAfter * 1000, MAX_RETRY_AFTER_MS) }) };
}

/** `fetch` says what failed in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_ERROR);
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : '') : '';
  return (reason === '' ? error.message : `${error.message}: ${reason}`).slice(0, MAX_ERROR);
}
