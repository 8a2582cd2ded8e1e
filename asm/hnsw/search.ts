// Searches: greedily through the upper levels, then with a beam at a level (algorithms 2 and 5 of Malkov and Yashunin,
// "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small World
// graphs", 2016), and searches with a filter.

import { distanceOf, entryOf, FOLLOWED, insertEntry, rowOf } from './beam.ts';
import { distancesOf, distanceTo, probeQuery } from './codes.ts';
import { G_LINKS, G_DONE, G_ENTRY, G_NODES, listOf, M0, recordOf } from './layout.ts';
import { pushHeap, popHeap } from './heap.ts';
import {
  forgetSeen, prepareScratch, S_BEAM, S_DISTANCES, S_HEAP, S_PROBE, S_SCANNED, S_TRAIL_AT, see, seeList,
} from './scratch.ts';

/** About how many new rows are found by following one row's links; to compare the cost of a walk through the graph with that of a scan. */
const ROWS_PER_STEP: u64 = 12;
/** The search failed because there is no memory. */
export const NO_ROOM: u32 = 0xffffffff;

/** Walks from the entry of the graph down to `level`, always to the nearest row. Returns its entry in a beam. */
export function descend(graph: usize, scratch: usize, level: u32): i64 {
  const entry = atomic.load<u64>(graph, G_ENTRY);
  const probe = <usize>load<u32>(scratch, S_PROBE);
  let nearest = entryOf(distanceTo(graph, probe, <u32>entry), <u32>entry);
  for (let at = <u32>(entry >> 32) - 1; at > level; at--) nearest = walkDown(graph, scratch, probe, nearest, at);
  return nearest;
}

function walkDown(graph: usize, scratch: usize, probe: usize, nearest: i64, level: u32): i64 {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const distances = scratch + S_DISTANCES;
  while (true) {
    const from = nearest;
    const list = listOf(recordOf(graph, rowOf(from)), linksAt, level);
    const count = load<u32>(list);
    distancesOf(graph, probe, list + 4, count, distances);
    for (let i: usize = 0; i < <usize>count; i++) {
      nearest = min(nearest, entryOf(load<f32>(distances + (i << 2)), load<u32>(list + 4 + (i << 2))));
    }
    if (nearest === from) return nearest;
  }
}

/** Fills the beam with the `room` nearest rows that a walk from `start` meets at a level; returns their number. Seen rows stay marked. */
export function searchLevel(graph: usize, scratch: usize, start: i64, level: u32, room: u32): u32 {
  const beam = <usize>load<u32>(scratch, S_BEAM);
  const probe = <usize>load<u32>(scratch, S_PROBE);
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const distances = scratch + S_DISTANCES;
  const last = beam + (<usize>(room - 1) << 3);
  let worst: f32 = Infinity;
  let size: u32 = 1;
  let at: u32 = 0;
  let scanned = load<u32>(scratch, S_SCANNED);
  store<i64>(beam, start);
  see(scratch, rowOf(start));
  if (room === 1) worst = distanceOf(start);
  while (at < size) {
    const entry = load<i64>(beam + (<usize>at << 3));
    if ((entry & FOLLOWED) !== 0) {
      at++;
      continue;
    }
    store<i64>(beam + (<usize>at << 3), entry | FOLLOWED);
    const rows = seeList(scratch, listOf(recordOf(graph, rowOf(entry)), linksAt, level));
    const count = (load<u32>(scratch, S_TRAIL_AT) - <u32>rows) >> 2;
    scanned += count;
    distancesOf(graph, probe, rows, count, distances);
    for (let i: usize = 0; i < <usize>count; i++) {
      const distance = load<f32>(distances + (i << 2));
      if (distance >= worst) continue;
      const place = insertEntry(beam, size, room, entryOf(distance, load<u32>(rows + (i << 2))));
      at = min(at, place);
      size = min(size + 1, room);
      if (size === room) worst = distanceOf(load<i64>(last));
    }
  }
  store<u32>(scratch, scanned, S_SCANNED);
  return size;
}

