// Conditions on values. Each value of a column is judged once (B_VERDICTS has a bit for it). Then the documents of the
// values that pass are united if they are few; otherwise the column is read document by document.
// src/search/filter/test-condition.ts defines what conditions mean.
//
// bound, 24 bytes: u32 comparison u32 text u32 length u32 unused f64 the number or date that the text means, or NaN

import { compareBytes, equalBytes } from '../inverted/bytes.ts';
import { setBit } from './bits.ts';
import { C_DOCS, C_NEXT, C_PAGES, C_VALUES, columnAt, findValue, IDENTITY, isNumber, KEYS, LANG, lengthOf, partLength,
  R_MOMENT, R_SET, R_TEXT, recordAt } from './dictionary.ts';
import { isArray, listOf, PAGE_SHIFT, PAGE_SLOTS, pageAt, pageEnd, SEVERAL, slotsOf, valuesIn } from './forward.ts';
import { level, levelBytes } from './levels.ts';
import { orderAt, sortedAt } from './orders.ts';
import { B_INPUT, B_OUTPUT, B_VERDICTS, buffer, reserve } from './scratch.ts';
import { uniteSet } from './sets.ts';
import { live } from './slots.ts';
import { hasNotes, N_FIRST, N_LAST, noteOf, noteTimes, PAGE_BYTES } from './time-notes.ts';
import { timePage } from './times.ts';

const BOUND: u32 = 24;
export const GTE: u32 = 0;
export const LTE: u32 = 1;
export const GT: u32 = 2;
export const LT: u32 = 3;
/**
 * The column is read by document if passing values have more than 1 in `SCANNED` documents, or are more than 1 per
 * `SCANNED_VALUES` documents.
 */
const SCANNED: u32 = 8;
const SCANNED_VALUES: u32 = 32;
/** With at most this many values, each has a bitmap, and uniting these is faster than reading the documents. */
const FEW_VALUES: u32 = 64;

/** Clears the verdicts on the values of a column: none passes. */
export function openVerdicts(column: u32): void {
  const bytes = ((load<u32>(columnAt(column), C_NEXT) + 63) >> 6) << 3;
  memory.fill(reserve(B_VERDICTS, bytes), 0, bytes);
}

export function passValue(value: u32): void {
  setBit(buffer(B_VERDICTS), value);
}

/** Behind the last number of a value. */
export function valueEnd(column: u32): u32 {
  return load<u32>(columnAt(column), C_NEXT);
}

/** Passes values, from one to another, that are within all of the bounds in B_INPUT. */
export function judgeRange(number: u32, from: u32, to: u32, bounds: u32): void {
  const column = columnAt(number);
  const isIdentity = number === IDENTITY;
  for (let value = max(from, 1); value < to; value++) {
    const record = recordAt(column, value);
    if (load<u32>(record, R_SET) === 0) continue;
    const length = isIdentity ? partLength(record) : lengthOf(record);
    if (isWithin(load<f64>(record, R_MOMENT), load<u32>(record, R_TEXT), length, bounds)) passValue(value);
  }
}

/** Passes values whose text begins with the text in B_INPUT. */
export function judgePrefix(number: u32, from: u32, to: u32, length: u32): void {
  const column = columnAt(number);
  const prefix = buffer(B_INPUT);
  const isIdentity = number === IDENTITY;
  for (let value = max(from, 1); value < to; value++) {
    const record = recordAt(column, value);
    if (load<u32>(record, R_SET) === 0) continue;
    const own = isIdentity ? partLength(record) : lengthOf(record);
    if (own >= length && equalBytes(load<u32>(record, R_TEXT), prefix, length)) passValue(value);
  }
}

/** Passes values that are one of the numbers in B_INPUT, f64, ascending. */
export function judgeNumbers(number: u32, from: u32, to: u32, count: u32): void {
  const column = columnAt(number);
  const numbers = buffer(B_INPUT);
  for (let value = max(from, 1); value < to; value++) {
    const record = recordAt(column, value);
    if (isNumber(record) && load<u32>(record, R_SET) !== 0 && isAmong(numbers, count, load<f64>(record, R_MOMENT)))
      passValue(value);
  }
}

