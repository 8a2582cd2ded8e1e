// Distances in segments of int8 rows, which are codes themselves (asm/vector/rows.ts): x_i = low + step * c_i,
// with c_i in 0..255. A probe p is p_i = least + scale * q_i, with q_i in 0..127. With s_i = c_i - 128
//
//   p . x = (low + 128 * step) * sum(p) + step * (least * sum(s) + scale * (q . s))
//
// where q . s is the product of the upper plane of a scan, and sum(s) is stored behind the row. A probe of a row is its codes
// without their last bit. codes.ts defines the distances.
//
//   probe: base, sum, least, scale: f32 each; then q, zeros up to a multiple of 16

import { coarseInt8 } from '../vector/stored.ts';
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
  for (let i: usize = 0; i < bytes; i += 16) v128.store(probe + P_CODES + i, v128.and(i16x8.shr_u(v128.load(at + i), 1), mask));
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
  return distanceFrom(load<u32>(graph, G_METRIC), probe, vectorOf(row), bytes);
}

/** Distances of `count` rows (u32, at `rows`), f32 each, to `out`. */
export function distancesOfStored(graph: usize, probe: usize, rows: usize, count: u32, out: usize): void {
  const bytes = <usize>codeBytes(load<u32>(graph, G_DIMS), TYPE_INT8);
  const metric = load<u32>(graph, G_METRIC);
  for (let i: usize = 0; i < <usize>count << 2; i += 4) store<f32>(out + i, distanceFrom(metric, probe, vectorOf(load<u32>(rows + i)), bytes));
}

function distanceFrom(metric: u32, probe: usize, at: usize, bytes: usize): f32 {
  const tail = at + bytes;
  const step = load<f32>(tail, T_STEP);
  const integers = <f32>coarseInt8(probe + P_CODES, at, bytes);
  const product = (load<f32>(tail, T_LOW) + 128 * step) * load<f32>(probe, P_SUM)
    + step * (load<f32>(probe, P_LEAST) * <f32>load<i32>(tail, T_SUM) + load<f32>(probe, P_SCALE) * integers);
  if (metric === COSINE) return 1 - load<f32>(tail, T_INVERSE_NORM) * product;
  return metric === EUCLIDEAN ? load<f32>(probe, P_BASE) + squareOf(tail) - 2 * product : -product;
}
