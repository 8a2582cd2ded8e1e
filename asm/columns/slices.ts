// The values of a column by the bits of their numbers (O'Neil and Quass, Improved Query Performance with Variant
// Indexes, 1997), for facets of columns in which no document has several values and the values are few. A bitmap for
// each of 20 values of a million documents has 2.4 MB together, their five slices 0.6 MB, so that a facet reads a
// quarter of the memory and leaves more of the caches to others.
//
// slices: for each 16,384 slots, 2 KB for each bit of a number, the lowest first: by slot, the bit of its value, 0 if
// it has none
//     B_COMMON: u32 documents by number, u8 by number: whether a value has its bits, then sets of 2 KB
//
// The documents of a set are counted for each number whose bits are all set in a value: those whose values have at
// least these bits. Numbers with further bits are then subtracted (the Moebius transform over sets of bits; Yates, The
// Design and Analysis of Factorial Experiments, 1937).
//
// Slices are made when a facet of the column is counted for the second time since a document changed, and kept until
// one changes.

import { setBit } from './bits.ts';
import { C_DOCS, C_NEXT, C_PAGES, C_PAIRS, R_SET, recordAt } from './dictionary.ts';
import { isArray, PAGE_SLOTS, pageAt, pageEnd, slotsOf, valuesIn } from './forward.ts';
import { H_SLICED, MAX_SLICED } from './layout.ts';
import { levelBytes } from './levels.ts';
import { countCommon } from './popcount.ts';
import { B_COMMON, B_SLICES, B_TOUCHED, buffer, reserve } from './scratch.ts';

/**
 * Bytes of the bits that are counted at a time: with those of all slices and the sets in between, they fit into the
 * fastest cache.
 */
const BLOCK: u32 = 2048;
const BLOCK_PAGES: u32 = 4;
const PAGE_BYTES: u32 = PAGE_SLOTS >> 3;
/** With fewer values, their bitmaps are hardly larger. */
const MIN_VALUES: u32 = 8;
const MAX_BITS: u32 = 6;
/** Set in an entry of H_SLICED when the slices are made; the rest is the number of the column, plus 1. */
const MADE: u32 = 0x80000000;

const NEEDED: usize = 4 << MAX_BITS;
const SETS: usize = NEEDED + (1 << MAX_BITS);

/** Forgets all slices, because a document changes. */
export function dropSlices(): void {
  memory.fill(H_SLICED, 0, MAX_SLICED << 2);
}

/** The slices of a column; 0 if it has none, or not yet. */
export function slicesOf(number: u32, column: usize): usize {
  if (!maySlice(column)) return 0;
  const place = number % MAX_SLICED;
  const entry = H_SLICED + (<usize>place << 2);
  const noted = load<u32>(entry);
  if ((noted & ~MADE) !== number + 1) {
    store<u32>(entry, number + 1);
    return 0;
  }
  if ((noted & MADE) === 0) {
    makeSlices(column, reserve(B_SLICES + place, blockCount() * bitsOfNumbers(column) * BLOCK));
    store<u32>(entry, noted | MADE);
  }
  return buffer(B_SLICES + place);
}

/** Whether most slots have one of few values. */
function maySlice(column: usize): bool {
  const next = load<u32>(column, C_NEXT);
  const documents = load<u32>(column, C_DOCS);
  return next > MIN_VALUES && next <= 1 << MAX_BITS && load<u32>(column, C_PAIRS) === documents &&
    documents > levelBytes() << 2;
}

function bitsOfNumbers(column: usize): u32 {
  return 32 - <u32>clz(load<u32>(column, C_NEXT) - 1);
}

function blockCount(): u32 {
  return (levelBytes() + BLOCK - 1) / BLOCK;
}

function makeSlices(column: usize, slices: usize): void {
  const bits = bitsOfNumbers(column);
  const pages = blockCount() * BLOCK_PAGES;
  for (let page: u32 = 0; page < pages; page++) {
    const to = slices + (page / BLOCK_PAGES) * bits * BLOCK + (page % BLOCK_PAGES) * PAGE_BYTES;
    const entry: usize = page < pageEnd(column + C_PAGES) ? pageAt(column + C_PAGES, page) : 0;
    if (entry !== 0 && load<u32>(entry) !== 0 && isArray(entry)) sliceArray(load<u32>(entry), to, bits);
    else {
      for (let bit: u32 = 0; bit < bits; bit++) memory.fill(to + bit * BLOCK, 0, PAGE_BYTES);
      if (entry !== 0 && load<u32>(entry) !== 0) sliceList(entry, to, bits);
    }
  }
}

