// Storing and removing documents, and which blocks are joined when. Each value is written anew about as often as the
// size of a full block can be halved, and twice for each time that half of its block was removed.

import { buffer } from '../geo/buffers.ts';
import { forgetLeaf as forgetBlockOf, leafOf as blockOf, setLeaf as setBlockOf } from '../geo/places.ts';
import { appendBlock, blockAt, blockCount, dataOf, directoryOf, docsOf, dropBlock, indexOfBlock, liveOf, newBlock,
  ordsOf, retire, setBlock, setOrd, valuesOf } from './blocks.ts';
import { join } from './joining.ts';
import { B_INPUT, B_LIVE, E_START, ENTRY, H_DOCUMENTS, H_ORD_END, H_WORK, MAX_BLOCK_VALUES, MAX_DOCS, MAX_VALUES,
  NO_ORD, VALUE } from './layout.ts';

/**
 * Work (H_WORK) of a change after which blocks are left to be joined by the next one, so that none does all at once:
 * the last join alone is of up to a full block.
 */
const MOST_WORK: u32 = 1 << 18;

/** Stores the vector of `count` values in B_INPUT for a document, and removes its former one. */
export function putVector(ord: u32, count: u32): void {
  assert(count <= MAX_VALUES && ord !== NO_ORD, 'a vector that is too long, or an ordinal that is none');
  const block = newBlock(1, count, count);
  const begun = load<u32>(H_WORK);
  removeVector(ord);
  setOrd(block, 0, ord);
  const dims = buffer(B_INPUT);
  const values = dims + (<usize>count << 2);
  const entries = directoryOf(block);
  const data = dataOf(block);
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(entries + i * ENTRY, load<u32>(dims + (<usize>i << 2)));
    store<u32>(entries + i * ENTRY, i, E_START);
    store<f32>(data + i * VALUE, load<f32>(values + (<usize>i << 2)));
    store<u16>(data + i * VALUE, 0, 4);
  }
  setBlockOf(ord, block);
  appendBlock(block);
  store<u32>(H_DOCUMENTS, load<u32>(H_DOCUMENTS) + 1);
  store<u32>(H_ORD_END, max(load<u32>(H_ORD_END), ord + 1));
  store<u32>(H_WORK, load<u32>(H_WORK) + count);
  joinLast(begun);
}

/** Removes a document. Returns whether it had a vector. */
export function removeVector(ord: u32): bool {
  const block = blockOf(ord);
  if (block === 0) return false;
  let place = ordsOf(block);
  while (load<u32>(place) !== ord) place += 4;
  assert(place < directoryOf(block), 'a document that its block has not');
  store<u32>(place, NO_ORD);
  store<u32>(block, liveOf(block) - 1, B_LIVE);
  forgetBlockOf(ord);
  store<u32>(H_DOCUMENTS, load<u32>(H_DOCUMENTS) - 1);
  if (liveOf(block) * 2 < docsOf(block)) compact(indexOfBlock(block));
  return true;
}

/**
 * Joins neighbours among the last blocks of which the second has more than half of the documents of the first. Those
 * before two that do not fit into one are left alone.
 */
function joinLast(begun: u32): void {
  for (let last = <i32>blockCount() - 1; last > 0 && load<u32>(H_WORK) - begun < MOST_WORK; last--) {
    const before = blockAt(last - 1);
    const block = blockAt(last);
    if (!canJoin(before, block)) return;
    if (liveOf(before) < 2 * liveOf(block)) joinAt(last - 1);
  }
}

/** Drops a block without documents, or rewrites one with few, together with the smaller of its neighbours. */
function compact(index: u32): void {
  const block = blockAt(index);
  if (liveOf(block) === 0) {
    dropBlock(index);
    return retire(block);
  }
  const isAfter = index > 0 && canJoin(blockAt(index - 1), block);
  const isBefore = index + 1 < blockCount() && canJoin(block, blockAt(index + 1));
  if (isAfter && (!isBefore || liveOf(blockAt(index - 1)) <= liveOf(blockAt(index + 1)))) joinAt(index - 1);
  else if (isBefore) joinAt(index);
  else setBlock(index, join(block, 0));
}

function canJoin(a: usize, b: usize): bool {
  return liveOf(a) + liveOf(b) <= MAX_DOCS && valuesOf(a) + valuesOf(b) <= MAX_BLOCK_VALUES;
}

/** Joins a block and the next one. */
function joinAt(index: u32): void {
  setBlock(index, join(blockAt(index), blockAt(index + 1)));
  dropBlock(index + 1);
}
