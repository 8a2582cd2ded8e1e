import type { OrdSet } from '../../lib/ord-set.ts';
import { compareTexts } from '../filter/index.ts';
import { comparePlaces } from '../order/index.ts';
import { readEach } from '../parts/index.ts';
import type { ColumnsPart, SortedDocument, SortedRows, Sorting } from './contract.ts';

/** A page that ends at this place at the latest is merged from the first documents of each part. */
const SHALLOW = 512;
/** A page is expected near a place of a part: within so many standard deviations of random parts, and some places. */
const DEVIATIONS = 4;
const SPARE = 32;
const WIDENING = 4;

type Parts = readonly Pick<ColumnsPart, 'count' | 'sorted'>[];
type Compare = (a: SortedDocument, b: SortedDocument) => number;

/** Some consecutive documents of the order of one part, of which `before` are before and `behind` behind them. */
interface Window {
  readonly rows: SortedRows;
  readonly before: number;
  readonly behind: number;
}

/** Sorts the documents of several parts (see `Columns.sort`). */
export function sortParts(parts: Parts, set: OrdSet | undefined, sorting: Sorting): SortedDocument[] {
  const { keys, offset, count } = sorting;
  // Equal names do not occur in a collection, except while one of the documents is being removed.
  const compare: Compare = (a, b) =>
    comparePlaces(a.place, b.place, keys) || compareTexts(a.tie, b.tie) || a.ord - b.ord;
  if (count === 0) return [];
  if (offset + count > SHALLOW && offset > 0) return deepPage(parts, set, sorting, compare);
  const rows = readEach(parts, (part) => part.sorted(set, { ...sorting, offset: 0, count: offset + count }));
  return merged(rows, rows.map(() => 0), offset + count, compare).slice(offset);
}

/** Each row is read once. */
function memoized(rows: SortedRows): SortedRows {
  const read = new Map<number, SortedDocument | undefined>();
  return {
    length: rows.length,
    at(index) {
      let row = read.get(index);
      if (row === undefined) read.set(index, row = rows.at(index));
      return row;
    },
  };
}

/** The first documents of several lists, from a place in each on. */
function merged(lists: readonly SortedRows[], from: readonly number[], count: number,
  compare: Compare): SortedDocument[]
{
  const next = [...from];
  const heads = lists.flatMap((rows, i) => (next[i]! < rows.length ? [{ i, row: rows.at(next[i]!)! }] : []));
  heads.sort((a, b) => compare(a.row, b.row));
  const result: SortedDocument[] = [];
  while (heads.length > 0 && result.length < count) {
    const { i, row } = heads.shift()!;
    result.push(row);
    const following = ++next[i]! < lists[i]!.length ? lists[i]!.at(next[i]!) : undefined;
    if (following === undefined) continue;
    let at = 0;
    while (at < heads.length && compare(heads[at]!.row, following) < 0) at++;
    heads.splice(at, 0, { i, row: following });
  }
  return result;
}

/**
 * A page that is not among the first. The parts have similar orders, so that each has its documents of the page near
 * the same fraction of its own: only a window around it is sorted, which is widened if the page is not in it.
 */
function deepPage(parts: Parts, set: OrdSet | undefined, sorting: Sorting, compare: Compare): SortedDocument[] {
  const { offset } = sorting;
  const sizes = readEach(parts, (part) => part.count(set));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const count = Math.min(sorting.count, all - offset);
  if (count <= 0) return [];
  const variance = (offset / parts.length) * (1 - offset / all);
  for (let spread = SPARE + Math.ceil(DEVIATIONS * Math.sqrt(variance));; spread *= WIDENING) {
    const windows = readEach(parts, (part, i): Window => {
      const share = sizes[i]! / all;
      const before = Math.max(0, Math.floor(offset * share) - spread);
      const end = Math.min(sizes[i]!, Math.ceil((offset + count) * share) + spread);
      const rows = memoized(part.sorted(set, { ...sorting, offset: before, count: end - before }));
      return { rows, before, behind: sizes[i]! - end };
    });
    const page = pageWithin(windows, offset, count, compare);
    if (page !== undefined) return page;
  }
}

/**
 * The documents from a place on in the order of all parts; undefined if some of them may be outside of the windows. A
 * document is at its place in the windows' order if no window begins behind it, or ends before it, while its part has
 * further documents on that side.
 */
function pageWithin(windows: readonly Window[], offset: number, count: number, compare: Compare): SortedDocument[]
  | undefined
{
  const rows = windows.map((window) => window.rows);
  const skipped = offset - windows.reduce((sum, { before }) => sum + before, 0);
  const placeOf = (one: SortedDocument): number => rows.reduce((sum, each) => sum + placeIn(each, one, compare), 0);
  const firsts = windows.flatMap((window) => (window.before > 0 ? [window.rows.at(0)!] : [])).sort(compare);
  const lasts = windows.flatMap((window) => (window.behind > 0 ? [window.rows.at(window.rows.length - 1)!] : []));
  const [first, last] = [firsts.at(-1), lasts.sort(compare)[0]];
  if (skipped < 0 || (first !== undefined && placeOf(first) > skipped)) return undefined;
  if (last !== undefined && placeOf(last) < skipped + count - 1) return undefined;
  return merged(rows, split(rows, skipped, compare), count, compare);
}

/** How many documents of each list are among the first `wanted` of all. */
function split(lists: readonly SortedRows[], wanted: number, compare: Compare): number[] {
  const low = lists.map(() => 0);
  const high = lists.map(({ length }) => length);
  for (;;) {
    // The middle of the longest list that is left is compared with the others.
    const longest = low.reduce((best, from, i) => (high[i]! - from > high[best]! - low[best]! ? i : best), 0);
    if (high[longest]! === low[longest]!) return low;
    const middle = (low[longest]! + high[longest]!) >>> 1;
    const pivot = lists[longest]!.at(middle)!;
    const places = lists.map((rows, i) => (i === longest ? middle : placeIn(rows, pivot, compare, low[i], high[i])));
    if (places.reduce((sum, place) => sum + place, 0) < wanted) {
      for (const [i, place] of places.entries()) low[i] = Math.max(low[i]!, i === longest ? place + 1 : place);
    } else { for (const [i, place] of places.entries()) high[i] = place; }
  }
}

/** Number of documents of a list that are before another one, between two places. */
function placeIn(rows: SortedRows, one: SortedDocument, compare: Compare, low = 0, high = rows.length): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(rows.at(middle)!, one) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
