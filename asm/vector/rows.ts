// Rows: vectors with their document's ordinal and their chunk's number in it. Rows are in blocks of about a mebibyte,
// each of a power of two of rows, so that growing moves nothing; a table has the addresses of the blocks. A row is
// written once, then published by H_ROWS, and never changes: a new version of a document is new rows, and its old ones
// lose their live bit. So a thread that has read H_ROWS may read all rows below it, whatever is written meanwhile.
//
// A block:
//
//     vectors        stride each
//     ordinals       u32 each
//     chunk numbers  u32 each
//     inverse norms  f32 each: 1 / length of the vector as stored; 0 for a zero vector, or one shorter than SHORTEST
//     live bits      a u64 per 64 rows, bit r & 63 of word (r & MASK) >> 6
//
// A vector as stored:
//
//     TYPE_F32   dims x f32, zeros up to a multiple of 16 bytes
// TYPE_INT8 dims x u8, zeros up to a multiple of 16 bytes, f32 minimum, f32 step, i32 sum of code - 128, f32 inverse
// norm
//     TYPE_INT4  two dimensions per byte, the high nibble first, then as TYPE_INT8, with the sum of code - 8
//
// where a component is minimum + step * code.

import { BLOCK_TABLE, H_BLOCK_BYTES, H_BLOCKS, H_CHUNKS, H_DIMS, H_LIMIT, H_LIVE, H_LIVE_ROWS, H_MAGIC, H_NORMS, H_ORDS,
  H_ROW_LIMIT, H_ROWS, H_SHIFT, H_STRIDE, H_TOP, H_TYPE, HEAP, MAGIC, MAX_BLOCKS, reserve } from './memory.ts';

export const TYPE_F32: u32 = 0;
export const TYPE_INT8: u32 = 1;
export const TYPE_INT4: u32 = 2;

/** Metrics; the host uses the same numbers. */
export const COSINE: u32 = 0;
export const DOT: u32 = 1;
export const EUCLIDEAN: u32 = 2;

/** Shorter vectors count as zero vectors: 1 / length would exceed the range of f32. */
export const SHORTEST: f64 = 1.1754943508222875e-38;

const BLOCK_TARGET: u32 = 1 << 20;
const MIN_SHIFT: u32 = 6;
const MAX_SHIFT: u32 = 16;

/**
 * Makes an empty segment in a memory of two pages that are zero. `limit` is the address beyond which it does not
 * grow, `rowLimit` the most bytes of its blocks of rows.
 */
export function initialize(dims: u32, type: u32, limit: u32, rowLimit: u32): void {
  const stride = strideOf(dims, type);
  let shift = MAX_SHIFT;
  while (shift > MIN_SHIFT && (stride << shift) > BLOCK_TARGET) shift--;
  const rows: u32 = 1 << shift;
  store<u32>(H_MAGIC, MAGIC);
  store<u32>(H_DIMS, dims);
  store<u32>(H_TYPE, type);
  store<u32>(H_STRIDE, stride);
  store<u32>(H_SHIFT, shift);
  store<u32>(H_ORDS, rows * stride);
  store<u32>(H_CHUNKS, rows * (stride + 4));
  store<u32>(H_NORMS, rows * (stride + 8));
  store<u32>(H_LIVE, rows * (stride + 12));
  store<u32>(H_BLOCK_BYTES, rows * (stride + 12) + (rows >> 3));
  store<u32>(H_LIMIT, limit);
  store<u32>(H_ROW_LIMIT, rowLimit);
  store<u32>(H_TOP, HEAP);
}

/** Bytes of a vector of a type. */
export function strideOf(dims: u32, type: u32): u32 {
  if (type === TYPE_F32) return (dims * 4 + 15) & ~15;
  return codeBytes(dims, type) + 16;
}

/** Bytes of the codes of a vector that is stored as TYPE_INT8 or TYPE_INT4, without the numbers behind them. */
export function codeBytes(dims: u32, type: u32): u32 {
  return ((type === TYPE_INT4 ? (dims + 1) >> 1 : dims) + 15) & ~15;
}

/** Rows of a block. */
export function blockRows(): u32 {
  return 1 << load<u32>(H_SHIFT);
}

/** Number of rows that may be read. */
export function rowCount(): u32 {
  return atomic.load<u32>(H_ROWS);
}

/** Address of the block of a row. */
export function blockOf(row: u32): usize {
  assert((row >> load<u32>(H_SHIFT)) < load<u32>(H_BLOCKS), 'a row without a block');
  return load<u32>(BLOCK_TABLE + (<usize>(row >> load<u32>(H_SHIFT)) << 2));
}

/** The index of a row in its block. */
export function placeOf(row: u32): usize {
  return <usize>(row & ((1 << load<u32>(H_SHIFT)) - 1));
}

/** Address of a row's vector. */
export function vectorOf(row: u32): usize {
  return blockOf(row) + placeOf(row) * load<u32>(H_STRIDE);
}

/** Ordinal of a row's document. */
export function ordOf(row: u32): u32 {
  return load<u32>(blockOf(row) + load<u32>(H_ORDS) + (placeOf(row) << 2));
}

/** Number of a row's chunk in its document. */
export function chunkOf(row: u32): u32 {
  return load<u32>(blockOf(row) + load<u32>(H_CHUNKS) + (placeOf(row) << 2));
}

/** 1 / length of a row's vector; 0 for a zero vector. */
export function inverseNormOf(row: u32): f32 {
  return load<f32>(blockOf(row) + load<u32>(H_NORMS) + (placeOf(row) << 2));
}

/** Address of the word with a row's live bit. */
export function liveWordOf(row: u32): usize {
  return blockOf(row) + load<u32>(H_LIVE) + (placeOf(row) >> 6 << 3);
}

export function isLive(row: u32): bool {
  return ((load<u64>(liveWordOf(row)) >> (row & 63)) & 1) !== 0;
}

/** Whether a row is in a bitmap of rows (bit `row & 63` of u64 `row >> 6`). */
export function hasRow(bitmap: usize, row: u32): bool {
  return ((load<u64>(bitmap + (<usize>(row >> 6) << 3)) >> (row & 63)) & 1) !== 0;
}

/** Makes blocks for `rows` rows in all. Returns whether there is memory. Only for the thread that writes rows. */
export function makeRoom(rows: u32): bool {
  const shift = load<u32>(H_SHIFT);
  const wanted = <u32>((<u64>rows + (1 << shift) - 1) >> shift);
  if (wanted > MAX_BLOCKS || wanted > load<u32>(H_ROW_LIMIT) / load<u32>(H_BLOCK_BYTES)) return false;
  for (let block = load<u32>(H_BLOCKS); block < wanted; block++) {
    const address = reserve(load<u32>(H_BLOCK_BYTES));
    if (address === 0) return false;
    store<u32>(BLOCK_TABLE + (<usize>block << 2), <u32>address);
    store<u32>(H_BLOCKS, block + 1);
  }
  return true;
}

/** Clears the live bit of a row. Only for the thread that writes rows. */
export function kill(row: u32): void {
  if (!isLive(row)) return;
  const word = liveWordOf(row);
  store<u64>(word, load<u64>(word) & ~(<u64>1 << (row & 63)));
  store<u32>(H_LIVE_ROWS, load<u32>(H_LIVE_ROWS) - 1);
}
