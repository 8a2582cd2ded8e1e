import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Standing } from '../../operations/index.ts';
import { CHANGE_FLAGS, type EncodedBody, isReference, vectorsHash } from '../../storage/index.ts';
import type { VectorFields } from '../collections/index.ts';
import { type Expectation, requireExpected } from './checksums.ts';
import { withSymbols } from './code-symbols.ts';
import { type Deps, type DocumentHandlers, maxRevisionsOf, transact } from './deps.ts';
import { canonicalMeta, CURRENT, type CurrentRow, decodeVersion, findDocument, type Meta, parseMeta, SHOWN, toDocument,
  type WithBody } from './document-rows.ts';
import { transactWithCapacity, type WaitBudget } from './embedding-capacity.ts';
import { type GivenVectors, mergeVectors, readVectors, requireVectors, storedVectors } from './given-vectors.ts';
import { identify, type Identity } from './identity.ts';
import { notFound, requireValid } from './item-rules.ts';
import { encodeBody, expiryAfter } from './put-versions.ts';
import { replaceDocuments } from './replace-documents.ts';
import { putChange } from './unit-of-work.ts';

/** The fields that an update changes; absent fields stay. */
interface Changes {
  readonly meta?: Record<string, string[]> | undefined;
  readonly contentMd?: string | undefined;
  readonly ttl?: number | undefined;
  /** Given fields replace those stored, null removes one. */
  readonly vectors?: GivenVectors | undefined;
  /** All vectors in their stored form, or null for none, instead of `vectors`. */
  readonly stored?: Uint8Array | null | undefined;
}

interface ChangeOptions {
  /** Throws if another document has replaced the one that was read. */
  readonly sameOrd?: number;
  readonly signal?: AbortSignal | undefined;
  /** Whose permission is needed when the transaction begins. */
  readonly by: Standing;
  readonly expected?: Expectation;
}

/** `PATCH /v1/update`: changes the given fields and keeps a revision (contract section 4). */
export function updateDocument(deps: Deps): DocumentHandlers['updateDocument'] {
  return async ({ collection, key, lang, meta, contentMd, ttl, vectors, ifChecksum, ifMatch }, context) => {
    if (meta === undefined && contentMd === undefined && ttl === undefined && vectors === undefined) {
      throw new ServiceError('missing_fields', 'missing fields: one of meta, contentMd, ttl, vectors');
    }
    return changeDocument(deps, identify(collection, key, lang), { meta, contentMd, ttl, vectors }, {
      signal: context.signal,
      by: context,
      expected: { ifChecksum, ifMatch },
    });
  };
}

/**
 * Writes the next version of a document that exists under this spelling. Metadata are checked against the schema only
 * when they are given: metadata that were stored before the schema do not prevent a new body. Key and lang keep their
 * latest spelling, because an update does not rename a document.
 *
 * The preparation before the transaction depends on the state of the document at that time; if another write came in
 * between, it is repeated.
 */
export async function changeDocument(deps: Deps, identity: Identity, changes: Changes,
  options: ChangeOptions): Promise<Document>
{
  if (changes.meta !== undefined) await requireValid(deps, identity.collection, changes.meta);
  const waitBudget = deps.embeddingCapacity.waitBudget();
  for (;;) {
    const changed = await tryChange(deps, identity, changes, { ...options, waitBudget });
    if (changed !== undefined) return changed;
  }
}

async function tryChange(deps: Deps, identity: Identity, changes: Changes,
  { sameOrd, signal, by, expected = {}, waitBudget }: ChangeOptions & { waitBudget: WaitBudget }
): Promise<Document | undefined> {
  const before = await findDocument<Before>(deps.sql,
    `${CURRENT}, d.body${changes.vectors === undefined ? '' : ', d.vectors'}`, identity, unixSeconds(deps.clock));
  if (before === undefined || (sameOrd !== undefined && before.ord !== sameOrd)) throw notFound();
  const next = await prepare(deps, { ...identity, key: before.key }, before, changes);
  const { body } = next;
  const toPending = () => body && { id: identity.id, crc: body.crc, bytes: body.bytes };
  const only = identity.collection;
  const { value } = await transactWithCapacity(deps, {
    versions: [{ flags: 0 }],
    toPending,
    waitBudget,
    signal,
    by,
    only,
  }, async (work, stored) => {
    const current = await findDocument<CurrentRow>(work.tx, CURRENT, identity, work.now);
    if (current === undefined) throw notFound();
    requireExpected(deps.checksums, current, expected);
    if (!isSameVersion(before, current)) return { value: undefined, stored: [] };
    const expiresAt = expiryAfter(changes.ttl, work.now, current.expires_at);
    const { flags } = stored[0]!;
    const replacement = {
      current,
      key: current.key,
      lang: current.lang,
      meta: next.meta,
      body,
      vectors: next.vectors,
      expiresAt,
      saveRevision: true,
      flags,
    };
    await replaceDocuments(work, [replacement], maxRevisionsOf(deps, identity.collection));
    const written = {
      ...current,
      meta: next.storedMeta,
      crc: body?.crc ?? current.crc,
      vectors_hash: next.vectors === undefined ? current.vectors_hash : vectorsHash(next.vectors),
      updated_at: work.now,
      expires_at: expiresAt,
    };
    return { value: { ...toDocument(written, next.contentMd), checksum: deps.checksums.of(written) }, stored };
  });
  return value;
}

