import { inList, type Queries, type Row } from '../../storage/index.ts';
import { countDocuments, type CurrentRow, REPLACED } from './document-rows.ts';
import { identify, type Identity } from './identity.ts';
import { deleteChange, deleteInSteps, runInSteps, type UnitOfWork } from './unit-of-work.ts';

/** Maximum number of documents that one statement examines, or versions that it copies. */
const STEP = 64;

/**
 * Removes documents permanently, with their revisions and all spellings. To keep their versions, call `keepVersions`
 * before. `reason` goes into the change feed.
 */
export async function removeDocuments(work: UnitOfWork, rows: readonly CurrentRow[], reason?: 'ttl'): Promise<void> {
  if (rows.length === 0) return;
  await removeRows(work, rows.map(({ ord }) => ord));
  for (const [cid, count] of countBy(rows)) await countDocuments(work.tx, cid, -count);
  await work.feed.append(work.tx, rows.map((row) => deleteChange(row, reason)));
}

/** Removes at most `limit` documents of a collection whose keys begin with a prefix, and returns how many. */
export async function removeUnder(work: UnitOfWork, collection: string, prefix: string,
  limit: number): Promise<number>
{
  const first = identify(collection, prefix, '').id.slice(0, -1);
  // The greatest code point sorts after all continuations of the prefix.
  const rows = await work.tx.all<CurrentRow>(`SELECT ${REPLACED} FROM documents d WHERE d.id >= ? AND d.id < ? LIMIT ?`,
    [first, `${first}\u{10ffff}`, limit]);
  await removeDocuments(work, rows);
  return rows.length;
}

/**
 * Deletes the vectors of documents, of one space if it is named, a few at a time, because one document may have
 * thousands. Other embedding data are deleted with the documents, by reference.
 */
export async function removeVectorRows(work: UnitOfWork, ords: readonly number[], space?: string): Promise<void> {
  const { marks, params } = inList(ords);
  const those = `ord IN (${marks})${space === undefined ? '' : ' AND space = ?'}`;
  await deleteInSteps(work,
    `DELETE FROM vectors WHERE (ord, space, chunk) IN (SELECT ord, space, chunk FROM vectors WHERE ${those} LIMIT ?)`,
    space === undefined ? params : [...params, space]);
}

/** Deletes documents, their revisions, spellings and vectors; the caller updates counters and the feed. */
export async function removeRows(work: UnitOfWork, ords: readonly number[]): Promise<void> {
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    await deleteInSteps(work,
      `DELETE FROM revisions WHERE (ord, ts) IN (SELECT ord, ts FROM revisions WHERE ord IN (${marks}) LIMIT ?)`,
      params);
    await removeVectorRows(work, ords.slice(i, i + STEP));
    await deleteInSteps(work,
      'DELETE FROM spellings WHERE (cid, key, lang) IN (SELECT cid, key, lang FROM spellings WHERE ord IN ' +
        `(${marks}) LIMIT ?)`, params);
  }
  await runInSteps(work, 'DELETE FROM documents WHERE ord = ?', ords.map((ord) => [ord]));
}

function countBy(rows: readonly CurrentRow[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { cid } of rows) counts.set(cid, (counts.get(cid) ?? 0) + 1);
  return counts;
}

/** A deleted document whose versions are kept. */
export interface DeletedRow extends Row {
  /** The ordinal that it had, under which its versions are stored. */
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly added_at: number;
  readonly deleted_at: number;
  /** Number of its newest revision. */
  readonly rev_ts: number;
}

const COLUMNS = 'n.ord, n.id, n.key, n.lang, n.added_at, n.deleted_at, n.rev_ts';

/**
 * A condition on `deleted_documents n`: it has been kept for no longer than the retention, in seconds, and the document
 * would not have expired.
 */
export function stillKept(now: number,
  retention: number): { readonly sql: string; readonly params: readonly number[] }
{
  return { sql: '(n.deleted_at > ? AND (n.expires_at IS NULL OR n.expires_at > ?))', params: [now - retention, now] };
}

/** A deleted document by its id, under any spelling of its key; undefined when nothing is kept of it. */
export async function findDeleted(queries: Queries, { id }: Pick<Identity, 'id'>, now: number,
  retention: number): Promise<DeletedRow | undefined>
{
  return (await findManyDeleted(queries, [id], now, retention)).get(id);
}

