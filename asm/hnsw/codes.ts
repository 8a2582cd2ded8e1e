// Codes of rows, and distances between a probe (a query, or a row in its place) and a row.
//
// A row x is coded with a range of its own: x_i = lowest + step * c_i, c_i in 0..127. For cosine, x is scaled to
// length 1 first. A probe p is p_i = mid + scale * s_i, s_i in -127..127; a query has mid 0. Then
//
//   p . x = mid * sum(x) + lowest * scale * sum(s) + step * scale * (s . c)
//
// where s . c is an integer that `relaxed_dot_i8x16_i7x16_add` sums exactly, 16 products per
// instruction, because c has 7 bits. Graphs that must be small have codes of 4 bits instead, c_i in 0..15, 32
// dimensions in 16 bytes: the first 16 as low nibbles. The distance is 1 - p . x for cosine, -p . x for the dot product
// and |p|^2 + |x|^2 - 2 p . x for l2; its constants are included in the probe:
//
//   probe: base, mid, sum, scale: f32 each; then s, padded to 16
//   distance = base + square - (mid * total + sum * lowest + scale * step * (s . c))
//
// with the square (|x|^2 for l2, otherwise 0) and the total (the sum of the components) of the row.

import { sumsOfFour } from '../vector/distance.ts';
import { COSINE, EUCLIDEAN, inverseNormOf, vectorOf } from '../vector/rows.ts';
import { G_BITS, G_CODE_BYTES, G_DIMS, G_METRIC, G_RECORD_BYTES, G_SHIFT, recordAt, recordOf,
  ROWS_THEMSELVES } from './layout.ts';
import { anyStoredNearer, distancesOfStored, distanceToStored, probeQueryForStored, probeStored } from './row-codes.ts';

export const PROBE_HEAD: usize = 16;

const C_SQUARE: usize = 0;
const C_TOTAL: usize = 4;
const C_LOWEST: usize = 8;
const C_STEP: usize = 12;
/** The largest component of a probe, and the largest 7-bit code. */
const LARGEST_CODE: f32 = 127;
const MIDDLE: f32 = 64;
const LARGEST_OF_4: f32 = 15;
const MIDDLE_OF_4: f32 = 8;

/** Bytes of a probe's components. */
export function probeBytesOf(graph: usize): u32 {
  return load<u32>(graph, G_CODE_BYTES) * (load<u32>(graph, G_BITS) === 4 ? 2 : 1);
}

/** Weight of the scalar product in a distance. */
function weightOf(metric: u32): f32 {
  return metric === EUCLIDEAN ? 2 : 1;
}

/** Writes the code of a row, and the four numbers behind it, into its record. */
export function encodeRow(graph: usize, row: u32): void {
  if (load<u32>(graph, G_BITS) === ROWS_THEMSELVES) return;
  const metric = load<u32>(graph, G_METRIC);
  const dims = load<u32>(graph, G_DIMS);
  const codeBytes = <usize>load<u32>(graph, G_CODE_BYTES);
  const at = vectorOf(row);
  const record = recordOf(graph, row);
  const factor: f32 = metric === COSINE ? inverseNormOf(row) : 1;
  const lowest = extreme(at, dims, false) * factor;
  const isSmall = load<u32>(graph, G_BITS) === 4;
  const step = (extreme(at, dims, true) * factor - lowest) / (isSmall ? LARGEST_OF_4 : LARGEST_CODE);
  if (isSmall) quantizeTo4(at, dims, record, factor, lowest, step > 0 ? 1 / step : 0);
  else quantize(at, dims, record, factor, lowest, step > 0 ? 1 / step : 0);
  const behind = record + codeBytes;
  store<f32>(behind, metric === EUCLIDEAN ? sumOfSquares(at, dims) : 0, C_SQUARE);
  store<f32>(behind, sumOf(at, dims) * factor, C_TOTAL);
  store<f32>(behind, lowest, C_LOWEST);
  store<f32>(behind, step, C_STEP);
}

