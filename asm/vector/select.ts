// Selects the greatest of entries of 16 bytes that begin with a u64 key (topk.ts), by C. A. R. Hoare's "Find"
// (Algorithm 65, CACM 4, 1961).

/**
 * Puts the entries with the `count` greatest keys in front of the others; the least of them is the last. `count` is
 * from 1 to `all`.
 */
export function keepGreatest(entries: usize, all: u32, count: u32): void {
  let low: i32 = 0;
  let high = <i32>all - 1;
  const wanted = <i32>count - 1;
  while (low < high) {
    const pivot = middleOf(keyAt(entries, low), keyAt(entries, (low + high) >> 1), keyAt(entries, high));
    let i = low;
    let j = high;
    while (i <= j) {
      while (keyAt(entries, i) > pivot) i++;
      while (keyAt(entries, j) < pivot) j--;
      if (i <= j) swap(entries, i++, j--);
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else return;
  }
}

function middleOf(a: u64, b: u64, c: u64): u64 {
  return max(min(a, b), min(max(a, b), c));
}

function keyAt(entries: usize, index: i32): u64 {
  return load<u64>(entries + (<usize>index << 4));
}

function swap(entries: usize, a: i32, b: i32): void {
  const first = entries + (<usize>a << 4);
  const second = entries + (<usize>b << 4);
  const moved = v128.load(first);
  v128.store(first, v128.load(second));
  v128.store(second, moved);
}
