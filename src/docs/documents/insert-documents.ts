import { CHANGE_FLAGS, type Sealer, type WrittenDocument } from '../../storage/index.ts';
import { putChange } from './changes.ts';
import { countDocuments } from './collection-rows.ts';
import { findPredecessors, takeUpVersions } from './deleted-documents.ts';
import { inList } from './in-list.ts';
import { canonicalMeta } from './meta.ts';
import { addRevisions, nextRevision, trimRevisions } from './revision-rows.ts';
import { addSpellings } from './spelling-rows.ts';
import { runInSteps, type UnitOfWork } from './unit-of-work.ts';
import { expiryAfter, type NewVersion } from './version.ts';

const INSERT = `
  INSERT INTO documents(cid, id, key, lang, backend, crc, bytes, added_at, updated_at, expires_at, rev_ts, meta, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * Stores documents that do not exist; no id may occur twice. One that was deleted, and of which versions are kept, takes them up:
 * its revisions go on from there, as many as `maxRevisions` allows (0 keeps all).
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
  const ords = await readOrds(work, versions);
  const documents = versions.map((version) => ({ version, ...version.identity, cid, ord: ords.get(version.identity.id)! }));
  await addSpellings(work, documents);
  const again = documents.flatMap(({ version, ord: to }) => (deleted.has(version.identity.id) ? [{ from: deleted.get(version.identity.id)!.ord, to }] : []));
  // Before they get revisions of their own, which are newer.
  await takeUpVersions(work, again);
  const kept = documents.filter(({ version }) => version.saveRevision);
  await addRevisions(work, kept.map(({ ord, version }) => ({ ord, revision: newestOf(version) })));
  if (maxRevisions > 0) await trimRevisions(work, again.map(({ to }) => to), maxRevisions);
  await countDocuments(work.tx, cid, documents.length);
  await work.feed.append(work.tx, documents.map((document) => putChange(document, document.version.flags | CHANGE_FLAGS.CREATED, toWritten(document.version, work.now))));
}

function toRow(cid: number, { identity: { id, key, lang }, meta, body, ttl, addedAt }: NewVersion, newest: number, now: number, sealer: Sealer | undefined) {
  const metaText = canonicalMeta(meta);
  return [
    cid, id, key, lang, body.backend ?? 'boltdb', body.crc, body.bytes, addedAt ?? now, now, expiryAfter(ttl, now, null), newest,
    sealer?.meta(id, metaText) ?? metaText, sealer?.body(id, body.stored) ?? body.stored,
  ];
}

function toWritten({ meta, body, ttl, addedAt }: NewVersion, now: number): WrittenDocument {
  return { meta, contentMd: body.text, addedAt: addedAt ?? now, updatedAt: now, expiresAt: expiryAfter(ttl, now, null) };
}

async function readOrds({ tx }: UnitOfWork, versions: readonly NewVersion[]): Promise<Map<string, number>> {
  const { marks, params } = inList(versions.map(({ identity }) => identity.id));
  const rows = await tx.all<{ id: string; ord: number }>(`SELECT id, ord FROM documents WHERE id IN (${marks})`, params);
  return new Map(rows.map(({ id, ord }) => [id, ord]));
}
