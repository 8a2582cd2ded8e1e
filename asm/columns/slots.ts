// Slots: the places of documents in all arrays and bitmaps here. Ordinals number the documents of the whole database,
// most of which are in other collections; slots are the collection's own. Eight consecutive ordinals, from a multiple
// of eight on, have eight consecutive slots: so a bitmap over ordinals is converted to one over slots, and back, byte
// by byte, and long runs of it by copying. A block without documents is reused for other ordinals.
//
//     H_ORD_PAGES    pages of 512 x u32: for each block of ordinals, one more than its block of slots, 0 for none
//     H_BLOCK_ORDS   for each block of slots, its block of ordinals; for a free one, FREE and the next free one + 1
//     H_LIVE         a bit for each slot that has a document: one byte per block

import { clearBit, hasBit, setBit } from './bits.ts';
import { H_BLOCK_CAPACITY, H_BLOCK_ORDS, H_BLOCKS, H_DOCS, H_FREE_BLOCK, H_LIVE, H_ORD_END, H_ORD_PAGE_CAPACITY,
  H_ORD_PAGES, H_RUNS, PART_COLUMNS } from './layout.ts';
import { allocateZeroed, resize } from './memory.ts';
import { B_RUNS, buffer, reserve } from './scratch.ts';

export const NO_SLOT: u32 = 0xffffffff;
const PAGE_SHIFT: u32 = 9;
const PAGE_MASK: u32 = 511;
const FIRST_BLOCKS: u32 = 64;
const FREE: u32 = 0x80000000;
const RUN: usize = 12;

/** Number of slots, used or not: a multiple of 64. */
export function slotEnd(): u32 {
  return (load<u32>(H_BLOCKS) * 8 + 63) & ~63;
}

export function live(): usize {
  return load<u32>(H_LIVE);
}

export function ordOf(slot: u32): u32 {
  return (load<u32>(<usize>load<u32>(H_BLOCK_ORDS) + (<usize>(slot >> 3) << 2)) << 3) | (slot & 7);
}

/** The slot of a document, or NO_SLOT. */
export function slotOf(ord: u32): u32 {
  const block = blockOf(ord >> 3);
  if (block === 0) return NO_SLOT;
  const slot = ((block - 1) << 3) | (ord & 7);
  return hasBit(live(), slot) ? slot : NO_SLOT;
}

/** Assigns a slot to a document that has none. */
export function takeSlot(ord: u32): u32 {
  let block = blockOf(ord >> 3);
  if (block === 0) block = takeBlock(ord >> 3);
  const slot = ((block - 1) << 3) | (ord & 7);
  setBit(live(), slot);
  store<u32>(H_DOCS, load<u32>(H_DOCS) + 1);
  return slot;
}

export function freeSlot(slot: u32): void {
  const block = slot >> 3;
  clearBit(live(), slot);
  store<u32>(H_DOCS, load<u32>(H_DOCS) - 1);
  if (load<u8>(live() + block) !== 0) return;
  const place = <usize>load<u32>(H_BLOCK_ORDS) + (<usize>block << 2);
  store<u32>(pageEntry(load<u32>(place)), 0);
  store<u32>(place, FREE | load<u32>(H_FREE_BLOCK));
  store<u32>(H_RUNS, 0);
  store<u32>(H_FREE_BLOCK, block + 1);
}

/** Converts a bitmap over ordinals, of `bytes` bytes, to one over slots; slots without documents get no bit. */
export function toSlots(ordBits: usize, bytes: u32, slotBits: usize): void {
  const runs = listRuns();
  const end = slotEnd() >> 3;
  memory.fill(slotBits, 0, end);
  for (let run = buffer(B_RUNS), last = run + runs * RUN; run < last; run += RUN) {
    const first = load<u32>(run, 4);
    const block = load<u32>(run);
    if (first < bytes)
      copyLive(slotBits + block, ordBits + first, live() + block, min(load<u32>(run, 8), bytes - first));
  }
}

/** Copies the bits of a run that have documents. */
function copyLive(to: usize, from: usize, alive: usize, length: u32): void {
  let i: u32 = 0;
  for (; i + 16 <= length; i += 16) v128.store(to + i, v128.and(v128.load(from + i), v128.load(alive + i)));
  for (; i < length; i++) store<u8>(to + i, load<u8>(from + i) & load<u8>(alive + i));
}

