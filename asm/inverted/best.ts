// The k best of the offered keys. A key is a u64; a larger key is better, and no two are equal.
//
// If k is small, the best keys are in a heap whose root is the worst of them. Otherwise keys are collected in the order
// in which they come: when the buffer is full, the k best stay, in that order. That takes a few comparisons per key; a
// heap takes a path from its root.
//
// 0 keys held 4 k 8 capacity, in keys 12 upper half of the worst of the k best, once there are k 16 keys, u64 each
//     behind them a second array of the same size: keys among which the worst of the best is looked for

import { reserve } from './scratch.ts';

const HELD: usize = 0;
const K: usize = 4;
const ROOM: usize = 8;
const LEAST: usize = 12;
const KEYS: usize = 16;

/** From this k on, keys are collected (measured). */
const MANY: u32 = 32;
/** Capacity for collected keys, as a multiple of k. */
const COLLECTED: u32 = 4;
/** Up to this number, keys are sorted. */
const FEW: usize = 12;

/**
 * Begins to select the `k` best behind `head` bytes of a buffer; `least` bounds their upper halves from below. Returns
 * its address.
 */
export function openBest(id: u32, head: u32, k: u32, least: u32): usize {
  const room = k < MANY ? k : k * COLLECTED;
  const at = reserve(id, head + <u32>KEYS + room * 16);
  const best = at + head;
  store<u32>(best, 0, HELD);
  store<u32>(best, k, K);
  store<u32>(best, room, ROOM);
  store<u32>(best, least, LEAST);
  return at;
}

/** Keys with a smaller upper half are not among the best. */
export function leastUpper(best: usize): u32 {
  return load<u32>(best, LEAST);
}

/** Forgets the keys, but not the lower bound. */
export function emptyBest(best: usize): void {
  closeBest(best);
  store<u32>(best, 0, HELD);
}

export function offerKey(best: usize, key: u64): void {
  const held = load<u32>(best, HELD);
  const room = load<u32>(best, ROOM);
  const keys = best + KEYS;
  if (room >= MANY) {
    store<u64>(keys + (<usize>held << 3), key);
    store<u32>(best, held + 1, HELD);
    if (held + 1 === room) keepBest(best);
    return;
  }
  if (held < room) {
    store<u32>(best, held + 1, HELD);
    siftUp(keys, held, key);
    if (held + 1 < room) return;
  } else if (held > 0 && key > load<u64>(keys)) siftDown(keys, held, key);
  if (room > 0) store<u32>(best, load<u32>(keys, 4), LEAST);
}

/**
 * The address of the best keys. They are in no order, except that collected ones stay in the order in which they were
 * offered; see `bestCount`.
 */
export function closeBest(best: usize): usize {
  if (load<u32>(best, ROOM) >= MANY && load<u32>(best, HELD) > load<u32>(best, K)) keepBest(best);
  return best + KEYS;
}

export function bestCount(best: usize): u32 {
  return load<u32>(best, HELD);
}

/** Keeps the k best of more than k keys. */
function keepBest(best: usize): void {
  const k = load<u32>(best, K);
  const keys = best + KEYS;
  const bytes = <usize>load<u32>(best, HELD) << 3;
  const others = keys + (<usize>load<u32>(best, ROOM) << 3);
  memory.copy(others, keys, bytes);
  const least = place(others, others + bytes, others + (<usize>(k - 1) << 3));
  let to = keys;
  for (let at = keys; at < keys + bytes; at += 8) {
    const key = load<u64>(at);
    store<u64>(to, key);
    to += <usize>(key >= least) << 3;
  }
  assert(to === keys + (<usize>k << 3), 'keys that are equal');
  store<u32>(best, k, HELD);
  store<u32>(best, <u32>(least >> 32), LEAST);
}

/**
 * The key that would be at a place if the keys from one address to another were in descending order (Hoare, "Find",
 * 1961).
 */
function place(from: usize, to: usize, wanted: usize): u64 {
  while (to - from > FEW << 3) {
    // The median of three is not the least, so the range becomes smaller.
    const pivot = median(load<u64>(from), load<u64>(from + ((to - from) >> 4 << 3)), load<u64>(to - 8));
    let end = from;
    // Which keys are larger cannot be predicted, so there is no branch.
    for (let at = from; at < to; at += 8) {
      const key = load<u64>(at);
      store<u64>(at, load<u64>(end));
      store<u64>(end, key);
      end += <usize>(key >= pivot) << 3;
    }
    if (wanted === end - 8) return pivot;
    if (wanted < end) to = end;
    else from = end;
  }
  for (let next = from + 8; next < to; next += 8) {
    const key = load<u64>(next);
    let at = next;
    for (; at > from && load<u64>(at - 8) < key; at -= 8) store<u64>(at, load<u64>(at - 8));
    store<u64>(at, key);
  }
  return load<u64>(wanted);
}

function median(a: u64, b: u64, c: u64): u64 {
  return max(min(a, b), min(max(a, b), c));
}

function siftUp(keys: usize, index: u32, key: u64): void {
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = load<u64>(keys + (<usize>parent << 3));
    if (above <= key) break;
    store<u64>(keys + (<usize>index << 3), above);
    index = parent;
  }
  store<u64>(keys + (<usize>index << 3), key);
}

/** Replaces the root of a heap of `held` keys with a key. */
function siftDown(keys: usize, held: u32, key: u64): void {
  let index: u32 = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= held) break;
    let below = load<u64>(keys + (<usize>child << 3));
    if (child + 1 < held && load<u64>(keys + (<usize>child << 3), 8) < below) {
      child++;
      below = load<u64>(keys + (<usize>child << 3));
    }
    if (key <= below) break;
    store<u64>(keys + (<usize>index << 3), below);
    index = child;
  }
  store<u64>(keys + (<usize>index << 3), key);
}
