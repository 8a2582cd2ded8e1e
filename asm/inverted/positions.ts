// Positions of a block. They are coded by Golomb and Rice (Rice and Plaunt, 1971), since gaps between the occurrences
// of a word are distributed about geometrically: k bits, and value >> k in unary. The more often a document has the
// word, the smaller are the gaps, so there are four classes of postings, each with its own k: those with 1, 2-3, 4-7
// and more occurrences. Values are stored class by class. The unary parts are separate, so that the values of any
// posting are found by counting bits (Elias, 1974):
//
// u16 four k of 4 bits k bits of each value value >> k zeros and a one for each u32 each value >> k that is 16 or more
//
// The lowest bits of a byte come first, and each part starts at a byte. Values in the last part have 16 zeros in the
// part before.
//
// `position-coding.ts` writes them. Before they are decoded, the parts of the block are stored at POSITION_PARTS:
//
// 0 four k 4 address of the bits 8 address of the zeros and ones 12 values of classes before each (5 x u32) 32 bits of
// those (4 x u32)
// 48 the lowest bit of each posting's frequency 64 the second 80 whether the frequency is 1 96 whether it is 8 or more;
// 128 bits each
// 112 address of the frequencies 128 by class, where a word of zeros and ones begins, in bits, and the ones before (2 x
// u32)
// 160 a posting, and the values of the last class in those before it 176 whether a frequency is 2 or 3 192 whether it
// is 4 to 7; 128 bits each

import { NEXT_VALUES, POSITION_PARTS } from './layout.ts';
import { findOnes } from './ones.ts';
import { B_VALUES, reserve } from './scratch.ts';

export const ESCAPE: u32 = 16;
export const CLASSES: u32 = 4;

const P_KS: usize = 0;
const P_LOWER: usize = 4;
const P_UPPER: usize = 8;
const P_VALUES: usize = 12;
const P_BITS: usize = 32;
const P_FIRST: usize = 48;
const P_SECOND: usize = 64;
const P_SINGLE: usize = 80;
const P_MANY: usize = 96;
const P_FREQUENCIES: usize = 112;
const P_LAST: usize = 128;
const P_SUMMED: usize = 160;
const P_FEW: usize = 176;
const P_SOME: usize = 192;

/** Stores the parts of the positions of `count` postings with the given frequencies, for `decodePosting`. */
export function openPositions(from: usize, count: u32, frequencies: usize): void {
  store<u32>(POSITION_PARTS, <u32>frequencies, P_FREQUENCIES);
  noteClasses(0, frequencies, <u32>min(count, 64));
  noteClasses(8, frequencies + 256, count - <u32>min(count, 64));
  const ks = <u32>load<u16>(from);
  let values: u32 = 0;
  let bits: u32 = 0;
  for (let c: u32 = 0; c < CLASSES; c++) {
    store<u32>(POSITION_PARTS + (<usize>c << 2), values, P_VALUES);
    store<u32>(POSITION_PARTS + (<usize>c << 2), bits, P_BITS);
    const number = c < CLASSES - 1
      ? valuesAmong(0, ~(<u64>0), c) + valuesAmong(8, ~(<u64>0), c)
      : sumMany(0) + sumMany(8);
    values += number;
    bits += number * kOf(ks, c);
  }
  v128.store(POSITION_PARTS, i64x2.splat(0), P_LAST);
  v128.store(POSITION_PARTS, i64x2.splat(0), P_LAST + 16);
  store<u64>(POSITION_PARTS, 0, P_SUMMED);
  store<u32>(POSITION_PARTS, ks, P_KS);
  store<u32>(POSITION_PARTS, <u32>from + 2, P_LOWER);
  store<u32>(POSITION_PARTS, <u32>from + 2 + ((bits + 7) >> 3), P_UPPER);
  store<u32>(POSITION_PARTS + (<usize>CLASSES << 2), values, P_VALUES);
}

/**
 * Notes the classes of `count` of 64 postings, and the lowest bits of their frequencies, 16 at a time; `half` is 0 or
 * 8.
 */