/** The same for several documents, by id. */
export async function findManyDeleted(queries: Queries, ids: readonly string[], now: number,
  retention: number): Promise<Map<string, DeletedRow>>
{
  if (ids.length === 0 || retention === 0) return new Map();
  const { marks, params } = inList(ids);
  const kept = stillKept(now, retention);
  const rows = await queries.all<DeletedRow>(
    `SELECT ${COLUMNS} FROM deleted_documents n WHERE n.id IN (${marks}) AND ${kept.sql}`,
    [...params, ...kept.params],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Copies the versions of documents that are about to be removed as they are stored: encrypted ones stay encrypted. The
 * current version becomes a revision if it is not one yet. Does nothing if deleted documents are not kept.
 */
export async function keepVersions(work: UnitOfWork, documents: readonly Pick<CurrentRow, 'ord'>[]): Promise<void> {
  if ((work.deletedRetention ?? 0) === 0) return;
  await runInSteps(work, `
    INSERT INTO deleted_documents(ord, cid, id, key, lang, rev_ts, added_at, deleted_at, expires_at)
    SELECT ord, cid, id, key, lang, rev_ts + CASE WHEN EXISTS (SELECT 1 FROM revisions r WHERE r.ord = d.ord AND r.ts = d.rev_ts AND r.meta IS NULL) THEN 0 ELSE 1 END, added_at, CAST(? AS BIGINT), expires_at
    FROM documents d WHERE ord = ?`, documents.map(({ ord }) => [work.now, ord]));
  for (const { ord } of documents) {
    await inPieces(work, `
      INSERT INTO deleted_revisions(ord, ts, updated_at, backend, meta, body, vectors)
      SELECT r.ord, r.ts, r.updated_at, CASE WHEN r.meta IS NULL THEN d.backend ELSE r.backend END, coalesce(r.meta, d.meta), CASE WHEN r.meta IS NULL THEN d.body ELSE r.body END, CASE WHEN r.meta IS NULL THEN d.vectors ELSE r.vectors END
      FROM revisions r JOIN documents d ON d.ord = r.ord
      WHERE r.ord = ? AND r.ts > (SELECT coalesce(max(ts), -1) FROM deleted_revisions WHERE ord = ?) ORDER BY r.ts LIMIT ?`,
      [ord, ord]);
  }
  await runInSteps(work, `
    INSERT INTO deleted_revisions(ord, ts, updated_at, backend, meta, body, vectors)
    SELECT d.ord, n.rev_ts, d.updated_at, d.backend, d.meta, d.body, d.vectors
    FROM documents d JOIN deleted_documents n ON n.ord = d.ord WHERE d.ord = ? AND n.rev_ts > d.rev_ts`,
    documents.map(({ ord }) => [ord]));
}

/** A deleted document that may be added again. */
export interface PredecessorRow extends DeletedRow {
  /** 1 unless its retention has ended. */
  readonly kept: number;
}

/** The deleted documents with these ids. */
export async function readPredecessors({ tx, now, deletedRetention = 0 }: UnitOfWork,
  ids: readonly string[]): Promise<PredecessorRow[]>
{
  const { marks, params } = inList(ids);
  const kept = stillKept(now, deletedRetention);
  return tx.all<PredecessorRow>(
    `SELECT ${COLUMNS}, ${kept.sql} AS kept FROM deleted_documents n WHERE n.id IN (${marks})`,
    [...kept.params, ...params],
  );
}

/**
 * The kept versions of documents that are about to be added again, by id; versions whose retention has ended are
 * removed.
 */
export async function keptPredecessors(work: UnitOfWork,
  rows: readonly PredecessorRow[]): Promise<Map<string, DeletedRow>>
{
  const isKept = (row: PredecessorRow): boolean => (work.deletedRetention ?? 0) > 0 && row.kept === 1;
  await forgetDeleted(work, rows.filter((row) => !isKept(row)).map(({ ord }) => ord));
  return new Map(rows.filter(isKept).map((row) => [row.id, row]));
}

/** Removes the kept versions of some ids, also those whose retention has ended. */
export async function forgetByIds(work: UnitOfWork, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { marks, params } = inList(ids);
  const rows = await work.tx.all<{ ord: number }>(`SELECT ord FROM deleted_documents WHERE id IN (${marks})`, params);
  await forgetDeleted(work, rows.map(({ ord }) => ord));
}

/** Moves the versions of deleted documents to the documents that have replaced them. */
export async function takeUpVersions(work: UnitOfWork,
  pairs: readonly { readonly from: number; readonly to: number }[]): Promise<void>
{
  for (const { from, to } of pairs) {
    await inPieces(work, `
      INSERT INTO revisions(ord, ts, updated_at, backend, meta, body, vectors)
      SELECT ?, ts, updated_at, backend, meta, body, vectors FROM deleted_revisions
      WHERE ord = ? AND ts > (SELECT coalesce(max(ts), -1) FROM revisions WHERE ord = ?) ORDER BY ts LIMIT ?`, [to,
      from, to]);
  }
  await forgetDeleted(work, pairs.map(({ from }) => from));
}

/** Removes the kept versions of deleted documents. */
export async function forgetDeleted(work: UnitOfWork, ords: readonly number[]): Promise<void> {
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    await deleteInSteps(work,
      'DELETE FROM deleted_revisions WHERE (ord, ts) IN (SELECT ord, ts FROM deleted_revisions WHERE ord IN ' +
        `(${marks}) LIMIT ?)`, params);
  }
  await runInSteps(work, 'DELETE FROM deleted_documents WHERE ord = ?', ords.map((ord) => [ord]));
}

/** The same for all deleted documents of a collection. */
export async function forgetDeletedOf(work: UnitOfWork, cid: number): Promise<void> {
  for (;;) {
    const rows = await work.tx.all<{ ord: number }>('SELECT ord FROM deleted_documents WHERE cid = ? LIMIT ?', [cid,
      STEP]);
    if (rows.length === 0) return;
    await forgetDeleted(work, rows.map(({ ord }) => ord));
  }
}

/** Repeats a statement whose last placeholder limits how many rows it copies, until no row is left. */
async function inPieces({ tx, pace }: UnitOfWork, sql: string, params: readonly number[]): Promise<void> {
  let copied: number;
  do {
    copied = (await tx.run(sql, [...params, STEP])).changes;
    await pace.rest();
  } while (copied === STEP);
}
