// The number of documents in each cell, for a length of geohash, and the cells with the most.

import { B_CELLS, B_FOUND, buffer, reserve } from './buffers.ts';
import { noteChildAt } from './frames.ts';
import { KEY_BITS, keyOf } from './keys.ts';
import { L_LAT, L_LNG, L_ORDS, LEAF_ROOM } from './layout.ts';
import { childAt, countOf, keyAt } from './nodes.ts';
import { found, isWanted, NEAR, NEAR_ORD, nextFound, NO_FILTER, Q_COMPARED, Q_FILTER_WORDS, Q_FOUND, Q_MOST,
  Q_SHIFT } from './query.ts';

const DIGIT_BITS: u32 = 5;

/**
 * Prepares to list (u64 cell, u64 documents) in B_FOUND: the up to `most` cells with the most documents first, of equal
 * ones the least.
 */
export function openCells(digits: u32, most: u32): void {
  assert(digits >= 1 && digits <= 12, 'a geohash has 1 to 12 digits');
  store<u32>(Q_SHIFT, KEY_BITS - digits * DIGIT_BITS);
  store<u32>(Q_MOST, most);
  store<u32>(Q_COMPARED, 0);
}

/** Notes all children of a node, each with its least geohash. */
export function noteAll(node: usize, least: u64): void {
  const count = countOf(node);
  for (let i: u32 = 0; i < count; i++)
    noteChildAt(childAt(node, i), reinterpret<f64>(i === 0 ? least : keyAt(node, i)));
}

/** Counts the documents of a leaf, whose geohashes are from `least` to `greatest`. */
export function countLeaf(leaf: usize, least: u64, greatest: u64): void {
  const shift = load<u32>(Q_SHIFT);
  const count = countOf(leaf);
  if (least >> shift === greatest >> shift) return addTo(least >> shift, wantedIn(leaf, count));
  const list = reserve(B_CELLS, LEAF_ROOM * NEAR);
  let end = list;
  for (let i: u32 = 0; i < count; i++) {
    if (!isWanted(load<u32>(leaf + (<usize>i << 2), L_ORDS))) continue;
    end = noteCell(list, end,
      keyOf(load<f64>(leaf + (<usize>i << 3), L_LAT), load<f64>(leaf + (<usize>i << 3), L_LNG)) >> shift);
  }
  for (let at = list; at < end; at += NEAR) addTo(load<u64>(at), load<u32>(at, NEAR_ORD));
}

function wantedIn(leaf: usize, count: u32): u32 {
  if (load<u32>(Q_FILTER_WORDS) === NO_FILTER) return count;
  let wanted: u32 = 0;
  for (let i: u32 = 0; i < count; i++) wanted += <u32>isWanted(load<u32>(leaf + (<usize>i << 2), L_ORDS));
  return wanted;
}

/** Counts a cell in a list of a leaf's cells in their order. Returns the end of the list. */
function noteCell(list: usize, end: usize, cell: u64): usize {
  let at = end;
  while (at > list && load<u64>(at - NEAR) > cell) at -= NEAR;
  if (at > list && load<u64>(at - NEAR) === cell) {
    store<u32>(at - NEAR, load<u32>(at - NEAR, NEAR_ORD) + 1, NEAR_ORD);
    return end;
  }
  for (let to = end; to > at; to -= NEAR) move(to - NEAR, to);
  store<u64>(at, cell);
  store<u64>(at, 1, NEAR_ORD);
  return end + NEAR;
}

function move(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
}

/**
 * Adds documents of a cell. Leaves are in the order of geohashes, so a cell that was counted before is the last one.
 */
function addTo(cell: u64, documents: u32): void {
  if (documents === 0) return;
  const last = buffer(B_FOUND) + found() * NEAR - NEAR;
  if (found() > 0 && load<u64>(last) === cell) return store<u32>(last, load<u32>(last, NEAR_ORD) + documents, NEAR_ORD);
  const entry = nextFound();
  store<u64>(entry, cell);
  store<u64>(entry, documents, NEAR_ORD);
}

/**
 * Compares some more cells, `budget` at most, to keep the best of them, in order: a heap whose first cell is the worst
 * of those kept so far. Returns whether there are more.
 */
export function keepBest(budget: u32): bool {
  const list = buffer(B_FOUND);
  const size = min(found(), load<u32>(Q_MOST));
  let i = load<u32>(Q_COMPARED);
  if (i === 0) {
    for (let place = size >> 1; place > 0; place--)
      siftDown(list, place - 1, size, load<u64>(list + (place - 1) * NEAR),
        load<u64>(list + (place - 1) * NEAR, NEAR_ORD));
    i = size;
  }
  const end = min(found(), i + budget);
  for (; i < end; i++) {
    const entry = list + i * NEAR;
    if (size > 0 && precedes(entry, list)) siftDown(list, 0, size, load<u64>(entry), load<u64>(entry, NEAR_ORD));
  }
  store<u32>(Q_COMPARED, end);
  if (end < found()) return true;
  sortHeap(list, size);
  store<u32>(Q_FOUND, size);
  store<u32>(Q_COMPARED, size);
  return false;
}

function sortHeap(list: usize, size: u32): void {
  for (let end = size; end > 1; end--) {
    const last = list + (end - 1) * NEAR;
    const cell = load<u64>(last);
    const documents = load<u64>(last, NEAR_ORD);
    move(list, last);
    siftDown(list, 0, end - 1, cell, documents);
  }
}

/** Puts a cell into the heap at a place whose former cell is dropped, or below it. */
function siftDown(list: usize, place: u32, size: u32, cell: u64, documents: u64): void {
  let at = list + place * NEAR;
  store<u64>(at, cell);
  store<u64>(at, documents, NEAR_ORD);
  for (let child = place * 2 + 1; child < size; child = child * 2 + 1) {
    if (child + 1 < size && precedes(list + child * NEAR, list + (child + 1) * NEAR)) child++;
    const other = list + child * NEAR;
    if (!precedes(at, other)) return;
    move(other, at);
    store<u64>(other, cell);
    store<u64>(other, documents, NEAR_ORD);
    at = other;
  }
}

function precedes(one: usize, other: usize): bool {
  const documents = load<u64>(one, NEAR_ORD);
  const others = load<u64>(other, NEAR_ORD);
  return documents !== others ? documents > others : load<u64>(one) < load<u64>(other);
}
