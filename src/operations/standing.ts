import { ServiceError } from '../errors/index.ts';
import type { Clock } from '../lib/clock.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';

/**
 * Asks whether somebody may still do what they are doing: resolves with the time at which their credential expires
 * (Unix milliseconds; undefined for never), or rejects with why they may not.
 */
export type StandingCheck = () => Promise<number | undefined>;

/** The right of one caller to something that stays open. */
export interface Standing {
  /** Resolves once the right was found to be there; rejects with why it is not. */
  readonly ready: Promise<void>;
  /** Aborts with why the right has ended. */
  readonly signal: AbortSignal;
  /** To be called when whatever was open has closed; again is harmless. */
  release(): void;
}

export interface StandingsOptions {
  /** Calls the listener whenever what callers may do has changed, until what is answered is called. */
  readonly onChange: (listener: () => void) => () => void;
  readonly clock: Clock;
  readonly timer?: Timer;
}

/** Between two looks at the clock. */
const TICK_MS = 1000;

interface Held {
  readonly check: StandingCheck;
  readonly ended: AbortController;
  expiresAt: number | undefined;
  /** The latest check, so that an older one cannot speak for the present. */
  latest: number;
}

/**
 * Follows callers for as long as their streams are open. A request is checked when it comes; a stream outlives its
 * request, so its check is repeated whenever rights change, and when the credential expires.
 */
export class Standings {
  readonly #options: StandingsOptions;
  readonly #held = new Set<Held>();
  #stop: (() => void) | undefined;

  constructor(options: StandingsOptions) {
    this.#options = options;
  }

  /** Streams that are open. */
  get size(): number {
    return this.#held.size;
  }

  follow(check: StandingCheck): Standing {
    const held: Held = { check, ended: new AbortController(), expiresAt: undefined, latest: 0 };
    this.#held.add(held);
    this.#stop ??= this.#start();
    const ready = this.#repeat(held).then(() => held.ended.signal.throwIfAborted());
    // Whoever only follows the signal need not look at this.
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
      held.ended.abort(error instanceof Error ? error : new ServiceError('internal', 'internal error', { cause: error }));
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
    // Later, so that everybody else who remembers something has forgotten it by then.
    const leave = this.#options.onChange(() => queueMicrotask(() => this.#held.forEach((held) => void this.#repeat(held))));
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