/** Adds the documents of a value to a level. */
export function uniteValue(to: u32, column: u32, value: u32): void {
  uniteSet(recordAt(columnAt(column), value) + R_SET, level(to), levelBytes());
}

/** Adds the documents with the key in B_INPUT, in any language, to a level. */
export function uniteKey(to: u32, length: u32): void {
  const identity = columnAt(IDENTITY);
  const langs = columnAt(LANG);
  const end = load<u32>(langs, C_NEXT);
  const key = buffer(B_INPUT);
  for (let value: u32 = 1; value < end; value++) {
    const lang = recordAt(langs, value);
    if (load<u32>(lang, R_SET) === 0) continue;
    const text = reserve(B_OUTPUT, length + 1 + lengthOf(lang) + 16);
    memory.copy(text, key, length);
    store<u8>(text + length, 0x7c);
    memory.copy(text + length + 1, load<u32>(lang, R_TEXT), lengthOf(lang));
    const found = findValue(identity, text, length + 1 + lengthOf(lang));
    if (found !== 0 && partLength(recordAt(identity, found)) === length)
      uniteSet(recordAt(identity, found) + R_SET, level(to), levelBytes());
  }
}

/** Passes the values of an order from one place to another; the last one is excluded. */
export function passInterval(number: u32, order: u32, from: u32, to: u32): void {
  const sorted = orderAt(columnAt(number), order);
  for (let i = from; i < to; i++) passValue(sortedAt(sorted, i));
}

/** Adds the documents of the values that pass to a level. */
export function unitePassing(to: u32, number: u32): void {
  const column = columnAt(number);
  if (areMany(column)) scanPages(level(to), column + C_PAGES, buffer(B_VERDICTS));
  else {
    const verdicts = buffer(B_VERDICTS);
    const end = load<u32>(column, C_NEXT);
    for (let first: u32 = 0; first < end; first += 64) {
      for (let word = load<u64>(verdicts + (first >> 3)); word !== 0; word &= word - 1)
        uniteSet(recordAt(column, first + <u32>ctz(word)) + R_SET, level(to), levelBytes());
    }
  }
}

/** Whether the passing values have many documents, or are many themselves; a value takes longer than a document. */
function areMany(column: usize): bool {
  if (load<u32>(column, C_VALUES) <= FEW_VALUES) return false;
  const verdicts = buffer(B_VERDICTS);
  const end = load<u32>(column, C_NEXT);
  let values: u32 = 0;
  for (let first: u32 = 0; first < end; first += 64) values += <u32>popcnt(load<u64>(verdicts + (first >> 3)));
  if (values > load<u32>(column, C_DOCS) / SCANNED_VALUES) return true;
  let documents: u32 = 0;
  for (let first: u32 = 0; first < end; first += 64) {
    for (let word = load<u64>(verdicts + (first >> 3)); word !== 0; word &= word - 1)
      documents += load<u32>(recordAt(column, first + <u32>ctz(word)), R_SET);
  }
  return documents > load<u32>(column, C_DOCS) / SCANNED;
}

/** Adds the documents that have a value in a column to a level. */
export function uniteExisting(to: u32, number: u32): void {
  const bits = level(to);
  if (number < KEYS) memory.copy(bits, live(), levelBytes());
  else scanPages(bits, columnAt(number) + C_PAGES, 0);
}

/** Adds the documents whose time is in an interval, both ends included, to a level. */
export function uniteTimes(to: u32, field: u32, low: f64, high: f64): void {
  const bits = level(to);
  const bytes = levelBytes();
  const isNoted = hasNotes(field);
  if (isNoted) noteTimes(field);
  for (let page: u32 = 0; page * PAGE_BYTES < bytes; page++) {
    const times = timePage(field, page);
    if (times === 0) continue;
    const from = page * PAGE_BYTES;
    const end = min(PAGE_BYTES, bytes - from);
    const note = isNoted ? noteOf(field, page) : 0;
    if (isNoted && (note === 0 || load<f64>(note, N_FIRST) > high || load<f64>(note, N_LAST) < low)) continue;
    const areAll = note !== 0 && load<f64>(note, N_FIRST) >= low && load<f64>(note, N_LAST) <= high;
    if (areAll) { for (let i: u32 = 0; i < end; i += 8) addBits(bits + from + i, load<u64>(live() + from + i)); }
    else scanTimes(bits + from, end, times, low, high);
  }
}

