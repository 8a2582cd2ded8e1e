import { ServiceError } from '../../errors/index.ts';
import { mayReadAll } from '../../operations/index.ts';
import { findManyDeleted, forgetByIds, keepVersions } from './deleted-documents.ts';
import { type Deps, type DocumentHandlers, transact } from './deps.ts';
import { CURRENT, type CurrentRow, findDocument, REPLACED } from './document-rows.ts';
import { type Expectation, expectsNothing, requireExpected } from './expectation.ts';
import { identify, type Identity } from './identity.ts';
import { identityProblem } from './item-rules.ts';
import { removeDocuments } from './remove-documents.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { addFailure, CHUNK } from './writer.ts';

/**
 * `POST /v1/delete`: removes a document with all its spellings; for an absent document it returns 404 with `deleted`
 * false. Its versions are kept for the retention of deleted documents, unless `purge` is true; `purge` also removes the
 * kept versions of a document that was deleted before.
 */
export function deleteDocument(deps: Deps): DocumentHandlers['deleteDocument'] {
  return async ({ collection, key, lang, purge, ...expected }, context) => {
    const deleted = await transact(deps,
      (work) => removeExpected(deps, work, identify(collection, key, lang), { purge, expected }), context);
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
      const found = await transact(deps, (work) => remove(work, identities, purge), context);
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
