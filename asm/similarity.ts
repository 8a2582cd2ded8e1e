// Finds the pairs of rows that are similar, and joins them to groups. The n x n similarities are not stored:
// what a group needs (its sum of scores, its pairs) is summed at the roots of a union-find forest (Tarjan, 1975).
//
// The host owns the memory and chooses the addresses, at multiples of 16 bytes:
//
//   rows       `stride` bytes each: f32, padded with zeros to a multiple of 16 bytes
//   squares    f64 for each row: the inner product of the row with itself
//   codes      `codeBytes` for each row: see below
//   forest     for each row, 32 bytes:
//                0  u32 parent (a root's is the row itself), always below or equal to the row
//                4  f32 best score of the row, -1 without a pair
//                8  f64 sum of the scores of a root's pairs
//               16  f64 number of a root's pairs, because it may exceed 32 bits
//
// Blocks of rows are compared by 2 x 4 inner products of codes, 16 numbers per instruction. Pairs that may be near the
// limit, given the error of the codes, are multiplied as f32, and pairs that are near it then are scored again in 64
// bits. So the pairs are those that comparing all of them one by one finds.
//
// The code of a row a is s, with a = step s + e and s in -63..63. Between two rows
//
//   a . b = step step' (s . s') + error,   |error| <= |a| |e'| + |e| (|b| + |e'|)
//
//   s + 64         u8 for each number, 64 behind the last, up to a multiple of 16
//   step, |e|, |a| f32 each, the latter two rounded up; i32 sum of s

import { BEST, COSINE, DOT_PRODUCT, NODE, PAIRS, PARENT, SUM } from './similarity/layout.ts';

const LARGEST_CODE: f32 = 63;
const MIDDLE: i8 = 64;
/** Fields behind the codes. */
const STEP: usize = 0;
const LOST: usize = 4;
const LENGTH: usize = 8;
const TOTAL: usize = 12;
/** An upper bound of the rounding error of a number that was computed in a few steps of 32 bits. */
const ROUNDING: f32 = 4e-6;

/** Bytes of a row of `dims` numbers. */
export function rowBytes(dims: u32): u32 {
  return ((dims + 3) & ~3) << 2;
}

export function nodeBytes(): u32 {
  return NODE;
}

/** Bytes of the codes of a row, and of the numbers behind them. */
export function codeBytes(dims: u32): u32 {
  return ((dims + 15) & ~15) + 16;
}

/** Writes the codes of rows, each of `dims` numbers. */
export function encodeRows(rows: usize, stride: u32, dims: u32, count: u32, codes: usize): void {
  const bytes = codeBytes(dims);
  for (let row: u32 = 0; row < count; row++)
    encodeRow(rows + <usize>row * stride, stride, dims, codes + <usize>row * bytes);
}

function encodeRow(row: usize, stride: u32, dims: u32, to: usize): void {
  const behind = to + codeBytes(dims) - 16;
  const step = extent(row, stride) / LARGEST_CODE;
  let total: i32 = 0;
  let lost: f64 = 0;
  let square: f64 = 0;
  memory.fill(to, MIDDLE, behind - to);
  for (let i: usize = 0; i < <usize>dims; i++) {
    const value = load<f32>(row + (i << 2));
    const code = step > 0 ? <i32>max<f32>(-LARGEST_CODE, min<f32>(LARGEST_CODE, nearest<f32>(value / step))) : 0;
    store<u8>(to + i, code + MIDDLE);
    total += code;
    const rest = <f64>value - <f64>step * code;
    lost += rest * rest;
    square += <f64>value * value;
  }
  store<f32>(behind, step, STEP);
  store<f32>(behind, <f32>Math.sqrt(lost) * (1 + ROUNDING), LOST);
  store<f32>(behind, <f32>Math.sqrt(square) * (1 + ROUNDING), LENGTH);
  store<i32>(behind, total, TOTAL);
}

/** row += vector, both of `stride` bytes. */
export function addVector(row: usize, vector: usize, stride: u32): void {
  for (let i: usize = 0; i < <usize>stride; i += 16)
    v128.store(row + i, f32x4.add(v128.load(row + i), v128.load(vector + i)));
}

/** row *= factor */
export function scaleRow(row: usize, factor: f32, stride: u32): void {
  const factors = f32x4.splat(factor);
  for (let i: usize = 0; i < <usize>stride; i += 16) v128.store(row + i, f32x4.mul(v128.load(row + i), factors));
}

