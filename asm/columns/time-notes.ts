// What is noted about pages of times: the first and the last, and on which days they are. Documents are mostly added in
// the order of their slots, so that most pages are on one side of a bound, and many within one day.
//
//     B_ADDED, B_UPDATED: an entry for each page, then 512 x u16 for each page
//     entry: f64 first time   f64 last time   u32 state   u32 0
//     u16 by slot: days after the day of the first time, in pages of several days that are at most 65,535 days apart
//
// A page is noted when it is first needed, and again after one of its times has changed. Notes are not part of
// checkpoints.

import { levelBytes } from './levels.ts';
import { B_ADDED, B_UPDATED, buffer, reserve, room } from './scratch.ts';
import { ADDED_AT, setTime, TIME_SHIFT, TIME_SLOTS, timeOf, timePage, UPDATED_AT } from './times.ts';

const DAY_SECONDS: f64 = 86400;
/** Largest difference between two days of a page that have codes. */
export const MAX_CODE: f64 = 65535;
/** Bytes of a page's bits in a level. */
export const PAGE_BYTES: u32 = TIME_SLOTS >> 3;

export const N_FIRST: usize = 0;
export const N_LAST: usize = 8;
const N_STATE: usize = 16;
const ENTRY: usize = 24;
const CODES: usize = <usize>TIME_SLOTS << 1;
/** Not noted since its times changed; noted; noted, and without documents. */
const STALE: u32 = 0;
const NOTED: u32 = 1;
const EMPTY: u32 = 2;

/** Sets a time of a document, and forgets what is noted about the page of its slot. */
export function changeTime(field: u32, slot: u32, time: f64): void {
  if (timeOf(field, slot) === time) return;
  setTime(field, slot, time);
  const page = slot >> TIME_SHIFT;
  if (hasNotes(field) && page < notedPages(field)) store<u32>(entryOf(field, page), STALE, N_STATE);
}

/** Whether pages of a column of times are noted: times that every document has. */
export function hasNotes(field: u32): bool {
  return field === ADDED_AT || field === UPDATED_AT;
}

/**
 * Notes the pages that are not noted. Room for an eighth more is left, because all notes are lost when the buffer
 * grows. Returns the number of pages.
 */
export function noteTimes(field: u32): u32 {
  const pages = (levelBytes() + PAGE_BYTES - 1) / PAGE_BYTES;
  if (pages > notedPages(field)) {
    reserve(bufferOf(field), (pages + (pages >> 3)) * <u32>(ENTRY + CODES));
    memory.fill(entryOf(field, 0), 0, <usize>notedPages(field) * ENTRY);
  }
  for (let page: u32 = 0; page < pages; page++) {
    const entry = entryOf(field, page);
    const times = timePage(field, page);
    if (times !== 0 && load<u32>(entry, N_STATE) === STALE) notePage(times, entry, codesOf(field, page));
  }
  return pages;
}

/** What is noted about a page after `noteTimes`; 0 if it has no documents. */
export function noteOf(field: u32, page: u32): usize {
  const entry = entryOf(field, page);
  return load<u32>(entry, N_STATE) === NOTED ? entry : 0;
}

/** Days of a page after its first, u16 by slot. */
export function codesOf(field: u32, page: u32): usize {
  return entryOf(field, notedPages(field)) + <usize>page * CODES;
}

/** Number of a level's documents in a page. */
export function bitsOfPage(bits: usize, page: u32): u32 {
  let count: u64 = 0;
  for (let i = page * PAGE_BYTES; i < min(levelBytes(), (page + 1) * PAGE_BYTES); i += 8)
    count += popcnt(load<u64>(bits + i));
  return <u32>count;
}

export function dayOf(time: f64): f64 {
  return floor(time / DAY_SECONDS);
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

/** Comparisons with NaN, which stands for no time, are false, so that the pseudo-minimum and -maximum leave it out. */
function notePage(times: usize, entry: usize, codes: usize): void {
  let least = f64x2.splat(Infinity);
  let most = f64x2.splat(-Infinity);
  for (let i: usize = 0; i < <usize>TIME_SLOTS << 3; i += 16) {
    const pair = v128.load(times + i);
    least = f64x2.pmin(least, pair);
    most = f64x2.pmax(most, pair);
  }
  const first = min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
  const last = max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1));
  store<f64>(entry, first, N_FIRST);
  store<f64>(entry, last, N_LAST);
  store<u32>(entry, last < first ? EMPTY : NOTED, N_STATE);
  const span = dayOf(last) - dayOf(first);
  if (span > 0 && span <= MAX_CODE) noteCodes(times, codes, f64x2.splat(dayOf(first)));
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
