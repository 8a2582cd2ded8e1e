import type { Queries, Row, SqlValue, Transaction } from '../../../storage/index.ts';
import type { ForgeEvent } from '../port.ts';

export type DeliveryState = 'pending' | 'done' | 'ignored' | 'failed';

/** What came of a delivery. */
export interface Outcome {
  readonly runs: readonly { readonly project: string; readonly pipeline: string; readonly runId: string }[];
  readonly skipped: readonly { readonly project: string; readonly pipeline: string; readonly reason: string }[];
}

export const NO_OUTCOME: Outcome = { runs: [], skipped: [] };

/** A delivery that was not stored before. */
export interface NewDelivery {
  readonly id: string;
  readonly forge: string;
  readonly deliveryId: string;
  readonly bodyHash: Uint8Array;
  /** What the forge calls the event. */
  readonly name: string;
  /** Undefined for what starts nothing. */
  readonly event: ForgeEvent | undefined;
  /** Unix seconds. */
  readonly receivedAt: number;
  readonly state: DeliveryState;
  readonly reason: string | null;
  /** Ids of the projects that it is about. */
  readonly projects: readonly string[];
}

/** A stored delivery; times are Unix seconds. */
export interface Delivery extends Omit<NewDelivery, 'bodyHash' | 'projects'> {
  readonly seq: number;
  readonly processedAt: number | null;
  readonly attempts: number;
  readonly generation: number;
  readonly outcome: Outcome;
  /** What is processed in order: a repository of a forge. */
  readonly lane: string;
}

interface DeliveryRow extends Row {
  readonly seq: number;
  readonly id: string;
  readonly forge: string;
  readonly delivery_id: string;
  readonly lane: string;
  readonly name: string;
  readonly event: string;
  readonly received_at: number;
  readonly processed_at: number | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly generation: number;
  readonly reason: string | null;
  readonly outcome: string;
}

const toDelivery = (row: DeliveryRow): Delivery => ({
  seq: row.seq,
  id: row.id,
  forge: row.forge,
  deliveryId: row.delivery_id,
  lane: row.lane,
  name: row.name,
  event: row.event === '' ? undefined : JSON.parse(row.event) as ForgeEvent,
  receivedAt: row.received_at,
  processedAt: row.processed_at,
  state: row.state,
  attempts: row.attempts,
  generation: row.generation,
  reason: row.reason,
  outcome: JSON.parse(row.outcome) as Outcome,
});

/** The repository that deliveries are about, or its address where a forge has no names. */
export const repositoryOf = (event: ForgeEvent | undefined): string =>
  event === undefined ? '' : event.repository || (event.addresses[0] ?? '');

/** Which deliveries of a forge are about one repository. */
export const laneOf = (forge: string, repository: string): string => `${forge} ${repository}`;

/** The delivery with this id of the forge, or with this body; undefined if neither was received before. */
export async function findReceived(from: Queries, forge: string, deliveryId: string,
  bodyHash: Uint8Array): Promise<Delivery | undefined>
{
  const row =
    await from.get<DeliveryRow>('SELECT * FROM forge_deliveries WHERE forge = ? AND delivery_id = ?', [forge,
      deliveryId]) ??
      await from.get<DeliveryRow>('SELECT * FROM forge_deliveries WHERE forge = ? AND body_hash = ?', [forge,
        bodyHash]);
  return row && toDelivery(row);
}

/** Stores a delivery; false if one with its id or body is there, which the indexes decide. */
export async function insertDelivery(tx: Transaction, delivery: NewDelivery): Promise<boolean> {
  const { event } = delivery;
  const { changes } = await tx.run(
    'INSERT INTO forge_deliveries(id, forge, delivery_id, body_hash, lane, repository, name, event, pull_request, ' +
      'received_at, processed_at, state, attempts, generation, reason, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ' +
      '?, ?, ?, 0, 0, ?, ?) ON CONFLICT DO NOTHING',
    [delivery.id, delivery.forge, delivery.deliveryId, delivery.bodyHash, laneOf(delivery.forge, repositoryOf(event)),
      repositoryOf(event), delivery.name, event === undefined ? '' : JSON.stringify(event),
      event?.pullRequest?.number ?? null, delivery.receivedAt,
      delivery.state === 'pending' ? null : delivery.receivedAt, delivery.state, delivery.reason,
      JSON.stringify(NO_OUTCOME)],
  );
  if (changes !== 1) return false;
  await noteProjects(tx, delivery);
  return true;
}

/** Records which projects a delivery is about, besides those that are recorded already. */
async function noteProjects(tx: Transaction, { id, projects }: Pick<NewDelivery, 'id' | 'projects'>): Promise<void> {
  await tx.runMany(
    'INSERT INTO forge_delivery_projects(project_id, seq) SELECT ?, seq FROM forge_deliveries WHERE id = ? ON CONFLICT ' +
      'DO NOTHING',
    projects.map((project) => [project, id]),
  );
}

