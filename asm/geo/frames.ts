// Where a walk through the tree is: the ranges of geohashes that it goes through, and at each level of the tree a frame
// with the children that are left to visit. Both are in B_ORDER.
//
// walk, in QUERY + 112: u32 kind (WALK_*) u32 ranges u32 ranges that were begun u32 level of the frame u32 level of the
// root
//                            u32 points and boxes of the last step   u32 whether it goes by geohashes   u32 -
//     B_ORDER:  12 x frame, by level   48 x range
// frame: 32 x (f64 or u64 that orders the children, u32 child, u32 -) u32 children u32 that were visited u64 greatest
// geohash
//     range:    u64 least geohash   u64 greatest   u32 interval of longitudes, or ANY   u32 -

import { B_ORDER, buffer } from './buffers.ts';
import { QUERY } from './layout.ts';

export const W_KIND: usize = QUERY + 112;
export const W_RANGES: usize = QUERY + 116;
export const W_BEGUN: usize = QUERY + 120;
export const W_LEVEL: usize = QUERY + 124;
export const W_TOP: usize = QUERY + 128;
export const W_STEPS: usize = QUERY + 132;
export const W_BY_HASHES: usize = QUERY + 136;

const MAX_LEVELS: u32 = 12;
const MAX_RANGES: u32 = 48;
export const ENTRY: u32 = 16;
export const F_COUNT: usize = 512;
export const F_VISITED: usize = 516;
export const F_GREATEST: usize = 520;
const FRAME: u32 = 528;
const RANGE: u32 = 24;
/** Bytes of B_ORDER. */
export const ORDER_BYTES: u32 = MAX_LEVELS * FRAME + MAX_RANGES * RANGE;

export function noteRange(low: u64, high: u64, interval: u32): void {
  const count = load<u32>(W_RANGES);
  assert(count < MAX_RANGES, 'more ranges than there is space for');
  const range = rangeAt(count);
  store<u64>(range, low);
  store<u64>(range, high, 8);
  store<u32>(range, interval, 16);
  store<u32>(W_RANGES, count + 1);
}

/** Notes a child of the node that was entered last, behind those noted before. */
export function noteChild(child: usize): void {
  const frame = frameAt(load<u32>(W_LEVEL));
  const count = load<u32>(frame, F_COUNT);
  store<u32>(frame + count * ENTRY, <u32>child, 8);
  store<u32>(frame, count + 1, F_COUNT);
}

/**
 * The same for a child with a number; children are visited in the order of their numbers, which must not be negative.
 */
export function noteChildAt(child: usize, number: f64): void {
  const frame = frameAt(load<u32>(W_LEVEL));
  const count = load<u32>(frame, F_COUNT);
  let at = frame + count * ENTRY;
  for (; at > frame && load<u64>(at - ENTRY) > reinterpret<u64>(number); at -= ENTRY)
    memory.copy(at, at - ENTRY, ENTRY);
  store<f64>(at, number);
  store<u32>(at, <u32>child, 8);
  store<u32>(frame, count + 1, F_COUNT);
}

export function frameAt(level: u32): usize {
  return buffer(B_ORDER) + level * FRAME;
}

export function rangeAt(index: u32): usize {
  return buffer(B_ORDER) + MAX_LEVELS * FRAME + index * RANGE;
}
