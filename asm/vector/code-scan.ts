// Scans over codes (codes.ts). The query is coded too, so that products are of integers:
//
//     8 bits   a component times its step, in 7 bits between the least and the greatest: the dot product of i8 by
//              i7 is one instruction, and the sum of a row's codes accounts for the least
//     4 bits   the same in 8 bits with a sign, which the codes of 0 to 15 are multiplied by
//     1 bit    as rows are coded: the Hamming distance tells the cosine of the rests of query and row without the centre
//
// A coded query: f32 base, f32 factor of the product, f32 factor of the sum (of 1 bit: of the product of the row with
// the centre), 52 bytes unused, codes.

import { cosinesOf, encodeRest } from './bits.ts';
import { bitDims, C_BITS, C_STRIDE, codeBlock, lowsOf, normsOf, stepsOf, sumsOf } from './codes.ts';
import { H_DIMS, H_SHIFT } from './memory.ts';
import { COSINE, DOT, EUCLIDEAN, placeOf } from './rows.ts';
import { wordAt } from './selection.ts';
import { scoresOf, takeScores } from './topk.ts';

const Q_CODES: usize = 64;

/** Bytes of a coded query, and of what is needed to make it. */
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
 * Subtracts the centre from the query; for products only as much of it as makes the rest shortest, and the estimate
 * most precise: (q - tc)(v - c) is qv - t cv but for a constant.
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
  for (let i: usize = 0; i < <usize>dims << 2; i += 4) store<f32>(rest + i, load<f32>(query + i) - share * load<f32>(centre + i));
  const length = encodeRest(stepsOf(codes), dims, rest, to + Q_CODES);
  store<f32>(to, length, 4);
  store<f32>(to, share, 8);
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
export function scanCodes(codes: usize, query: usize, metric: u32, from: u32, to: u32, bitmap: usize, heap: usize): void {
  const bits = load<u32>(codes, C_BITS);
  for (let row = from & ~63; row < to; row += 64) {
    const word = wordAt(bitmap, row, from, to);
    if (word === 0) continue;
    const block = codeBlock(codes, row);
    const at = block + placeOf(row) * load<u32>(codes, C_STRIDE);
    if (bits === 1) {
      scores1(query, at, load<u32>(codes, C_STRIDE), cosinesOf(stepsOf(codes), bitDims()), scoresOf(heap));
      estimate(metric, query, sumsOf(codes, block) + (placeOf(row) << 2), scoresOf(heap));
    } else {
      if (bits === 8) scores8(query, at, load<u32>(codes, C_STRIDE), sumsOf(codes, block) + (placeOf(row) << 2), scoresOf(heap));
      else scores4(query, at, load<u32>(codes, C_STRIDE), scoresOf(heap));
      applyMetric(metric, normsOf(row) + (placeOf(row) << 2), scoresOf(heap));
    }
    takeScores(heap, row, word);
  }
}

/** Scores of 64 rows of codes of 8 bits. */
function scores8(query: usize, codes: usize, stride: usize, sums: usize, out: usize): void {
  const base = load<f32>(query);
  const factor = load<f32>(query, 4);
  const low = load<f32>(query, 8);
  const whole = stride & ~63;
  for (let i: usize = 0; i < 256; i += 4) {
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let c = i32x4.splat(0);
    let d = i32x4.splat(0);
    let q = query + Q_CODES;
    const end = codes + stride;
    const unrolled = codes + whole;
    while (codes < unrolled) {
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
    const product = sumOf(i32x4.add(i32x4.add(a, b), i32x4.add(c, d)));
    store<f32>(out + i, base + factor * <f32>product + low * <f32>load<i32>(sums + i));
  }
}

/** Scores of 64 rows of codes of 4 bits. */
function scores4(query: usize, codes: usize, stride: usize, out: usize): void {
  const base = load<f32>(query);
  const factor = load<f32>(query, 4);
  const nibble = i8x16.splat(15);
  for (let i: usize = 0; i < 256; i += 4) {
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let q = query + Q_CODES;
    for (const end = codes + stride; codes < end; codes += 16) {
      const both = v128.load(codes);
      a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q), v128.and(both, nibble), a);
      b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(q, 16), i8x16.shr_u(both, 4), b);
      q += 32;
    }
    store<f32>(out + i, base + factor * <f32>sumOf(i32x4.add(a, b)));
  }
}

/** Cosines that the Hamming distances of 64 rows stand for. */
function scores1(query: usize, codes: usize, stride: usize, cosines: usize, out: usize): void {
  const q = query + Q_CODES;
  const whole = stride & ~31;
  for (let i: usize = 0; i < 256; i += 4) {
    let a: u64 = 0;
    let b: u64 = 0;
    let c: u64 = 0;
    let d: u64 = 0;
    let j: usize = 0;
    while (j < whole) {
      a += popcnt(load<u64>(codes + j) ^ load<u64>(q + j));
      b += popcnt(load<u64>(codes + j, 8) ^ load<u64>(q + j, 8));
      c += popcnt(load<u64>(codes + j, 16) ^ load<u64>(q + j, 16));
      d += popcnt(load<u64>(codes + j, 24) ^ load<u64>(q + j, 24));
      j += 32;
    }
    while (j < stride) {
      a += popcnt(load<u64>(codes + j) ^ load<u64>(q + j));
      j += 8;
    }
    store<f32>(out + i, load<f32>(cosines + (<usize>(a + b + c + d) << 2)));
    codes += stride;
  }
}

/** Makes scores of the cosines of 64 rests, whose lengths lie at `norms`; all but for a constant of the query. */
function estimate(metric: u32, query: usize, norms: usize, scores: usize): void {
  const length = load<f32>(query, 4);
  const share = f32x4.splat(load<f32>(query, 8));
  const products = norms + (<usize>4 << load<u32>(H_SHIFT));
  for (let i: usize = 0; i < 256; i += 16) {
    const norm = v128.load(norms + i);
    const cosine = v128.load(scores + i);
    if (metric === EUCLIDEAN) v128.store(scores + i, f32x4.mul(norm, f32x4.sub(f32x4.mul(cosine, f32x4.splat(2 * length)), norm)));
    else v128.store(scores + i, f32x4.add(f32x4.mul(f32x4.mul(norm, cosine), f32x4.splat(length)), f32x4.mul(share, v128.load(products + i))));
  }
}

/** Makes scores of 64 dot products: cosines, or negated squares of distances but for the query's own square. */
function applyMetric(metric: u32, norms: usize, scores: usize): void {
  if (metric === DOT) return;
  for (let i: usize = 0; i < 256; i += 16) {
    const norm = v128.load(norms + i);
    const score = v128.load(scores + i);
    if (metric === COSINE) v128.store(scores + i, f32x4.mul(score, norm));
    else v128.store(scores + i, f32x4.sub(f32x4.add(score, score), squareOfInverse(norm)));
  }
}

/** The square of a length, given one by the length, or 0. */
function squareOfInverse(norm: v128): v128 {
  const isZero = f32x4.eq(norm, f32x4.splat(0));
  return v128.andnot(f32x4.div(f32x4.splat(1), f32x4.mul(norm, norm)), isZero);
}

function sumOf(v: v128): i32 {
  const pairs = i32x4.add(v, i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
}
