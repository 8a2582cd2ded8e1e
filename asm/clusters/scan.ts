// Scans over the codes of a book: sums of entries of the query's tables. Sixteen tables take 16 KiB, which stays in
// the first-level cache, so rows are processed in blocks, and each block for sixteen parts at a time.

import { allocateScratch, release } from '../vector/memory.ts';
import { B_DIMS, B_DONE, B_PARTS, B_TABLE, BLOCK_ROWS, BLOCK_SHIFT, CODES, writeTables } from './codebook.ts';
import { NO_ROOM } from './lists.ts';
import { packedColumns } from './matrix.ts';
import { counts } from './rows.ts';
import { bound, entryOf, giveRows, keep } from './top.ts';

/** Rows of a block; this divides the number of rows in a block of codes. */
const ROWS: u32 = 512;
const GROUP: u32 = 16;

/**
 * The nearest rows to a query by their codes, among those from `first` to `end`: at most `k` (u32 each, to `out`, in
 * any order); returns how many, or NO_ROOM. If `scanned` is not 0, the number of compared rows is written there.
 */
export function searchBook(book: usize, metric: u32, query: usize, first: u32, end: u32, k: u32, bitmap: usize,
  out: usize, scanned: usize): u32
{
  const parts = load<u32>(book, B_PARTS);
  const rotatedBytes = packedColumns(load<u32>(book, B_DIMS)) << 2;
  const bytes = rotatedBytes + parts * CODES * 4 + ROWS * 8 + k * 8;
  const work = allocateScratch(bytes);
  if (work === 0) return NO_ROOM;
  const tables = work + rotatedBytes;
  const addresses = tables + <usize>(parts * CODES * 4);
  const sums = addresses + <usize>(ROWS * 4);
  const heap = sums + <usize>(ROWS * 4);
  writeTables(book, metric, query, work, tables);
  const stop = min(end, atomic.load<u32>(book, B_DONE));
  let size: u32 = 0;
  let looked: u32 = 0;
  for (let start = first; start < stop; start = (start | (ROWS - 1)) + 1) {
    const codes = <usize>load<u32>(book + (<usize>(start >> BLOCK_SHIFT) << 2), B_TABLE);
    const last = min(stop, (start | (ROWS - 1)) + 1);
    let count: usize = 0;
    for (let row = start; row < last; row++) {
      store<u32>(addresses + (count << 2), <u32>codes + (row & (BLOCK_ROWS - 1)) * parts);
      count += <usize>counts(bitmap, row);
    }
    looked += <u32>count;
    sumUp(tables, parts, addresses, <u32>count, sums);
    for (let i: usize = 0; i < count; i++) {
      const distance = load<f32>(sums + (i << 2));
      if (distance >= bound(heap, size, k)) continue;
      const place = (load<u32>(addresses + (i << 2)) - <u32>codes) / parts;
      size = keep(heap, size, k, entryOf(distance, (start & ~(BLOCK_ROWS - 1)) + place));
    }
  }
  giveRows(heap, size, out);
  if (scanned !== 0) store<u32>(scanned, looked);
  release(work, bytes);
  return size;
}

function sumUp(tables: usize, parts: u32, addresses: usize, count: u32, sums: usize): void {
  memory.fill(sums, 0, count << 2);
  for (let part: u32 = 0; part < parts; part += GROUP) {
    const table = tables + <usize>(part * CODES * 4);
    for (let i: usize = 0; i < <usize>count; i++) {
      const code = <usize>load<u32>(addresses + (i << 2)) + part;
      const sum = parts - part >= GROUP ? sixteen(table, code) : fewer(table, code, parts - part);
      store<f32>(sums + (i << 2), load<f32>(sums + (i << 2)) + sum);
    }
  }
}

function sixteen(table: usize, code: usize): f32 {
  return eight(table, load<u64>(code)) + eight(table + 8 * CODES * 4, load<u64>(code, 8));
}

function eight(table: usize, codes: u64): f32 {
  const low = <u32>codes;
  const high = <u32>(codes >> 32);
  const a = load<f32>(table + ((low & 255) << 2)) + load<f32>(table + (((low >> 8) & 255) << 2), 1024);
  const b = load<f32>(table + (((low >> 16) & 255) << 2), 2048) + load<f32>(table + ((low >> 24) << 2), 3072);
  const c = load<f32>(table + ((high & 255) << 2), 4096) + load<f32>(table + (((high >> 8) & 255) << 2), 5120);
  const d = load<f32>(table + (((high >> 16) & 255) << 2), 6144) + load<f32>(table + ((high >> 24) << 2), 7168);
  return a + b + (c + d);
}

function fewer(table: usize, code: usize, parts: u32): f32 {
  let sum: f32 = 0;
  for (let part: usize = 0; part < <usize>parts; part++) {
    sum += load<f32>(table + (part << 10) + (<usize>load<u8>(code + part) << 2));
  }
  return sum;
}
