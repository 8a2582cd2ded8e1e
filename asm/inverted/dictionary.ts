// The forms in the order of their keys, and in the order of their keys read backward; forms with the same key are in
// the order of their bytes. Forms with a prefix are a range
// of the first order, forms with a suffix a range of the second. An order is a list of leaves of up to 256 forms, so
// that adding or dropping a form moves few bytes, however large the order is:
//
//     order: address of the list, capacity, leaves, forms
//     list: (address of the leaf, its forms, u64 head of its last key) ...
//
// The head of a key is its first (or, backward, last) eight bytes as a number; heads are in the order of the keys.
// The search for a leaf compares heads, which are next to each other, and rarely keys, which are anywhere in memory.

import { compareBackward, compareBytes, equalBytes, wordAt, wordBefore } from './bytes.ts';
import { H_BACKWARD, H_FORWARD, PART_ORDER } from './layout.ts';
import { allocate, release, resize } from './memory.ts';
import { formBytes, formLength, keyBytes, keyLength } from './records.ts';
import { B_OUTPUT, buffer, reserve, roomOf } from './scratch.ts';
import { signForm } from './signatures.ts';

const LEAF: u32 = 256;
const LEAF_BYTES: u32 = LEAF * 4;

// An entry of the list.
const ENTRY: u32 = 16;
const E_SIZE: usize = 4;
const E_HEAD: usize = 8;

/** Puts a form that has its key into both orders, where patterns and distances find it. */
export function addToOrders(form: u32): void {
  signForm(form);
  insert(H_FORWARD, form);
  insert(H_BACKWARD, form);
}

export function dropFromOrders(form: u32): void {
  remove(H_FORWARD, form);
  remove(H_BACKWARD, form);
}

export function leafCount(order: usize): u32 {
  return load<u32>(order, 8);
}

export function leafSize(order: usize, leaf: u32): u32 {
  return load<u32>(entryOf(order, leaf), E_SIZE);
}

export function formAt(order: usize, leaf: u32, index: u32): u32 {
  return load<u32>(<usize>load<u32>(entryOf(order, leaf)) + (<usize>index << 2));
}

/** Place of the first form whose key is not before the given bytes: leaf in the high half, index in the low half. */
export function seekKey(order: usize, at: usize, length: u32): u64 {
  const leaf = leafFor(order, at, length);
  if (leaf === leafCount(order)) return <u64>leaf << 32;
  const index = indexFor(order, leaf, at, length);
  return index === leafSize(order, leaf) ? <u64>(leaf + 1) << 32 : (<u64>leaf << 32) | index;
}

/**
 * Writes the forms whose keys start (or, backward, end) with the given bytes to B_OUTPUT, in order, at most `limit`.
 * Returns their number.
 */
export function collectRange(order: usize, at: usize, length: u32, limit: u32): u32 {
  const place = seekKey(order, at, length);
  let leaf = <u32>(place >> 32);
  let index = <u32>place;
  if (leaf === leafCount(order) || !hasAffix(order, formAt(order, leaf, index), at, length)) return 0;
  const end: u64 = length === 0 ? <u64>leafCount(order) << 32 : endOfAffix(order, leaf, index, length);
  let found: u32 = 0;
  for (; leaf <= <u32>(end >> 32) && found < limit; leaf++) {
    const stop: u32 = leaf < <u32>(end >> 32) ? leafSize(order, leaf) : <u32>end;
    if (stop === index) break;
    const count = min(stop - index, limit - found);
    const list = (found + count) * 4 > roomOf(B_OUTPUT) ? reserve(B_OUTPUT, (found + count) * 4) : buffer(B_OUTPUT);
    memory.copy(list + (<usize>found << 2), <usize>load<u32>(entryOf(order, leaf)) + (<usize>index << 2),
      <usize>count << 2);
    found += count;
    index = 0;
  }
  return found;
}

/**
 * Place of the first form behind the given one whose key does not share the first (or, backward, last) `bytes` bytes of
 * its key. That form is usually near.
 */
