import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import { type Column, columnOf, toNumber, toSeconds } from '../filter/index.ts';

/** One key of a sort order. */
export interface SortKey {
  readonly column: Column | { readonly kind: 'score' };
  readonly descending: boolean;
}

interface SortRules {
  /** The direction of a key without an explicit one. */
  readonly descending: boolean;
  /** Whether results have a score to sort by. */
  readonly scored: boolean;
}

const MAX_KEYS = 8;
const DIRECTION = /:(asc|desc)$/;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;

/**
 * Parses an order such as `year:desc, title:asc`: fields of documents, `score`, and metadata keys. A metadata key needs
 * a direction or the prefix `meta.`, so that a misspelt field is rejected; a key that contains a comma must be quoted.
 * Throws `invalid_argument`.
 */
export function parseSort(sort: string, { descending, scored }: SortRules): SortKey[] {
  const keys = partsOf(sort).map(({ name, direction, isQuoted }): SortKey => ({
    column: columnFor(name, direction !== undefined || isQuoted, scored),
    descending: direction === undefined ? descending : direction === 'desc',
  }));
  if (keys.length > MAX_KEYS) throw invalid(`must have at most ${MAX_KEYS} keys, got ${keys.length}`);
  return keys;
}

interface Part {
  readonly name: string;
  readonly direction: string | undefined;
  readonly isQuoted: boolean;
}

/** Splits at the commas that are outside of quotes. */
function partsOf(sort: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at <= sort.length;) {
    const start = at + sort.slice(at).search(/\S|$/);
    QUOTED.lastIndex = start;
    const quoted = QUOTED.exec(sort);
    const from = start + (quoted?.[0].length ?? 0);
    const comma = sort.indexOf(',', from);
    const rest = sort.slice(from, comma < 0 ? sort.length : comma).trimEnd();
    const direction = DIRECTION.exec(rest)?.[1];
    const name = direction === undefined ? rest : rest.slice(0, -direction.length - 1);
    if (quoted !== null && name !== '')
      throw invalid(`must have a comma, ":asc" or ":desc" behind quotes, at character ${from + 1}`);
    parts.push({
      name: quoted === null ? name : quoted[1]!.replace(/\\(.)/gs, '$1'),
      direction,
      isQuoted: quoted !== null,
    });
    if (comma < 0) return parts;
    at = comma + 1;
  }
  return parts;
}

function columnFor(name: string, isExplicit: boolean, scored: boolean): SortKey['column'] {
  if (name === '') throw invalid('must name a field or a metadata key before the direction');
  if (name === 'score') {
    if (scored) return { kind: 'score' };
    throw invalid('must not be by score where nothing is searched for; a metadata key of that name is "meta.score"');
  }
  const column = columnOf(name);
  if (column.kind !== 'meta' || isExplicit || name.startsWith('meta.')) return column;
  const fields = ['addedAt', 'updatedAt', 'expiresAt', 'key', 'lang', ...(scored ? ['score'] : [])];
  throw invalid(
    `must be one of ${fields.join(', ')}, or a metadata key with a direction, such as "${
      name.slice(0, 80)
    }:desc"; got "${name.slice(0, 80)}"`,
  );
}

function invalid(problem: string): ServiceError {
  return new ServiceError('invalid_argument', `sort ${problem}`);
}

/** A sort value: a number, a date as Unix seconds, or a text; undefined if there is none. */
export type SortValue = number | string | undefined;

/** The sort values of a result, one for each key of the order. */
export type Place = readonly SortValue[];

/** Texts are sorted by this many UTF-16 units, so that cursors stay short. */
const MAX_TEXT = 256;

/** The sort value of a stored value: numbers and dates as such, texts truncated. */
export function sortValueOf(value: string | number): number | string {
  const number = toNumber(value) ?? toSeconds(value);
  // Cursors are JSON, which has no infinite numbers.
  if (number !== undefined) return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number));
  return String(value).slice(0, MAX_TEXT).toWellFormed();
}

/** Numbers and dates before texts, texts by code point. */
export function compareSortValues(a: number | string, b: number | string): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  return typeof b === 'number' ? 1 : compareCodePoints(a, b);
}

/**
 * Compares by the first key that distinguishes two results; returns 0 if none does. Missing values come last in both
 * directions.
 */
export function comparePlaces(a: Place, b: Place, keys: readonly { readonly descending: boolean }[]): number {
  for (const [i, { descending }] of keys.entries()) {
    const [one, other] = [a[i], b[i]];
    if (one === other) continue;
    if (one === undefined) return 1;
    if (other === undefined) return -1;
    const order = compareSortValues(one, other);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

/**
 * The order of texts in SQL. The order of UTF-16 is the same except for surrogates, whose code points are greater than
 * those of all other units.
 */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return inOrder(x) - inOrder(y);
  }
  return a.length - b.length;
}

function inOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

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
  if (offset > 0) throw invalidCursor(`must not come with an offset, got offset ${offset}`);
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
    throw invalidCursor(`must be "${FIRST_PAGE}" or the nextCursor of a response`);
  const [, check, values, tie] = parts as unknown[];
  if (check !== crc32(order)) throw invalidCursor('must be of the same collection, query and order as the request');
  if (!Array.isArray(values) || values.length !== keys || !values.every(isValue) || typeof tie !== 'string')
    throw invalidCursor(`must be "${FIRST_PAGE}" or the nextCursor of a response`);
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

function invalidCursor(problem: string): ServiceError {
  return new ServiceError('invalid_argument', `cursor ${problem}`);
}