function noteClasses(half: usize, frequencies: usize, count: u32): void {
  let first: u64 = 0;
  let second: u64 = 0;
  let third: u64 = 0;
  let many: u64 = 0;
  for (let i: u32 = 0; i < count; i += 16) {
    const at = frequencies + (<usize>i << 2);
    const low = i16x8.narrow_i32x4_s(v128.load(at), v128.load(at, 16));
    const high = i16x8.narrow_i32x4_s(v128.load(at, 32), v128.load(at, 48));
    const bytes = i8x16.narrow_i16x8_u(low, high);
    first |= <u64>i8x16.bitmask(i16x8.shl(bytes, 7)) << i;
    second |= <u64>i8x16.bitmask(i16x8.shl(bytes, 6)) << i;
    third |= <u64>i8x16.bitmask(i16x8.shl(bytes, 5)) << i;
    many |= <u64>i8x16.bitmask(i8x16.ge_u(bytes, i8x16.splat(8))) << i;
  }
  let all: u64 = count === 64 ? ~(<u64>0) : (<u64>1 << count) - 1;
  const to = POSITION_PARTS + half;
  store<u64>(to, first, P_FIRST);
  store<u64>(to, second, P_SECOND);
  many &= all;
  store<u64>(to, many, P_MANY);
  all &= ~many;
  store<u64>(to, all & third, P_SOME);
  all &= ~third;
  store<u64>(to, all & second, P_FEW);
  store<u64>(to, all & ~second, P_SINGLE);
}

/** Number of values of a class but the last one in the postings before one of 128. */
function valuesUpTo(index: u32, c: u32): u32 {
  const before = (<u64>1 << <u64>(index & 63)) - 1;
  const inHigh = (index & 64) !== 0;
  return valuesAmong(0, inHigh ? ~(<u64>0) : before, c) + valuesAmong(8, inHigh ? before : 0, c);
}

/** Number of values of a class but the last one in some of 64 postings; `half` is 0 or 8. */
function valuesAmong(half: usize, some: u64, c: u32): u32 {
  const at = POSITION_PARTS + half;
  if (c === 0) return <u32>popcnt(some & load<u64>(at, P_SINGLE));
  const first = load<u64>(at, P_FIRST);
  if (c === 1) {
    some &= load<u64>(at, P_FEW);
    return <u32>(2 * popcnt(some) + popcnt(some & first));
  }
  some &= load<u64>(at, P_SOME);
  return <u32>(4 * popcnt(some) + 2 * popcnt(some & load<u64>(at, P_SECOND)) + popcnt(some & first));
}

/** Number of values of a class in the postings before one. Postings must be passed in ascending order. */
function valuesBeforePosting(index: u32, c: u32): u32 {
  return c === CLASSES - 1 ? manyUpTo(index) : valuesUpTo(index, c);
}

/** The same for the last class: continues with the posting of the last call, because its values have to be summed. */
function manyUpTo(index: u32): u32 {
  const frequencies = <usize>load<u32>(POSITION_PARTS, P_FREQUENCIES);
  let at = load<u32>(POSITION_PARTS, P_SUMMED);
  let sum = load<u32>(POSITION_PARTS, P_SUMMED + 4);
  assert(at <= index, 'postings that descend');
  while (at < index) {
    const many = load<u64>(POSITION_PARTS + (<usize>(at >> 6) << 3), P_MANY) >> <u64>(at & 63);
    at = many === 0 ? (at | 63) + 1 : at + <u32>ctz(many);
    if (many === 0 || at >= index) continue;
    sum += load<u32>(frequencies + (<usize>at << 2));
    at++;
  }
  store<u32>(POSITION_PARTS, index, P_SUMMED);
  store<u32>(POSITION_PARTS, sum, P_SUMMED + 4);
  return sum;
}

/** Number of values of the last class in 64 postings; `half` is 0 or 8. */
function sumMany(half: usize): u32 {
  const frequencies = <usize>load<u32>(POSITION_PARTS, P_FREQUENCIES) + (half << 5);
  let sum: u32 = 0;
  for (let left = load<u64>(POSITION_PARTS + half, P_MANY); left !== 0; left &= left - 1)
    sum += load<u32>(frequencies + (<usize>ctz(left) << 2));
  return sum;
}

