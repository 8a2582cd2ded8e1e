import { ServiceError } from '../../errors/index.ts';
import { type BodyCodec, CHANGE_FLAGS, type EncodedBody, inList, type NewChange, newOrdinals, type Sealer,
  type SqlValue, type StoredDocuments, vectorsHash, type WrittenDocument } from '../../storage/index.ts';
import { keptPredecessors, type PredecessorRow, readPredecessors, removeDocuments,
  takeUpVersions } from './deleted-documents.ts';
import { addFirstSpellings, canonicalMeta, countDocuments, type CurrentRow, ensureCollection, isExpired, lastOrdinal,
  type Meta, parseMeta, REPLACED } from './document-rows.ts';
import type { PendingDocument } from './embedding-capacity.ts';
import type { Identity } from './identity.ts';
import { replaceDocuments, type Replacement, sealedVectors } from './replace-documents.ts';
import { addFirstRevisions, addRevisions, nextRevision, trimRevisions } from './revision-rows.ts';
import { inOrder, putChange, runInSteps, together, type UnitOfWork } from './unit-of-work.ts';

/** Which parts of a version and the stored one must be equal for a duplicate: body, vectors, expiry and metadata. */
export interface DuplicateRule {
  /** Keys of the metadata that may differ. */
  readonly ignoredMeta: readonly string[];
}

/** The state of a document that a request wants, checked and encoded before its transaction begins. */
export interface NewVersion {
  readonly identity: Identity;
  readonly meta: Meta;
  readonly body: EncodedBody;
  /** The vectors that the client supplies, in their stored form; absent or null for none. */
  readonly vectors?: Uint8Array | null;
  /** See `WrittenDocument.prepared`. */
  readonly prepared?: unknown;
  /** Seconds; 0 removes the expiry, undefined keeps the current one. */
  readonly ttl: number | undefined;
  readonly saveRevision: boolean;
  /** When a new document was first created, if that was before this write; Unix seconds. */
  readonly addedAt?: number;
  /** Skips the write if it would change nothing of the document; undefined writes it in any case. */
  readonly skipDuplicate: DuplicateRule | undefined;
  /** Sum of `CHANGE_FLAGS` for the subscribers of the feed. */
  readonly flags: number;
}

/**
 * Compression takes time, and so does access to the place where the collection stores its bodies; so call this before
 * the transaction.
 */
export async function encodeBody(codec: BodyCodec, collection: string, text: string): Promise<EncodedBody> {
  const [body] = await codec.encodeFor(collection, [text]);
  return body!;
}

/** A version as the queue of documents to embed needs it. */
export function toPending(
  { identity: { id }, body: { crc, bytes } }: Pick<NewVersion, 'identity' | 'body'>,
): PendingDocument {
  return { id, crc, bytes };
}

/** When a document expires; null for never. */
export function expiryAfter(ttl: number | undefined, now: number, present: number | null): number | null {
  if (ttl === undefined) return present;
  return ttl === 0 ? null : now + ttl;
}

/** The outcome of one version. */
export interface PutOutcome {
  readonly status: 'added' | 'updated' | 'skipped';
  readonly addedAt: number;
  readonly expiresAt: number | null;
}

/**
 * Creates or updates documents of one collection (identity rules 1 and 4), in order: of several versions with one
 * identity, each updates the one before. The outcomes are in the order of the versions. `isLast`: no statement of the
 * transaction follows.
 */
export async function putVersions(work: UnitOfWork, versions: readonly NewVersion[], maxRevisions: number,
  isLast = false): Promise<PutOutcome[]>
{
  if (versions.length === 0) return [];
  const outcomes = new Map<NewVersion, PutOutcome>();
  const all = rounds(versions);
  for (const round of all)
    await putRound(work, round, { maxRevisions, isLast: isLast && round === all.at(-1) }, outcomes);
  return versions.map((version) => outcomes.get(version)!);
}

/** The versions in groups without repeats: the nth version of an identity is in group n. */
function rounds(versions: readonly NewVersion[]): NewVersion[][] {
  const groups: NewVersion[][] = [];
  const seen = new Map<string, number>();
  for (const version of versions) {
    const turn = seen.get(version.identity.id) ?? 0;
    seen.set(version.identity.id, turn + 1);
    (groups[turn] ??= []).push(version);
  }
  return groups;
}

const NONE: ReadonlySet<NewVersion> = new Set();

