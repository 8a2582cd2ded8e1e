import type { Queries, SqlValue, Transaction } from '../../storage/index.ts';

/** Types by their numbers in the database: 0, 1 and 2. */
const KINDS = ['create', 'update', 'access'] as const;
type EventType = (typeof KINDS)[number];

/** An event of a document that occurred `n` times within the second. */
export interface TemporalRow {
  /** Number of the change; absent for a read. */
  readonly lsn?: number;
  /** Lowercased. */
  readonly collection: string;
  readonly docId: string;
  readonly type: EventType;
  /** Unix seconds. */
  readonly at: number;
  /** Empty without a signed-in caller. */
  readonly actor: string;
  readonly n: number;
}

/** Changes that are already stored are skipped, because they are passed again after a crash. */
export async function insertEvents(tx: Transaction, events: readonly TemporalRow[]): Promise<void> {
  await tx.runMany(
    'INSERT INTO temporal_events(lsn, collection, doc_id, kind, at, actor, n) VALUES (?, ?, ?, ?, ?, ?, ?) ON ' +
      'CONFLICT(lsn) DO NOTHING',
    events.map((
      { lsn = null, collection, docId, type, at, actor, n },
    ) => [lsn, collection, docId, KINDS.indexOf(type), at, actor, n]),
  );
}

interface EventSelection {
  readonly docId: string;
  readonly type: EventType | undefined;
  /** Unix seconds, both included. */
  readonly from: number;
  readonly to: number;
}

/** Newest first, at most `limit` rows, with the total number of selected events. */
export async function readEvents(queries: Queries, { docId, type, from, to }: EventSelection,
  limit: number): Promise<{ rows: TemporalRow[]; total: number }>
{
  const where = `FROM temporal_events WHERE doc_id = ? AND at >= ? AND at <= ?${
    type === undefined ? '' : ' AND kind = ?'
  }`;
  const params: SqlValue[] = [docId, from, to, ...(type === undefined ? [] : [KINDS.indexOf(type)])];
  const rows = await queries.all<{ collection: string; kind: number; at: number; actor: string; n: number }>(
    `SELECT collection, kind, at, actor, n ${where} ORDER BY at DESC, seq DESC LIMIT ?`,
    [...params, limit],
  );
  const { total } = (await queries.get<{ total: number | null }>(`SELECT sum(n) AS total ${where}`, params))!;
  return { rows: rows.map(({ kind, ...row }) => ({ ...row, docId, type: KINDS[kind]! })), total: total ?? 0 };
}

/** Number of events of a collection on each day, by the day's number since 1970. */
export async function countByDay(queries: Queries,
  { collection, type, from, to }: { collection: string; type: EventType; from: number; to: number }
): Promise<{ day: number; count: number }[]> {
  return queries.all<{ day: number; count: number }>(
    'SELECT at / 86400 AS day, sum(n) AS count FROM temporal_events WHERE collection = ? AND kind = ? AND at >= ? ' +
      'AND at <= ? GROUP BY day ORDER BY day',
    [collection, KINDS.indexOf(type), from, to],
  );
}

/** Removes some older events; returns their number. */
export async function removeOlder(tx: Transaction, seconds: number, limit: number): Promise<number> {
  return (await tx.run(
    'DELETE FROM temporal_events WHERE seq IN (SELECT seq FROM temporal_events WHERE at < ? LIMIT ?)',
    [seconds, limit],
  )).changes;
}

/** How often a document was read. */
export interface Reads {
  readonly docId: string;
  readonly collection: string;
  readonly reads: number;
  /** Unix seconds. */
  readonly lastAt: number;
}

export async function addReads(tx: Transaction, entries: readonly Reads[]): Promise<void> {
  await tx.runMany(`INSERT INTO temporal_hot(doc_id, collection, reads, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT(doc_id) DO UPDATE SET reads = temporal_hot.reads + excluded.reads,
       last_at = CASE WHEN excluded.last_at > temporal_hot.last_at THEN excluded.last_at ELSE temporal_hot.last_at END`,
    entries.map(({ docId, collection, reads, lastAt }) => [docId, collection, reads, lastAt]));
}

interface HotRow extends Reads {
  /** In its last spelling. */
  readonly key: string;
  readonly lang: string;
}

/** The documents with the most reads, of those that exist. */
export async function readHot(queries: Queries,
  { collection, since, now, limit }: { collection: string; since: number; now: number; limit: number }
): Promise<HotRow[]> {
  const rows = await queries.all<{ doc_id: string; reads: number; last_at: number; key: string; lang: string }>(
    `SELECT h.doc_id, h.reads, h.last_at, d.key, d.lang FROM temporal_hot h JOIN documents d ON d.id = h.doc_id
     WHERE h.collection = ? AND h.last_at >= ? AND (d.expires_at IS NULL OR d.expires_at > ?) ORDER BY h.reads DESC, h.last_at DESC LIMIT ?`,
    [collection, since, now, limit],
  );
  return rows.map(({ doc_id: docId, reads, last_at: lastAt, key, lang }) => ({
    docId,
    collection,
    reads,
    lastAt,
    key,
    lang,
  }));
}

export async function forgetReads(tx: Transaction, docIds: readonly string[]): Promise<void> {
  await tx.runMany('DELETE FROM temporal_hot WHERE doc_id = ?', docIds.map((id) => [id]));
}
