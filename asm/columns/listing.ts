// Lists the documents that a page of results may have in B_SLOTS, before they are sorted: all documents of a set, or
// those of the first values in the order, or the best by a number.

import { C_DOCS, C_PAIRS, C_SPELLED, columnAt, KEYS, R_SET, recordAt } from './dictionary.ts';
import { countEach } from './facets.ts';
import { pageEnd } from './forward.ts';
import { level, levelBytes } from './levels.ts';
import { BY_TEXT, equalsFormer, isReady, orderAt, placeInOrder, sortedAt, sortedCount } from './orders.ts';
import { sortByKey } from './quicksort.ts';
import { B_HISTOGRAM, B_LEVELS, B_SCORES, B_SLOTS, buffer, BUFFERS } from './scratch.ts';
import { takeSet } from './sets.ts';
import { BY_ORDER, BY_TIE, BY_TIME, DESCENDING, isBehind, K_COLUMN, K_FLAGS, K_LENGTH, K_MARK, K_ORDER, K_TEXT, keyAt,
  LAST, RANK_END, slotAt, sortable, sortKeyAt, SPELLED } from './sort-keys.ts';
import { bitsOfPage, hasNotes, N_FIRST, N_LAST, noteOf, noteTimes, PAGE_BYTES } from './time-notes.ts';
import { TIME_SHIFT, TIME_SLOTS, timePage } from './times.ts';

/**
 * Most values that are walked through before all documents are read instead, unless values are fewer than 1 per
 * `SCANNED` documents.
 */
export const MAX_WALK: u32 = 4096;
const SCANNED: u32 = 32;
export const NOT_WALKED: u32 = 0xffffffff;
/** Taking a document that is before the page takes as long as counting this many (measured; see `skipValues`). */
const COUNTED_PER_TAKEN: u64 = 5;
/** Values are skipped if they are at most 1 per this number of documents. */
const SKIPPED: u32 = 4;
/** Documents for which no value was found yet. */
const REST_LEVEL: u32 = BUFFERS - B_LEVELS - 3;
/** Documents that are kept in addition to the wanted ones when documents are listed by a number. */
const SPARE: u32 = 512;

/** Whether a key consists of values by which documents are ranked. */
export function isOfValues(key: usize): bool {
  const kind = load<u32>(key);
  if (kind !== BY_ORDER && kind !== BY_TIE) return false;
  const column = columnAt(load<u32>(key, K_COLUMN));
  if ((load<u32>(key, K_FLAGS) & SPELLED) !== 0 && pageEnd(column + C_SPELLED) > 0) return false;
  return isReady(orderAt(column, load<u32>(key, K_ORDER)));
}

/**
 * Lists the documents of a bitmap that are from one place to another behind the mark, value by value in the order of
 * the first key: all documents of a value or none. The first word of B_HISTOGRAM is the number of documents before
 * those. Returns NOT_WALKED if that takes longer than reading all documents, because there are many values on the way.
 */
