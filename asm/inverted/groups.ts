// Groupings of the forms: the forms that a language's analyzer maps to one term. The forms of a group are a ring
// (an array of the next form by form), found through a hash table from the hash of the term to one of them.
// Terms of equal hash share a ring, so the host must check each form that it gets.
//
//     grouping: address of the ring, its capacity, address of the table, slots, used      slot: hash, form

import { hashBytes } from './bytes.ts';
import { H_FORM_CAPACITY, H_GROUPS, MAX_GROUPINGS, PART_GROUPS } from './layout.ts';
import { release, resize } from './memory.ts';

const GROUPING: usize = 20;
const G_RING: usize = 0;
const G_CAPACITY: usize = 4;
const G_TABLE: usize = 8;
const G_SLOTS: usize = 12;
const G_USED: usize = 16;
const FIRST_SLOTS: u32 = 512;

/** Adds a form to the group of a term; a form that is in a group already stays there. */
export function joinGroup(number: u32, form: u32, term: usize, length: u32): void {
  const grouping = groupingOf(number);
  widenRing(grouping);
  if (nextOf(grouping, form) !== 0) return;
  if (load<u32>(grouping, G_USED) * 5 >= load<u32>(grouping, G_SLOTS) * 4) growTable(grouping);
  const hash = hashBytes(term, length);
  const slot = slotOf(grouping, hash);
  const head = load<u32>(slot, 4);
  if (head === 0) {
    store<u32>(slot, hash);
    store<u32>(slot, form, 4);
    store<u32>(grouping, load<u32>(grouping, G_USED) + 1, G_USED);
    return setNext(grouping, form, form);
  }
  setNext(grouping, form, nextOf(grouping, head));
  setNext(grouping, head, form);
}

/** Removes a form from the group of a term. */
export function leaveGroup(number: u32, form: u32, term: usize, length: u32): void {
  const grouping = groupingOf(number);
  if (form >= load<u32>(grouping, G_CAPACITY) || nextOf(grouping, form) === 0) return;
  const slot = slotOf(grouping, hashBytes(term, length));
  assert(load<u32>(slot, 4) !== 0, 'a form in a group that is not there');
  let before = form;
  while (nextOf(grouping, before) !== form) before = nextOf(grouping, before);
  if (before === form) emptySlot(grouping, slot);
  else {
    setNext(grouping, before, nextOf(grouping, form));
    if (load<u32>(slot, 4) === form) store<u32>(slot, before, 4);
  }
  setNext(grouping, form, 0);
}

export function groupOf(number: u32, term: usize, length: u32): u32 {
  const grouping = groupingOf(number);
  return load<u32>(grouping, G_SLOTS) === 0 ? 0 : load<u32>(slotOf(grouping, hashBytes(term, length)), 4);
}

/** The next form in a form's ring; 0 if it is in none. */
export function nextInGroup(number: u32, form: u32): u32 {
  const grouping = groupingOf(number);
  return form < load<u32>(grouping, G_CAPACITY) ? nextOf(grouping, form) : 0;
}

export function clearGrouping(number: u32): void {
  const grouping = groupingOf(number);
  release(load<u32>(grouping, G_RING), load<u32>(grouping, G_CAPACITY) * 4, PART_GROUPS);
  release(load<u32>(grouping, G_TABLE), load<u32>(grouping, G_SLOTS) * 8, PART_GROUPS);
  memory.fill(grouping, 0, GROUPING);
}

function groupingOf(number: u32): usize {
  assert(number < MAX_GROUPINGS, 'no such grouping');
  return H_GROUPS + <usize>number * GROUPING;
}

function nextOf(grouping: usize, form: u32): u32 {
  return load<u32>(<usize>load<u32>(grouping, G_RING) + (<usize>form << 2));
}

function setNext(grouping: usize, form: u32, next: u32): void {
  store<u32>(<usize>load<u32>(grouping, G_RING) + (<usize>form << 2), next);
}

function widenRing(grouping: usize): void {
  const capacity = load<u32>(grouping, G_CAPACITY);
  const wanted = load<u32>(H_FORM_CAPACITY);
  if (capacity >= wanted) return;
  store<u32>(grouping, <u32>resize(load<u32>(grouping, G_RING), capacity * 4, wanted * 4, PART_GROUPS), G_RING);
  store<u32>(grouping, wanted, G_CAPACITY);
}

/** Address of the slot of a hash, or of the free slot where it belongs. */
function slotOf(grouping: usize, hash: u32): usize {
  const table = <usize>load<u32>(grouping, G_TABLE);
  const mask = load<u32>(grouping, G_SLOTS) - 1;
  let i = hash & mask;
  while (load<u32>(table + (<usize>i << 3), 4) !== 0 && load<u32>(table + (<usize>i << 3)) !== hash) i = (i + 1) & mask;
  return table + (<usize>i << 3);
}

function growTable(grouping: usize): void {
  const old = <usize>load<u32>(grouping, G_TABLE);
  const oldSlots = load<u32>(grouping, G_SLOTS);
  const slots = max(FIRST_SLOTS, oldSlots * 2);
  store<u32>(grouping, <u32>resize(0, 0, slots * 8, PART_GROUPS), G_TABLE);
  store<u32>(grouping, slots, G_SLOTS);
  for (let i: u32 = 0; i < oldSlots; i++) {
    const entry = old + (<usize>i << 3);
    if (load<u32>(entry, 4) !== 0) store<u64>(slotOf(grouping, load<u32>(entry)), load<u64>(entry));
  }
  release(old, oldSlots * 8, PART_GROUPS);
}

/** Empties a slot and moves up entries that were probed past it (Knuth, volume 3, algorithm 6.4 R). */
function emptySlot(grouping: usize, slot: usize): void {
  const table = <usize>load<u32>(grouping, G_TABLE);
  const mask = load<u32>(grouping, G_SLOTS) - 1;
  let hole = <u32>((slot - table) >> 3);
  let i = hole;
  for (;;) {
    i = (i + 1) & mask;
    const entry = table + (<usize>i << 3);
    if (load<u32>(entry, 4) === 0) break;
    if (((i - load<u32>(entry)) & mask) < ((i - hole) & mask)) continue;
    store<u64>(table + (<usize>hole << 3), load<u64>(entry));
    hole = i;
  }
  store<u64>(table + (<usize>hole << 3), 0);
  store<u32>(grouping, load<u32>(grouping, G_USED) - 1, G_USED);
}
