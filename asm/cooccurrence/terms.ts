// The counts of each term: its occurrences, and the pairs that contain it.

import { COUNTS, MARGINALS, MAX_TERMS } from './layout.ts';

export function countsAt(term: u32): usize {
  assert(term < MAX_TERMS, 'a term out of range');
  return COUNTS + (<usize>term << 2);
}

export function countOf(term: u32): u32 {
  return load<u32>(countsAt(term));
}

export function marginalAt(term: u32): usize {
  assert(term < MAX_TERMS, 'a term out of range');
  return MARGINALS + (<usize>term << 3);
}

/** Grows the memory to reach an address; traps if the host has no more memory. */
export function growTo(end: usize): void {
  const pages = <i32>((end + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
}
