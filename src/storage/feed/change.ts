import type { Queries, SqlValue, Transaction } from '../port.ts';

/** The kinds of changes. The document service writes the kinds listed here; an area may add its own as `area.verb`. */
export type ChangeKind = 'doc.put' | 'doc.delete' | 'collection.delete' | 'config.put' | 'schema.put' | 'feed.restart'
  | `${string}.${string}`;

/** Bits of `Change.flags`. */
export const CHANGE_FLAGS = {
  /** The document did not exist before. */
  CREATED: 1,
  SKIP_EMBEDDINGS: 2,
  SKIP_FTS: 4,
  SKIP_WEBHOOKS: 8,
  /** Written by a restore, not by a client. */
  RESTORED: 16,
  /** The queue of documents to embed was full. */
  EMBEDDING_DROPPED: 32,
  /** The body is that of the previous version. */
  BODY_KEPT: 64,
  /** The vectors that clients supply are other ones than before, or there are some in a new document. */
  VECTORS: 128,
} as const;

/** A change as its transaction appends it. */
export interface NewChange {
  readonly kind: ChangeKind;
  /** Lowercased name; empty when the change concerns no collection. */
  readonly collection: string;
  /** Ordinal of the document, for changes of documents. */
  readonly ord?: number;
  readonly docId?: string;
  readonly key?: string;
  readonly lang?: string;
  /** Sum of `CHANGE_FLAGS`; default 0. */
  readonly flags?: number;
  /** JSON, in the format of the area that defines the kind. */
  readonly detail?: string;
  /** Not stored: readers that are close to the head get it; all others read the tables. */
  readonly document?: WrittenDocument;
}

/** What a change made of a document, for readers of the feed in this process. It is shared: do not change it. */
export interface WrittenDocument {
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly contentMd: string;
  /** Unix seconds. */
  readonly addedAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number | null;
  /** The vectors that a client supplied (`encodeVectors`), unless there are none. */
  readonly vectors?: Uint8Array | undefined;
  /** What a reader of the feed prepared of the document before it was written, for itself. */
  readonly prepared?: unknown;
}

/** A committed change. */
export interface Change extends NewChange {
  /** Log sequence number: 1 for the first change, then without a gap. */
  readonly lsn: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly flags: number;
}

/**
 * The changes after a position are missing: they were pruned, or a restore restarted the feed. The reader must rebuild
 * from the tables and continue from the head.
 */
export class FeedGap extends Error {
  readonly after: number;
  readonly oldest: number;
  readonly head: number;

  constructor(after: number, oldest: number, head: number) {
    super(`the change feed goes from ${oldest} to ${head} and cannot continue after ${after}`);
    this.name = 'FeedGap';
    this.after = after;
    this.oldest = oldest;
    this.head = head;
  }
}

const INSERT =
  'INSERT INTO changes(lsn, kind, collection, ord, doc_id, key, lang, at, flags, detail) VALUES (?, ?, ?, ?, ?, ' +
  '?, ?, ?, ?, ?)';
/** Documents that a transaction has stored: those of a collection that are new since it read the last ordinal. */
export interface StoredDocuments {
  readonly cid: number;
  readonly after: number;
}

/**
 * The condition for `StoredDocuments`; its parameters are `after` and `cid`. The upper limit and the addition make a
 * database look for ordinals: it would expect most documents to be new, or read all those of the collection.
 */
export const NEW_DOCUMENTS = 'ord > ? AND ord <= (SELECT max(ord) FROM documents) AND cid + 0 = ?';

/** For new documents, in the order of their ordinals; `head` is the number of the change before them. */
const copyAfter = (head: string): string => `
  INSERT INTO changes(lsn, kind, collection, ord, doc_id, key, lang, at, flags)
  SELECT ${head} + row_number() OVER (ORDER BY ord), ?, ?, ord, id, key, lang, ?, ?
  FROM documents WHERE ${NEW_DOCUMENTS} RETURNING lsn, ord`;
const COPY = copyAfter('?');
const COPY_AFTER_HEAD = copyAfter('(SELECT coalesce(max(lsn), 0) FROM changes)');
const SELECT =
  'SELECT lsn, kind, collection, ord, doc_id, key, lang, at, flags, detail FROM changes WHERE lsn > ? ORDER BY ' +
  'lsn LIMIT ?';

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

/** In ascending order. */
export async function newOrdinals(tx: Transaction, { cid, after }: StoredDocuments): Promise<number[]> {
  const rows = await tx.all<{ ord: number }>(`SELECT ord FROM documents WHERE ${NEW_DOCUMENTS} ORDER BY ord`, [after,
    cid]);
  return rows.map(({ ord }) => ord);
}

/**
 * Inserts changes that differ only in their documents, whose names the database copies from their rows. `head` is the
 * number of the newest change; if it is undefined, the statement reads it. Returns the numbers of the changes and the
 * ordinals of their documents, in ascending order.
 */
export async function copyChanges(tx: Transaction,
  { kind, collection, at, flags }: Pick<Change, 'kind' | 'collection' | 'at' | 'flags'>,
  { cid, after }: StoredDocuments, head: number | undefined): Promise<{ lsn: number; ord: number }[]>
{
  const rest = [kind, collection, at, flags, after, cid];
  const rows =
    await (head === undefined
      ? tx.all<{ lsn: number; ord: number }>(COPY_AFTER_HEAD, rest)
      : tx.all<{ lsn: number; ord: number }>(COPY, [head, ...rest]));
  return rows.sort((a, b) => a.lsn - b.lsn);
}

/** Whether `copyChanges` can insert them. */
export function areAlike(changes: readonly NewChange[]): changes is readonly [NewChange, ...NewChange[]] {
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
    ord: row.ord ?? undefined,
    docId: row.doc_id ?? undefined,
    key: row.key ?? undefined,
    lang: row.lang ?? undefined,
    detail: row.detail ?? undefined,
  };
}
