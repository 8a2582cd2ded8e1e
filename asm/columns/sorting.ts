// The documents of a level in an order, from one place to another. Slots are listed, with a key of 64 bits for what they are
// sorted by first; a histogram of the keys tells between which of them the wanted places are, and only those are sorted. Documents
// of equal keys go the same way by what they are sorted by next. So a page is found in a time that hardly depends on where it
// is, without an array of documents for each order. The first pages are found sooner, value by value (`walkValues`).
//
//     B_TEXTS, for each key of the order: u32 kind   u32 column, or field of a time   u32 order of the column
//                                         u32 DESCENDING | SPELLED | bits below   u64 mark (see `behindMark`)   u32 text   u32 length
//
// The last key is the tie: key and language in lower case. B_SLOTS holds the documents, B_EQUAL the result.

import { compareBytes } from '../inverted/bytes.ts';
import { C_DOCS, C_PAGES, C_SPELLED, columnAt, IDENTITY, lengthOf, partLength, R_SET, R_TEXT, recordAt } from './dictionary.ts';
import { arrayOf, listOf, PAGE_SHIFT, PAGE_SLOTS, pageEnd, SEVERAL, valueOf } from './forward.ts';
import { ALL } from './facets.ts';
import { level, levelBytes } from './levels.ts';
import { BY_TEXT, equalsFormer, isReady, orderAt, placeInOrder, rankOf, ranksOf, sortedAt, sortedCount } from './orders.ts';
import { B_EQUAL, B_HISTOGRAM, B_KEYS, B_OUTPUT, B_SCORES, B_SLOTS, B_TEXTS, buffer, reserve } from './scratch.ts';
import { takeSet } from './sets.ts';
import { live, NO_SLOT, ordOf, slotEnd, slotOf } from './slots.ts';
import { TIME_SHIFT, TIME_SLOTS, timeOf, timePage } from './times.ts';

const KEY: u32 = 32;
const K_COLUMN: usize = 4;
const K_ORDER: usize = 8;
const K_FLAGS: usize = 12;
const K_MARK: usize = 16;
const K_TEXT: usize = 24;
const K_LENGTH: usize = 28;
const BY_ORDER: u32 = 0;
const BY_TIME: u32 = 1;
const BY_TIE: u32 = 3;
const DESCENDING: u32 = 1;
const SPELLED: u32 = 2;

/** Key of what has no value. */
const LAST: u64 = ~(<u64>0);
/** Ranks are below half of it, so that they can be turned round. */
const RANK_END: u64 = 1 << 34;
/** Buckets of a histogram, and documents that are sorted without one. */
const BUCKETS: u32 = 1024;
const FEW: u32 = 512;
/** Ties among so many documents are told by their texts, without an order of all names. */
const FEW_TIES: u32 = 64;
/** Values that are walked through at most, before all documents are, unless they are fewer than one for so many documents. */
const MAX_WALK: u32 = 4096;
const SCANNED: u32 = 32;
const NOT_WALKED: u32 = 0xffffffff;
/** Documents that no value was found for yet. */
const REST_LEVEL: u32 = 77;

/** Takes the scores of documents: `count` x u32 ordinal, and as many f64, both in order. */
export function takeScores(ords: usize, scores: usize, count: u32): void {
  const end = slotEnd();
  const to = reserve(B_SCORES, (end << 3) + 8);
  for (let i: u32 = 0; i < end; i++) store<f64>(to + (<usize>i << 3), NaN);
  for (let i: u32 = 0; i < count; i++) {
    const slot = slotOf(load<u32>(ords + (<usize>i << 2)));
    if (slot !== NO_SLOT) store<f64>(to + (<usize>slot << 3), load<f64>(scores + (<usize>i << 3)));
  }
}

/**
 * Sorts the documents of a level, or all. `keys` is how many the order has, the tie included; with `marked`, only documents
 * behind the mark count. The slots from place `from` to `to`, exclusive, are in B_EQUAL then; how many they are. Bit 31 is set where the
 * order of all names is needed and not ready. Up to `few` documents are all gone through.
 */
