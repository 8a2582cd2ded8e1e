import { ServiceError } from '../../errors/index.ts';
import type { CurrentRow } from './document-rows.ts';
import { canonicalMeta, parseMeta } from './meta.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { expiryAfter, type NewVersion } from './version.ts';

/** The versions to leave out because they would change nothing of the stored document. */
export async function duplicatesOf(work: UnitOfWork, versions: readonly NewVersion[],
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
