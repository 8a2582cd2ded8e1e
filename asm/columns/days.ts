// Counts of documents by the day of a time, in UTC. Documents are mostly added in the order of their slots, so that the times of most pages
// of 512 slots lie within one day: the documents of such a page are counted by the bits of the level, without reading a time.
//
//     B_ADDED, B_UPDATED: an entry for each page, then 512 x u16 for each page
//     entry: f64 first day   f64 last day   u32 state   u32 0
//     u16 by slot: days after the first one, in pages of several days that are at most 65,535 days apart
//
// A page is noted when it is first counted, and again after one of its times has changed. Notes are not part of checkpoints.

import { B_ADDED, B_COUNTS, B_OUTPUT, B_UPDATED, buffer, reserve, room } from './scratch.ts';
import { bitsOf } from './facets.ts';
import { levelBytes } from './levels.ts';
import { EXPIRES_AT, ADDED_AT, setTime, TIME_SHIFT, TIME_SLOTS, timeOf, timePage } from './times.ts';

const DAY_SECONDS: f64 = 86400;
/** Largest difference between the first and the last day that are counted in an array, in days. */
const MAX_DAYS: f64 = 1048576;
const MAX_CODE: f64 = 65535;

const D_FIRST: usize = 0;
const D_LAST: usize = 8;
const D_STATE: usize = 16;
const ENTRY: usize = 24;
/** Not noted since its times changed; noted; noted, and no document has a time. */
const STALE: u32 = 0;
const NOTED: u32 = 1;
const EMPTY: u32 = 2;
const CODES: usize = <usize>TIME_SLOTS << 1;
/** Bytes of a page's bits in a level. */
const PAGE_BYTES: u32 = TIME_SLOTS >> 3;

/** Sets a time of a document, and forgets what is noted about the page of its slot. */
export function changeTime(field: u32, slot: u32, time: f64): void {
  if (timeOf(field, slot) === time) return;
  setTime(field, slot, time);
  if (field === EXPIRES_AT) return;
  const page = slot >> TIME_SHIFT;
  if (page < notedPages(field)) store<u32>(entryOf(field, page), STALE, D_STATE);
}

/**
 * Counts documents by day. B_OUTPUT has f64 day, f64 documents, ascending; returns the number of days. If the days are too far apart,
 * bit 31 is set, and B_OUTPUT has the day of each document, f64, for the host to count; the rest is their number.
 */
export function countDays(field: u32, from: u32): u32 {
  const bits = bitsOf(from);
  const bytes = levelBytes();
  noteDays(field, bytes);
  const first = firstDay(field, bytes);
  const last = lastDay(field, bytes);
  if (last < first) return 0;
  if (!(last - first < MAX_DAYS)) return listEach(field, bits, bytes);
  const span = <u32>(last - first) + 1;
  const counts = reserve(B_COUNTS, span << 2);
  memory.fill(counts, 0, <usize>span << 2);
  for (let page: u32 = 0; page * PAGE_BYTES < bytes; page++) {
    const entry = entryOf(field, page);
    if (load<u32>(entry, D_STATE) !== NOTED) continue;
    const own = counts + (<usize><u32>(load<f64>(entry, D_FIRST) - first) << 2);
    countPage(field, page, entry, bits + page * PAGE_BYTES, min(PAGE_BYTES, bytes - page * PAGE_BYTES), own);
  }
  return listDays(counts, span, first);
}

function bufferOf(field: u32): u32 {
  return field === ADDED_AT ? B_ADDED : B_UPDATED;
}

/** Number of pages for which there is room. */
function notedPages(field: u32): u32 {
  return room(bufferOf(field)) / <u32>(ENTRY + CODES);
}

function entryOf(field: u32, page: u32): usize {
  return buffer(bufferOf(field)) + <usize>page * ENTRY;
}

function codesOf(field: u32, page: u32): usize {
  return entryOf(field, notedPages(field)) + <usize>page * CODES;
}

/** Notes the pages that are not noted. Room for an eighth more is left, because all notes are lost when the buffer grows. */
function noteDays(field: u32, bytes: u32): void {
  const pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  if (pages > notedPages(field)) {
    reserve(bufferOf(field), (pages + (pages >> 3)) * <u32>(ENTRY + CODES));
    memory.fill(entryOf(field, 0), 0, <usize>notedPages(field) * ENTRY);
  }
  for (let page: u32 = 0; page < pages; page++) {
    const entry = entryOf(field, page);
    const times = timePage(field, page);
    if (times !== 0 && load<u32>(entry, D_STATE) === STALE) notePage(times, entry, codesOf(field, page));
  }
}

