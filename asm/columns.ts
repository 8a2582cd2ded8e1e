// The metadata, times and names of a collection's documents in columns, with compressed bitmaps of their values.
// Filters, facets, histograms and sorts use them. One memory holds one collection; `columns/layout.ts` and the top of
// each part draw the layout of its bytes.

import { setBit } from './columns/bits.ts';
import { C_DOCS, C_SWEEP, C_UNUSED, C_VALUES, columnAt, findValue, FLAG, IDENTITY, KEYS, LANG, openColumn, R_LENGTH,
  R_MOMENT, R_SET, recordAt, sweep } from './columns/dictionary.ts';
import { H_BUFFERS, H_COLUMN_COUNT, H_FROZEN, H_LAYOUT, H_MAGIC, H_RUNS, H_TOP, HEAP, LAYOUT, MAGIC,
  PART_SCRATCH } from './columns/layout.ts';
import { level, levelBytes } from './columns/levels.ts';
import { release } from './columns/memory.ts';
import { advanceOrder, BY_MOMENT, BY_PART, BY_TEXT, closeOrders, isReady, orderAt, placeInOrder,
  sortedCount } from './columns/orders.ts';
import { B_FACTORS, B_INPUT, buffer, BUFFERS, reserve } from './columns/scratch.ts';
import { containersOf } from './columns/sets.ts';
import { dropSlices } from './columns/slices.ts';
import { ordOf } from './columns/slots.ts';
import { EXPIRES_AT, TIME_SHIFT, TIME_SLOTS, timePage } from './columns/times.ts';

// (The compiler finds re-exported files only without their extension.)
export { countDays } from './columns/days';
export { openColumn } from './columns/dictionary';
export { hasDocument, putDocument, removeDocument } from './columns/documents';
export { countValues, hashesOf, selectValues } from './columns/facets';
export { judgeNumbers, judgePrefix, judgeRange, openVerdicts, passInterval, passValue, uniteExisting, uniteKey,
  unitePassing, uniteTimes, uniteValue, valueEnd } from './columns/judging';
export { clearLevel, countLevel, exportLevel, fillLevel, importLevel, intersectLevels, invertLevel, subtractLevels,
  uniteLevels } from './columns/levels';
export { buffer, reserve } from './columns/scratch';
export { markNone, markNumber, markPlace } from './columns/sort-keys';
export { describeSorted, sortDocuments, takeScores } from './columns/sorting';

/** Makes empty columns in a memory that is all zero. */
export function initialize(): void {
  assert(__heap_base <= 0x8000, 'static data reaches into the header');
  store<u32>(H_MAGIC, MAGIC);
  store<u32>(H_LAYOUT, LAYOUT);
  store<u32>(H_TOP, <u32>HEAP);
  openColumn();
  openColumn();
  assert(IDENTITY === 0 && LANG === 1 && load<u32>(H_COLUMN_COUNT) === KEYS, 'names come first');
}

/** Opens a memory that was restored and frees its buffers. Returns whether it has this layout. */
export function adopt(): bool {
  if (load<u32>(H_MAGIC) !== MAGIC || load<u32>(H_LAYOUT) !== LAYOUT) return false;
  for (let i: u32 = 0; i < BUFFERS; i++) {
    const entry = H_BUFFERS + (<usize>i << 3);
    release(load<u32>(entry), load<u32>(entry, 4), PART_SCRATCH);
    store<u64>(entry, 0);
  }
  store<u32>(H_RUNS, 0);
  dropSlices();
  store<u32>(H_FROZEN, 0);
  return true;
}

/** Address of the record of a value. */
export function recordOf(column: u32, value: u32): usize {
  return recordAt(columnAt(column), value);
}

/** Sets the number or date that a value's text means. */
export function setMoment(column: u32, value: u32, moment: f64, isNumber: bool): void {
  const record = recordAt(columnAt(column), value);
  store<f64>(record, moment, R_MOMENT);
  if (isNumber) store<u32>(record, load<u32>(record, R_LENGTH) | FLAG, R_LENGTH);
}

/** The number of the value with the text in B_INPUT, or 0. */
export function valueWith(column: u32, length: u32): u32 {
  return findValue(columnAt(column), buffer(B_INPUT), length);
}