export function sortDocuments(number: u32, keys: u32, from: u32, to: u32, marked: bool, few: u32): u32 {
  const bits = number === ALL ? live() : level(number);
  let documents: u64 = 0;
  for (let i: u32 = 0; i < levelBytes(); i += 8) documents += popcnt(load<u64>(bits + i));
  to = min(to, <u32>documents);
  if (from >= to) return 0;
  reserve(B_SLOTS, (levelBytes() << 5) + 8);
  reserve(B_KEYS, (levelBytes() << 6) + 8);
  reserve(B_EQUAL, (to << 2) + 8);
  store<u32>(reserve(B_HISTOGRAM, BUCKETS << 2), 0);
  let count = NOT_WALKED;
  if (documents > <u64>few) count = isOfValues(keyAt(0)) ? walkValues(bits, keys, from, to, marked, <u32>documents) : to > MAX_WALK ? NOT_WALKED : walkNumbers(bits, keys, to, marked);
  const below = count === NOT_WALKED ? 0 : load<u32>(buffer(B_HISTOGRAM));
  if (count === NOT_WALKED) count = listSlots(bits, keys, marked);
  return from - below >= count ? 0 : arrange(0, keys, 0, count, from - below, min(to - below, count), 0);
}

/**
 * What the first `count` of the result are and what they are sorted by, into B_OUTPUT: u32 ordinal, u32 text of the tie, u32 its
 * length, u32 unused; then for each key but the tie: u32 text, 0 for none, u32 length, f64 number, NaN for none.
 */
export function describeSorted(count: u32, keys: u32): void {
  const size = 16 * keys;
  const output = reserve(B_OUTPUT, count * size);
  const identity = columnAt(IDENTITY);
  for (let i: u32 = 0; i < count; i++) {
    const slot = load<u32>(buffer(B_EQUAL) + (<usize>i << 2));
    const entry = output + i * size;
    const name = recordAt(identity, valueOf(identity + C_PAGES, slot));
    store<u32>(entry, ordOf(slot));
    store<u32>(entry, load<u32>(name, R_TEXT), 4);
    store<u32>(entry, lengthOf(name), 8);
    for (let j: u32 = 0; j + 1 < keys; j++) describe(keyAt(j), slot, entry + 16 + (<usize>j << 4));
  }
}

function describe(key: usize, slot: u32, entry: usize): void {
  store<u64>(entry, 0);
  store<f64>(entry, NaN, 8);
  const kind = load<u32>(key);
  if (kind !== BY_ORDER) {
    store<f64>(entry, kind === BY_TIME ? timeOf(load<u32>(key, K_COLUMN), slot) : load<f64>(buffer(B_SCORES) + (<usize>slot << 3)), 8);
    return;
  }
  const number = load<u32>(key, K_COLUMN);
  const column = columnAt(number);
  const value = extremeOf(entryOf(key, column, slot), ranksOf(orderAt(column, load<u32>(key, K_ORDER))), (load<u32>(key, K_FLAGS) & DESCENDING) !== 0);
  if (value === 0) return;
  const record = recordAt(column, value);
  store<u32>(entry, load<u32>(record, R_TEXT));
  store<u32>(entry, number === IDENTITY ? partLength(record) : lengthOf(record), 4);
}

function keyAt(index: u32): usize {
  return buffer(B_TEXTS) + index * KEY;
}

// ---- Listing

/** Whether a key is one of values that documents have as they are ranked. */
function isOfValues(key: usize): bool {
  const kind = load<u32>(key);
  if (kind !== BY_ORDER && kind !== BY_TIE) return false;
  const column = columnAt(load<u32>(key, K_COLUMN));
  if ((load<u32>(key, K_FLAGS) & SPELLED) !== 0 && pageEnd(column + C_SPELLED) > 0) return false;
  return isReady(orderAt(column, load<u32>(key, K_ORDER)));
}

