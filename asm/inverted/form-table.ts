// The hash table of the forms: their numbers, by the hash of their bytes (open addressing, linear probing). A slot has
// a number in its lower 27 bits (a memory cannot hold more forms than that) and the upper five bits of the hash above,
// which distinguish most other forms without reading their bytes.
//
// When it is three quarters full, a table of twice the slots replaces it. From then on, each form that is entered moves
// some slots of the old table, so that no call moves all of them. Meanwhile a form is in the new table, or at a slot of
// the old one that was not moved yet. Moved forms also stay in the old table, so that probing continues past them, and
// a dropped form leaves a mark there.

import { equalBytes, hashBytes } from './bytes.ts';
import { H_HASH, H_HASH_SLOTS, H_HASH_USED, H_OLD_HASH, H_OLD_NEXT, H_OLD_SLOTS, PART_FORMS } from './layout.ts';
import { release, resize } from './memory.ts';
import { formBytes, formLength } from './records.ts';

const FIRST_SLOTS: u32 = 512;
/** Slots that are moved when a form is entered: enough to move all long before the new table is full. */
const MOVED_AT_ONCE: u32 = 8;
const DROPPED: u32 = 0xffffffff;
const NUMBER: u32 = 0x07ffffff;

export function lookUpForm(at: usize, length: u32, hash: u32): u32 {
  const form = lookUpIn(load<u32>(H_HASH), load<u32>(H_HASH_SLOTS), at, length, hash);
  return form !== 0 || load<u32>(H_OLD_HASH) === 0
    ? form
    : lookUpIn(load<u32>(H_OLD_HASH), load<u32>(H_OLD_SLOTS), at, length, hash);
}

function lookUpIn(table: usize, slots: u32, at: usize, length: u32, hash: u32): u32 {
  if (slots === 0) return 0;
  let i = hash & (slots - 1);
  let slot = load<u32>(table + (<usize>i << 2));
  while (slot !== 0 && !(((slot ^ hash) & ~NUMBER) === 0 && slot !== DROPPED && hasBytes(slot & NUMBER, at, length))) {
    i = (i + 1) & (slots - 1);
    slot = load<u32>(table + (<usize>i << 2));
  }
  return slot & NUMBER;
}

function hasBytes(form: u32, at: usize, length: u32): bool {
  return formLength(form) === length && equalBytes(formBytes(form), at, length);
}

export function enterForm(form: u32, hash: u32): void {
  if (load<u32>(H_HASH_USED) * 4 >= load<u32>(H_HASH_SLOTS) * 3) grow();
  putForm(form, hash);
  store<u32>(H_HASH_USED, load<u32>(H_HASH_USED) + 1);
  if (load<u32>(H_OLD_HASH) !== 0) moveSlots(MOVED_AT_ONCE);
}

/** Removes a form, which still has its bytes. */
export function leaveTable(form: u32): void {
  const hash = hashOf(form);
  const slot = slotOf(load<u32>(H_HASH), load<u32>(H_HASH_SLOTS), form, hash);
  if (slot !== 0) emptySlot(slot);
  const old: usize = load<u32>(H_OLD_HASH) === 0
    ? 0
    : slotOf(load<u32>(H_OLD_HASH), load<u32>(H_OLD_SLOTS), form, hash);
  if (old !== 0) store<u32>(old, DROPPED);
  assert(slot !== 0 || old !== 0, 'a form that is not in the table');
  store<u32>(H_HASH_USED, load<u32>(H_HASH_USED) - 1);
}

/** Address of the slot of a form in a table, or 0. */
function slotOf(table: usize, slots: u32, form: u32, hash: u32): usize {
  const wanted = form | (hash & ~NUMBER);
  let i = hash & (slots - 1);
  while (load<u32>(table + (<usize>i << 2)) !== wanted && load<u32>(table + (<usize>i << 2)) !== 0)
    i = (i + 1) & (slots - 1);
  const slot = table + (<usize>i << 2);
  return load<u32>(slot) === wanted ? slot : 0;
}

function putForm(form: u32, hash: u32): void {
  assert(form < NUMBER, 'more forms than slots can name');
  const table = <usize>load<u32>(H_HASH);
  const mask = load<u32>(H_HASH_SLOTS) - 1;
  let i = hash & mask;
  while (load<u32>(table + (<usize>i << 2)) !== 0) i = (i + 1) & mask;
  store<u32>(table + (<usize>i << 2), form | (hash & ~NUMBER));
}

function grow(): void {
  const slots = load<u32>(H_HASH_SLOTS);
  if (load<u32>(H_OLD_HASH) !== 0) moveSlots(load<u32>(H_OLD_SLOTS));
  store<u32>(H_OLD_HASH, load<u32>(H_HASH));
  store<u32>(H_OLD_SLOTS, slots);
  store<u32>(H_OLD_NEXT, 0);
  store<u32>(H_HASH_SLOTS, max(FIRST_SLOTS, slots * 2));
  store<u32>(H_HASH, <u32>resize(0, 0, load<u32>(H_HASH_SLOTS) * 4, PART_FORMS));
}

function moveSlots(count: u32): void {
  const old = <usize>load<u32>(H_OLD_HASH);
  const slots = load<u32>(H_OLD_SLOTS);
  const first = load<u32>(H_OLD_NEXT);
  const end = min(slots, first + count);
  for (let i = first; i < end; i++) {
    const slot = load<u32>(old + (<usize>i << 2));
    if (slot !== 0 && slot !== DROPPED) putForm(slot & NUMBER, hashOf(slot & NUMBER));
  }
  store<u32>(H_OLD_NEXT, end);
  if (end < slots) return;
  release(old, slots * 4, PART_FORMS);
  store<u32>(H_OLD_HASH, 0);
}

/** Empties a slot and moves up entries that were probed past it (Knuth, volume 3, algorithm 6.4 R). */
function emptySlot(slot: usize): void {
  const table = <usize>load<u32>(H_HASH);
  const mask = load<u32>(H_HASH_SLOTS) - 1;
  let hole = <u32>((slot - table) >> 2);
  let i = hole;
  for (;;) {
    i = (i + 1) & mask;
    const other = load<u32>(table + (<usize>i << 2));
    if (other === 0) break;
    const home = hashOf(other & NUMBER) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    store<u32>(table + (<usize>hole << 2), other);
    hole = i;
  }
  store<u32>(table + (<usize>hole << 2), 0);
}

function hashOf(form: u32): u32 {
  return hashBytes(formBytes(form), formLength(form));
}
