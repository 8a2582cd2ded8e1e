import { inList } from './multi-row.ts';
import type { Queries, Row, Transaction } from './port.ts';

// Deliveries that wait in a database for their endpoints: the tables `delivery_lanes` and `delivery_outbox`, which both
// services have.

/** What a lane delivers: a log such as the change feed, or the outbox. */
export type LaneLog = 'feed' | 'outbox';

/**
 * The progress of a lane of deliveries: everything up to `position` was read, and of that only `open` is not delivered.
 */
export interface LaneState {
  readonly position: number;
  /** Ascending. */
  readonly open: readonly number[];
  /** Milliseconds for which the endpoint has been tried without accepting anything. */
  readonly failingMs: number;
}

/** The lane that delivers the outbox of an endpoint. */
export function outboxLane(endpoint: string): string {
  return `${endpoint}/outbox`;
}

export function logOf(lane: string): LaneLog {
  return lane.endsWith('/outbox') ? 'outbox' : 'feed';
}

interface LaneRow extends Row {
  readonly position: number;
  readonly open: string;
  readonly failing_ms: number;
}

/** Returns the progress of a lane; undefined if it was never stored. */
export async function readLane(queries: Queries, lane: string): Promise<LaneState | undefined> {
  const row = await queries.get<LaneRow>('SELECT position, open, failing_ms FROM delivery_lanes WHERE lane = ?', [
    lane,
  ]);
  return row && { position: row.position, open: JSON.parse(row.open) as number[], failingMs: row.failing_ms };
}

const UPSERT = `
  INSERT INTO delivery_lanes(lane, log, position, kept, open, failing_ms) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT(lane) DO UPDATE SET position = excluded.position, kept = excluded.kept, open = excluded.open, failing_ms = excluded.failing_ms`;

/** Stores the progress of lanes, and removes delivered messages from the outbox. */
export async function saveLanes(tx: Transaction,
  lanes: readonly (LaneState & { readonly lane: string })[]): Promise<void>
{
  await tx.runMany(UPSERT,
    lanes.map((
      { lane, position, open, failingMs },
    ) => [lane, logOf(lane), position, (open[0] ?? position + 1) - 1, JSON.stringify(open), failingMs]));
  for (const { lane, position, open } of lanes) {
    if (logOf(lane) !== 'outbox') continue;
    const { marks, params } = inList(open);
    await tx.run(
      `DELETE FROM delivery_outbox WHERE lane = ? AND seq <= ?${open.length === 0 ? '' : ` AND seq NOT IN (${marks})`}`,
      [lane, position, ...(open.length === 0 ? [] : params)],
    );
  }
}

/** Removes the lanes of an endpoint and its outbox. */
export async function removeLanes(tx: Transaction, endpoint: string): Promise<void> {
  const lanes = [endpoint, outboxLane(endpoint)];
  await tx.run('DELETE FROM delivery_lanes WHERE lane IN (?, ?)', lanes);
  await tx.run('DELETE FROM delivery_outbox WHERE lane = ?', [outboxLane(endpoint)]);
}

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
