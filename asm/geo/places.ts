// The leaf of each document: a hash table in 256 parts, each of which grows by itself, so that no insertion has to move
// all of it. A part is a table of open addressing with linear probing, at most three quarters full.
//
//     part:  u32 address   u32 slots, a power of two   u32 documents   u32 -
//     slot:  u32 ord + 1, 0 for an empty one   u32 leaf

import { allocateZeroed, release } from '../columns/memory.ts';
import { H_PLACES, PART_PLACES } from './layout.ts';

const PARTS: u32 = 256;
const PART_BYTES: u32 = 16;
const SLOT: u32 = 8;
const FIRST_SLOTS: u32 = 8;

export function openPlaces(): void {
  store<u32>(H_PLACES, <u32>allocateZeroed(PARTS * PART_BYTES, PART_PLACES));
}

/** The leaf of a document; 0 if there is none. */
export function leafOf(ord: u32): usize {
  const part = partOf(ord);
  if (load<u32>(part, 8) === 0) return 0;
  return load<u32>(slotFor(part, ord), 4);
}

/** Sets the leaf of a document. */
export function setLeaf(ord: u32, leaf: usize): void {
  const part = partOf(ord);
  if ((load<u32>(part, 8) + 1) * 4 > load<u32>(part, 4) * 3) grow(part);
  const slot = slotFor(part, ord);
  if (load<u32>(slot) === 0) {
    store<u32>(slot, ord + 1);
    store<u32>(part, load<u32>(part, 8) + 1, 8);
  }
  store<u32>(slot, <u32>leaf, 4);
}

/**
 * Removes a document, which must be in the table, and moves up entries that were probed past it (Knuth, volume 3,
 * algorithm 6.4R).
 */
export function forgetLeaf(ord: u32): void {
  const part = partOf(ord);
  const mask = load<u32>(part, 4) - 1;
  const table = <usize>load<u32>(part);
  let hole = <u32>((slotFor(part, ord) - table) / SLOT);
  store<u32>(part, load<u32>(part, 8) - 1, 8);
  for (let i = (hole + 1) & mask;; i = (i + 1) & mask) {
    const name = load<u32>(table + i * SLOT);
    if (name === 0) break;
    const home = hash(name - 1) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    store<u64>(table + hole * SLOT, load<u64>(table + i * SLOT));
    hole = i;
  }
  store<u64>(table + hole * SLOT, 0);
}

/** Consecutive ordinals are in different parts; the remaining bits of the ordinal are hashed. */
function partOf(ord: u32): usize {
  return <usize>load<u32>(H_PLACES) + (ord & (PARTS - 1)) * PART_BYTES;
}

function hash(ord: u32): u32 {
  const mixed = (ord >> 8) * 0x9e3779b1;
  return mixed ^ (mixed >> 15);
}

/** The slot of a document, or the empty one that it would take. */
function slotFor(part: usize, ord: u32): usize {
  const mask = load<u32>(part, 4) - 1;
  const table = <usize>load<u32>(part);
  let slot = table + (hash(ord) & mask) * SLOT;
  for (let name = load<u32>(slot); name !== 0 && name !== ord + 1; name = load<u32>(slot)) {
    slot += SLOT;
    if (slot === table + ((<usize>mask + 1) << 3)) slot = table;
  }
  return slot;
}

function grow(part: usize): void {
  const old = <usize>load<u32>(part);
  const slots = load<u32>(part, 4);
  const wider = slots === 0 ? FIRST_SLOTS : slots * 2;
  store<u32>(part, <u32>allocateZeroed(wider * SLOT, PART_PLACES));
  store<u32>(part, wider, 4);
  for (let i: u32 = 0; i < slots; i++) {
    const name = load<u32>(old + i * SLOT);
    if (name !== 0) store<u64>(slotFor(part, name - 1), load<u64>(old + i * SLOT));
  }
  release(old, slots * SLOT, PART_PLACES);
}
