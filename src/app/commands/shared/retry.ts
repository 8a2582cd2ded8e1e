import { backoffDelay, type Backoff } from '../../../lib/backoff.ts';
import type { Timer } from '../../../lib/timer.ts';
import { ServiceFailure } from './service-failure.ts';

export interface RetryPolicy {
  /** How often to try in all; 1 never retries. */
  readonly attempts: number;
  readonly backoff: Backoff;
  readonly timer: Timer;
  /** Once aborted, a failure is final: no wait and no further attempt. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Half a minute in all: long enough for a restart of the service. */
export const DEFAULT_RETRIES = { attempts: 8, backoff: { initial: 250, max: 8000 } } as const;

// A service that asks for a longer pause than this is not waited for as long as it wants.
const MAX_PAUSE = 60_000;

/**
 * Tries until it succeeds, fails for good, or has been tried often enough; the last failure is
 * thrown. Only transient failures of the service are retried, after the backoff or what the service
 * asked for, whichever is longer. The work must be safe to repeat: a request whose answer was lost
 * may have been carried out.
 */
export async function withRetries<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !error.transient) throw error;
      if (failures >= policy.attempts || policy.signal?.aborted) throw error;
      const pause = Math.max(backoffDelay(failures, policy.backoff, policy.random), error.retryAfter ?? 0);
      await policy.timer.sleep(Math.min(pause, MAX_PAUSE), policy.signal);
      if (policy.signal?.aborted) throw error;
    }
  }
}
