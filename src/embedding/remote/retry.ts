import type { Log } from '../../lib/log.ts';
import type { Timer } from '../../lib/timer.ts';
import { cancelled, EmbeddingError } from '../embedding-error.ts';

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;

export interface RetryDeps {
  readonly timer: Timer;
  readonly random: () => number;
  readonly log: Log;
}

export interface RetryLimits {
  readonly signal: AbortSignal;
  /** Longer waits are not started: the call fails instead, with the wait that the provider requested. */
  readonly longestWaitMs: number;
}

/**
 * Makes at most three attempts. Between attempts it waits as long as the provider requested, or otherwise a random part
 * of a span that doubles each time ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter", 2015), so
 * that clients that failed together do not return together.
 */
export async function withRetries<T>(call: () => Promise<T>, { signal, longestWaitMs }: RetryLimits,
  { timer, random, log }: RetryDeps): Promise<T>
{
  for (let attempt = 1;; attempt++) {
    if (signal.aborted) throw cancelled(signal);
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.retryable || attempt === ATTEMPTS || signal.aborted) throw error;
      const waitMs = Math.max(error.retryAfterMs ?? 0, Math.round(random() * FIRST_WAIT_MS * 2 ** (attempt - 1)));
      if (waitMs > longestWaitMs) throw error;
      log.warn({ attempt, waitMs, problem: error.message }, 'embedding failed; trying again');
      await timer.sleep(waitMs, signal);
    }
  }
}
