// The k best rows: a heap whose root is the worst of them. Scores are f32; a higher score is better. Equal scores are
// ordered by ordinal, then by row, so that the result does not depend on the order of the scan.
//
// Of CANDIDATES there are many, and their order is not needed: they are collected in any order, and each time that
// there are 2k, the k best are kept (select.ts). A heap of a thousand took a quarter of the time of a scan by signs.
//
//     +0   u32  k
//     +4   u32  number of rows
//     +8   f32  bar: rows with a score below it are not among the k best
//     +12  u32  ROWS, DOCUMENTS or CANDIDATES
// +16 u64, u32, f32 ordinal of the current document (all bits: none), its best row so far and the score of that row
//     +64  128 x f32  current scores of 64 or 128 rows
//     +576 128 x f32  factors for these
// +1088 k x (u64 key, u32 row, f32 score), or 2k for CANDIDATES; a key is the score as an integer of the same order,
// then the complement of the
//                  ordinal, or of a candidate's row

import { ordOf } from './rows.ts';
import { keepGreatest } from './select.ts';

const T_K: usize = 0;
const T_HELD: usize = 4;
const T_BAR: usize = 8;
const T_KIND: usize = 12;
const T_ORD: usize = 16;
const T_ROW: usize = 24;
const T_SCORE: usize = 28;
const T_SCORES: usize = 64;
const T_ENTRIES: usize = 1088;
/** Distance from the current scores to their factors. */
export const FACTORS: usize = 512;
/** Bytes of an entry, and the offsets of its row and its score. */
export const ENTRY_BYTES: u32 = 16;
export const E_ROW: usize = 8;
export const E_SCORE: usize = 12;
const NO_DOCUMENT: u64 = ~(<u64>0);

/** The kinds of heaps: the best rows. */
export const ROWS: u32 = 0;
/** Only the best row of each document; the rows of a document must be consecutive. */
export const DOCUMENTS: u32 = 1;
/**
 * Rows whose scores are estimates: equal scores are ordered by row, so that no ordinal has to be fetched for rows that
 * are replaced later. They can only be drained, not closed.
 */
export const CANDIDATES: u32 = 2;

/**
 * Before a scan for many candidates, one of so many rows is looked at, to find a bar that about twice the wanted number
 * of rows reach.
 */
export const SAMPLED: u32 = 16;
const SPARE: u32 = 2;
/** Fewer rows do not pay, and fewer candidates of the sample are too random. */
const SAMPLED_ROWS: u32 = 16_384;
const SAMPLED_BEST: u32 = 64;

/** Bytes of a heap of `k` of a kind. */
export function heapBytes(k: u32, kind: u32): u32 {
  return <u32>T_ENTRIES + k * (kind === CANDIDATES ? 2 * ENTRY_BYTES : ENTRY_BYTES);
}

/** Makes an empty heap of `k` >= 1, of a kind: ROWS, DOCUMENTS or CANDIDATES. */
export function openHeap(heap: usize, k: u32, kind: u32): void {
  assert(k > 0, 'a heap holds something');
  store<u32>(heap, k, T_K);
  store<u32>(heap, 0, T_HELD);
  store<f32>(heap, -Infinity, T_BAR);
  store<u32>(heap, kind, T_KIND);
  store<u64>(heap, NO_DOCUMENT, T_ORD);
}

/** Sorts the content of the heap, the best first, and returns its size; the entries begin at `entriesOf`. */
export function closeHeap(heap: usize): u32 {
  assert(load<u32>(heap, T_KIND) !== CANDIDATES, 'candidates are in no order');
  flush(heap);
  const held = load<u32>(heap, T_HELD);
  const entries = heap + T_ENTRIES;
  for (let left = held; left > 1; left--) {
    const last = entries + (<usize>(left - 1) << 4);
    const worst = v128.load(entries);
    const moved = v128.load(last);
    v128.store(last, worst);
    v128.store(entries, moved);
    siftDown(entries, left - 1);
  }
  return held;
}

/** Whether a sample should be scanned first: `rows` are many for an empty heap of many candidates. */
export function isSampled(heap: usize, rows: u32): bool {
  const isEmpty = load<u32>(heap, T_KIND) === CANDIDATES && load<u32>(heap, T_HELD) === 0;
  return isEmpty && rows >= SAMPLED_ROWS && sampleOf(load<u32>(heap, T_K)) >= SAMPLED_BEST;
}

