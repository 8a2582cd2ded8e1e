import { retryAfter } from './quire-error.ts';

/** How often and how soon a call is sent again. */
export interface RetryPolicy {
  /** Times that it is sent again at most; 0 for never. */
  readonly retries: number;
  /** Longest wait, in milliseconds; where the service asks for more, the call fails. */
  readonly maxDelayMs: number;
}

/** How one sending ended. */
export type Ending = { readonly response: Response } | { readonly failure: unknown };

const BASE_MS = 200;

/** Statuses that another try may change. */
const PASSING: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 429, 502, 503, 504]);

/**
 * Milliseconds to wait before a call is sent again, undefined when it is not to be. What may be done twice is sent again after lost
 * connections, time-outs and statuses that pass; anything else only where the service says that it has done nothing yet: 429, and
 * 503 with `Retry-After`. The wait is drawn between 0 and 200 ms, doubled with each try ("full jitter"), and at least what the service asks for.
 */
export function delayBefore(tries: number, ending: Ending, repeatable: boolean, { retries, maxDelayMs }: RetryPolicy): number | undefined {
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

/** Rejects with the signal's reason when it aborts. */
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
