import { type ErrorDetails, ServiceError } from '../../errors/index.ts';
import { decodeVarint, encodeVarint } from '../../lib/bytes.ts';
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

/**
 * Bodies that are kept outside the database. The column `backend` of each holds `backend:store:hash`, by which unused
 * objects are found.
 */
export interface PlacedBody {
  readonly backend: string;
  /** Stored in place of the compression record. */
  readonly reference: Uint8Array;
}

/** Where bodies are kept that are not stored in the database. */
export interface BodyObjects {
  /**
   * Stores compression records for a collection, before the transaction that refers to them. Undefined, or resolves to
   * it, if they belong in the database. Throws or rejects with `BodyUnavailable`.
   */
  place(collection: string, records: readonly Uint8Array[]): Promise<readonly PlacedBody[] | undefined> | undefined;
  /**
   * Returns the record that a reference names. Rejects with `BodyUnavailable`, or with `not_found` if it is lost
   * permanently.
   */
  fetch(reference: Uint8Array): Promise<Uint8Array>;
}

/** The store of bodies cannot be reached at present: returned as 503 with `Retry-After`. */
export class BodyUnavailable extends ServiceError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('unavailable', message, details);
    this.name = 'BodyUnavailable';
  }
}

/** A body that was kept in memory only, and was lost with a restart. */
export class BodyLost extends ServiceError {
  constructor() {
    super('not_found',
      'a body was kept in memory (storageBackend memory) and was lost when the server stopped: write the document ' +
        'again, delete it, or read it without its body');
    this.name = 'BodyLost';
  }
}
