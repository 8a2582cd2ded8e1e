import { inList } from '../documents/index.ts';
import type { LaneProgress, Progress } from '../../net/index.ts';
import type { Queries, Row, Transaction } from '../../storage/index.ts';

/** What a lane delivers: the change feed, or what was put into the outbox. */
export type LaneLog = 'feed' | 'outbox';

/** Under which the change feed keeps what some lane has yet to deliver. */
export const FEED_CURSOR = 'webhooks';

/** The lane of what is put into the outbox for an endpoint. */
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

/** How far a lane has come; undefined for one that never kept it. */
export async function readLane(queries: Queries, lane: string): Promise<Progress | undefined> {
  const row = await queries.get<LaneRow>('SELECT position, open, failing_ms FROM delivery_lanes WHERE lane = ?', [lane]);
  return row && { position: row.position, open: JSON.parse(row.open) as number[], failingMs: row.failing_ms };
}

const UPSERT = `
  INSERT INTO delivery_lanes(lane, log, position, kept, open, failing_ms) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT(lane) DO UPDATE SET position = excluded.position, kept = excluded.kept, open = excluded.open, failing_ms = excluded.failing_ms`;

/** Keeps how far lanes have come, frees the feed up to there, and removes from the outbox what was delivered. */
export async function saveLanes(tx: Transaction, lanes: readonly LaneProgress[]): Promise<void> {
  await tx.runMany(UPSERT, lanes.map(({ lane, position, open, failingMs }) => [lane, logOf(lane), position, (open[0] ?? position + 1) - 1, JSON.stringify(open), failingMs]));
  for (const { lane, position, open } of lanes) {
    if (logOf(lane) !== 'outbox') continue;
    const { marks, params } = inList(open);
    await tx.run(`DELETE FROM delivery_outbox WHERE lane = ? AND seq <= ?${open.length === 0 ? '' : ` AND seq NOT IN (${marks})`}`, [lane, position, ...(open.length === 0 ? [] : params)]);
  }
  await moveCursor(tx);
}

/** Removes the lanes of an endpoint with what is in its outbox. */
export async function removeLanes(tx: Transaction, endpoint: string): Promise<void> {
  const lanes = [endpoint, outboxLane(endpoint)];
  await tx.run('DELETE FROM delivery_lanes WHERE lane IN (?, ?)', lanes);
  await tx.run('DELETE FROM delivery_outbox WHERE lane = ?', [outboxLane(endpoint)]);
  await moveCursor(tx);
}

/** The endpoint has not failed, as far as its lanes know. */
export async function forgetFailures(tx: Transaction, endpoint: string): Promise<void> {
  await tx.run('UPDATE delivery_lanes SET failing_ms = 0 WHERE lane IN (?, ?)', [endpoint, outboxLane(endpoint)]);
}

/** Every lane counts, those that are paused too: the feed keeps their place. */
async function moveCursor(tx: Transaction): Promise<void> {
  const kept = await tx.get<{ lsn: number | null }>("SELECT min(kept) AS lsn FROM delivery_lanes WHERE log = 'feed'");
  if (kept!.lsn === null) await tx.run('DELETE FROM cursors WHERE subscriber = ?', [FEED_CURSOR]);
  else await tx.run('INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn', [FEED_CURSOR, kept!.lsn]);
}

/** A delivery that comes from no log. */
export interface OutboxRow extends Row {
  readonly seq: number;
  /** JSON, as it was put in. */
  readonly delivery: string;
}

/** Puts deliveries for an endpoint into the outbox: committed, they are delivered at least once, in this order for each key. */
export async function enqueue(tx: Transaction, endpoint: string, deliveries: readonly string[]): Promise<void> {
  const lane = outboxLane(endpoint);
  await tx.runMany('INSERT INTO delivery_outbox(lane, delivery) VALUES (?, ?)', deliveries.map((delivery) => [lane, delivery]));
}

/** Endpoints in whose outboxes something is. */
export async function outboxesInUse(queries: Queries): Promise<string[]> {
  const rows = await queries.all<{ lane: string }>('SELECT DISTINCT lane FROM delivery_outbox');
  return rows.map(({ lane }) => lane.slice(0, lane.lastIndexOf('/')));
}

export function readOutbox(queries: Queries, lane: string, after: number, limit: number): Promise<OutboxRow[]> {
  return queries.all<OutboxRow>('SELECT seq, delivery FROM delivery_outbox WHERE lane = ? AND seq > ? ORDER BY seq LIMIT ?', [lane, after, limit]);
}

export async function rereadOutbox(queries: Queries, lane: string, seqs: readonly number[]): Promise<OutboxRow[]> {
  if (seqs.length === 0) return [];
  const { marks, params } = inList(seqs);
  return queries.all<OutboxRow>(`SELECT seq, delivery FROM delivery_outbox WHERE lane = ? AND seq IN (${marks}) ORDER BY seq`, [lane, ...params]);
}
