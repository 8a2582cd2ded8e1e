// Product quantization (Jégou, Douze and Schmid, "Product Quantization for Nearest Neighbor Search", 2011): a vector is
// cut into `parts` parts of equal width, and each part is coded by the nearest of its own 256 centroids, in one byte. A
// query is compared with codes by tables of its distances from all centroids. With a rotation, vectors and queries are
// rotated first (rotation.ts).
//
//   header      below; functions here call its address `book`
//   centroids   for each part: packed (matrix.ts)
//   biases      for each part: 256 f32 (nearest.ts)
//   rotation    packed, or 0
//   table       u32 addresses of blocks of 8192 codes
//   code        a byte for each part
//
// One thread writes codes; others read the codes of rows below B_DONE at the same time.

import { allocate, release, roomFor } from '../vector/memory.ts';
import { EUCLIDEAN, isLive } from '../vector/rows.ts';
import { rowBytes } from './kmeans.ts';
import { multiply, multiplyVector, packedBytes, packedColumns, packMatrix, packTransposed } from './matrix.ts';
import { nearestColumn, writeBiases } from './nearest.ts';
import { copyRow } from './rows.ts';

export const B_METRIC: usize = 0;
export const B_DIMS: usize = 4;
export const B_PARTS: usize = 8;
const B_CENTROIDS: usize = 12;
const B_BIASES: usize = 16;
const B_ROTATION: usize = 20;
/** Rows below this one are coded, or were skipped because they were dead. */
export const B_DONE: usize = 24;
const B_BLOCKS: usize = 28;
const B_BYTES: usize = 32;
/** The table of blocks follows the header. */
export const B_TABLE: usize = 64;
const MAX_BLOCKS: u32 = 16368;
const BOOK_BYTES: u32 = <u32>B_TABLE + MAX_BLOCKS * 4;
export const BLOCK_SHIFT: u32 = 13;
export const BLOCK_ROWS: u32 = 1 << BLOCK_SHIFT;
export const CODES: u32 = 256;
const BATCH: u32 = 64;

/**
 * Makes a book of the centroids of all parts (256 rows of each part, padded to 16 bytes), or with space for them if the
 * host writes them (0); and, if it `isRotated`, of a rotation (rows of `stride` bytes; 0 if the host writes it).
 * Returns its address, or 0 if there is no memory.
 */
export function createBook(metric: u32, dims: u32, parts: u32, centroids: usize, isRotated: u32, rotation: usize,
  stride: u32): usize
{
  const width = dims / parts;
  const book = allocate(BOOK_BYTES);
  if (book === 0) return 0;
  memory.fill(book, 0, BOOK_BYTES);
  store<u32>(book, metric, B_METRIC);
  store<u32>(book, dims, B_DIMS);
  store<u32>(book, parts, B_PARTS);
  store<u32>(book, <u32>allocate(centroidBytes(book)), B_CENTROIDS);
  store<u32>(book, <u32>allocate(parts * CODES * 4), B_BIASES);
  if (isRotated !== 0) store<u32>(book, <u32>allocate(packedBytes(dims, dims)), B_ROTATION);
  if (load<u32>(book, B_CENTROIDS) === 0 || load<u32>(book, B_BIASES) === 0 ||
    (isRotated !== 0 && load<u32>(book, B_ROTATION) === 0))
  {
    releaseBook(book);
    return 0;
  }
  for (let part: u32 = 0; part < parts && centroids !== 0; part++) {
    const from = centroids + <usize>(part * CODES * rowBytes(width));
    packTransposed(from, CODES, width, rowBytes(width), centroidsOf(book, part));
    writeBiases(from, CODES, width, rowBytes(width), biasesOf(book, part));
  }
  if (rotation !== 0) packMatrix(rotation, dims, dims, stride, load<u32>(book, B_ROTATION));
  const taken = BOOK_BYTES + roomFor(centroidBytes(book)) + roomFor(parts * CODES * 4) +
    (isRotated === 0 ? 0 : roomFor(packedBytes(dims, dims)));
  store<u32>(book, taken, B_BYTES);
  return book;
}

/** Frees all that a book took. */
export function releaseBook(book: usize): void {
  const parts = load<u32>(book, B_PARTS);
  const dims = load<u32>(book, B_DIMS);
  for (let block: u32 = 0; block < load<u32>(book, B_BLOCKS); block++) {
    release(load<u32>(book + (<usize>block << 2), B_TABLE), parts << BLOCK_SHIFT);
  }
  release(load<u32>(book, B_CENTROIDS), centroidBytes(book));
  release(load<u32>(book, B_BIASES), parts * CODES * 4);
  if (load<u32>(book, B_ROTATION) !== 0) release(load<u32>(book, B_ROTATION), packedBytes(dims, dims));
  release(book, BOOK_BYTES);
}

/**
 * Addresses of the centroids, the biases, the rotation (0 without one), and the codes from a row on; for saving and
 * restoring.
 */
export function bookCentroids(book: usize): usize {
  return load<u32>(book, B_CENTROIDS);
}

export function bookBiases(book: usize): usize {
  return load<u32>(book, B_BIASES);
}

export function bookRotation(book: usize): usize {
  return load<u32>(book, B_ROTATION);
}

/** The codes of a block of rows; 0 if there is no memory. */
export function bookCodes(book: usize, block: u32): usize {
  return reserveBlock(book, block) ? <usize>load<u32>(book + (<usize>block << 2), B_TABLE) : 0;
}

/** Sets how many rows of a book that was saved are coded. */
export function restoreBookDone(book: usize, done: u32): void {
  store<u32>(book, done, B_DONE);
}