/** The numbers of 16 slots become bytes, whose highest bits are taken and replaced by the next lower ones. */
function sliceArray(values: usize, to: usize, bits: u32): void {
  for (let slot: usize = 0; slot < PAGE_SLOTS; slot += 16) {
    const some = values + (slot << 2);
    const low = i16x8.narrow_i32x4_u(v128.load(some), v128.load(some, 16));
    const high = i16x8.narrow_i32x4_u(v128.load(some, 32), v128.load(some, 48));
    let numbers = i8x16.shl(i8x16.narrow_i16x8_u(low, high), 8 - bits);
    for (let bit = bits; bit-- > 0;) {
      store<u16>(to + bit * BLOCK + (slot >> 3), <u16>i8x16.bitmask(numbers));
      numbers = i8x16.add(numbers, numbers);
    }
  }
}

function sliceList(entry: usize, to: usize, bits: u32): void {
  const values = <usize>load<u32>(entry);
  const slots = slotsOf(entry);
  const count = valuesIn(entry);
  for (let i: u32 = 0; i < count; i++) {
    const value = load<u32>(values + (<usize>i << 2));
    const slot = <u32>load<u16>(slots + (<usize>i << 1));
    for (let bit: u32 = 0; bit < bits; bit++) if (((value >> bit) & 1) !== 0) setBit(to + bit * BLOCK, slot);
  }
}

/**
 * Counts the documents of each value in a bitmap. Returns the number of values that have any; they are in B_TOUCHED.
 */
export function countSlices(column: usize, slices: usize, counts: usize, set: usize, bytes: u32): u32 {
  const bits = bitsOfNumbers(column);
  const common = reserve(B_COMMON, <u32>SETS + MAX_BITS * BLOCK);
  memory.fill(common, 0, SETS);
  noteNeeded(column, common + NEEDED, bits);
  for (let from: u32 = 0; from < bytes; from += BLOCK) {
    countWider(common, set + from, min(bytes - from, BLOCK), slices + from * bits, 0, bits, common + SETS);
  }
  for (let bit: u32 = 0; bit < bits; bit++) {
    for (let number: u32 = 0; number < 1 << bits; number++) {
      if (((number >> bit) & 1) === 0)
        addTo(common, number, 0 - load<u32>(common + (<usize>(number | (1 << bit)) << 2)));
    }
  }
  return listCounts(column, common, counts);
}

/** Notes for each number whether a value that documents have has all its bits. */
function noteNeeded(column: usize, needed: usize, bits: u32): void {
  const next = load<u32>(column, C_NEXT);
  for (let value: u32 = 1; value < next; value++)
    store<u8>(needed + value, <u8>(load<u32>(recordAt(column, value), R_SET) !== 0));
  for (let bit: u32 = 0; bit < bits; bit++) {
    for (let number: u32 = 0; number < 1 << bits; number++) {
      if (load<u8>(needed + (number | (1 << bit))) !== 0) store<u8>(needed + number, 1);
    }
  }
}

/**
 * Counts those of a set, which have the bits of a number, that also have one of the bits below `end`, and so on. `to`
 * has room for further sets.
 */
function countWider(common: usize, set: usize, bytes: u32, block: usize, number: u32, end: u32, to: usize): void {
  for (let bit = end; bit-- > 0;) {
    const wider = number | (1 << bit);
    if (load<u8>(common + NEEDED + wider) === 0) continue;
    const isKept = mayWiden(common + NEEDED, wider, bit);
    const count = countCommon(set, block + bit * BLOCK, bytes, isKept ? to : 0);
    addTo(common, wider, count);
    if (isKept && count > 0) countWider(common, to, bytes, block, wider, bit, to + BLOCK);
  }
}

/** Whether a value has the bits of a number and one below `end`. */
function mayWiden(needed: usize, number: u32, end: u32): bool {
  for (let bit: u32 = 0; bit < end; bit++) if (load<u8>(needed + (number | (1 << bit))) !== 0) return true;
  return false;
}

function addTo(sums: usize, number: u32, count: u32): void {
  const place = sums + (<usize>number << 2);
  store<u32>(place, load<u32>(place) + count);
}

function listCounts(column: usize, sums: usize, counts: usize): u32 {
  const next = load<u32>(column, C_NEXT);
  const list = buffer(B_TOUCHED);
  let touched: u32 = 0;
  for (let value: u32 = 1; value < next; value++) {
    const count = load<u32>(sums + (<usize>value << 2));
    store<u32>(counts + (<usize>value << 2), count);
    if (count === 0) continue;
    store<u32>(list + (<usize>(touched++) << 2), value);
  }
  return touched;
}
