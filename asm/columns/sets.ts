// The documents of a value, as slots: a single one within the value's record, up to 64 as a list, more as a Roaring
// bitmap. Most values of most keys have few documents, for which containers would be larger than their content.
//
//     set, 8 bytes: u32 documents   u32 the slot of one   | address of the list, u32 each, ascending
//                                                         | address of the bitmap: u32 containers, u32 unused, entries

import { clearBit, hasBit, setBit } from './bits.ts';
import { addToContainer, ARRAY, BITMAP, closeContainer, countContainer, E_ADDRESS, E_FORM, E_SIZE, ENTRY, openContainer,
  removeFromContainer, takeContainer, uniteContainer } from './containers.ts';
import { PART_BITMAPS } from './layout.ts';
import { allocate, release, roomFor } from './memory.ts';

export const S_PLACE: usize = 4;
/** Most slots of a list, and the number of documents below which a bitmap becomes a list again. */
const MAX_LIST: u32 = 64;
const MIN_BITMAP: u32 = 32;
const FIRST_ENTRY: u32 = 8;

/** The form of a set of `count` documents; a bitmap that shrinks stays one until it has MIN_BITMAP. */
function isBitmap(place: usize): bool {
  return (place & 1) !== 0;
}

/** Adds a slot that is not in the set. */
export function addToSet(set: usize, slot: u32): void {
  const count = load<u32>(set);
  store<u32>(set, count + 1);
  if (count === 0) {
    store<u32>(set, slot, S_PLACE);
    return;
  }
  if (count === 1) openList(set, slot);
  else if (isBitmap(load<u32>(set, S_PLACE))) addToBitmap(set, slot);
  else if (count < MAX_LIST) addToList(set, count, slot);
  else {
    listToBitmap(set, count);
    addToBitmap(set, slot);
  }
}

/** Removes a slot that is in the set. */
export function removeFromSet(set: usize, slot: u32): void {
  const count = load<u32>(set) - 1;
  store<u32>(set, count);
  if (count === 0) {
    assert(load<u32>(set, S_PLACE) === slot, 'a slot that the set does not have');
    store<u32>(set, 0, S_PLACE);
  } else if (!(isBitmap(load<u32>(set, S_PLACE)))) removeFromList(set, count, slot);
  else {
    removeFromBitmap(set, slot);
    if (count === MIN_BITMAP) bitmapToList(set, count);
  }
}

/** Adds the slots to a bitmap of `bytes` bytes, which is large enough for all. */
export function uniteSet(set: usize, bits: usize, bytes: u32): void {
  const count = load<u32>(set);
  const place = <usize>load<u32>(set, S_PLACE);
  if (count === 0) return;
  if (count === 1) setBit(bits, <u32>place);
  else if (!isBitmap(place)) { for (let i: u32 = 0; i < count; i++) setBit(bits, load<u32>(place + (<usize>i << 2))); }
  else {
    const bitmap = place - 1;
    const containers = load<u32>(bitmap);
    for (let i: u32 = 0; i < containers; i++) {
      const entry = bitmap + FIRST_ENTRY + i * ENTRY;
      const first = <u32>load<u16>(entry) << 13;
      uniteContainer(entry, bits + first, bytes - first);
    }
  }
}

/** The number of the slots that a bitmap of `bytes` bytes has. */
export function countSet(set: usize, bits: usize, bytes: u32): u32 {
  const count = load<u32>(set);
  const place = <usize>load<u32>(set, S_PLACE);
  if (count < 2) return count === 1 ? <u32>hasBit(bits, <u32>place) : 0;
  let found: u32 = 0;
  if (!isBitmap(place)) {
    for (let i: u32 = 0; i < count; i++) found += <u32>hasBit(bits, load<u32>(place + (<usize>i << 2)));
    return found;
  }
  const containers = load<u32>(place - 1);
  for (let i: u32 = 0; i < containers; i++) {
    const entry = place - 1 + FIRST_ENTRY + i * ENTRY;
    const first = <u32>load<u16>(entry) << 13;
    found += countContainer(entry, bits + first, bytes - first);
  }
  return found;
}

