// The sort keys of documents, 64 bits each: ranks of values, times and scores. The host describes an order in B_TEXTS:
//
//     for each key: u32 kind   u32 column, or field of a time   u32 order of the column
//                   u32 DESCENDING | SPELLED   u64 mark: where the previous page ended   u32 text   u32 length
//
// The last key is the tie: key and language in lower case, with the text of the mark. B_SLOTS lists documents, B_KEYS
// their sort keys.

import { compareBytes } from '../inverted/bytes.ts';
import { C_PAGES, C_SPELLED, columnAt, IDENTITY, lengthOf, partLength, R_TEXT, recordAt } from './dictionary.ts';
import { arrayOf, listOf, PAGE_SHIFT, PAGE_SLOTS, pageEnd, SEVERAL, valueOf } from './forward.ts';
import { orderAt, rankOf, ranksOf } from './orders.ts';
import { B_KEYS, B_SCORES, B_SLOTS, B_TEXTS, buffer } from './scratch.ts';
import { NO_SLOT } from './slots.ts';
import { TIME_SHIFT, TIME_SLOTS, timeOf, timePage } from './times.ts';

const KEY: u32 = 32;
export const K_COLUMN: usize = 4;
export const K_ORDER: usize = 8;
export const K_FLAGS: usize = 12;
export const K_MARK: usize = 16;
export const K_TEXT: usize = 24;
export const K_LENGTH: usize = 28;
export const BY_ORDER: u32 = 0;
export const BY_TIME: u32 = 1;
export const BY_SCORE: u32 = 2;
export const BY_TIE: u32 = 3;
export const DESCENDING: u32 = 1;
export const SPELLED: u32 = 2;

/** Sort key of a document without a value. */
export const LAST: u64 = ~(<u64>0);
/** Ranks are below half of it, so that they can be reversed. */
export const RANK_END: u64 = <u64>1 << 34;

export function keyAt(index: u32): usize {
  return buffer(B_TEXTS) + index * KEY;
}

export function slotAt(index: u32): usize {
  return buffer(B_SLOTS) + (<usize>index << 2);
}

export function sortKeyAt(index: u32): usize {
  return buffer(B_KEYS) + (<usize>index << 3);
}

// ---- Marks

/** Makes a mark of a place in an order, at a value that exists or between two, in a key that is already described. */
export function markPlace(index: u32, place: u32, isThere: bool): void {
  const key = keyAt(index);
  const doubled = (<u64>place << 1) | <u64>isThere;
  store<u64>(key, (load<u32>(key, K_FLAGS) & DESCENDING) !== 0 ? RANK_END - doubled : doubled, K_MARK);
}

export function markNumber(index: u32, number: f64): void {
  const key = keyAt(index);
  store<u64>(key, sortable(number, (load<u32>(key, K_FLAGS) & DESCENDING) !== 0), K_MARK);
}

/** Makes a mark behind all documents that have a value. */
export function markNone(index: u32): void {
  store<u64>(keyAt(index), LAST, K_MARK);
}

export function isBehind(slot: u32, keys: u32): bool {
  for (let i: u32 = 0; i < keys; i++) {
    const key = keyAt(i);
    if (load<u32>(key) === BY_TIE) {
      const name = nameOf(slot);
      return compareBytes(load<u32>(name, R_TEXT), lengthOf(name), load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH)) >
        0;
    }
    const own = keyOf(key, slot);
    const mark = load<u64>(key, K_MARK);
    if (own !== mark) return own > mark;
  }
  return false;
}

// ---- Keys

export function nameOf(slot: u32): usize {
  const identity = columnAt(IDENTITY);
  return recordAt(identity, valueOf(identity + C_PAGES, slot));
}

function entryOf(key: usize, column: usize, slot: u32): u32 {
  const spelled = (load<u32>(key, K_FLAGS) & SPELLED) === 0 ? 0 : valueOf(column + C_SPELLED, slot);
  return spelled !== 0 ? spelled : valueOf(column + C_PAGES, slot);
}

/** The sort key of a document with several values: the first or the last in the order. */
function extremeOf(value: u32, ranks: usize, descending: bool): u32 {
  if ((value & SEVERAL) === 0) return value;
  const list = listOf(value);
  const count = load<u32>(list);
  let best = load<u32>(list, 4);
  for (let i: u32 = 2; i <= count; i++) {
    const other = load<u32>(list + (<usize>i << 2));
    if (descending ? rankOf(ranks, other) > rankOf(ranks, best) : rankOf(ranks, other) < rankOf(ranks, best))
      best = other;
  }
  return best;
}

