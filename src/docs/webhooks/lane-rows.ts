import type { LaneProgress } from '../../net/index.ts';
import { outbox, type Transaction } from '../../storage/index.ts';

/** Name of the cursor that keeps changes in the feed until every lane has delivered them. */
const FEED_CURSOR = 'webhooks';

/** Stores the progress of lanes, releases the feed up to there, and removes delivered items from the outbox. */
export async function saveLanes(tx: Transaction, lanes: readonly LaneProgress[]): Promise<void> {
  await outbox.saveLanes(tx, lanes);
  await moveCursor(tx);
}

/** Removes the lanes of an endpoint and its outbox. */
export async function removeLanes(tx: Transaction, endpoint: string): Promise<void> {
  await outbox.removeLanes(tx, endpoint);
  await moveCursor(tx);
}

/** Resets the failure time in the lanes of an endpoint. */
export async function forgetFailures(tx: Transaction, endpoint: string): Promise<void> {
  await tx.run('UPDATE delivery_lanes SET failing_ms = 0 WHERE lane IN (?, ?)', [endpoint,
    outbox.outboxLane(endpoint)]);
}

/** All lanes count, paused ones too: the feed keeps changes for them. */
async function moveCursor(tx: Transaction): Promise<void> {
  const kept = await tx.get<{ lsn: number | null }>("SELECT min(kept) AS lsn FROM delivery_lanes WHERE log = 'feed'");
  if (kept!.lsn === null) await tx.run('DELETE FROM cursors WHERE subscriber = ?', [FEED_CURSOR]);
  else await tx.run(
      'INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn',
      [FEED_CURSOR, kept!.lsn],
    );
}
