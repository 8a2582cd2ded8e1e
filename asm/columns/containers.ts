// Containers of a Roaring bitmap (Lemire, Kai, et al., Roaring Bitmaps: Implementation of an Optimized Software
// Library, 2018): 65,536 slots each, by their lower 16 bits, in a form that is small; a bitmap may take twice the bytes
// of an array, because facets are counted several times as fast with it.
//
//     entry, 12 bytes: u16 upper bits of the slots   u16 form   u32 size   u32 address
//     ARRAY    size u16, ascending
//     BITMAP   8,192 bytes; size is the number of bits
//     RUNS     size x (u16 first, u16 last), ascending, with gaps between them

import { clearBit, hasBit, setBit } from './bits.ts';
import { PART_BITMAPS } from './layout.ts';
import { allocate, allocateZeroed, release, roomFor } from './memory.ts';
import { countCommon } from './popcount.ts';

export const ENTRY: u32 = 12;
export const E_FORM: usize = 2;
export const E_SIZE: usize = 4;
export const E_ADDRESS: usize = 8;

export const ARRAY: u16 = 0;
export const BITMAP: u16 = 1;
export const RUNS: u16 = 2;

export const BITMAP_BYTES: u32 = 8192;
/** A larger array becomes a bitmap. Checkpoints may have arrays of up to 4,096. */
const MAX_ARRAY: u32 = 2048;
/**
 * A bitmap with fewer values becomes an array; well below `MAX_ARRAY`, so that a container does not change back and
 * forth.
 */
const MIN_BITMAP: u32 = 1536;
/** If a full array has at most this many runs, it becomes runs. */
const FEW_RUNS: u32 = 512;
/** Maximum number of runs of a container. */
const MAX_RUNS: u32 = 1536;

/** Makes an entry for a container of one value. */
export function openContainer(entry: usize, key: u32, value: u32): void {
  store<u16>(entry, <u16>key);
  store<u16>(entry, ARRAY, E_FORM);
  store<u32>(entry, 1, E_SIZE);
  const address = allocate(2, PART_BITMAPS);
  store<u16>(address, <u16>value);
  store<u32>(entry, <u32>address, E_ADDRESS);
}

/** Adds a value that is not in the container. */
export function addToContainer(entry: usize, value: u32): void {
  const form = load<u16>(entry, E_FORM);
  if (form === ARRAY) addToArray(entry, value);
  else if (form === BITMAP) addToBitmap(entry, value);
  else addToRuns(entry, value);
}

/** Removes a value that is in the container. Returns whether others remain. */
export function removeFromContainer(entry: usize, value: u32): bool {
  const form = load<u16>(entry, E_FORM);
  if (form === ARRAY) removeFromArray(entry, value);
  else if (form === BITMAP) removeFromBitmap(entry, value);
  else removeFromRuns(entry, value);
  return load<u32>(entry, E_SIZE) > 0;
}

export function closeContainer(entry: usize): void {
  release(load<u32>(entry, E_ADDRESS), bytesOf(entry), PART_BITMAPS);
}

/** Adds the values to a bitmap of `bytes` bytes that begins at the container's first slot. */
export function uniteContainer(entry: usize, bits: usize, bytes: u32): void {
  const form = load<u16>(entry, E_FORM);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const size = load<u32>(entry, E_SIZE);
  if (form === BITMAP) {
    const end = min(bytes, BITMAP_BYTES) & ~15;
    for (let i: u32 = 0; i < end; i += 16) v128.store(bits + i, v128.or(v128.load(bits + i), v128.load(at + i)));
    for (let i = end; i < min(bytes, BITMAP_BYTES); i += 8)
      store<u64>(bits + i, load<u64>(bits + i) | load<u64>(at + i));
  } else if (form === ARRAY) {
    for (let i: u32 = 0; i < size; i++) {
      const value = <u32>load<u16>(at + (<usize>i << 1));
      setBit(bits, value);
    }
  } else {
    for (let i: u32 = 0; i < size; i++)
      setRun(bits, load<u16>(at + (<usize>i << 2)), load<u16>(at + (<usize>i << 2), 2));
  }
}

