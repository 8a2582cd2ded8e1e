import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import type { Place, SortValue } from './compare-places.ts';

/** The end of a page: the sort values of its last result, and its tie breaker. */
export interface Mark {
  readonly place: Place;
  readonly tie: string;
}

/** The cursor of the first page. */
export const FIRST_PAGE = '*';

const VERSION = 2;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Encodes a mark as an opaque text. `order` contains everything that determines the order of results: a cursor for another order is rejected. */
export function writeCursor(order: string, { place, tie }: Mark): string {
  const values = place.map((value) => value ?? null);
  return Buffer.from(JSON.stringify([VERSION, crc32(order), values, tie])).toString('base64url');
}

/** Decodes a cursor; undefined for the first page. `keys` is the number of sort keys. Throws `invalid_argument` for any other text. */
export function readCursor(cursor: string, order: string, keys: number): Mark | undefined {
  if (cursor === FIRST_PAGE) return undefined;
  const parts = decoded(cursor);
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION) throw invalid(`must be "${FIRST_PAGE}" or the nextCursor of a response`);
  const [, check, values, tie] = parts as unknown[];
  if (check !== crc32(order)) throw invalid('must be of the same collection, query and order as the request');
  if (!Array.isArray(values) || values.length !== keys || !values.every(isValue) || typeof tie !== 'string') throw invalid(`must be "${FIRST_PAGE}" or the nextCursor of a response`);
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
