import type { Row, Sql, SqlValue } from '../../../storage/index.ts';
import { queriesFor, type CollectionRow } from '../collection-rows.ts';

/** Rows of which the event loop takes in all at once within some milliseconds. */
const AT_ONCE = 20_000;

/** Rows of a batch. */
const BATCH = 4096;

/** Rows of a collection, at most about one for each document: all at once, or in batches between which the event loop turns. */
export async function* valueRows<R extends Row>(sql: Sql, collection: CollectionRow, query: string, params: readonly SqlValue[]): AsyncGenerator<R[]> {
  const queries = queriesFor(sql, collection);
  if (queries === sql || collection.docs <= AT_ONCE) yield await queries.all<R>(query, params);
  else yield* sql.stream<R>(query, params, { batch: BATCH });
}