/** The largest absolute value in a row. */
export function extent(row: usize, stride: u32): f32 {
  let found = f32x4.splat(0);
  for (let i: usize = 0; i < <usize>stride; i += 16) found = f32x4.max(found, f32x4.abs(v128.load(row + i)));
  return max(max(f32x4.extract_lane(found, 0), f32x4.extract_lane(found, 1)),
    max(f32x4.extract_lane(found, 2), f32x4.extract_lane(found, 3)));
}

/** The inner product, summed in 64 bits; a . b and b . a are equal to the last bit. */
export function dot(a: usize, b: usize, stride: u32): f64 {
  let low = f64x2.splat(0);
  let high = low;
  for (let i: usize = 0; i < <usize>stride; i += 16) {
    const x = v128.load(a + i);
    const y = v128.load(b + i);
    low = f64x2.add(low, f64x2.mul(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y)));
    high = f64x2.add(high, f64x2.mul(f64x2.promote_low_f32x4(upper(x)), f64x2.promote_low_f32x4(upper(y))));
  }
  return lanes(f64x2.add(low, high));
}

/** The square of the distance, summed in 64 bits. */
export function distance(a: usize, b: usize, stride: u32): f64 {
  let low = f64x2.splat(0);
  let high = low;
  for (let i: usize = 0; i < <usize>stride; i += 16) {
    const x = v128.load(a + i);
    const y = v128.load(b + i);
    const p = f64x2.sub(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y));
    const q = f64x2.sub(f64x2.promote_low_f32x4(upper(x)), f64x2.promote_low_f32x4(upper(y)));
    low = f64x2.add(low, f64x2.mul(p, p));
    high = f64x2.add(high, f64x2.mul(q, q));
  }
  return lanes(f64x2.add(low, high));
}

/** Makes each of `count` rows a group of its own. */
export function plant(forest: usize, count: u32): void {
  for (let row: u32 = 0; row < count; row++) {
    const node = forest + <usize>row * NODE;
    memory.fill(node, 0, NODE);
    store<u32>(node, row, PARENT);
    store<f32>(node, -1, BEST);
  }
}

/**
 * Compares rows from `first` to `end` with those from `otherFirst` to `otherEnd`, a pair only if its first row is below
 * its second. Candidates are the pairs whose a . b - (a . a + b . b) * `half` is at least `limit`; candidates that
 * score at least `threshold` are joined. Returns their number.
 */
export function compareBlocks(rows: usize, stride: u32, squares: usize, codes: usize, codeStride: u32, forest: usize,
  metric: i32, threshold: f64, limit: f32, half: f32, first: u32, end: u32, otherFirst: u32, otherEnd: u32): u32
{
  assert(((rows | stride | codes | codeStride) & 15) === 0 && (squares & 7) === 0 && (forest & 7) === 0,
    'something that is not aligned');
  let pairs: u32 = 0;
  for (let a = first; a < end; a += 2) {
    const a1 = min(a + 1, end - 1);
    const from = max(otherFirst, a + 1);
    for (let b = from; b < otherEnd; b += 4) {
      const b1 = min(b + 1, otherEnd - 1);
      const b2 = min(b + 2, otherEnd - 1);
      const b3 = min(b + 3, otherEnd - 1);
      const near = nearByCodes(codes, codeStride, squares, a, a1, b, b1, b2, b3, limit, half);
      if (near === 0) continue;
      const hits = near & candidates(rows, stride, squares, a, a1, b, b1, b2, b3, limit, half);
      for (let i: u32 = 0; i < 8; i++) {
        const row = a + (i >> 2);
        const other = b + (i & 3);
        if ((hits & (1 << i)) === 0 || row >= end || other >= otherEnd || row >= other) continue;
        pairs += join(rows, stride, squares, forest, metric, threshold, row, other);
      }
    }
  }
  return pairs;
}