type Before = CurrentRow & WithBody & { readonly vectors?: Uint8Array | null };

interface Next {
  /** Undefined if it stays. */
  readonly meta: Meta | undefined;
  readonly storedMeta: string;
  readonly body: EncodedBody | undefined;
  readonly contentMd: string;
  /** Undefined if they stay. */
  readonly vectors: Uint8Array | null | undefined;
}

async function prepare(deps: Deps, identity: Identity, before: Before,
  { meta, contentMd: given, vectors: givenVectors, stored }: Changes): Promise<Next>
{
  const contentMd = given ?? (await deps.codec.decodeAsync(before.body));
  const body = given === undefined ? undefined : await encodeBody(deps.codec, identity.collection, given);
  const vectors = givenVectors === undefined
    ? stored
    : changedVectors(before.vectors ?? null, givenVectors, deps.collections.configOf(identity.collection)?.vectors,
      contentMd);
  if (meta === undefined && given === undefined)
    return { meta: undefined, storedMeta: before.meta, body, contentMd, vectors };
  const complete = await withSymbols(deps, identity, meta ?? parseMeta(before.meta), contentMd);
  const storedMeta = canonicalMeta(complete);
  return { meta: storedMeta === before.meta ? undefined : complete, storedMeta, body, contentMd, vectors };
}

/** The vectors of the next version. Throws `invalid_argument`. */
function changedVectors(stored: Uint8Array | null, given: GivenVectors, declared: VectorFields | undefined,
  contentMd: string): Uint8Array | null
{
  return storedVectors(
    requireVectors(mergeVectors(stored, given, requireVectors(readVectors(given, declared, contentMd)))),
  );
}

/** Whether key, metadata and body are still those that the preparation read. */
function isSameVersion(before: CurrentRow, current: CurrentRow): boolean {
  return before.ord === current.ord && before.key === current.key && before.meta === current.meta
    && before.crc === current.crc && before.bytes === current.bytes && before.vectors_hash === current.vectors_hash;
}

/**
 * `POST /v1/set-ttl`: sets the expiry of a document to `ttl` seconds from now; 0 removes the expiry.
 *
 * No version of the document is written, so `updatedAt` stays and there is no revision. Views read the new expiry from
 * the feed; no event is emitted, because section 6 of the contract names none.
 */
export function setDocumentTtl(deps: Deps): DocumentHandlers['setDocumentTtl'] {
  return async ({ collection, key, lang, ttl, ...expected }, context) => {
    const identity = identify(collection, key, lang);
    // A body that is stored elsewhere is read before the write: a failure then leaves the document unchanged.
    const before = await findDocument<WithBody>(deps.sql, `${SHOWN}, d.body`, identity, unixSeconds(deps.clock));
    if (before !== undefined && isReference(before.body)) await deps.codec.decodeAsync(before.body);
    const row = await transact(deps, async (work) => {
      const current = await findDocument<CurrentRow & WithBody>(work.tx, `${CURRENT}, d.body`, identity, work.now);
      if (current === undefined) throw notFound();
      requireExpected(deps.checksums, current, expected);
      const expiresAt = expiryAfter(ttl, work.now, null);
      await work.tx.run('UPDATE documents SET expires_at = ? WHERE ord = ?', [expiresAt, current.ord]);
      await work.feed.append(work.tx, [putChange(current, CHANGE_FLAGS.SKIP_WEBHOOKS | CHANGE_FLAGS.BODY_KEPT)]);
      return { ...current, expires_at: expiresAt };
    }, context, () => [identity.collection]);
    return decodeVersion(deps, row);
  };
}
