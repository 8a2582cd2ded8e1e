// Sorts the results near a point: the nearest first; equally near ones by ordinal.

import { B_FOUND, buffer } from './buffers.ts';
import { found, NEAR, NEAR_ORD } from './query.ts';

const SMALL: usize = 12 * 16;

export function sortFound(): void {
  const from = buffer(B_FOUND);
  sort(from, from + found() * NEAR);
}

/** Quicksort (Hoare, 1962) with the median of three; no two entries are equal, because ordinals differ. */
function sort(from: usize, to: usize): void {
  while (to - from > SMALL) {
    const middle = from + (((to - from) / NEAR) >> 1) * NEAR;
    const last = to - NEAR;
    if (isLess(middle, from)) swap(middle, from);
    if (isLess(last, from)) swap(last, from);
    if (isLess(last, middle)) swap(last, middle);
    const square = load<u64>(middle);
    const ord = load<u32>(middle, NEAR_ORD);
    let low = from;
    let high = last;
    while (low <= high) {
      while (precedes(load<u64>(low), load<u32>(low, NEAR_ORD), square, ord)) low += NEAR;
      while (precedes(square, ord, load<u64>(high), load<u32>(high, NEAR_ORD))) high -= NEAR;
      if (low > high) break;
      swap(low, high);
      low += NEAR;
      high -= NEAR;
    }
    if (high - from < to - low) {
      sort(from, high + NEAR);
      from = low;
    } else {
      sort(low, to);
      to = high + NEAR;
    }
  }
  for (let i = from + NEAR; i < to; i += NEAR) {
    for (let j = i; j > from && isLess(j, j - NEAR); j -= NEAR) swap(j, j - NEAR);
  }
}

/** Squares are not negative, so their bits have the same order. */
function precedes(a: u64, aOrd: u32, b: u64, bOrd: u32): bool {
  return a < b || (a === b && aOrd < bOrd);
}

function isLess(a: usize, b: usize): bool {
  return precedes(load<u64>(a), load<u32>(a, NEAR_ORD), load<u64>(b), load<u32>(b, NEAR_ORD));
}

function swap(a: usize, b: usize): void {
  const entry = v128.load(a);
  v128.store(a, v128.load(b));
  v128.store(b, entry);
}