/** Bits of the 2 x 4 pairs that may reach the limit, by their codes; four for each of the first rows. */
function nearByCodes(codes: usize, stride: u32, squares: usize, a: u32, a1: u32, b: u32, b1: u32, b2: u32, b3: u32,
  limit: f32, half: f32): i32
{
  const pa = codes + <usize>a * stride;
  const qa = codes + <usize>a1 * stride;
  const pb = codes + <usize>b * stride;
  const qb = codes + <usize>b1 * stride;
  const rb = codes + <usize>b2 * stride;
  const sb = codes + <usize>b3 * stride;
  const middle = i8x16.splat(MIDDLE);
  let p0 = i32x4.splat(0);
  let p1 = p0;
  let p2 = p0;
  let p3 = p0;
  let q0 = p0;
  let q1 = p0;
  let q2 = p0;
  let q3 = p0;
  const bytes = <usize>stride - 16;
  for (let i: usize = 0; i < bytes; i += 16) {
    const x = i8x16.sub(v128.load(pa + i), middle);
    const y = i8x16.sub(v128.load(qa + i), middle);
    let z = v128.load(pb + i);
    p0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x, z, p0);
    q0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(y, z, q0);
    z = v128.load(qb + i);
    p1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x, z, p1);
    q1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(y, z, q1);
    z = v128.load(rb + i);
    p2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x, z, p2);
    q2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(y, z, q2);
    z = v128.load(sb + i);
    p3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x, z, p3);
    q3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(y, z, q3);
  }
  const x = v128.load(pb + bytes);
  const y = v128.load(qb + bytes);
  const z = v128.load(rb + bytes);
  const w = v128.load(sb + bytes);
  const steps = f32x4(f32x4.extract_lane(x, 0), f32x4.extract_lane(y, 0), f32x4.extract_lane(z, 0),
    f32x4.extract_lane(w, 0));
  const lost = f32x4(f32x4.extract_lane(x, 1), f32x4.extract_lane(y, 1), f32x4.extract_lane(z, 1),
    f32x4.extract_lane(w, 1));
  const lengths = f32x4(f32x4.extract_lane(x, 2), f32x4.extract_lane(y, 2), f32x4.extract_lane(z, 2),
    f32x4.extract_lane(w, 2));
  const others = f32x4(squareOf(squares, b), squareOf(squares, b1), squareOf(squares, b2), squareOf(squares, b3));
  const low = reaching(mostOf(integerSums(p0, p1, p2, p3), pa + bytes, steps, lost, lengths), others,
    squareOf(squares, a), limit, half);
  const high = reaching(mostOf(integerSums(q0, q1, q2, q3), qa + bytes, steps, lost, lengths), others,
    squareOf(squares, a1), limit, half);
  return low | (high << 4);
}

/** Upper bounds of the products of a row with four others; `behind` is the address behind its codes. */
function mostOf(products: v128, behind: usize, steps: v128, lost: v128, lengths: v128): v128 {
  const centred = i32x4.sub(products, i32x4.splat(MIDDLE * load<i32>(behind, TOTAL)));
  const product = f32x4.mul(f32x4.mul(v128.load_splat<f32>(behind, STEP), steps), f32x4.convert_i32x4_s(centred));
  const ofOthers = f32x4.mul(v128.load_splat<f32>(behind, LENGTH),
    f32x4.add(lost, f32x4.mul(lengths, f32x4.splat(ROUNDING))));
  const ofRow = f32x4.mul(v128.load_splat<f32>(behind, LOST), f32x4.add(lengths, lost));
  return f32x4.add(product, f32x4.add(ofOthers, ofRow));
}

/** Bits of the 2 x 4 pairs that reach the limit; four for each of the first rows. */
function candidates(rows: usize, stride: u32, squares: usize, a: u32, a1: u32, b: u32, b1: u32, b2: u32, b3: u32,
  limit: f32, half: f32): i32
{
  const pa = rows + <usize>a * stride;
  const qa = rows + <usize>a1 * stride;
  const pb = rows + <usize>b * stride;
  const qb = rows + <usize>b1 * stride;
  const rb = rows + <usize>b2 * stride;
  const sb = rows + <usize>b3 * stride;
  let p0 = f32x4.splat(0);
  let p1 = p0;
  let p2 = p0;
  let p3 = p0;
  let q0 = p0;
  let q1 = p0;
  let q2 = p0;
  let q3 = p0;
  for (let i: usize = 0; i < <usize>stride; i += 16) {
    const x = v128.load(pa + i);
    const y = v128.load(qa + i);
    let z = v128.load(pb + i);
    p0 = f32x4.add(p0, f32x4.mul(x, z));
    q0 = f32x4.add(q0, f32x4.mul(y, z));
    z = v128.load(qb + i);
    p1 = f32x4.add(p1, f32x4.mul(x, z));
    q1 = f32x4.add(q1, f32x4.mul(y, z));
    z = v128.load(rb + i);
    p2 = f32x4.add(p2, f32x4.mul(x, z));
    q2 = f32x4.add(q2, f32x4.mul(y, z));
    z = v128.load(sb + i);
    p3 = f32x4.add(p3, f32x4.mul(x, z));
    q3 = f32x4.add(q3, f32x4.mul(y, z));
  }
  const others = f32x4(squareOf(squares, b), squareOf(squares, b1), squareOf(squares, b2), squareOf(squares, b3));
  const low = reaching(sums(p0, p1, p2, p3), others, squareOf(squares, a), limit, half);
  const high = reaching(sums(q0, q1, q2, q3), others, squareOf(squares, a1), limit, half);
  return low | (high << 4);
}

