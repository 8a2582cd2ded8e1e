// Positions of a block. They are coded by Golomb and Rice (Rice and Plaunt, 1971), since gaps between the
// occurrences of a word are spread about geometrically: value >> k zeros, a one, and k bits. The gaps are
// the smaller, the more often the document has the word, so there are four k, by 1, 2-3, 4-7 and more
// occurrences. A value whose upper part is 16 or more is 16 zeros and its 32 bits.
//
//     u16 four k of 4 bits   bits, the lowest of each byte first

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { RICE, SEALED_FREQUENCIES } from './layout.ts';
import { B_POSITIONS, buffer, reserve, roomOf } from './scratch.ts';

const ESCAPE: u32 = 16;
const MAX_K: u32 = 15;
const CLASSES: u32 = 4;

/** Reads positions of a tail, with their class, as the values from `first` on that will be coded; gives the address behind. */
export function notePositions(at: usize, frequency: u32, first: u32): usize {
  const bytes = (first + frequency) * 4;
  const values = (bytes > roomOf(B_POSITIONS) ? reserve(B_POSITIONS, bytes) : buffer(B_POSITIONS)) + (<usize>first << 2);
  for (let i: usize = 0; i < <usize>frequency << 2; i += 4) {
    const value = getVarint(at);
    at += varintLength(value);
    store<u32>(values + i, varintValue(value));
  }
  return at;
}

/** Codes the noted positions of `count` postings, whose frequencies - 1 are at SEALED_FREQUENCIES; gives the address behind. */
export function codePositions(count: u32, to: usize): usize {
  const values = reserve(B_POSITIONS, 16);
  memory.fill(RICE, 0, 16 * CLASSES);
  visitSums(count, values);
  let ks: u32 = 0;
  for (let c: u32 = 0; c < CLASSES; c++) ks |= initialK(c) << (c << 2);
  ks = refine(count, values, ks);
  store<u16>(to, <u16>ks);
  return putValues(count, values, ks, to + 2);
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

/** At RICE, for each class: sum (u64), number (u32). */
function visitSums(count: u32, values: usize): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const frequency = load<u32>(SEALED_FREQUENCIES + i) + 1;
    const place = RICE + (<usize>classOf(frequency) << 4);
    let sum = load<u64>(place);
    for (const end = values + (<usize>frequency << 2); values < end; values += 4) sum += load<u32>(values);
    store<u64>(place, sum);
    store<u32>(place, load<u32>(place, 8) + frequency, 8);
  }
}

/** For geometric gaps of mean m the best k is about log2(0.69 m). */
function initialK(c: u32): u32 {
  const place = RICE + (<usize>c << 4);
  const number = load<u32>(place, 8);
  const mean = number === 0 ? 0 : <u32>min<u64>(load<u64>(place) * 45 / (<u64>number * 64), 0xffffffff);
  return mean < 2 ? 0 : min(31 - clz(mean), MAX_K);
}

/** Lessens each k by one or two where that takes fewer bits: few large values raise the mean of many small ones. */
function refine(count: u32, values: usize, ks: u32): u32 {
  memory.fill(RICE, 0, 16 * CLASSES);
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const frequency = load<u32>(SEALED_FREQUENCIES + i) + 1;
    const c = classOf(frequency);
    const k = kOf(ks, c);
    const place = RICE + (<usize>c << 4);
    let same: u32 = 0;
    let one: u32 = 0;
    let two: u32 = 0;
    for (const end = values + (<usize>frequency << 2); values < end; values += 4) {
      const value = load<u32>(values);
      same += cost(value, k);
      one += cost(value, k > 0 ? k - 1 : 0);
      two += cost(value, k > 1 ? k - 2 : 0);
    }
    store<u32>(place, load<u32>(place) + same);
    store<u32>(place, load<u32>(place, 4) + one, 4);
    store<u32>(place, load<u32>(place, 8) + two, 8);
  }
  let better: u32 = 0;
  for (let c: u32 = 0; c < CLASSES; c++) {
    const place = RICE + (<usize>c << 4);
    const same = load<u32>(place);
    const one = load<u32>(place, 4);
    const two = load<u32>(place, 8);
    const less: u32 = two < one && two < same ? 2 : one < same ? 1 : 0;
    const k = kOf(ks, c);
    better |= (k - min(k, less)) << (c << 2);
  }
  return better;
}

function cost(value: u32, k: u32): u32 {
  const upper = value >> k;
  return upper < ESCAPE ? upper + 1 + k : ESCAPE + 32;
}

function putValues(count: u32, values: usize, ks: u32, to: usize): usize {
  let pending: u64 = 0;
  let bits: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const frequency = load<u32>(SEALED_FREQUENCIES + i) + 1;
    const k = kOf(ks, classOf(frequency));
    for (const end = values + (<usize>frequency << 2); values < end; values += 4) {
      const value = load<u32>(values);
      const upper = value >> k;
      if (upper < ESCAPE) {
        pending |= ((<u64>1 | (<u64>(value & ((1 << k) - 1)) << 1)) << upper) << bits;
        bits += upper + 1 + k;
      } else {
        pending |= (<u64>value << ESCAPE) << bits;
        bits += ESCAPE + 32;
      }
      for (; bits >= 8; bits -= 8) {
        store<u8>(to++, <u8>pending);
        pending >>= 8;
      }
    }
  }
  if (bits > 0) store<u8>(to++, <u8>pending);
  return to;
}
