import { longestPause } from './backoff.ts';
import { CANCEL_MARGIN_MS, type Core, settings, TIMEOUT_MARGIN_MS } from './core.ts';

/**
 * At the start no ship has been able to renew its leases since the server went down. So all leases get their full time
 * again, and so do assignments that were not accepted yet and attempts whose time seems over. The clock may also have
 * been set meanwhile: no time may be further ahead than if it started now, because otherwise a clock that was set back
 * would freeze the queue.
 */
export async function regrant(core: Core): Promise<void> {
  const { lease_ttl: ttl, cancel_grace: grace, backoff } = settings(core).queue;
  const now = core.time.now();
  const lease = now + ttl;
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
      [now + TIMEOUT_MARGIN_MS, now + TIMEOUT_MARGIN_MS],
    );
    const cancelBy = now + grace + CANCEL_MARGIN_MS;
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