/** Makes the heap as small as for a sample, and returns its `k`. */
export function beginSample(heap: usize): u32 {
  const k = load<u32>(heap, T_K);
  store<u32>(heap, sampleOf(k), T_K);
  return k;
}

/** Empties the heap, which has its former `k` again. The bar is the worst of the sample if there were enough rows. */
export function endSample(heap: usize, k: u32): void {
  keepBest(heap);
  store<u32>(heap, 0, T_HELD);
  store<u32>(heap, k, T_K);
}

function sampleOf(k: u32): u32 {
  return k * SPARE / SAMPLED;
}

/** Number of rows, or documents, in the heap. */
export function heldBy(heap: usize): u32 {
  finish(heap);
  return load<u32>(heap, T_HELD);
}

/** Offers the content of another heap to this one. */
export function absorb(heap: usize, other: usize): void {
  finish(heap);
  finish(other);
  const held = load<u32>(other, T_HELD);
  for (let i: usize = 0; i < held; i++) {
    const entry = other + T_ENTRIES + (i << 4);
    const score = load<f32>(entry, E_SCORE);
    if (score >= load<f32>(heap, T_BAR)) push(heap, score, ~load<u32>(entry), load<u32>(entry, E_ROW));
  }
}

/** Writes the rows of the heap, u32 each, in any order, and returns how many. */
export function drainHeap(heap: usize, out: usize): u32 {
  finish(heap);
  const held = load<u32>(heap, T_HELD);
  for (let i: usize = 0; i < held; i++) store<u32>(out + (i << 2), load<u32>(heap + T_ENTRIES + (i << 4), E_ROW));
  return held;
}

/**
 * Writes the rows of the heap, which are below `rows`, in ascending order, and returns how many. `bits` has space for a
 * bit for each row, in whole u64.
 */
export function drainInOrder(heap: usize, rows: u32, bits: usize, out: usize): u32 {
  finish(heap);
  const held = load<u32>(heap, T_HELD);
  const bytes = (<usize>rows + 63) >> 6 << 3;
  memory.fill(bits, 0, bytes);
  for (let i: usize = 0; i < held; i++) {
    const row = load<u32>(heap + T_ENTRIES + (i << 4), E_ROW);
    const word = bits + (<usize>(row >> 6) << 3);
    store<u64>(word, load<u64>(word) | (<u64>1 << (row & 63)));
  }
  let at = out;
  for (let i: usize = 0; i < bytes; i += 8) {
    for (let word = load<u64>(bits + i); word !== 0; word &= word - 1) {
      store<u32>(at, (<u32>i << 3) + <u32>ctz(word));
      at += 4;
    }
  }
  return held;
}

export function entriesOf(heap: usize): usize {
  return heap + T_ENTRIES;
}

/** The least score that can be among the k best. */
export function barOf(heap: usize): f32 {
  return load<f32>(heap, T_BAR);
}

/** Lets an empty heap begin with a bar. */
export function raiseBar(heap: usize, bar: f32): void {
  store<f32>(heap, bar, T_BAR);
}

/** Address of the scores of 128 rows before `takeScores`. */
export function scoresOf(heap: usize): usize {
  return heap + T_SCORES;
}

/**
 * Offers the rows with a bit among the 64 rows from `row` on. `scores` has 64 scores; those of rows without a bit are
 * ignored.
 */
export function takeScores(heap: usize, row: u32, bits: u64, scores: usize): void {
  for (let i: u32 = 0; i < 64; i += 4) {
    const lanes = scores + (<usize>i << 2);
    // NaN is not below the bar either: such a row is the last, but it is in the result.
    const below = i32x4.bitmask(f32x4.lt(v128.load(lanes), v128.load_splat<f32>(heap, T_BAR)));
    for (let left = ~below & <i32>(bits >> i) & 15; left !== 0; left &= left - 1) {
      offer(heap, load<f32>(lanes + (<usize>ctz(left) << 2)), row + i + ctz(left));
    }
  }
}

/** Offers a row. With one row per document, the rows of a document must be offered one after the other. */
export function offer(heap: usize, score: f32, row: u32): void {
  if (isNaN(score)) score = -Infinity;
  if (score < load<f32>(heap, T_BAR)) return;
  const kind = load<u32>(heap, T_KIND);
  if (kind === CANDIDATES) return push(heap, score, row, row);
  const ord = ordOf(row);
  if (kind !== DOCUMENTS) return push(heap, score, ord, row);
  if (load<u64>(heap, T_ORD) === <u64>ord) {
    if (score <= load<f32>(heap, T_SCORE)) return;
  } else {
    flush(heap);
    store<u64>(heap, ord, T_ORD);
  }
  store<u32>(heap, row, T_ROW);
  store<f32>(heap, score, T_SCORE);
}