/** Odd, so that a mark can be between two ranks. */
function rankKey(rank: u32, descending: bool): u64 {
  const doubled = (<u64>rank << 1) | 1;
  return descending ? RANK_END - doubled : doubled;
}

/** The bits of a number such that they sort as numbers do; NaN comes last. */
export function sortable(number: f64, descending: bool): u64 {
  if (number !== number) return LAST;
  const bits = reinterpret<u64>(number + 0.0);
  const ascending = (bits >> 63) !== 0 ? ~bits : bits | (<u64>1 << 63);
  return descending ? ~ascending : ascending;
}

function keyOf(key: usize, slot: u32): u64 {
  const kind = load<u32>(key);
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  if (kind === BY_TIME) return sortable(timeOf(load<u32>(key, K_COLUMN), slot), descending);
  if (kind !== BY_ORDER && kind !== BY_TIE)
    return sortable(load<f64>(buffer(B_SCORES) + (<usize>slot << 3)), descending);
  const column = columnAt(load<u32>(key, K_COLUMN));
  const ranks = ranksOf(orderAt(column, load<u32>(key, K_ORDER)));
  const value = extremeOf(entryOf(key, column, slot), ranks, descending);
  return value === 0 ? LAST : rankKey(rankOf(ranks, value), descending);
}

/** Computes the sort keys of listed documents. */
export function fillKeys(key: usize, first: u32, count: u32): void {
  const kind = load<u32>(key);
  const column = columnAt(kind === BY_ORDER || kind === BY_TIE ? load<u32>(key, K_COLUMN) : 0);
  const isSpelled = (load<u32>(key, K_FLAGS) & SPELLED) !== 0 && pageEnd(column + C_SPELLED) > 0;
  if (kind === BY_TIME) {
    fillTimes(key, first, count);
    return;
  }
  if ((kind !== BY_ORDER && kind !== BY_TIE) || isSpelled) {
    for (let i: u32 = 0; i < count; i++) store<u64>(sortKeyAt(first + i), keyOf(key, load<u32>(slotAt(first + i))));
    return;
  }
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  const ranks = ranksOf(orderAt(column, load<u32>(key, K_ORDER)));
  let page = NO_SLOT;
  let values: usize = 0;
  for (let at = slotAt(first), end = slotAt(first + count), to = sortKeyAt(first); at < end; at += 4, to += 8) {
    const slot = load<u32>(at);
    if (slot >> PAGE_SHIFT !== page) {
      page = slot >> PAGE_SHIFT;
      values = arrayOf(column + C_PAGES, page);
    }
    let value = values !== 0
      ? load<u32>(values + (<usize>(slot & (PAGE_SLOTS - 1)) << 2))
      : valueOf(column + C_PAGES, slot);
    if ((value & SEVERAL) !== 0) value = extremeOf(value, ranks, descending);
    store<u64>(to, value === 0 ? LAST : rankKey(rankOf(ranks, value), descending));
  }
}

function fillTimes(key: usize, first: u32, count: u32): void {
  const field = load<u32>(key, K_COLUMN);
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  let page = NO_SLOT;
  let times: usize = 0;
  for (let i = first; i < first + count; i++) {
    const slot = load<u32>(slotAt(i));
    if (slot >> TIME_SHIFT !== page) {
      page = slot >> TIME_SHIFT;
      times = timePage(field, page);
    }
    store<u64>(sortKeyAt(i),
      times === 0 ? LAST : sortable(load<f64>(times + (<usize>(slot & (TIME_SLOTS - 1)) << 3)), descending));
  }
}

export function describe(key: usize, slot: u32, entry: usize): void {
  store<u64>(entry, 0);
  store<f64>(entry, NaN, 8);
  const kind = load<u32>(key);
  if (kind !== BY_ORDER) {
    store<f64>(entry,
      kind === BY_TIME ? timeOf(load<u32>(key, K_COLUMN), slot) : load<f64>(buffer(B_SCORES) + (<usize>slot << 3)), 8);
    return;
  }
  const number = load<u32>(key, K_COLUMN);
  const column = columnAt(number);
  const value = extremeOf(entryOf(key, column, slot), ranksOf(orderAt(column, load<u32>(key, K_ORDER))),
    (load<u32>(key, K_FLAGS) & DESCENDING) !== 0);
  if (value === 0) return;
  const record = recordAt(column, value);
  store<u32>(entry, load<u32>(record, R_TEXT));
  store<u32>(entry, number === IDENTITY ? partLength(record) : lengthOf(record), 4);
}
