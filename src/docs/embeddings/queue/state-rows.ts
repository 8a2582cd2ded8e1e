import { inList, type Queries, type Row, type SqlValue, type Transaction } from '../../../storage/index.ts';
import { type Meta, runInSteps, type UnitOfWork } from '../../documents/index.ts';
import type { StoredType } from '../vector-rows.ts';

/** Why the current body of a document has no vectors. */
export type EmbeddingState = 'queued' | 'failed' | 'dropped' | 'skipped';

/** A document with what its vectors in a space were made from. */
export interface EmbeddingStatus {
  readonly ord: number;
  readonly cid: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly meta: Meta;
  readonly crc: number;
  readonly bytes: number;
  /** Undefined when it was never embedded. */
  readonly embedded: {
    readonly crc: number;
    readonly bytes: number;
    readonly chunking: string;
    readonly stored: StoredType;
    readonly model: string;
    readonly variant: string;
  } | undefined;
  readonly state: EmbeddingState | undefined;
  readonly attempts: number;
}

interface StatusRow extends Row {
  readonly ord: number;
  readonly cid: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly meta: string;
  readonly crc: number;
  readonly bytes: number;
  readonly e_crc: number | null;
  readonly e_bytes: number;
  readonly chunking: string;
  readonly stored: string;
  readonly model: string;
  readonly variant: string;
  readonly state: string | null;
  readonly attempts: number | null;
}

const STATUS = `
  SELECT d.ord, d.cid, d.id, d.key, d.lang, d.meta, d.crc, d.bytes, e.crc AS e_crc, e.bytes AS e_bytes, e.chunking, e.stored, m.model, m.variant, s.state, s.attempts
  FROM documents d LEFT JOIN embeddings e ON e.ord = d.ord AND e.space = ? LEFT JOIN embedding_models m ON m.id = e.model_id
    LEFT JOIN embedding_states s ON s.ord = d.ord AND s.space = ?`;

/** By ordinal; removed documents are left out. At most a few hundred at once. */
export function statusOfOrds(queries: Queries, space: string, ords: readonly number[]): Promise<EmbeddingStatus[]> {
  return statusOf(queries, space, 'd.ord', ords);
}

export function statusOfIds(queries: Queries, space: string, ids: readonly string[]): Promise<EmbeddingStatus[]> {
  return statusOf(queries, space, 'd.id', ids);
}

/** The next documents of a collection by id; those that have expired at `now` are left out. */
export async function statusPage(queries: Queries, space: string, collection: string, after: string, now: number,
  limit: number): Promise<EmbeddingStatus[]>
{
  // `}` is the character after the `|` that follows the collection's name in an id.
  const bounds = [after === '' ? `${collection}|` : after, `${collection}}`];
  const query =
    `${STATUS} WHERE d.id > ? AND d.id < ? AND (d.expires_at IS NULL OR d.expires_at > ?) ORDER BY d.id LIMIT ?`;
  return (await queries.all<StatusRow>(query, [space, space, ...bounds, now, limit])).map(toStatus);
}

/**
 * Documents that were written at or after a time and have in a space neither a state nor vectors of their current body.
 */
export async function unhandledSince(queries: Queries, space: string, seconds: number): Promise<number[]> {
  const rows = await queries.all<{ ord: number }>(
    `SELECT d.ord FROM documents d LEFT JOIN embeddings e ON e.ord = d.ord AND e.space = ?
     LEFT JOIN embedding_states s ON s.ord = d.ord AND s.space = ? WHERE d.updated_at >= ? AND s.ord IS NULL AND (e.ord IS NULL OR e.crc <> d.crc OR e.bytes <> d.bytes) ORDER BY d.ord`,
    [space, space, seconds],
  );
  return rows.map(({ ord }) => ord);
}

async function statusOf(queries: Queries, space: string, column: string,
  values: readonly SqlValue[]): Promise<EmbeddingStatus[]>
{
  if (values.length === 0) return [];
  const { marks, params } = inList(values);
  const query = `${STATUS} WHERE ${column} IN (${marks}) ORDER BY d.ord`;
  return (await queries.all<StatusRow>(query, [space, space, ...params])).map(toStatus);
}

function toStatus(row: StatusRow): EmbeddingStatus {
  const { ord, cid, id, key, lang, crc, bytes } = row;
  const embedded = row.e_crc === null ? undefined : {
    crc: row.e_crc,
    bytes: row.e_bytes,
    chunking: row.chunking,
    stored: row.stored as StoredType,
    model: row.model,
    variant: row.variant,
  };
  return {
    ord,
    cid,
    id,
    key,
    lang,
    crc,
    bytes,
    meta: JSON.parse(row.meta) as Meta,
    embedded,
    state: (row.state ?? undefined) as EmbeddingState | undefined,
    attempts: row.attempts ?? 0,
  };
}

/** A document that waits, or why it will not be embedded. */
export interface StateEntry {
  readonly ord: number;
  readonly cid: number;
  readonly state: EmbeddingState;
  readonly attempts?: number;
  /** Milliseconds since 1970. */
  readonly dueAt?: number;
  readonly reason?: string;
}

/** A document that is already queued keeps its sequence number. */
const UPSERT = `
  INSERT INTO embedding_states(ord, space, cid, state, attempts, due_at, reason) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(ord, space) DO UPDATE SET state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at, reason = excluded.reason`;

/** Each document at most once. */
export async function putStates(work: UnitOfWork, space: string, entries: readonly StateEntry[]): Promise<void> {
  await runInSteps(work, UPSERT,
    entries.map((
      { ord, cid, state, attempts = 0, dueAt = 0, reason = '' },
    ) => [ord, space, cid, state, attempts, dueAt, reason]));
}

export async function removeStates(work: UnitOfWork, space: string, ords: readonly number[]): Promise<void> {
  await runInSteps(work, 'DELETE FROM embedding_states WHERE ord = ? AND space = ?', ords.map((ord) => [ord, space]));
}

/** Number of waiting documents, once for each space for which one waits. */
export async function countQueued(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>("SELECT count(*) AS n FROM embedding_states WHERE state = 'queued'"))!.n;
}

export interface QueuedRow extends Row {
  readonly ord: number;
  readonly due_at: number;
  /** Number of failed calls. */
  readonly attempts: number;
  /** Length of the body. */
  readonly bytes: number;
}

/**
 * The next documents to embed into a space; those that have been due for longest come first, and some may be due only
 * later.
 */
export function nextQueued(queries: Queries, space: string, limit: number): Promise<QueuedRow[]> {
  return queries.all<QueuedRow>(
    'SELECT s.ord, s.due_at, s.attempts, d.bytes FROM embedding_states s JOIN documents d ON d.ord = s.ord WHERE ' +
      "s.space = ? AND s.state = 'queued' ORDER BY s.due_at, s.seq LIMIT ?",
    [space, limit],
  );
}

/** Makes all waiting documents due at once, in the order in which they came. */
export async function makeAllDue(tx: Transaction): Promise<void> {
  await tx.run("UPDATE embedding_states SET due_at = 0 WHERE state = 'queued' AND due_at <> 0");
}
