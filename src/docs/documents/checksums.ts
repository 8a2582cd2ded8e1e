import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import { readEntityTags } from '../../lib/headers.ts';
import type { Queries, Sql } from '../../storage/index.ts';
import type { DocumentHandlers } from './deps.ts';
import type { ShownRow } from './document-rows.ts';
import type { DocumentReader } from './reader.ts';

/** The columns that the checksum is computed from. */
export interface ChecksumRow extends Pick<ShownRow, 'id' | 'key' | 'lang' | 'meta' | 'updated_at' | 'expires_at'> {
  /** CRC-32 of the body. */
  readonly crc: number;
  /** Of the supplied vectors; 0 for none. */
  readonly vectors_hash: number;
}

/** The columns of `ChecksumRow` that no reader sees. */
export const CHECKED = 'd.crc, d.vectors_hash';

/** Name of the row of table `settings` with the key, as base64. */
const NAME = 'checksum_key';
const KEY_BYTES = 32;

/** 64 bits: many more than the states that one document ever has. */
const DIGITS = 16;

/**
 * The checksums that callers see. They are keyed, because a checksum that anybody can compute confirms a guess of what
 * is stored. The key belongs to the database: its processes, nodes, followers, copies and backups have the same one, so
 * they agree.
 */
export class Checksums {
  /** Until the key of the database is loaded, checksums hold for this process alone. */
  #key: KeyObject = createSecretKey(randomBytes(KEY_BYTES));

  /** Reads the key of the database. A follower whose leader has not sent it yet keeps its own. */
  async load(queries: Queries): Promise<void> {
    const stored = await readKey(queries);
    if (stored !== undefined) this.#key = createSecretKey(stored, 'base64');
  }

  /**
   * Names a state of a document: 16 hex digits over its identity and everything that a reader sees and a write can
   * change. Two writes within a second have equal checksums only if they left the same state of the same document.
   */
  of(row: ChecksumRow): string {
    const { id, key, lang, meta, crc, vectors_hash: vectors, updated_at: updatedAt, expires_at: expiresAt } = row;
    return this.#digest(JSON.stringify([id, key, lang, meta, crc, vectors, updatedAt, expiresAt])).slice(0, DIGITS);
  }

  /** Makes a checksum that callers may see from one that they may not: 8 hex digits. */
  keyed(crc: number): string {
    return hex(crc32(this.#digest(hex(crc))));
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }
}

/** Makes the key of a database that has none. Of several processes that do so at once, the first decides. */
export async function keepChecksumKey(sql: Sql): Promise<void> {
  if ((await readKey(sql)) !== undefined) return;
  const value = randomBytes(KEY_BYTES).toString('base64');
  await sql.transaction((tx) =>
    tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO NOTHING', [NAME, value])
  );
}

async function readKey(queries: Queries): Promise<string | undefined> {
  return (await queries.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', [NAME]))?.value;
}

/** A CRC-32 as 8 hex digits. */
export function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** `GET /v1/checksum`. */
export function getChecksum(reader: DocumentReader): DocumentHandlers['getChecksum'] {
  return async ({ collection }) => ({ collection, ...(await reader.checksum(collection)) });
}

/**
 * What a document must be like for a write to happen. The conditions come from the request body and from headers, and
 * all must hold.
 */
export interface Expectation {
  /** The checksum of the document as it was read. */
  readonly ifChecksum?: string | undefined;
  /** A header `If-Match` (RFC 9110, section 13.1.1). */
  readonly ifMatch?: string | undefined;
  /** A header `If-None-Match` of a write (RFC 9110, section 13.1.2). */
  readonly ifNoneMatch?: string | undefined;
}

/** The `ETag` header of a response that contains the document with this checksum. */
export function entityTag(checksum: string): Readonly<Record<string, string>> {
  return { ETag: `"${checksum}"` };
}

/**
 * Throws `precondition_failed` if a document is not as expected; `row` is undefined if there is none. Call this within
 * the transaction of the write, so that of two writers who have read the same state one fails.
 */
export function requireExpected(checksums: Checksums, row: ChecksumRow | undefined, expected: Expectation): void {
  if (expectsNothing(expected)) return;
  const { ifChecksum, ifMatch, ifNoneMatch } = expected;
  if (row === undefined && ifChecksum === undefined && ifMatch === undefined) return;
  if (row === undefined)
    throw new ServiceError('precondition_failed', 'there is no such document, and the request expects one');
  const checksum = checksums.of(row);
  if ((ifChecksum ?? checksum) !== checksum || (ifMatch !== undefined && !namesIt(ifMatch, checksum))) {
    throw new ServiceError('precondition_failed', 'the document has changed since it was read; read it again');
  }
  if (ifNoneMatch !== undefined && isAmong(ifNoneMatch, checksum))
    throw new ServiceError('precondition_failed', 'there is such a document, and the request expects none');
}

export function expectsNothing({ ifChecksum, ifMatch, ifNoneMatch }: Expectation): boolean {
  return ifChecksum === undefined && ifMatch === undefined && ifNoneMatch === undefined;
}

/** `If-Match` uses the strong comparison, so weak tags never match. */
function namesIt(header: string, checksum: string): boolean {
  const tags = readEntityTags(header);
  return tags === '*' || tags.some(({ isWeak, value }) => !isWeak && value === checksum);
}

/** `If-None-Match` uses the weak comparison. */
function isAmong(header: string, checksum: string): boolean {
  const tags = readEntityTags(header);
  return tags === '*' || tags.some(({ value }) => value === checksum);
}
