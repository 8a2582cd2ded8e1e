// Scans over signs with a query in three planes of bits (bits.ts), in two steps. The third plane, the signs of the
// query, has most of the weight: its different bits c are counted for all rows. The different bits a and b of the other
// two are counted only if the row is among the best even if a + 2b is small. That sum hardly depends on how near a row
// is: its bits differ as often as not, so it is two standard deviations below its mean for one row of 44, and only
// those near the bar are missed. Nine of ten rows need a third of the counting.
//
// A query: see code-scan.ts. While 64 rows are scanned, the scores of the heap (topk.ts) are i32: the products of the
// signs of rows with the query, if a + 2b is the least.

import { offer, scoresOf } from './topk.ts';

/** Standard deviations. */
const DEVIATIONS: f64 = 2;
const Q_FACTOR: usize = 4;
const Q_SHARE: usize = 8;
const Q_LEAST: usize = 12;

/** The sum a + 2b below which rows may be missed, for codes of `dims` bits. */
export function leastOfPlanes(dims: u32): u32 {
  return <u32>max<f64>(0, Math.floor(1.5 * <f64>dims - DEVIATIONS * Math.sqrt(1.25 * <f64>dims)));
}

/**
 * Bytes of codes of 256 dimensions, as the model has that stores int8: without loops over words, they take three
 * quarters of the time.
 */
const USUAL_STRIDE: usize = 32;

/**
 * Offers those of 64 rows that have a bit and may reach `bar`; their codes are at `group`, and behind these their
 * factors and products with the centre.
 */
export function offerByPlanes(planes: usize, query: usize, group: usize, stride: usize, row: u32, word: u64, bar: f32,
  heap: usize): void
{
  const products = scoresOf(heap);
  const rough = 7 * <i32>(stride << 3) - 2 * load<i32>(query, Q_LEAST);
  const signs = planes + 2 * stride;
  if (stride === USUAL_STRIDE) roughProducts256(signs, group, rough, products);
  else for (let i: usize = 0; i < 64; i += 4) {
      if ((word >> i) & 15) roughProducts(signs, group + i * stride, stride, rough, products + (i << 2));
    }
  const beside = group + 64 * stride;
  let left = word & reaching(query, beside, products, bar);
  for (; left !== 0; left &= left - 1) {
    const lane = <usize>ctz(left);
    const lesser = stride === USUAL_STRIDE
      ? lesserPlanes256(planes, group + lane * USUAL_STRIDE)
      : lesserPlanes(planes, group + lane * stride, stride);
    const product = load<i32>(products + (lane << 2)) - 2 * (lesser - load<i32>(query, Q_LEAST));
    offer(heap, scoreOf(query, product, beside + (lane << 2)), row + <u32>lane);
  }
}

/** The products of four rows, if their a + 2b is the least: `rough` - 8c. */
function roughProducts(signs: usize, codes: usize, stride: usize, rough: i32, out: usize): void {
  let a: u64 = 0;
  let b: u64 = 0;
  let c: u64 = 0;
  let d: u64 = 0;
  const second = codes + stride;
  const third = second + stride;
  const fourth = third + stride;
  for (let i: usize = 0; i < stride; i += 8) {
    const word = load<u64>(signs + i);
    a += popcnt(word ^ load<u64>(codes + i));
    b += popcnt(word ^ load<u64>(second + i));
    c += popcnt(word ^ load<u64>(third + i));
    d += popcnt(word ^ load<u64>(fourth + i));
  }
  store<i32>(out, rough - (<i32>a << 3));
  store<i32>(out, rough - (<i32>b << 3), 4);
  store<i32>(out, rough - (<i32>c << 3), 8);
  store<i32>(out, rough - (<i32>d << 3), 12);
}

/** The same for 64 rows of 256 bits: the signs of the query stay in registers. */
function roughProducts256(signs: usize, codes: usize, rough: i32, out: usize): void {
  const first = load<u64>(signs);
  const second = load<u64>(signs, 8);
  const third = load<u64>(signs, 16);
  const fourth = load<u64>(signs, 24);
  for (const end = out + 256; out < end; out += 8) {
    const a = popcnt(first ^ load<u64>(codes)) + popcnt(second ^ load<u64>(codes, 8)) +
      popcnt(third ^ load<u64>(codes, 16)) + popcnt(fourth ^ load<u64>(codes, 24));
    const b = popcnt(first ^ load<u64>(codes, 32)) + popcnt(second ^ load<u64>(codes, 40)) +
      popcnt(third ^ load<u64>(codes, 48)) + popcnt(fourth ^ load<u64>(codes, 56));
    store<i32>(out, rough - (<i32>a << 3));
    store<i32>(out, rough - (<i32>b << 3), 4);
    codes += 64;
  }
}

/** a + 2b of a row. */
function lesserPlanes(planes: usize, codes: usize, stride: usize): i32 {
  const second = planes + stride;
  let a: u64 = 0;
  let b: u64 = 0;
  for (let i: usize = 0; i < stride; i += 8) {
    const word = load<u64>(codes + i);
    a += popcnt(word ^ load<u64>(planes + i));
    b += popcnt(word ^ load<u64>(second + i));
  }
  return <i32>(a + 2 * b);
}

/** The same for 256 bits. */
function lesserPlanes256(planes: usize, codes: usize): i32 {
  const first = load<u64>(codes);
  const second = load<u64>(codes, 8);
  const third = load<u64>(codes, 16);
  const fourth = load<u64>(codes, 24);
  const a = popcnt(first ^ load<u64>(planes)) + popcnt(second ^ load<u64>(planes, 8)) +
    popcnt(third ^ load<u64>(planes, 16)) + popcnt(fourth ^ load<u64>(planes, 24));
  const b = popcnt(first ^ load<u64>(planes, 32)) + popcnt(second ^ load<u64>(planes, 40)) +
    popcnt(third ^ load<u64>(planes, 48)) + popcnt(fourth ^ load<u64>(planes, 56));
  return <i32>(a + 2 * b);
}

/**
 * A bit for each of 64 rows whose score by its product is not below the bar; a constant of the query is left out of
 * scores.
 */
function reaching(query: usize, beside: usize, products: usize, bar: f32): u64 {
  const factor = v128.load_splat<f32>(query, Q_FACTOR);
  const share = v128.load_splat<f32>(query, Q_SHARE);
  const bars = f32x4.splat(bar);
  let below: u64 = 0;
  for (let i: usize = 0; i < 64; i += 4) {
    const at = i << 2;
    const rest = f32x4.mul(f32x4.mul(v128.load(beside + at), f32x4.convert_i32x4_s(v128.load(products + at))), factor);
    const scores = f32x4.add(rest, f32x4.mul(share, v128.load(beside + at, 256)));
    below |= <u64>i32x4.bitmask(f32x4.lt(scores, bars)) << i;
  }
  return ~below; // NaN is not below the bar; see takeScores
}

/** The score of one row, whose numbers are `beside`. */
function scoreOf(query: usize, product: i32, beside: usize): f32 {
  return load<f32>(beside) * <f32>product * load<f32>(query, Q_FACTOR) +
    load<f32>(query, Q_SHARE) * load<f32>(beside, 256);
}
