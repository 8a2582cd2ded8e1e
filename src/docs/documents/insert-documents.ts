import { CHANGE_FLAGS, type Sealer, type WrittenDocument } from '../../storage/index.ts';
import { putChange } from './changes.ts';
import { countDocuments } from './collection-rows.ts';
import { findPredecessors, takeUpVersions } from './deleted-documents.ts';
import { canonicalMeta } from './meta.ts';
import { addFirstRevisions, addRevisions, nextRevision, trimRevisions } from './revision-rows.ts';
import { addFirstSpellings } from './spelling-rows.ts';
import { runInSteps, type Span, type UnitOfWork } from './unit-of-work.ts';
import { expiryAfter, type NewVersion } from './version.ts';

const INSERT = `
  INSERT INTO documents(cid, id, key, lang, backend, crc, bytes, added_at, updated_at, expires_at, rev_ts, meta, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * Stores documents that do not exist; no id may occur twice. A new document takes over the kept versions of a deleted document with its id:
 * its revisions continue from there, up to `maxRevisions` (0 keeps all).
 */
export async function insertDocuments(work: UnitOfWork, cid: number, versions: readonly NewVersion[], maxRevisions: number): Promise<void> {
  if (versions.length === 0) return;
  const sealer = work.sealerOf?.(versions[0]!.identity.collection);
  const deleted = await findPredecessors(work, versions.map(({ identity }) => identity.id));
  const newestOf = ({ identity: { id }, saveRevision }: NewVersion): number => {
    const newest = deleted.get(id)?.rev_ts ?? 0;
    return saveRevision ? nextRevision(newest) : newest;
  };
  await runInSteps(work, INSERT, versions.map((version) => toRow(cid, version, newestOf(version), work.now, sealer)));
  const stored = await newest(work, versions.length);
  const documents = versions.map((version, i) => ({ version, ...version.identity, ord: stored.first + i }));
  await addFirstSpellings(work, stored);
  const again = documents.flatMap(({ version, ord: to }) => (deleted.has(version.identity.id) ? [{ from: deleted.get(version.identity.id)!.ord, to }] : []));
  // This comes before they get revisions of their own, which are newer.
  await takeUpVersions(work, again);
  const kept = documents.filter(({ version }) => version.saveRevision);
  if (kept.length === documents.length) await addFirstRevisions(work, stored);
  else await addRevisions(work, kept.map(({ ord, version }) => ({ ord, revision: newestOf(version) })));
  if (maxRevisions > 0) await trimRevisions(work, again.map(({ to }) => to), maxRevisions);
  await countDocuments(work.tx, cid, documents.length);
  await work.feed.appendStored(work.tx, documents.map((document) => putChange(document, document.version.flags | CHANGE_FLAGS.CREATED, toWritten(document.version, work.now))));
}

/** Ordinals of the documents that were just stored: they are consecutive, because no other writer runs meanwhile. */
async function newest({ tx }: UnitOfWork, count: number): Promise<Span> {
  const { last } = (await tx.get<{ last: number }>('SELECT max(ord) AS last FROM documents'))!;
  return { first: last - count + 1, last };
}

function toRow(cid: number, { identity: { id, key, lang }, meta, body, ttl, addedAt }: NewVersion, newest: number, now: number, sealer: Sealer | undefined) {
  const metaText = canonicalMeta(meta);
  return [
    cid, id, key, lang, body.backend ?? 'boltdb', body.crc, body.bytes, addedAt ?? now, now, expiryAfter(ttl, now, null), newest,
    sealer?.meta(id, metaText) ?? metaText, sealer?.body(id, body.stored) ?? body.stored,
  ];
}

function toWritten({ meta, body, prepared, ttl, addedAt }: NewVersion, now: number): WrittenDocument {
  return { meta, contentMd: body.text, addedAt: addedAt ?? now, updatedAt: now, expiresAt: expiryAfter(ttl, now, null), prepared };
}
