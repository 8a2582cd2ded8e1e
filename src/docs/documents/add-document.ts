import { mayReadAll } from '../../operations/index.ts';
import { vectorsHash } from '../../storage/index.ts';
import { type Expectation, expectsNothing, requireExpected } from './checksums.ts';
import { concernsSymbols, withSymbols } from './code-symbols.ts';
import { type Deps, type DocumentHandlers, maxRevisionsOf } from './deps.ts';
import { canonicalMeta, CURRENT, type CurrentRow } from './document-rows.ts';
import { transactWithCapacity, withCapacity } from './embedding-capacity.ts';
import { readVectors, requireVectors, storedVectors } from './given-vectors.ts';
import { identify, type Identity } from './identity.ts';
import { requireValid } from './item-rules.ts';
import { encodeBody, putVersions, toPending } from './put-versions.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import type { BatchItem, DocumentWriter } from './writer.ts';

/** `POST /v1/add`: creates or updates a document (identity rules 1 and 4). */
export function addDocument(deps: Deps): DocumentHandlers['addDocument'] {
  return async ({ collection, key, lang, meta: given = {}, contentMd, ttl, saveRevision, vectors, ...expected },
    context) =>
  {
    const validating = requireValid(deps, collection, given);
    if (validating !== undefined) await validating;
    const identity = identify(collection, key, lang);
    const meta = concernsSymbols({ key, meta: given }) ? await withSymbols(deps, identity, given, contentMd) : given;
    const version = {
      identity,
      meta,
      body: await encodeBody(deps.codec, collection, contentMd),
      vectors: vectors &&
        storedVectors(requireVectors(readVectors(vectors, deps.collections.configOf(collection)?.vectors, contentMd))),
      ttl,
      saveRevision,
      skipDuplicate: undefined,
      flags: 0,
    };
    const demand = {
      versions: [version],
      toPending,
      waitBudget: deps.embeddingCapacity.waitBudget(),
      signal: context.signal,
      by: context,
      only: identity.collection,
    };
    // An expectation is checked in a transaction of its own.
    const { value: { addedAt, expiresAt, now } } = !expectsNothing(expected)
      ? await transactWithCapacity(deps, demand, async (work, versions) => {
        await requireExpectedNow(deps, work, identity, expected);
        const [outcome] = await putVersions(work, versions, maxRevisionsOf(deps, collection));
        return { value: { ...outcome!, now: work.now }, stored: versions };
      })
      : await withCapacity(deps, demand, async (versions) => {
        const put = await deps.sharedWrites.put(versions[0]!, context);
        return { value: put, stored: versions, lsn: put.lsn };
      });
    const checksum = deps.checksums.of({
      id: identity.id,
      key,
      lang,
      meta: canonicalMeta(meta),
      crc: version.body.crc,
      vectors_hash: vectorsHash(version.vectors ?? null),
      updated_at: now,
      expires_at: expiresAt,
    });
    return {
      id: identity.id,
      key,
      lang,
      meta: meta as Record<string, string[]>,
      contentMd,
      addedAt,
      updatedAt: now,
      expiresAt: expiresAt ?? undefined,
      checksum,
    };
  };
}

/** All spellings of a key name one document, so a document stored under any of them counts (identity rule 1). */
async function requireExpectedNow({ checksums }: Pick<Deps, 'checksums'>, { tx, now }: UnitOfWork, { id }: Identity,
  expected: Expectation): Promise<void>
{
  if (expectsNothing(expected)) return;
  requireExpected(checksums,
    await tx.get<CurrentRow>(
      `SELECT ${CURRENT} FROM documents d WHERE d.id = ? AND (d.expires_at IS NULL OR d.expires_at > ?)`,
      [id, now],
    ), expected);
}

/** `POST /v1/add-batch`: each item succeeds or fails alone. */
export function addDocuments(writer: DocumentWriter): DocumentHandlers['addDocuments'] {
  return async ({ collection, documents, saveRevision }, context) => {
    const hidesStored = !mayReadAll(context.identity, collection);
    const { added, updated, failed, errors, sanitized, embeddingDropped } = await writer.put(collection,
      toItems(documents, saveRevision), { signal: context.signal, by: context, hidesStored });
    return {
      added,
      updated,
      failed,
      errors,
      embeddingDropped: embeddingDropped || undefined,
      sanitized: sanitized || undefined,
    };
  };
}

/** The documents of a batch; one that does not say whether its version is kept as a revision follows the batch. */
export function toItems<T extends Partial<BatchItem>>(documents: readonly T[],
  saveRevision: boolean): (T & BatchItem)[]
{
  return documents.map((document) => ({ ...document, saveRevision: document.saveRevision ?? saveRevision }));
}
