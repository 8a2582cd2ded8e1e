// Blocks and their table. The order of the table is the order in which documents came.

import { allocate, release, resize } from '../columns/memory.ts';
import { B_BYTES, B_DOCS, B_GREATEST, B_LEAST, B_LISTS, B_LIVE, B_NEXT, B_VALUES, BLOCK_HEADER, E_START, ENTRY,
  H_BLOCK_COUNT, H_BLOCK_ROOM, H_BLOCKS, H_HELD, H_RETIRED, NO_ORD, PART_BLOCKS, VALUE } from './layout.ts';

export function docsOf(block: usize): u32 {
  return load<u32>(block, B_DOCS);
}

export function liveOf(block: usize): u32 {
  return load<u32>(block, B_LIVE);
}

export function valuesOf(block: usize): u32 {
  return load<u32>(block, B_VALUES);
}

export function ordsOf(block: usize): usize {
  return block + BLOCK_HEADER;
}

export function listsOf(block: usize): u32 {
  return load<u32>(block, B_LISTS);
}

/** Address of the entries of the lists, behind which is one with the number of all values. */
export function directoryOf(block: usize): usize {
  return ordsOf(block) + (<usize>docsOf(block) << 2);
}

/** Address of the lists. */
export function dataOf(block: usize): usize {
  return directoryOf(block) + (listsOf(block) + 1) * ENTRY;
}

/** Bytes of a block; those of the fullest one are far from 2^32. */
export function bytesFor(docs: u32, lists: u32, values: u32): u32 {
  return BLOCK_HEADER + docs * 4 + (lists + 1) * ENTRY + values * VALUE;
}

/** Allocates a block, whose ordinals and lists are to be written. */
export function newBlock(docs: u32, lists: u32, values: u32): usize {
  const bytes = bytesFor(docs, lists, values);
  const block = allocate(bytes, PART_BLOCKS);
  store<u32>(block, docs, B_DOCS);
  store<u32>(block, docs, B_LIVE);
  store<u32>(block, lists, B_LISTS);
  store<u32>(block, values, B_VALUES);
  store<u32>(block, bytes, B_BYTES);
  store<u32>(block, NO_ORD, B_LEAST);
  store<u32>(block, 0, B_GREATEST);
  store<u32>(block, 0, B_NEXT);
  store<u32>(directoryOf(block) + lists * ENTRY, values, E_START);
  return block;
}

/** Sets the ordinal of a slot of a new block. */
export function setOrd(block: usize, slot: u32, ord: u32): void {
  store<u32>(ordsOf(block) + (<usize>slot << 2), ord);
  store<u32>(block, min(load<u32>(block, B_LEAST), ord), B_LEAST);
  store<u32>(block, max(load<u32>(block, B_GREATEST), ord), B_GREATEST);
}

/** Frees a block, at once or when no checkpoint reads it any more. */
export function retire(block: usize): void {
  if (load<u32>(H_HELD) === 0) return release(block, load<u32>(block, B_BYTES), PART_BLOCKS);
  store<u32>(block, load<u32>(H_RETIRED), B_NEXT);
  store<u32>(H_RETIRED, <u32>block);
}

/** From now on, or no longer, the bytes of blocks stay where they are, except the ordinals of removed documents. */
export function holdBlocks(held: bool): void {
  store<u32>(H_HELD, held);
  if (held) return;
  let block = <usize>load<u32>(H_RETIRED);
  store<u32>(H_RETIRED, 0);
  while (block !== 0) {
    const next = load<u32>(block, B_NEXT);
    release(block, load<u32>(block, B_BYTES), PART_BLOCKS);
    block = next;
  }
}

export function blockCount(): u32 {
  return load<u32>(H_BLOCK_COUNT);
}

export function blockAt(index: u32): usize {
  return load<u32>(<usize>load<u32>(H_BLOCKS) + (<usize>index << 2));
}

/** Puts a block into the table behind all others. */
export function appendBlock(block: usize): void {
  const count = blockCount();
  const room = load<u32>(H_BLOCK_ROOM);
  if (count === room) {
    const wider = room === 0 ? 16 : room * 2;
    store<u32>(H_BLOCKS, <u32>resize(load<u32>(H_BLOCKS), room << 2, wider << 2, PART_BLOCKS));
    store<u32>(H_BLOCK_ROOM, wider);
  }
  store<u32>(H_BLOCK_COUNT, count + 1);
  setBlock(count, block);
}

export function setBlock(index: u32, block: usize): void {
  store<u32>(<usize>load<u32>(H_BLOCKS) + (<usize>index << 2), <u32>block);
}

/** Takes a block out of the table. */
export function dropBlock(index: u32): void {
  const behind = blockCount() - index - 1;
  const place = <usize>load<u32>(H_BLOCKS) + (<usize>index << 2);
  memory.copy(place, place + 4, <usize>behind << 2);
  store<u32>(H_BLOCK_COUNT, index + behind);
}

export function indexOfBlock(block: usize): u32 {
  let index: u32 = 0;
  while (blockAt(index) !== block) index++;
  assert(index < blockCount(), 'a block that is not in the table');
  return index;
}
