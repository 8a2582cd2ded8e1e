import { ServiceError } from '../../errors/index.ts';
import { transact, type Deps, type DocumentHandlers } from './deps.ts';
import { CURRENT, findDocument, REPLACED, type CurrentRow } from './document-rows.ts';
import { expectsNothing, requireExpected, type Expectation } from './expectation.ts';
import { identify, type Identity } from './identity.ts';
import { identityProblem } from './item-rules.ts';
import { removeDocuments } from './remove-documents.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { addFailure, CHUNK } from './writer.ts';

/** `POST /v1/delete`: with revisions and every spelling (decision D-31); absent answers 404 with `deleted` false. */
export function deleteDocument(deps: Deps): DocumentHandlers['deleteDocument'] {
  return async ({ collection, key, lang, ...expected }) => {
    const deleted = await transact(deps, (work) => removeExpected(work, identify(collection, key, lang), expected));
    if (deleted === 0) throw new ServiceError('not_found', 'not found', { body: { deleted: false } });
    return { deleted: true, status: 'deleted', collection, key, lang };
  };
}

/** `POST /v1/delete-batch`: never all or nothing; a document named twice is deleted once and then not found. */
export function deleteDocuments(deps: Deps): DocumentHandlers['deleteDocuments'] {
  return async ({ collection, documents }, { signal }) => {
    const result = { deleted: 0, not_found: 0, failed: 0, errors: [] as string[] };
    for (let start = 0; start < documents.length; start += CHUNK) {
      signal?.throwIfAborted();
      const identities: Identity[] = [];
      for (const [i, item] of documents.slice(start, start + CHUNK).entries()) {
        const problem = identityProblem(item);
        if (problem === undefined) identities.push(identify(collection, item.key!, item.lang!));
        else addFailure(result, start + i, item.key, problem);
      }
      const deleted = await transact(deps, (work) => remove(work, identities));
      result.deleted += deleted;
      result.not_found += identities.length - deleted;
    }
    return { ...result, errors: result.errors.length === 0 ? null : result.errors };
  };
}

/** A document that is not there is not found, whatever is expected of it. */
async function removeExpected(work: UnitOfWork, identity: Identity, expected: Expectation): Promise<number> {
  if (expectsNothing(expected)) return remove(work, [identity]);
  const row = await findDocument<CurrentRow>(work.tx, CURRENT, identity, work.now);
  if (row === undefined) return 0;
  requireExpected(row, expected);
  return remove(work, [identity]);
}

/** Removes the documents that exist under these spellings and answers how many there were. */
async function remove(work: UnitOfWork, identities: readonly Identity[]): Promise<number> {
  const rows = new Map<number, CurrentRow>();
  for (const identity of identities) {
    const row = await findDocument<CurrentRow>(work.tx, REPLACED, identity, work.now);
    if (row !== undefined) rows.set(row.ord, row);
    await work.pace.rest();
  }
  await removeDocuments(work, [...rows.values()]);
  return rows.size;
}
