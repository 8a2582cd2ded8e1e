// The working memory of a search. Each thread has its own; its content is not kept between calls, only its capacity.

import { allocateScratch, release } from '../vector/memory.ts';
import { PROBE_HEAD, probeBytesOf } from './codes.ts';
import { M0 } from './layout.ts';

/** Probes: the query; a row whose list is pruned; a candidate of that list. */
export const S_PROBE: usize = 0;
export const S_OWNER: usize = 4;
export const S_CANDIDATE: usize = 8;
const S_PROBES_BYTES: usize = 12;
/**
 * Bitmap of rows that were seen; all zero between calls except its last bit, which stands for all rows beyond the
 * bitmap.
 */
export const S_SEEN: usize = 16;
const S_SEEN_BYTES: usize = 20;
/** Rows that were seen, by which the bitmap is cleared, as far as they fit; the newest are the current batch. */
export const S_TRAIL: usize = 24;
export const S_TRAIL_AT: usize = 28;
/** Whether the trail overflowed and was restarted. */
export const S_TRAIL_LOST: usize = 32;
/** The beam and its capacity in entries. */
export const S_BEAM: usize = 36;
export const S_BEAM_ROOM: usize = 40;
/** The heap of searches with a filter. */
export const S_HEAP: usize = 44;
export const S_HEAP_ROOM: usize = 48;
/** Number of rows that the last search compared. */
export const S_SCANNED: usize = 52;
/** Place in the beam of the nearest row that the last batch has added. */
export const S_NEAREST: usize = 56;
export const SCRATCH_BYTES: u32 = 2048;

/** Distances of a batch, f32. */
export const S_DISTANCES: usize = 64;
/** Rows that pruning has chosen. */
export const S_CHOSEN: usize = S_DISTANCES + 64 * 4;
/** A small beam for pruning. */
export const S_SMALL: usize = S_CHOSEN + 64 * 4;
/** A list of links and one more row. */
export const S_LINKS: usize = S_SMALL + 64 * 8;

const TRAIL_ROWS: usize = 16384;
export const TRAIL_BYTES: usize = TRAIL_ROWS << 2;

/** Makes a scratch in SCRATCH_BYTES of memory. */
export function initializeScratch(scratch: usize): void {
  memory.fill(scratch, 0, SCRATCH_BYTES);
}

/** Makes space for rows below `rows`, a beam of `room` and a heap of `heap`. Returns whether there is enough memory. */
export function prepareScratch(graph: usize, scratch: usize, rows: u32, room: u32, heap: u32): bool {
  const probeBytes = (<u32>PROBE_HEAD + probeBytesOf(graph) + 63) & ~63;
  if (load<u32>(scratch, S_PROBES_BYTES) !== probeBytes * 3) {
    release(load<u32>(scratch, S_PROBE), load<u32>(scratch, S_PROBES_BYTES));
    const probes = <u32>allocateScratch(probeBytes * 3);
    store<u32>(scratch, probes, S_PROBE);
    store<u32>(scratch, probes + probeBytes, S_OWNER);
    store<u32>(scratch, probes + 2 * probeBytes, S_CANDIDATE);
    store<u32>(scratch, probes === 0 ? 0 : probeBytes * 3, S_PROBES_BYTES);
    if (probes === 0) return false;
  }
  if (load<u32>(scratch, S_TRAIL) === 0) {
    const trail = <u32>allocateScratch(<u32>TRAIL_BYTES);
    if (trail === 0) return false;
    store<u32>(scratch, trail, S_TRAIL);
    store<u32>(scratch, trail, S_TRAIL_AT);
  }
  return growSeen(scratch, rows) && grow(scratch, S_BEAM, room) && grow(scratch, S_HEAP, heap);
}

function growSeen(scratch: usize, rows: u32): bool {
  const bytes = ((rows >> 9) + 1) << 6;
  if (load<u32>(scratch, S_SEEN_BYTES) >= bytes) return true;
  const wanted = bytes + (bytes >> 1);
  release(load<u32>(scratch, S_SEEN), load<u32>(scratch, S_SEEN_BYTES));
  const seen = <u32>allocateScratch(wanted);
  store<u32>(scratch, seen, S_SEEN);
  store<u32>(scratch, seen === 0 ? 0 : wanted, S_SEEN_BYTES);
  if (seen === 0) return false;
  memory.fill(seen, 0, wanted);
  markLast(scratch);
  return true;
}

/**
 * Rows that are inserted while a search runs may be beyond its bitmap. The last bit is always set, so that the search
 * skips them.
 */
function markLast(scratch: usize): void {
  store<u8>(load<u32>(scratch, S_SEEN) + load<u32>(scratch, S_SEEN_BYTES) - 1, 0x80);
}

