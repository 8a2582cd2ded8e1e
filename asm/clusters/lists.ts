// An inverted file: rows by their nearest centroid.
//
//   header         below; functions here call its address `file`
//   centroids      packed (matrix.ts), then their biases (nearest.ts)
//   lists          for each centroid: first chunk, last chunk, u32 each
//   chunk          next chunk u32, count u32, rows u32 x 62
//
// Vectors are read from the rows, so a file takes little more than four bytes per row. One thread adds rows,
// others read at the same time: a row is stored before the count that includes it, a chunk before the
// address that leads to it.

import { dot, l2sq } from '../vector/distance.ts';
import { allocate, allocateScratch, release, roomFor } from '../vector/memory.ts';
import { COSINE, DOT, inverseNormOf, isLive, vectorOf } from '../vector/rows.ts';
import { rowBytes } from './kmeans.ts';
import { multiply, multiplyVector, packedBytes, packedColumns, packTransposed } from './matrix.ts';
import { nearestColumn, writeBiases } from './nearest.ts';
import { copyRow, counts } from './rows.ts';
import { bound, entryOf, giveRows, keep, sortEntries } from './top.ts';

const L_METRIC: usize = 0;
const L_DIMS: usize = 4;
const L_LISTS: usize = 8;
const L_CENTROIDS: usize = 12;
const L_BIASES: usize = 16;
const L_HEADS: usize = 20;
/** Rows below this one are in a list, or were skipped because they were dead. */
const L_DONE: usize = 24;
/** Number of rows in lists. */
const L_ROWS: usize = 28;
const L_BYTES: usize = 32;
const FILE_BYTES: u32 = 64;
const CHUNK_BYTES: u32 = 256;
const CHUNK_ROWS: u32 = (CHUNK_BYTES - 8) / 4;
const BATCH: u32 = 64;
/** The search failed because there is no memory. */
export const NO_ROOM: u32 = 0xffffffff;

/**
 * Makes a file of centroids that are stored row by row, or (0) with space for those that the host writes. Returns its
 * address, or 0.
 */
export function createLists(metric: u32, dims: u32, lists: u32, centroids: usize): usize {
  const file = allocate(FILE_BYTES);
  if (file === 0) return 0;
  memory.fill(file, 0, FILE_BYTES);
  const centroidBytes = packedBytes(dims, lists);
  const packed = allocate(centroidBytes + packedColumns(lists) * 4);
  const heads = allocate(lists * 8);
  store<u32>(file, metric, L_METRIC);
  store<u32>(file, dims, L_DIMS);
  store<u32>(file, lists, L_LISTS);
  store<u32>(file, <u32>packed, L_CENTROIDS);
  store<u32>(file, <u32>packed + centroidBytes, L_BIASES);
  store<u32>(file, <u32>heads, L_HEADS);
  if (packed === 0 || heads === 0) {
    releaseLists(file);
    return 0;
  }
  store<u32>(file, FILE_BYTES + roomFor(centroidBytes + packedColumns(lists) * 4) + roomFor(lists * 8), L_BYTES);
  if (centroids !== 0) {
    packTransposed(centroids, lists, dims, rowBytes(dims), packed);
    writeBiases(centroids, lists, dims, rowBytes(dims), packed + centroidBytes);
  }
  memory.fill(heads, 0, lists * 8);
  return file;
}

/** Frees all that a file took. */
export function releaseLists(file: usize): void {
  const lists = load<u32>(file, L_LISTS);
  const heads = <usize>load<u32>(file, L_HEADS);
  for (let list: u32 = 0; heads !== 0 && list < lists; list++) {
    let chunk = <usize>load<u32>(heads + (<usize>list << 3));
    while (chunk !== 0) {
      const next = <usize>load<u32>(chunk);
      release(chunk, CHUNK_BYTES);
      chunk = next;
    }
  }
  release(heads, lists * 8);
  release(load<u32>(file, L_CENTROIDS), packedBytes(load<u32>(file, L_DIMS), lists) + packedColumns(lists) * 4);
  release(file, FILE_BYTES);
}

