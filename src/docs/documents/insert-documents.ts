import { CHANGE_FLAGS, type NewChange, type Sealer, type WrittenDocument } from '../../storage/index.ts';
import { putChange } from './changes.ts';
import { countDocuments } from './collection-rows.ts';
import { keptPredecessors, type PredecessorRow, takeUpVersions } from './deleted-documents.ts';
import { addFirstSpellings, canonicalMeta } from './document-rows.ts';
import { addFirstRevisions, addRevisions, nextRevision, trimRevisions } from './revision-rows.ts';
import { inOrder, runInSteps, type UnitOfWork } from './unit-of-work.ts';
import { expiryAfter, type NewVersion } from './version.ts';

const INSERT = `
  INSERT INTO documents(cid, id, key, lang, backend, crc, bytes, added_at, updated_at, expires_at, rev_ts, meta, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The kept versions of deleted documents that are added again, by id. */
type Predecessors = Awaited<ReturnType<typeof keptPredecessors>>;
const NONE: Predecessors = new Map();

/** Where documents are inserted. */
export interface InsertOptions {
  /** Of the collection. */
  readonly cid: number;
  /** Deleted documents, among them all with ids of the new ones (`readPredecessors`). */
  readonly deleted: readonly PredecessorRow[];
  /** Number of revisions that are kept of each document; 0 keeps all. */
  readonly maxRevisions: number;
  /** No statement of the transaction follows those that insert the documents. */
  readonly isLast?: boolean;
}

/**
 * Stores documents that do not exist; no id may occur twice. A new document takes over the kept versions of a deleted
 * document with its id: its revisions continue from there, up to `maxRevisions`.
 */
export async function insertDocuments(work: UnitOfWork, { cid, deleted: rows, maxRevisions, isLast }: InsertOptions,
  versions: readonly NewVersion[]): Promise<void>
{
  if (versions.length === 0) return;
  const ids = new Set(versions.map(({ identity }) => identity.id));
  const predecessors = rows.filter(({ id }) => ids.has(id));
  const deleted = predecessors.length > 0 ? await keptPredecessors(work, predecessors) : NONE;
  const count = versions.length;
  const { insert, first } = insertion(work, cid, versions, deleted);
  const follow = [() => addFirstSpellings(work, count), () => countDocuments(work.tx, cid, count),
    () => work.feed.appendStored(work.tx, versions.map((version) => toChange(version, work.now)), first, isLast)];
  // Nothing here needs the ordinals, so all statements can be sent together.
  if (deleted.size === 0 && versions.every(({ saveRevision }) => saveRevision))
    return inOrder(count, [...insert, () => addFirstRevisions(work, count), ...follow]);
  await inOrder(count, insert);
  await continueRevisions(work, versions, { deleted, maxRevisions, first: await first() });
  await inOrder(count, follow);
}

/** The statements that insert documents, and a function that returns the ordinal of the first once they were sent. */
function insertion(work: UnitOfWork, cid: number, versions: readonly NewVersion[],
  deleted: Predecessors): { insert: (() => Promise<unknown>)[]; first: () => Promise<number> }
{
  const sealer = work.sealerOf?.(versions[0]!.identity.collection);
  const rows = versions.map((version) => toRow(cid, version, newestOf(version, deleted), work.now, sealer));
  let last = Promise.resolve(0);
  return {
    insert: [() => runInSteps(work, INSERT, rows), () => (last = lastOrdinal(work))],
    // The ordinals are consecutive, because no other writer runs meanwhile.
    first: async () => await last - rows.length + 1,
  };
}

async function lastOrdinal({ tx }: UnitOfWork): Promise<number> {
  return (await tx.get<{ last: number }>('SELECT max(ord) AS last FROM documents'))!.last;
}

/** The kept versions of deleted documents come before the revisions of the new ones, which are newer. */
async function continueRevisions(work: UnitOfWork, versions: readonly NewVersion[],
  { deleted, maxRevisions, first }: { deleted: Predecessors; maxRevisions: number; first: number }): Promise<void>
{
  const documents = versions.map((version, i) => ({
    version,
    ord: first + i,
    from: deleted.get(version.identity.id)?.ord,
  }));
  const again = documents.flatMap(({ ord: to, from }) => (from === undefined ? [] : [{ from, to }]));
  if (again.length > 0) await takeUpVersions(work, again);
  await addRevisions(work, documents.filter(({ version }) => version.saveRevision).map(({ ord, version }) => ({
    ord,
    revision: newestOf(version, deleted),
  })));
  if (maxRevisions > 0) await trimRevisions(work, again.map(({ to }) => to), maxRevisions);
}

/** Number of the newest revision of a document that is stored. */
function newestOf({ identity: { id }, saveRevision }: NewVersion, deleted: Predecessors): number {
  const newest = deleted.get(id)?.rev_ts ?? 0;
  return saveRevision ? nextRevision(newest) : newest;
}

function toChange(version: NewVersion, now: number): NewChange {
  return putChange(version.identity, version.flags | CHANGE_FLAGS.CREATED, toWritten(version, now));
}

function toRow(cid: number, { identity: { id, key, lang }, meta, body, ttl, addedAt }: NewVersion, newest: number,
  now: number, sealer: Sealer | undefined)
{
  const metaText = canonicalMeta(meta);
  return [cid, id, key, lang, body.backend ?? 'boltdb', body.crc, body.bytes, addedAt ?? now, now,
    expiryAfter(ttl, now, null), newest, sealer?.meta(id, metaText) ?? metaText,
    sealer?.body(id, body.stored) ?? body.stored];
}

function toWritten({ meta, body, prepared, ttl, addedAt }: NewVersion, now: number): WrittenDocument {
  return {
    meta,
    contentMd: body.text,
    addedAt: addedAt ?? now,
    updatedAt: now,
    expiresAt: expiryAfter(ttl, now, null),
    prepared,
  };
}
