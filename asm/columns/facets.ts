// Counts of documents by value, over a level or over all documents.

import { compareBytes } from '../inverted/bytes.ts';
import { hasBit } from './bits.ts';
import { C_DOCS, C_NEXT, C_PAGES, C_PAIRS, C_SPELLED, C_VALUES, columnAt, KEYS, lengthOf, R_HASH, R_SET, R_TEXT,
  recordAt } from './dictionary.ts';
import { isArray, listOf, PAGE_SHIFT, pageAt, pageEnd, SEVERAL, slotsOf, valueOf, valuesIn } from './forward.ts';
import { H_DOCS } from './layout.ts';
import { level, levelBytes } from './levels.ts';
import { B_COUNTS, B_OUTPUT, B_TOUCHED, buffer, reserve } from './scratch.ts';
import { countSet } from './sets.ts';
import { countSlices, slicesOf } from './slices.ts';
import { live } from './slots.ts';

/** Means all documents if it is passed instead of a level. */
export const ALL: u32 = 0xffffffff;
/**
 * Up to this number of values, or of the documents that are counted, values that have documents are listed after
 * counting, not meanwhile.
 */
const MAX_LISTED: u32 = 4096;
/** Documents per value, on average, from which on sets may be read. */
const FEW_DOCUMENTS: u32 = 32;
/**
 * Costs of reading a document of the level, in slots of sets that are arrays: with few values, with many, and with
 * several per document (measured).
 */
const LISTED_COST: f32 = 1.2;
const SINGLE_COST: f32 = 4;
const SEVERAL_COST: f32 = 16;
/**
 * The same for each eight bytes of the level that have documents, whose number is hard to predict; with few values
 * (measured).
 */
const LISTED_WORD_COST: f32 = 11;
/** Sets with more than one slot in this many are bitmaps; and the cost of eight bytes of them (measured). */
const BITMAP_SLOTS: u32 = 32;
const BITMAP_WORD_COST: f32 = 0.53;
/** The cost of a container of a set that has few slots in each (measured). */
const CONTAINER_COST: f32 = 30;
/** A container has this many bytes of a bitmap, as a power of two. */
const CONTAINER_SHIFT: u32 = 13;

/** The bitmap of a level, or of all documents. */
export function bitsOf(number: u32): usize {
  return number === ALL ? live() : level(number);
}

/**
 * Counts the documents of each value in a level, which has `documents`, in B_COUNTS: a u32 for each value. Returns the
 * number of values that have any; they are in B_TOUCHED.
 */
export function countValues(number: u32, from: u32, documents: u32): u32 {
  const column = columnAt(number);
  const next = load<u32>(column, C_NEXT);
  const counts = reserve(B_COUNTS, next << 2);
  reserve(B_TOUCHED, next << 2);
  if (from === ALL && number >= KEYS) return countAll(column, counts);
  const bits = bitsOf(from);
  const bytes = levelBytes();
  if (pageEnd(column + C_SPELLED) === 0 && isSoonerBySets(column, bytes, documents)) {
    const slices = slicesOf(number, column);
    return slices !== 0
      ? countSlices(column, slices, counts, bits, bytes)
      : countSets(column, counts, bits, bytes, documents);
  }
  memory.fill(counts, 0, <usize>next << 2);
  if (isListed(next, documents)) {
    countPages(number, column, counts, bits, bytes);
    return listCounted(counts, next);
  }
  let touched: u32 = 0;
  for (let page: u32 = 0; page < pageEnd(column + C_PAGES); page++) {
    const first = page << (PAGE_SHIFT - 3);
    if (load<u32>(pageAt(column + C_PAGES, page)) === 0 || first >= bytes) continue;
    if (number < KEYS && hasPage(column + C_SPELLED, page))
      touched = countNames(column, page << PAGE_SHIFT, bits, min(bytes - first, 512), counts, touched);
    else if (isArray(pageAt(column + C_PAGES, page)))
      touched = countArray(load<u32>(pageAt(column + C_PAGES, page)), bits + first, min(bytes - first, 512), counts,
        touched);
    else touched = countList(pageAt(column + C_PAGES, page), bits + first, counts, touched);
  }
  return touched;
}

