import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import type { Place, SortValue } from './compare-places.ts';

/** Where a page ended: what its last result was sorted by, and what told it from equal ones. */
export interface Mark {
  readonly place: Place;
  readonly tie: string;
}

/** Stands for the first page. */
export const FIRST_PAGE = '*';

const VERSION = 2;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** An opaque text for a mark. `order` is all that decides the order of results: a cursor is refused where it differs. */
export function writeCursor(order: string, { place, tie }: Mark): string {
  const values = place.map((value) => value ?? null);
  return Buffer.from(JSON.stringify([VERSION, crc32(order), values, tie])).toString('base64url');
}

/** The mark of a cursor, undefined for the first page. `keys`: how many the order has. Throws `invalid_argument` for any other text. */
export function readCursor(cursor: string, order: string, keys: number): Mark | undefined {
  if (cursor === FIRST_PAGE) return undefined;
  const parts = decoded(cursor);
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION) throw invalid(`must be "${FIRST_PAGE}" or the nextCursor of an answer`);
  const [, check, values, tie] = parts as unknown[];
  if (check !== crc32(order)) throw invalid('must be of the same collection, query and order as the request');
  if (!Array.isArray(values) || values.length !== keys || !values.every(isValue) || typeof tie !== 'string') throw invalid(`must be "${FIRST_PAGE}" or the nextCursor of an answer`);
  return { place: values.map((value: string | number | null): SortValue => value ?? undefined), tie };
}

function decoded(cursor: string): unknown {
  if (!BASE64URL.test(cursor)) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isValue(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

function invalid(problem: string): ServiceError {
  return new ServiceError('invalid_argument', `cursor ${problem}`);
}
