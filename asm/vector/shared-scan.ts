// A scan of codes that two threads share. Each takes the next part of the rows until none is left, and offers them to a
// heap of its own, so that a thread which comes late, or not at all, only leaves more to the other. The first scans a
// sample, with whose bar both begin: which candidates are found does not depend on who takes which part. One that is
// there when the last part has been offered scores the candidates by their rows.
//
//     +0   u32 codes, coded query, metric, bitmap, number of rows
//     +20  f32 bar of the sample
//     +24  u32 number of candidates, heaps of both threads
// +36 u32 prepared query, row from which on none is scored, heap of the scored rows, bits and list of the candidates
//     +64  u32 first row that nobody has taken
//     +68  u32 number of rows that have been offered
//     +72  u32 NONE, BEGUN or READY: the sample
//     +76  u32 the same for the scores, or MISSED
import { scanRows, scanSample } from './code-scan.ts';
import { rescore } from './scanning.ts';
import { absorb, barOf, CANDIDATES, drainInOrder, heldBy, isSampled, openHeap, raiseBar } from './topk.ts';

const S_QUERY: usize = 4;
const S_METRIC: usize = 8;
const S_BITMAP: usize = 12;
const S_ROWS: usize = 16;
const S_BAR: usize = 20;
const S_COUNT: usize = 24;
const S_HEAP: usize = 28;
const S_OTHER: usize = 32;
const S_PREPARED: usize = 36;
const S_BORDER: usize = 40;
const S_SCORED: usize = 44;
const S_BITS: usize = 48;
const S_LIST: usize = 52;
const S_NEXT: usize = 64;
const S_DONE: usize = 68;
const S_SAMPLE: usize = 72;
const S_SCORES: usize = 76;
const S_BYTES: u32 = 128;

const NONE: u32 = 0;
const BEGUN: u32 = 1;
const READY: u32 = 2;
/** The sample was not typical, or the bitmap has fewer rows: a scan by one thread would look at them again. */
const MISSED: u32 = 3;

/**
 * Rows that a thread takes at once: some 20 microseconds, the most that one waits for the other at the end. A multiple
 * of 64.
 */
const PART: u32 = 4096;
/** How often the other thread is looked at, some 200 microseconds: to be woken takes longer than a part. */
const SPINS: u32 = 600_000;

export function sharedScanBytes(): u32 {
  return S_BYTES;
}

/**
 * Prepares a scan of the rows up to `rows` for `k` candidates into two heaps, whose memory is given. Returns false if
 * there are so few rows or candidates that no sample is scanned before.
 */
export function openSharedScan(scan: usize, codes: usize, query: usize, metric: u32, rows: u32, bitmap: usize, k: u32,
  heap: usize, other: usize): bool
{
  openHeap(heap, k, CANDIDATES);
  openHeap(other, k, CANDIDATES);
  store<u32>(scan, <u32>codes);
  store<u32>(scan, <u32>query, S_QUERY);
  store<u32>(scan, metric, S_METRIC);
  store<u32>(scan, <u32>bitmap, S_BITMAP);
  store<u32>(scan, rows, S_ROWS);
  store<u32>(scan, k, S_COUNT);
  store<u32>(scan, <u32>heap, S_HEAP);
  store<u32>(scan, <u32>other, S_OTHER);
  atomic.store<u32>(scan + S_NEXT, 0);
  atomic.store<u32>(scan + S_DONE, 0);
  atomic.store<u32>(scan + S_SAMPLE, NONE);
  atomic.store<u32>(scan + S_SCORES, NONE);
  return isSampled(heap, rows);
}

/**
 * Says how candidates are scored: by the prepared query, those below the row `border`, into the heap `scored`. `bits`
 * has space for a bit for each row, in whole u64, and `list` for a u32 for each candidate.
 */
export function scoreInto(scan: usize, prepared: usize, border: u32, scored: usize, bits: usize, list: usize): void {
  store<u32>(scan, <u32>prepared, S_PREPARED);
  store<u32>(scan, border, S_BORDER);
  store<u32>(scan, <u32>scored, S_SCORED);
  store<u32>(scan, <u32>bits, S_BITS);
  store<u32>(scan, <u32>list, S_LIST);
}

/**
 * Offers parts to a heap until every part is taken, and scores the candidates if every part has been offered then. Does
 * nothing if the other thread pauses while it scans the sample.
 */
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
    if (from >= rows) break;
    const to = min(rows, from + PART);
    scanRows(codes, query, metric, from, to, bitmap, heap, bar);
    atomic.add<u32>(scan + S_DONE, to - from);
  }
  if (atomic.load<u32>(scan + S_DONE) === rows) scoreCandidates(scan);
}

/** Scores the candidates of both heaps, unless the other thread does. */
function scoreCandidates(scan: usize): void {
  if (atomic.cmpxchg<u32>(scan + S_SCORES, NONE, BEGUN) !== NONE) return;
  const heap = <usize>load<u32>(scan, S_HEAP);
  absorb(heap, load<u32>(scan, S_OTHER));
  const isWhole = heldBy(heap) === load<u32>(scan, S_COUNT);
  if (isWhole) {
    const list = <usize>load<u32>(scan, S_LIST);
    const count = drainInOrder(heap, load<u32>(scan, S_ROWS), load<u32>(scan, S_BITS), list);
    rescore(load<u32>(scan, S_PREPARED), load<u32>(scan, S_METRIC), list, count, load<u32>(scan, S_BORDER),
      load<u32>(scan, S_BITMAP), 0, load<u32>(scan, S_SCORED));
  }
  atomic.store<u32>(scan + S_SCORES, isWhole ? READY : MISSED);
}

/** Whether the scan has ended; waits a little for the other thread. */
export function hasEnded(scan: usize): bool {
  return isReached(scan + S_SCORES, READY);
}

/** Whether the candidates of a scan that has ended are scored. */
export function areScored(scan: usize): bool {
  return atomic.load<u32>(scan + S_SCORES) === READY;
}

function isReached(at: usize, value: u32): bool {
  for (let i: u32 = 0; i < SPINS; i++) if (atomic.load<u32>(at) >= value) return true;
  return false;
}
