// Graphs over the rows of a segment (HNSW): everything that the module exports. `hnsw/layout.ts` draws the layout of
// the bytes; `src/search/vector/README.md` explains what searches do.

import { G_BYTES, G_DONE, G_ENTRY, G_LINKS, G_NODES, GRAPH_BYTES, inGraph, levelOf, listOf,
  recordOf } from './hnsw/layout.ts';
import { MAX_SAVED_BYTES } from './hnsw/saving.ts';
import { S_SCANNED, SCRATCH_BYTES } from './hnsw/scratch.ts';

// (The compiler finds re-exported files only without their extension.)
export { distanceTo, probeQuery, probeRow } from './hnsw/codes';
export { insertRows } from './hnsw/insert';
export { initializeGraph, levelOf, releaseGraph } from './hnsw/layout';
export { search, searchFurther } from './hnsw/query';
export { linksAreSound, restoreLinks, saveLinks } from './hnsw/saving';
export { initializeScratch, releaseScratch } from './hnsw/scratch';

export function graphBytes(): u32 {
  return GRAPH_BYTES;
}

export function scratchBytes(): u32 {
  return SCRATCH_BYTES;
}

/** Most bytes that the links of a row take in a checkpoint. */
export function savedBytes(): u32 {
  return MAX_SAVED_BYTES;
}

/** Rows that are processed; rows that are in the graph; bytes that it takes. */
export function graphDone(graph: usize): u32 {
  return atomic.load<u32>(graph, G_DONE);
}

export function graphNodes(graph: usize): u32 {
  return load<u32>(graph, G_NODES);
}

export function graphTaken(graph: usize): u32 {
  return load<u32>(graph, G_BYTES);
}

/** The list of a row at a level (count, links; u32 each); 0 if the row is not in the graph or has no such level. */
export function linksOf(graph: usize, row: u32, level: u32): usize {
  if (!inGraph(graph, row) || level > levelOf(row)) return 0;
  return listOf(recordOf(graph, row), load<u32>(graph, G_LINKS), level);
}

/** The row at which searches enter. */
export function entryRow(graph: usize): u32 {
  return <u32>load<u64>(graph, G_ENTRY);
}

/** Number of rows that the last search with a scratch has compared. */
export function scanned(scratch: usize): u32 {
  return load<u32>(scratch, S_SCANNED);
}