export function walkValues(bits: usize, keys: u32, from: u32, to: u32, marked: bool, documents: u32): u32 {
  const key = keyAt(0);
  const column = columnAt(load<u32>(key, K_COLUMN));
  const order = orderAt(column, load<u32>(key, K_ORDER));
  const values = sortedCount(order);
  const skips = !marked && <u64>from * COUNTED_PER_TAKEN > <u64>documents &&
    values <= load<u32>(column, C_DOCS) / SKIPPED && hasOneValueEach(key, column);
  if (!skips && values > load<u32>(column, C_DOCS) / SCANNED &&
    (to > MAX_WALK || <u64>to * values / documents > <u64>MAX_WALK)) return NOT_WALKED;
  const bytes = levelBytes();
  const rest = level(REST_LEVEL);
  memory.copy(rest, bits, bytes);
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  const slots = buffer(B_SLOTS);
  let at = marked ? placeOfMark(key, column, order, descending) : descending ? <i32>values - 1 : 0;
  let below: u32 = 0;
  if (skips) {
    at = skipValues(bits, key, order, from, descending);
    below = load<u32>(buffer(B_HISTOGRAM));
  }
  let end = slots;
  let most = max(MAX_WALK, load<u32>(column, C_DOCS) / SCANNED);
  for (; at >= 0 && at < <i32>values; at += descending ? -1 : 1) {
    if (most-- === 0) return NOT_WALKED;
    const first = end;
    end = takeSet(recordAt(column, sortedAt(order, at)) + R_SET, rest, bytes, end);
    if (marked) end = dropMarked(first, end, keys);
    // Equal values are taken together: of two neighbours, the later one is marked as equal to the former.
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

/** Whether no document has several values of a metadata key. */
function hasOneValueEach(key: usize, column: usize): bool {
  return load<u32>(key, K_COLUMN) >= KEYS && load<u32>(column, C_PAIRS) === load<u32>(column, C_DOCS);
}

/**
 * Finds the value of the document at a place, by counting the documents of all values in one pass; no document may have
 * several. Returns the value's place in the order, of equal values that of the first; the first word of B_HISTOGRAM is
 * the number of documents before it.
 */
function skipValues(bits: usize, key: usize, order: usize, from: u32, descending: bool): i32 {
  const counts = countEach(load<u32>(key, K_COLUMN), bits);
  const values = <i32>sortedCount(order);
  const step = descending ? -1 : 1;
  let first = descending ? values - 1 : 0;
  let below: u32 = 0;
  let within: u32 = 0;
  for (let at = first; at >= 0 && at < values; at += step) {
    within += load<u32>(counts + (<usize>sortedAt(order, at) << 2));
    if (below + within > from) break;
    if (descending ? equalsFormer(order, at) : at + 1 < values && equalsFormer(order, at + 1)) continue;
    below += within;
    within = 0;
    first = at + step;
  }
  store<u32>(buffer(B_HISTOGRAM), below);
  return first;
}

/** The place of the first value whose documents may be behind the mark. */
function placeOfMark(key: usize, column: usize, order: usize, descending: bool): i32 {
  if (load<u32>(key) === BY_TIE)
    return <i32>placeInOrder(column, 0, BY_TEXT, NaN, load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH), true);
  const mark = load<u64>(key, K_MARK);
  if (mark === LAST) return -1;
  const doubled = descending ? RANK_END - mark : mark;
  let place = <i32>(doubled >> 1);
  if (!descending) return place;
  if ((doubled & 1) === 0) return place - 1;
  while (place + 1 < <i32>sortedCount(order) && equalsFormer(order, place + 1)) place++;
  return place;
}

/**
 * A key that at least `wanted` documents of a bitmap behind the mark do not exceed, if the first key is a time: as many
 * are in pages whose last time, in the order, it is. LAST if nothing is known.
 */
export function boundOf(bits: usize, wanted: u32, marked: bool): u64 {
  const key = keyAt(0);
  const field = load<u32>(key, K_COLUMN);
  if (!isNotedTime(key)) return LAST;
  const mark = marked ? load<u64>(key, K_MARK) : 0;
  const pages = noteTimes(field);
  let count: u32 = 0;
  for (let page: u32 = 0; page < pages; page++) {
    if (marked && firstKey(key, page) <= mark) continue;
    store<u64>(sortKeyAt(count), lastKey(key, page));
    store<u32>(slotAt(count++), page);
  }
  sortByKey(0, count);
  let found: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    found += bitsOfPage(bits, load<u32>(slotAt(i)));
    if (found >= wanted) return load<u64>(sortKeyAt(i));
  }
  return LAST;
}

function isNotedTime(key: usize): bool {
  return load<u32>(key) === BY_TIME && hasNotes(load<u32>(key, K_COLUMN));
}