async function putRound(work: UnitOfWork, round: readonly NewVersion[],
  { maxRevisions, isLast }: { maxRevisions: number; isLast: boolean },
  outcomes: Map<NewVersion, PutOutcome>): Promise<void>
{
  // One round trip to a server, which includes what is needed only if documents are new. A shared transaction keeps
  // other processes from appending once it knows the head, so it asks late.
  const headNow = (): Promise<number> => (work.tx.isShared ? Promise.resolve(0) : work.feed.headIn(work.tx));
  const [cid, found, deleted, after] = await together([ensureCollection(work.tx, round[0]!.identity.collection),
    readCurrent(work, round), readPredecessors(work, round.map(({ identity }) => identity.id)), lastOrdinal(work.tx),
    headNow()]);
  const expired = [...found.values()].filter((row) => isExpired(row, work.now));
  // writing to an expired id removes the expired document first (decisions section 3.1)
  if (expired.length > 0) await removeDocuments(work, expired, 'ttl');
  for (const { id } of expired) found.delete(id);

  const unchanged = found.size > 0 ? await duplicatesOf(work, round, found) : NONE;
  const inserts: NewVersion[] = [];
  const replacements: Replacement[] = [];
  for (const version of round) {
    const current = found.get(version.identity.id);
    const expiresAt = expiryAfter(version.ttl, work.now, current?.expires_at ?? null);
    if (current === undefined) {
      inserts.push(version);
      outcomes.set(version, { status: 'added', addedAt: version.addedAt ?? work.now, expiresAt });
    } else if (unchanged.has(version)) {
      outcomes.set(version, { status: 'skipped', addedAt: current.added_at, expiresAt: current.expires_at });
    } else {
      replacements.push(toReplacement(current, version, expiresAt));
      outcomes.set(version, { status: 'updated', addedAt: current.added_at, expiresAt });
    }
  }
  if (inserts.length > 0)
    await insertDocuments(work, {
      stored: { cid, after },
      deleted,
      maxRevisions,
      isLast: isLast && replacements.length === 0,
    }, inserts);
  if (replacements.length > 0) await replaceDocuments(work, replacements, maxRevisions);
}

async function readCurrent({ tx }: UnitOfWork, versions: readonly NewVersion[]): Promise<Map<string, CurrentRow>> {
  const { marks, params } = inList(versions.map(({ identity }) => identity.id));
  const rows = await tx.all<CurrentRow>(`SELECT ${REPLACED} FROM documents d WHERE d.id IN (${marks})`, params);
  return new Map(rows.map((row) => [row.id, row]));
}

function toReplacement(current: CurrentRow, version: NewVersion, expiresAt: number | null): Replacement {
  const { identity: { key, lang }, meta, body, vectors = null, prepared, saveRevision, flags } = version;
  return { current, key, lang, meta, body, vectors, prepared, expiresAt, saveRevision, flags };
}

/** The versions to leave out because they would change nothing of the stored document. */
async function duplicatesOf(work: UnitOfWork, versions: readonly NewVersion[],
  stored: ReadonlyMap<string, CurrentRow>): Promise<Set<NewVersion>>
{
  const found = new Set<NewVersion>();
  for (const version of versions) {
    const current = stored.get(version.identity.id);
    if (version.skipDuplicate === undefined || current === undefined) continue;
    if (hasSameBody(current, version) && current.vectors_hash === vectorsHash(version.vectors ?? null) &&
      hasSameExpiry(current, version, work.now) && (await hasSameMeta(work, current, version))) found.add(version);
    await work.pace.rest();
  }
  return found;
}

/** The contract compares the CRC-32; comparing the length too prevents a collision from losing a write. */
function hasSameBody(current: CurrentRow, { body }: NewVersion): boolean {
  return current.crc === body.crc && current.bytes === body.bytes;
}

function hasSameExpiry({ expires_at: present }: CurrentRow, { ttl }: NewVersion, now: number): boolean {
  return expiryAfter(ttl, now, present) === present;
}

async function hasSameMeta(work: UnitOfWork, current: CurrentRow,
  { meta, skipDuplicate }: NewVersion): Promise<boolean>
{
  const stored = await storedMeta(work, current);
  if (stored === undefined) return false;
  const ignored = new Set(skipDuplicate?.ignoredMeta);
  return comparable(parseMeta(stored), ignored) === comparable(meta, ignored);
}

