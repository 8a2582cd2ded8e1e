// The number of documents in each cell, for a length of geohash.

import { B_CELLS, B_FOUND, buffer, reserve } from './buffers.ts';
import { KEY_BITS, keyOf } from './keys.ts';
import { H_ROOT, L_LAT, L_LNG, L_ORDS, LEAF_ROOM } from './layout.ts';
import { childAt, countOf, levelOf } from './nodes.ts';
import { found, isWanted, NEAR, NEAR_ORD, nextFound } from './query.ts';

const DIGIT_BITS: u32 = 5;

/** Lists (u64 cell, u32 documents) in B_FOUND, in the order of cells, for the documents in the filter. Returns the number of cells. */
export function countCells(digits: u32): u32 {
  assert(digits >= 1 && digits <= 12, 'a geohash has 1 to 12 digits');
  reserve(B_CELLS, LEAF_ROOM << 3);
  const root = <usize>load<u32>(H_ROOT);
  if (root !== 0) visit(root, KEY_BITS - digits * DIGIT_BITS);
  return found();
}

function visit(node: usize, shift: u32): void {
  const count = countOf(node);
  if (levelOf(node) > 0) {
    for (let i: u32 = 0; i < count; i++) visit(childAt(node, i), shift);
    return;
  }
  const cells = listCells(node, shift);
  const end = buffer(B_CELLS) + (<usize>cells << 3);
  for (let at = buffer(B_CELLS); at < end; at += 8) countOne(load<u64>(at));
}

/** Lists the cells of the points of a leaf, in order. Returns their number. */
function listCells(leaf: usize, shift: u32): u32 {
  const list = buffer(B_CELLS);
  const count = countOf(leaf);
  let cells: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (!isWanted(load<u32>(leaf + (<usize>i << 2), L_ORDS))) continue;
    const cell = keyOf(load<f64>(leaf + (<usize>i << 3), L_LAT), load<f64>(leaf + (<usize>i << 3), L_LNG)) >> shift;
    let at = list + (<usize>cells << 3);
    for (; at > list && load<u64>(at - 8) > cell; at -= 8) store<u64>(at, load<u64>(at - 8));
    store<u64>(at, cell);
    cells++;
  }
  return cells;
}

/** Counts a document in its cell. Leaves are in the order of geohashes, so a cell that was counted before is the last one. */
function countOne(cell: u64): void {
  const last = buffer(B_FOUND) + found() * NEAR - NEAR;
  if (found() > 0 && load<u64>(last) === cell) return store<u32>(last, load<u32>(last, NEAR_ORD) + 1, NEAR_ORD);
  const entry = nextFound(NEAR);
  store<u64>(entry, cell);
  store<u64>(entry, 1, NEAR_ORD);
}
