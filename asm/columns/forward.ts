// The values of a document in a column: pages of 4,096 slots, of which only those with values exist. A page with up to
// 2,048 values is a sorted list, a page with more is an array by slot.
//
//     directory entry, 8 bytes: u32 page   u32 its number of values, bits 13-25: capacity (of a list), bit 31: an array
//     list:    capacity x u32 value, capacity x u16 slot within the page
//     array:   4,096 x u32 value, 0 for none
//     value:   its number; or bit 31 and the address / 8 of several: u32 count, u32 numbers, ascending

import { PART_COLUMNS } from './layout.ts';
import { allocate, allocateZeroed, release, resize } from './memory.ts';

export const PAGE_SHIFT: u32 = 12;
export const PAGE_SLOTS: u32 = 4096;
export const SEVERAL: u32 = 0x80000000;
const PAGE_MASK: u32 = 4095;
const IS_ARRAY: u32 = 0x80000000;
const COUNT: u32 = 0x1fff;
const ROOM_SHIFT: u32 = 13;
const MAX_LIST: u32 = 2048;
const MIN_ARRAY: u32 = 1024;
const FIRST_ROOM: u32 = 4;

/** Most pages of a column. */
export function pageEnd(pages: usize): u32 {
  return load<u32>(pages, 4);
}

/** Address of the entry of a page; its first word is 0 if there is no page. */
export function pageAt(pages: usize, page: u32): usize {
  return <usize>load<u32>(pages) + (<usize>page << 3);
}

export function isArray(entry: usize): bool {
  return (load<u32>(entry, 4) & IS_ARRAY) !== 0;
}

export function valuesIn(entry: usize): u32 {
  return load<u32>(entry, 4) & COUNT;
}

/** Address of the slots of a list. */
export function slotsOf(entry: usize): usize {
  return <usize>load<u32>(entry) + (<usize>roomOf(entry) << 2);
}

/** The address of several values. */
export function listOf(value: u32): usize {
  return <usize>(value << 3);
}

/** The values of a page by slot; 0 if it is a list or does not exist. */
export function arrayOf(pages: usize, page: u32): usize {
  return page < pageEnd(pages) && isArray(pageAt(pages, page)) ? <usize>load<u32>(pageAt(pages, page)) : 0;
}

/** The value of a slot, or 0. */
export function valueOf(pages: usize, slot: u32): u32 {
  const page = slot >> PAGE_SHIFT;
  if (page >= pageEnd(pages)) return 0;
  const entry = pageAt(pages, page);
  const at = <usize>load<u32>(entry);
  if (at === 0) return 0;
  if (isArray(entry)) return load<u32>(at + (<usize>(slot & PAGE_MASK) << 2));
  const place = placeOf(entry, slot & PAGE_MASK);
  return place < valuesIn(entry) && <u32>load<u16>(slotsOf(entry) + (<usize>place << 1)) === (slot & PAGE_MASK)
    ? load<u32>(at + (<usize>place << 2))
    : 0;
}

/** Assigns a value to a slot that has none. */
export function setValue(pages: usize, slot: u32, value: u32): void {
  assert(valueOf(pages, slot) === 0 && value !== 0, 'a slot that has a value');
  const page = slot >> PAGE_SHIFT;
  if (page >= pageEnd(pages)) growDirectory(pages, page);
  const entry = pageAt(pages, page);
  const count = valuesIn(entry);
  if (!isArray(entry) && count === MAX_LIST) listToArray(entry);
  if (isArray(entry)) store<u32>(<usize>load<u32>(entry) + (<usize>(slot & PAGE_MASK) << 2), value);
  else insert(entry, count, slot & PAGE_MASK, value);
  store<u32>(entry, load<u32>(entry, 4) + 1, 4);
}

/** Removes the value of a slot that has one. */
export function clearValue(pages: usize, slot: u32): void {
  const entry = pageAt(pages, slot >> PAGE_SHIFT);
  assert(valueOf(pages, slot) !== 0, 'a slot without a value');
  const count = valuesIn(entry) - 1;
  const at = <usize>load<u32>(entry);
  if (isArray(entry)) store<u32>(at + (<usize>(slot & PAGE_MASK) << 2), 0);
  else {
    const place = placeOf(entry, slot & PAGE_MASK);
    const slots = slotsOf(entry);
    memory.copy(at + (<usize>place << 2), at + (<usize>(place + 1) << 2), <usize>(count - place) << 2);
    memory.copy(slots + (<usize>place << 1), slots + (<usize>(place + 1) << 1), <usize>(count - place) << 1);
  }
  store<u32>(entry, load<u32>(entry, 4) - 1, 4);
  if (count === 0) closePage(entry);
  else if (isArray(entry) && count < MIN_ARRAY) arrayToList(entry, count);
}

