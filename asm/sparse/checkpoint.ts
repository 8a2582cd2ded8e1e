// Blocks that the host has read from a checkpoint.

import { allocate, release } from '../columns/memory.ts';
import { leafOf as blockOf, setLeaf as setBlockOf } from '../geo/places.ts';
import { appendBlock, bytesFor, dataOf, directoryOf, docsOf, ordsOf, valuesOf } from './blocks.ts';
import { B_BYTES, B_DOCS, B_GREATEST, B_LEAST, B_LISTS, B_LIVE, B_NEXT, B_VALUES, BLOCK_HEADER, E_START, ENTRY,
  H_DOCUMENTS, H_ORD_END, MAX_BLOCK_VALUES, MAX_DOCS, NO_ORD, PART_BLOCKS, VALUE } from './layout.ts';

/** Space for a block to be read, which `adoptBlock` takes over. */
export function spaceForBlock(bytes: u32): usize {
  return allocate(bytes, PART_BLOCKS);
}

/** Adds a block of `bytes` bytes. Returns false, and frees it, if it is none. */
export function adoptBlock(block: usize, bytes: u32): bool {
  if (!isBlock(block, bytes) || !adoptDocuments(block)) {
    release(block, bytes, PART_BLOCKS);
    return false;
  }
  store<u32>(block, 0, B_NEXT);
  appendBlock(block);
  return true;
}

function isBlock(block: usize, bytes: u32): bool {
  if (bytes < BLOCK_HEADER || load<u32>(block, B_BYTES) !== bytes) return false;
  const docs = load<u32>(block, B_DOCS);
  const lists = load<u32>(block, B_LISTS);
  const values = load<u32>(block, B_VALUES);
  if (docs === 0 || docs > MAX_DOCS || values > MAX_BLOCK_VALUES || lists > values) return false;
  return bytes === bytesFor(docs, lists, values) && areLists(block, lists);
}

/** Whether lists have values and are in order. */
function areLists(block: usize, lists: u32): bool {
  let entry = directoryOf(block);
  const end = entry + lists * ENTRY;
  if (load<u32>(entry, E_START) !== 0 || load<u32>(end, E_START) !== valuesOf(block)) return false;
  for (; entry < end; entry += ENTRY) {
    if (entry + ENTRY < end && load<u32>(entry) >= load<u32>(entry, ENTRY)) return false;
    const from = load<u32>(entry, E_START);
    const to = load<u32>(entry, ENTRY + E_START);
    if (to <= from || to > valuesOf(block) || !isList(block, from, to)) return false;
  }
  return true;
}

function isList(block: usize, from: u32, to: u32): bool {
  const slots = dataOf(block) + from * VALUE + (<usize>(to - from) << 2);
  for (let i: usize = 0; i < to - from; i++) {
    const slot = <u32>load<u16>(slots + (i << 1));
    if (slot >= docsOf(block) || (i > 0 && slot <= <u32>load<u16>(slots + (i << 1) - 2))) return false;
  }
  return true;
}

/** Notes the documents of a block; false if another block has one of them, too, or if their number is wrong. */
function adoptDocuments(block: usize): bool {
  const least = load<u32>(block, B_LEAST);
  const greatest = load<u32>(block, B_GREATEST);
  let live: u32 = 0;
  for (let i: u32 = 0; i < docsOf(block); i++) {
    const ord = load<u32>(ordsOf(block) + (<usize>i << 2));
    if (ord === NO_ORD) continue;
    if (ord < least || ord > greatest || blockOf(ord) !== 0) return false;
    setBlockOf(ord, block);
    live++;
  }
  store<u32>(H_DOCUMENTS, load<u32>(H_DOCUMENTS) + live);
  if (live > 0) store<u32>(H_ORD_END, max(load<u32>(H_ORD_END), greatest + 1));
  return live === load<u32>(block, B_LIVE);
}