/** The number of the values that a bitmap of `bytes` bytes, which begins at the container's first slot, has. */
export function countContainer(entry: usize, bits: usize, bytes: u32): u32 {
  const form = load<u16>(entry, E_FORM);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const size = load<u32>(entry, E_SIZE);
  let count: u32 = 0;
  if (form === BITMAP) return countCommon(at, bits, min(bytes, BITMAP_BYTES));
  if (form === ARRAY) {
    for (let i: u32 = 0; i < size; i++) count += <u32>hasBit(bits, load<u16>(at + (<usize>i << 1)));
  } else {
    for (let i: u32 = 0; i < size; i++)
      count += countRun(bits, load<u16>(at + (<usize>i << 2)), load<u16>(at + (<usize>i << 2), 2));
  }
  return count;
}

/** Removes the values that a bitmap has from it and appends them to a list of slots. Returns the end of the list. */
export function takeContainer(entry: usize, bits: usize, bytes: u32, base: u32, to: usize): usize {
  const form = load<u16>(entry, E_FORM);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const size = load<u32>(entry, E_SIZE);
  if (form === BITMAP) {
    const end = min(bytes, BITMAP_BYTES);
    for (let i: u32 = 0; i < end; i += 8) to = takeWord(bits + i, load<u64>(at + i), base + (i << 3), to);
    return to;
  }
  if (form === ARRAY) {
    for (let i: u32 = 0; i < size; i++) {
      const value = <u32>load<u16>(at + (<usize>i << 1));
      if (!hasBit(bits, value)) continue;
      clearBit(bits, value);
      store<u32>(to, base | value);
      to += 4;
    }
    return to;
  }
  for (let i: u32 = 0; i < size; i++) {
    const first = <u32>load<u16>(at + (<usize>i << 2));
    const last = <u32>load<u16>(at + (<usize>i << 2), 2);
    for (let word = first >> 6; word <= last >> 6; word++) {
      const mask = (~(<u64>0) << (word === first >> 6 ? first & 63 : 0)) &
        (~(<u64>0) >> (word === last >> 6 ? 63 - (last & 63) : 0));
      to = takeWord(bits + (<usize>word << 3), mask, base + (word << 6), to);
    }
  }
  return to;
}

function takeWord(place: usize, mask: u64, base: u32, to: usize): usize {
  const own = load<u64>(place);
  store<u64>(place, own & ~mask);
  for (let word = own & mask; word !== 0; word &= word - 1) {
    store<u32>(to, base + <u32>ctz(word));
    to += 4;
  }
  return to;
}

function countRun(bits: usize, first: u32, last: u32): u32 {
  let count: u64 = 0;
  for (let word = first >> 6; word <= last >> 6; word++) {
    const mask = (~(<u64>0) << (word === first >> 6 ? first & 63 : 0)) &
      (~(<u64>0) >> (word === last >> 6 ? 63 - (last & 63) : 0));
    count += popcnt(load<u64>(bits + (<usize>word << 3)) & mask);
  }
  return <u32>count;
}

/** Sets the bits from one to another, both inclusive. */
export function setRun(bits: usize, first: u32, last: u32): void {
  const from = bits + (<usize>(first >> 6) << 3);
  const to = bits + (<usize>(last >> 6) << 3);
  const head = ~(<u64>0) << (first & 63);
  const tail = ~(<u64>0) >> (63 - (last & 63));
  if (from === to) {
    store<u64>(from, load<u64>(from) | (head & tail));
    return;
  }
  store<u64>(from, load<u64>(from) | head);
  memory.fill(from + 8, 0xff, to - from - 8);
  store<u64>(to, load<u64>(to) | tail);
}

function bytesOf(entry: usize): u32 {
  const form = load<u16>(entry, E_FORM);
  const size = load<u32>(entry, E_SIZE);
  return form === BITMAP ? BITMAP_BYTES : form === ARRAY ? size << 1 : size << 2;
}

// ---- Arrays

function addToArray(entry: usize, value: u32): void {
  const size = load<u32>(entry, E_SIZE);
  if (size >= MAX_ARRAY) {
    leaveArray(entry);
    addToContainer(entry, value);
    return;
  }
  makeRoomFor(entry, size << 1, 2);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const place = at + (<usize>lowerBound(at, size, value) << 1);
  memory.copy(place + 2, place, at + (<usize>size << 1) - place);
  store<u16>(place, <u16>value);
  store<u32>(entry, size + 1, E_SIZE);
}

