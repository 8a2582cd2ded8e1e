import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../lib/clock.ts';
import { deltaHead } from '../body/delta.ts';

export interface LostDocument {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
}

/** Numbers of the change feed that the damaged database may have assigned beyond those that can be read. */
const HEADROOM = 1_000_000;

/**
 * Makes the salvaged rows consistent: rows that belong to lost ones are deleted, and derived rows are rebuilt. Returns
 * the lost documents. `notes` receives a sentence for each difference from the original.
 */
export function reconcile(database: DatabaseSync, notes: string[], isDamaged: boolean): LostDocument[] {
  if (!hasTable(database, 'documents')) return [];
  restoreCollections(database, notes);
  const lost = lostDocuments(database);
  if (isDamaged) {
    dropRowsOfLost(database);
    restoreSpellings(database);
    dropBrokenVectors(database, notes);
    dropBaseless(database, notes);
    dropDangling(database, notes);
  }
  countDocuments(database, notes, lost.length);
  restartFeed(database, notes);
  // Followers may have what is lost here, so they must take a snapshot.
  if (hasTable(database, 'replication'))
    database.exec('UPDATE replication SET history = lower(hex(randomblob(16))), position = 0, checksum = 0');
  return lost;
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** A document's id begins with the name of its collection. */
function restoreCollections(database: DatabaseSync, notes: string[]): void {
  const { changes } = database.prepare(`
    INSERT OR IGNORE INTO collections(id, name)
    SELECT cid, substr(id, 1, instr(id, '|') - 1) FROM documents WHERE cid NOT IN (SELECT id FROM collections) GROUP BY cid`)
    .run();
  if (changes > 0) notes.push(`${changes} collections were restored from the ids of their documents`);
}

/** A document has the spellings under which it was written; deleting the document deletes them. */
function lostDocuments(database: DatabaseSync): LostDocument[] {
  if (!hasTable(database, 'spellings')) return [];
  return database.prepare(`
    SELECT coalesce(c.name, '') AS collection, s.key, s.lang FROM spellings s LEFT JOIN collections c ON c.id = s.cid
    WHERE s.ord NOT IN (SELECT ord FROM documents) GROUP BY s.ord ORDER BY 1, 2, 3`).all() as unknown as LostDocument[];
}

function dropRowsOfLost(database: DatabaseSync): void {
  if (!hasTable(database, 'spellings')) return;
  const lost = 'SELECT ord FROM spellings WHERE ord NOT IN (SELECT ord FROM documents)';
  for (const table of ['revisions', 'embeddings', 'vectors', 'embedding_states', 'spellings']) {
    if (hasTable(database, table)) database.exec(`DELETE FROM ${table} WHERE ord IN (${lost})`);
  }
}

/** Each document is found under its last spelling. */
function restoreSpellings(database: DatabaseSync): void {
  if (hasTable(database, 'spellings'))
    database.exec(
      'INSERT OR IGNORE INTO spellings(cid, key, lang, ord) SELECT cid, key, lower(lang), ord FROM documents',
    );
}

/** A document that lost some of its vectors is embedded again. */
function dropBrokenVectors(database: DatabaseSync, notes: string[]): void {
  if (!hasTable(database, 'vectors')) return;
  const broken = 'SELECT e.ord, e.space FROM embeddings e WHERE e.chunks <> ' +
    '(SELECT count(*) FROM vectors v WHERE v.ord = e.ord AND v.space = e.space)';
  const { changes } = database.prepare(`
    INSERT OR IGNORE INTO embedding_states(ord, space, cid, state)
    SELECT ord, space, cid, 'queued' FROM embeddings WHERE (ord, space) IN (${broken})`).run();
  database.exec(`DELETE FROM vectors WHERE (ord, space) IN (${broken})`);
  database.exec(
    "DELETE FROM embeddings WHERE (ord, space) IN (SELECT ord, space FROM embedding_states WHERE state = 'queued') " +
      'AND chunks > 0 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.ord = embeddings.ord AND v.space = embeddings.space)',
  );
  if (changes > 0) notes.push(`${changes} documents have lost vectors and are queued to be embedded again`);
}

/**
 * A delta revision is useless without its base, and so are the revisions that are based on it. Whether an encrypted one
 * is a delta is known only when it is read.
 */
function dropBaseless(database: DatabaseSync, notes: string[]): void {
  if (!hasTable(database, 'revisions')) return;
  const isThere = database.prepare('SELECT 1 FROM revisions WHERE ord = ? AND ts = ?');
  const remove = database.prepare('DELETE FROM revisions WHERE ord = ? AND ts = ?');
  let dropped = 0;
  // Newest first, so that the revisions based on a deleted one are checked after it.
  const rows = database.prepare(
    "SELECT ord, ts, substr(body, 1, 64) AS head FROM revisions WHERE substr(body, 1, 1) = x'03' ORDER BY ord, ts DESC",
  ).all();
  for (const { ord, ts, head } of rows as unknown as { ord: number; ts: number; head: Uint8Array }[]) {
    const base = baseOf(head);
    if (base !== undefined && isThere.get(ord, base) !== undefined) continue;
    dropped += Number(remove.run(ord, ts).changes);
  }
  if (dropped > 0)
    notes.push(`${dropped} revisions are lost with the later ones that they were stored as deltas against`);
}

function baseOf(head: Uint8Array): number | undefined {
  try {
    return deltaHead(head)?.base;
  } catch {
    return undefined;
  }
}

/** Deletes rows that refer to lost rows; this may orphan other rows. */
function dropDangling(database: DatabaseSync, notes: string[]): void {
  for (let found = danglingOf(database); found.length > 0; found = danglingOf(database)) {
    for (const { table, rowid } of found) database.prepare(`DELETE FROM "${table}" WHERE rowid = ?`).run(rowid);
    notes.push(`${found.length} rows that refer to lost rows were left out`);
  }
}

function danglingOf(database: DatabaseSync): { table: string; rowid: number }[] {
  return database.prepare('PRAGMA foreign_key_check').all() as unknown as { table: string; rowid: number }[];
}

/** More documents may be lost than those whose names are known. */
function countDocuments(database: DatabaseSync, notes: string[], known: number): void {
  const { n: missing } = database.prepare(
    'SELECT sum(max(0, docs - (SELECT count(*) FROM documents WHERE cid = c.id))) AS n FROM collections c',
  ).get() as { n: number | null };
  if ((missing ?? 0) > known) notes.push(`${missing! - known} further documents are lost, whose names are not known`);
  database.exec('UPDATE collections SET docs = (SELECT count(*) FROM documents WHERE cid = collections.id)');
}

/** A feed with a gap is restarted, so that all readers rebuild from the tables. */
function restartFeed(database: DatabaseSync, notes: string[]): void {
  if (!hasTable(database, 'changes')) return;
  const { count, first, last } = database.prepare(
    'SELECT count(*) AS count, min(lsn) AS first, max(lsn) AS last FROM changes',
  ).get() as { count: number; first: number | null; last: number | null };
  const { read } = database.prepare('SELECT coalesce(max(lsn), 0) AS read FROM cursors').get() as { read: number };
  const isWhole = count === 0 ? read === 0 : count === last! - first! + 1 && read <= last!;
  if (isWhole) return;
  const lsn = Math.max(last ?? 0, read) + HEADROOM;
  database.exec('DELETE FROM changes');
  database.prepare("INSERT INTO changes(lsn, kind, collection, at) VALUES (?, 'feed.restart', '', ?)").run(lsn,
    systemClock.now());
  database.prepare(
    "INSERT INTO settings(name, value) VALUES ('binlog_epoch', ?) ON CONFLICT(name) DO UPDATE SET value = " +
      'excluded.value',
  ).run(String(lsn));
  notes.push('the change feed has a gap and starts over: what follows it reads the documents again');
}