/** Makes a probe of a row by its vector. */
export function probeVectorOf(graph: usize, probe: usize, row: u32): void {
  if (load<u32>(graph, G_BITS) === ROWS_THEMSELVES) return probeStored(graph, probe, row);
  probeQuery(graph, probe, vectorOf(row), load<u32>(graph, G_METRIC) === COSINE ? inverseNormOf(row) : 1);
}

/** Makes a probe of a query of f32, scaled by `factor`, which for cosine makes its length 1. */
export function probeQuery(graph: usize, probe: usize, at: usize, factor: f32): void {
  if (load<u32>(graph, G_BITS) === ROWS_THEMSELVES) return probeQueryForStored(graph, probe, at, factor);
  const metric = load<u32>(graph, G_METRIC);
  const dims = load<u32>(graph, G_DIMS);
  const weight = weightOf(metric);
  const largest = max(extreme(at, dims, true), -extreme(at, dims, false)) * factor;
  const scale = largest / LARGEST_CODE;
  memory.fill(probe + PROBE_HEAD, 0, probeBytesOf(graph));
  quantize(at, dims, probe + PROBE_HEAD, factor, 0, scale > 0 ? 1 / scale : 0);
  const square: f32 = metric === EUCLIDEAN ? sumOfSquares(at, dims) : 0;
  storeHead(probe, metric === COSINE ? 1 : square, 0, weight * sumOf(at, dims) * factor, weight * scale);
}

/** Makes a probe of a row by its code: faster than by its vector, and a little less exact. */
export function probeRow(graph: usize, probe: usize, row: u32): void {
  if (load<u32>(graph, G_BITS) === ROWS_THEMSELVES) return probeStored(graph, probe, row);
  const metric = load<u32>(graph, G_METRIC);
  const codeBytes = <usize>load<u32>(graph, G_CODE_BYTES);
  const record = recordOf(graph, row);
  const behind = record + codeBytes;
  const isSmall = load<u32>(graph, G_BITS) === 4;
  if (isSmall) unpack4(record, codeBytes, probe + PROBE_HEAD);
  else unpack7(record, codeBytes, probe + PROBE_HEAD);
  const weight = weightOf(metric);
  const step = load<f32>(behind, C_STEP);
  const mid = load<f32>(behind, C_LOWEST) + (isSmall ? MIDDLE_OF_4 : MIDDLE) * step;
  const rest = load<f32>(behind, C_TOTAL) - <f32>load<u32>(graph, G_DIMS) * mid;
  storeHead(probe, metric === COSINE ? 1 : load<f32>(behind, C_SQUARE), weight * mid, weight * rest, weight * step);
}

function unpack7(record: usize, codeBytes: usize, to: usize): void {
  for (let i: usize = 0; i < codeBytes; i += 16) v128.store(to + i, i8x16.sub(v128.load(record + i), i8x16.splat(64)));
}

function unpack4(record: usize, codeBytes: usize, to: usize): void {
  const nibble = i8x16.splat(15);
  for (let i: usize = 0; i < codeBytes; i += 16) {
    const both = v128.load(record + i);
    v128.store(to + 2 * i, i8x16.sub(v128.and(both, nibble), i8x16.splat(8)));
    v128.store(to + 2 * i + 16, i8x16.sub(v128.and(i16x8.shr_u(both, 4), nibble), i8x16.splat(8)));
  }
}

function storeHead(probe: usize, base: f32, mid: f32, sum: f32, scale: f32): void {
  store<f32>(probe, base, 0);
  store<f32>(probe, mid, 4);
  store<f32>(probe, sum, 8);
  store<f32>(probe, scale, 12);
}

/**
 * Distances of `count` rows (u32, at `rows`) from a probe, f32 each, to `out`. Works on four rows at a time:
 * the list must be readable, and `out` writable, up to a multiple of four.
 */
