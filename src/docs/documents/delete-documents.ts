import { ServiceError } from '../../errors/index.ts';
import { mayReadAll } from '../../operations/index.ts';
import { readCollection } from '../stored-collections.ts';
import { type Expectation, expectsNothing, requireExpected } from './checksums.ts';
import { findManyDeleted, forgetByIds, forgetDeletedOf, keepVersions, removeDocuments,
  removeRows } from './deleted-documents.ts';
import { type Deps, type DocumentHandlers, transact } from './deps.ts';
import { CURRENT, type CurrentRow, findDocument, REPLACED } from './document-rows.ts';
import { identify, type Identity } from './identity.ts';
import { identityProblem } from './item-rules.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { addFailure, CHUNK } from './writer.ts';

/**
 * `POST /v1/delete`: removes a document with all its spellings; for an absent document it returns 404 with `deleted`
 * false. Its versions are kept for the retention of deleted documents, unless `purge` is true; `purge` also removes the
 * kept versions of a document that was deleted before.
 */
export function deleteDocument(deps: Deps): DocumentHandlers['deleteDocument'] {
  return async ({ collection, key, lang, purge, ...expected }, context) => {
    const identity = identify(collection, key, lang);
    const deleted = await transact(deps, (work) => removeExpected(deps, work, identity, { purge, expected }), context,
      () => [identity.collection]);
    if (deleted === 0) throw new ServiceError('not_found', 'not found', { body: { deleted: false } });
    return { deleted: true, status: 'deleted', collection, key, lang };
  };
}

/**
 * `POST /v1/delete-batch`: each item succeeds or fails alone; a document named twice is deleted once and then not
 * found. To callers without read permission, all count as deleted.
 */
export function deleteDocuments(deps: Deps): DocumentHandlers['deleteDocuments'] {
  return async ({ collection, documents, purge }, context) => {
    const result = { deleted: 0, not_found: 0, failed: 0, errors: [] as string[] };
    for (let start = 0; start < documents.length; start += CHUNK) {
      context.signal.throwIfAborted();
      const identities: Identity[] = [];
      for (const [i, item] of documents.slice(start, start + CHUNK).entries()) {
        const problem = identityProblem(item);
        if (problem === undefined) identities.push(identify(collection, item.key!, item.lang!));
        else addFailure(result, start + i, item.key, problem);
      }
      const collections = (): string[] => identities.map((each) => each.collection);
      const found = await transact(deps, (work) => remove(work, identities, purge), context, collections);
      const deleted = mayReadAll(context.identity, collection) ? found : identities.length;
      result.deleted += deleted;
      result.not_found += identities.length - deleted;
    }
    return { ...result, errors: result.errors.length === 0 ? null : result.errors };
  };
}

/** An absent document is not found, whatever the request expects of it. */
async function removeExpected({ checksums }: Pick<Deps, 'checksums'>, work: UnitOfWork, identity: Identity,
  { purge, expected }: { purge: boolean; expected: Expectation }): Promise<number>
{
  if (expectsNothing(expected)) return remove(work, [identity], purge);
  const row = await findDocument<CurrentRow>(work.tx, CURRENT, identity, work.now);
  if (row === undefined) return 0;
  requireExpected(checksums, row, expected);
  return remove(work, [identity], purge);
}

/** Removes the documents that exist under these spellings and returns their number. */
async function remove(work: UnitOfWork, identities: readonly Identity[], purge: boolean): Promise<number> {
  const rows = new Map<number, CurrentRow>();
  for (const identity of identities) {
    const row = await findDocument<CurrentRow>(work.tx, REPLACED, identity, work.now);
    if (row !== undefined) rows.set(row.ord, row);
    await work.pace.rest();
  }
  if (!purge) await keepVersions(work, [...rows.values()]);
  await removeDocuments(work, [...rows.values()]);
  return rows.size + (purge ? await purgeDeleted(work, identities, [...rows.values()]) : 0);
}

/**
 * Removes the kept versions of documents that were deleted before. Returns the number of those documents, without the
 * ones just removed.
 */
async function purgeDeleted(work: UnitOfWork, identities: readonly Identity[],
  removed: readonly CurrentRow[]): Promise<number>
{
  const ids = [...new Set(identities.map(({ id }) => id))];
  const deleted = await findManyDeleted(work.tx, ids, work.now, work.deletedRetention ?? 0);
  await forgetByIds(work, ids);
  for (const { id } of removed) deleted.delete(id);
  return deleted.size;
}

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