/**
 * Lists the documents of a bitmap that are from one place to another behind the mark, value by value in the order of the first key: all
 * documents of a value or none. How many come before those is in the first word of B_HISTOGRAM. NOT_WALKED where that takes
 * longer than to go through all documents: where the values on the way are many.
 */
function walkValues(bits: usize, keys: u32, from: u32, to: u32, marked: bool, documents: u32): u32 {
  const key = keyAt(0);
  const column = columnAt(load<u32>(key, K_COLUMN));
  const order = orderAt(column, load<u32>(key, K_ORDER));
  const values = sortedCount(order);
  if (values > load<u32>(column, C_DOCS) / SCANNED && (to > MAX_WALK || <u64>to * values / documents > <u64>MAX_WALK)) return NOT_WALKED;
  const bytes = levelBytes();
  const rest = level(REST_LEVEL);
  memory.copy(rest, bits, bytes);
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  const slots = buffer(B_SLOTS);
  let at = marked ? placeOfMark(key, column, order, descending) : descending ? <i32>values - 1 : 0;
  let below: u32 = 0;
  let end = slots;
  let most = max(MAX_WALK, load<u32>(column, C_DOCS) / SCANNED);
  for (; at >= 0 && at < <i32>values; at += descending ? -1 : 1) {
    if (most-- === 0) return NOT_WALKED;
    const first = end;
    end = takeSet(recordAt(column, sortedAt(order, at)) + R_SET, rest, bytes, end);
    if (marked) end = dropMarked(first, end, keys);
    // Values that equal each other are taken together: of two neighbours, the later one says so.
    if (descending ? equalsFormer(order, at) : at + 1 < <i32>values && equalsFormer(order, at + 1)) continue;
    const listed = <u32>((end - slots) >> 2);
    if (below + listed >= to) {
      store<u32>(buffer(B_HISTOGRAM), below);
      return listed;
    }
    if (below + listed > from) continue;
    below += listed;
    end = slots;
  }
  return NOT_WALKED;
}

/** Lists the documents of a bitmap that come first by a number, and some more; NOT_WALKED where too many have the same. */
function walkNumbers(bits: usize, keys: u32, wanted: u32, marked: bool): u32 {
  const key = keyAt(0);
  const most = wanted * 4 + FEW;
  const bytes = levelBytes();
  const isTime = load<u32>(key) === BY_TIME;
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  let count: u32 = 0;
  let bound = LAST;
  for (let i: u32 = 0; i < bytes; i += 8) {
    const numbers = isTime ? timePage(load<u32>(key, K_COLUMN), i >> (TIME_SHIFT - 3)) + ((i << 6) & ((TIME_SLOTS << 3) - 1)) : buffer(B_SCORES) + (i << 6);
    const areNone = isTime && timePage(load<u32>(key, K_COLUMN), i >> (TIME_SHIFT - 3)) === 0;
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
      const bit = <u32>ctz(word);
      const own = areNone ? LAST : sortable(load<f64>(numbers + (<usize>bit << 3)), descending);
      if (own > bound || (marked && !isBehind((i << 3) + bit, keys))) continue;
      if (count === most) {
        count = keepBest(count, wanted);
        if (count > most >> 1) return NOT_WALKED;
        bound = load<u64>(sortKeyAt(wanted - 1));
        if (own > bound) continue;
      }
      store<u64>(sortKeyAt(count), own);
      store<u32>(slotAt(count++), (i << 3) + bit);
    }
  }
  return count;
}

/** Sorts listed documents and drops those behind the wanted ones that do not equal the last of them; how many are left. */
function keepBest(count: u32, wanted: u32): u32 {
  sortByKey(0, count);
  let kept = wanted;
  while (kept < count && load<u64>(sortKeyAt(kept)) === load<u64>(sortKeyAt(wanted - 1))) kept++;
  return kept;
}