/**
 * Writes to B_COUNTS how many documents of a bitmap each value of a metadata key has; returns its address. Documents
 * without any count for the value 0.
 */
export function countEach(number: u32, bits: usize): usize {
  const column = columnAt(number);
  const bytes = load<u32>(column, C_NEXT) << 2;
  const counts = reserve(B_COUNTS, bytes);
  reserve(B_TOUCHED, bytes);
  memory.fill(counts, 0, bytes);
  countPages(number, column, counts, bits, levelBytes());
  return counts;
}

/** Counts the documents of each value of a column with few values. */
function countPages(number: u32, column: usize, counts: usize, bits: usize, bytes: u32): void {
  for (let page: u32 = 0; page < pageEnd(column + C_PAGES); page++) {
    const first = page << (PAGE_SHIFT - 3);
    const entry = pageAt(column + C_PAGES, page);
    if (load<u32>(entry) === 0 || first >= bytes) continue;
    if (number < KEYS && hasPage(column + C_SPELLED, page))
      countNames(column, page << PAGE_SHIFT, bits, min(bytes - first, 512), counts, 0);
    else if (isArray(entry)) countDense(load<u32>(entry), bits + first, min(bytes - first, 512), counts);
    else countList(entry, bits + first, counts, 0);
  }
}

/**
 * The same for an array of values, without noting which values it has; documents without a value count for the value 0.
 */
function countDense(values: usize, bits: usize, bytes: u32, counts: usize): void {
  for (let i: u32 = 0; i < bytes; i += 8) {
    const some = values + (<usize>i << 5);
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
      const value = load<u32>(some + (<usize>ctz(word) << 2));
      if ((value & SEVERAL) !== 0) {
        countEntry(value, counts, 0);
        continue;
      }
      const place = counts + (<usize>value << 2);
      store<u32>(place, load<u32>(place) + 1);
    }
  }
}

/** Writes the values that have documents to B_TOUCHED; returns their number. */
function listCounted(counts: usize, next: u32): u32 {
  const list = buffer(B_TOUCHED);
  let touched: u32 = 0;
  for (let value: u32 = 1; value < next; value++) {
    if (load<u32>(counts + (<usize>value << 2)) === 0) continue;
    store<u32>(list + (<usize>(touched++) << 2), value);
  }
  return touched;
}

function countAll(column: usize, counts: usize): u32 {
  const next = load<u32>(column, C_NEXT);
  const list = buffer(B_TOUCHED);
  let touched: u32 = 0;
  for (let value: u32 = 1; value < next; value++) {
    const count = load<u32>(recordAt(column, value), R_SET);
    store<u32>(counts + (<usize>value << 2), count);
    if (count === 0) continue;
    store<u32>(list + (<usize>(touched++) << 2), value);
  }
  return touched;
}

/**
 * Whether reading the sets of all values is faster than reading the documents: sets are read in order, lists of several
 * values are not.
 */
function isSoonerBySets(column: usize, bytes: u32, documents: u32): bool {
  const pairs = load<u32>(column, C_PAIRS);
  const values = load<u32>(column, C_VALUES);
  if (values > load<u32>(column, C_DOCS) / FEW_DOCUMENTS) return false;
  const isSeveral = pairs > load<u32>(column, C_DOCS);
  const words = bytes >> 3;
  const areBitmaps = <u64>pairs * BITMAP_SLOTS > <u64>values * (<u64>bytes << 3);
  const bySets = areBitmaps
    ? <f32>(hasEachOne(column) ? values - 1 : values) * <f32>words * BITMAP_WORD_COST
    : <f32>pairs + <f32>values * containersEach(pairs / max(values, 1), bytes) * CONTAINER_COST;
  if (isSeveral) return bySets < <f32>documents * SEVERAL_COST;
  if (!isListed(load<u32>(column, C_NEXT), documents)) return bySets < <f32>documents * SINGLE_COST;
  return bySets < <f32>documents * LISTED_COST + <f32>min(documents, words) * LISTED_WORD_COST;
}

