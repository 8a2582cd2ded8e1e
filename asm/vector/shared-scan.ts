// A scan of codes that two threads share. Each takes the next part of the rows until none is left, and offers them to a heap of its own, so that a
// thread which comes late, or not at all, only leaves more to the other. The first scans a sample, with whose bar both begin: which candidates are
// found does not depend on who takes which part.
//
//     +0   u32 codes, coded query, metric, bitmap, number of rows
//     +20  f32 bar of the sample
//     +64  u32 first row that nobody has taken
//     +68  u32 number of rows that have been offered
//     +72  u32 NONE, BEGUN or READY: the sample
import { scanRows, scanSample } from './code-scan.ts';
import { barOf, CANDIDATES, isSampled, openHeap, raiseBar } from './topk.ts';

const S_QUERY: usize = 4;
const S_METRIC: usize = 8;
const S_BITMAP: usize = 12;
const S_ROWS: usize = 16;
const S_BAR: usize = 20;
const S_NEXT: usize = 64;
const S_DONE: usize = 68;
const S_SAMPLE: usize = 72;
const S_BYTES: u32 = 128;

const NONE: u32 = 0;
const BEGUN: u32 = 1;
const READY: u32 = 2;

/** Rows that a thread takes at once: some 20 microseconds, the most that one waits for the other at the end. A multiple of 64. */
const PART: u32 = 4096;
/** How often the other thread is looked at, some 200 microseconds: to be woken takes longer than a part. */
const SPINS: u32 = 600_000;

export function sharedScanBytes(): u32 {
  return S_BYTES;
}

/**
 * Prepares a scan of the rows up to `rows` for `k` candidates into two heaps, whose memory is given. Returns false if there are so few rows or
 * candidates that no sample is scanned before.
 */
export function openSharedScan(scan: usize, codes: usize, query: usize, metric: u32, rows: u32, bitmap: usize, k: u32, heap: usize, other: usize): bool {
  openHeap(heap, k, CANDIDATES);
  openHeap(other, k, CANDIDATES);
  store<u32>(scan, <u32>codes);
  store<u32>(scan, <u32>query, S_QUERY);
  store<u32>(scan, metric, S_METRIC);
  store<u32>(scan, <u32>bitmap, S_BITMAP);
  store<u32>(scan, rows, S_ROWS);
  atomic.store<u32>(scan + S_NEXT, 0);
  atomic.store<u32>(scan + S_DONE, 0);
  atomic.store<u32>(scan + S_SAMPLE, NONE);
  return isSampled(heap, rows);
}

/** Offers parts to a heap until every part is taken. Does nothing if the other thread pauses while it scans the sample. */
export function scanParts(scan: usize, heap: usize): void {
  const codes = load<u32>(scan);
  const query = load<u32>(scan, S_QUERY);
  const metric = load<u32>(scan, S_METRIC);
  const bitmap = load<u32>(scan, S_BITMAP);
  const rows = load<u32>(scan, S_ROWS);
  if (atomic.load<u32>(scan + S_NEXT) >= rows) return;
  if (atomic.cmpxchg<u32>(scan + S_SAMPLE, NONE, BEGUN) === NONE) {
    scanSample(codes, query, metric, 0, rows, bitmap, heap);
    store<f32>(scan, barOf(heap), S_BAR);
    atomic.store<u32>(scan + S_SAMPLE, READY);
  }
  if (!isReached(scan + S_SAMPLE, READY)) return;
  const bar = load<f32>(scan, S_BAR);
  raiseBar(heap, bar);
  while (true) {
    const from = atomic.add<u32>(scan + S_NEXT, PART);
    if (from >= rows) return;
    const to = min(rows, from + PART);
    scanRows(codes, query, metric, from, to, bitmap, heap, bar);
    atomic.add<u32>(scan + S_DONE, to - from);
  }
}

/** Whether every part has been offered; waits a little for the other thread. */
export function areAllScanned(scan: usize): bool {
  return isReached(scan + S_DONE, load<u32>(scan, S_ROWS));
}

function isReached(at: usize, value: u32): bool {
  for (let i: u32 = 0; i < SPINS; i++) if (atomic.load<u32>(at) === value) return true;
  return false;
}