export async function readDelivery(from: Queries, id: string): Promise<Delivery | undefined> {
  const row = await from.get<DeliveryRow>('SELECT * FROM forge_deliveries WHERE id = ?', [id]);
  return row && toDelivery(row);
}

/** Deliveries that wait to be processed, oldest first. */
export async function pendingDeliveries(from: Queries, most: number): Promise<Delivery[]> {
  const rows = await from.all<DeliveryRow>(
    "SELECT * FROM forge_deliveries WHERE state = 'pending' ORDER BY seq LIMIT ?",
    [most],
  );
  return rows.map(toDelivery);
}

/** Whether a delivery about this repository waits to be processed. */
export async function hasPending(from: Queries, lane: string): Promise<boolean> {
  return (await from.get("SELECT 1 FROM forge_deliveries WHERE lane = ? AND state = 'pending'", [lane])) !== undefined;
}

/** The newest deliveries about a pull request, newest first. */
export async function deliveriesOfPullRequest(from: Queries, lane: string, number: number): Promise<Delivery[]> {
  const rows = await from.all<DeliveryRow>(
    'SELECT * FROM forge_deliveries WHERE lane = ? AND pull_request = ? ORDER BY seq DESC LIMIT 100',
    [lane, number],
  );
  return rows.map(toDelivery);
}

export interface DeliveryFilter {
  readonly forge?: string | undefined;
  readonly repository?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** Id of a project that it is about. */
  readonly project?: string | undefined;
}

/** Newest first, strictly older than `before`. */
export async function listDeliveries(from: Queries, { forge, repository, state, project }: DeliveryFilter,
  before: number | undefined, limit: number): Promise<Delivery[]>
{
  // A project's deliveries are read from its own table, so that rare ones need no scan of all.
  const [table, seq] = project === undefined
    ? ['forge_deliveries d', 'd.seq']
    : ['forge_delivery_projects p JOIN forge_deliveries d ON d.seq = p.seq', 'p.seq'];
  const conditions: [string, SqlValue | undefined][] = [['p.project_id = ?', project], [`${seq} < ?`, before], [
    'd.forge = ?',
    forge,
  ], ['d.state = ?', state], ['d.repository = ?', repository]];
  const given = conditions.filter((condition): condition is [string, SqlValue] => condition[1] !== undefined);
  const where = given.length === 0 ? '' : `WHERE ${given.map(([text]) => text).join(' AND ')}`;
  const rows = await from.all<DeliveryRow>(`SELECT d.* FROM ${table} ${where} ORDER BY ${seq} DESC LIMIT ?`, [
    ...given.map(([, value]) => value),
    limit,
  ]);
  return rows.map(toDelivery);
}

/** Ends the processing of a delivery, unless it was asked for anew meanwhile. */
export async function settleDelivery(tx: Transaction, { id, generation }: Delivery,
  { state, reason, outcome, at, projects = [] }: { readonly state: DeliveryState; readonly reason: string | null;
    readonly outcome: Outcome; readonly at: number; readonly projects?: readonly string[] }): Promise<void>
{
  await noteProjects(tx, { id, projects });
  await tx.run(
    'UPDATE forge_deliveries SET state = ?, reason = ?, outcome = ?, processed_at = ?, attempts = attempts + 1 WHERE ' +
      'id = ? AND generation = ?',
    [state, reason, JSON.stringify(outcome), at, id, generation],
  );
}

/** Records that an attempt to process it has failed; it stays pending. */
export async function noteFailure(tx: Transaction, { id, generation }: Delivery, reason: string): Promise<void> {
  await tx.run('UPDATE forge_deliveries SET attempts = attempts + 1, reason = ? WHERE id = ? AND generation = ?', [
    reason,
    id,
    generation,
  ]);
}

/** Makes a delivery wait to be processed again, unless it waits already. */
export async function renewDelivery(tx: Transaction, id: string): Promise<void> {
  await tx.run(
    "UPDATE forge_deliveries SET state = 'pending', processed_at = NULL, attempts = 0, reason = NULL, generation = " +
      "generation + 1, outcome = ? WHERE id = ? AND state <> 'pending'",
    [JSON.stringify(NO_OUTCOME), id],
  );
}

/** Deletes deliveries that were received before a moment, in Unix seconds, at most 500. Returns how many. */
export async function pruneDeliveries(tx: Transaction, before: number): Promise<number> {
  const old = await tx.all<{ seq: number }>(
    "SELECT seq FROM forge_deliveries WHERE received_at < ? AND state <> 'pending' ORDER BY received_at LIMIT 500",
    [before],
  );
  const keys = old.map(({ seq }) => [seq]);
  await tx.runMany('DELETE FROM forge_delivery_projects WHERE seq = ?', keys);
  await tx.runMany('DELETE FROM forge_deliveries WHERE seq = ?', keys);
  return old.length;
}
