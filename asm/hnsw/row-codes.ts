// Distances in segments of int8 rows, which are codes themselves (asm/vector/rows.ts): x_i = low + step * c_i,
// with c_i in 0..255. A probe p is p_i = least + scale * q_i, with q_i in 0..127. With s_i = c_i - 128
//
//   p . x = (low + 128 * step) * sum(p) + step * (least * sum(s) + scale * (q . s))
//
// where q . s is the product of the upper plane of a scan, and sum(s) is stored behind the row. A probe of a row is its
// codes without their last bit. codes.ts defines the distances.
//
//   probe: base, sum, least, scale: f32 each; then q, zeros up to a multiple of 16

import { sumsOfFour } from '../vector/distance.ts';
import { codeBytes, COSINE, EUCLIDEAN, TYPE_INT8, vectorOf } from '../vector/rows.ts';
import { G_DIMS, G_METRIC } from './layout.ts';

const P_BASE: usize = 0;
const P_SUM: usize = 4;
const P_LEAST: usize = 8;
const P_SCALE: usize = 12;
const P_CODES: usize = 16;
const LARGEST_CODE: f32 = 127;

// Behind the codes of a row.
const T_LOW: usize = 0;
const T_STEP: usize = 4;
const T_SUM: usize = 8;
const T_INVERSE_NORM: usize = 12;

/** Makes a probe of a query of f32, scaled by `factor`. */
export function probeQueryForStored(graph: usize, probe: usize, at: usize, factor: f32): void {
  const dims = load<u32>(graph, G_DIMS);
  let least = load<f32>(at);
  let greatest = least;
  let sum: f32 = 0;
  let squares: f32 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    const value = load<f32>(at + (<usize>i << 2));
    least = min(least, value);
    greatest = max(greatest, value);
    sum += value;
    squares += value * value;
  }
  const scale = (greatest - least) / LARGEST_CODE;
  const inverse: f32 = scale > 0 ? 1 / scale : 0;
  memory.fill(probe + P_CODES, 0, codeBytes(dims, TYPE_INT8));
  for (let i: u32 = 0; i < dims; i++) {
    const code = nearest<f32>((load<f32>(at + (<usize>i << 2)) - least) * inverse);
    store<u8>(probe + P_CODES + i, <u8>min<f32>(LARGEST_CODE, code));
  }
  storeHead(graph, probe, factor * factor * squares, factor * sum, factor * least, factor * scale);
}

/** Makes a probe of a row; for cosine one of length 1. */
export function probeStored(graph: usize, probe: usize, row: u32): void {
  const dims = load<u32>(graph, G_DIMS);
  const bytes = <usize>codeBytes(dims, TYPE_INT8);
  const at = vectorOf(row);
  const tail = at + bytes;
  const mask = i8x16.splat(127);
  for (let i: usize = 0; i < bytes; i += 16)
    v128.store(probe + P_CODES + i, v128.and(i16x8.shr_u(v128.load(at + i), 1), mask));
  const low = load<f32>(tail, T_LOW);
  const step = load<f32>(tail, T_STEP);
  const factor: f32 = load<u32>(graph, G_METRIC) === COSINE ? load<f32>(tail, T_INVERSE_NORM) : 1;
  const sum = <f32>dims * (low + 128 * step) + step * <f32>load<i32>(tail, T_SUM);
  storeHead(graph, probe, squareOf(tail), factor * sum, factor * (low + <f32>0.5 * step), factor * 2 * step);
}

function storeHead(graph: usize, probe: usize, square: f32, sum: f32, least: f32, scale: f32): void {
  const metric = load<u32>(graph, G_METRIC);
  store<f32>(probe, metric === COSINE ? 1 : metric === EUCLIDEAN ? square : 0, P_BASE);
  store<f32>(probe, sum, P_SUM);
  store<f32>(probe, least, P_LEAST);
  store<f32>(probe, scale, P_SCALE);
}

/** The square of a row's length, computed from the inverse length. */
function squareOf(tail: usize): f32 {
  const inverse = load<f32>(tail, T_INVERSE_NORM);
  return inverse > 0 ? 1 / (inverse * inverse) : 0;
}

export function distanceToStored(graph: usize, probe: usize, row: u32): f32 {
  const bytes = <usize>codeBytes(load<u32>(graph, G_DIMS), TYPE_INT8);
  const at = vectorOf(row);
  return f32x4.extract_lane(fourDistances(load<u32>(graph, G_METRIC), probe, bytes, at, at, at, at), 0);
}

/** Distances of `count` rows (u32, at `rows`), f32 each, to `out`; both must have space for a multiple of four. */
export function distancesOfStored(graph: usize, probe: usize, rows: usize, count: u32, out: usize): void {
  const bytes = <usize>codeBytes(load<u32>(graph, G_DIMS), TYPE_INT8);
  const metric = load<u32>(graph, G_METRIC);
  fetch(rows, count, bytes, out);
  for (const end = rows + (<usize>count << 2); rows < end; rows += 16) {
    const left = end - rows;
    const a = vectorOf(load<u32>(rows));
    const b = left > 4 ? vectorOf(load<u32>(rows, 4)) : a;
    const c = left > 8 ? vectorOf(load<u32>(rows, 8)) : a;
    const d = left > 12 ? vectorOf(load<u32>(rows, 12)) : a;
    v128.store(out, fourDistances(metric, probe, bytes, a, b, c, d));
    out += 16;
  }
}

