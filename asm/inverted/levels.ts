// Where results are computed. A level is a score (f32) and a bit for every document; the bit says
// that the document matches. A query of nested operators uses several: the result of each operator is
// made on a level that was empty, from the results of its operands on that level and the next.
//
// Between queries every level is empty: scores and bits all zero.

import { isDead, isExcluded } from './documents.ts';
import { H_DOCS, H_EXCLUDED, H_LEVEL_CAPACITY, H_LEVELS, H_SCORING, MAX_LEVELS, PAGE_SCRATCH } from './layout.ts';
import { allocatePages, pagesFor, releasePages } from './memory.ts';
import { B_FIELD_SUMS, B_KEPT_BITS, B_LIST_COUNTS, B_MATCH_COUNTS, B_SUM_BITS, B_SUMS, buffer,
  reserve } from './scratch.ts';
import { SLOTS } from './sublinear.ts';
import { P_ALGORITHM, TF_IDF } from './weighing.ts';

/** Levels grow by this many documents: a page of scores, and whole vectors of bits. */
const STEP: u32 = 16384;

/**
 * Makes levels 0 to `count` - 1, and the arrays in which scoring sums, fit every document. Call it between queries,
 * with the scoring set.
 */
export function prepareLevels(count: u32): void {
  assert(count <= MAX_LEVELS, 'too many levels');
  const docs = load<u32>(H_DOCS);
  if (load<u32>(H_LEVEL_CAPACITY) < docs) {
    for (let level: u32 = 0; level < MAX_LEVELS; level++) dropLevel(level);
    store<u32>(H_LEVEL_CAPACITY, ((docs + (docs >> 4)) / STEP + 1) * STEP);
  }
  const capacity = load<u32>(H_LEVEL_CAPACITY);
  for (let level: u32 = 0; level < count; level++) if (scoresOf(level) === 0) makeLevel(level, capacity);
  reserve(B_SUMS, capacity * 4);
  if (load<u32>(H_SCORING, P_ALGORITHM) === TF_IDF) reserve(B_FIELD_SUMS, capacity * SLOTS * 4);
  reserve(B_SUM_BITS, capacity >> 3);
  reserve(B_KEPT_BITS, capacity >> 3);
  reserve(B_LIST_COUNTS, capacity);
}

export function dropLevelsFrom(first: u32): void {
  for (let level = first; level < MAX_LEVELS; level++) dropLevel(level);
}

export function scoresOf(level: u32): usize {
  return load<u32>(H_LEVELS + (<usize>level << 3));
}

export function bitsOf(level: u32): usize {
  return load<u32>(H_LEVELS + (<usize>level << 3), 4);
}

/** Bytes that documents use in a bitmap, in whole u64 words. */
export function bitmapBytes(): usize {
  return <usize>((load<u32>(H_DOCS) + 63) >> 6) << 3;
}

export function hasBit(bits: usize, doc: u32): bool {
  return ((load<u32>(bits + (<usize>(doc >> 5) << 2)) >> (doc & 31)) & 1) !== 0;
}

export function setBit(bits: usize, doc: u32): void {
  const word = bits + (<usize>(doc >> 5) << 2);
  store<u32>(word, load<u32>(word) | (1 << (doc & 31)));
}

/** Whether any bit from `first` to `last` is set. */
export function hasBitBetween(bits: usize, first: u32, last: u32): bool {
  let word = bits + (<usize>(first >> 6) << 3);
  const lastWord = bits + (<usize>(last >> 6) << 3);
  const head = ~(<u64>0) << (first & 63);
  const foot = ~(<u64>0) >> (63 - (last & 63));
  if (word === lastWord) return (load<u64>(word) & head & foot) !== 0;
  if ((load<u64>(word) & head) !== 0) return true;
  for (word += 8; word < lastWord; word += 8) if (load<u64>(word) !== 0) return true;
  return (load<u64>(word) & foot) !== 0;
}

export function countLevel(level: u32): u32 {
  const bits = bitsOf(level);
  const bytes = bitmapBytes();
  let count: u64 = 0;
  for (let at: usize = 0; at < bytes; at += 8) count += popcnt(load<u64>(bits + at));
  return <u32>count;
}

/** Matches every live document of the allowed classes, with a score of 0. */
export function matchAll(level: u32): void {
  const bits = bitsOf(level);
  const docs = load<u32>(H_DOCS);
  for (let doc: u32 = 1; doc < docs; doc++) if (!isDead(doc) && !isExcluded(doc)) setBit(bits, doc);
}

/** Keeps documents of a level whose class is allowed. */
export function keepClasses(level: u32): void {
  if (load<u32>(H_EXCLUDED) === 0) return;
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    let kept = load<u64>(bits + at);
    for (let left = kept; left !== 0; left &= left - 1) {
      const doc = <u32>((at << 3) + <usize>ctz(left));
      if (!isExcluded(doc)) continue;
      store<f32>(scores + (<usize>doc << 2), 0);
      kept &= ~(left & (0 - left));
    }
    store<u64>(bits + at, kept);
  }
}

