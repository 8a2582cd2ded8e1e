import { withSymbols } from './code-symbols.ts';
import { maxRevisionsOf, type Deps, type DocumentHandlers } from './deps.ts';
import { transactWithRoom } from './embedding-room.ts';
import { identify } from './identity.ts';
import { putVersions } from './put-versions.ts';
import { requireValid } from './require-valid.ts';
import { encodeBody, seekerOf } from './version.ts';

/** `POST /v1/add`: creates or updates a document (identity rules 1 and 4, decision D-32). */
export function addDocument(deps: Deps): DocumentHandlers['addDocument'] {
  return async ({ collection, key, lang, meta: given = {}, contentMd, ttl, saveRevision }, { signal }) => {
    await requireValid(deps, collection, given);
    const identity = identify(collection, key, lang);
    const meta = await withSymbols(deps, identity, given, contentMd);
    const version = { identity, meta, body: await encodeBody(deps.codec, contentMd), ttl, saveRevision, skipDuplicate: undefined, flags: 0 };
    const demand = { versions: [version], seeker: seekerOf, patience: deps.room.patience(), signal };
    const { value } = await transactWithRoom(deps, demand, async (work, versions) => {
      const [outcome] = await putVersions(work, versions, maxRevisionsOf(deps, collection));
      const { addedAt, expiresAt } = outcome!;
      const stored = { id: identity.id, key, lang, meta: meta as Record<string, string[]>, contentMd, addedAt, updatedAt: work.now, ...(expiresAt !== null && { expiresAt }) };
      return { value: stored, stored: versions };
    });
    return value;
  };
}
