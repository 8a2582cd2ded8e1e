/** Merges `count` positions (u64, ascending) into those from `start` to `end`, from the back, in place; gives the address behind. */
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
