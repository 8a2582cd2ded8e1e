import { toNumber, toSeconds } from '../filter/index.ts';

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
