import { CHANGE_FLAGS, type EncodedBody, type NewChange, type Sealer } from '../../storage/index.ts';
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
  /** See `WrittenDocument.prepared`. */
  readonly prepared?: unknown;
  readonly expiresAt: number | null;
  readonly saveRevision: boolean;
  readonly flags: number;
}

const WITH_BODY = `
  UPDATE documents SET key = ?, lang = ?, updated_at = ?, expires_at = ?, rev_ts = ?, meta = ?, backend = ?, crc = ?, bytes = ?, body = ?
  WHERE ord = ?`;
const WITHOUT_BODY =
  'UPDATE documents SET key = ?, lang = ?, updated_at = ?, expires_at = ?, rev_ts = ?, meta = ? WHERE ord = ?';

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
  await inOrder(replacements.length, [() => detachNewest(work, replacements.map(({ current }) => current)),
    () =>
      runInSteps(work, WITH_BODY, replacements.filter(({ body }) =>
        body !== undefined
      ).map((next) => withBody(next, work.now, sealer))),
    () =>
      runInSteps(work, WITHOUT_BODY, replacements.filter(({ body }) =>
        body === undefined
      ).map((next) => [...columns(next, work.now, sealer), next.current.ord])),
    () => addSpellings(work, respelled.map(({ current: { cid, ord }, key, lang }) => ({ cid, ord, key, lang }))),
    () => addRevisions(work, kept.map(({ current }) => ({ ord: current.ord, revision: nextRevision(current.rev_ts) }))),
    async () => maxRevisions > 0 && trimRevisions(work, replacements.map(({ current }) => current.ord), maxRevisions),
    () => work.feed.append(work.tx, replacements.map((next) => toChange(next, work.now)))]);
}

function toChange(
  { current: { ord, id, added_at: addedAt }, key, lang, meta, body, prepared, expiresAt, flags }: Replacement,
  now: number,
): NewChange {
  const subject = { ord, id, key, lang };
  if (body === undefined) return putChange(subject, flags | CHANGE_FLAGS.BODY_KEPT);
  return putChange(subject, flags,
    meta && { meta, contentMd: body.text, addedAt, updatedAt: now, expiresAt, prepared });
}

/** A version without a revision of its own is lost with the next write, so no delta may use it as its base. */
function toSuperseded({ current: { ord, rev_ts: ts }, body }: Replacement): Superseded {
  return { ord, ts, nextTs: nextRevision(ts), next: body?.stored };
}

function columns({ current, key, lang, meta, expiresAt, saveRevision }: Replacement, now: number,
  sealer: Sealer | undefined)
{
  const newest = saveRevision ? nextRevision(current.rev_ts) : current.rev_ts;
  const text = meta === undefined ? current.meta : canonicalMeta(meta);
  return [key, lang, now, expiresAt, newest, sealer?.meta(current.id, text) ?? text];
}

function withBody(next: Replacement, now: number, sealer: Sealer | undefined) {
  const { backend = 'boltdb', crc, bytes, stored } = next.body!;
  return [...columns(next, now, sealer), backend, crc, bytes, sealer?.body(next.current.id, stored) ?? stored,
    next.current.ord];
}
