// Scans over codes (codes.ts). The query is coded too, so that products are products of integers:
//
//     8 bits   a component times its step, in 7 bits between the least and the greatest: the dot product of i8 by
//              i7 is one instruction, and the sum of a row's codes accounts for the least
//     4 bits   the same in 8 bits with a sign, by which the codes of 0 to 15 are multiplied
// 1 bit coded like rows: the Hamming distance determines the cosine between the rests of query and row without the
// centre;
//              or in three planes of bits, for rows that are stored as codes (plane-scan.ts)
//
// A coded query: f32 base, f32 factor of the product, f32 factor of the sum (of 1 bit: of the product of the row with
// the centre), u32 of planes: the least of the lesser two that is expected, 48 bytes unused, codes or planes.

import { cosinesOf, encodePlanes, encodeRest } from './bits.ts';
import { bitDims, C_BITS, C_STRIDE, groupOf, isFine, lowsOf, stepsOf } from './codes.ts';
import { H_DIMS } from './memory.ts';
import { leastOfPlanes, offerByPlanes } from './plane-scan.ts';
import { COSINE, EUCLIDEAN } from './rows.ts';
import { DENSE, wordAt } from './selection.ts';
import { barOf, beginSample, CANDIDATES, endSample, heldBy, isSampled, openHeap, SAMPLED, scoresOf,
  takeScores } from './topk.ts';

const Q_CODES: usize = 64;

/** Bytes of a coded query, and of the working memory for coding it. */
export function codedQueryBytes(): u32 {
  return <u32>Q_CODES + bitDims() * 5;
}

/** Codes a prepared query into `to`. */
export function encodeQuery(codes: usize, query: usize, metric: u32, to: usize): void {
  memory.fill(to, 0, codedQueryBytes());
  const bits = load<u32>(codes, C_BITS);
  if (bits === 1) return encodeForBits(codes, query, metric, to);
  const weights = to + Q_CODES + bitDims();
  let base: f64 = 0;
  let low: f32 = 0;
  let high: f32 = 0;
  const dims = load<u32>(H_DIMS);
  for (let i: usize = 0; i < <usize>dims << 2; i += 4) {
    const value = load<f32>(query + i);
    const step = load<f32>(stepsOf(codes) + i);
    const weight = value * step;
    base += <f64>value * <f64>(load<f32>(lowsOf(codes) + i) + (bits === 8 ? <f32>128 * step : 0));
    store<f32>(weights + i, weight);
    low = min(low, weight);
    high = max(high, weight);
  }
  store<f32>(to, <f32>base);
  if (bits === 8) encodeWeights(weights, dims, low, (high - low) / 127, to);
  else encodeWeights(weights, dims, 0, max(high, -low) / 127, to);
}

/**
 * Subtracts the centre from the query. For products it subtracts only the share t of the centre for which the rest is
 * shortest, and the estimate most precise: (q - tc)(v - c) is qv - t cv plus a constant.
 */
function encodeForBits(codes: usize, query: usize, metric: u32, to: usize): void {
  const dims = load<u32>(H_DIMS);
  const centre = lowsOf(codes);
  const rest = to + Q_CODES + bitDims();
  let product: f64 = 0;
  let squares: f64 = 0;
  for (let i: usize = 0; i < <usize>dims << 2; i += 4) {
    product += <f64>load<f32>(query + i) * <f64>load<f32>(centre + i);
    squares += <f64>load<f32>(centre + i) * <f64>load<f32>(centre + i);
  }
  const share: f32 = metric === EUCLIDEAN ? 1 : squares > 0 ? <f32>(product / squares) : 0;
  for (let i: usize = 0; i < <usize>dims << 2; i += 4)
    store<f32>(rest + i, load<f32>(query + i) - share * load<f32>(centre + i));
  const length = encodeRest(stepsOf(codes), dims, rest, to + Q_CODES);
  store<f32>(to, isFine(codes) ? encodePlanes(rest, bitDims(), length, to + Q_CODES) : length, 4);
  store<f32>(to, share, 8);
  store<u32>(to, leastOfPlanes(bitDims()), 12);
}

function encodeWeights(weights: usize, dims: u32, low: f32, step: f32, to: usize): void {
  store<f32>(to, step, 4);
  store<f32>(to, low, 8);
  if (step === 0) return;
  for (let i: u32 = 0; i < dims; i++) {
    const code = Mathf.floor((load<f32>(weights + (<usize>i << 2)) - low) / step + 0.5);
    store<i8>(to + Q_CODES + i, <i8>max<f32>(-127, min<f32>(127, code)));
  }
}

