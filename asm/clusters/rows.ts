// Rows in the form that the structures here need: copied to a matrix, for cosine with length 1.

import { COSINE, inverseNormOf, vectorOf } from '../vector/rows.ts';
import { scale } from './kmeans.ts';

/** Copies a row to a matrix. */
export function copyRow(row: u32, metric: u32, bytes: u32, to: usize): void {
  memory.copy(to, vectorOf(row), bytes);
  if (metric === COSINE) scale(to, bytes, inverseNormOf(row));
}

/** Whether a row counts: it is in the bitmap, or there is no bitmap. */
export function counts(bitmap: usize, row: u32): bool {
  return bitmap === 0 || ((load<u32>(bitmap + (<usize>(row >> 5) << 2)) >> (row & 31)) & 1) !== 0;
}