export function endOfAffix(order: usize, leaf: u32, index: u32, bytes: u32): u64 {
  const form = formAt(order, leaf, index);
  const affix = order === H_BACKWARD ? keyBytes(form) + keyLength(form) - bytes : keyBytes(form);
  let low = index; // has the affix
  let step: u32 = 1;
  while (index + step < leafSize(order, leaf) && hasAffix(order, formAt(order, leaf, index + step), affix, bytes)) {
    low = index + step;
    step <<= 1;
  }
  let high = min(index + step, leafSize(order, leaf));
  if (high === leafSize(order, leaf) && hasAffix(order, formAt(order, leaf, high - 1), affix, bytes)) {
    const last = lastLeafWith(order, leaf, affix, bytes);
    if (last === leaf) return <u64>(leaf + 1) << 32;
    leaf = last;
    low = 0;
    high = leafSize(order, leaf);
  }
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (hasAffix(order, formAt(order, leaf, middle), affix, bytes)) low = middle;
    else high = middle;
  }
  return high === leafSize(order, leaf) ? <u64>(leaf + 1) << 32 : (<u64>leaf << 32) | high;
}

/** The last leaf, from the given one on, whose first key has an affix; the given one if there is none. */
function lastLeafWith(order: usize, leaf: u32, affix: usize, bytes: u32): u32 {
  let high = leafCount(order);
  while (leaf + 1 < high) {
    const middle = (leaf + high) >> 1;
    if (hasAffix(order, formAt(order, middle, 0), affix, bytes)) leaf = middle;
    else high = middle;
  }
  return leaf;
}

/**
 * Writes the forms with exactly this key to B_OUTPUT; returns their number. They are the first of the forms that start
 * with it.
 */
export function collectKey(at: usize, length: u32): u32 {
  const place = seekKey(H_FORWARD, at, length);
  let index = <u32>place;
  let found: u32 = 0;
  for (let leaf = <u32>(place >> 32); leaf < leafCount(H_FORWARD); leaf++) {
    for (const size = leafSize(H_FORWARD, leaf); index < size; index++) {
      const form = formAt(H_FORWARD, leaf, index);
      if (keyLength(form) !== length || !hasAffix(H_FORWARD, form, at, length)) return found;
      output(found++, form);
    }
    index = 0;
  }
  return found;
}

export function hasAffix(order: usize, form: u32, at: usize, length: u32): bool {
  const key = keyBytes(form);
  const own = keyLength(form);
  if (own < length) return false;
  return equalBytes(order === H_BACKWARD ? key + own - length : key, at, length);
}

export function output(index: u32, value: u32): void {
  const list = (index + 1) * 4 > roomOf(B_OUTPUT) ? reserve(B_OUTPUT, (index + 1) * 4) : buffer(B_OUTPUT);
  store<u32>(list + (<usize>index << 2), value);
}

/** The leaf where the given bytes belong; the number of leaves if all keys are before them. */
function leafFor(order: usize, at: usize, length: u32): u32 {
  const head = headOf(order, at, length);
  let low: u32 = 0;
  let high = leafCount(order);
  while (low < high) {
    const middle = (low + high) >> 1;
    const last = load<u64>(entryOf(order, middle), E_HEAD);
    if (last < head ||
      (last === head && compareKey(order, formAt(order, middle, leafSize(order, middle) - 1), at, length) < 0))
      low = middle + 1;
    else high = middle;
  }
  return low;
}

function headOf(order: usize, at: usize, length: u32): u64 {
  return order === H_BACKWARD ? wordBefore(at + length, length) : bswap(wordAt(at, length));
}

/** Notes the head of a leaf's last key, after the last form of the leaf has changed. */
function setHead(order: usize, leaf: u32): void {
  const last = formAt(order, leaf, leafSize(order, leaf) - 1);
  store<u64>(entryOf(order, leaf), headOf(order, keyBytes(last), keyLength(last)), E_HEAD);
}