/**
 * Touches what will be read of rows: a tight loop of loads fetches many of them at the same time. `out` keeps the loads
 * from being dropped.
 */
function fetch(rows: usize, count: u32, bytes: usize, out: usize): void {
  let touched: u32 = 0;
  for (const end = rows + (<usize>count << 2); rows < end; rows += 4) {
    const at = vectorOf(load<u32>(rows));
    for (let i: usize = 0; i <= bytes; i += 64) touched ^= load<u32>(at + i);
  }
  store<u32>(out, touched);
}

/** Whether any of `count` rows is nearer to the probe than `distance`. */
export function anyStoredNearer(graph: usize, probe: usize, rows: usize, count: u32, distance: f32): bool {
  const bytes = <usize>codeBytes(load<u32>(graph, G_DIMS), TYPE_INT8);
  const metric = load<u32>(graph, G_METRIC);
  const limit = f32x4.splat(distance);
  for (const end = rows + (<usize>count << 2); rows < end; rows += 16) {
    const left = end - rows;
    const a = vectorOf(load<u32>(rows));
    const b = left > 4 ? vectorOf(load<u32>(rows, 4)) : a;
    const c = left > 8 ? vectorOf(load<u32>(rows, 8)) : a;
    const d = left > 12 ? vectorOf(load<u32>(rows, 12)) : a;
    if (v128.any_true(f32x4.lt(fourDistances(metric, probe, bytes, a, b, c, d), limit))) return true;
  }
  return false;
}

/** Distances of four rows, whose reads from memory overlap. */
function fourDistances(metric: u32, probe: usize, bytes: usize, a: usize, b: usize, c: usize, d: usize): v128 {
  const integers = f32x4.convert_i32x4_s(fourProducts(probe + P_CODES, bytes, a, b, c, d));
  const ta = v128.load(a + bytes);
  const tb = v128.load(b + bytes);
  const tc = v128.load(c + bytes);
  const td = v128.load(d + bytes);
  // Turns the tails of four rows into four lows, steps, sums and inverse norms.
  const ab = v128.shuffle<f32>(ta, tb, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(tc, td, 0, 4, 1, 5);
  const abLast = v128.shuffle<f32>(ta, tb, 2, 6, 3, 7);
  const cdLast = v128.shuffle<f32>(tc, td, 2, 6, 3, 7);
  const low = v128.shuffle<f32>(ab, cd, 0, 1, 4, 5);
  const step = v128.shuffle<f32>(ab, cd, 2, 3, 6, 7);
  const sum = f32x4.convert_i32x4_s(v128.shuffle<f32>(abLast, cdLast, 0, 1, 4, 5));
  const inverse = v128.shuffle<f32>(abLast, cdLast, 2, 3, 6, 7);
  const middle = f32x4.add(low, f32x4.mul(step, f32x4.splat(128)));
  const rest = f32x4.add(f32x4.mul(v128.load_splat<f32>(probe + P_LEAST), sum),
    f32x4.mul(v128.load_splat<f32>(probe + P_SCALE), integers));
  const product = f32x4.add(f32x4.mul(middle, v128.load_splat<f32>(probe + P_SUM)), f32x4.mul(step, rest));
  if (metric === COSINE) return f32x4.sub(f32x4.splat(1), f32x4.mul(inverse, product));
  if (metric !== EUCLIDEAN) return f32x4.neg(product);
  const squares = f32x4.div(f32x4.splat(1), f32x4.mul(inverse, inverse));
  const square = v128.and(squares, f32x4.gt(inverse, f32x4.splat(0)));
  return f32x4.sub(f32x4.add(v128.load_splat<f32>(probe + P_BASE), square), f32x4.add(product, product));
}

/** The integer products of a probe with the codes of four rows. */
function fourProducts(probe: usize, bytes: usize, a: usize, b: usize, c: usize, d: usize): v128 {
  const sign = i8x16.splat(-128);
  let a0 = i32x4.splat(0);
  let b0 = a0;
  let c0 = a0;
  let d0 = a0;
  let a1 = a0;
  let b1 = a0;
  let c1 = a0;
  let d1 = a0;
  let i: usize = 0;
  for (; i + 32 <= bytes; i += 32) {
    const p0 = v128.load(probe + i);
    a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(a + i), sign), p0, a0);
    b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(b + i), sign), p0, b0);
    c0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(c + i), sign), p0, c0);
    d0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(d + i), sign), p0, d0);
    const p1 = v128.load(probe + i, 16);
    a1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(a + i, 16), sign), p1, a1);
    b1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(b + i, 16), sign), p1, b1);
    c1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(c + i, 16), sign), p1, c1);
    d1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(d + i, 16), sign), p1, d1);
  }
  if (i < bytes) {
    const p0 = v128.load(probe + i);
    a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(a + i), sign), p0, a0);
    b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(b + i), sign), p0, b0);
    c0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(c + i), sign), p0, c0);
    d0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(d + i), sign), p0, d0);
  }
  return sumsOfFour(i32x4.add(a0, a1), i32x4.add(b0, b1), i32x4.add(c0, c1), i32x4.add(d0, d1));
}
