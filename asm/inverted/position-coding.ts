// Codes the positions of a block, whose layout `positions.ts` draws.
//
// Before they are coded, positions are in B_POSITIONS class by class, so that sums and costs are computed four at a
// time.

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { BLOCK, RICE } from './layout.ts';
import { CLASSES, classOf, ESCAPE, kOf } from './positions.ts';
import { B_POSITIONS, buffer, reserve, roomOf } from './scratch.ts';

/** Zeros of an upper part that is escaped; its one follows. */
const ESCAPED: u32 = ESCAPE + 32;
const MAX_K: u32 = 15;

/** Prepares for noting positions. RICE has, for each class, the end of its values in B_POSITIONS. */
export function forgetPositions(): void {
  reserve(B_POSITIONS, startOf(CLASSES - 1) + 64);
  for (let c: u32 = 0; c < CLASSES; c++) setEnd(c, buffer(B_POSITIONS) + startOf(c));
}

/** Reads the position of a posting that has one; returns the address behind it. */
export function noteSingle(at: usize): usize {
  const value = getVarint(at);
  const to = endOf(0);
  store<u32>(to, varintValue(value));
  setEnd(0, to + 4);
  return at + varintLength(value);
}

/** Reads positions of a tail, all of one posting; returns the address behind them. */
export function notePositions(at: usize, frequency: u32): usize {
  const c = classOf(frequency);
  let to = endOf(c);
  if (c === CLASSES - 1) {
    const used = <u32>(to - buffer(B_POSITIONS));
    if (used + frequency * 4 + 64 > roomOf(B_POSITIONS)) to = reserve(B_POSITIONS, used + frequency * 4 + 64) + used;
  }
  for (const end = to + (<usize>frequency << 2); to < end; to += 4) {
    const value = getVarint(at);
    at += varintLength(value);
    store<u32>(to, varintValue(value));
  }
  setEnd(c, to);
  return at;
}

/** Codes the noted positions; returns the address behind the code. */
export function codePositions(to: usize): usize {
  let ks: u32 = 0;
  for (let c: u32 = 0; c < CLASSES; c++) ks |= bestK(buffer(B_POSITIONS) + startOf(c), endOf(c)) << (c << 2);
  store<u16>(to, <u16>ks);
  return putEscaped(ks, putUpper(ks, putLower(ks, to + 2)));
}

/**
 * The k that takes the fewest bits. For geometric gaps with mean m that is about log2(0.69 m); it is smaller if few
 * large values raise the mean of many small ones. Values up to the next vector become zeros.
 */
function bestK(from: usize, end: usize): u32 {
  const number = <u32>((end - from) >> 2);
  if (number === 0) return 0;
  v128.store(end, i64x2.splat(0));
  const mean = <u32>min<u64>(sumOf(from, end) * 45 / (<u64>number * 64), 0xffffffff);
  let k: u32 = mean < 2 ? 0 : min(31 - clz(mean), MAX_K);
  let least = costOf(from, end, number, k);
  const step: u32 = k > 0 && costOf(from, end, number, k - 1) <= least ? u32.MAX_VALUE : 1;
  // Below 0 it wraps to more than MAX_K.
  for (let next = k + step; next <= MAX_K; next += step) {
    const cost = costOf(from, end, number, next);
    if (cost > least) break;
    least = cost;
    k = next;
  }
  return k;
}

function sumOf(from: usize, end: usize): u64 {
  let sums = i64x2.splat(0);
  for (; from < end; from += 16) {
    const values = v128.load(from);
    sums = i64x2.add(sums, i64x2.add(i64x2.extend_low_i32x4_u(values), i64x2.extend_high_i32x4_u(values)));
  }
  return <u64>i64x2.extract_lane(sums, 0) + <u64>i64x2.extract_lane(sums, 1);
}

/**
 * Bits of the coded values. An upper part counts with its value, up to the escape, plus its one-bit; the zeros of the
 * padding count as nothing.
 */
function costOf(from: usize, end: usize, number: u32, k: u32): u32 {
  const escape = i32x4.splat(<i32>ESCAPE);
  const escaped = i32x4.splat(<i32>ESCAPED);
  let sums = i32x4.splat(0);
  for (; from < end; from += 16) {
    const upper = i32x4.shr_u(v128.load(from), k);
    sums = i32x4.add(sums, v128.bitselect(upper, escaped, i32x4.lt_s(upper, escape)));
  }
  const sum = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3);
  return <u32>sum + number * (1 + k);
}

function putLower(ks: u32, to: usize): usize {
  let pending: u64 = 0;
  let bits: u64 = 0;
  for (let c: u32 = 0; c < CLASSES; c++) {
    const k = kOf(ks, c);
    for (let value = buffer(B_POSITIONS) + startOf(c); value < endOf(c); value += 4) {
      pending |= <u64>(load<u32>(value) & ((1 << k) - 1)) << bits;
      bits += k;
      store<u64>(to, pending);
      to += <usize>(bits >> 3);
      pending >>= bits & 56;
      bits &= 7;
    }
  }
  return bits > 0 ? to + 1 : to;
}

function putUpper(ks: u32, to: usize): usize {
  let pending: u64 = 0;
  let bits: u64 = 0;
  for (let c: u32 = 0; c < CLASSES; c++) {
    const k = kOf(ks, c);
    for (let value = buffer(B_POSITIONS) + startOf(c); value < endOf(c); value += 4) {
      const upper = min(load<u32>(value) >> k, ESCAPE);
      bits += upper;
      pending |= <u64>1 << bits;
      bits++;
      store<u64>(to, pending);
      to += <usize>(bits >> 3);
      pending >>= bits & 56;
      bits &= 7;
    }
  }
  return bits > 0 ? to + 1 : to;
}

function putEscaped(ks: u32, to: usize): usize {
  for (let c: u32 = 0; c < CLASSES; c++) {
    const k = kOf(ks, c);
    for (let value = buffer(B_POSITIONS) + startOf(c); value < endOf(c); value += 4) {
      const upper = load<u32>(value) >> k;
      if (upper < ESCAPE) continue;
      store<u32>(to, upper);
      to += 4;
    }
  }
  return to;
}

/**
 * Start of the values of a class: postings of the first three have at most 1, 3 and 7 values, and a vector of zeros
 * follows.
 */
function startOf(c: u32): u32 {
  return (c << 4) + BLOCK * 4 * (c === 0 ? 0 : c === 1 ? 1 : c === 2 ? 4 : 11);
}

function endOf(c: u32): usize {
  return buffer(B_POSITIONS) + load<u32>(RICE + (<usize>c << 2));
}

function setEnd(c: u32, end: usize): void {
  store<u32>(RICE + (<usize>c << 2), <u32>(end - buffer(B_POSITIONS)));
}
