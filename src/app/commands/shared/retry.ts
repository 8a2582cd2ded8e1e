import { type Backoff, backoffDelay, type Timer } from '../../../lib/clock.ts';
import { ServiceFailure } from './service-failure.ts';

export interface RetryPolicy {
  /** Most attempts; 1 never retries. */
  readonly attempts: number;
  readonly backoff: Backoff;
  readonly timer: Timer;
  /** Once aborted, a failure is final: there is no wait and no further attempt. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Half a minute in total: long enough for a restart of the service. */
export const DEFAULT_RETRIES = { attempts: 8, backoff: { initial: 250, max: 8000 } } as const;

// The longest pause, even if the service asks for a longer one.
const MAX_PAUSE = 60_000;

/**
 * Retries until the work succeeds, fails for good, or has been tried often enough; then the last failure is thrown.
 * Only transient failures of the service are retried, after the backoff or the delay that the service requested,
 * whichever is longer. The work must be safe to repeat: a request whose response was lost may have been carried out.
 */
export async function withRetries<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let failures = 1;; failures++) {
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