/** Adds level `from` to `level`: documents of either match. Scores are added up, or the larger one counts. */
export function unite(level: u32, from: u32, largest: bool): void {
  const bits = bitsOf(level);
  const others = bitsOf(from);
  const scores = scoresOf(level);
  const added = scoresOf(from);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    const set = load<u64>(others + at);
    if (set === 0) continue;
    store<u64>(bits + at, load<u64>(bits + at) | set);
    store<u64>(others + at, 0);
    for (let left = set; left !== 0; left &= left - 1) {
      const offset = ((at << 3) + <usize>ctz(left)) << 2;
      const score = load<f32>(added + offset);
      const own = load<f32>(scores + offset);
      store<f32>(scores + offset, largest ? max(own, score) : own + score);
      store<f32>(added + offset, 0);
    }
  }
}

/** Adds level `from` to `level` and counts one more matched operand for its documents. At most 255 calls in a row. */
export function countMatches(level: u32, from: u32): void {
  const counts = reserve(B_MATCH_COUNTS, load<u32>(H_LEVEL_CAPACITY));
  const others = bitsOf(from);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    for (let left = load<u64>(others + at); left !== 0; left &= left - 1) {
      const count = counts + (at << 3) + <usize>ctz(left);
      store<u8>(count, load<u8>(count) + 1);
    }
  }
  unite(level, from, false);
}

/** Keeps documents of `level` that have matched `least` operands; every count becomes zero again. */
export function keepCounted(level: u32, least: u32): void {
  const counts = buffer(B_MATCH_COUNTS);
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    let kept = load<u64>(bits + at);
    for (let left = kept; left !== 0; left &= left - 1) {
      const doc = (at << 3) + <usize>ctz(left);
      if (load<u8>(counts + doc) < least) {
        store<f32>(scores + (doc << 2), 0);
        kept &= ~(left & (0 - left));
      }
      store<u8>(counts + doc, 0);
    }
    store<u64>(bits + at, kept);
  }
}

/** Keeps documents of `level` that also match on `from`; scores are added up. */
export function intersect(level: u32, from: u32): void {
  const bits = bitsOf(level);
  const others = bitsOf(from);
  const scores = scoresOf(level);
  const added = scoresOf(from);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    const mine = load<u64>(bits + at);
    const theirs = load<u64>(others + at);
    store<u64>(bits + at, mine & theirs);
    store<u64>(others + at, 0);
    for (let left = mine | theirs; left !== 0; left &= left - 1) {
      const bit = left & (0 - left);
      const offset = ((at << 3) + <usize>ctz(left)) << 2;
      const kept = (mine & theirs & bit) !== 0;
      store<f32>(scores + offset, kept ? load<f32>(scores + offset) + load<f32>(added + offset) : 0);
      store<f32>(added + offset, 0);
    }
  }
}

/** Keeps documents of `level` that do not match on `from`. */
export function subtract(level: u32, from: u32): void {
  keepBits(level, bitsOf(from), true);
  clearLevel(from);
}

/** Keeps documents of `level` that have a bit (or, inverted, have none); the bits are not changed. */
export function keepBits(level: u32, kept: usize, inverted: bool): void {
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const bytes = bitmapBytes();
  const flip: u64 = inverted ? ~(<u64>0) : 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const mine = load<u64>(bits + at);
    const keep = load<u64>(kept + at) ^ flip;
    for (let left = mine & ~keep; left !== 0; left &= left - 1) {
      store<f32>(scores + (((at << 3) + <usize>ctz(left)) << 2), 0);
    }
    store<u64>(bits + at, mine & keep);
  }
}

export function clearLevel(level: u32): void {
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    for (let left = load<u64>(bits + at); left !== 0; left &= left - 1) {
      store<f32>(scores + (((at << 3) + <usize>ctz(left)) << 2), 0);
    }
    store<u64>(bits + at, 0);
  }
}

function makeLevel(level: u32, capacity: u32): void {
  const scores = allocatePages(pagesFor(capacity * 4), PAGE_SCRATCH);
  const bits = allocatePages(pagesFor(capacity >> 3), PAGE_SCRATCH);
  memory.fill(scores, 0, <usize>capacity * 4);
  memory.fill(bits, 0, capacity >> 3);
  store<u32>(H_LEVELS + (<usize>level << 3), <u32>scores);
  store<u32>(H_LEVELS + (<usize>level << 3), <u32>bits, 4);
}

function dropLevel(level: u32): void {
  if (scoresOf(level) === 0) return;
  const capacity = load<u32>(H_LEVEL_CAPACITY);
  releasePages(scoresOf(level), pagesFor(capacity * 4));
  releasePages(bitsOf(level), pagesFor(capacity >> 3));
  store<u64>(H_LEVELS + (<usize>level << 3), 0);
}
