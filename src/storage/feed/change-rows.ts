import type { Queries, SqlValue, Transaction } from '../port.ts';
import type { Change, NewChange } from './change.ts';

const INSERT =
  'INSERT INTO changes(lsn, kind, collection, ord, doc_id, key, lang, at, flags, detail) VALUES (?, ?, ?, ?, ?, ' +
  '?, ?, ?, ?, ?)';
/**
 * For the last documents; the first parameter is the number of the last change, the last one the number of documents,
 * less one.
 */
const COPY = `
  INSERT INTO changes(lsn, kind, collection, ord, doc_id, key, lang, at, flags)
  SELECT ord - (SELECT max(ord) FROM documents) + ?, ?, ?, ord, id, key, lang, ?, ?
  FROM documents WHERE ord BETWEEN (SELECT max(ord) FROM documents) - ? AND (SELECT max(ord) FROM documents)`;
const SELECT =
  'SELECT lsn, kind, collection, ord, doc_id, key, lang, at, flags, detail FROM changes WHERE lsn > ? ORDER BY ' +
  'lsn LIMIT ?';

/** Changes with their numbers; at least one. */
export type Numbered = readonly [Change, ...Change[]];

interface ChangeRow {
  readonly [column: string]: string | number | null;
  readonly lsn: number;
  readonly kind: string;
  readonly collection: string;
  readonly ord: number | null;
  readonly doc_id: string | null;
  readonly key: string | null;
  readonly lang: string | null;
  readonly at: number;
  readonly flags: number;
  readonly detail: string | null;
}

export function insertChanges(tx: Transaction, changes: readonly Change[]): Promise<unknown> {
  return tx.runMany(INSERT, changes.map(toParameters));
}

/**
 * Inserts changes that differ only in their documents, the last ones of the table, whose names the database copies from
 * their rows.
 */
export function copyChanges(tx: Transaction, changes: Numbered): Promise<unknown> {
  const { kind, collection, at, flags } = changes[0];
  return tx.run(COPY, [changes.at(-1)!.lsn, kind, collection, at, flags, changes.length - 1]);
}

/** Whether `copyChanges` can insert them. */
export function areAlike(changes: readonly NewChange[]): boolean {
  const [example] = changes;
  return example !== undefined &&
    changes.every(({ kind, collection, flags, detail }) =>
      kind === example.kind && collection === example.collection && flags === example.flags && detail === undefined
    );
}

/** At most `limit` changes after a number, in order. */
export async function selectChanges(queries: Pick<Queries, 'all'>, after: number, limit: number): Promise<Change[]> {
  return (await queries.all<ChangeRow>(SELECT, [after, limit])).map(toChange);
}

/** Number of the newest change; 0 when there was none yet. */
export async function newestChange(queries: Pick<Queries, 'get'>): Promise<number> {
  const row = await queries.get<{ lsn: number | null }>('SELECT max(lsn) AS lsn FROM changes');
  return row!.lsn ?? 0;
}

/** Number of the oldest change that is kept; 0 when there was none yet. */
export async function oldestChange(queries: Pick<Queries, 'get'>): Promise<number> {
  const row = await queries.get<{ lsn: number | null }>('SELECT min(lsn) AS lsn FROM changes');
  return row!.lsn ?? 0;
}

function toParameters(change: Change): SqlValue[] {
  const { lsn, kind, collection, ord = null, docId = null, key = null, lang = null, at, flags, detail = null } = change;
  return [lsn, kind, collection, ord, docId, key, lang, at, flags, detail];
}

function toChange(row: ChangeRow): Change {
  return {
    lsn: row.lsn,
    kind: row.kind as Change['kind'],
    collection: row.collection,
    at: row.at,
    flags: row.flags,
    ...(row.ord !== null && { ord: row.ord }),
    ...(row.doc_id !== null && { docId: row.doc_id }),
    ...(row.key !== null && { key: row.key }),
    ...(row.lang !== null && { lang: row.lang }),
    ...(row.detail !== null && { detail: row.detail }),
  };
}