/** Number of documents that have a value in a column. */
export function documentsIn(column: u32): u32 {
  return load<u32>(columnAt(column), C_DOCS);
}

/** Number of containers of a form in a value's bitmap; for tests. */
export function formsOf(column: u32, value: u32, form: u32): u32 {
  return containersOf(recordAt(columnAt(column), value) + R_SET, form);
}

// ---- Orders

function kindOf(column: u32, order: u32): u32 {
  if (column >= KEYS) return order === 0 ? BY_MOMENT : BY_TEXT;
  return order === 0 ? BY_TEXT : BY_PART;
}

/**
 * Continues to make an order of a column's values, for about `budget` comparisons. Returns whether there is more to do.
 */
export function makeOrder(column: u32, order: u32, budget: i32): bool {
  while (load<u32>(columnAt(column), C_SWEEP) !== 0) sweep(columnAt(column), 0x10000);
  return advanceOrder(columnAt(column), order, kindOf(column, order), budget);
}

/** Number of values in an order. */
export function sortedEnd(column: u32, order: u32): u32 {
  return sortedCount(orderAt(columnAt(column), order));
}

export function isOrderReady(column: u32, order: u32): bool {
  return isReady(orderAt(columnAt(column), order));
}

/** See `placeInOrder`; the text is in B_INPUT. */
export function placeOf(column: u32, order: u32, moment: f64, length: u32, including: bool): u32 {
  return placeInOrder(columnAt(column), order, kindOf(column, order), moment, buffer(B_INPUT), length, including);
}

// ---- Expiry

/**
 * Adds the documents that have expired at a time to a level. Returns the first later time at which one expires, or
 * infinity.
 */
export function uniteExpired(to: u32, now: f64): f64 {
  const bits = level(to);
  const bytes = levelBytes();
  let next: f64 = Infinity;
  for (let page: u32 = 0; page << (TIME_SHIFT - 3) < bytes; page++) {
    const times = timePage(EXPIRES_AT, page);
    if (times === 0) continue;
    for (let i: u32 = 0; i < TIME_SLOTS; i++) {
      const time = load<f64>(times + (<usize>i << 3));
      if (time > now) next = min(next, time);
      else if (time <= now) setBit(bits, (page << TIME_SHIFT) + i);
    }
  }
  return next;
}

// ---- Factors

/** Fills B_FACTORS with factors of 1, f64 by ordinal, up to the last document of a level. Returns their number. */
export function openFactors(number: u32): u32 {
  const bits = level(number);
  const bytes = levelBytes();
  let end: u32 = 0;
  for (let i: u32 = 0; i < bytes; i++) {
    const byte = <u32>load<u8>(bits + i);
    if (byte !== 0) end = max(end, ordOf((i << 3) + 31 - clz(byte)) + 1);
  }
  const factors = reserve(B_FACTORS, (end << 3) + 8);
  for (let i: u32 = 0; i < end; i++) store<f64>(factors + (<usize>i << 3), 1);
  return end;
}

/** Multiplies the factors of a level's documents. */
export function multiplyFactors(number: u32, factor: f64): void {
  const factors = buffer(B_FACTORS);
  const bits = level(number);
  const bytes = levelBytes();
  for (let i: u32 = 0; i < bytes; i += 8) {
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
      const place = factors + (<usize>ordOf((i << 3) + <u32>ctz(word)) << 3);
      store<f64>(place, load<f64>(place) * factor);
    }
  }
}

// ---- Upkeep

/**
 * Cleans up a little after changes: frees values without documents, if they are many. Returns whether there is more.
 */
export function tidySome(budget: u32): bool {
  const columns = load<u32>(H_COLUMN_COUNT);
  for (let number: u32 = 0; number < columns; number++) {
    const column = columnAt(number);
    const unused = load<u32>(column, C_UNUSED);
    if (load<u32>(column, C_SWEEP) === 0 && (unused < 64 || unused < load<u32>(column, C_VALUES) >> 2)) continue;
    closeOrders(column);
    sweep(column, budget);
    return true;
  }
  return false;
}
