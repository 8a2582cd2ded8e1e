import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import type { Standing } from '../../operations/index.ts';
import { withSymbols } from './code-symbols.ts';
import { type DeletedRow, findDeleted } from './deleted-documents.ts';
import { type Deps, maxRevisionsOf } from './deps.ts';
import { canonicalMeta, type Meta, parseMeta } from './document-rows.ts';
import { transactWithCapacity } from './embedding-capacity.ts';
import { identify } from './identity.ts';
import { requireValid } from './item-rules.ts';
import { putVersions } from './put-versions.ts';
import { encodeBody, toPending } from './version.ts';

interface Version {
  readonly collection: string;
  readonly meta: Meta;
  readonly contentMd: string;
  readonly signal: AbortSignal | undefined;
  /** Whose permission is needed when the transaction begins. */
  readonly by: Standing;
}

/**
 * Writes a deleted document again, in its last spelling and with its revisions, without an expiry. Returns undefined
 * when another write has changed its state meanwhile.
 */
export async function bringBack(deps: Deps, deleted: DeletedRow,
  { collection, meta: given, contentMd, signal, by }: Version): Promise<Document | undefined>
{
  await requireValid(deps, collection, given);
  const { key, lang, added_at: addedAt } = deleted;
  const identity = identify(collection, key, lang);
  const meta = await withSymbols(deps, identity, given, contentMd);
  const version = {
    identity,
    meta,
    body: await encodeBody(deps.codec, collection, contentMd),
    ttl: undefined,
    saveRevision: true,
    skipDuplicate: undefined,
    flags: 0,
    addedAt,
  };
  const demand = { versions: [version], toPending, waitBudget: deps.embeddingCapacity.waitBudget(), signal, by };
  const { value } = await transactWithCapacity(deps, demand, async (work, versions) => {
    const present = await findDeleted(work.tx, identity, work.now, deps.deletedRetention);
    if (present?.ord !== deleted.ord) return { value: undefined, stored: [] };
    await putVersions(work, versions, maxRevisionsOf(deps, collection));
    return {
      value: {
        id: identity.id,
        key,
        lang,
        meta: parseMeta(canonicalMeta(meta)),
        contentMd,
        addedAt,
        updatedAt: work.now,
      },
      stored: versions,
    };
  });
  return value;
}
