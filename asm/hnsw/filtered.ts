// Searches among the rows of a filter that may take long: a walk through all rows, and a scan.

import { distanceOf, entryOf, insertEntry, rowOf } from './beam.ts';
import { distancesOf } from './codes.ts';
import { popHeap, pushHeap } from './heap.ts';
import { G_DONE, G_LINKS, G_NODES, listOf, M0, recordOf } from './layout.ts';
import { NO_ROOM } from './query.ts';
import { forgetSeen, prepareScratch, S_BEAM, S_DISTANCES, S_HEAP, S_PROBE, S_SCANNED, S_TRAIL_AT, see,
  seeList } from './scratch.ts';
import { descend } from './search.ts';

/** About how many new rows are found by following one row's links. */
const ROWS_PER_STEP: u64 = 12;

/** Writes the first k rows of a beam that pass; returns their number. */
export function give(beam: usize, size: u32, k: u32, bitmap: usize, end: u32, out: usize): u32 {
  let given: u32 = 0;
  for (let i: u32 = 0; i < size && given < k; i++) {
    const row = rowOf(load<i64>(beam + (<usize>i << 3)));
    store<u32>(out + (<usize>given << 2), row);
    given += <u32>(row < end && (bitmap === 0 || passes(bitmap, row)));
  }
  return given;
}

export function passes(bitmap: usize, row: u32): bool {
  return ((load<u32>(bitmap + (<usize>(row >> 5) << 2)) >> (row & 31)) & 1) !== 0;
}

/**
 * A walk through all rows that keeps only those of the bitmap, until the next row to follow is farther than
 * all that it keeps. It stops early, with the rows that it has, after comparing far more rows than usual.
 */
export function walkAll(graph: usize, scratch: usize, k: u32, width: u32, bitmap: usize, selected: u32, end: u32,
  out: usize): u32
{
  const usual = (ROWS_PER_STEP * width * load<u32>(graph, G_NODES)) / max(selected, 1);
  const limit = <u32>min<u64>(selected, 16 * usual) + 64;
  if (!prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, width, limit + M0)) return NO_ROOM;
  const beam = <usize>load<u32>(scratch, S_BEAM);
  const heap = <usize>load<u32>(scratch, S_HEAP);
  const probe = <usize>load<u32>(scratch, S_PROBE);
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const distances = scratch + S_DISTANCES;
  const start = descend(graph, scratch, 0);
  let worst: f32 = Infinity;
  let size: u32 = 0;
  let waiting = pushHeap(heap, 0, start);
  let scanned: u32 = 1;
  see(scratch, rowOf(start));
  if (rowOf(start) < end && passes(bitmap, rowOf(start))) {
    store<i64>(beam, start);
    size = 1;
  }
  while (waiting > 0 && scanned < limit) {
    const entry = load<i64>(heap);
    if (distanceOf(entry) > worst) break;
    waiting = popHeap(heap, waiting);
    const rows = seeList(scratch, listOf(recordOf(graph, rowOf(entry)), linksAt, 0));
    const count = (load<u32>(scratch, S_TRAIL_AT) - <u32>rows) >> 2;
    scanned += count;
    distancesOf(graph, probe, rows, count, distances);
    for (let i: usize = 0; i < <usize>count; i++) {
      const distance = load<f32>(distances + (i << 2));
      if (distance >= worst) continue;
      const row = load<u32>(rows + (i << 2));
      const found = entryOf(distance, row);
      waiting = pushHeap(heap, waiting, found);
      if (row >= end || !passes(bitmap, row)) continue;
      insertEntry(beam, size, width, found);
      size = min(size + 1, width);
      if (size === width) worst = distanceOf(load<i64>(beam + (<usize>(width - 1) << 3)));
    }
  }
  forgetSeen(scratch);
  store<u32>(scratch, load<u32>(scratch, S_SCANNED) + scanned, S_SCANNED);
  return give(beam, size, k, 0, end, out);
}

/** Compares every row of the bitmap, by its code. */
export function scan(graph: usize, scratch: usize, k: u32, bitmap: usize, end: u32, out: usize): u32 {
  if (!prepareScratch(graph, scratch, 0, k, 0)) return NO_ROOM;
  const beam = <usize>load<u32>(scratch, S_BEAM);
  const probe = <usize>load<u32>(scratch, S_PROBE);
  const distances = scratch + S_DISTANCES;
  const batch = <usize>load<u32>(scratch, S_TRAIL_AT);
  let worst: f32 = Infinity;
  let size: u32 = 0;
  let scanned: u32 = 0;
  const stop = min(end, load<u32>(graph, G_DONE));
  for (let first: u32 = 0; first < stop; first += 32) {
    let bits = load<u32>(bitmap + (<usize>first >> 3));
    if (stop - first < 32) bits &= (1 << (stop - first)) - 1;
    let count: usize = 0;
    for (; bits !== 0; bits &= bits - 1) store<u32>(batch + (count++ << 2), first + ctz(bits));
    if (count === 0) continue;
    scanned += <u32>count;
    distancesOf(graph, probe, batch, <u32>count, distances);
    for (let i: usize = 0; i < count; i++) {
      const distance = load<f32>(distances + (i << 2));
      if (distance >= worst) continue;
      insertEntry(beam, size, k, entryOf(distance, load<u32>(batch + (i << 2))));
      size = min(size + 1, k);
      if (size === k) worst = distanceOf(load<i64>(beam + (<usize>(k - 1) << 3)));
    }
  }
  store<u32>(scratch, load<u32>(scratch, S_SCANNED) + scanned, S_SCANNED);
  return give(beam, size, k, 0, end, out);
}
