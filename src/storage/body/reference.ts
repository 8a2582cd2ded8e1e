import { decodeVarint, encodeVarint } from '../../lib/varint.ts';
import { corrupt } from './codec.ts';

/**
 * What the database stores for a body that is kept elsewhere (`storageBackend` other than `boltdb`):
 *
 *     flag (1 byte: 4) | store (varint) | length (varint) | hash (32 bytes) | key (32 bytes)
 *
 * The object that it names holds the compression record, encrypted under a key of its own. So what leaves the database
 * is never readable without the database, and encrypting a collection, rotating its keys and ending its encryption
 * change only references: encryption wraps a reference like any other record.
 */
const REFERENCE = 4;
const PART_BYTES = 32;

export interface BodyReference {
  /** Number of the store: a row of `body_stores`. */
  readonly store: number;
  /** Size of the object in bytes. */
  readonly length: number;
  /** SHA-256 of the object, which is also its name. */
  readonly hash: Uint8Array;
  /** AES-256 key of the object. */
  readonly key: Uint8Array;
}

/** Whether a stored body, after decryption, is a reference. */
export function isReference(stored: Uint8Array): boolean {
  return stored[0] === REFERENCE;
}

export function writeReference({ store, length, hash, key }: BodyReference): Uint8Array {
  return Buffer.concat([Uint8Array.of(REFERENCE), encodeVarint(store), encodeVarint(length), hash, key]);
}

/** Throws `internal` when the reference is damaged. */
export function readReference(stored: Uint8Array): BodyReference {
  const store = isReference(stored) ? decodeVarint(stored, 1) : undefined;
  const length = store && decodeVarint(stored, store.end);
  if (length === undefined || stored.length !== length.end + 2 * PART_BYTES) throw corrupt('its reference is damaged');
  const keyAt = length.end + PART_BYTES;
  return {
    store: store!.value,
    length: length.value,
    hash: stored.subarray(length.end, keyAt),
    key: stored.subarray(keyAt),
  };
}
