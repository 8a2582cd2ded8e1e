// Searches for a query, without a filter and with one: which walk or scan is the cheapest, by the number of rows that
// pass.

import { probeQuery } from './codes.ts';
import { give, scan, walkAll } from './filtered.ts';
import { G_DONE, G_NODES } from './layout.ts';
import { walkMatching } from './matching.ts';
import { forgetSeen, prepareScratch, S_BEAM, S_PROBE, S_SCANNED } from './scratch.ts';
import { descend, searchLevel } from './search.ts';

/**
 * About how many rows of a scan take as long as following the links of one row, which compares some twelve rows that
 * are anywhere in memory.
 */
const SCANNED_PER_STEP: u64 = 32;
/** The search failed because there is no memory. */
export const NO_ROOM: u32 = 0xffffffff;
/** The rows that pass are too far from the query for a search that takes no longer than one without a filter. */
export const UNFINISHED: u32 = 0xfffffffe;

/**
 * The nearest rows to a query: at most `k` rows (u32) to `out`, nearest first; returns how many, or NO_ROOM. `ef` is
 * the width of the beam. Only rows below `end` are returned and, if `bitmap` is not 0, only rows of it; it has
 * `selected` rows. With a bitmap, at least `least` rows are found, or all of it; or else it returns UNFINISHED, and
 * `searchFurther` finds them.
 */
export function search(graph: usize, scratch: usize, query: usize, factor: f32, k: u32, least: u32, ef: u32,
  bitmap: usize, selected: u32, end: u32, out: usize): u32
{
  const nodes = load<u32>(graph, G_NODES);
  const width = max(ef, k);
  store<u32>(scratch, 0, S_SCANNED);
  if (nodes === 0 || k === 0) return 0;
  if (!prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, max(width, 64), 0)) return NO_ROOM;
  probeQuery(graph, load<u32>(scratch, S_PROBE), query, factor);
  if (bitmap === 0) return walk(graph, scratch, k, width, 0, end, out);
  const wider = width + max<u32>(width / 16, <u32>(<u64>width * (nodes - min(selected, nodes)) / nodes / 3));
  const wanted = min(least, selected);
  const isNearlyAll = <u64>selected * 10 >= <u64>nodes * 9;
  if (!isNearlyAll && <u64>selected <= SCANNED_PER_STEP * width) return scan(graph, scratch, k, bitmap, end, out);
  if (isNearlyAll || <u64>wanted * nodes * 4 <= <u64>selected * wider * 3) {
    const found = walk(graph, scratch, k, wider, bitmap, end, out);
    if (found === k || found * 3 / 4 >= wanted || found === selected || found === NO_ROOM) return found;
  }
  const found = walkMatching(graph, scratch, k, max(ef * 3 / 4, wanted), bitmap, end, out);
  return found < wanted ? UNFINISHED : found;
}

/** The same after UNFINISHED: all k rows are found if the bitmap has as many, however long it takes. */
export function searchFurther(graph: usize, scratch: usize, query: usize, factor: f32, k: u32, ef: u32, bitmap: usize,
  selected: u32, end: u32, out: usize): u32
{
  if (!prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, max(max(ef, k), 64), 0)) return NO_ROOM;
  probeQuery(graph, load<u32>(scratch, S_PROBE), query, factor);
  const found = walkAll(graph, scratch, k, max(ef, k), bitmap, selected, end, out);
  return found === min(k, selected) || found === NO_ROOM ? found : scan(graph, scratch, k, bitmap, end, out);
}

/**
 * A search that applies the filter, if there is one, at its end. It costs no more than a search without a filter, and
 * finds as much, if what is wanted is not at the very end of the beam: all nearer rows were compared.
 */
function walk(graph: usize, scratch: usize, k: u32, width: u32, bitmap: usize, end: u32, out: usize): u32 {
  if (!prepareScratch(graph, scratch, load<u32>(graph, G_DONE) + 64, width, 0)) return NO_ROOM;
  const size = searchLevel(graph, scratch, descend(graph, scratch, 0), 0, width);
  forgetSeen(scratch);
  return give(load<u32>(scratch, S_BEAM), size, k, bitmap, end, out);
}