export function listCount(file: usize): u32 {
  return load<u32>(file, L_LISTS);
}

/** Address of the centroids, which their biases follow; and the bytes of both. */
export function listsCentroids(file: usize): usize {
  return load<u32>(file, L_CENTROIDS);
}

export function listsCentroidBytes(file: usize): u32 {
  return packedBytes(load<u32>(file, L_DIMS), load<u32>(file, L_LISTS)) + packedColumns(load<u32>(file, L_LISTS)) * 4;
}

/** Number of rows in a list. */
export function listLength(file: usize, list: u32): u32 {
  let length: u32 = 0;
  for (let chunk = firstChunk(file, list); chunk !== 0; chunk = <usize>load<u32>(chunk)) length += load<u32>(chunk, 4);
  return length;
}

/** Copies the rows of a list. */
export function copyList(file: usize, list: u32, to: usize): void {
  for (let chunk = firstChunk(file, list); chunk !== 0; chunk = <usize>load<u32>(chunk)) {
    const bytes = <usize>load<u32>(chunk, 4) << 2;
    memory.copy(to, chunk + 8, bytes);
    to += bytes;
  }
}

/** Fills a list that was saved. Returns 0 if there is no memory. */
export function restoreList(file: usize, list: u32, rows: usize, count: u32): u32 {
  const head = <usize>load<u32>(file, L_HEADS) + (<usize>list << 3);
  for (let i: u32 = 0; i < count; i++) {
    if (!append(file, head, load<u32>(rows + (<usize>i << 2)))) return 0;
  }
  return 1;
}

/** Sets how many rows of a file that was saved are in lists. */
export function restoreListsDone(file: usize, done: u32): void {
  store<u32>(file, done, L_DONE);
}

function firstChunk(file: usize, list: u32): usize {
  return <usize>load<u32>(<usize>load<u32>(file, L_HEADS) + (<usize>list << 3));
}

export function listsDone(file: usize): u32 {
  return atomic.load<u32>(file, L_DONE);
}

export function listsBytes(file: usize): u32 {
  return load<u32>(file, L_BYTES);
}

/**
 * Adds the rows from where the last call stopped up to `end`, at most `budget` of them. Returns how many, or -1 if
 * there is no memory.
 */
export function addToLists(file: usize, end: u32, budget: u32): i32 {
  const dims = load<u32>(file, L_DIMS);
  const columns = packedColumns(load<u32>(file, L_LISTS));
  const bytes = BATCH * (rowBytes(dims) + 4 + columns * 4);
  const work = allocate(bytes);
  if (work === 0) return -1;
  const start = load<u32>(file, L_DONE);
  const stop = min(end, start + budget);
  let done = true;
  for (let row = start; row < stop && done; row += BATCH) {
    done = addBatch(file, row, min(BATCH, stop - row), work);
  }
  release(work, bytes);
  return done ? <i32>(stop - start) : -1;
}

function addBatch(file: usize, first: u32, size: u32, work: usize): bool {
  const dims = load<u32>(file, L_DIMS);
  const stride = rowBytes(dims);
  const columns = packedColumns(load<u32>(file, L_LISTS));
  const rows = work + <usize>(BATCH * stride);
  const products = rows + <usize>(BATCH * 4);
  let count: u32 = 0;
  for (let row = first; row < first + size; row++) {
    if (!isLive(row)) continue;
    copyRow(row, load<u32>(file, L_METRIC), stride, work + <usize>(count * stride));
    store<u32>(rows + (<usize>count << 2), row);
    count++;
  }
  if (count > 0)
    multiply(work, count, stride, load<u32>(file, L_CENTROIDS), dims, load<u32>(file, L_LISTS), products, columns << 2);
  for (let i: u32 = 0; i < count; i++) {
    const list = nearestColumn(products + (<usize>(i * columns) << 2), load<u32>(file, L_BIASES), columns);
    if (!append(file, <usize>load<u32>(file, L_HEADS) + (<usize>list << 3), load<u32>(rows + (<usize>i << 2))))
      return false;
  }
  atomic.store<u32>(file, first + size, L_DONE);
  return true;
}