/** The first key of a page's documents in the order; LAST if it has none. */
function firstKey(key: usize, page: u32): u64 {
  const note = noteOf(load<u32>(key, K_COLUMN), page);
  if (note === 0) return LAST;
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  return sortable(load<f64>(note + (descending ? N_LAST : N_FIRST)), descending);
}

/** The last one. */
function lastKey(key: usize, page: u32): u64 {
  const note = noteOf(load<u32>(key, K_COLUMN), page);
  if (note === 0) return LAST;
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  return sortable(load<f64>(note + (descending ? N_FIRST : N_LAST)), descending);
}

/**
 * Lists the documents of a bitmap that come first by a number, and some more; none is behind `bound`. Returns
 * NOT_WALKED if too many have the same number.
 */
export function walkNumbers(bits: usize, keys: u32, wanted: u32, marked: bool, bound: u64): u32 {
  const key = keyAt(0);
  const most = wanted * 4 + SPARE;
  const bytes = levelBytes();
  const isTime = load<u32>(key) === BY_TIME;
  const isNoted = isNotedTime(key);
  const descending = (load<u32>(key, K_FLAGS) & DESCENDING) !== 0;
  const pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  let count: u32 = 0;
  for (let n: u32 = 0; n < pages; n++) {
    // Later slots mostly have later times, so that the bound is soon near the end.
    const page = isNoted && descending ? pages - 1 - n : n;
    if (isNoted && firstKey(key, page) > bound) continue;
    const times = isTime ? timePage(load<u32>(key, K_COLUMN), page) : 0;
    const numbers = isTime ? times : buffer(B_SCORES) + (<usize>page << (TIME_SHIFT + 3));
    for (let i = page * PAGE_BYTES; i < min(bytes, (page + 1) * PAGE_BYTES); i += 8) {
      for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
        const slot = (i << 3) + <u32>ctz(word);
        const own = isTime && times === 0
          ? LAST
          : sortable(load<f64>(numbers + (<usize>(slot & (TIME_SLOTS - 1)) << 3)), descending);
        if (own > bound || (marked && !isBehind(slot, keys))) continue;
        if (count === most) {
          count = keepBest(count, wanted);
          if (count > most >> 1) return NOT_WALKED;
          bound = load<u64>(sortKeyAt(wanted - 1));
          if (own > bound) continue;
        }
        store<u64>(sortKeyAt(count), own);
        store<u32>(slotAt(count++), slot);
      }
    }
  }
  return count;
}

/**
 * Sorts listed documents and drops those behind the wanted ones, except those equal to the last of these. Returns how
 * many remain.
 */
function keepBest(count: u32, wanted: u32): u32 {
  sortByKey(0, count);
  let kept = wanted;
  while (kept < count && load<u64>(sortKeyAt(kept)) === load<u64>(sortKeyAt(wanted - 1))) kept++;
  return kept;
}

/** Keeps the listed documents that are behind the mark. Returns the end of the list. */
function dropMarked(from: usize, end: usize, keys: u32): usize {
  let to = from;
  for (let at = from; at < end; at += 4) {
    const slot = load<u32>(at);
    store<u32>(to, slot);
    to += <usize>isBehind(slot, keys) << 2;
  }
  return to;
}

/**
 * Lists the documents of a bitmap, behind the mark if there is one; those of pages of times that are behind `bound` may
 * be left out.
 */
export function listSlots(bits: usize, keys: u32, marked: bool, bound: u64): u32 {
  const bytes = levelBytes();
  const slots = buffer(B_SLOTS);
  const key = keyAt(0);
  let count: u32 = 0;
  for (let i: u32 = 0; i < bytes; i += 8) {
    if (bound !== LAST && i % PAGE_BYTES === 0 && firstKey(key, i / PAGE_BYTES) > bound) {
      i += PAGE_BYTES - 8;
      continue;
    }
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
      const slot = (i << 3) + <u32>ctz(word);
      if (marked && !isBehind(slot, keys)) continue;
      store<u32>(slots + (<usize>(count++) << 2), slot);
    }
  }
  return count;
}
