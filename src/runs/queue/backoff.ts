import type { RunsConfig } from '../config/index.ts';

type Backoff = RunsConfig['queue']['backoff'];

/**
 * How long a run waits after attempt number `attempt`, in milliseconds: `initial · factor^(attempt − 1)`, at most
 * `max`, then changed at random by at most `jitter` of it (run-queue decisions, section 2.3). `random` is like
 * `Math.random`.
 */
export function pauseAfter(attempt: number, { initial, factor, max, jitter }: Backoff, random: () => number): number {
  const full = Math.min(max, initial * factor ** (attempt - 1));
  return Math.round(full * (1 + jitter * (2 * random() - 1)));
}

/** No pause is longer. */
export function longestPause({ max, jitter }: Backoff): number {
  return Math.ceil(max * (1 + jitter));
}
