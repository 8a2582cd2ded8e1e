import type { RunsEnvironment } from '../environment.ts';
import type { QueueClock } from './queue-time.ts';

/**
 * Records whether the store has refused writes since all leases were last renewed. During that time no lease may end,
 * because ships could not renew theirs; when writes succeed again all leases start again, as at a start of the server.
 * Repeated failures are logged once.
 */
export class Outage {
  readonly #log: RunsEnvironment['log'];
  readonly #time: Pick<QueueClock, 'elapsed'>;
  readonly #onFailure: () => void;
  #sinceMs: number | undefined;

  /** `onFailure`: called for each failed write. Must not throw. */
  constructor(log: RunsEnvironment['log'], time: Pick<QueueClock, 'elapsed'>, onFailure: () => void) {
    this.#log = log;
    this.#time = time;
    this.#onFailure = onFailure;
  }

  get isOn(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** A write has failed. */
  noteFailure(err: unknown): void {
    this.#onFailure();
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.#time.elapsed();
    this.#log.error({ err }, 'the store of runs cannot be written; no lease ends until it can');
  }

  /** All leases were renewed. */
  end(): void {
    if (this.#sinceMs === undefined) return;
    this.#log.warn({ milliseconds: Math.round(this.#time.elapsed() - this.#sinceMs) },
      'the store of runs can be written again; ships get the time of a lease to come back');
    this.#sinceMs = undefined;
  }
}
