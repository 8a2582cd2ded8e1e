export interface Backoff {
  /** Delay before the first retry, in milliseconds. */
  readonly initial: number;
  /** The maximum delay, in milliseconds. */
  readonly max: number;
}

/**
 * Returns the delay before retry number `failures` (1 is the first), in milliseconds. The delay doubles with each retry
 * up to the maximum, and is then shortened by up to a quarter at random, so that many clients that failed together do
 * not return together. `random` works like `Math.random`.
 */
export function backoffDelay(failures: number, { initial, max }: Backoff, random: () => number = Math.random): number {
  const full = Math.min(max, initial * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (1 - 0.25 * random()));
}
