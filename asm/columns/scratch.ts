// Buffers that hold nothing between requests, but for what is kept until a document changes. Each is a chunk that grows
// as needed. While a checkpoint is read, they grow at the end of the memory, which is not part of the checkpoint, so
// that requests change nothing of it but the entries of buffers.

import { H_BUFFERS, H_FROZEN, H_LEFT, H_LEFT_COUNT, MAX_LEFT, PART_SCRATCH } from './layout.ts';
import { allocate, release, roomFor } from './memory.ts';

/** What the host writes, and what it reads. */
export const B_INPUT: u32 = 0;
export const B_OUTPUT: u32 = 1;
/** A bit for each value that satisfies a condition. */
export const B_VERDICTS: u32 = 2;
/** Counts of documents by value, and the values with any. */
export const B_COUNTS: u32 = 3;
export const B_TOUCHED: u32 = 4;
/** Slots that are being sorted, u32, and their keys, u64. */
export const B_SLOTS: u32 = 5;
export const B_KEYS: u32 = 6;
/** Slots that were sorted. */
export const B_RESULT: u32 = 7;
/** Scores by slot, f64. */
export const B_SCORES: u32 = 8;
export const B_HISTOGRAM: u32 = 9;
/** Factors by ordinal, f64. */
export const B_FACTORS: u32 = 10;
/** What is noted about the times at which documents were added (see `time-notes.ts`). */
export const B_ADDED: u32 = 11;
/** Texts with which verdicts compare. */
export const B_TEXTS: u32 = 12;
/** Runs of blocks (see `slots.ts`). */
export const B_RUNS: u32 = 13;
/** The sets that slices are counted in. */
export const B_COMMON: u32 = 14;
/** The same about those at which they were updated. */
export const B_UPDATED: u32 = 15;
/** Values of columns by the bits of their numbers (see `slices.ts`). */
export const B_SLICES: u32 = 16;
/** Bitmaps over slots, by level (see `levels.ts`). */
export const B_LEVELS: u32 = 24;
export const BUFFERS: u32 = 96;

/** Notes a buffer that cannot be freed now. */
function leave(address: usize, room: u32): void {
  const count = load<u32>(H_LEFT_COUNT);
  if (count === MAX_LEFT) return;
  store<u32>(H_LEFT + (<usize>count << 3), <u32>address);
  store<u32>(H_LEFT + (<usize>count << 3), room, 4);
  store<u32>(H_LEFT_COUNT, count + 1);
}

function releaseLeft(): void {
  const count = load<u32>(H_LEFT_COUNT);
  for (let i: u32 = 0; i < count; i++)
    release(load<u32>(H_LEFT + (<usize>i << 3)), load<u32>(H_LEFT + (<usize>i << 3), 4), PART_SCRATCH);
  store<u32>(H_LEFT_COUNT, 0);
}

/** Address of a buffer; 0 until it is reserved. */
export function buffer(id: u32): usize {
  return load<u32>(H_BUFFERS + (<usize>id << 3));
}

/** Bytes that a buffer holds. */
export function room(id: u32): u32 {
  return load<u32>(H_BUFFERS + (<usize>id << 3), 4);
}

/** Makes a buffer hold at least `bytes`. Its content is kept only if it does not have to grow. */
export function reserve(id: u32, bytes: u32): usize {
  assert(id < BUFFERS, 'no such buffer');
  const entry = H_BUFFERS + (<usize>id << 3);
  const old = load<u32>(entry);
  const room = load<u32>(entry, 4);
  if (bytes <= room && old !== 0) return old;
  if (load<u32>(H_FROZEN) === 0) {
    release(old, room, PART_SCRATCH);
    releaseLeft();
  } else if (old !== 0) leave(old, room);
  const address = allocate(bytes, PART_SCRATCH);
  store<u32>(entry, <u32>address);
  store<u32>(entry, roomFor(bytes), 4);
  return address;
}
