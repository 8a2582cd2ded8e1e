// Counts of documents by the day of a time, in UTC. The documents of a page whose times lie within one day are counted
// by the bits of the level, without reading a time; those of other pages by the days that are noted (see
// `time-notes.ts`).

import { bitsOf } from './facets.ts';
import { levelBytes } from './levels.ts';
import { B_COUNTS, B_OUTPUT, reserve } from './scratch.ts';
import { bitsOfPage, codesOf, dayOf, MAX_CODE, N_FIRST, N_LAST, noteOf, noteTimes, PAGE_BYTES } from './time-notes.ts';
import { timePage } from './times.ts';

/** Largest difference between the first and the last day that are counted in an array, in days. */
const MAX_DAYS: f64 = 1048576;

/**
 * Counts documents by day. B_OUTPUT has f64 day, f64 documents, ascending; returns the number of days. If the days are
 * too far apart, bit 31 is set, and B_OUTPUT has the day of each document, f64, for the host to count; the rest is
 * their number.
 */
export function countDays(field: u32, from: u32): u32 {
  const bits = bitsOf(from);
  const pages = noteTimes(field);
  const first = firstDay(field, pages);
  const last = lastDay(field, pages);
  if (last < first) return 0;
  if (!(last - first < MAX_DAYS)) return listEach(field, bits);
  const span = <u32>(last - first) + 1;
  const counts = reserve(B_COUNTS, span << 2);
  memory.fill(counts, 0, <usize>span << 2);
  for (let page: u32 = 0; page < pages; page++) {
    const note = noteOf(field, page);
    if (note !== 0)
      countPage(field, page, note, bits, counts + (<usize><u32>(dayOf(load<f64>(note, N_FIRST)) - first) << 2));
  }
  return listDays(counts, span, first);
}

function firstDay(field: u32, pages: u32): f64 {
  let first: f64 = Infinity;
  for (let page: u32 = 0; page < pages; page++) {
    const note = noteOf(field, page);
    if (note !== 0) first = min(first, load<f64>(note, N_FIRST));
  }
  return dayOf(first);
}

function lastDay(field: u32, pages: u32): f64 {
  let last: f64 = -Infinity;
  for (let page: u32 = 0; page < pages; page++) {
    const note = noteOf(field, page);
    if (note !== 0) last = max(last, load<f64>(note, N_LAST));
  }
  return dayOf(last);
}

/** Adds the documents of a page to the counts, which begin with its first day. */
function countPage(field: u32, page: u32, note: usize, bits: usize, counts: usize): void {
  const first = dayOf(load<f64>(note, N_FIRST));
  const last = dayOf(load<f64>(note, N_LAST));
  const from = page * PAGE_BYTES;
  const bytes = min(PAGE_BYTES, levelBytes() - from);
  if (first === last) store<u32>(counts, load<u32>(counts) + bitsOfPage(bits, page));
  else if (last - first <= MAX_CODE) countCodes(codesOf(field, page), bits + from, bytes, counts);
  else countTimes(timePage(field, page), first, bits + from, bytes, counts);
}

function countCodes(codes: usize, bits: usize, bytes: u32, counts: usize): void {
  for (let i: u32 = 0; i < bytes; i += 8) {
    const some = codes + (<usize>i << 4);
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1)
      addOne(counts, load<u16>(some + (<usize>ctz(word) << 1)));
  }
}

function countTimes(times: usize, first: f64, bits: usize, bytes: u32, counts: usize): void {
  for (let i: u32 = 0; i < bytes; i += 8) {
    const some = times + (<usize>i << 6);
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1)
      addOne(counts, <u32>(dayOf(load<f64>(some + (<usize>ctz(word) << 3))) - first));
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

/** Lists the day of each document. */
function listEach(field: u32, bits: usize): u32 {
  const bytes = levelBytes();
  const days = reserve(B_OUTPUT, bytes << 6);
  let documents: u32 = 0;
  for (let page: u32 = 0; page * PAGE_BYTES < bytes; page++) {
    const times = timePage(field, page);
    if (times === 0) continue;
    for (let i = page * PAGE_BYTES; i < min(bytes, (page + 1) * PAGE_BYTES); i += 8) {
      const some = times + (<usize>(i & (PAGE_BYTES - 1)) << 6);
      for (let word = load<u64>(bits + i); word !== 0; word &= word - 1)
        store<f64>(days + (<usize>(documents++) << 3), dayOf(load<f64>(some + (<usize>ctz(word) << 3))));
    }
  }
  return documents | 0x80000000;
}