function isListed(next: u32, documents: u32): bool {
  return next <= max(MAX_LISTED, documents);
}

/** Containers of the set of a value with `slots` slots, if these are anywhere. */
function containersEach(slots: u32, bytes: u32): f32 {
  return <f32>min(slots, (bytes >> CONTAINER_SHIFT) + 1);
}

/** Whether each document has exactly one value. */
function hasEachOne(column: usize): bool {
  return load<u32>(column, C_DOCS) === load<u32>(H_DOCS) && load<u32>(column, C_PAIRS) === load<u32>(H_DOCS);
}

/** If each document has one value, the last value with documents has those that are left. */
function countSets(column: usize, counts: usize, bits: usize, bytes: u32, documents: u32): u32 {
  const next = load<u32>(column, C_NEXT);
  const last = hasEachOne(column) ? lastUsed(column) : 0;
  const list = buffer(B_TOUCHED);
  let touched: u32 = 0;
  let left = documents;
  for (let value: u32 = 1; value < next; value++) {
    const count = value === last ? left : countSet(recordAt(column, value) + R_SET, bits, bytes);
    store<u32>(counts + (<usize>value << 2), count);
    if (count === 0) continue;
    left -= count;
    store<u32>(list + (<usize>(touched++) << 2), value);
  }
  return touched;
}

function lastUsed(column: usize): u32 {
  let value = load<u32>(column, C_NEXT) - 1;
  while (value > 0 && load<u32>(recordAt(column, value), R_SET) === 0) value--;
  return value;
}

function countArray(values: usize, bits: usize, bytes: u32, counts: usize, touched: u32): u32 {
  for (let i: u32 = 0; i < bytes; i += 8) {
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
      const value = load<u32>(values + (<usize>((i << 3) + <u32>ctz(word)) << 2));
      if (value !== 0) touched = countEntry(value, counts, touched);
    }
  }
  return touched;
}

function countList(entry: usize, bits: usize, counts: usize, touched: u32): u32 {
  const values = <usize>load<u32>(entry);
  const slots = slotsOf(entry);
  const count = valuesIn(entry);
  for (let i: u32 = 0; i < count; i++) {
    const slot = <u32>load<u16>(slots + (<usize>i << 1));
    if (hasBit(bits, slot)) touched = countEntry(load<u32>(values + (<usize>i << 2)), counts, touched);
  }
  return touched;
}

function hasPage(pages: usize, page: u32): bool {
  return page < pageEnd(pages) && load<u32>(pageAt(pages, page)) !== 0;
}

/** Names are counted by their spelling. */
function countNames(column: usize, base: u32, bits: usize, bytes: u32, counts: usize, touched: u32): u32 {
  for (let i: u32 = 0; i < bytes; i += 8) {
    for (let word = load<u64>(bits + (base >> 3) + i); word !== 0; word &= word - 1) {
      const slot = base + (i << 3) + <u32>ctz(word);
      const spelled = valueOf(column + C_SPELLED, slot);
      touched = countEntry(spelled !== 0 ? spelled : valueOf(column + C_PAGES, slot), counts, touched);
    }
  }
  return touched;
}

function countEntry(value: u32, counts: usize, touched: u32): u32 {
  if ((value & SEVERAL) === 0) return countOne(value, counts, touched);
  const list = listOf(value);
  const count = load<u32>(list);
  for (let i: u32 = 1; i <= count; i++) touched = countOne(load<u32>(list + (<usize>i << 2)), counts, touched);
  return touched;
}