/** The place of the first value from which documents may be behind the mark. */
function placeOfMark(key: usize, column: usize, order: usize, descending: bool): i32 {
  if (load<u32>(key) === BY_TIE) return <i32>placeInOrder(column, 0, BY_TEXT, NaN, load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH), true);
  const mark = load<u64>(key, K_MARK);
  if (mark === LAST) return -1;
  const doubled = descending ? RANK_END - mark : mark;
  let place = <i32>(doubled >> 1);
  if (!descending) return place;
  if ((doubled & 1) === 0) return place - 1;
  while (place + 1 < <i32>sortedCount(order) && equalsFormer(order, place + 1)) place++;
  return place;
}

/** Leaves those of listed documents that are behind the mark; the end of the list. */
function dropMarked(from: usize, end: usize, keys: u32): usize {
  let to = from;
  for (let at = from; at < end; at += 4) {
    const slot = load<u32>(at);
    store<u32>(to, slot);
    to += <usize>isBehind(slot, keys) << 2;
  }
  return to;
}

/** Lists the documents of a bitmap, behind the mark if there is one. */
function listSlots(bits: usize, keys: u32, marked: bool): u32 {
  const bytes = levelBytes();
  const slots = buffer(B_SLOTS);
  let count: u32 = 0;
  for (let i: u32 = 0; i < bytes; i += 8) {
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
      const slot = (i << 3) + <u32>ctz(word);
      if (marked && !isBehind(slot, keys)) continue;
      store<u32>(slots + (<usize>(count++) << 2), slot);
    }
  }
  return count;
}

function isBehind(slot: u32, keys: u32): bool {
  for (let i: u32 = 0; i < keys; i++) {
    const key = keyAt(i);
    if (load<u32>(key) === BY_TIE) {
      const name = nameOf(slot);
      return compareBytes(load<u32>(name, R_TEXT), lengthOf(name), load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH)) > 0;
    }
    const own = keyOf(key, slot);
    const mark = load<u64>(key, K_MARK);
    if (own !== mark) return own > mark;
  }
  return false;
}

/** Makes a mark of a place in an order, of a value that is there or between two, in a key that is described already. */
export function markPlace(index: u32, place: u32, isThere: bool): void {
  const key = keyAt(index);
  const doubled = (<u64>place << 1) | <u64>isThere;
  store<u64>(key, (load<u32>(key, K_FLAGS) & DESCENDING) !== 0 ? RANK_END - doubled : doubled, K_MARK);
}

export function markNumber(index: u32, number: f64): void {
  const key = keyAt(index);
  store<u64>(key, sortable(number, (load<u32>(key, K_FLAGS) & DESCENDING) !== 0), K_MARK);
}

/** A mark behind whatever has a value. */
export function markNone(index: u32): void {
  store<u64>(keyAt(index), LAST, K_MARK);
}

// ---- Keys

function nameOf(slot: u32): usize {
  const identity = columnAt(IDENTITY);
  return recordAt(identity, valueOf(identity + C_PAGES, slot));
}

function entryOf(key: usize, column: usize, slot: u32): u32 {
  const spelled = (load<u32>(key, K_FLAGS) & SPELLED) === 0 ? 0 : valueOf(column + C_SPELLED, slot);
  return spelled !== 0 ? spelled : valueOf(column + C_PAGES, slot);
}

/** Of several values the first in the order, or the last. */
function extremeOf(value: u32, ranks: usize, descending: bool): u32 {
  if ((value & SEVERAL) === 0) return value;
  const list = listOf(value);
  const count = load<u32>(list);
  let best = load<u32>(list, 4);
  for (let i: u32 = 2; i <= count; i++) {
    const other = load<u32>(list + (<usize>i << 2));
    if (descending ? rankOf(ranks, other) > rankOf(ranks, best) : rankOf(ranks, other) < rankOf(ranks, best)) best = other;
  }
  return best;
}

/** Odd, so that a mark between two ranks has its place. */
function rankKey(rank: u32, descending: bool): u64 {
  const doubled = (<u64>rank << 1) | 1;
  return descending ? RANK_END - doubled : doubled;
}

