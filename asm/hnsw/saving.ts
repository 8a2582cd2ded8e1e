// The part of a graph in a checkpoint: for each row its levels plus one (0: it is not in the graph), then for each
// level the count of its links and the links; u32 each. Codes are computed from the rows again.

import { encodeRow } from './codes.ts';
import { addUpperLists, enterGraph, G_DONE, G_ENTRY, G_LINKS, G_MOST, G_NODES, inGraph, levelOf, listOf, M, M0,
  recordOf, reserveRecord } from './layout.ts';

/** Most bytes of a row. */
export const MAX_SAVED_BYTES: u32 = (1 + 1 + M0 + 7 * (1 + M)) * 4;

/** Writes the links of rows; returns the bytes written. */
export function saveLinks(graph: usize, first: u32, end: u32, to: usize): u32 {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  let at = to;
  for (let row = first; row < end; row++) {
    const levels: u32 = inGraph(graph, row) ? levelOf(row) + 1 : 0;
    store<u32>(at, levels);
    at += 4;
    for (let level: u32 = 0; level < levels; level++) {
      const list = listOf(recordOf(graph, row), linksAt, level);
      const bytes = (<usize>load<u32>(list) + 1) << 2;
      memory.copy(at, list, bytes);
      at += bytes;
    }
  }
  return <u32>(at - to);
}

/**
 * Restores rows that `saveLinks` wrote, in order. Returns 1, 0 if the bytes are invalid, or -1 if there is no memory.
 */
export function restoreLinks(graph: usize, first: u32, end: u32, from: usize, bytes: u32): i32 {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const stop = from + bytes;
  let at = from;
  for (let row = first; row < end; row++) {
    if (at + 4 > stop) return 0;
    const levels = load<u32>(at);
    at += 4;
    if (levels === 0) continue;
    if (levels !== levelOf(row) + 1) return 0;
    if (!reserveRecord(graph, row)) return -1;
    const record = recordOf(graph, row);
    if (levels > 1 && !addUpperLists(graph, record, linksAt, levels - 1)) return -1;
    encodeRow(graph, row);
    enterGraph(record, linksAt);
    for (let level: u32 = 0; level < levels; level++) {
      if (at + 4 > stop) return 0;
      const count = load<u32>(at);
      const size = (<usize>count + 1) << 2;
      if (count > (level === 0 ? load<u32>(graph, G_MOST) : M) || at + size > stop) return 0;
      memory.copy(listOf(record, linksAt, level), at, size);
      at += size;
    }
    store<u32>(graph, load<u32>(graph, G_NODES) + 1, G_NODES);
    const entry = load<u64>(graph, G_ENTRY);
    if (levels > <u32>(entry >> 32)) store<u64>(graph, (<u64>levels << 32) | <u64>row, G_ENTRY);
  }
  store<u32>(graph, end, G_DONE);
  return at === stop ? 1 : 0;
}

/** Whether every link leads to another row of the graph that has the level. */
export function linksAreSound(graph: usize): u32 {
  const linksAt = <usize>load<u32>(graph, G_LINKS);
  const end = load<u32>(graph, G_DONE);
  for (let row: u32 = 0; row < end; row++) {
    if (!inGraph(graph, row)) continue;
    for (let level: u32 = 0; level <= levelOf(row); level++) {
      const list = listOf(recordOf(graph, row), linksAt, level);
      const count = load<u32>(list);
      if (count > (level === 0 ? load<u32>(graph, G_MOST) : M)) return 0;
      for (let i: usize = 1; i <= <usize>count; i++) {
        const link = load<u32>(list + (i << 2));
        if (link >= end || link === row || !inGraph(graph, link) || levelOf(link) < level) return 0;
      }
    }
  }
  return 1;
}
