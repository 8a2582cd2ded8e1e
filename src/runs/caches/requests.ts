import type { DiscardCacheRequest, DownloadCacheRequest,
  UploadCacheRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type Announced, readAnnounced } from '../contents/index.ts';
import { FleetRefusal, requireRef } from '../fleet/index.ts';
import type { RunRef } from '../queue/port.ts';

const MAX_KEY_BYTES = 1024;
const MAX_RESTORE_KEYS = 16;

/** What a ship sends before the bytes of a cache. */
export interface AnnouncedCache extends Announced {
  readonly ref: RunRef;
  readonly key: string;
}

/** A cache that a ship asks for. */
export interface WantedCache {
  readonly ref: RunRef;
  readonly key: string;
  readonly restoreKeys: readonly string[];
}

/** Returns the description, which must be the first message. Throws a `FleetRefusal` for anything else. */
export function readDescription(part: UploadCacheRequest | undefined): AnnouncedCache {
  if (part?.body.case !== 'description') throw refusal('the first part must be the description');
  const { ref, key, size, sha256 } = part.body.value;
  requireKey('key', key);
  return { ref: requireRef(ref), key, ...readAnnounced({ size, sha256 }) };
}

/** Throws a `FleetRefusal` for a request that no ship sends. */
export function readDiscarded({ ref, key }: DiscardCacheRequest): Pick<WantedCache, 'ref' | 'key'> {
  requireKey('key', key);
  return { ref: requireRef(ref), key };
}

/** Throws a `FleetRefusal` for a request that no ship sends. */
export function readWanted({ ref, key, restoreKeys }: DownloadCacheRequest): WantedCache {
  requireKey('key', key);
  if (restoreKeys.length > MAX_RESTORE_KEYS)
    throw refusal(`restore_keys must have at most ${MAX_RESTORE_KEYS} entries, got ${restoreKeys.length}`);
  for (const each of restoreKeys) requireKey('each of restore_keys', each);
  return { ref: requireRef(ref), key, restoreKeys };
}

/** PostgreSQL takes no text with a NUL. */
function requireKey(what: string, key: string): void {
  if (key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES || !key.isWellFormed() || key.includes('\0'))
    throw refusal(`${what} must have 1 to ${MAX_KEY_BYTES} bytes, without a NUL`);
}

const refusal = (message: string): FleetRefusal => new FleetRefusal('invalid_argument', message);
