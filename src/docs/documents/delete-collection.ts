import { readCollection } from '../stored-collections.ts';
import { forgetDeletedOf } from './deleted-documents.ts';
import { type Deps, type DocumentHandlers, transact } from './deps.ts';
import { removeRows } from './remove-documents.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Number of documents that one statement examines. */
const STEP = 64;

/**
 * `POST /v1/delete-collection`: one transaction, so that no reader sees half a collection and the feed has one change
 * with the count. The event loop turns between its steps; other writers wait until it ends. No versions of its
 * documents are kept, and those of documents that were deleted before are removed. Configuration, schema and
 * permissions stay.
 */
export function deleteCollection(deps: Deps): DocumentHandlers['deleteCollection'] {
  return async ({ collection }, context) => {
    const deleted = await transact(deps, (work) => clear(work, collection.toLowerCase()), context);
    return { deleted, status: 'deleted', collection };
  };
}

async function clear(work: UnitOfWork, name: string): Promise<number> {
  const collection = await readCollection(work.tx, name);
  if (collection === undefined) return 0;
  const { id: cid, docs } = collection;
  const deleted = docs - (await countExpired(work, cid));
  for (let ords = await someOrds(work, cid); ords.length > 0; ords = await someOrds(work, cid))
    await removeRows(work, ords);
  await forgetDeletedOf(work, cid);
  await work.tx.run('DELETE FROM collections WHERE id = ?', [cid]);
  await work.feed.append(work.tx, [{
    kind: 'collection.delete',
    collection: name,
    detail: JSON.stringify({ deleted }),
  }]);
  return deleted;
}

async function someOrds({ tx }: UnitOfWork, cid: number): Promise<number[]> {
  const rows = await tx.all<{ ord: number }>('SELECT ord FROM documents WHERE cid = ? LIMIT ?', [cid, STEP]);
  return rows.map(({ ord }) => ord);
}

/** Expired documents are absent already, so they do not count. */
async function countExpired({ tx, now }: UnitOfWork, cid: number): Promise<number> {
  // The `+` prevents the planner from walking an index of the whole collection to find the few expired documents.
  const row = await tx.get<{ count: number }>(
    'SELECT count(*) AS count FROM documents WHERE expires_at <= ? AND +cid = ?',
    [now, cid],
  );
  return row!.count;
}