function removeFromArray(entry: usize, value: u32): void {
  const size = load<u32>(entry, E_SIZE);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const place = at + (<usize>lowerBound(at, size, value) << 1);
  assert(place < at + (<usize>size << 1) && load<u16>(place) === value, 'a value that is not in the array');
  memory.copy(place, place + 2, at + (<usize>size << 1) - place - 2);
  giveRoomBack(entry, size << 1, 2);
  store<u32>(entry, size - 1, E_SIZE);
}

/**
 * Place of the first entry that is not below a value; the end is checked first, because most values are added there.
 */
function lowerBound(at: usize, size: u32, value: u32): u32 {
  if (size === 0 || load<u16>(at + (<usize>(size - 1) << 1)) < <u16>value) return size;
  let low: u32 = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u16>(at + (<usize>middle << 1)) < <u16>value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Turns a full array into runs if they are few, otherwise into a bitmap. */
function leaveArray(entry: usize): void {
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const size = load<u32>(entry, E_SIZE);
  let runs: u32 = 1;
  for (let i: u32 = 1; i < size; i++)
    runs += <u32>(<u32>load<u16>(at + (<usize>i << 1)) - <u32>load<u16>(at + (<usize>(i - 1) << 1)) !== 1);
  const moved = runs <= FEW_RUNS ? runsOf(at, size, runs) : bitmapOf(at, size);
  release(at, size << 1, PART_BITMAPS);
  store<u16>(entry, runs <= FEW_RUNS ? RUNS : BITMAP, E_FORM);
  store<u32>(entry, runs <= FEW_RUNS ? runs : size, E_SIZE);
  store<u32>(entry, <u32>moved, E_ADDRESS);
}

function runsOf(at: usize, size: u32, runs: u32): usize {
  const made = allocate(runs << 2, PART_BITMAPS);
  let to = made - 4;
  for (let i: u32 = 0; i < size; i++) {
    const value = <u32>load<u16>(at + (<usize>i << 1));
    if (i > 0 && value === <u32>load<u16>(to, 2) + 1) store<u16>(to, <u16>value, 2);
    else {
      to += 4;
      store<u32>(to, value | (value << 16));
    }
  }
  return made;
}

function bitmapOf(at: usize, size: u32): usize {
  const made = allocateZeroed(BITMAP_BYTES, PART_BITMAPS);
  for (let i: u32 = 0; i < size; i++) {
    const value = <u32>load<u16>(at + (<usize>i << 1));
    setBit(made, value);
  }
  return made;
}

// ---- Bitmaps

function addToBitmap(entry: usize, value: u32): void {
  setBit(load<u32>(entry, E_ADDRESS), value);
  store<u32>(entry, load<u32>(entry, E_SIZE) + 1, E_SIZE);
}

function removeFromBitmap(entry: usize, value: u32): void {
  const at = <usize>load<u32>(entry, E_ADDRESS);
  assert(hasBit(at, value), 'a value that is not in the bitmap');
  clearBit(at, value);
  const size = load<u32>(entry, E_SIZE) - 1;
  store<u32>(entry, size, E_SIZE);
  if (size >= MIN_BITMAP) return;
  store<u32>(entry, <u32>arrayOf(at, size), E_ADDRESS);
  store<u16>(entry, ARRAY, E_FORM);
  release(at, BITMAP_BYTES, PART_BITMAPS);
}

function arrayOf(at: usize, size: u32): usize {
  const made = allocate(size << 1, PART_BITMAPS);
  let to = made;
  for (let i: u32 = 0; i < BITMAP_BYTES; i += 8) {
    for (let word = load<u64>(at + i); word !== 0; word &= word - 1) {
      store<u16>(to, <u16>((i << 3) + <u32>ctz(word)));
      to += 2;
    }
  }
  return made;
}

// ---- Runs

/** Place of the first run that begins behind a value. */
function runBehind(at: usize, size: u32, value: u32): u32 {
  if (size === 0 || <u32>load<u16>(at + (<usize>(size - 1) << 2)) <= value) return size;
  let low: u32 = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (<u32>load<u16>(at + (<usize>middle << 2)) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function addToRuns(entry: usize, value: u32): void {
  const size = load<u32>(entry, E_SIZE);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const behind = runBehind(at, size, value);
  const next = at + (<usize>behind << 2);
  const joinsFormer = behind > 0 && <u32>load<u16>(next - 4, 2) + 1 === value;
  const joinsNext = behind < size && <u32>load<u16>(next) === value + 1;
  if (joinsFormer && joinsNext) {
    store<u16>(next - 4, load<u16>(next, 2), 2);
    dropRun(entry, behind);
  } else if (joinsFormer) store<u16>(next - 4, <u16>value, 2);
  else if (joinsNext) store<u16>(next, <u16>value);
  else if (size === MAX_RUNS) {
    leaveRuns(entry);
    addToBitmap(entry, value);
  } else insertRun(entry, behind, value, value);
}

function removeFromRuns(entry: usize, value: u32): void {
  const size = load<u32>(entry, E_SIZE);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const place = runBehind(at, size, value) - 1;
  const run = at + (<usize>place << 2);
  const first = <u32>load<u16>(run);
  const last = <u32>load<u16>(run, 2);
  assert(first <= value && value <= last, 'a value that is not in the runs');
  if (first === last) dropRun(entry, place);
  else if (value === first) store<u16>(run, <u16>(value + 1));
  else if (value === last) store<u16>(run, <u16>(value - 1), 2);
  else if (size === MAX_RUNS) {
    leaveRuns(entry);
    removeFromBitmap(entry, value);
  } else {
    store<u16>(run, <u16>(value - 1), 2);
    insertRun(entry, place + 1, value + 1, last);
  }
}

function insertRun(entry: usize, place: u32, first: u32, last: u32): void {
  const size = load<u32>(entry, E_SIZE);
  makeRoomFor(entry, size << 2, 4);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const run = at + (<usize>place << 2);
  memory.copy(run + 4, run, <usize>(size - place) << 2);
  store<u32>(run, first | (last << 16));
  store<u32>(entry, size + 1, E_SIZE);
}

function dropRun(entry: usize, place: u32): void {
  const size = load<u32>(entry, E_SIZE);
  const run = <usize>load<u32>(entry, E_ADDRESS) + (<usize>place << 2);
  memory.copy(run, run + 4, <usize>(size - place - 1) << 2);
  giveRoomBack(entry, size << 2, 4);
  store<u32>(entry, size - 1, E_SIZE);
}

function leaveRuns(entry: usize): void {
  const size = load<u32>(entry, E_SIZE);
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const made = allocateZeroed(BITMAP_BYTES, PART_BITMAPS);
  let values: u32 = 0;
  for (let i: u32 = 0; i < size; i++) {
    const first = <u32>load<u16>(at + (<usize>i << 2));
    const last = <u32>load<u16>(at + (<usize>i << 2), 2);
    setRun(made, first, last);
    values += last - first + 1;
  }
  release(at, size << 2, PART_BITMAPS);
  store<u16>(entry, BITMAP, E_FORM);
  store<u32>(entry, values, E_SIZE);
  store<u32>(entry, <u32>made, E_ADDRESS);
}

// ---- Capacity, which follows from the size

function makeRoomFor(entry: usize, bytes: u32, more: u32): void {
  if (roomFor(bytes) === roomFor(bytes + more)) return;
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const moved = allocate(bytes + more, PART_BITMAPS);
  memory.copy(moved, at, bytes);
  release(at, bytes, PART_BITMAPS);
  store<u32>(entry, <u32>moved, E_ADDRESS);
}

function giveRoomBack(entry: usize, bytes: u32, less: u32): void {
  if (roomFor(bytes) === roomFor(bytes - less)) return;
  const at = <usize>load<u32>(entry, E_ADDRESS);
  const moved = allocate(bytes - less, PART_BITMAPS);
  memory.copy(moved, at, bytes - less);
  release(at, bytes, PART_BITMAPS);
  store<u32>(entry, <u32>moved, E_ADDRESS);
}
