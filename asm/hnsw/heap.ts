// A binary heap of entries (beam.ts), the nearest first.

/** Adds an entry; returns the new size. */
export function pushHeap(heap: usize, size: u32, entry: i64): u32 {
  let at = <usize>size;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<i64>(heap + (parent << 3));
    if (above <= entry) break;
    store<i64>(heap + (at << 3), above);
    at = parent;
  }
  store<i64>(heap + (at << 3), entry);
  return size + 1;
}

/** Drops the nearest entry; returns the new size. */
export function popHeap(heap: usize, size: u32): u32 {
  const left = <usize>size - 1;
  const entry = load<i64>(heap + (left << 3));
  let at: usize = 0;
  while (true) {
    let child: usize = (at << 1) + 1;
    if (child >= left) break;
    let below = load<i64>(heap + (child << 3));
    if (child + 1 < left && load<i64>(heap + ((child + 1) << 3)) < below) below = load<i64>(heap + (++child << 3));
    if (below >= entry) break;
    store<i64>(heap + (at << 3), below);
    at = child;
  }
  store<i64>(heap + (at << 3), entry);
  return <u32>left;
}
