import { retryAfter } from './quire-error.ts';

/** How often and how soon a call is retried. */
export interface RetryPolicy {
  /** Most retries; 0 for none. */
  readonly retries: number;
  /** Longest wait, in milliseconds; if the service asks for more, the call fails. */
  readonly maxDelayMs: number;
}

/** The outcome of one attempt. */
export type Ending = { readonly response: Response } | { readonly failure: unknown };

const BASE_MS = 200;

/** Statuses for which a retry may succeed. */
const PASSING: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 429, 502, 503, 504]);

/**
 * Returns the milliseconds to wait before a call is retried, undefined if it must not be. Idempotent calls are retried
 * after lost connections, time-outs and transient statuses; other calls only if the service says that it has done
 * nothing yet: 429, and 503 with `Retry-After`. The wait is random between 0 and 200 ms, a bound that doubles with each
 * retry ("full jitter"), and at least what the service asks for. The package of the client imports nothing of the
 * server, so this is not `src/lib/clock.ts`.
 */
export function delayBefore(tries: number, ending: Ending, repeatable: boolean, { retries, maxDelayMs }: RetryPolicy):
  | number
  | undefined
{
  if (tries >= retries) return undefined;
  const jittered = Math.random() * Math.min(maxDelayMs, BASE_MS * 2 ** tries);
  if ('failure' in ending) return repeatable ? jittered : undefined;
  const { status, headers } = ending.response;
  if (!PASSING.has(status)) return undefined;
  const asked = retryAfter(headers.get('retry-after'));
  if (!repeatable && status !== 429 && !(status === 503 && asked !== undefined)) return undefined;
  if ((asked ?? 0) > maxDelayMs) return undefined;
  return Math.max(jittered, asked ?? 0);
}

/** Rejects with the signal's reason if it aborts. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return void reject(signal.reason as Error);
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