/** Offers the rows from `from` to `to` by their codes. */
export function scanCodes(codes: usize, query: usize, metric: u32, from: u32, to: u32, bitmap: usize,
  heap: usize): void
{
  if (!isSampled(heap, to - from)) return scanRows(codes, query, metric, from, to, bitmap, heap, -Infinity);
  const k = scanSample(codes, query, metric, from, to, bitmap, heap);
  scanRows(codes, query, metric, from, to, bitmap, heap, barOf(heap));
  if (heldBy(heap) === k) return;
  // The sample was not typical, or the bitmap has fewer rows.
  openHeap(heap, k, CANDIDATES);
  scanRows(codes, query, metric, from, to, bitmap, heap, -Infinity);
}

/** Gives an empty heap the bar of a sample, and returns its `k`. */
export function scanSample(codes: usize, query: usize, metric: u32, from: u32, to: u32, bitmap: usize,
  heap: usize): u32
{
  const k = beginSample(heap);
  scanGroups(codes, query, metric, from, to, 64 * SAMPLED, bitmap, heap, -Infinity);
  endSample(heap, k);
  return k;
}

/**
 * Offers rows. Those that may reach `bar` are looked at closely, or those that may reach the heap's if it is -Infinity:
 * with a bar that stays the same, the rows that a scan misses do not depend on how it is divided.
 */
export function scanRows(codes: usize, query: usize, metric: u32, from: u32, to: u32, bitmap: usize, heap: usize,
  bar: f32): void
{
  scanGroups(codes, query, metric, from, to, 64, bitmap, heap, bar);
}

/** The same for 64 rows of each `step` rows. */
function scanGroups(codes: usize, query: usize, metric: u32, from: u32, to: u32, step: u32, bitmap: usize, heap: usize,
  bar: f32): void
{
  const scores = scoresOf(heap);
  const stride = <usize>load<u32>(codes, C_STRIDE);
  const fine = isFine(codes);
  for (let row = from & ~63; row < to; row += step) {
    const word = wordAt(bitmap, row, from, to);
    if (word === 0) continue;
    const group = groupOf(codes, row);
    if (fine) {
      offerByPlanes(query + Q_CODES, query, group, stride, row, word, bar > -Infinity ? bar : barOf(heap), heap);
      continue;
    }
    if (popcnt(word) >= DENSE) compare(codes, query, group, 64, scores);
    else for (let bits = word; bits !== 0; bits &= bits - 1)
        compare(codes, query, group + <usize>ctz(bits) * stride, 1, scores + (<usize>ctz(bits) << 2));
    if (load<u32>(codes, C_BITS) !== 1) finish(load<u32>(codes, C_BITS), query, metric, group + 64 * stride, scores);
    else finish1(query, metric, group + 64 * stride, scores);
    takeScores(heap, row, word, scores);
  }
}

/** Writes only the results of the codes of consecutive rows: integer products, or cosines of the rests. */
function compare(codes: usize, query: usize, at: usize, count: usize, out: usize): void {
  const bits = load<u32>(codes, C_BITS);
  const stride = <usize>load<u32>(codes, C_STRIDE);
  if (bits === 8) products8(query, at, stride, count, out);
  else if (bits === 4) products4(query, at, stride, count, out);
  else cosines1(query, at, stride, cosinesOf(stepsOf(codes), bitDims()), count, out);
}

function products8(query: usize, codes: usize, stride: usize, count: usize, out: usize): void {
  for (const last = out + (count << 2); out < last; out += 4) {
    let a = i32x4.splat(0);
    let b = a;
    let c = a;
    let d = a;
    let q = query + Q_CODES;
    const end = codes + stride;
    const whole = codes + (stride & ~63);
    while (codes < whole) {
      a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(codes), v128.load(q), a);
      b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(codes, 16), v128.load(q, 16), b);
      c = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(codes, 32), v128.load(q, 32), c);
      d = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(codes, 48), v128.load(q, 48), d);
      codes += 64;
      q += 64;
    }
    while (codes < end) {
      a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(codes), v128.load(q), a);
      codes += 16;
      q += 16;
    }
    store<i32>(out, sumOf(i32x4.add(i32x4.add(a, b), i32x4.add(c, d))));
  }
}