/** The bits of a number in its order; those of NaN are the last. */
function sortable(number: f64, descending: bool): u64 {
  if (number !== number) return LAST;
  const bits = reinterpret<u64>(number + 0.0);
  const ascending = (bits >> 63) !== 0 ? ~bits : bits | (<u64>1 << 63);
  return descending ? ~ascending : ascending;
}

function keyOf(key: usize, slot: u32): u64 {
  const kind = load<u32>(key);
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  if (kind === BY_TIME) return sortable(timeOf(load<u32>(key, K_COLUMN), slot), descending);
  if (kind !== BY_ORDER && kind !== BY_TIE) return sortable(load<f64>(buffer(B_SCORES) + (<usize>slot << 3)), descending);
  const column = columnAt(load<u32>(key, K_COLUMN));
  const ranks = ranksOf(orderAt(column, load<u32>(key, K_ORDER)));
  const value = extremeOf(entryOf(key, column, slot), ranks, descending);
  return value === 0 ? LAST : rankKey(rankOf(ranks, value), descending);
}

/** The keys of listed documents. */
function fillKeys(key: usize, first: u32, count: u32): void {
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
    let value = values !== 0 ? load<u32>(values + (<usize>(slot & (PAGE_SLOTS - 1)) << 2)) : valueOf(column + C_PAGES, slot);
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
    store<u64>(sortKeyAt(i), times === 0 ? LAST : sortable(load<f64>(times + (<usize>(slot & (TIME_SLOTS - 1)) << 3)), descending));
  }
}

// ---- Sorting

function slotAt(index: u32): usize {
  return buffer(B_SLOTS) + (<usize>index << 2);
}

function sortKeyAt(index: u32): usize {
  return buffer(B_KEYS) + (<usize>index << 3);
}

function emit(slot: u32, count: u32): u32 {
  store<u32>(buffer(B_EQUAL) + (<usize>count << 2), slot);
  return count + 1;
}

/** Puts those of `count` documents from `first` on into the result that are from place `from` to `to` of them. */
function arrange(index: u32, keys: u32, first: u32, count: u32, from: u32, to: u32, emitted: u32): u32 {
  const key = keyAt(index);
  if (load<u32>(key) === BY_TIE) {
    if (count <= FEW_TIES) {
      sortByName(first, count);
      for (let i = from; i < to; i++) emitted = emit(load<u32>(slotAt(first + i)), emitted);
      return emitted;
    }
    if (!isReady(orderAt(columnAt(IDENTITY), 0))) return emitted | 0x80000000;
  }
  fillKeys(key, first, count);
  while (count > FEW) {
    const below = narrow(first, count, from, to);
    const left = load<u32>(buffer(B_HISTOGRAM));
    from -= below;
    to -= below;
    const before = count;
    count = left;
    if (count > before - (before >> 2)) break;
  }
  if (!areEqual(first, count)) sortByKey(first, first + count);
  for (let i: u32 = 0; i < count && i < to;) {
    let end = i + 1;
    while (end < count && load<u64>(sortKeyAt(first + end)) === load<u64>(sortKeyAt(first + i))) end++;
    if (end > from) {
      const start = max(from, i);
      const stop = min(to, end);
      if (end === i + 1 || index + 1 === keys) for (let j = start; j < stop; j++) emitted = emit(load<u32>(slotAt(first + j)), emitted);
      else emitted = arrange(index + 1, keys, first + i, end - i, start - i, stop - i, emitted);
      if ((emitted & 0x80000000) !== 0) return emitted;
    }
    i = end;
  }
  return emitted;
}

function areEqual(first: u32, count: u32): bool {
  for (let i: u32 = 1; i < count; i++) if (load<u64>(sortKeyAt(first + i)) !== load<u64>(sortKeyAt(first))) return false;
  return true;
}