function countOne(value: u32, counts: usize, touched: u32): u32 {
  const place = counts + (<usize>value << 2);
  const count = load<u32>(place);
  store<u32>(place, count + 1);
  if (count !== 0) return touched;
  store<u32>(buffer(B_TOUCHED) + (<usize>touched << 2), value);
  return touched + 1;
}

/** Writes the hashes of the first `touched` values in B_TOUCHED to B_OUTPUT, a u32 each. */
export function hashesOf(number: u32, touched: u32): void {
  const column = columnAt(number);
  const list = buffer(B_TOUCHED);
  const output = reserve(B_OUTPUT, touched << 2);
  for (let i: usize = 0; i < <usize>touched << 2; i += 4)
    store<u32>(output + i, load<u32>(recordAt(column, load<u32>(list + i)), R_HASH));
}

/**
 * Writes the best of the values that were counted to B_OUTPUT, in order: u32 value, u32 documents, u32 text, u32 length
 * each. The order is by text if `byValue`, otherwise by count, descending, then by text. A limit of 0 selects all.
 * Returns their number.
 */
export function selectValues(number: u32, touched: u32, byValue: bool, limit: u32): u32 {
  const column = columnAt(number);
  const list = buffer(B_TOUCHED);
  const size = limit === 0 ? touched : min(limit, touched);
  if (size === 0) return 0;
  for (let i = size >> 1; i > 0; i--) siftDown(column, list, i - 1, size, byValue);
  for (let i = size; i < touched; i++) {
    const value = load<u32>(list + (<usize>i << 2));
    if (!precedes(column, value, load<u32>(list), byValue)) continue;
    store<u32>(list, value);
    siftDown(column, list, 0, size, byValue);
  }
  for (let end = size - 1; end > 0; end--) {
    const worst = load<u32>(list);
    store<u32>(list, load<u32>(list + (<usize>end << 2)));
    store<u32>(list + (<usize>end << 2), worst);
    siftDown(column, list, 0, end, byValue);
  }
  const output = reserve(B_OUTPUT, size << 4);
  for (let i: u32 = 0; i < size; i++) {
    const value = load<u32>(list + (<usize>i << 2));
    const record = recordAt(column, value);
    const entry = output + (<usize>i << 4);
    store<u32>(entry, value);
    store<u32>(entry, load<u32>(buffer(B_COUNTS) + (<usize>value << 2)), 4);
    store<u32>(entry, load<u32>(record, R_TEXT), 8);
    store<u32>(entry, lengthOf(record), 12);
  }
  return size;
}

/** Restores the heap, whose root is the worst value. */
function siftDown(column: usize, list: usize, place: u32, size: u32, byValue: bool): void {
  const value = load<u32>(list + (<usize>place << 2));
  for (;;) {
    let child = place * 2 + 1;
    if (child >= size) break;
    if (child + 1 < size &&
      precedes(column, load<u32>(list + (<usize>child << 2)), load<u32>(list + (<usize>(child + 1) << 2)), byValue))
      child++;
    if (!precedes(column, value, load<u32>(list + (<usize>child << 2)), byValue)) break;
    store<u32>(list + (<usize>place << 2), load<u32>(list + (<usize>child << 2)));
    place = child;
  }
  store<u32>(list + (<usize>place << 2), value);
}

function precedes(column: usize, a: u32, b: u32, byValue: bool): bool {
  if (!byValue) {
    const counts = buffer(B_COUNTS);
    const ofA = load<u32>(counts + (<usize>a << 2));
    const ofB = load<u32>(counts + (<usize>b << 2));
    if (ofA !== ofB) return ofA > ofB;
  }
  const one = recordAt(column, a);
  const other = recordAt(column, b);
  return compareBytes(load<u32>(one, R_TEXT), lengthOf(one), load<u32>(other, R_TEXT), lengthOf(other)) < 0;
}
