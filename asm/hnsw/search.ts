// Walks: greedily through the upper levels, then with a beam at a level (algorithms 2 and 5 of Malkov and Yashunin,
// "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small World
// graphs", 2016).

import { distanceOf, entryOf, FOLLOWED, insertEntry, rowOf } from './beam.ts';
import { distancesOf, distanceTo } from './codes.ts';
import { G_ENTRY, G_LINKS, listOf, recordOf } from './layout.ts';
import { S_BEAM, S_DISTANCES, S_PROBE, S_SCANNED, S_TRAIL_AT, see, seeList } from './scratch.ts';

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

/**
 * Fills the beam with the `room` nearest rows that a walk from `start` meets at a level; returns their number. Seen
 * rows stay marked.
 */
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
