// Sorts keys: u64 each, ascending.

/** Larger arrays are sorted by a heap. */
const FEW: u32 = 256;

export function sort(keys: usize, count: u32): void {
  if (count > FEW) return sortMany(keys, count);
  // Insertion with gaps (Shell 1959).
  for (let gap: u32 = count > 40 ? 40 : count > 13 ? 13 : count > 4 ? 4 : 1;; gap /= 3) {
    const step = <usize>gap << 3;
    for (let at = keys + step, end = keys + (<usize>count << 3); at < end; at += 8) {
      const key = load<u64>(at);
      let to = at;
      for (; to >= keys + step && load<u64>(to - step) > key; to -= step) store<u64>(to, load<u64>(to - step));
      store<u64>(to, key);
    }
    if (gap === 1) return;
  }
}

/** A heap with the largest key at its root (Williams 1964). */
function sortMany(keys: usize, count: u32): void {
  for (let i = count >> 1; i-- > 0;) siftDown(keys, i, count, load<u64>(keys + (<usize>i << 3)));
  for (let left = count - 1; left > 0; left--) {
    const last = keys + (<usize>left << 3);
    const key = load<u64>(last);
    store<u64>(last, load<u64>(keys));
    siftDown(keys, 0, left, key);
  }
}

function siftDown(keys: usize, index: u32, count: u32, key: u64): void {
  for (let child = index * 2 + 1; child < count; child = index * 2 + 1) {
    const next = keys + (<usize>child << 3);
    if (child + 1 < count && load<u64>(next, 8) > load<u64>(next)) child++;
    const below = load<u64>(keys + (<usize>child << 3));
    if (key >= below) break;
    store<u64>(keys + (<usize>index << 3), below);
    index = child;
  }
  store<u64>(keys + (<usize>index << 3), key);
}