/**
 * The nearest rows to a query: at most `k` rows (u32) to `out`, nearest first; returns how many, or NO_ROOM. `ef` is the
 * width of the beam. Only rows below `end` are returned and, if `bitmap` is not 0, only rows of it; it has `selected`
 * rows. With a bitmap, all k rows are found if it has as many.
 */
export function search(graph: usize, scratch: usize, query: usize, factor: f32, k: u32, ef: u32, bitmap: usize, selected: u32, end: u32, out: usize): u32 {
  const nodes = load<u32>(graph, G_NODES);
  const width = max(ef, k);
  store<u32>(scratch, 0, S_SCANNED);
  if (nodes === 0 || k === 0 || !prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, max(width, 64), 0)) {
    return nodes === 0 || k === 0 ? 0 : NO_ROOM;
  }
  probeQuery(graph, load<u32>(scratch, S_PROBE), query, factor);
  if (bitmap === 0) return walk(graph, scratch, k, width, 0, end, out);
  const wider = width + width / 8;
  const isNearlyAll = <u64>selected * 10 >= <u64>nodes * 9;
  if (isNearlyAll) {
    const found = walk(graph, scratch, k, wider, bitmap, end, out);
    if (found === min(k, selected) || found === NO_ROOM) return found;
  } else if (<u64>k * nodes * 8 <= <u64>selected * wider * 5) {
    const found = walkAmong(graph, scratch, k, wider, bitmap, end, out);
    if (found === k || found === NO_ROOM) return found;
  }
  if (!isNearlyAll && <u64>selected * selected > ROWS_PER_STEP * width * nodes) {
    const found = walkFiltered(graph, scratch, k, width, bitmap, selected, end, out);
    if (found === min(k, selected) || found === NO_ROOM) return found;
  }
  return scan(graph, scratch, k, bitmap, end, out);
}

/** A search without a filter, or with one that nearly all rows pass: the filter is applied at the end. */
function walk(graph: usize, scratch: usize, k: u32, width: u32, bitmap: usize, end: u32, out: usize): u32 {
  if (!prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, width, 0)) return NO_ROOM;
  const size = searchLevel(graph, scratch, descend(graph, scratch, 0), 0, width);
  forgetSeen(scratch);
  return give(load<u32>(scratch, S_BEAM), size, k, bitmap, end, out);
}

/**
 * The same for a filter that many rows pass, if the k nearest of them are probably well within the beam: all rows that are nearer than
 * its end were compared, so this costs no more than a search without a filter. If it returns fewer than k, the passing rows are
 * farther away than others, and a walk that keeps only passing rows is needed.
 */
function walkAmong(graph: usize, scratch: usize, k: u32, width: u32, bitmap: usize, end: u32, out: usize): u32 {
  if (!prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, width, 0)) return NO_ROOM;
  const size = searchLevel(graph, scratch, descend(graph, scratch, 0), 0, width);
  forgetSeen(scratch);
  return give(load<u32>(scratch, S_BEAM), min(size, width * 3 / 4), k, bitmap, end, out);
}

function give(beam: usize, size: u32, k: u32, bitmap: usize, end: u32, out: usize): u32 {
  let given: u32 = 0;
  for (let i: u32 = 0; i < size && given < k; i++) {
    const row = rowOf(load<i64>(beam + (<usize>i << 3)));
    store<u32>(out + (<usize>given << 2), row);
    given += <u32>(row < end && (bitmap === 0 || passes(bitmap, row)));
  }
  return given;
}

function passes(bitmap: usize, row: u32): bool {
  return ((load<u32>(bitmap + (<usize>(row >> 5) << 2)) >> (row & 31)) & 1) !== 0;
}

/**
 * A walk through all rows that keeps only those of the bitmap, until the next row to follow is farther than
 * all that it keeps. It stops early, with the rows that it has, after comparing far more rows than usual.
 */
function walkFiltered(graph: usize, scratch: usize, k: u32, width: u32, bitmap: usize, selected: u32, end: u32, out: usize): u32 {
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
function scan(graph: usize, scratch: usize, k: u32, bitmap: usize, end: u32, out: usize): u32 {
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
