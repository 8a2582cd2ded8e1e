import { CHANGE_FLAGS, type Sealer, type SqlValue, type WrittenDocument } from '../../storage/index.ts';
import { putChange } from './changes.ts';
import { countDocuments } from './collection-rows.ts';
import { keptPredecessors, takeUpVersions, type PredecessorRow } from './deleted-documents.ts';
import { canonicalMeta } from './meta.ts';
import { addFirstRevisions, addRevisions, nextRevision, trimRevisions } from './revision-rows.ts';
import { addFirstSpellings } from './spelling-rows.ts';
import { inOrder, runInSteps, type Span, type UnitOfWork } from './unit-of-work.ts';
import { expiryAfter, type NewVersion } from './version.ts';

const INSERT = `
  INSERT INTO documents(cid, id, key, lang, backend, crc, bytes, added_at, updated_at, expires_at, rev_ts, meta, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const NONE: ReadonlyMap<string, PredecessorRow> = new Map();

/** Where documents are inserted. */
export interface InsertOptions {
  /** Of the collection. */
  readonly cid: number;
  /** Deleted documents, among them all with ids of the new ones (`readPredecessors`). */
  readonly deleted: readonly PredecessorRow[];
  /** Number of revisions that are kept of each document; 0 keeps all. */
  readonly maxRevisions: number;
}

/**
 * Stores documents that do not exist; no id may occur twice. A new document takes over the kept versions of a deleted document with its id:
 * its revisions continue from there, up to `maxRevisions`.
 */
export async function insertDocuments(work: UnitOfWork, { cid, deleted: rows, maxRevisions }: InsertOptions, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const sealer = work.sealerOf?.(versions[0]!.identity.collection);
  const ids = new Set(versions.map(({ identity }) => identity.id));
  const predecessors = rows.filter(({ id }) => ids.has(id));
  const deleted = predecessors.length > 0 ? await keptPredecessors(work, predecessors) : NONE;
  const newestOf = ({ identity: { id }, saveRevision }: NewVersion): number => {
    const newest = deleted.get(id)?.rev_ts ?? 0;
    return saveRevision ? nextRevision(newest) : newest;
  };
  const stored = await store(work, versions.map((version) => toRow(cid, version, newestOf(version), work.now, sealer)));
  const documents = versions.map((version, i) => ({ version, ...version.identity, ord: stored.first + i }));
  const again = documents.flatMap(({ version, ord: to }) => (deleted.has(version.identity.id) ? [{ from: deleted.get(version.identity.id)!.ord, to }] : []));
  // This comes before they get revisions of their own, which are newer.
  if (again.length > 0) await takeUpVersions(work, again);
  const kept = documents.filter(({ version }) => version.saveRevision);
  const changes = documents.map((document) => putChange(document, document.version.flags | CHANGE_FLAGS.CREATED, toWritten(document.version, work.now)));
  await inOrder(documents.length, [
    () => addFirstSpellings(work, stored),
    () => (kept.length === documents.length ? addFirstRevisions(work, stored) : addRevisions(work, kept.map(({ ord, version }) => ({ ord, revision: newestOf(version) })))),
    () => countDocuments(work.tx, cid, documents.length),
    () => work.feed.appendStored(work.tx, changes),
  ]);
  if (maxRevisions > 0) await trimRevisions(work, again.map(({ to }) => to), maxRevisions);
}

/** Returns the ordinals of the new documents: they are consecutive, because no other writer runs meanwhile. */
async function store(work: UnitOfWork, rows: readonly (readonly SqlValue[])[]): Promise<Span> {
  let last = 0;
  await inOrder(rows.length, [
    () => runInSteps(work, INSERT, rows),
    async () => ({ last } = (await work.tx.get<{ last: number }>('SELECT max(ord) AS last FROM documents'))!),
  ]);
  return { first: last - rows.length + 1, last };
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