export function distancesOf(graph: usize, probe: usize, rows: usize, count: u32, out: usize): void {
  if (load<u32>(graph, G_BITS) === ROWS_THEMSELVES) return distancesOfStored(graph, probe, rows, count, out);
  const codeBytes = <usize>load<u32>(graph, G_CODE_BYTES);
  const isSmall = load<u32>(graph, G_BITS) === 4;
  const shift = load<u32>(graph, G_SHIFT);
  const size = <usize>load<u32>(graph, G_RECORD_BYTES);
  const end = rows + (<usize>count << 2);
  while (rows < end) {
    const left = end - rows;
    const a = recordAt(graph, shift, size, load<u32>(rows));
    const b = left > 4 ? recordAt(graph, shift, size, load<u32>(rows, 4)) : a;
    const c = left > 8 ? recordAt(graph, shift, size, load<u32>(rows, 8)) : a;
    const d = left > 12 ? recordAt(graph, shift, size, load<u32>(rows, 12)) : a;
    v128.store(out, fourDistances(probe, isSmall, codeBytes, a, b, c, d));
    rows += 16;
    out += 16;
  }
}

/** Whether any of `count` rows is nearer to the probe than `distance`. */
export function anyNearer(graph: usize, probe: usize, rows: usize, count: u32, distance: f32): bool {
  if (load<u32>(graph, G_BITS) === ROWS_THEMSELVES) return anyStoredNearer(graph, probe, rows, count, distance);
  const codeBytes = <usize>load<u32>(graph, G_CODE_BYTES);
  const isSmall = load<u32>(graph, G_BITS) === 4;
  const shift = load<u32>(graph, G_SHIFT);
  const size = <usize>load<u32>(graph, G_RECORD_BYTES);
  const limit = f32x4.splat(distance);
  const end = rows + (<usize>count << 2);
  for (; rows < end; rows += 16) {
    const left = end - rows;
    const a = recordAt(graph, shift, size, load<u32>(rows));
    const b = left > 4 ? recordAt(graph, shift, size, load<u32>(rows, 4)) : a;
    const c = left > 8 ? recordAt(graph, shift, size, load<u32>(rows, 8)) : a;
    const d = left > 12 ? recordAt(graph, shift, size, load<u32>(rows, 12)) : a;
    if (v128.any_true(f32x4.lt(fourDistances(probe, isSmall, codeBytes, a, b, c, d), limit))) return true;
  }
  return false;
}

/** Distance of one row from a probe. */
export function distanceTo(graph: usize, probe: usize, row: u32): f32 {
  if (load<u32>(graph, G_BITS) === ROWS_THEMSELVES) return distanceToStored(graph, probe, row);
  const record = recordOf(graph, row);
  return f32x4.extract_lane(
    fourDistances(probe, load<u32>(graph, G_BITS) === 4, load<u32>(graph, G_CODE_BYTES), record, record, record,
      record),
    0,
  );
}