/** Decodes the positions of `count` postings with the given frequencies to `to`, u32 each, as they were noted. */
export function decodePositions(from: usize, count: u32, frequencies: usize, to: usize): void {
  openPositions(from, count, frequencies);
  const values = decodeByClass();
  // Addresses of the next values of each class.
  for (let c: u32 = 0; c < CLASSES; c++)
    store<u32>(NEXT_VALUES + (<usize>c << 2), <u32>values + (valuesBefore(c) << 2));
  for (let i: usize = 0; i < <usize>count; i++) {
    const frequency = load<u32>(frequencies + (i << 2));
    const next = NEXT_VALUES + (<usize>classOf(frequency) << 2);
    let value = <usize>load<u32>(next);
    for (const end = to + (<usize>frequency << 2); to < end; to += 4) {
      store<u32>(to, load<u32>(value));
      value += 4;
    }
    store<u32>(next, <u32>value);
  }
}

/** Decodes all values of the current positions, class by class; returns their address. */
function decodeByClass(): usize {
  const count = valuesBefore(CLASSES);
  const values = reserve(B_VALUES, count * 4);
  const upper = <usize>load<u32>(POSITION_PARTS, P_UPPER);
  let word = load<u64>(upper);
  let base: usize = 0;
  let next: usize = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    for (; word === 0; word = load<u64>(upper + (base >> 3))) base += 64;
    const one = base + <usize>ctz(word);
    store<u32>(values + i, <u32>(one - next));
    next = one + 1;
    word &= word - 1;
  }
  let escaped = upper + ((next + 7) >> 3);
  for (let c: u32 = 0; c < CLASSES; c++) {
    const k = kOf(load<u32>(POSITION_PARTS, P_KS), c);
    let bit = <usize>load<u32>(POSITION_PARTS + (<usize>c << 2), P_BITS);
    for (let i = valuesBefore(c); i < valuesBefore(c + 1); i++) {
      const place = values + (<usize>i << 2);
      let high = load<u32>(place);
      if (high === ESCAPE) {
        high = load<u32>(escaped);
        escaped += 4;
      }
      store<u32>(place, (high << k) | lowerAt(bit, k));
      bit += k;
    }
  }
  return values;
}

/**
 * Decodes the positions of a posting in one field, whose parts are stored, to `to`: a u64 each, as sums of the
 * differences. Postings must be decoded in ascending order.
 */
export function decodePosting(index: u32, frequency: u32, to: usize): void {
  const c = classOf(frequency);
  const k = kOf(load<u32>(POSITION_PARTS, P_KS), c);
  const mask: u32 = (1 << k) - 1;
  const start = valuesBeforePosting(index, c);
  const upper = <usize>load<u32>(POSITION_PARTS, P_UPPER);
  const lower = <usize>load<u32>(POSITION_PARTS, P_LOWER);
  let bit = <usize>(load<u32>(POSITION_PARTS + (<usize>c << 2), P_BITS) + start * k);
  let next: usize = 0;
  let base: usize = 0;
  let word = load<u64>(upper);
  if (valuesBefore(c) + start > 0) {
    next = oneOf(valuesBefore(c) + start - 1, c) + 1;
    // The rest of the word behind the one-bit of the previous value; a shift by 64 is a shift by 0, so there are two.
    base = (next - 1) & ~63;
    word = (load<u64>(upper + (base >> 3)) >> <u64>(next - 1 - base) >> 1) << <u64>(next - 1 - base) << 1;
  }
  let position: u64 = 0;
  for (const end = to + (<usize>frequency << 3); to < end; to += 8) {
    for (; word === 0; word = load<u64>(upper + (base >> 3))) base += 64;
    const one = base + <usize>ctz(word);
    let high = <u32>(one - next);
    if (high === ESCAPE) high = escapedAt(upper, one);
    position += <u64>((high << k) | ((load<u32>(lower + (bit >> 3)) >> <u32>(bit & 7)) & mask));
    store<u64>(to, position);
    bit += k;
    next = one + 1;
    word &= word - 1;
  }
}

