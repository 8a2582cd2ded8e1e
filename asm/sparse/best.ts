// The k best documents of a search: a heap whose root is the worst of them. An entry is a u64 that orders documents:
// the score as an integer of the same order, then the complement of the ordinal, so that of equal scores the least
// ordinal is the best.

/** The entry of a document. */
export function entryOf(score: f32, ord: u32): u64 {
  // Both zeros are equal.
  const bits = reinterpret<u32>(score + <f32>0);
  return (<u64>(bits >> 31 ? ~bits : bits | 0x8000_0000) << 32) | <u64>(~ord);
}

export function ordOf(entry: u64): u32 {
  return ~(<u32>entry);
}

export function scoreOf(entry: u64): f32 {
  const bits = <u32>(entry >> 32);
  return reinterpret<f32>(bits >> 31 ? bits & 0x7fff_ffff : ~bits);
}

/** Adds an entry to a heap of `held` entries, which has space for one more. */
export function pushEntry(heap: usize, held: u32, entry: u64): void {
  let index = held;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = load<u64>(heap + (<usize>parent << 3));
    if (above <= entry) break;
    store<u64>(heap + (<usize>index << 3), above);
    index = parent;
  }
  store<u64>(heap + (<usize>index << 3), entry);
}

/** Replaces the worst of `held` entries. */
export function replaceWorst(heap: usize, held: u32, entry: u64): void {
  let index: u32 = 0;
  for (let child: u32 = 1; child < held; child = index * 2 + 1) {
    let below = load<u64>(heap + (<usize>child << 3));
    if (child + 1 < held && load<u64>(heap + (<usize>child << 3), 8) < below) {
      child++;
      below = load<u64>(heap + (<usize>child << 3));
    }
    if (below >= entry) break;
    store<u64>(heap + (<usize>index << 3), below);
    index = child;
  }
  store<u64>(heap + (<usize>index << 3), entry);
}

/** Sorts the entries, the best first. */
export function sortEntries(heap: usize, held: u32): void {
  for (let left = held; left > 1; left--) {
    const last = heap + (<usize>(left - 1) << 3);
    const worst = load<u64>(heap);
    const moved = load<u64>(last);
    store<u64>(last, worst);
    replaceWorst(heap, left - 1, moved);
  }
}