function scanTimes(bits: usize, bytes: u32, times: usize, low: f64, high: f64): void {
  const lows = f64x2.splat(low);
  const highs = f64x2.splat(high);
  for (let i: u32 = 0; i < bytes; i += 8) {
    let word: u64 = 0;
    for (let j: u32 = 0; j < 64; j += 2) {
      const pair = v128.load(times);
      word |= <u64>i64x2.bitmask(v128.and(f64x2.ge(pair, lows), f64x2.le(pair, highs))) << j;
      times += 16;
    }
    addBits(bits + i, word);
  }
}

function addBits(place: usize, word: u64): void {
  store<u64>(place, load<u64>(place) | word);
}

/** Adds the documents with a value that passes to a bitmap; without verdicts, any value passes. */
function scanPages(bits: usize, pages: usize, verdicts: usize): void {
  for (let page: u32 = 0; page < pageEnd(pages); page++) {
    const entry = pageAt(pages, page);
    const at = <usize>load<u32>(entry);
    if (at === 0) continue;
    const target = bits + (<usize>page << (PAGE_SHIFT - 3));
    if (isArray(entry)) scanArray(target, at, verdicts, levelBytes() - (page << (PAGE_SHIFT - 3)));
    else scanList(target, at, slotsOf(entry), valuesIn(entry), verdicts);
  }
}

function scanArray(bits: usize, values: usize, verdicts: usize, bytes: u32): void {
  const end = min(PAGE_SLOTS, bytes << 3);
  for (let i: u32 = 0; i < end; i += 64) {
    let word: u64 = 0;
    for (let j: u32 = 0; j < 64; j++) word |= <u64>passes(load<u32>(values + (<usize>(i + j) << 2)), verdicts) << j;
    const place = bits + (i >> 3);
    store<u64>(place, load<u64>(place) | word);
  }
}

function scanList(bits: usize, values: usize, slots: usize, count: u32, verdicts: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    if (!passes(load<u32>(values + (<usize>i << 2)), verdicts)) continue;
    setBit(bits, load<u16>(slots + (<usize>i << 1)));
  }
}

/** Value 0 means none and never passes: its bit is not set. */
function passes(value: u32, verdicts: usize): bool {
  if (verdicts === 0) return value !== 0;
  if ((value & SEVERAL) === 0) return hasPassed(verdicts, value);
  const list = listOf(value);
  const count = load<u32>(list);
  for (let i: u32 = 1; i <= count; i++) if (hasPassed(verdicts, load<u32>(list + (<usize>i << 2)))) return true;
  return false;
}

function hasPassed(verdicts: usize, value: u32): bool {
  return ((load<u32>(verdicts + (<usize>(value >> 5) << 2)) >> (value & 31)) & 1) !== 0;
}

function isWithin(moment: f64, text: usize, length: u32, bounds: u32): bool {
  const first = buffer(B_INPUT);
  for (let i: u32 = 0; i < bounds; i++) {
    const bound = first + i * BOUND;
    const other = load<f64>(bound, 16);
    // Comparing texts returns -1, 0 or 1; comparing numbers returns their difference, which is NaN for two infinite
    // ones, and for a value that is no number: no comparison with a number holds for it.
    const order: f64 = other === other
      ? moment - other
      : <f64>compareBytes(text, length, load<u32>(bound, 4), load<u32>(bound, 8));
    const comparison = load<u32>(bound);
    const holds = comparison === GTE
      ? order >= 0
      : comparison === LTE
      ? order <= 0
      : comparison === GT
      ? order > 0
      : order < 0;
    if (!holds) return false;
  }
  return true;
}

function isAmong(numbers: usize, count: u32, wanted: f64): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<f64>(numbers + (<usize>middle << 3)) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < count && load<f64>(numbers + (<usize>low << 3)) === wanted;
}
