// The table of pairs: open addressing with linear probing, at most three quarters full. It doubles until it has the
// most slots allowed. From then on, when it is full, the pairs that were seen least are removed until half of it is
// free: lossy counting (Manku and Motwani, 2002) without its error bounds. So a rare pair's count may be too small, and
// the count of a frequent pair lacks at most the occurrences before it was last removed.
//
//     slot, 16 bytes: u32 smaller term, 0 for a free slot   u32 larger term   u32 occurrences
//                     u32 last document with it, bit 31: other documents have it, too

import { EVEN_TABLE, FIRST_SLOTS, H_DOCUMENT, H_MAX_SLOTS, H_PAIRS, H_SLOTS, H_TABLE, H_USED,
  ODD_TABLE } from './layout.ts';
import { countOf, growTo, marginalAt } from './terms.ts';

export const P_LARGER: usize = 4;
export const P_COUNT: usize = 8;
export const P_DOCUMENT: usize = 12;
/** Bit of a pair that occurs in several documents. */
export const SEVERAL: u32 = 0x80000000;
const MAX_COUNT: u32 = 0x7fffffff;

export function emptyTable(): void {
  const slots = min(FIRST_SLOTS, load<u32>(H_MAX_SLOTS));
  store<u32>(H_SLOTS, slots);
  store<u32>(H_TABLE, <u32>placeFor(slots));
  store<u32>(H_USED, 0);
  growTo(placeFor(slots) + (<usize>slots << 4));
}

/** Two places alternate, so that one is free for the next size. */
function placeFor(slots: u32): usize {
  return (ctz(slots) & 1) === 0 ? EVEN_TABLE : ODD_TABLE;
}

export function slotAt(index: u32): usize {
  return <usize>load<u32>(H_TABLE) + (<usize>index << 4);
}

/** Counts an occurrence of a pair in the current document. */
export function addPair(smaller: u32, larger: u32): void {
  store<u64>(marginalAt(smaller), load<u64>(marginalAt(smaller)) + 1);
  store<u64>(marginalAt(larger), load<u64>(marginalAt(larger)) + 1);
  store<u64>(H_PAIRS, load<u64>(H_PAIRS) + 1);
  const document = load<u32>(H_DOCUMENT) & ~SEVERAL;
  let slot = find(smaller, larger);
  if (load<u32>(slot) === 0) {
    if (isFull()) {
      makeRoom();
      slot = find(smaller, larger);
    }
    store<u32>(slot, smaller);
    store<u32>(slot, larger, P_LARGER);
    store<u32>(slot, 1, P_COUNT);
    store<u32>(slot, document, P_DOCUMENT);
    store<u32>(H_USED, load<u32>(H_USED) + 1);
    return;
  }
  const known = load<u32>(slot, P_COUNT);
  if (known < MAX_COUNT) store<u32>(slot, known + 1, P_COUNT);
  if ((load<u32>(slot, P_DOCUMENT) & ~SEVERAL) !== document) store<u32>(slot, document | SEVERAL, P_DOCUMENT);
}

/** The slot of a pair, or the free one where it belongs. */
function find(smaller: u32, larger: u32): usize {
  const mask = load<u32>(H_SLOTS) - 1;
  let i = hash(smaller, larger) & mask;
  while (load<u32>(slotAt(i)) !== 0 && !isOf(slotAt(i), smaller, larger)) i = (i + 1) & mask;
  return slotAt(i);
}

function isOf(slot: usize, smaller: u32, larger: u32): bool {
  return load<u32>(slot) === smaller && load<u32>(slot, P_LARGER) === larger;
}

function hash(smaller: u32, larger: u32): u32 {
  let h = (smaller * 0x9e3779b1) ^ (larger * 0x85ebca77);
  h = (h ^ (h >> 15)) * 0x2c1b3c6d;
  return h ^ (h >> 13);
}

function isFull(): bool {
  return load<u32>(H_USED) * 4 >= load<u32>(H_SLOTS) * 3;
}

function makeRoom(): void {
  const slots = load<u32>(H_SLOTS);
  if (slots < load<u32>(H_MAX_SLOTS)) return double(slots);
  for (let least: u32 = 1; load<u32>(H_USED) * 2 > slots; least++) sweep(least);
}

function double(slots: u32): void {
  const old = <usize>load<u32>(H_TABLE);
  const place = placeFor(slots * 2);
  const bytes = <usize>slots << 5;
  growTo(place + bytes);
  memory.fill(place, 0, bytes);
  store<u32>(H_TABLE, <u32>place);
  store<u32>(H_SLOTS, slots * 2);
  for (let from = old; from < old + (<usize>slots << 4); from += 16) {
    if (load<u32>(from) !== 0) v128.store(find(load<u32>(from), load<u32>(from, P_LARGER)), v128.load(from));
  }
}

/** Removes the pairs that were seen at most `least` times, and pairs of terms without occurrences. */
export function sweep(least: u32): void {
  const slots = load<u32>(H_SLOTS);
  for (let i: u32 = 0; i < slots; i++) {
    // A pair that moves up into the slot is checked as well; a pair that moves across the end was checked before.
    while (load<u32>(slotAt(i)) !== 0 && isRare(slotAt(i), least)) takeOut(i);
  }
}

function isRare(slot: usize, least: u32): bool {
  return load<u32>(slot, P_COUNT) <= least || countOf(load<u32>(slot)) === 0 ||
    countOf(load<u32>(slot, P_LARGER)) === 0;
}

/** Empties a slot and moves up entries that were probed past it (Knuth, volume 3, algorithm 6.4 R). */
function takeOut(hole: u32): void {
  const mask = load<u32>(H_SLOTS) - 1;
  let i = hole;
  for (;;) {
    i = (i + 1) & mask;
    const slot = slotAt(i);
    if (load<u32>(slot) === 0) break;
    const home = hash(load<u32>(slot), load<u32>(slot, P_LARGER));
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    v128.store(slotAt(hole), v128.load(slot));
    hole = i;
  }
  v128.store(slotAt(hole), i64x2.splat(0));
  store<u32>(H_USED, load<u32>(H_USED) - 1);
}
