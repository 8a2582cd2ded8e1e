import { type ShipTime, sleepUntil } from '../time.ts';

/** Latest time for work to be dead if its ship is frozen and cannot end it sooner. */
const LAST_MS = 2000;
/** Time between the end of the grace and the end of the lease (decisions, section 4, "Leases"). */
const MARGIN_MS = 5000;

interface LeaseOptions {
  readonly time: ShipTime;
  /** When the heartbeat that is known to have started the lease was sent, by the monotonic clock. */
  readonly from: number;
  /** How long the server waits for a sign of life. */
  ttlMs(): number;
  readonly graceMs: number;
  /** Only enough time for an orderly stop is left. */
  onStop(): void;
  /** Everything that has not stopped must be dead now, because the server is about to assign the run again. */
  onKill(): void;
}

/**
 * The ship's side of a lease. It ends on the ship before it ends on the server, whatever the clocks say and however
 * long an acknowledgement took, because it counts from the sending of the heartbeat.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #from: number;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#from = options.from;
  }

  /** A heartbeat that was sent at this time has been acknowledged. Calls may be in any order. */
  renew(sentAt: number): void {
    this.#from = Math.max(this.#from, sentAt);
  }

  /** How long it lasts until the work has to stop. */
  leftMs(): number {
    return this.#until(this.#options.graceMs + MARGIN_MS);
  }

  /** How long the work may live even if the ship cannot end it. */
  untilDeadMs(): number {
    return this.#until(LAST_MS);
  }

  /** Everything that had not stopped should be dead by now. */
  get isOver(): boolean {
    return this.#until(MARGIN_MS) <= 0;
  }

  /** Watches the lease until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const { graceMs, onStop, onKill } = this.#options;
    if (await this.#reaches(graceMs + MARGIN_MS, signal)) onStop();
    // A later renewal is too late for the work, but it delays the time at which it must be dead.
    if (await this.#reaches(MARGIN_MS, signal)) onKill();
  }

  /** Waits until only this much of the lease is left; returns false if the signal aborts before. */
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
