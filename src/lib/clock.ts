/** The source of the current time. Tests pass one that they advance by hand. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Whether a moment is less than this long ago. False for one that is as far ahead: the clock was set back, and no pause
 * must last until it catches up.
 */
export function isRecent(moment: number, now: number, within: number): boolean {
  return Math.abs(now - moment) < within;
}

/** Whole seconds since 1970, the unit of every timestamp in the document contract. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}

/** A way to wait. Tests pass one whose time they advance by hand. */
export interface Timer {
  /** Resolves after the given number of milliseconds, or at once if the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemTimer: Timer = {
  // Without an exception, unlike the timers of Node: many sleeps end early, and each exception has a stack.
  sleep(milliseconds, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timeout = setTimeout(wake, milliseconds);
      signal?.addEventListener('abort', wake, { once: true });
    });
  },
};

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