/**
 * Removes the slots that a bitmap of `bytes` bytes has from it and appends them to a list. Returns the end of the list.
 */
export function takeSet(set: usize, bits: usize, bytes: u32, to: usize): usize {
  const count = load<u32>(set);
  const place = <usize>load<u32>(set, S_PLACE);
  if (count === 0) return to;
  if (count === 1) return takeOne(bits, <u32>place, to);
  if (!isBitmap(place)) {
    for (let i: u32 = 0; i < count; i++) to = takeOne(bits, load<u32>(place + (<usize>i << 2)), to);
    return to;
  }
  const containers = load<u32>(place - 1);
  for (let i: u32 = 0; i < containers; i++) {
    const entry = place - 1 + FIRST_ENTRY + i * ENTRY;
    const first = <u32>load<u16>(entry) << 13;
    to = takeContainer(entry, bits + first, bytes - first, first << 3, to);
  }
  return to;
}

function takeOne(bits: usize, slot: u32, to: usize): usize {
  if (!hasBit(bits, slot)) return to;
  clearBit(bits, slot);
  store<u32>(to, slot);
  return to + 4;
}

/** Number of containers of a form in a bitmap (see `containers.ts`); for tests. */
export function containersOf(set: usize, form: u32): u32 {
  if (load<u32>(set) < 2 || !isBitmap(load<u32>(set, S_PLACE))) return 0;
  const bitmap = <usize>load<u32>(set, S_PLACE) - 1;
  let found: u32 = 0;
  for (let i: u32 = 0; i < load<u32>(bitmap); i++)
    found += <u32>(<u32>load<u16>(bitmap + FIRST_ENTRY + i * ENTRY, E_FORM) === form);
  return found;
}

// ---- Lists

function openList(set: usize, slot: u32): void {
  const other = load<u32>(set, S_PLACE);
  const list = allocate(8, PART_BITMAPS);
  store<u32>(list, min(slot, other));
  store<u32>(list, max(slot, other), 4);
  store<u32>(set, <u32>list, S_PLACE);
}

function addToList(set: usize, count: u32, slot: u32): void {
  const old = count << 2;
  let list = <usize>load<u32>(set, S_PLACE);
  if (roomFor(old) !== roomFor(old + 4)) list = moveList(set, list, old, old + 4, old);
  let i = count;
  while (i > 0 && load<u32>(list + (<usize>(i - 1) << 2)) > slot) i--;
  const place = list + (<usize>i << 2);
  memory.copy(place + 4, place, <usize>(count - i) << 2);
  store<u32>(place, slot);
}

function removeFromList(set: usize, count: u32, slot: u32): void {
  const list = <usize>load<u32>(set, S_PLACE);
  let i: u32 = 0;
  while (load<u32>(list + (<usize>i << 2)) !== slot) i++;
  assert(i <= count, 'a slot that the list does not have');
  const place = list + (<usize>i << 2);
  memory.copy(place, place + 4, <usize>(count - i) << 2);
  if (count === 1) {
    store<u32>(set, load<u32>(list), S_PLACE);
    release(list, 8, PART_BITMAPS);
  } else if (roomFor(count << 2) !== roomFor((count + 1) << 2))
    moveList(set, list, (count + 1) << 2, count << 2, count << 2);
}

function moveList(set: usize, list: usize, old: u32, size: u32, kept: u32): usize {
  const moved = allocate(size, PART_BITMAPS);
  memory.copy(moved, list, kept);
  release(list, old, PART_BITMAPS);
  store<u32>(set, <u32>moved, S_PLACE);
  return moved;
}

function listToBitmap(set: usize, count: u32): void {
  const list = <usize>load<u32>(set, S_PLACE);
  const bitmap = allocate(FIRST_ENTRY, PART_BITMAPS);
  store<u32>(bitmap, 0);
  store<u32>(set, <u32>bitmap | 1, S_PLACE);
  for (let i: u32 = 0; i < count; i++) addToBitmap(set, load<u32>(list + (<usize>i << 2)));
  release(list, count << 2, PART_BITMAPS);
}

