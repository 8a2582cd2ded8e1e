import { inList } from '../multi-row.ts';
import type { Queries, Row, Transaction } from '../port.ts';
import { outboxLane } from './lane-rows.ts';

/** A delivery that does not come from a log. */
export interface OutboxRow extends Row {
  readonly seq: number;
  /** JSON, as it was passed in. */
  readonly delivery: string;
}

/**
 * Puts deliveries for an endpoint into the outbox. After the commit they are delivered at least once, in this order for
 * each key.
 */
export async function enqueue(tx: Transaction, endpoint: string, deliveries: readonly string[]): Promise<void> {
  const lane = outboxLane(endpoint);
  await tx.runMany('INSERT INTO delivery_outbox(lane, delivery) VALUES (?, ?)',
    deliveries.map((delivery) => [lane, delivery]));
}

/**
 * No other transaction adds to the outbox of an endpoint until this one ends, so that numbers are committed in their
 * order. Otherwise, with several transactions that write at the same time, a reader would skip those that are committed
 * late.
 */
export async function lockOutbox(tx: Transaction, endpoint: string): Promise<void> {
  await tx.run(
    "INSERT INTO delivery_lanes(lane, log, position, kept) VALUES (?, 'outbox', 0, 0) ON CONFLICT(lane) DO UPDATE " +
      'SET kept = delivery_lanes.kept',
    [outboxLane(endpoint)],
  );
}

/** Endpoints whose outbox is not empty. */
export async function outboxesInUse(queries: Queries): Promise<string[]> {
  const rows = await queries.all<{ lane: string }>('SELECT DISTINCT lane FROM delivery_outbox');
  return rows.map(({ lane }) => lane.slice(0, lane.lastIndexOf('/')));
}

export function readOutbox(queries: Queries, lane: string, after: number, limit: number): Promise<OutboxRow[]> {
  return queries.all<OutboxRow>(
    'SELECT seq, delivery FROM delivery_outbox WHERE lane = ? AND seq > ? ORDER BY seq LIMIT ?',
    [lane, after, limit],
  );
}

export async function rereadOutbox(queries: Queries, lane: string, seqs: readonly number[]): Promise<OutboxRow[]> {
  if (seqs.length === 0) return [];
  const { marks, params } = inList(seqs);
  return queries.all<OutboxRow>(
    `SELECT seq, delivery FROM delivery_outbox WHERE lane = ? AND seq IN (${marks}) ORDER BY seq`,
    [lane, ...params],
  );
}
