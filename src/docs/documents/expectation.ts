import { ServiceError } from '../../errors/index.ts';
import { readEntityTags } from '../../lib/headers.ts';
import type { ChecksumRow, Checksums } from './checksums.ts';

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