function comparable(meta: NewVersion['meta'], ignored: ReadonlySet<string>): string {
  return canonicalMeta(Object.fromEntries(Object.entries(meta).filter(([key]) => !ignored.has(key))));
}

/**
 * The metadata of a document; undefined when they are encrypted and can no longer be decrypted, so that a new version
 * replaces them. `current` was read for a write, which leaves encrypted metadata out.
 */
async function storedMeta({ tx, sealerOf }: UnitOfWork, current: CurrentRow): Promise<string | undefined> {
  if (sealerOf === undefined) return current.meta;
  try {
    return (await tx.get<{ meta: string }>('SELECT id, meta FROM documents WHERE ord = ?', [current.ord]))?.meta;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'internal') return undefined;
    throw error;
  }
}

const INSERT = `
  INSERT INTO documents(cid, id, key, lang, backend, crc, bytes, added_at, updated_at, expires_at, vectors_hash, rev_ts, meta, body, vectors)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The kept versions of deleted documents that are added again, by id. */
type Predecessors = Awaited<ReturnType<typeof keptPredecessors>>;
const NO_PREDECESSORS: Predecessors = new Map();

/** Where documents are inserted. */
interface InsertOptions {
  /** Which they will be. */
  readonly stored: StoredDocuments;
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
async function insertDocuments(work: UnitOfWork, { stored, deleted: rows, maxRevisions, isLast }: InsertOptions,
  versions: readonly NewVersion[]): Promise<void>
{
  if (versions.length === 0) return;
  const ids = new Set(versions.map(({ identity }) => identity.id));
  const predecessors = rows.filter(({ id }) => ids.has(id));
  const deleted = predecessors.length > 0 ? await keptPredecessors(work, predecessors) : NO_PREDECESSORS;
  const count = versions.length;
  const insert = (): Promise<unknown> => runInSteps(work, INSERT, toRows(work, stored.cid, versions, deleted));
  const follow = [() => addFirstSpellings(work, stored), () => countDocuments(work.tx, stored.cid, count),
    () => work.feed.appendStored(work.tx, versions.map((version) => toChange(version, work.now)), stored, isLast)];
  // Nothing here needs the ordinals, so all statements can be sent together.
  if (deleted.size === 0 && versions.every(({ saveRevision }) => saveRevision))
    return inOrder(work, count, [insert, () => addFirstRevisions(work, stored), ...follow]);
  await insert();
  await continueRevisions(work, versions, { deleted, maxRevisions, ords: await newOrdinals(work.tx, stored) });
  await inOrder(work, count, follow);
}

function toRows(work: UnitOfWork, cid: number, versions: readonly NewVersion[], deleted: Predecessors): SqlValue[][] {
  const sealer = work.sealerOf?.(versions[0]!.identity.collection);
  return versions.map((version) => toRow(cid, version, newestOf(version, deleted), work.now, sealer));
}

/** The kept versions of deleted documents come before the revisions of the new ones, which are newer. */
async function continueRevisions(work: UnitOfWork, versions: readonly NewVersion[],
  { deleted, maxRevisions, ords }: { deleted: Predecessors; maxRevisions: number; ords: readonly number[] }
): Promise<void> {
  const documents = versions.map((version, i) => ({
    version,
    ord: ords[i]!,
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
  const vectors = version.vectors == null ? 0 : CHANGE_FLAGS.VECTORS;
  return putChange(version.identity, version.flags | CHANGE_FLAGS.CREATED | vectors, toWritten(version, now));
}

function toRow(cid: number, { identity: { id, key, lang }, meta, body, vectors = null, ttl, addedAt }: NewVersion,
  newest: number, now: number, sealer: Sealer | undefined): SqlValue[]
{
  const metaText = canonicalMeta(meta);
  return [cid, id, key, lang, body.backend ?? 'boltdb', body.crc, body.bytes, addedAt ?? now, now,
    expiryAfter(ttl, now, null), vectorsHash(vectors), newest, sealer?.meta(id, metaText) ?? metaText,
    sealer?.body(id, body.stored) ?? body.stored, sealedVectors(sealer, id, vectors)];
}

function toWritten({ meta, body, vectors, prepared, ttl, addedAt }: NewVersion, now: number): WrittenDocument {
  return {
    meta,
    contentMd: body.text,
    addedAt: addedAt ?? now,
    updatedAt: now,
    expiresAt: expiryAfter(ttl, now, null),
    vectors: vectors ?? undefined,
    prepared,
  };
}