/** NaN, from a product that exceeded the range, is a candidate as well. */
function reaching(products: v128, others: v128, square: f32, limit: f32, half: f32): i32 {
  const lengths = f32x4.mul(f32x4.add(others, f32x4.splat(square)), f32x4.splat(half));
  return i32x4.bitmask(f32x4.lt(f32x4.sub(products, lengths), f32x4.splat(limit))) ^ 15;
}

function squareOf(squares: usize, row: u32): f32 {
  return <f32>load<f64>(squares + (<usize>row << 3));
}

/** The sums of four vectors. */
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

function integerSums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

/** Scores a pair, and joins the groups of its rows if it is similar. Returns 1 then. */
function join(rows: usize, stride: u32, squares: usize, forest: usize, metric: i32, threshold: f64, row: u32,
  other: u32): u32
{
  const squareOfRow = load<f64>(squares + (<usize>row << 3));
  const squareOfOther = load<f64>(squares + (<usize>other << 3));
  const score = scoreOf(rows + <usize>row * stride, rows + <usize>other * stride, stride, squareOfRow, squareOfOther,
    metric);
  if (!(<f64>score >= threshold)) return 0;
  improve(forest + <usize>row * NODE, score);
  improve(forest + <usize>other * NODE, score);
  const a = rootOf(forest, row);
  const b = rootOf(forest, other);
  const root = forest + <usize>min(a, b) * NODE;
  if (a !== b) adopt(root, forest + <usize>max(a, b) * NODE, min(a, b));
  store<f64>(root, load<f64>(root, SUM) + <f64>score, SUM);
  store<f64>(root, load<f64>(root, PAIRS) + 1, PAIRS);
  return 1;
}

/** Cosine, product, or 1 / (1 + distance), rounded to 32 bits, so that equal vectors have a cosine of 1. */
export function scoreOf(a: usize, b: usize, stride: u32, squareOfA: f64, squareOfB: f64, metric: i32): f32 {
  if (metric === COSINE) {
    const lengths = sqrt(squareOfA) * sqrt(squareOfB);
    return lengths === 0 ? 0 : <f32>min(1.0, max(-1.0, dot(a, b, stride) / lengths));
  }
  if (metric === DOT_PRODUCT) return <f32>dot(a, b, stride);
  return <f32>(1.0 / (1.0 + sqrt(distance(a, b, stride))));
}

function improve(node: usize, score: f32): void {
  if (score > load<f32>(node, BEST)) store<f32>(node, score, BEST);
}

function adopt(root: usize, node: usize, row: u32): void {
  store<u32>(node, row, PARENT);
  store<f64>(root, load<f64>(root, SUM) + load<f64>(node, SUM), SUM);
  store<f64>(root, load<f64>(root, PAIRS) + load<f64>(node, PAIRS), PAIRS);
}

/** The root of a row's group: its lowest row. Halves the path on the way. */
export function rootOf(forest: usize, row: u32): u32 {
  let parent = load<u32>(forest + <usize>row * NODE, PARENT);
  while (parent !== row) {
    const above = load<u32>(forest + <usize>parent * NODE, PARENT);
    store<u32>(forest + <usize>row * NODE, above, PARENT);
    row = above;
    parent = load<u32>(forest + <usize>row * NODE, PARENT);
  }
  return row;
}

export function bestOf(forest: usize, row: u32): f32 {
  return load<f32>(forest + <usize>row * NODE, BEST);
}

export function sumOf(forest: usize, root: u32): f64 {
  return load<f64>(forest + <usize>root * NODE, SUM);
}

export function pairsOf(forest: usize, root: u32): f64 {
  return load<f64>(forest + <usize>root * NODE, PAIRS);
}

function upper(x: v128): v128 {
  return v128.shuffle<i64>(x, x, 1, 1);
}

function lanes(x: v128): f64 {
  return f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1);
}