function append(file: usize, head: usize, row: u32): bool {
  let chunk = <usize>load<u32>(head, 4);
  if (chunk === 0 || load<u32>(chunk, 4) === CHUNK_ROWS) {
    const next = allocate(CHUNK_BYTES);
    if (next === 0) return false;
    store<u64>(next, 0);
    atomic.store<u32>(chunk === 0 ? head : chunk, <u32>next);
    store<u32>(head, <u32>next, 4);
    store<u32>(file, load<u32>(file, L_BYTES) + CHUNK_BYTES, L_BYTES);
    chunk = next;
  }
  const count = load<u32>(chunk, 4);
  store<u32>(chunk + (<usize>count << 2), row, 8);
  atomic.store<u32>(chunk, count + 1, 4);
  store<u32>(file, load<u32>(file, L_ROWS) + 1, L_ROWS);
  return true;
}

/**
 * The nearest rows to a query by a metric: at most `k` (u32 each, to `out`, in any order); returns how many, or
 * NO_ROOM. If `scanned` is not 0, the number of compared rows is written there. Reads the lists of the `probes`
 * nearest centroids and, if a bitmap excludes many of their rows, as many more lists as make up for those.
 */
export function searchLists(file: usize, metric: u32, query: usize, probes: u32, k: u32, bitmap: usize, end: u32,
  out: usize, scanned: usize): u32
{
  const lists = load<u32>(file, L_LISTS);
  const columns = packedColumns(lists);
  const bytes = columns * 12 + k * 8;
  const work = allocateScratch(bytes);
  if (work === 0) return NO_ROOM;
  const order = work;
  const heap = work + (<usize>lists << 3);
  const products = work + <usize>(columns * 8 + k * 8);
  multiplyVector(query, load<u32>(file, L_CENTROIDS), load<u32>(file, L_DIMS), lists, products);
  for (let list: u32 = 0; list < lists; list++) {
    const bias: f32 = metric === DOT ? 0 : load<f32>(<usize>load<u32>(file, L_BIASES) + (<usize>list << 2));
    store<i64>(order + (<usize>list << 3), entryOf(bias - load<f32>(products + (<usize>list << 2)), list));
  }
  sortEntries(order, lists);
  const enough = <u32>min(<u64>probes * load<u32>(file, L_ROWS) / lists, 0xffffffff);
  let size: u32 = 0;
  let looked: u32 = 0;
  for (let i: u32 = 0; i < lists; i++) {
    if (i >= probes && (bitmap === 0 || looked >= enough) && size >= k) break;
    const list = load<u32>(order + (<usize>i << 3));
    let chunk = <usize>atomic.load<u32>(<usize>load<u32>(file, L_HEADS) + (<usize>list << 3));
    for (; chunk !== 0; chunk = <usize>atomic.load<u32>(chunk)) {
      const count = atomic.load<u32>(chunk, 4);
      for (let at = chunk + 8; at < chunk + 8 + (<usize>count << 2); at += 4) {
        const row = load<u32>(at);
        if (row >= end || !counts(bitmap, row)) continue;
        looked++;
        const distance = distanceTo(query, row, metric, rowBytes(load<u32>(file, L_DIMS)));
        if (distance < bound(heap, size, k)) size = keep(heap, size, k, entryOf(distance, row));
      }
    }
  }
  giveRows(heap, size, out);
  if (scanned !== 0) store<u32>(scanned, looked);
  release(work, bytes);
  return size;
}

function distanceTo(query: usize, row: u32, metric: u32, bytes: u32): f32 {
  const at = vectorOf(row);
  if (metric === COSINE) return -dot(query, at, bytes) * inverseNormOf(row);
  return metric === DOT ? -dot(query, at, bytes) : l2sq(query, at, bytes);
}
