import type { RunsEnvironment } from '../environment.ts';
import { type Core, longestCancelMs, longestPause, settings, timeoutMarginMs } from './core.ts';
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

/**
 * The work that is done once a second. If the server has stood still since the last time, frozen or waiting for its
 * disk, or if its store has refused writes, no ship could renew its leases. So they are all extended by a full lease
 * time, as at a start, before any is checked.
 */
export function mindingStandstills(core: Core,
  tick: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void>
{
  let last: number | undefined;
  return async (signal) => {
    const now = core.time.elapsed();
    const stoodMs = now - (last ?? now);
    if (stoodMs > settings(core).queue.lease_ttl / 2) {
      await regrant(core);
      core.env.log.warn({ milliseconds: Math.round(stoodMs) },
        'the server has stood still; ships get the time of a lease to come back');
    }
    last = now;
    try {
      if (core.outage.isOn) {
        await regrant(core);
        core.outage.end();
      }
      await tick(signal);
    } catch (error) {
      core.outage.noteFailure(error);
    }
  };
}

/**
 * At the start no ship has been able to renew its leases since the server went down. So all leases get their full time
 * again, and so do assignments that were not accepted yet and attempts whose time seems over. The clock may also have
 * been set meanwhile: no time may be further ahead than if it started now, because otherwise a clock that was set back
 * would freeze the queue.
 */
export async function regrant(core: Core): Promise<void> {
  const { lease_ttl: ttl, backoff } = settings(core).queue;
  const now = core.time.now();
  const lease = now + ttl;
  const margin = timeoutMarginMs(core);
  await core.env.sql.transaction(async (tx) => {
    // The states are written as in the partial indexes of held runs, so that these are used.
    await tx.run("UPDATE runs SET lease_ms = ?, renewed_ms = ? WHERE state IN ('running', 'cancelling') AND cells = 0",
      [lease, now]);
    await tx.run(
      "UPDATE runs SET deadline_ms = ? WHERE state IN ('running', 'cancelling') AND cells = 0 AND state = " +
        "'running' AND (accepted = 0 OR deadline_ms < ?)",
      [lease, lease],
    );
    await tx.run(
      `UPDATE runs SET deadline_ms = ? + timeout_ms WHERE state IN ('running', 'cancelling') AND cells = 0 AND ` +
        `state = 'running' AND accepted = 1 AND deadline_ms > ? + timeout_ms`,
      [now + margin, now + margin],
    );
    const cancelBy = now + longestCancelMs(core);
    await tx.run(
      "UPDATE runs SET deadline_ms = ? WHERE state IN ('running', 'cancelling') AND cells = 0 AND state = " +
        "'cancelling' AND deadline_ms > ?",
      [cancelBy, cancelBy],
    );
    const pause = now + longestPause(backoff);
    await tx.run(
      "UPDATE runs SET available_ms = ?, queued_ms = ? WHERE state = 'queued' AND waits_for = 'backoff' AND " +
        'available_ms > ?',
      [pause, pause, pause],
    );
    await tx.run("UPDATE runs SET queued_ms = ? WHERE state = 'queued' AND waits_for = 'ship' AND queued_ms > ?", [now,
      now]);
  }, { isolation: 'read committed' });
}
