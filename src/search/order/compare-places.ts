import { toNumber, toSeconds } from '../filter/index.ts';

/** What documents are sorted by: a number, a date as Unix seconds, or a text; undefined where there is nothing. */
export type SortValue = number | string | undefined;

/** The values of one result, one for each key of the order. */
export type Place = readonly SortValue[];

/** Texts are sorted by so many units of UTF-16, so that a cursor stays short. */
const MAX_TEXT = 256;

/** A stored value as it is sorted: numbers and dates as such, of a text the beginning. */
export function sortValueOf(value: string | number): number | string {
  const number = toNumber(value) ?? toSeconds(value);
  // JSON, which cursors are made of, has no infinite numbers.
  if (number !== undefined) return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number));
  return String(value).slice(0, MAX_TEXT).toWellFormed();
}

/** Numbers and dates before texts, texts by code point. */
export function compareSortValues(a: number | string, b: number | string): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  return typeof b === 'number' ? 1 : compareCodePoints(a, b);
}

/** By the first key that tells two results apart; 0 where none does. What has no value comes last in either direction. */
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

/** As SQL compares texts. UTF-16 has the same order but for surrogates, which stand for greater code points than all other units. */
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