function indexFor(order: usize, leaf: u32, at: usize, length: u32): u32 {
  let low: u32 = 0;
  let high = leafSize(order, leaf);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKey(order, formAt(order, leaf, middle), at, length) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareKey(order: usize, form: u32, at: usize, length: u32): i32 {
  return order === H_BACKWARD
    ? compareBackward(keyBytes(form), keyLength(form), at, length)
    : compareBytes(keyBytes(form), keyLength(form), at, length);
}

function entryOf(order: usize, leaf: u32): usize {
  assert(leaf < leafCount(order), 'no such leaf');
  return <usize>load<u32>(order) + <usize>leaf * ENTRY;
}

function insert(order: usize, form: u32): void {
  let to = placeFor(order, form);
  if (leafSize(order, <u32>(to >> 32)) === LEAF) {
    split(order, <u32>(to >> 32));
    to = placeFor(order, form);
  }
  const leaf = <u32>(to >> 32);
  const index = <u32>to;
  const size = leafSize(order, leaf);
  const place = <usize>load<u32>(entryOf(order, leaf)) + (<usize>index << 2);
  memory.copy(place + 4, place, <usize>(size - index) << 2);
  store<u32>(place, form);
  store<u32>(entryOf(order, leaf), size + 1, E_SIZE);
  store<u32>(order, load<u32>(order, 12) + 1, 12);
  if (index === size) setHead(order, leaf);
}

/**
 * The place of a form, leaf in the high half, index in the low half: behind those with an equal key whose bytes are
 * before its own. So the order depends on the forms only, and not on when they were added.
 */
function placeFor(order: usize, form: u32): u64 {
  const key = keyBytes(form);
  const length = keyLength(form);
  let leaf = leafToInsert(order, key, length);
  let index = indexFor(order, leaf, key, length);
  for (;;) {
    const isNext = index === leafSize(order, leaf);
    if (isNext && leaf + 1 >= leafCount(order)) break;
    const other = isNext ? formAt(order, leaf + 1, 0) : formAt(order, leaf, index);
    if (compareKey(order, other, key, length) !== 0 || !isBefore(other, form)) break;
    if (isNext) leaf++;
    index = isNext ? 1 : index + 1;
  }
  return (<u64>leaf << 32) | <u64>index;
}

function isBefore(form: u32, other: u32): bool {
  return compareBytes(formBytes(form), formLength(form), formBytes(other), formLength(other)) < 0;
}

/** The leaf where the given bytes belong; it is made if there is no leaf. No leaf is empty, except an only one. */
function leafToInsert(order: usize, at: usize, length: u32): u32 {
  if (leafCount(order) === 0) {
    addLeaf(order, 0);
    return 0;
  }
  return min(leafFor(order, at, length), leafCount(order) - 1);
}

/** The form is looked for among those with an equal key. */
function remove(order: usize, form: u32): void {
  const place = seekKey(order, keyBytes(form), keyLength(form));
  let leaf = <u32>(place >> 32);
  let index = <u32>place;
  while (leaf < leafCount(order) && formAt(order, leaf, index) !== form) {
    if (++index === leafSize(order, leaf)) {
      leaf++;
      index = 0;
    }
  }
  assert(leaf < leafCount(order), 'a form that is not in order');
  const size = leafSize(order, leaf);
  const at = <usize>load<u32>(entryOf(order, leaf)) + (<usize>index << 2);
  memory.copy(at, at + 4, <usize>(size - 1 - index) << 2);
  store<u32>(entryOf(order, leaf), size - 1, E_SIZE);
  store<u32>(order, load<u32>(order, 12) - 1, 12);
  if (size === 1) dropLeaf(order, leaf);
  else if (index === size - 1) setHead(order, leaf);
}

function split(order: usize, leaf: u32): void {
  addLeaf(order, leaf + 1);
  const left = entryOf(order, leaf);
  const right = entryOf(order, leaf + 1);
  memory.copy(load<u32>(right), load<u32>(left) + LEAF_BYTES / 2, LEAF_BYTES / 2);
  store<u32>(left, LEAF / 2, E_SIZE);
  store<u32>(right, LEAF / 2, E_SIZE);
  setHead(order, leaf);
  setHead(order, leaf + 1);
}

function addLeaf(order: usize, at: u32): void {
  const capacity = load<u32>(order, 4);
  const leaves = load<u32>(order, 8);
  if (leaves === capacity) {
    const wider = max(4, capacity + (capacity >> 1));
    store<u32>(order, <u32>resize(load<u32>(order), capacity * ENTRY, wider * ENTRY, PART_ORDER));
    store<u32>(order, wider, 4);
  }
  store<u32>(order, leaves + 1, 8);
  const entry = entryOf(order, at);
  memory.copy(entry + ENTRY, entry, <usize>(leaves - at) * ENTRY);
  store<u32>(entry, <u32>allocate(LEAF_BYTES, PART_ORDER));
  store<u32>(entry, 0, E_SIZE);
}

function dropLeaf(order: usize, leaf: u32): void {
  const entry = entryOf(order, leaf);
  const leaves = leafCount(order);
  release(load<u32>(entry), LEAF_BYTES, PART_ORDER);
  memory.copy(entry, entry + ENTRY, <usize>(leaves - 1 - leaf) * ENTRY);
  store<u32>(order, leaves - 1, 8);
}
