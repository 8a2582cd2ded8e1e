// The nearest of many centroids. Centroids are packed as columns (matrix.ts); beside them are their biases,
// half of their squared lengths, since |x - c|^2 = |x|^2 + 2 (|c|^2 / 2 - x . c). Padding columns have
// an infinite bias.

import { packedColumns } from './matrix.ts';

/** Writes the biases of centroids that are stored row by row, `stride` bytes each. */
export function writeBiases(centroids: usize, count: u32, dims: u32, stride: u32, biases: usize): void {
  const columns = packedColumns(count);
  for (let i: u32 = 0; i < columns; i++) {
    let sum: f64 = 0;
    for (let d: u32 = 0; d < dims && i < count; d++) {
      const x = <f64>load<f32>(centroids + <usize>i * stride + (<usize>d << 2));
      sum += x * x;
    }
    store<f32>(biases + (<usize>i << 2), i < count ? <f32>(sum / 2) : Infinity);
  }
}

/** The column whose bias minus its product is smallest; the first of equals. `columns` is a multiple of 4. */
export function nearestColumn(products: usize, biases: usize, columns: u32): u32 {
  let best = f32x4.splat(Infinity);
  let where = i32x4.splat(0);
  let here = i32x4(0, 1, 2, 3);
  const four = i32x4.splat(4);
  for (let at: usize = 0; at < <usize>columns << 2; at += 16) {
    const score = f32x4.sub(v128.load(biases + at), v128.load(products + at));
    const better = f32x4.lt(score, best);
    best = v128.bitselect(score, best, better);
    where = v128.bitselect(here, where, better);
    here = i32x4.add(here, four);
  }
  let score = f32x4.extract_lane(best, 0);
  let column = i32x4.extract_lane(where, 0);
  const s1 = f32x4.extract_lane(best, 1);
  const s2 = f32x4.extract_lane(best, 2);
  const s3 = f32x4.extract_lane(best, 3);
  const w1 = i32x4.extract_lane(where, 1);
  const w2 = i32x4.extract_lane(where, 2);
  const w3 = i32x4.extract_lane(where, 3);
  if (s1 < score || (s1 === score && w1 < column)) {
    score = s1;
    column = w1;
  }
  if (s2 < score || (s2 === score && w2 < column)) {
    score = s2;
    column = w2;
  }
  if (s3 < score || (s3 === score && w3 < column)) { column = w3; }
  return <u32>column;
}
