import type { ShipTime } from '../time.ts';
import { sleepUntil } from '../wait/index.ts';

/** The last moment for work whose ship is frozen and could not end it sooner. */
const LAST_MS = 2000;
/** Between the end of the grace and the end of the lease (decisions, section 4, "Leases"). */
const MARGIN_MS = 5000;

export interface LeaseOptions {
  readonly time: ShipTime;
  /** When the heartbeat was sent, by the monotonic clock, with which the lease is known to have begun. */
  readonly from: number;
  /** How long the server waits for a sign of life. */
  ttlMs(): number;
  readonly graceMs: number;
  /** Too little is left for more than an orderly stop. */
  onStop(): void;
  /** Whatever has not stopped must be dead now: the server is about to hand the run out again. */
  onKill(): void;
}

/**
 * The ship's side of a lease: it ends at the ship before it ends at the server, whatever the clocks say
 * and however long an acknowledgement took, because it counts from when the heartbeat was sent.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #from: number;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#from = options.from;
  }

  /** A heartbeat that was sent at this moment has been acknowledged. They may come in any order. */
  renew(sentAt: number): void {
    this.#from = Math.max(this.#from, sentAt);
  }

  /** How long it lasts before the work has to stop. */
  leftMs(): number {
    return this.#until(this.#options.graceMs + MARGIN_MS);
  }

  /** How long the work may live even if nobody here can end it. */
  untilDeadMs(): number {
    return this.#until(LAST_MS);
  }

  /** Whatever had not stopped should be dead by now. */
  get isOver(): boolean {
    return this.#until(MARGIN_MS) <= 0;
  }

  /** Watches until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const { graceMs, onStop, onKill } = this.#options;
    if (await this.#reaches(graceMs + MARGIN_MS, signal)) onStop();
    // A renewal after that is too late for the work, but it moves the moment at which it must be dead.
    if (await this.#reaches(MARGIN_MS, signal)) onKill();
  }

  /** Waits until only so much of the lease is left; false when the signal aborts before. */
  async #reaches(leftMs: number, signal: AbortSignal): Promise<boolean> {
    const { timer } = this.#options.time;
    while (!signal.aborted) {
      const wait = this.#until(leftMs);
      if (wait <= 0) return true;
      await sleepUntil(timer, Math.ceil(wait), signal);
    }
    return false;
  }

  #until(leftMs: number): number {
    const { time, ttlMs } = this.#options;
    return this.#from + ttlMs() - leftMs - time.monotonic();
  }
}
