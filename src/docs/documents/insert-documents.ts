import { CHANGE_FLAGS, type Sealer } from '../../storage/index.ts';
import { putChange } from './changes.ts';
import { countDocuments } from './collection-rows.ts';
import { inList } from './in-list.ts';
import { canonicalMeta } from './meta.ts';
import { indexMeta } from './meta-index.ts';
import { addRevisions, nextRevision } from './revision-rows.ts';
import { addSpellings } from './spelling-rows.ts';
import { runInSteps, type UnitOfWork } from './unit-of-work.ts';
import { expiryAfter, type NewVersion } from './version.ts';

const INSERT = `
  INSERT INTO documents(cid, id, key, lang, crc, bytes, added_at, updated_at, expires_at, rev_ts, meta, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Stores documents that do not exist; no id may occur twice. */
export async function insertDocuments(work: UnitOfWork, cid: number, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const sealer = work.sealerOf?.(versions[0]!.identity.collection);
  await runInSteps(work, INSERT, versions.map((version) => toRow(cid, version, work.now, sealer)));
  const ords = await readOrds(work, versions);
  const documents = versions.map((version) => ({ version, ...version.identity, cid, ord: ords.get(version.identity.id)! }));
  await addSpellings(work, documents);
  // Sealed metadata have no rows: those would show them.
  if (sealer === undefined) await indexMeta(work, documents.map(({ ord, version }) => ({ cid, ord, before: '{}', after: version.meta })));
  const kept = documents.filter(({ version }) => version.saveRevision);
  await addRevisions(work, kept.map(({ ord }) => ({ ord, revision: nextRevision(0) })));
  await countDocuments(work.tx, cid, documents.length);
  await work.feed.append(work.tx, documents.map((document) => putChange(document, document.version.flags | CHANGE_FLAGS.CREATED)));
}

function toRow(cid: number, { identity: { id, key, lang }, meta, body, ttl, saveRevision }: NewVersion, now: number, sealer: Sealer | undefined) {
  const newest = saveRevision ? nextRevision(0) : 0;
  const metaText = canonicalMeta(meta);
  return [
    cid, id, key, lang, body.crc, body.bytes, now, now, expiryAfter(ttl, now, null), newest,
    sealer?.meta(id, metaText) ?? metaText, sealer?.body(id, body.stored) ?? body.stored,
  ];
}

async function readOrds({ tx }: UnitOfWork, versions: readonly NewVersion[]): Promise<Map<string, number>> {
  const { marks, params } = inList(versions.map(({ identity }) => identity.id));
  const rows = await tx.all<{ id: string; ord: number }>(`SELECT id, ord FROM documents WHERE id IN (${marks})`, params);
  return new Map(rows.map(({ id, ord }) => [id, ord]));
}