function roomOf(entry: usize): u32 {
  return (load<u32>(entry, 4) >> ROOM_SHIFT) & COUNT;
}

/** Place of the first slot of a list that is not below the given one. */
function placeOf(entry: usize, slot: u32): u32 {
  const slots = slotsOf(entry);
  let low: u32 = 0;
  let high = valuesIn(entry);
  if (high === 0 || <u32>load<u16>(slots + (<usize>(high - 1) << 1)) < slot) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (<u32>load<u16>(slots + (<usize>middle << 1)) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(entry: usize, count: u32, slot: u32, value: u32): void {
  if (count === roomOf(entry)) widen(entry, count);
  const at = <usize>load<u32>(entry);
  const slots = slotsOf(entry);
  const place = placeOf(entry, slot);
  if (place < count) {
    memory.copy(at + (<usize>(place + 1) << 2), at + (<usize>place << 2), <usize>(count - place) << 2);
    memory.copy(slots + (<usize>(place + 1) << 1), slots + (<usize>place << 1), <usize>(count - place) << 1);
  }
  store<u32>(at + (<usize>place << 2), value);
  store<u16>(slots + (<usize>place << 1), <u16>slot);
}

function widen(entry: usize, count: u32): void {
  const room = count === 0 ? FIRST_ROOM : min(MAX_LIST, (count + (count >> 2) + 4) & ~3);
  const at = <usize>load<u32>(entry);
  const moved = allocate(room * 6, PART_COLUMNS);
  if (at !== 0) {
    memory.copy(moved, at, <usize>count << 2);
    memory.copy(moved + (<usize>room << 2), slotsOf(entry), <usize>count << 1);
    release(at, roomOf(entry) * 6, PART_COLUMNS);
  }
  store<u32>(entry, <u32>moved);
  store<u32>(entry, count | (room << ROOM_SHIFT), 4);
}

function listToArray(entry: usize): void {
  const count = valuesIn(entry);
  const at = <usize>load<u32>(entry);
  const slots = slotsOf(entry);
  const moved = allocateZeroed(PAGE_SLOTS << 2, PART_COLUMNS);
  for (let i: u32 = 0; i < count; i++)
    store<u32>(moved + (<usize>load<u16>(slots + (<usize>i << 1)) << 2), load<u32>(at + (<usize>i << 2)));
  release(at, roomOf(entry) * 6, PART_COLUMNS);
  store<u32>(entry, <u32>moved);
  store<u32>(entry, count | IS_ARRAY, 4);
}

function arrayToList(entry: usize, count: u32): void {
  const at = <usize>load<u32>(entry);
  const room = (count + (count >> 2) + 4) & ~3;
  const moved = allocate(room * 6, PART_COLUMNS);
  let place: usize = 0;
  for (let slot: u32 = 0; slot < PAGE_SLOTS; slot++) {
    const value = load<u32>(at + (<usize>slot << 2));
    if (value === 0) continue;
    store<u32>(moved + (place << 2), value);
    store<u16>(moved + (<usize>room << 2) + (place << 1), <u16>slot);
    place++;
  }
  release(at, PAGE_SLOTS << 2, PART_COLUMNS);
  store<u32>(entry, <u32>moved);
  store<u32>(entry, count | (room << ROOM_SHIFT), 4);
}

function closePage(entry: usize): void {
  release(load<u32>(entry), isArray(entry) ? PAGE_SLOTS << 2 : roomOf(entry) * 6, PART_COLUMNS);
  store<u64>(entry, 0);
}

function growDirectory(pages: usize, page: u32): void {
  const room = pageEnd(pages);
  const wider = max(page + 1, room + (room >> 1));
  store<u32>(pages, <u32>resize(load<u32>(pages), room << 3, wider << 3, PART_COLUMNS));
  store<u32>(pages, wider, 4);
}
