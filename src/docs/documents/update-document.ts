import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { maxRevisionsOf, transact, type Deps, type DocumentHandlers } from './deps.ts';
import { CURRENT, findDocument, toDocument, type CurrentRow, type WithBody } from './document-rows.ts';
import { identify, type Identity } from './identity.ts';
import { canonicalMeta } from './meta.ts';
import { replaceDocuments } from './replace-documents.ts';
import { notFound, requireValid } from './require-valid.ts';
import { encodeBody, expiryAfter } from './version.ts';

/** What an update changes; absent fields stay. */
interface Changes {
  readonly meta?: Record<string, string[]> | undefined;
  readonly contentMd?: string | undefined;
  readonly ttl?: number | undefined;
}

/** `PATCH /v1/update`: changes what is given, and keeps a revision (contract section 4, decision D-65). */
export function updateDocument(deps: Deps): DocumentHandlers['updateDocument'] {
  return async ({ collection, key, lang, meta, contentMd, ttl }) => {
    if (meta === undefined && contentMd === undefined && ttl === undefined) {
      throw new ServiceError('missing_fields', 'missing fields: one of meta, contentMd, ttl');
    }
    return changeDocument(deps, identify(collection, key, lang), { meta, contentMd, ttl });
  };
}

/**
 * Writes the next version of a document that exists under this spelling. Metadata are checked against
 * the schema only when they are given: those that were stored before the schema do not stand in the
 * way of a new body. Key and lang keep their latest spelling, for an update names a document and does
 * not rename it. `sameOrd` refuses a document that took the place of the one that was meant.
 */
export async function changeDocument(deps: Deps, identity: Identity, { meta, contentMd, ttl }: Changes, sameOrd?: number): Promise<Document> {
  if (meta !== undefined) requireValid(deps, identity.collection, meta);
  const body = contentMd === undefined ? undefined : await encodeBody(deps.codec, contentMd);
  const columns = body === undefined ? `${CURRENT}, d.body` : CURRENT;
  const row = await transact(deps, async (work) => {
    const current = await findDocument<CurrentRow & Partial<WithBody>>(work.tx, columns, identity, work.now);
    if (current === undefined || (sameOrd !== undefined && current.ord !== sameOrd)) throw notFound();
    const expiresAt = expiryAfter(ttl, work.now, current.expires_at);
    const replacement = { current, key: current.key, lang: current.lang, meta, body, expiresAt, saveRevision: true, flags: 0 };
    await replaceDocuments(work, [replacement], maxRevisionsOf(deps, identity.collection));
    return { ...current, meta: meta === undefined ? current.meta : canonicalMeta(meta), updated_at: work.now, expires_at: expiresAt };
  });
  return toDocument(row, contentMd ?? (await deps.codec.decodeAsync(row.body!)));
}
