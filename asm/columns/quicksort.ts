// Sorts listed documents by their keys.

import { slotAt, sortKeyAt } from './sort-keys.ts';

/**
 * Quicksort with three parts (Bentley and McIlroy, Engineering a Sort Function, 1993), so that equal keys are sorted no
 * further.
 */
export function sortByKey(from: u32, to: u32): void {
  while (to - from > 12) {
    const a = load<u64>(sortKeyAt(from));
    const b = load<u64>(sortKeyAt((from + to) >> 1));
    const c = load<u64>(sortKeyAt(to - 1));
    const pivot = max(min(a, b), min(max(a, b), c));
    let low = from;
    let high = to;
    for (let i = from; i < high;) {
      const key = load<u64>(sortKeyAt(i));
      if (key < pivot) swap(low++, i++);
      else if (key > pivot) swap(i, --high);
      else i++;
    }
    if (low - from < to - high) {
      sortByKey(from, low);
      from = high;
    } else {
      sortByKey(high, to);
      to = low;
    }
  }
  for (let i = from + 1; i < to; i++) {
    for (let j = i; j > from && load<u64>(sortKeyAt(j - 1)) > load<u64>(sortKeyAt(j)); j--) swap(j - 1, j);
  }
}

function swap(a: u32, b: u32): void {
  const key = load<u64>(sortKeyAt(a));
  store<u64>(sortKeyAt(a), load<u64>(sortKeyAt(b)));
  store<u64>(sortKeyAt(b), key);
  const slot = load<u32>(slotAt(a));
  store<u32>(slotAt(a), load<u32>(slotAt(b)));
  store<u32>(slotAt(b), slot);
}
