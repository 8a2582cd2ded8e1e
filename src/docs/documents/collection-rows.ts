import type { Queries, Row, Sql, SqlValue, Transaction } from '../../storage/index.ts';
import { type CollectionRow, readCollection } from '../stored-collections.ts';

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