/** Converts a bitmap over slots to one over ordinals, whose bytes must be zero before. */
export function toOrds(slotBits: usize, ordBits: usize): void {
  const runs = listRuns();
  for (let run = buffer(B_RUNS), last = run + runs * RUN; run < last; run += RUN)
    copyRun(ordBits + load<u32>(run, 4), slotBits + load<u32>(run), load<u32>(run, 8));
}

function copyRun(to: usize, from: usize, length: u32): void {
  if (length === 1) store<u8>(to, load<u8>(from));
  else memory.copy(to, from, length);
}

/**
 * Lists runs of blocks with consecutive ordinals in B_RUNS, unless they are there: u32 block, u32 block of ordinals,
 * u32 length.
 */
function listRuns(): u32 {
  if (load<u32>(H_RUNS) !== 0) return load<u32>(H_RUNS);
  const blocks = load<u32>(H_BLOCKS);
  const ords = <usize>load<u32>(H_BLOCK_ORDS);
  const list = reserve(B_RUNS, max(blocks, 1) * <u32>RUN);
  let runs: u32 = 0;
  for (let block: u32 = 0; block < blocks;) {
    const first = load<u32>(ords + (<usize>block << 2));
    let end = block + 1;
    if ((first & FREE) === 0) {
      while (end < blocks && load<u32>(ords + (<usize>end << 2)) - first === end - block) end++;
      const run = list + runs * RUN;
      store<u32>(run, block);
      store<u32>(run, first, 4);
      store<u32>(run, end - block, 8);
      runs++;
    }
    block = end;
  }
  store<u32>(H_RUNS, runs);
  return runs;
}

/** One more than the block of slots of a block of ordinals, or 0. */
function blockOf(ordBlock: u32): u32 {
  if (ordBlock >> PAGE_SHIFT >= load<u32>(H_ORD_PAGE_CAPACITY)) return 0;
  const page = <usize>load<u32>(<usize>load<u32>(H_ORD_PAGES) + (<usize>(ordBlock >> PAGE_SHIFT) << 2));
  return page === 0 ? 0 : load<u32>(page + (<usize>(ordBlock & PAGE_MASK) << 2));
}

/** Address of the entry that `blockOf` reads; its page must exist. */
function pageEntry(ordBlock: u32): usize {
  const page = <usize>load<u32>(<usize>load<u32>(H_ORD_PAGES) + (<usize>(ordBlock >> PAGE_SHIFT) << 2));
  return page + (<usize>(ordBlock & PAGE_MASK) << 2);
}

function takeBlock(ordBlock: u32): u32 {
  makePage(ordBlock >> PAGE_SHIFT);
  const free = load<u32>(H_FREE_BLOCK);
  const block = free === 0 ? newBlock() : free - 1;
  const place = <usize>load<u32>(H_BLOCK_ORDS) + (<usize>block << 2);
  if (free !== 0) store<u32>(H_FREE_BLOCK, load<u32>(place) & ~FREE);
  store<u32>(place, ordBlock);
  store<u32>(H_RUNS, 0);
  if ((ordBlock + 1) << 3 > load<u32>(H_ORD_END)) store<u32>(H_ORD_END, (ordBlock + 1) << 3);
  store<u32>(pageEntry(ordBlock), block + 1);
  return block + 1;
}

function newBlock(): u32 {
  const block = load<u32>(H_BLOCKS);
  const room = load<u32>(H_BLOCK_CAPACITY);
  if (block === room) {
    const wider = room === 0 ? FIRST_BLOCKS : room * 2;
    store<u32>(H_BLOCK_ORDS, <u32>resize(load<u32>(H_BLOCK_ORDS), room << 2, wider << 2, PART_COLUMNS));
    store<u32>(H_LIVE, <u32>resize(load<u32>(H_LIVE), room, wider, PART_COLUMNS));
    store<u32>(H_BLOCK_CAPACITY, wider);
  }
  store<u32>(H_BLOCKS, block + 1);
  return block;
}

function makePage(page: u32): void {
  const room = load<u32>(H_ORD_PAGE_CAPACITY);
  if (page >= room) {
    const wider = max(page + 1, room + (room >> 2));
    store<u32>(H_ORD_PAGES, <u32>resize(load<u32>(H_ORD_PAGES), room << 2, wider << 2, PART_COLUMNS));
    store<u32>(H_ORD_PAGE_CAPACITY, wider);
  }
  const place = <usize>load<u32>(H_ORD_PAGES) + (<usize>page << 2);
  if (load<u32>(place) === 0) store<u32>(place, <u32>allocateZeroed((PAGE_MASK + 1) << 2, PART_COLUMNS));
}
