import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import { readEntityTags } from '../../lib/entity-tags.ts';
import type { ShownRow } from './document-rows.ts';

/** What a document must be like for a write to happen. The conditions come from the request body and from headers, and all must hold. */
export interface Expectation {
  /** The checksum of the document as it was read. */
  readonly ifChecksum?: string | undefined;
  /** A header `If-Match` (RFC 9110, section 13.1.1). */
  readonly ifMatch?: string | undefined;
  /** A header `If-None-Match` of a write (RFC 9110, section 13.1.2). */
  readonly ifNoneMatch?: string | undefined;
}

/** The columns that the checksum is computed from. */
export interface ChecksumRow extends Pick<ShownRow, 'key' | 'lang' | 'meta' | 'updated_at' | 'expires_at'> {
  /** CRC-32 of the body. */
  readonly crc: number;
}

/**
 * Names a state of a document: the CRC-32 of its body and the CRC-32 of everything else that a reader sees and a write can change, as 16 hex
 * digits. Two writes within a second have equal checksums only if they left the same state.
 */
export function checksumOf({ key, lang, meta, crc, updated_at: updatedAt, expires_at: expiresAt }: ChecksumRow): string {
  return `${hex(crc)}${hex(crc32(JSON.stringify([key, lang, meta, updatedAt, expiresAt])))}`;
}

/** The `ETag` header of a response that contains the document with this checksum. */
export function entityTag(checksum: string): Readonly<Record<string, string>> {
  return { ETag: `"${checksum}"` };
}

/**
 * Throws `precondition_failed` if a document is not as expected; `row` is undefined if there is none. Call this within the transaction of the
 * write, so that of two writers who have read the same state one fails.
 */
export function requireExpected(row: ChecksumRow | undefined, expected: Expectation): void {
  if (expectsNothing(expected)) return;
  const { ifChecksum, ifMatch, ifNoneMatch } = expected;
  if (row === undefined && ifChecksum === undefined && ifMatch === undefined) return;
  if (row === undefined) throw new ServiceError('precondition_failed', 'there is no such document, and the request expects one');
  const checksum = checksumOf(row);
  if ((ifChecksum ?? checksum) !== checksum || (ifMatch !== undefined && !namesIt(ifMatch, checksum))) {
    throw new ServiceError('precondition_failed', 'the document has changed since it was read; read it again');
  }
  if (ifNoneMatch !== undefined && isAmong(ifNoneMatch, checksum)) throw new ServiceError('precondition_failed', 'there is such a document, and the request expects none');
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

const hex = (crc: number): string => crc.toString(16).padStart(8, '0');
