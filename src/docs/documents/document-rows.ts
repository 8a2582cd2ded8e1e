import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { type BodyCodec, NEW_DOCUMENTS, type Queries, type Row, ROW_MUST_BE_SEALED, SEALED_META, type Sql,
  type SqlValue, type StoredDocuments, type Transaction } from '../../storage/index.ts';
import { documentOf } from '../search/index.ts';
import { type CollectionRow, readCollection } from '../stored-collections.ts';
import type { ChecksumRow, Checksums } from './checksums.ts';
import type { Identity } from './identity.ts';
import { runInSteps, type UnitOfWork } from './unit-of-work.ts';

/** Metadata: any text as key (`__proto__` too), values in the given order, repeats included. */
export type Meta = Readonly<Record<string, readonly string[]>>;

/**
 * The stored form: JSON with sorted keys and no spaces, so that equal metadata have equal text; the checksum requires
 * that. The order of values and their repeats are data.
 */
export function canonicalMeta(meta: Meta): string {
  const keys = Object.keys(meta);
  if (isSorted(keys)) return JSON.stringify(meta);
  keys.sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(meta[key])}`).join(',')}}`;
}

/** Whether the keys are in the order of `sort`. */
function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i]! < keys[i - 1]!) return false;
  return true;
}

export function parseMeta(text: string): Record<string, string[]> {
  return JSON.parse(text) as Record<string, string[]>;
}

/** What a document shows, except its body. */
export const SHOWN = 'd.id, d.key, d.lang, d.meta, d.added_at, d.updated_at, d.expires_at';

/** What a write must know of the document that it changes, except its body. */
export const CURRENT = `d.ord, d.cid, d.crc, d.bytes, d.vectors_hash, d.rev_ts, ${SHOWN}`;

/**
 * The same for a write that replaces or removes the metadata of the document: encrypted metadata are returned as `{}`
 * and not decrypted. So a document whose metadata can no longer be decrypted can still be replaced and removed. Within
 * transactions only.
 */
export const REPLACED = CURRENT.replace('d.meta',
  `CASE WHEN ${SEALED_META('d.meta')} OR ${ROW_MUST_BE_SEALED('d.cid')} THEN '{}' ELSE d.meta END AS meta`);

export interface ShownRow {
  readonly [column: string]: string | number | null | Uint8Array;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** Canonical JSON. */
  readonly meta: string;
  readonly added_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

export interface CurrentRow extends ShownRow {
  readonly ord: number;
  readonly cid: number;
  /** CRC-32 of the body. */
  readonly crc: number;
  /** Length of the body as UTF-8. */
  readonly bytes: number;
  readonly rev_ts: number;
  /** Of the vectors that a client has supplied; 0 for none. */
  readonly vectors_hash: number;
}

export interface WithBody extends ShownRow {
  /** As the codec stored it. */
  readonly body: Uint8Array;
}

/**
 * A document by a spelling that was once written (identity rule 2). Undefined when there is none or it has expired,
 * because an expired document is absent at once (decisions section 3.1).
 *
 * The row is found by its id. The spellings are read only when the key is not the latest one, so the common read is a
 * single lookup.
 */
export function findDocument<R extends ShownRow>(queries: Queries, columns: string, { id, key, lang }: Identity,
  now: number): Promise<R | undefined>
{
  return queries.get<R>(`SELECT ${columns} FROM documents d
     WHERE d.id = ? AND (d.expires_at IS NULL OR d.expires_at > ?)
       AND (d.key = ? OR EXISTS (SELECT 1 FROM spellings s WHERE s.cid = d.cid AND s.key = ? AND s.lang = ? AND s.ord = d.ord))`,
    [id, now, key, key, lang.toLowerCase()]);
}

export function isExpired({ expires_at: expiresAt }: Pick<ShownRow, 'expires_at'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export function toDocument(row: ShownRow, contentMd: string): Document {
  return documentOf(row, parseMeta(row.meta), contentMd);
}

export async function decodeDocument(codec: BodyCodec, row: WithBody): Promise<Document> {
  return toDocument(row, await codec.decodeAsync(row.body));
}

/** The document with the checksum that a later write may expect. */
export async function decodeVersion({ codec, checksums }: { readonly codec: BodyCodec; readonly checksums: Checksums },
  row: WithBody & ChecksumRow): Promise<Document & { checksum: string }>
{
  const contentMd = codec.decodeNow(row.body) ?? (await codec.decodeAsync(row.body));
  return { ...toDocument(row, contentMd), checksum: checksums.of(row) };
}

/** A key as it was written, for a document in a language in any letter case. */
interface Spelling {
  readonly cid: number;
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
}

/** Stores the spellings under which documents were written, the only ones that find them; known spellings stay. */
export async function addSpellings(work: UnitOfWork, spellings: readonly Spelling[]): Promise<void> {
  await runInSteps(work,
    'INSERT INTO spellings(cid, key, lang, ord) VALUES (?, ?, ?, ?) ON CONFLICT(cid, key, lang) DO NOTHING',
    spellings.map(({ cid, key, lang, ord }) => [cid, key, lang.toLowerCase(), ord]));
}

/**
 * The same for documents that were just stored, from their rows: languages are ASCII, which SQL lowercases in the same
 * way.
 */
export async function addFirstSpellings({ tx }: UnitOfWork, { cid, after }: StoredDocuments): Promise<void> {
  await tx.run(
    'INSERT INTO spellings(cid, key, lang, ord) SELECT cid, key, lower(lang), ord FROM documents WHERE ' +
      `${NEW_DOCUMENTS} ON CONFLICT(cid, key, lang) DO NOTHING`,
    [after, cid],
  );
}

/** The greatest ordinal of a document; 0 if there is none. Documents that are stored afterwards have greater ones. */
export async function lastOrdinal(tx: Transaction): Promise<number> {
  return (await tx.get<{ last: number | null }>('SELECT max(ord) AS last FROM documents'))!.last ?? 0;
}

/** Scanning a collection of at most this size takes less time than sending the query to another thread. */
const SMALL_DOCS = 1000;

/** The id of a collection. The row is inserted with the first document. */
export async function ensureCollection(tx: Transaction, name: string): Promise<number> {
  const found = await readCollection(tx, name);
  if (found !== undefined) return found.id;
  await tx.run('INSERT INTO collections(name) VALUES (?)', [name.toLowerCase()]);
  return (await readCollection(tx, name))!.id;
}

export async function countDocuments(tx: Transaction, cid: number, difference: number): Promise<void> {
  if (difference !== 0) await tx.run('UPDATE collections SET docs = docs + ? WHERE id = ?', [difference, cid]);
}

/** Where to scan a collection: in the foreground only if it is small. */
export function queriesFor(sql: Sql, { docs }: CollectionRow): Queries {
  return docs <= SMALL_DOCS ? sql : sql.background;
}

/**
 * Many rows of a collection, in batches, so that the event loop turns between them. A database in memory returns all
 * rows at once, because streaming would require a copy of it.
 */
export async function* scanRows<R extends Row>(sql: Sql, collection: CollectionRow, query: string,
  params: readonly SqlValue[]): AsyncGenerator<R[]>
{
  if (queriesFor(sql, collection) === sql) yield sql.all<R>(query, params);
  else yield* sql.stream<R>(query, params);
}
