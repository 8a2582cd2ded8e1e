import { outbox, type Transaction } from '../../storage/index.ts';
import type { LaneProgress } from '../../net/index.ts';

/** Under which the change feed keeps what some lane has yet to deliver. */
export const FEED_CURSOR = 'webhooks';

/** Keeps how far lanes have come, frees the feed up to there, and removes from the outbox what was delivered. */
export async function saveLanes(tx: Transaction, lanes: readonly LaneProgress[]): Promise<void> {
  await outbox.saveLanes(tx, lanes);
  await moveCursor(tx);
}

/** Removes the lanes of an endpoint with what is in its outbox. */
export async function removeLanes(tx: Transaction, endpoint: string): Promise<void> {
  await outbox.removeLanes(tx, endpoint);
  await moveCursor(tx);
}

/** The endpoint has not failed, as far as its lanes know. */
export async function forgetFailures(tx: Transaction, endpoint: string): Promise<void> {
  await tx.run('UPDATE delivery_lanes SET failing_ms = 0 WHERE lane IN (?, ?)', [endpoint, outbox.outboxLane(endpoint)]);
}

/** Every lane counts, those that are paused too: the feed keeps their place. */
async function moveCursor(tx: Transaction): Promise<void> {
  const kept = await tx.get<{ lsn: number | null }>("SELECT min(kept) AS lsn FROM delivery_lanes WHERE log = 'feed'");
  if (kept!.lsn === null) await tx.run('DELETE FROM cursors WHERE subscriber = ?', [FEED_CURSOR]);
  else await tx.run('INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn', [FEED_CURSOR, kept!.lsn]);
}