export function bookCentroidBytes(book: usize): u32 {
  return centroidBytes(book);
}

export function codeBlockRows(): u32 {
  return BLOCK_ROWS;
}

function centroidBytes(book: usize): u32 {
  return packedBytes(load<u32>(book, B_DIMS) / load<u32>(book, B_PARTS), CODES) * load<u32>(book, B_PARTS);
}

function centroidsOf(book: usize, part: u32): usize {
  return <usize>load<u32>(book, B_CENTROIDS) +
    <usize>(part * packedBytes(load<u32>(book, B_DIMS) / load<u32>(book, B_PARTS), CODES));
}

function biasesOf(book: usize, part: u32): usize {
  return <usize>load<u32>(book, B_BIASES) + <usize>(part * CODES * 4);
}

export function bookDone(book: usize): u32 {
  return atomic.load<u32>(book, B_DONE);
}

export function bookBytes(book: usize): u32 {
  return load<u32>(book, B_BYTES);
}

/**
 * Codes the rows from where the last call stopped up to `end`, at most `budget` of them. Returns how many, or -1 if
 * there is no memory.
 */
export function addToBook(book: usize, end: u32, budget: u32): i32 {
  const wide = packedColumns(load<u32>(book, B_DIMS)) << 2;
  const bytes = BATCH * (2 * wide + CODES * 4);
  const work = allocate(bytes);
  if (work === 0) return -1;
  const start = load<u32>(book, B_DONE);
  const stop = min(end, start + budget);
  let done = true;
  for (let row = start; row < stop && done;) {
    const count = min(min(BATCH, stop - row), BLOCK_ROWS - (row & (BLOCK_ROWS - 1)));
    done = reserveBlock(book, row >> BLOCK_SHIFT);
    if (done) codeBatch(book, row, count, work);
    row += count;
  }
  release(work, bytes);
  return done ? <i32>(stop - start) : -1;
}

function reserveBlock(book: usize, block: u32): bool {
  if (block < load<u32>(book, B_BLOCKS)) return true;
  if (block >= MAX_BLOCKS) return false;
  const bytes = load<u32>(book, B_PARTS) << BLOCK_SHIFT;
  const at = allocate(bytes);
  if (at === 0) return false;
  store<u32>(book + (<usize>block << 2), <u32>at, B_TABLE);
  store<u32>(book, block + 1, B_BLOCKS);
  store<u32>(book, load<u32>(book, B_BYTES) + roomFor(bytes), B_BYTES);
  return true;
}

/** Codes rows of one block. The codes of dead rows are undefined. */
function codeBatch(book: usize, first: u32, size: u32, work: usize): void {
  const dims = load<u32>(book, B_DIMS);
  const parts = load<u32>(book, B_PARTS);
  const wide = packedColumns(dims) << 2;
  const rotated = work + <usize>(BATCH * wide);
  const products = rotated + <usize>(BATCH * wide);
  for (let i: u32 = 0; i < size; i++) {
    if (isLive(first + i)) copyRow(first + i, load<u32>(book, B_METRIC), rowBytes(dims), work + <usize>(i * wide));
    else memory.fill(work + <usize>(i * wide), 0, wide);
  }
  const rotation = load<u32>(book, B_ROTATION);
  if (rotation !== 0) multiply(work, size, wide, rotation, dims, dims, rotated, wide);
  const from = rotation === 0 ? work : rotated;
  const codes = <usize>load<u32>(book + (<usize>(first >> BLOCK_SHIFT) << 2), B_TABLE) +
    <usize>((first & (BLOCK_ROWS - 1)) * parts);
  codeRows(book, from, size, wide, products, codes);
  atomic.store<u32>(book, first + size, B_DONE);
}

/** Codes vectors that are already rotated. */
function codeRows(book: usize, vectors: usize, count: u32, stride: u32, products: usize, codes: usize): void {
  const parts = load<u32>(book, B_PARTS);
  const width = load<u32>(book, B_DIMS) / parts;
  for (let part: u32 = 0; part < parts; part++) {
    multiply(vectors + (<usize>(part * width) << 2), count, stride, centroidsOf(book, part), width, CODES, products,
      CODES * 4);
    for (let i: u32 = 0; i < count; i++) {
      store<u8>(codes + <usize>(i * parts + part),
        <u8>nearestColumn(products + <usize>(i * CODES * 4), biasesOf(book, part), CODES));
    }
  }
}

/** Writes the tables of a query: for each part, 256 distances (without the part that is the same for all rows). */
export function writeTables(book: usize, metric: u32, query: usize, rotated: usize, tables: usize): void {
  const dims = load<u32>(book, B_DIMS);
  const parts = load<u32>(book, B_PARTS);
  const width = dims / parts;
  const rotation = load<u32>(book, B_ROTATION);
  if (rotation !== 0) multiplyVector(query, rotation, dims, dims, rotated);
  const vector = rotation === 0 ? query : rotated;
  const weight = f32x4.splat(metric === EUCLIDEAN ? 1 : 0);
  for (let part: u32 = 0; part < parts; part++) {
    const table = tables + <usize>(part * CODES * 4);
    const biases = biasesOf(book, part);
    multiplyVector(vector + (<usize>(part * width) << 2), centroidsOf(book, part), width, CODES, table);
    for (let at: usize = 0; at < CODES * 4; at += 16) {
      v128.store(table + at, f32x4.sub(f32x4.mul(weight, v128.load(biases + at)), v128.load(table + at)));
    }
  }
}