/** The same for a posting with a single position, which it returns. */
export function decodeSingle(index: u32): u64 {
  const k = singleWidth();
  const start = valuesUpTo(index, 0);
  const upper = <usize>load<u32>(POSITION_PARTS, P_UPPER);
  const next = start > 0 ? oneOf(start - 1, 0) + 1 : 0;
  // An upper part is at most as many zeros as an escape, and a one, so that 32 bits hold it.
  const high = <u32>ctz(load<u32>(upper + (next >> 3)) >> <u32>(next & 7));
  const bit = <usize>(start * k);
  return <u64>(((high === ESCAPE ? escapedAt(upper, next + ESCAPE) : high) << k) | lowerAt(bit, k));
}

/**
 * A bit for each remainder by 64 that the positions of a posting, which are in one field, may have. Only the lower bits
 * of its values are read: if these are fewer than six, several remainders have them. Postings must be passed in
 * ascending order.
 */
export function remaindersOf(index: u32, frequency: u32): u64 {
  const c = classOf(frequency);
  const k = kOf(load<u32>(POSITION_PARTS, P_KS), c);
  const lower = <usize>load<u32>(POSITION_PARTS, P_LOWER);
  const known: u32 = (1 << min(k, 6)) - 1;
  let bit = <usize>(load<u32>(POSITION_PARTS + (<usize>c << 2), P_BITS) + valuesBeforePosting(index, c) * k);
  let position: u32 = 0;
  let remainders: u64 = 0;
  for (let i: u32 = 0; i < frequency; i++) {
    position += load<u32>(lower + (bit >> 3)) >> <u32>(bit & 7);
    remainders |= <u64>1 << <u64>(position & known);
    bit += k;
  }
  for (let step = known + 1; step < 64; step <<= 1) remainders |= remainders << <u64>step;
  return remainders;
}

/** Which of 64 postings have one position; `half` is 0 or 8. Their positions are the first values of the block. */
export function singlesIn(half: usize): u64 {
  return load<u64>(POSITION_PARTS + half, P_SINGLE);
}

/**
 * Finds the ends of the upper parts of single positions (see `ones.ts`), and of the values of postings with two or
 * three, unless `few` is false.
 */
export function findUpper(few: bool): void {
  findOnes(load<u32>(POSITION_PARTS, P_UPPER), valuesBefore(few ? 2 : 1));
}

/** Whether at least three quarters of the values belong to postings with one, two or three positions. */
export function mostAreFew(): bool {
  return valuesBefore(2) * 4 >= valuesBefore(CLASSES) * 3;
}

/** Number of single positions. */
export function singleCount(): u32 {
  return valuesBefore(1);
}

/** Number of lower bits of a single position. */
export function singleWidth(): u32 {
  return kOf(load<u32>(POSITION_PARTS, P_KS), 0);
}

/** Number of lower bits of a value of a posting with two or three positions. */
export function fewWidth(): u32 {
  return kOf(load<u32>(POSITION_PARTS, P_KS), 1);
}

/** The first of these bits, behind those of single positions. */
export function fewStart(): u32 {
  return load<u32>(POSITION_PARTS, P_BITS + 4);
}

/** Number of values of postings with two or three positions before a posting. */
export function fewBefore(index: u32): u32 {
  return valuesUpTo(index, 1);
}

/** Address of the lower bits of all values. */
export function lowerBits(): usize {
  return load<u32>(POSITION_PARTS, P_LOWER);
}

