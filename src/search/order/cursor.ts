import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import type { Place, SortValue } from './compare-places.ts';

/** The end of a page: the sort values of its last result, and its tie breaker. */
export interface Mark {
  readonly place: Place;
  readonly tie: string;
}

/** Pages that start after the last result of the previous one. */
export interface CursorRequest {
  /** What its cursors are bound to. */
  readonly order: string;
  /** Undefined for the first page. */
  readonly after: Mark | undefined;
}

/** The cursor of the first page. */
const FIRST_PAGE = '*';

const VERSION = 2;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * The cursor of a request; undefined for pages by offset. `order` is as for `writeCursor`, `values` the number of
 * values in the place of a mark. Throws `invalid_argument`.
 */
export function cursorOf({ cursor, offset }: { readonly cursor?: string | undefined; readonly offset: number },
  order: string, values: number): CursorRequest | undefined
{
  if (cursor === undefined) return undefined;
  if (offset > 0) throw invalid(`must not come with an offset, got offset ${offset}`);
  return { order, after: readCursor(cursor, order, values) };
}

/**
 * Encodes a mark as an opaque text. `order` contains everything that determines the order of results: a cursor for
 * another order is rejected.
 */
export function writeCursor(order: string, { place, tie }: Mark): string {
  const values = place.map((value) => value ?? null);
  return Buffer.from(JSON.stringify([VERSION, crc32(order), values, tie])).toString('base64url');
}

/**
 * Decodes a cursor; undefined for the first page. `keys` is the number of sort keys. Throws `invalid_argument` for any
 * other text.
 */
export function readCursor(cursor: string, order: string, keys: number): Mark | undefined {
  if (cursor === FIRST_PAGE) return undefined;
  const parts = decoded(cursor);
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION)
    throw invalid(`must be "${FIRST_PAGE}" or the nextCursor of a response`);
  const [, check, values, tie] = parts as unknown[];
  if (check !== crc32(order)) throw invalid('must be of the same collection, query and order as the request');
  if (!Array.isArray(values) || values.length !== keys || !values.every(isValue) || typeof tie !== 'string')
    throw invalid(`must be "${FIRST_PAGE}" or the nextCursor of a response`);
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
