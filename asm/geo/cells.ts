// The number of documents in each cell, for a length of geohash, and the cells with the most.

import { B_CELLS, B_FOUND, buffer, reserve } from './buffers.ts';
import { KEY_BITS, keyOf } from './keys.ts';
import { H_ROOT, L_LAT, L_LNG, L_ORDS, LEAF_ROOM } from './layout.ts';
import { childAt, countOf, keyAt, levelOf } from './nodes.ts';
import { found, isWanted, NEAR, NEAR_ORD, NO_FILTER, nextFound, Q_FILTER_WORDS, Q_FOUND } from './query.ts';

const DIGIT_BITS: u32 = 5;

/**
 * Lists (u64 cell, u64 documents) in B_FOUND, for the documents in the filter: the up to `most` cells with the most documents first, of equal ones
 * the least. Returns their number.
 */
export function countCells(digits: u32, most: u32): u32 {
  assert(digits >= 1 && digits <= 12, 'a geohash has 1 to 12 digits');
  reserve(B_CELLS, LEAF_ROOM * NEAR);
  const root = <usize>load<u32>(H_ROOT);
  if (root !== 0) visit(root, KEY_BITS - digits * DIGIT_BITS, 0, u64.MAX_VALUE);
  keepBest(most);
  return found();
}

/** Visits a node, whose geohashes are from `least` to `greatest`. */
function visit(node: usize, shift: u32, least: u64, greatest: u64): void {
  if (least >> shift === greatest >> shift) return addTo(least >> shift, wantedBelow(node));
  if (levelOf(node) === 0) return visitLeaf(node, shift);
  const count = countOf(node);
  for (let i: u32 = 0; i < count; i++) {
    visit(childAt(node, i), shift, i === 0 ? least : keyAt(node, i), i + 1 < count ? keyAt(node, i + 1) : greatest);
  }
}

/** Number of documents below a node that are in the filter. */
function wantedBelow(node: usize): u32 {
  const count = countOf(node);
  let wanted: u32 = 0;
  if (levelOf(node) > 0) for (let i: u32 = 0; i < count; i++) wanted += wantedBelow(childAt(node, i));
  else if (load<u32>(Q_FILTER_WORDS) === NO_FILTER) wanted = count;
  else for (let i: u32 = 0; i < count; i++) wanted += <u32>isWanted(load<u32>(node + (<usize>i << 2), L_ORDS));
  return wanted;
}

function visitLeaf(leaf: usize, shift: u32): void {
  const list = buffer(B_CELLS);
  const count = countOf(leaf);
  let end = list;
  for (let i: u32 = 0; i < count; i++) {
    if (!isWanted(load<u32>(leaf + (<usize>i << 2), L_ORDS))) continue;
    end = noteCell(list, end, keyOf(load<f64>(leaf + (<usize>i << 3), L_LAT), load<f64>(leaf + (<usize>i << 3), L_LNG)) >> shift);
  }
  for (let at = list; at < end; at += NEAR) addTo(load<u64>(at), load<u32>(at, NEAR_ORD));
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

/** Adds documents of a cell. Leaves are in the order of geohashes, so a cell that was counted before is the last one. */
function addTo(cell: u64, documents: u32): void {
  if (documents === 0) return;
  const last = buffer(B_FOUND) + found() * NEAR - NEAR;
  if (found() > 0 && load<u64>(last) === cell) return store<u32>(last, load<u32>(last, NEAR_ORD) + documents, NEAR_ORD);
  const entry = nextFound(NEAR);
  store<u64>(entry, cell);
  store<u64>(entry, documents, NEAR_ORD);
}

/** Keeps the best of the cells, in order: a heap whose first cell is the worst of those kept so far. */
function keepBest(most: u32): void {
  const list = buffer(B_FOUND);
  const size = min(found(), most);
  for (let i = size >> 1; i > 0; i--) siftDown(list, i - 1, size, load<u64>(list + (i - 1) * NEAR), load<u64>(list + (i - 1) * NEAR, NEAR_ORD));
  for (let i = size; i < found(); i++) {
    const entry = list + i * NEAR;
    if (size > 0 && precedes(entry, list)) siftDown(list, 0, size, load<u64>(entry), load<u64>(entry, NEAR_ORD));
  }
  for (let end = size; end > 1; end--) {
    const last = list + (end - 1) * NEAR;
    const cell = load<u64>(last);
    const documents = load<u64>(last, NEAR_ORD);
    move(list, last);
    siftDown(list, 0, end - 1, cell, documents);
  }
  store<u32>(Q_FOUND, size);
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
