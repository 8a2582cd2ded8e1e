import { ServiceError } from '../errors/index.ts';
import { type Clock, systemTimer, type Timer } from '../lib/clock.ts';

/**
 * Checks whether a caller still has permission: resolves with the time at which the credential expires (Unix
 * milliseconds; undefined for never), or rejects with the reason why permission has ended.
 */
export type AccessCheck = () => Promise<number | undefined>;

/** The permission of one caller for an open stream. */
export interface AccessWatch {
  /** Resolves when the permission was confirmed; rejects with the reason if there is none. */
  readonly ready: Promise<void>;
  /** Aborts with the reason when the permission has ended. */
  readonly signal: AbortSignal;
  /** Must be called when the stream has closed; further calls have no effect. */
  release(): void;
}

export interface AccessWatchesOptions {
  /** Calls the listener whenever permissions have changed, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
  readonly clock: Clock;
  readonly timer?: Timer;
}

/** Interval of the checks for expiry. */
const TICK_MS = 1000;

interface Held {
  readonly check: AccessCheck;
  readonly ended: AbortController;
  expiresAt: number | undefined;
  /** The latest check; results of older ones are ignored. */
  latest: number;
}

/**
 * Supervises callers for as long as their streams are open. A request is checked when it arrives; a stream outlives its
 * request, so its check is repeated whenever permissions change and when the credential expires.
 */
export class AccessWatches {
  readonly #options: AccessWatchesOptions;
  readonly #held = new Set<Held>();
  #stop: (() => void) | undefined;

  constructor(options: AccessWatchesOptions) {
    this.#options = options;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#held.size;
  }

  follow(check: AccessCheck): AccessWatch {
    const held: Held = { check, ended: new AbortController(), expiresAt: undefined, latest: 0 };
    this.#held.add(held);
    this.#stop ??= this.#start();
    const ready = this.#repeat(held).then(() => held.ended.signal.throwIfAborted());
    // A caller that only uses the signal need not handle this promise.
    ready.catch(() => undefined);
    return { ready, signal: held.ended.signal, release: () => this.#release(held) };
  }

  async #repeat(held: Held): Promise<void> {
    const turn = ++held.latest;
    try {
      const expiresAt = await held.check();
      if (turn === held.latest) held.expiresAt = expiresAt;
    } catch (error) {
      this.#release(held);
      held.ended.abort(
        error instanceof Error ? error : new ServiceError('internal', 'internal error', { cause: error }),
      );
    }
  }

  #release(held: Held): void {
    this.#held.delete(held);
    if (this.#held.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #start(): () => void {
    const stopped = new AbortController();
    // Deferred, so that all other listeners have cleared their caches by then.
    const leave = this.#options.onChange(() =>
      queueMicrotask(() => this.#held.forEach((held) => void this.#repeat(held)))
    );
    void this.#lookAtClock(stopped.signal);
    return () => {
      leave();
      stopped.abort();
    };
  }

  async #lookAtClock(stopped: AbortSignal): Promise<void> {
    const { clock, timer = systemTimer } = this.#options;
    while (!stopped.aborted) {
      await timer.sleep(TICK_MS, stopped);
      if (stopped.aborted) return;
      const now = clock.now();
      for (const held of this.#held) if (held.expiresAt !== undefined && held.expiresAt <= now) void this.#repeat(held);
    }
  }
}
