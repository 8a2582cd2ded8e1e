// A walk among the rows of a filter, as ACORN-1 of Patel, Kraft, Guestrin and Zaharia ("ACORN: Performant and
// Predicate-Agnostic Search Over Vector Embeddings and Structured Data", 2024): only rows that pass are compared and
// followed; where a neighbour does not pass, its own neighbours take its place. So it compares about as many rows as a
// walk without a filter. It starts from rows all over the filter as well, because those that pass may be in groups that
// no path of two steps connects.

import { distanceOf, entryOf, FOLLOWED, insertEntry, rowOf } from './beam.ts';
import { distancesOf } from './codes.ts';
import { give, passes } from './filtered.ts';
import { G_DONE, G_LINKS, G_MOST, listOf, M0, recordOf } from './layout.ts';
import { NO_ROOM } from './query.ts';
import { appendBatch, forgetSeen, lastSeen, mark, prepareScratch, S_BEAM, S_CHOSEN, S_DISTANCES, S_LINKS, S_NEAREST,
  S_PROBE, S_SCANNED, S_SEEN, S_TRAIL_AT } from './scratch.ts';
import { descend } from './search.ts';

/** Rows of the filter from which a walk starts, besides those around the nearest row of the upper levels. */
const SEEDS: u32 = 16;
const CACHE_LINE: usize = 64;

/** At most k rows of the bitmap to `out`, nearest first; returns their number, or NO_ROOM. */
export function walkMatching(graph: usize, scratch: usize, k: u32, width: u32, bitmap: usize, end: u32,
  out: usize): u32
{
  if (!prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, width, 0)) return NO_ROOM;
  const beam = <usize>load<u32>(scratch, S_BEAM);
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const start = rowOf(descend(graph, scratch, 0));
  const stop = min(end, load<u32>(graph, G_DONE));
  let size = take(graph, scratch, sow(scratch, bitmap, stop), 0, width);
  size = take(graph, scratch, gather(graph, scratch, listOf(recordOf(graph, start), linksAt, 0), bitmap, stop), size,
    width);
  let at: u32 = 0;
  while (at < size) {
    const entry = load<i64>(beam + (<usize>at << 3));
    if ((entry & FOLLOWED) !== 0) {
      at++;
      continue;
    }
    store<i64>(beam + (<usize>at << 3), entry | FOLLOWED);
    size = take(graph, scratch, gather(graph, scratch, listOf(recordOf(graph, rowOf(entry)), linksAt, 0), bitmap, stop),
      size, width);
    at = min(at, load<u32>(scratch, S_NEAREST));
  }
  forgetSeen(scratch);
  return give(beam, size, k, 0, end, out);
}

/**
 * Compares the rows of the current batch from `rows` on and inserts the near ones into a beam of `size`; returns its
 * new size.
 */
function take(graph: usize, scratch: usize, rows: usize, size: u32, width: u32): u32 {
  const beam = <usize>load<u32>(scratch, S_BEAM);
  const distances = scratch + S_DISTANCES;
  const count = (load<u32>(scratch, S_TRAIL_AT) - <u32>rows) >> 2;
  distancesOf(graph, load<u32>(scratch, S_PROBE), rows, count, distances);
  let nearest = size;
  for (let i: usize = 0; i < <usize>count; i++) {
    const distance = load<f32>(distances + (i << 2));
    if (size === width && distance >= distanceOf(load<i64>(beam + (<usize>(width - 1) << 3)))) continue;
    nearest = min(nearest, insertEntry(beam, size, width, entryOf(distance, load<u32>(rows + (i << 2)))));
    size = min(size + 1, width);
  }
  store<u32>(scratch, nearest, S_NEAREST);
  store<u32>(scratch, load<u32>(scratch, S_SCANNED) + count, S_SCANNED);
  return size;
}

/**
 * Makes a batch of the rows of a list that pass, and of those that pass among the neighbours of the others, until there
 * are as many as a list has. Returns where the batch begins.
 */
function gather(graph: usize, scratch: usize, list: usize, bitmap: usize, stop: u32): usize {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const most = <usize>load<u32>(graph, G_MOST);
  const seen = <usize>load<u32>(scratch, S_SEEN);
  const last = lastSeen(scratch);
  const failing = scratch + S_CHOSEN;
  const passing = scratch + S_LINKS;
  let failed: usize = 0;
  let count: usize = 0;
  const end = list + 4 + (<usize>min(load<u32>(list), M0) << 2);
  for (let link = list + 4; link < end; link += 4) {
    const row = min(load<u32>(link), last);
    if (!mark(seen, row)) continue;
    if (row < stop && passes(bitmap, row)) store<u32>(passing + (count++ << 2), row);
    else store<u32>(failing + (failed++ << 2), row);
  }
  if (count < most) fetch(graph, failing, failed, linksAt, passing + (most << 2));
  for (let i: usize = 0; i < failed && count < most; i++) {
    const next = listOf(recordOf(graph, load<u32>(failing + (i << 2))), linksAt, 0);
    const nextEnd = next + 4 + (<usize>min(load<u32>(next), M0) << 2);
    for (let link = next + 4; link < nextEnd && count < most; link += 4) {
      const row = min(load<u32>(link), last);
      if (row < stop && passes(bitmap, row) && mark(seen, row)) store<u32>(passing + (count++ << 2), row);
    }
  }
  appendBatch(scratch, failing, failed);
  return appendBatch(scratch, passing, count);
}

/** Touches the lists of rows: a tight loop of loads fetches many of them at the same time. */
function fetch(graph: usize, rows: usize, count: usize, linksAt: usize, out: usize): void {
  let touched: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const list = listOf(recordOf(graph, load<u32>(rows + (i << 2))), linksAt, 0);
    touched ^= load<u32>(list) ^ load<u32>(list, CACHE_LINE);
  }
  store<u32>(out, touched); // so that the compiler keeps the loads
}

/** A batch of rows from all parts of the bitmap. */
function sow(scratch: usize, bitmap: usize, stop: u32): usize {
  const passing = scratch + S_LINKS;
  const words = (stop + 31) >> 5;
  let count: usize = 0;
  let word: u32 = 0;
  for (let i: u32 = 0; i < SEEDS; i++) {
    word = max(word, <u32>(<u64>words * i / SEEDS));
    while (word < words && load<u32>(bitmap + (<usize>word << 2)) === 0) word++;
    if (word === words) break;
    const row = (word << 5) + ctz(load<u32>(bitmap + (<usize>word << 2)));
    word++;
    if (row >= stop) break;
    mark(load<u32>(scratch, S_SEEN), row);
    store<u32>(passing + (count++ << 2), row);
  }
  return appendBatch(scratch, passing, count);
}