function fourDistances(probe: usize, isSmall: bool, codeBytes: usize, a: usize, b: usize, c: usize, d: usize): v128 {
  const sums = isSmall
    ? fourProducts4(probe + PROBE_HEAD, codeBytes, a, b, c, d)
    : fourProducts(probe + PROBE_HEAD, codeBytes, a, b, c, d);
  const ha = v128.load(a + codeBytes);
  const hb = v128.load(b + codeBytes);
  const hc = v128.load(c + codeBytes);
  const hd = v128.load(d + codeBytes);
  // Turns the heads of four rows into four squares, totals, lowests and steps.
  const ab = v128.shuffle<f32>(ha, hb, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(hc, hd, 0, 4, 1, 5);
  const abLast = v128.shuffle<f32>(ha, hb, 2, 6, 3, 7);
  const cdLast = v128.shuffle<f32>(hc, hd, 2, 6, 3, 7);
  const square = v128.shuffle<f32>(ab, cd, 0, 1, 4, 5);
  const total = v128.shuffle<f32>(ab, cd, 2, 3, 6, 7);
  const lowest = v128.shuffle<f32>(abLast, cdLast, 0, 1, 4, 5);
  const step = v128.shuffle<f32>(abLast, cdLast, 2, 3, 6, 7);
  const product = f32x4.mul(f32x4.mul(v128.load_splat<f32>(probe + 12), step), f32x4.convert_i32x4_s(sums));
  const rest = f32x4.add(f32x4.mul(v128.load_splat<f32>(probe + 4), total),
    f32x4.mul(v128.load_splat<f32>(probe + 8), lowest));
  return f32x4.sub(f32x4.add(v128.load_splat<f32>(probe), square), f32x4.add(rest, product));
}

/** Four integer products of codes with a probe's components, each in two chains of sums. */
function fourProducts(probe: usize, codeBytes: usize, a: usize, b: usize, c: usize, d: usize): v128 {
  let a0 = i32x4.splat(0);
  let b0 = a0;
  let c0 = a0;
  let d0 = a0;
  let a1 = a0;
  let b1 = a0;
  let c1 = a0;
  let d1 = a0;
  let i: usize = 0;
  for (; i + 32 <= codeBytes; i += 32) {
    const p0 = v128.load(probe + i);
    a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(a + i), a0);
    b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(b + i), b0);
    c0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(c + i), c0);
    d0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(d + i), d0);
    const p1 = v128.load(probe + i, 16);
    a1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.load(a + i, 16), a1);
    b1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.load(b + i, 16), b1);
    c1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.load(c + i, 16), c1);
    d1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.load(d + i, 16), d1);
  }
  if (i < codeBytes) {
    const p0 = v128.load(probe + i);
    a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(a + i), a0);
    b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(b + i), b0);
    c0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(c + i), c0);
    d0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.load(d + i), d0);
  }
  return sumsOfFour(i32x4.add(a0, a1), i32x4.add(b0, b1), i32x4.add(c0, c1), i32x4.add(d0, d1));
}

/** The same with codes of 4 bits: the low nibbles of 16 bytes, then their high ones. */
function fourProducts4(probe: usize, codeBytes: usize, a: usize, b: usize, c: usize, d: usize): v128 {
  const nibble = i8x16.splat(15);
  let a0 = i32x4.splat(0);
  let b0 = a0;
  let c0 = a0;
  let d0 = a0;
  let a1 = a0;
  let b1 = a0;
  let c1 = a0;
  let d1 = a0;
  for (let i: usize = 0; i < codeBytes; i += 16) {
    const p0 = v128.load(probe);
    const p1 = v128.load(probe, 16);
    probe += 32;
    const x = v128.load(a + i);
    a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.and(x, nibble), a0);
    a1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.and(i16x8.shr_u(x, 4), nibble), a1);
    const y = v128.load(b + i);
    b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.and(y, nibble), b0);
    b1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.and(i16x8.shr_u(y, 4), nibble), b1);
    const z = v128.load(c + i);
    c0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.and(z, nibble), c0);
    c1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.and(i16x8.shr_u(z, 4), nibble), c1);
    const w = v128.load(d + i);
    d0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p0, v128.and(w, nibble), d0);
    d1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(p1, v128.and(i16x8.shr_u(w, 4), nibble), d1);
  }
  return sumsOfFour(i32x4.add(a0, a1), i32x4.add(b0, b1), i32x4.add(c0, c1), i32x4.add(d0, d1));
}

/** Writes round((x * factor - lowest) * inverse), limited to -127..127, for each component. */
function quantize(at: usize, dims: u32, to: usize, factor: f32, lowest: f32, inverse: f32): void {
  const scale = factor * inverse;
  const shift = lowest * inverse;
  const scales = f32x4.splat(scale);
  const shifts = f32x4.splat(shift);
  let i: usize = 0;
  for (; i + 16 <= <usize>dims; i += 16) {
    const from = at + (i << 2);
    const low = i16x8.narrow_i32x4_s(fourCodes(from, scales, shifts), fourCodes(from + 16, scales, shifts));
    const high = i16x8.narrow_i32x4_s(fourCodes(from + 32, scales, shifts), fourCodes(from + 48, scales, shifts));
    v128.store(to + i, i8x16.max_s(i8x16.narrow_i16x8_s(low, high), i8x16.splat(-127)));
  }
  for (; i < <usize>dims; i++) {
    const code = nearest<f32>(load<f32>(at + (i << 2)) * scale - shift);
    store<i8>(to + i, <i8>max<f32>(-LARGEST_CODE, min<f32>(LARGEST_CODE, code)));
  }
}

