import { isDerived } from './fields.ts';

/**
 * Merges `count` positions (u64, ascending) into those from `start` to `end`, from the back, in place; returns the
 * address behind.
 */
export function mergePositions(start: usize, end: usize, list: usize, count: u32): usize {
  const newEnd = end + (<usize>count << 3);
  let to = newEnd;
  let other = list + (<usize>count << 3);
  while (other > list) {
    const value = load<u64>(other - 8);
    to -= 8;
    if (end > start && load<u64>(end - 8) > value) {
      end -= 8;
      store<u64>(to, load<u64>(end));
    } else {
      other -= 8;
      store<u64>(to, value);
    }
  }
  return newEnd;
}

/** The same, leaving out positions in derived fields. */
export function mergeOwn(start: usize, end: usize, list: usize, count: u32): usize {
  let from = list;
  const behind = list + (<usize>count << 3);
  while (from < behind) {
    let to = from;
    while (to < behind && !isDerived(<u32>(load<u64>(to) >> 32))) to += 8;
    end = mergePositions(start, end, from, <u32>(to - from) >> 3);
    while (to < behind && isDerived(<u32>(load<u64>(to) >> 32))) to += 8;
    from = to;
  }
  return end;
}
