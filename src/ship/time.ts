import { backoffDelay, type Clock, systemClock, systemTimer, type Timer } from '../lib/clock.ts';

/** The time sources of a ship. Only `clock` can be set; leases and waits are measured by `monotonic`. */
export interface ShipTime {
  readonly clock: Clock;
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonic(): number;
  readonly timer: Timer;
  /** Like `Math.random`; spreads retries of attempts that failed at the same time. */
  random(): number;
}

export const systemShipTime: ShipTime = {
  clock: systemClock,
  monotonic: () => performance.now(),
  timer: systemTimer,
  random: Math.random,
};

/**
 * Resolves like the promise, or to undefined as soon as the signal aborts. Later results are ignored, including a
 * rejection.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return undefined;
  }
  const aborted = Promise.withResolvers<undefined>();
  const abort = (): void => aborted.resolve(undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Wakes the waiting caller. A ring while nothing waits wakes the next caller at once. */
export class Signal {
  #signalled = Promise.withResolvers<void>();

  ring(): void {
    this.#signalled.resolve();
  }

  /** Resolves at the next ring, at once if a ring is pending, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#signalled.promise, signal);
    this.#signalled = Promise.withResolvers<void>();
  }
}

/** Sleeps until the time is over or one of the signals aborts. Has listeners on the signals only while it sleeps. */
export async function sleepUntil(timer: Timer, milliseconds: number,
  ...signals: readonly AbortSignal[]): Promise<void>
{
  if (signals.some(({ aborted }) => aborted)) return;
  const wake = new AbortController();
  const abort = (): void => wake.abort('woken'); // a reason of its own saves an exception
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  try {
    await timer.sleep(milliseconds, wake.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}

/** Bounds of the pauses between attempts to reach the server (decisions, section 4). */
export const RECONNECT = { initial: 500, max: 30_000 } as const;

/** The pauses between consecutive failed attempts. */
export class RetryPause {
  readonly #timer: Timer;
  readonly #random: () => number;
  #failures = 0;
  #hurry: AbortController | undefined;

  constructor(timer: Timer, random: () => number) {
    this.#timer = timer;
    this.#random = random;
  }

  /** Waits longer after each failure, but at most `atMost`. Ends at once when the signal aborts. */
  async afterFailure(signal: AbortSignal, atMost = Infinity): Promise<void> {
    this.#failures++;
    this.#hurry = new AbortController();
    const delay = backoffDelay(this.#failures, RECONNECT, this.#random);
    await sleepUntil(this.#timer, Math.min(delay, Math.max(0, atMost)), signal, this.#hurry.signal);
  }

  /** Makes the next pause a short one again. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** The server was reached: ends the current pause, and makes the next one short. */
  hurry(): void {
    this.#failures = 0;
    this.#hurry?.abort();
  }
}