/**
 * Drops documents that are surely before place `from` or from place `to` on. How many were dropped before; how many are left is in the
 * first word of B_HISTOGRAM.
 */
function narrow(first: u32, count: u32, from: u32, to: u32): u32 {
  const histogram = buffer(B_HISTOGRAM);
  const keys = sortKeyAt(first);
  let least = LAST;
  let greatest: u64 = 0;
  let missing: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + (<usize>i << 3));
    missing += <u32>(key === LAST);
    least = min(least, key);
    greatest = max(greatest, key === LAST ? 0 : key);
  }
  const shift = missing === count || greatest === least ? 0 : max(0, <i32>(54 - clz(greatest - least)));
  memory.fill(histogram, 0, BUCKETS << 2);
  for (let i: u32 = 0; i < count; i++) {
    const place = histogram + (<usize>bucketOf(load<u64>(keys + (<usize>i << 3)), least, shift) << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
  let low: u32 = 0;
  let below: u32 = 0;
  while (below + load<u32>(histogram + (<usize>low << 2)) <= from) below += load<u32>(histogram + (<usize>(low++) << 2));
  let high = low;
  for (let within = below + load<u32>(histogram + (<usize>low << 2)); within < to;) within += load<u32>(histogram + (<usize>++high << 2));
  let left: u32 = 0;
  const slots = slotAt(first);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + (<usize>i << 3));
    const bucket = bucketOf(key, least, shift);
    store<u64>(keys + (<usize>left << 3), key);
    store<u32>(slots + (<usize>left << 2), load<u32>(slots + (<usize>i << 2)));
    left += <u32>(bucket >= low && bucket <= high);
  }
  store<u32>(histogram, left);
  return below;
}

/** What has no value has the last bucket for itself. */
function bucketOf(key: u64, least: u64, shift: i32): u32 {
  return key === LAST ? BUCKETS - 1 : min(BUCKETS - 2, <u32>((key - least) >> shift));
}

/** By their names, one after the other. */
function sortByName(first: u32, count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const slot = load<u32>(slotAt(first + i));
    const name = nameOf(slot);
    let at = i;
    for (; at > 0; at--) {
      const other = nameOf(load<u32>(slotAt(first + at - 1)));
      if (compareBytes(load<u32>(other, R_TEXT), lengthOf(other), load<u32>(name, R_TEXT), lengthOf(name)) <= 0) break;
      store<u32>(slotAt(first + at), load<u32>(slotAt(first + at - 1)));
    }
    store<u32>(slotAt(first + at), slot);
  }
}

/** Quicksort with three parts (Bentley and McIlroy, Engineering a Sort Function, 1993), so that equal keys are passed over. */
function sortByKey(from: u32, to: u32): void {
  while (to - from > 12) {
    const a = load<u64>(sortKeyAt(from));
    const b = load<u64>(sortKeyAt((from + to) >> 1));
    const c = load<u64>(sortKeyAt(to - 1));
    const pivot = max(min(a, b), min(max(a, b), c));
    let low = from;
    let high = to;
    for (let i = from; i < high;) {
      const key = load<u64>(sortKeyAt(i));
      if (key < pivot) swap(low++, i++);
      else if (key > pivot) swap(i, --high);
      else i++;
    }
    if (low - from < to - high) {
      sortByKey(from, low);
      from = high;
    } else {
      sortByKey(high, to);
      to = low;
    }
  }
  for (let i = from + 1; i < to; i++) {
    for (let j = i; j > from && load<u64>(sortKeyAt(j - 1)) > load<u64>(sortKeyAt(j)); j--) swap(j - 1, j);
  }
}

function swap(a: u32, b: u32): void {
  const key = load<u64>(sortKeyAt(a));
  store<u64>(sortKeyAt(a), load<u64>(sortKeyAt(b)));
  store<u64>(sortKeyAt(b), key);
  const slot = load<u32>(slotAt(a));
  store<u32>(slotAt(a), load<u32>(slotAt(b)));
  store<u32>(slotAt(b), slot);
}
