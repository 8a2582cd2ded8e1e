import { ServiceError } from '../../errors/index.ts';
import { inList } from '../../storage/index.ts';
import { ensureCollection } from './collection-rows.ts';
import { readPredecessors } from './deleted-documents.ts';
import { canonicalMeta, type CurrentRow, isExpired, parseMeta, REPLACED } from './document-rows.ts';
import { insertDocuments } from './insert-documents.ts';
import { removeDocuments } from './remove-documents.ts';
import { replaceDocuments, type Replacement } from './replace-documents.ts';
import { together, type UnitOfWork } from './unit-of-work.ts';
import { expiryAfter, type NewVersion } from './version.ts';

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
  // One round trip to a server, which includes what is needed only if documents are new.
  const [cid, found, deleted] = await together([ensureCollection(work.tx, round[0]!.identity.collection),
    readCurrent(work, round), readPredecessors(work, round.map(({ identity }) => identity.id)),
    work.feed.headIn(work.tx)]);
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
    await insertDocuments(work, { cid, deleted, maxRevisions, isLast: isLast && replacements.length === 0 }, inserts);
  if (replacements.length > 0) await replaceDocuments(work, replacements, maxRevisions);
}

async function readCurrent({ tx }: UnitOfWork, versions: readonly NewVersion[]): Promise<Map<string, CurrentRow>> {
  const { marks, params } = inList(versions.map(({ identity }) => identity.id));
  const rows = await tx.all<CurrentRow>(`SELECT ${REPLACED} FROM documents d WHERE d.id IN (${marks})`, params);
  return new Map(rows.map((row) => [row.id, row]));
}

function toReplacement(current: CurrentRow, version: NewVersion, expiresAt: number | null): Replacement {
  const { identity: { key, lang }, meta, body, prepared, saveRevision, flags } = version;
  return { current, key, lang, meta, body, prepared, expiresAt, saveRevision, flags };
}

/** The versions to leave out because they would change nothing of the stored document. */
async function duplicatesOf(work: UnitOfWork, versions: readonly NewVersion[],
  stored: ReadonlyMap<string, CurrentRow>): Promise<Set<NewVersion>>
{
  const found = new Set<NewVersion>();
  for (const version of versions) {
    const current = stored.get(version.identity.id);
    if (version.skipDuplicate === undefined || current === undefined) continue;
    if (hasSameBody(current, version) && hasSameExpiry(current, version, work.now) &&
      (await hasSameMeta(work, current, version))) found.add(version);
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
