// Runs of up to 128 integers in as few bits as they need, with the rare large ones patched (PFOR:
// Zukowski et al., "Super-Scalar RAM-CPU Cache Compression", 2006), laid out for SIMD as in Lemire and
// Boytsov, "Decoding billions of integers per second through vectorization" (2015): value 4i+j lies in
// lane j of row i, and rows of `bits` bits follow each other within each 32-bit lane.
//
//     u8 bits   u8 exceptions   ceil(rows * bits / 32) vectors   exceptions x (u8 index, varint high bits)

import { getVarint, putVarint, skipVarints, varintLength, varintValue } from './bytes.ts';
import { BLOCK, HISTOGRAM } from './layout.ts';

export const MAX_PACKED: u32 = 2 + 4 * BLOCK + 6 * BLOCK;

/**
 * Packs `count` <= 128 values at `from` to `to`; returns the address behind them. Pads the values to a row with zeros.
 */
export function pack(from: usize, count: u32, to: usize): usize {
  assert(count <= BLOCK, 'a run is at most 128 values');
  for (let i = count; (i & 3) !== 0; i++) store<u32>(from + (<usize>i << 2), 0);
  const bits = cheapestBits(from, count);
  store<u8>(to, <u8>bits);
  const packed = to + 2;
  const behind = packed + vectors(count, bits) * 16;
  packRows(from, (count + 3) >> 2, bits, packed);
  return putExceptions(from, count, bits, to, behind);
}

/**
 * Unpacks `count` values to `to` (space for 128) and adds `more` to each; returns the address behind the packed bytes.
 */
export function unpack(from: usize, count: u32, to: usize, more: u32): usize {
  const bits = <u32>load<u8>(from);
  let exceptions = <u32>load<u8>(from, 1);
  assert(bits <= 32 && exceptions <= count, 'a damaged run');
  const packed = from + 2;
  unpackRows(packed, (count + 3) >> 2, bits, to, more);
  let at = packed + vectors(count, bits) * 16;
  for (; exceptions > 0; exceptions--) {
    const place = to + (<usize>load<u8>(at) << 2);
    const high = getVarint(at + 1);
    store<u32>(place, load<u32>(place) + (varintValue(high) << bits));
    at += 1 + varintLength(high);
  }
  return at;
}

/** Address behind the packed bytes of `count` values. */
export function skipPacked(from: usize, count: u32): usize {
  let at = from + 2 + vectors(count, load<u8>(from)) * 16;
  for (let exceptions = <u32>load<u8>(from, 1); exceptions > 0; exceptions--) at = skipVarints(at + 1, 1);
  return at;
}

function vectors(count: u32, bits: u32): usize {
  return (((count + 3) >> 2) * bits + 31) >> 5;
}

/** The width that takes the fewest bytes, including the bytes of its exceptions. */
function cheapestBits(from: usize, count: u32): u32 {
  const most = countBits(from, count);
  let best: u32 = most;
  let least = <u32>vectors(count, most) * 16;
  for (let bits = most; bits-- > 0;) {
    let cost = <u32>vectors(count, bits) * 16;
    for (let longer = bits + 1; longer <= most && cost <= least; longer++) {
      cost += load<u32>(HISTOGRAM + (<usize>longer << 2)) * (1 + (longer - bits + 6) / 7);
    }
    if (cost <= least) {
      least = cost;
      best = bits;
    }
  }
  return best;
}

/** Counts the values by their length in bits, at HISTOGRAM; returns the greatest length. */
function countBits(from: usize, count: u32): u32 {
  for (let at = HISTOGRAM; at < HISTOGRAM + 33 * 4; at += 16) v128.store(at, i64x2.splat(0));
  let all: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const value = load<u32>(from + i);
    const counter = HISTOGRAM + (<usize>(32 - clz(value)) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
    all |= value;
  }
  return 32 - clz(all);
}

function packRows(from: usize, rows: u32, bits: u32, to: usize): void {
  if (bits === 0) return;
  const mask = i32x4.splat(<i32>(<u32>0xffffffff >> (32 - bits)));
  let word = i32x4.splat(0);
  let shift: u32 = 0;
  for (const end = from + (<usize>rows << 4); from < end; from += 16) {
    const value = v128.and(v128.load(from), mask);
    word = v128.or(word, i32x4.shl(value, shift));
    shift += bits;
    if (shift < 32) continue;
    v128.store(to, word);
    to += 16;
    shift -= 32;
    word = shift === 0 ? i32x4.splat(0) : i32x4.shr_u(value, bits - shift);
  }
  if (shift > 0) v128.store(to, word);
}

/**
 * Takes as many rows from a window of 32 bits per lane as fit for certain: fetching one takes as long as unpacking some
 * rows. Otherwise without branches, which cannot be predicted because widths change from run to run. So it may read a
 * vector behind the rows (see `memory.ts`), and write some rows behind them.
 */
function unpackRows(from: usize, rows: u32, bits: u32, to: usize, more: u32): void {
  const least = i32x4.splat(<i32>more);
  const end = to + (<usize>rows << 4);
  if (bits === 0) {
    for (; to < end; to += 16) v128.store(to, least);
    return;
  }
  const mask = i32x4.splat(<i32>(<u32>0xffffffff >> (32 - bits)));
  let at: u32 = 0;
  if (bits <= 8) {
    for (; to < end; to += 64) {
      let window = windowAt(from, at);
      v128.store(to, i32x4.add(v128.and(window, mask), least));
      window = i32x4.shr_u(window, bits);
      v128.store(to, i32x4.add(v128.and(window, mask), least), 16);
      window = i32x4.shr_u(window, bits);
      v128.store(to, i32x4.add(v128.and(window, mask), least), 32);
      window = i32x4.shr_u(window, bits);
      v128.store(to, i32x4.add(v128.and(window, mask), least), 48);
      at += bits << 2;
    }
  } else if (bits <= 16) {
    for (; to < end; to += 32) {
      const window = windowAt(from, at);
      v128.store(to, i32x4.add(v128.and(window, mask), least));
      v128.store(to, i32x4.add(v128.and(i32x4.shr_u(window, bits), mask), least), 16);
      at += bits << 1;
    }
  } else {
    for (; to < end; to += 16) {
      v128.store(to, i32x4.add(v128.and(windowAt(from, at), mask), least));
      at += bits;
    }
  }
}

/** The 32 bits of each lane from a bit on. */
function windowAt(from: usize, bit: u32): v128 {
  const word = from + (<usize>(bit >> 5) << 4);
  // A shift by 32 is a shift by 0, so there are two shifts.
  return v128.or(i32x4.shr_u(v128.load(word), bit), i32x4.shl(i32x4.shl(v128.load(word, 16), ~bit), 1));
}

function putExceptions(from: usize, count: u32, bits: u32, head: usize, at: usize): usize {
  let exceptions: u8 = 0;
  if (bits < 32) {
    for (let i: u32 = 0; i < count; i++) {
      const high = load<u32>(from + (<usize>i << 2)) >> bits;
      if (high === 0) continue;
      store<u8>(at, <u8>i);
      at = putVarint(at + 1, high);
      exceptions++;
    }
  }
  store<u8>(head, exceptions, 1);
  return at;
}
