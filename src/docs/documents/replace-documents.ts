import { CHANGE_FLAGS, type EncodedBody, type NewChange, type Sealer, type SqlValue,
  vectorsHash } from '../../storage/index.ts';
import { addSpellings, canonicalMeta, type CurrentRow, type Meta } from './document-rows.ts';
import { collectionOfId } from './identity.ts';
import { addRevisions, detachAsDeltas, detachNewest, nextRevision, type Superseded,
  trimRevisions } from './revision-rows.ts';
import { inOrder, putChange, runInSteps, type UnitOfWork } from './unit-of-work.ts';

/** The next version of a document. */
export interface Replacement {
  readonly current: CurrentRow;
  /** The new latest spelling of the document. */
  readonly key: string;
  readonly lang: string;
  /** Undefined keeps the metadata. */
  readonly meta: Meta | undefined;
  /** Undefined keeps the body. */
  readonly body: EncodedBody | undefined;
  /** The supplied vectors in their stored form, null for none; undefined keeps them. */
  readonly vectors: Uint8Array | null | undefined;
  /** See `WrittenDocument.prepared`. */
  readonly prepared?: unknown;
  readonly expiresAt: number | null;
  readonly saveRevision: boolean;
  readonly flags: number;
}

/** The statement that writes a version, with its body and its vectors if they change. */
function updateOf(withBody: boolean, withVectors: boolean): string {
  return `UPDATE documents SET key = ?, lang = ?, updated_at = ?, expires_at = ?, rev_ts = ?, meta = ?${
    withBody ? ', backend = ?, crc = ?, bytes = ?, body = ?' : ''
  }${withVectors ? ', vectors_hash = ?, vectors = ?' : ''} WHERE ord = ?`;
}

/**
 * Writes the next version of documents that exist, each at most once. The revision and the trimming to `maxRevisions`
 * (0 keeps all) are in the same transaction.
 */
export async function replaceDocuments(work: UnitOfWork, replacements: readonly Replacement[],
  maxRevisions: number): Promise<void>
{
  if (replacements.length === 0) return;
  const sealer = work.sealerOf?.(collectionOfId(replacements[0]!.current.id));
  if (work.deltaRevisions === true)
    await detachAsDeltas(work,
      replacements.filter(({ saveRevision }) => saveRevision).map((next) => toSuperseded(next)), sealer);
  const respelled = replacements.filter(({ current, key }) => key !== current.key);
  const kept = replacements.filter(({ saveRevision }) => saveRevision);
  await inOrder(work, replacements.length, [() => detachNewest(work, replacements.map(({ current }) => current)),
    ...updates(work, replacements, sealer),
    () => addSpellings(work, respelled.map(({ current: { cid, ord }, key, lang }) => ({ cid, ord, key, lang }))),
    () => addRevisions(work, kept.map(({ current }) => ({ ord: current.ord, revision: nextRevision(current.rev_ts) }))),
    async () => maxRevisions > 0 && trimRevisions(work, replacements.map(({ current }) => current.ord), maxRevisions),
    () => work.feed.append(work.tx, replacements.map((next) => toChange(next, work.now)))]);
}

/** One part for each statement that is needed. */
function updates(work: UnitOfWork, replacements: readonly Replacement[],
  sealer: Sealer | undefined): (() => Promise<unknown>)[]
{
  const groups = Map.groupBy(replacements,
    ({ current, body, vectors }) => updateOf(body !== undefined, changesVectors(current, vectors)));
  return [...groups].map(([sql, some]) => () =>
    runInSteps(work, sql, some.map((next) => columns(next, work.now, sealer)))
  );
}

/** Whether there is anything to write: to have none stays. */
function changesVectors(current: CurrentRow, vectors: Uint8Array | null | undefined): boolean {
  return vectors !== undefined && vectorsHash(vectors) !== current.vectors_hash;
}

function toChange({ current, key, lang, meta, body, vectors, prepared, expiresAt, flags: given }: Replacement,
  now: number): NewChange
{
  const { ord, id, added_at: addedAt } = current;
  const subject = { ord, id, key, lang };
  const flags = changesVectors(current, vectors) ? given | CHANGE_FLAGS.VECTORS : given;
  if (body === undefined) return putChange(subject, flags | CHANGE_FLAGS.BODY_KEPT);
  return putChange(subject, flags, meta && {
    meta,
    contentMd: body.text,
    addedAt,
    updatedAt: now,
    expiresAt,
    vectors: vectors ?? undefined,
    prepared,
  });
}

/** A version without a revision of its own is lost with the next write, so no delta may use it as its base. */
function toSuperseded({ current: { ord, rev_ts: ts }, body }: Replacement): Superseded {
  return { ord, ts, nextTs: nextRevision(ts), next: body?.stored };
}

/** The values of `updateOf`. */
function columns({ current, key, lang, meta, body, vectors, expiresAt, saveRevision }: Replacement, now: number,
  sealer: Sealer | undefined): SqlValue[]
{
  const newest = saveRevision ? nextRevision(current.rev_ts) : current.rev_ts;
  const text = meta === undefined ? current.meta : canonicalMeta(meta);
  return [key, lang, now, expiresAt, newest, sealer?.meta(current.id, text) ?? text,
    ...(body === undefined ? [] : bodyColumns(current.id, body, sealer)),
    ...(changesVectors(current, vectors) ? [vectorsHash(vectors!), sealedVectors(sealer, current.id, vectors!)] : []),
    current.ord];
}

function bodyColumns(id: string, { backend = 'boltdb', crc, bytes, stored }: EncodedBody,
  sealer: Sealer | undefined): SqlValue[]
{
  return [backend, crc, bytes, sealer?.body(id, stored) ?? stored];
}

/** Supplied vectors as they are stored in a collection that may be encrypted. */
export function sealedVectors(sealer: Sealer | undefined, id: string, vectors: Uint8Array | null): Uint8Array | null {
  return vectors === null || sealer === undefined ? vectors : sealer.vectors(id, vectors);
}