/** Puts the best row of the current document into the heap. */
function flush(heap: usize): void {
  const ord = load<u64>(heap, T_ORD);
  if (ord === NO_DOCUMENT) return;
  store<u64>(heap, NO_DOCUMENT, T_ORD);
  push(heap, load<f32>(heap, T_SCORE), <u32>ord, load<u32>(heap, T_ROW));
}

/** Brings the content up to date: no more than `k` rows. */
function finish(heap: usize): void {
  if (load<u32>(heap, T_KIND) === CANDIDATES) keepBest(heap);
  else flush(heap);
}

function push(heap: usize, score: f32, ord: u32, row: u32): void {
  const k = load<u32>(heap, T_K);
  const held = load<u32>(heap, T_HELD);
  const entries = heap + T_ENTRIES;
  const key = (<u64>ordered(score) << 32) | <u64>(~ord);
  if (load<u32>(heap, T_KIND) === CANDIDATES) {
    write(entries + (<usize>held << 4), key, row, score);
    store<u32>(heap, held + 1, T_HELD);
    if (held + 1 === 2 * k) keepBest(heap);
    return;
  }
  if (held === k) {
    if (!isWorse(load<u64>(entries), load<u32>(entries, E_ROW), key, row)) return;
    write(entries, key, row, score);
    siftDown(entries, k);
  } else {
    const at = entries + (<usize>held << 4);
    write(at, key, row, score);
    siftUp(entries, held);
    store<u32>(heap, held + 1, T_HELD);
  }
  if (load<u32>(heap, T_HELD) === k) store<f32>(heap, load<f32>(entries, E_SCORE), T_BAR);
}

/** Removes all but the k best candidates; the bar is the score of the last of them. */
function keepBest(heap: usize): void {
  const k = load<u32>(heap, T_K);
  if (load<u32>(heap, T_HELD) <= k) return;
  const entries = heap + T_ENTRIES;
  keepGreatest(entries, load<u32>(heap, T_HELD), k);
  store<u32>(heap, k, T_HELD);
  store<f32>(heap, load<f32>(entries + (<usize>(k - 1) << 4), E_SCORE), T_BAR);
}

function write(at: usize, key: u64, row: u32, score: f32): void {
  store<u64>(at, key);
  store<u32>(at, row, E_ROW);
  store<f32>(at, score, E_SCORE);
}

/** An integer for each float, in the same order; both zeros are equal. */
function ordered(score: f32): u32 {
  const bits = reinterpret<u32>(score + <f32>0);
  return bits >> 31 ? ~bits : bits | 0x8000_0000;
}

function isWorse(key: u64, row: u32, thanKey: u64, thanRow: u32): bool {
  return key < thanKey || (key === thanKey && row > thanRow);
}

function siftUp(entries: usize, index: u32): void {
  const moved = v128.load(entries + (<usize>index << 4));
  const key = i64x2.extract_lane(moved, 0);
  const row = <u32>i32x4.extract_lane(moved, 2);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = entries + (<usize>parent << 4);
    if (!isWorse(key, row, load<u64>(above), load<u32>(above, E_ROW))) break;
    v128.store(entries + (<usize>index << 4), v128.load(above));
    index = parent;
  }
  v128.store(entries + (<usize>index << 4), moved);
}

function siftDown(entries: usize, held: u32): void {
  const moved = v128.load(entries);
  const key = i64x2.extract_lane(moved, 0);
  const row = <u32>i32x4.extract_lane(moved, 2);
  let index: u32 = 0;
  while (true) {
    let child = index * 2 + 1;
    if (child >= held) break;
    let below = entries + (<usize>child << 4);
    if (child + 1 < held &&
      isWorse(load<u64>(below, 16), load<u32>(below, 24), load<u64>(below), load<u32>(below, E_ROW)))
    {
      child++;
      below += 16;
    }
    if (!isWorse(load<u64>(below), load<u32>(below, E_ROW), key, row)) break;
    v128.store(entries + (<usize>index << 4), v128.load(below));
    index = child;
  }
  v128.store(entries + (<usize>index << 4), moved);
}