/**
 * The same in 4 bits: the first 16 of 32 dimensions are low nibbles, the others high nibbles; zeros behind the last
 * dimension.
 */
function quantizeTo4(at: usize, dims: u32, to: usize, factor: f32, lowest: f32, inverse: f32): void {
  const scales = f32x4.splat(factor * inverse);
  const shifts = f32x4.splat(lowest * inverse);
  for (let i: u32 = 0; i < dims; i += 32) {
    const first = codesOf4(at, i, dims, scales, shifts);
    const second = codesOf4(at, i + 16, dims, scales, shifts);
    v128.store(to + (i >> 1), v128.or(first, i8x16.shl(second, 4)));
  }
}

/** Codes of 16 dimensions. Bytes that are read behind a row are in the same block, and are masked. */
function codesOf4(at: usize, i: u32, dims: u32, scales: v128, shifts: v128): v128 {
  if (i >= dims) return i8x16.splat(0);
  const from = at + (<usize>i << 2);
  const low = i16x8.narrow_i32x4_s(fourCodes(from, scales, shifts), fourCodes(from + 16, scales, shifts));
  const high = i16x8.narrow_i32x4_s(fourCodes(from + 32, scales, shifts), fourCodes(from + 48, scales, shifts));
  const codes = i8x16.min_u(i8x16.narrow_i16x8_u(low, high), i8x16.splat(15));
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return v128.and(codes, i8x16.lt_u(places, i8x16.splat(<i8>min<u32>(16, dims - i))));
}

function fourCodes(from: usize, scales: v128, shifts: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.sub(f32x4.mul(v128.load(from), scales), shifts)));
}

/** Largest or smallest component. */
function extreme(at: usize, dims: u32, largest: bool): f32 {
  let found = load<f32>(at);
  const end = at + (<usize>dims << 2);
  if (dims >= 4) {
    let four = v128.load(at);
    for (at += 16; at + 16 <= end; at += 16) {
      const next = v128.load(at);
      four = largest ? f32x4.max(four, next) : f32x4.min(four, next);
    }
    const two = v128.shuffle<f32>(four, four, 2, 3, 0, 1);
    four = largest ? f32x4.max(four, two) : f32x4.min(four, two);
    const a = f32x4.extract_lane(four, 0);
    const b = f32x4.extract_lane(four, 1);
    found = largest ? max(a, b) : min(a, b);
  }
  for (; at < end; at += 4) found = largest ? max(found, load<f32>(at)) : min(found, load<f32>(at));
  return found;
}

function sumOf(at: usize, dims: u32): f32 {
  let four = f32x4.splat(0);
  const end = at + (<usize>dims << 2);
  for (; at + 16 <= end; at += 16) four = f32x4.add(four, v128.load(at));
  let sum = f32x4.extract_lane(four, 0) + f32x4.extract_lane(four, 1) + f32x4.extract_lane(four, 2) +
    f32x4.extract_lane(four, 3);
  for (; at < end; at += 4) sum += load<f32>(at);
  return sum;
}

function sumOfSquares(at: usize, dims: u32): f32 {
  let four = f32x4.splat(0);
  const end = at + (<usize>dims << 2);
  for (; at + 16 <= end; at += 16) four = f32x4.add(four, f32x4.mul(v128.load(at), v128.load(at)));
  let sum = f32x4.extract_lane(four, 0) + f32x4.extract_lane(four, 1) + f32x4.extract_lane(four, 2) +
    f32x4.extract_lane(four, 3);
  for (; at < end; at += 4) sum += load<f32>(at) * load<f32>(at);
  return sum;
}