/** Grows an array of entries, whose capacity is stored behind its address. Its content is lost. */
function grow(scratch: usize, field: usize, entries: u32): bool {
  const room = load<u32>(scratch + field, 4);
  if (room >= entries) return true;
  release(load<u32>(scratch + field), room << 3);
  const at = <u32>allocateScratch(entries << 3);
  store<u32>(scratch + field, at);
  store<u32>(scratch + field, at === 0 ? 0 : entries, 4);
  return at !== 0;
}

export function releaseScratch(scratch: usize): void {
  release(load<u32>(scratch, S_PROBE), load<u32>(scratch, S_PROBES_BYTES));
  release(load<u32>(scratch, S_TRAIL), <u32>TRAIL_BYTES);
  release(load<u32>(scratch, S_SEEN), load<u32>(scratch, S_SEEN_BYTES));
  release(load<u32>(scratch, S_BEAM), load<u32>(scratch, S_BEAM_ROOM) << 3);
  release(load<u32>(scratch, S_HEAP), load<u32>(scratch, S_HEAP_ROOM) << 3);
  release(scratch, SCRATCH_BYTES);
}

/**
 * Appends the rows of a list (count, then rows) that were not seen yet to the trail, and marks them as seen. Returns
 * where they begin; they end at S_TRAIL_AT.
 */
export function seeList(scratch: usize, list: usize): usize {
  const seen = <usize>load<u32>(scratch, S_SEEN);
  const last = lastSeen(scratch);
  const start = beginBatch(scratch, M0);
  let at = start;
  const end = list + 4 + (<usize>min(load<u32>(list), M0) << 2);
  for (let link = list + 4; link < end; link += 4) {
    const row = min(load<u32>(link), last);
    const word = seen + (<usize>(row >> 5) << 2);
    const bits = load<u32>(word);
    store<u32>(at, row);
    store<u32>(word, bits | (1 << (row & 31)));
    at += <usize>(~(bits >> (row & 31)) & 1) << 2;
  }
  store<u32>(scratch, <u32>at, S_TRAIL_AT);
  return start;
}

/** Marks a single row as seen. */
export function see(scratch: usize, row: u32): void {
  if (row >= (load<u32>(scratch, S_SEEN_BYTES) << 3)) return;
  const at = beginBatch(scratch, 1);
  mark(load<u32>(scratch, S_SEEN), row);
  store<u32>(at, row);
  store<u32>(scratch, <u32>at + 4, S_TRAIL_AT);
}

/** The last row of the bitmap, which stands for all beyond it. */
export function lastSeen(scratch: usize): u32 {
  return (load<u32>(scratch, S_SEEN_BYTES) << 3) - 1;
}

/**
 * Marks a row in the bitmap at `seen`, unless it is marked. Returns whether it was not; it must be appended to the
 * trail then.
 */
export function mark(seen: usize, row: u32): bool {
  const word = seen + (<usize>(row >> 5) << 2);
  const bits = load<u32>(word);
  store<u32>(word, bits | (1 << (row & 31)));
  return ((bits >> (row & 31)) & 1) === 0;
}

/**
 * Appends rows that are marked as seen to the trail, as one batch. Returns where they begin; they end at S_TRAIL_AT.
 */
export function appendBatch(scratch: usize, rows: usize, count: usize): usize {
  const start = beginBatch(scratch, count);
  memory.copy(start, rows, count << 2);
  store<u32>(scratch, <u32>(start + (count << 2)), S_TRAIL_AT);
  return start;
}

/** Where the next batch begins: its rows, and up to three more that are read with them, have space there. */
function beginBatch(scratch: usize, rows: usize): usize {
  const at = <usize>load<u32>(scratch, S_TRAIL_AT);
  const start = <usize>load<u32>(scratch, S_TRAIL);
  if (at + ((rows + 4) << 2) <= start + TRAIL_BYTES) return at;
  store<u32>(scratch, 1, S_TRAIL_LOST);
  return start;
}

/** Clears the bitmap of seen rows. */
export function forgetSeen(scratch: usize): void {
  const seen = <usize>load<u32>(scratch, S_SEEN);
  const trail = <usize>load<u32>(scratch, S_TRAIL);
  if (load<u32>(scratch, S_TRAIL_LOST) !== 0) {
    memory.fill(seen, 0, load<u32>(scratch, S_SEEN_BYTES));
    store<u32>(scratch, 0, S_TRAIL_LOST);
  } else {
    const end = <usize>load<u32>(scratch, S_TRAIL_AT);
    for (let at = trail; at < end; at += 4) store<u32>(seen + (<usize>(load<u32>(at) >> 5) << 2), 0);
  }
  markLast(scratch);
  store<u32>(scratch, <u32>trail, S_TRAIL_AT);
}