/** Comparisons with NaN, which stands for no time, are false, so that the pseudo-minimum and -maximum leave it out. */
function notePage(times: usize, entry: usize, codes: usize): void {
  let least = f64x2.splat(Infinity);
  let most = f64x2.splat(-Infinity);
  for (let i: usize = 0; i < <usize>TIME_SLOTS << 3; i += 16) {
    const pair = v128.load(times + i);
    least = f64x2.pmin(least, pair);
    most = f64x2.pmax(most, pair);
  }
  const first = dayOf(min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1)));
  const last = dayOf(max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)));
  store<f64>(entry, first, D_FIRST);
  store<f64>(entry, last, D_LAST);
  store<u32>(entry, last < first ? EMPTY : NOTED, D_STATE);
  if (last > first && last - first <= MAX_CODE) noteCodes(times, codes, f64x2.splat(first));
}

function dayOf(time: f64): f64 {
  return floor(time / DAY_SECONDS);
}

/** Eight slots at a time. */
function noteCodes(times: usize, codes: usize, first: v128): void {
  for (let slot: usize = 0; slot < <usize>TIME_SLOTS; slot += 8) {
    const some = times + (slot << 3);
    const low = v128.shuffle<i32>(daysAfter(first, some), daysAfter(first, some + 16), 0, 1, 4, 5);
    const high = v128.shuffle<i32>(daysAfter(first, some + 32), daysAfter(first, some + 48), 0, 1, 4, 5);
    v128.store(codes + (slot << 1), i16x8.narrow_i32x4_u(low, high));
  }
}

/** The days of two times after the first one, as i32; 0 without a time. */
function daysAfter(first: v128, times: usize): v128 {
  const days = f64x2.floor(f64x2.div(v128.load(times), f64x2.splat(DAY_SECONDS)));
  return i32x4.trunc_sat_f64x2_u_zero(f64x2.sub(days, first));
}

function firstDay(field: u32, bytes: u32): f64 {
  let first: f64 = Infinity;
  for (let page: u32 = 0; page * PAGE_BYTES < bytes; page++) {
    const entry = entryOf(field, page);
    if (load<u32>(entry, D_STATE) === NOTED) first = min(first, load<f64>(entry, D_FIRST));
  }
  return first;
}

function lastDay(field: u32, bytes: u32): f64 {
  let last: f64 = -Infinity;
  for (let page: u32 = 0; page * PAGE_BYTES < bytes; page++) {
    const entry = entryOf(field, page);
    if (load<u32>(entry, D_STATE) === NOTED) last = max(last, load<f64>(entry, D_LAST));
  }
  return last;
}

/** Adds the documents of a page to the counts, which begin with its first day. */
function countPage(field: u32, page: u32, entry: usize, bits: usize, bytes: u32, counts: usize): void {
  const first = load<f64>(entry, D_FIRST);
  const last = load<f64>(entry, D_LAST);
  if (first === last) store<u32>(counts, load<u32>(counts) + bitsIn(bits, bytes));
  else if (last - first <= MAX_CODE) countCodes(codesOf(field, page), bits, bytes, counts);
  else countTimes(timePage(field, page), first, bits, bytes, counts);
}

function bitsIn(bits: usize, bytes: u32): u32 {
  let count: u64 = 0;
  for (let i: u32 = 0; i < bytes; i += 8) count += popcnt(load<u64>(bits + i));
  return <u32>count;
}

function countCodes(codes: usize, bits: usize, bytes: u32, counts: usize): void {
  for (let i: u32 = 0; i < bytes; i += 8) {
    const some = codes + (<usize>i << 4);
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) addOne(counts, load<u16>(some + (<usize>ctz(word) << 1)));
  }
}

function countTimes(times: usize, first: f64, bits: usize, bytes: u32, counts: usize): void {
  for (let i: u32 = 0; i < bytes; i += 8) {
    const some = times + (<usize>i << 6);
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) addOne(counts, <u32>(dayOf(load<f64>(some + (<usize>ctz(word) << 3))) - first));
  }
}

function addOne(counts: usize, place: u32): void {
  const at = counts + (<usize>place << 2);
  store<u32>(at, load<u32>(at) + 1);
}

function listDays(counts: usize, span: u32, first: f64): u32 {
  let found: u32 = 0;
  for (let i: u32 = 0; i < span; i++) found += <u32>(load<u32>(counts + (<usize>i << 2)) !== 0);
  let entry = reserve(B_OUTPUT, found << 4);
  for (let i: u32 = 0; i < span; i++) {
    const count = load<u32>(counts + (<usize>i << 2));
    if (count === 0) continue;
    store<f64>(entry, first + <f64>i);
    store<f64>(entry, <f64>count, 8);
    entry += 16;
  }
  return found;
}

function listEach(field: u32, bits: usize, bytes: u32): u32 {
  const days = reserve(B_OUTPUT, bytes << 6);
  let documents: u32 = 0;
  for (let page: u32 = 0; page * PAGE_BYTES < bytes; page++) {
    const times = timePage(field, page);
    if (times === 0) continue;
    for (let i = page * PAGE_BYTES; i < min(bytes, (page + 1) * PAGE_BYTES); i += 8) {
      const some = times + (<usize>(i & (PAGE_BYTES - 1)) << 6);
      for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) store<f64>(days + (<usize>(documents++) << 3), dayOf(load<f64>(some + (<usize>ctz(word) << 3))));
    }
  }
  return documents | 0x80000000;
}
