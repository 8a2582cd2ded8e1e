import type { Queries, Row, Sql, SqlValue, Transaction } from '../../storage/index.ts';

export interface CollectionRow {
  readonly [column: string]: number;
  readonly id: number;
  /** Rows of its documents, expired ones included. */
  readonly docs: number;
}

/** Scans of a collection this small are shorter than the way to another thread and back. */
const SMALL_DOCS = 1000;

/** A collection by its name in any letter case; undefined while it never had a document. */
export function readCollection(queries: Queries, name: string): Promise<CollectionRow | undefined> {
  return queries.get<CollectionRow>('SELECT id, docs FROM collections WHERE name = ?', [name.toLowerCase()]);
}

/** The id of a collection, which comes into being with its first document. */
export async function ensureCollection(tx: Transaction, name: string): Promise<number> {
  const found = await readCollection(tx, name);
  if (found !== undefined) return found.id;
  await tx.run('INSERT INTO collections(name) VALUES (?)', [name.toLowerCase()]);
  return (await readCollection(tx, name))!.id;
}

export async function countDocuments(tx: Transaction, cid: number, difference: number): Promise<void> {
  if (difference !== 0) await tx.run('UPDATE collections SET docs = docs + ? WHERE id = ?', [difference, cid]);
}

/** Where to scan a collection: in the foreground only when it is small. */
export function queriesFor(sql: Sql, { docs }: CollectionRow): Queries {
  return docs <= SMALL_DOCS ? sql : sql.background;
}

/**
 * Many rows of a collection, in batches, so that the event loop turns between them. A database in
 * memory answers at once: to stream it, it would have to be copied.
 */
export async function* scanRows<R extends Row>(sql: Sql, collection: CollectionRow, query: string, params: readonly SqlValue[]): AsyncGenerator<R[]> {
  if (queriesFor(sql, collection) === sql) yield sql.all<R>(query, params);
  else yield* sql.stream<R>(query, params);
}
