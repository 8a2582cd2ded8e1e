// Inserting rows (algorithm 1), and choosing neighbours by the heuristic (algorithm 4) without keeping pruned
// ones: a candidate is taken if it is nearer to the row than to all that were taken before it. As in the paper, the
// upper half of the links of level 0 is reserved for later rows that link back.

import { isLive } from '../vector/rows.ts';
import { distanceOf, entryOf, insertEntry, rowOf } from './beam.ts';
import { anyNearer, distancesOf, encodeRow, probeRow, probeVectorOf } from './codes.ts';
import { addUpperLists, enterGraph, G_DONE, G_ENTRY, G_LINKS, G_MOST, G_NODES, levelOf, listOf, M, recordOf,
  reserveRecord } from './layout.ts';
import { forgetSeen, prepareScratch, S_BEAM, S_CANDIDATE, S_CHOSEN, S_DISTANCES, S_LINKS, S_OWNER, S_PROBE,
  S_SMALL } from './scratch.ts';
import { descend, searchLevel } from './search.ts';

/**
 * Inserts the rows from where the last call stopped up to `end`, at most `budget` of them. Returns how many, or -1 if
 * there is no memory.
 */
export function insertRows(graph: usize, scratch: usize, end: u32, budget: u32, width: u32): i32 {
  if (!prepareScratch(graph, scratch, end, width, 0)) return -1;
  const start = load<u32>(graph, G_DONE);
  const stop = min(end, start + budget);
  for (let row = start; row < stop; row++) {
    if (isLive(row) && !insertRow(graph, scratch, row, width)) return -1;
    atomic.store<u32>(graph, row + 1, G_DONE);
  }
  return <i32>(stop - start);
}

function insertRow(graph: usize, scratch: usize, row: u32, width: u32): bool {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const level = levelOf(row);
  if (!reserveRecord(graph, row)) return false;
  const record = recordOf(graph, row);
  if (level > 0 && !addUpperLists(graph, record, linksAt, level)) return false;
  encodeRow(graph, row);
  enterGraph(record, linksAt);
  const entry = load<u64>(graph, G_ENTRY);
  const levels = <u32>(entry >> 32);
  if (levels > 0) {
    probeVectorOf(graph, load<u32>(scratch, S_PROBE), row);
    const top = min(level, levels - 1);
    linkOut(graph, scratch, row, top, width);
    for (let at: u32 = 0; at <= top; at++) linkBack(graph, scratch, row, listOf(record, linksAt, at), at);
  }
  store<u32>(graph, load<u32>(graph, G_NODES) + 1, G_NODES);
  if (level + 1 > levels) atomic.store<u64>(graph, (<u64>(level + 1) << 32) | <u64>row, G_ENTRY);
  return true;
}

/** Fills the lists of a new row, from level `top` down. */
function linkOut(graph: usize, scratch: usize, row: u32, top: u32, width: u32): void {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const beam = <usize>load<u32>(scratch, S_BEAM);
  const record = recordOf(graph, row);
  let nearest = descend(graph, scratch, top);
  for (let level = top;; level--) {
    const size = searchLevel(graph, scratch, nearest, level, width);
    forgetSeen(scratch);
    choose(graph, scratch, row, beam, size, level === 0 ? load<u32>(graph, G_MOST) >> 1 : M,
      listOf(record, linksAt, level));
    nearest = load<i64>(beam) & ~1;
    if (level === 0) return;
  }
}

/** Chooses at most `most` of the entries of a beam and writes them to the owner's list. */
function choose(graph: usize, scratch: usize, owner: u32, beam: usize, size: u32, most: u32, list: usize): void {
  const candidate = <usize>load<u32>(scratch, S_CANDIDATE);
  const chosen = scratch + S_CHOSEN;
  let count: u32 = 0;
  for (let i: u32 = 0; i < size && count < most; i++) {
    const entry = load<i64>(beam + (<usize>i << 3));
    if (rowOf(entry) === owner) continue; // after a failure a row may be inserted again
    if (count > 0) {
      probeRow(graph, candidate, rowOf(entry));
      if (anyNearer(graph, candidate, chosen, count, distanceOf(entry))) continue;
    }
    store<u32>(chosen + (<usize>count << 2), rowOf(entry));
    count++;
  }
  for (let i: usize = 0; i < <usize>count; i++) atomic.store<u32>(list + 4 + (i << 2), load<u32>(chosen + (i << 2)));
  atomic.store<u32>(list, count);
}

/** Adds a link back to a new row to each row of its list. */
function linkBack(graph: usize, scratch: usize, row: u32, list: usize, level: u32): void {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const most: u32 = level === 0 ? load<u32>(graph, G_MOST) : M;
  const count = load<u32>(list);
  for (let i: usize = 0; i < <usize>count; i++) {
    const neighbour = load<u32>(list + 4 + (i << 2));
    const links = listOf(recordOf(graph, neighbour), linksAt, level);
    const size = load<u32>(links);
    if (size < most) {
      atomic.store<u32>(links + 4 + (<usize>size << 2), row);
      atomic.store<u32>(links, size + 1);
    } else {
      prune(graph, scratch, neighbour, links, row, most);
    }
  }
}

/** Chooses again among the links of a full list and one more row. */
function prune(graph: usize, scratch: usize, owner: u32, links: usize, row: u32, most: u32): void {
  const probe = <usize>load<u32>(scratch, S_OWNER);
  const rows = scratch + S_LINKS;
  const distances = scratch + S_DISTANCES;
  const small = scratch + S_SMALL;
  memory.copy(rows, links + 4, <usize>most << 2);
  store<u32>(rows + (<usize>most << 2), row);
  probeRow(graph, probe, owner);
  distancesOf(graph, probe, rows, most + 1, distances);
  for (let i: u32 = 0; i <= most; i++) {
    insertEntry(small, i, most + 1, entryOf(load<f32>(distances + (<usize>i << 2)), load<u32>(rows + (<usize>i << 2))));
  }
  choose(graph, scratch, owner, small, most + 1, most, links);
}