// ---- Bitmaps, whose address is marked by its lowest bit

function addToBitmap(set: usize, slot: u32): void {
  const key = slot >> 16;
  let bitmap = <usize>load<u32>(set, S_PLACE) - 1;
  const containers = load<u32>(bitmap);
  const i = placeOf(bitmap, containers, key);
  if (i < containers && <u32>load<u16>(bitmap + FIRST_ENTRY + i * ENTRY) === key) {
    addToContainer(bitmap + FIRST_ENTRY + i * ENTRY, slot & 0xffff);
    return;
  }
  const old = FIRST_ENTRY + containers * ENTRY;
  if (roomFor(old) !== roomFor(old + ENTRY)) {
    bitmap = moveList(set, bitmap, old, old + ENTRY, old);
    store<u32>(set, <u32>bitmap | 1, S_PLACE);
  }
  const entry = bitmap + FIRST_ENTRY + i * ENTRY;
  memory.copy(entry + ENTRY, entry, <usize>((containers - i) * ENTRY));
  openContainer(entry, key, slot & 0xffff);
  store<u32>(bitmap, containers + 1);
}

function removeFromBitmap(set: usize, slot: u32): void {
  const bitmap = <usize>load<u32>(set, S_PLACE) - 1;
  const containers = load<u32>(bitmap);
  const i = placeOf(bitmap, containers, slot >> 16);
  const entry = bitmap + FIRST_ENTRY + i * ENTRY;
  assert(i < containers && <u32>load<u16>(entry) === slot >> 16, 'a slot that the bitmap does not have');
  if (removeFromContainer(entry, slot & 0xffff)) return;
  closeContainer(entry);
  memory.copy(entry, entry + ENTRY, <usize>((containers - i - 1) * ENTRY));
  store<u32>(bitmap, containers - 1);
  const old = FIRST_ENTRY + containers * ENTRY;
  if (roomFor(old) === roomFor(old - ENTRY)) return;
  store<u32>(set, <u32>moveList(set, bitmap, old, old - ENTRY, old - ENTRY) | 1, S_PLACE);
}

/** Place of the first container that is not before a key. */
function placeOf(bitmap: usize, containers: u32, key: u32): u32 {
  let i = containers;
  while (i > 0 && <u32>load<u16>(bitmap + FIRST_ENTRY + (i - 1) * ENTRY) >= key) i--;
  return i;
}

/** When a bitmap becomes that small, all its containers are arrays, or short lists of runs. */
function bitmapToList(set: usize, count: u32): void {
  const bitmap = <usize>load<u32>(set, S_PLACE) - 1;
  const containers = load<u32>(bitmap);
  const list = allocate(count << 2, PART_BITMAPS);
  let to = list;
  for (let i: u32 = 0; i < containers; i++) {
    const entry = bitmap + FIRST_ENTRY + i * ENTRY;
    to = listContainer(entry, to);
    closeContainer(entry);
  }
  assert(to === list + (<usize>count << 2), 'a bitmap of another size');
  release(bitmap, FIRST_ENTRY + containers * ENTRY, PART_BITMAPS);
  store<u32>(set, <u32>list, S_PLACE);
}

function listContainer(entry: usize, to: usize): usize {
  const base = <u32>load<u16>(entry) << 16;
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const size = load<u32>(entry, E_SIZE);
  const form = load<u16>(entry, E_FORM);
  assert(form !== BITMAP, 'a bitmap of few');
  for (let i: u32 = 0; i < size; i++) {
    const first = form === ARRAY ? <u32>load<u16>(at + (<usize>i << 1)) : <u32>load<u16>(at + (<usize>i << 2));
    const last = form === ARRAY ? first : <u32>load<u16>(at + (<usize>i << 2), 2);
    for (let value = first; value <= last; value++) {
      store<u32>(to, base | value);
      to += 4;
    }
  }
  return to;
}
