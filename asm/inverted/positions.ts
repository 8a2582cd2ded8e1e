// Positions of a block. They are coded by Golomb and Rice (Rice and Plaunt, 1971), since gaps between the
// occurrences of a word are spread about geometrically: value >> k zeros, a one, and k bits. The gaps are
// the smaller, the more often the document has the word, so there are four k, by 1, 2-3, 4-7 and more
// occurrences. A value whose upper part is 16 or more is 16 zeros and its 32 bits.
//
//     u16 four k of 4 bits   bits, the lowest of each byte first
//
// Before they are coded, positions lie in B_POSITIONS class by class, so that sums and costs are worked out four at a time.

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { BLOCK, RICE, SEALED_FREQUENCIES } from './layout.ts';
import { B_POSITIONS, buffer, reserve, roomOf } from './scratch.ts';

const ESCAPE: u32 = 16;
const ESCAPED: u32 = ESCAPE + 32;
const MAX_K: u32 = 15;
const CLASSES: u32 = 4;

/** Makes ready to note positions. At RICE stands, for each class, how far its values reach in B_POSITIONS. */
export function forgetPositions(): void {
  reserve(B_POSITIONS, startOf(CLASSES - 1) + 64);
  for (let c: u32 = 0; c < CLASSES; c++) setEnd(c, buffer(B_POSITIONS) + startOf(c));
}

/** Reads the position of a posting that has one; gives the address behind. */
export function noteSingle(at: usize): usize {
  const value = getVarint(at);
  const to = endOf(0);
  store<u32>(to, varintValue(value));
  setEnd(0, to + 4);
  return at + varintLength(value);
}

/** Reads positions of a tail, as those of one posting; gives the address behind. */
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

/** Codes the noted positions of `count` postings, whose frequencies - 1 are at SEALED_FREQUENCIES; gives the address behind. */
export function codePositions(count: u32, to: usize): usize {
  let ks: u32 = 0;
  for (let c: u32 = 0; c < CLASSES; c++) ks |= bestK(buffer(B_POSITIONS) + startOf(c), endOf(c)) << (c << 2);
  store<u16>(to, <u16>ks);
  return putValues(count, ks, to + 2);
}

/** Decodes the positions of `count` postings of the given frequencies to `to`, u32 each. */
export function decodePositions(from: usize, count: u32, frequencies: usize, to: usize): void {
  const ks = <u32>load<u16>(from);
  from += 2;
  let bit: usize = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const frequency = load<u32>(frequencies + i);
    const k = kOf(ks, classOf(frequency));
    const mask: u64 = (<u64>1 << k) - 1;
    for (const end = to + (<usize>frequency << 2); to < end; to += 4) {
      const bits = load<u64>(from + (bit >> 3)) >> (bit & 7);
      const upper = <u32>ctz(bits);
      if (upper < ESCAPE) {
        store<u32>(to, (upper << k) | <u32>((bits >> (upper + 1)) & mask));
        bit += upper + 1 + k;
      } else {
        store<u32>(to, <u32>(bits >> ESCAPE));
        bit += ESCAPE + 32;
      }
    }
  }
}

function classOf(frequency: u32): u32 {
  return min(31 - clz(frequency), CLASSES - 1);
}

function kOf(ks: u32, c: u32): u32 {
  return (ks >> (c << 2)) & 15;
}

/** Where the values of a class start: postings of the first three have at most 1, 3 and 7, and a vector of zeros follows. */
function startOf(c: u32): u32 {
  return (c << 4) + BLOCK * 4 * (c === 0 ? 0 : c === 1 ? 1 : c === 2 ? 4 : 11);
}

function endOf(c: u32): usize {
  return buffer(B_POSITIONS) + load<u32>(RICE + (<usize>c << 2));
}

function setEnd(c: u32, end: usize): void {
  store<u32>(RICE + (<usize>c << 2), <u32>(end - buffer(B_POSITIONS)));
}

/**
 * The k that takes the fewest bits. For geometric gaps of mean m that is about log2(0.69 m); it is less where few large
 * values raise the mean of many small ones. Values up to the next vector become zeros.
 */
function bestK(from: usize, end: usize): u32 {
  const number = <u32>((end - from) >> 2);
  if (number === 0) return 0;
  v128.store(end, i64x2.splat(0));
  const mean = <u32>min<u64>(sumOf(from, end) * 45 / (<u64>number * 64), 0xffffffff);
  let k: u32 = mean < 2 ? 0 : min(31 - clz(mean), MAX_K);
  let least = costOf(from, end, number, k);
  const step: u32 = k > 0 && costOf(from, end, number, k - 1) <= least ? u32.MAX_VALUE : 1;
  // Below 0 it is greater than the most.
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

/** Bits that values take. An upper part counts as itself up to the escape, and the zeros of padding as nothing. */
function costOf(from: usize, end: usize, number: u32, k: u32): u32 {
  const escape = i32x4.splat(<i32>ESCAPE);
  const escaped = i32x4.splat(<i32>(ESCAPED - 1 - k));
  let sums = i32x4.splat(0);
  for (; from < end; from += 16) {
    const upper = i32x4.shr_u(v128.load(from), k);
    sums = i32x4.add(sums, v128.bitselect(upper, escaped, i32x4.lt_s(upper, escape)));
  }
  const sum = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
  return <u32>sum + number * (1 + k);
}

function putValues(count: u32, ks: u32, to: usize): usize {
  for (let c: u32 = 0; c < CLASSES; c++) setEnd(c, buffer(B_POSITIONS) + startOf(c));
  let pending: u64 = 0;
  let bits: u64 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const frequency = load<u32>(SEALED_FREQUENCIES + i) + 1;
    const c = classOf(frequency);
    const k = kOf(ks, c);
    let values = endOf(c);
    const end = values + (<usize>frequency << 2);
    setEnd(c, end);
    for (; values < end; values += 4) {
      const value = load<u32>(values);
      const upper = value >> k;
      if (upper < ESCAPE) {
        pending |= ((<u64>1 | (<u64>(value & ((1 << k) - 1)) << 1)) << upper) << bits;
        bits += upper + 1 + k;
      } else {
        pending |= (<u64>value << ESCAPE) << bits;
        bits += ESCAPED;
      }
      store<u64>(to, pending);
      to += <usize>(bits >> 3);
      pending >>= bits & 56;
      bits &= 7;
    }
  }
  return bits > 0 ? to + 1 : to;
}
