export interface Backoff {
  /** Delay before the first retry, in milliseconds. */
  readonly initial: number;
  /** No delay is longer, in milliseconds. */
  readonly max: number;
}

/**
 * The delay before retry number `failures` (1 is the first), in milliseconds: doubled each time up to
 * the maximum, then shortened by up to a quarter at random, so that many who failed together do not
 * come back together. `random` is as `Math.random`.
 */
export function backoffDelay(failures: number, { initial, max }: Backoff, random: () => number = Math.random): number {
  const full = Math.min(max, initial * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (1 - 0.25 * random()));
}