function products4(query: usize, codes: usize, stride: usize, count: usize, out: usize): void {
  const nibble = i8x16.splat(15);
  for (const last = out + (count << 2); out < last; out += 4) {
    let a = i32x4.splat(0);
    let b = a;
    let c = a;
    let d = a;
    let q = query + Q_CODES;
    const end = codes + stride;
    const whole = codes + (stride & ~31);
    while (codes < whole) {
      const first = v128.load(codes);
      const second = v128.load(codes, 16);
      a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q), v128.and(first, nibble), a);
      b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q, 16), v128.and(i16x8.shr_u(first, 4), nibble), b);
      c = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q, 32), v128.and(second, nibble), c);
      d = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q, 48), v128.and(i16x8.shr_u(second, 4), nibble), d);
      codes += 32;
      q += 64;
    }
    if (codes < end) {
      const last = v128.load(codes);
      a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q), v128.and(last, nibble), a);
      b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q, 16), v128.and(i16x8.shr_u(last, 4), nibble), b);
      codes += 16;
    }
    store<i32>(out, sumOf(i32x4.add(i32x4.add(a, b), i32x4.add(c, d))));
  }
}

/** Cosines for Hamming distances: of rows in fours, which share what is read of the query, or of one row. */
function cosines1(query: usize, codes: usize, stride: usize, cosines: usize, count: usize, out: usize): void {
  const q = query + Q_CODES;
  const next: usize = count === 1 ? 0 : stride;
  for (const last = out + (count << 2); out < last; out += 16) {
    let a: u64 = 0;
    let b: u64 = 0;
    let c: u64 = 0;
    let d: u64 = 0;
    for (let i: usize = 0; i < stride; i += 8) {
      const word = load<u64>(q + i);
      const at = codes + i;
      a += popcnt(word ^ load<u64>(at));
      b += popcnt(word ^ load<u64>(at + next));
      c += popcnt(word ^ load<u64>(at + 2 * next));
      d += popcnt(word ^ load<u64>(at + 3 * next));
    }
    codes += 4 * next;
    store<f32>(out, load<f32>(cosines + (<usize>a << 2)));
    if (count === 1) return;
    store<f32>(out, load<f32>(cosines + (<usize>b << 2)), 4);
    store<f32>(out, load<f32>(cosines + (<usize>c << 2)), 8);
    store<f32>(out, load<f32>(cosines + (<usize>d << 2)), 12);
  }
}

/** Makes scores from the results of 64 rows of 8 or 4 bits; `beside` is the address behind their codes. */
function finish(bits: u32, query: usize, metric: u32, beside: usize, scores: usize): void {
  const base = v128.load_splat<f32>(query);
  const factor = v128.load_splat<f32>(query, 4);
  const low = bits === 8 ? v128.load_splat<f32>(query, 8) : f32x4.splat(0);
  for (let i: usize = 0; i < 256; i += 16) {
    let score = f32x4.add(base, f32x4.mul(factor, f32x4.convert_i32x4_s(v128.load(scores + i))));
    if (bits === 8) score = f32x4.add(score, f32x4.mul(low, f32x4.convert_i32x4_s(v128.load(beside + i, 256))));
    const norm = v128.load(beside + i);
    if (metric === COSINE) score = f32x4.mul(score, norm);
    else if (metric === EUCLIDEAN) score = f32x4.sub(f32x4.add(score, score), squareOfInverse(norm));
    v128.store(scores + i, score);
  }
}

/** The same for cosines of rests, whose lengths and products are stored beside; a constant of the query is left out. */
function finish1(query: usize, metric: u32, beside: usize, scores: usize): void {
  const length = load<f32>(query, 4);
  const share = v128.load_splat<f32>(query, 8);
  for (let i: usize = 0; i < 256; i += 16) {
    const norm = v128.load(beside + i);
    const cosine = v128.load(scores + i);
    if (metric === EUCLIDEAN)
      v128.store(scores + i, f32x4.mul(norm, f32x4.sub(f32x4.mul(cosine, f32x4.splat(2 * length)), norm)));
    else v128.store(scores + i,
        f32x4.add(f32x4.mul(f32x4.mul(norm, cosine), f32x4.splat(length)),
          f32x4.mul(share, v128.load(beside + i, 256))));
  }
}

/** The square of a length, computed from the inverse length, or 0. */
function squareOfInverse(norm: v128): v128 {
  const isZero = f32x4.eq(norm, f32x4.splat(0));
  return v128.andnot(f32x4.div(f32x4.splat(1), f32x4.mul(norm, norm)), isZero);
}

function sumOf(v: v128): i32 {
  const pairs = i32x4.add(v, i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
}
