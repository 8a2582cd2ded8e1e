// Adding rows: only for the one thread that writes.

import { H_CHUNKS, H_DIMS, H_LIVE_ROWS, H_NORMS, H_ORDS, H_ROWS, H_STRIDE, H_TYPE } from './memory.ts';
import { blockOf, liveWordOf, placeOf, rowCount, SHORTEST, TYPE_F32, vectorOf } from './rows.ts';
import { componentOf, copyRounded, encodeVector, keepNorm, squareOfStored } from './stored.ts';

/** Adds a row with the f32 components at `from`; `makeRoom` must have been called. Returns its number. */
export function addRow(from: usize, ord: u32, chunk: u32): u32 {
  const row = rowCount();
  encodeVector(from, vectorOf(row));
  return complete(row, ord, chunk);
}

/** The same for a row of int8 whose minimum, step and codes are at `from` (`copyRounded`). */
export function addRounded(from: usize, ord: u32, chunk: u32): u32 {
  const row = rowCount();
  copyRounded(from, vectorOf(row));
  return complete(row, ord, chunk);
}

function complete(row: u32, ord: u32, chunk: u32): u32 {
  const vector = vectorOf(row);
  const norm = normOf(vector);
  keepNorm(vector, norm);
  return publish(row, ord, chunk, norm);
}

/** Completes and publishes the current row, whose vector was written to its place. */
export function publish(row: u32, ord: u32, chunk: u32, inverseNorm: f32): u32 {
  const block = blockOf(row);
  const place = placeOf(row) << 2;
  store<u32>(block + load<u32>(H_ORDS) + place, ord);
  store<u32>(block + load<u32>(H_CHUNKS) + place, chunk);
  store<f32>(block + load<u32>(H_NORMS) + place, inverseNorm);
  const word = liveWordOf(row);
  store<u64>(word, load<u64>(word) | (<u64>1 << (row & 63)));
  store<u32>(H_LIVE_ROWS, load<u32>(H_LIVE_ROWS) + 1);
  atomic.store<u32>(H_ROWS, row + 1);
  return row;
}

/** Writes the mean of a run of rows as f32; with `unit`, of length 1 (unless it is zero). */
export function meanOfRows(first: u32, count: u32, to: usize, unit: u32): void {
  const dims = load<u32>(H_DIMS);
  let squares: f64 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    let total: f64 = 0;
    for (let row = first; row < first + count; row++) total += componentOf(vectorOf(row), i);
    squares += (total / count) * (total / count);
    store<f32>(to + (<usize>i << 2), <f32>(total / count));
  }
  if (!unit || squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (let i: u32 = 0; i < dims; i++) {
    const at = to + (<usize>i << 2);
    store<f32>(at, <f32>(<f64>load<f32>(at) * scale));
  }
}

function squareOfFloats(vector: usize, bytes: usize): f64 {
  let squares = f64x2.splat(0);
  let others = squares;
  for (const end = vector + bytes; vector < end; vector += 16) {
    const low = f64x2.promote_low_f32x4(v128.load64_zero(vector));
    const high = f64x2.promote_low_f32x4(v128.load64_zero(vector, 8));
    squares = f64x2.add(squares, f64x2.mul(low, low));
    others = f64x2.add(others, f64x2.mul(high, high));
  }
  const both = f64x2.add(squares, others);
  return f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
}

/** 1 / length of a stored vector; 0 for a zero vector. */
function normOf(vector: usize): f32 {
  const length = Math.sqrt(squareOf(vector));
  return length >= SHORTEST ? <f32>(1 / length) : 0;
}

function squareOf(vector: usize): f64 {
  return load<u32>(H_TYPE) === TYPE_F32 ? squareOfFloats(vector, load<u32>(H_STRIDE)) : squareOfStored(vector);
}
