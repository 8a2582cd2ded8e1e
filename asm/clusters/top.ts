// The k nearest rows of a scan, in a binary heap with the farthest at the root. An entry is an i64 that sorts by
// distance, then by row: the distance as an integer of the same order in the upper half, the row in the lower half.

/** The entry of a row at a distance. */
export function entryOf(distance: f32, row: u32): i64 {
  const bits = reinterpret<i32>(distance);
  return (<i64>(bits ^ ((bits >> 31) & 0x7fffffff)) << 32) | <i64>row;
}

export function distanceOf(entry: i64): f32 {
  const bits = <i32>(entry >> 32);
  return reinterpret<f32>(bits ^ ((bits >> 31) & 0x7fffffff));
}

/** A row must be nearer than this distance to be kept. */
export function bound(heap: usize, size: u32, k: u32): f32 {
  return size < k ? Infinity : distanceOf(load<i64>(heap));
}

/** Keeps an entry; if there are k, it replaces the farthest one. Returns how many there are now. */
export function keep(heap: usize, size: u32, k: u32, entry: i64): u32 {
  if (size < k) {
    rise(heap, size, entry);
    return size + 1;
  }
  sink(heap, size, entry);
  return size;
}

function rise(heap: usize, size: u32, entry: i64): void {
  let at = <usize>size;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<i64>(heap + (parent << 3));
    if (above >= entry) break;
    store<i64>(heap + (at << 3), above);
    at = parent;
  }
  store<i64>(heap + (at << 3), entry);
}

/** Replaces the root with an entry. */
function sink(heap: usize, size: u32, entry: i64): void {
  const end = <usize>size;
  let at: usize = 0;
  while (true) {
    let child: usize = (at << 1) + 1;
    if (child >= end) break;
    let below = load<i64>(heap + (child << 3));
    if (child + 1 < end && load<i64>(heap + ((child + 1) << 3)) > below) below = load<i64>(heap + (++child << 3));
    if (below <= entry) break;
    store<i64>(heap + (at << 3), below);
    at = child;
  }
  store<i64>(heap + (at << 3), entry);
}

/** Writes the kept rows (u32 each), in any order; returns how many. */
export function giveRows(heap: usize, size: u32, out: usize): u32 {
  for (let i: usize = 0; i < <usize>size; i++) store<u32>(out + (i << 2), load<u32>(heap + (i << 3)));
  return size;
}

/** Sorts entries, the nearest first, by removing the root of the heap repeatedly. */
export function sortEntries(entries: usize, count: u32): void {
  let size: u32 = 0;
  while (size < count) {
    const entry = load<i64>(entries + (<usize>size << 3));
    rise(entries, size, entry);
    size++;
  }
  while (size > 1) {
    const top = load<i64>(entries);
    size--;
    const last = load<i64>(entries + (<usize>size << 3));
    sink(entries, size, last);
    store<i64>(entries + (<usize>size << 3), top);
  }
}