/** Position of the one-bit of a value. The search for the next one of a class continues where the last search ended. */
function oneOf(value: u32, c: u32): usize {
  const upper = <usize>load<u32>(POSITION_PARTS, P_UPPER);
  const last = POSITION_PARTS + (<usize>c << 3);
  let base = <usize>load<u32>(last, P_LAST);
  let before = load<u32>(last, P_LAST + 4);
  let word = load<u64>(upper + (base >> 3));
  for (let ones = <u32>popcnt(word); value - before >= ones; ones = <u32>popcnt(word)) {
    before += ones;
    base += 64;
    word = load<u64>(upper + (base >> 3));
  }
  store<u32>(last, <u32>base, P_LAST);
  store<u32>(last, before, P_LAST + 4);
  return base + bitOf(word, <u64>(value - before));
}

const EACH_BYTE: u64 = (<u64>0x01010101 << 32) | 0x01010101;
const HIGH_BITS: u64 = (<u64>0x80808080 << 32) | 0x80808080;

/**
 * The position of a one-bit of a word, given the number of ones before it (Vigna, "Broadword implementation of
 * rank/select queries", 2008).
 */
function bitOf(word: u64, ones: u64): usize {
  let sums = word - ((word >> 1) & ((<u64>0x55555555 << 32) | 0x55555555));
  sums = (sums & ((<u64>0x33333333 << 32) | 0x33333333)) + ((sums >> 2) & ((<u64>0x33333333 << 32) | 0x33333333));
  // Each byte: the ones up to and including that byte.
  sums = ((sums + (sums >> 4)) & ((<u64>0x0f0f0f0f << 32) | 0x0f0f0f0f)) * EACH_BYTE;
  const byte = popcnt((((ones * EACH_BYTE) | HIGH_BITS) - sums) & HIGH_BITS) << 3;
  let rest = word >> byte;
  for (let left = ones - ((sums << 8 >> byte) & 0xff); left > 0; left--) rest &= rest - 1;
  return <usize>(byte + ctz(rest));
}

/** The upper part of an escaped value whose one-bit is known. */
function escapedAt(upper: usize, wanted: usize): u32 {
  const end = endOfUpper(upper);
  return load<u32>(upper + ((end + 7) >> 3) + (escapesBefore(upper, wanted) << 2));
}

/** The bit behind the one-bit of the last value. */
function endOfUpper(upper: usize): usize {
  let left = valuesBefore(CLASSES) - 1;
  let base: usize = 0;
  let word = load<u64>(upper);
  for (let ones = <u32>popcnt(word); left >= ones; ones = <u32>popcnt(word)) {
    left -= ones;
    base += 64;
    word = load<u64>(upper + (base >> 3));
  }
  return base + bitOf(word, left) + 1;
}

/**
 * Number of escaped values whose one-bit is before a bit. Only these have as many zeros as an escape in front of it,
 * which is looked for in 48 bits at a time, behind the 16 before them.
 */
function escapesBefore(upper: usize, end: usize): usize {
  let escapes: usize = 0;
  // Nothing is in front of the first value.
  let word = (load<u64>(upper) << ESCAPE) | ((1 << ESCAPE) - 1);
  for (let base: usize = 0; base < end; base += 48) {
    if (base > 0) word = load<u64>(upper + (base >> 3) - (ESCAPE >> 3));
    let zeros = ~word;
    zeros &= zeros << 1;
    zeros &= zeros << 2;
    zeros &= zeros << 4;
    zeros &= zeros << 8;
    const wanted: u64 = end - base < 48 ? (<u64>1 << <u64>(end - base)) - 1 : (<u64>1 << 48) - 1;
    escapes += <usize>popcnt(word & (zeros << 1) & (wanted << ESCAPE));
  }
  return escapes;
}

/** Number of values of the classes before one, in the current positions. */
function valuesBefore(c: u32): u32 {
  return load<u32>(POSITION_PARTS + (<usize>c << 2), P_VALUES);
}

function lowerAt(bit: usize, k: u32): u32 {
  const bits = load<u32>(<usize>load<u32>(POSITION_PARTS, P_LOWER) + (bit >> 3)) >> <u32>(bit & 7);
  return bits & ((1 << k) - 1);
}

export function classOf(frequency: u32): u32 {
  return min(31 - clz(frequency), CLASSES - 1);
}

export function kOf(ks: u32, c: u32): u32 {
  return (ks >> (c << 2)) & 15;
}
