import { readCollection } from '../stored-collections.ts';
import { scanRows } from './collection-rows.ts';
import { type Deps, type DocumentHandlers, transact } from './deps.ts';
import { trimRevisions } from './revision-rows.ts';
import { CHUNK } from './writer.ts';

/**
 * `POST /v1/truncate`: keeps the newest `keepRevs` revisions of each document, in one transaction for every 500
 * documents. The first transaction appends a change to the feed, so that a follower can do the same.
 *
 * `dropCache` is accepted and has no effect: there is no cache of revisions besides the database.
 */
export function truncateRevisions(deps: Deps): DocumentHandlers['truncateRevisions'] {
  return async ({ collection, keepRevs }, context) => {
    const ords = await longHistories(deps, collection, keepRevs);
    let deleted = 0;
    for (let start = 0; start < ords.length; start += CHUNK) {
      context.signal.throwIfAborted();
      deleted += await transact(deps, async (work) => {
        const detail = JSON.stringify({ keepRevs });
        if (start === 0)
          await work.feed.append(work.tx, [{
            kind: 'revisions.truncate',
            collection: collection.toLowerCase(),
            detail,
          }]);
        return trimRevisions(work, ords.slice(start, start + CHUNK), keepRevs);
      }, context);
    }
    return { deleted, status: 'truncated', collection, keepRevs };
  };
}

/** The documents that have more revisions than are to be kept. */
async function longHistories({ sql }: Deps, name: string, keep: number): Promise<number[]> {
  const collection = await readCollection(sql, name);
  if (collection === undefined) return [];
  const query =
    'SELECT r.ord AS ord FROM documents d JOIN revisions r ON r.ord = d.ord WHERE d.cid = ? GROUP BY r.ord HAVING ' +
    'count(*) > ?';
  const batches = await Array.fromAsync(scanRows<{ ord: number }>(sql, collection, query, [collection.id, keep]));
  return batches.flat().map(({ ord }) => ord);
}
