// Finds the best documents of any of several lists without computing a score for each document that matches: MaxScore
// (Turtle and Flood, 1995), over whole lists. Lists are processed in the order of their largest scores, descending. A
// document is scored in the first list that has it, so its score is at most its score by that list plus the largest
// scores of the following lists. Documents whose bound is below the threshold (the score of the worst of the best) are
// skipped, four at a time. When the remaining lists together cannot reach the threshold, processing stops. A lower
// bound of the threshold is found first: by the first list alone, then by documents of the first two.
//
// Scores are added in the order of the query, so that they equal, bit by bit, those of a search that looks at every
// document.
//
// A list, 32 bytes in B_INPUT, in that order; the host writes the first three fields:
//
// 0 list 4 weight (f32) 8 classes that count 12 place of the last search 16 its largest score (f32) 20 largest scores
// of the
// lists behind it in the order of largest scores, summed (f32) 24 score of the current document (f32) 28 its bitmap; 0
// for none
//
// B_PRUNE_ORDER has the addresses of these by largest score, descending.

import { classOf } from '../documents.ts';
import { filterBytes } from '../filters.ts';
import { hasBit, setBit } from '../levels.ts';
import { B_INPUT, B_PRUNE_BITS, B_PRUNE_ORDER, buffer, reserve } from '../scratch.ts';
import { begin, consider, filterOf, finish, leastScore, restart } from '../selecting.ts';
import { documentMask, documentsOf, impactsOf, L_MAX, wordsOf } from './list.ts';
import { E_CLASSES, E_PLACE, E_WEIGHT, seek } from './scoring.ts';

/** Bytes of a list in B_INPUT. */
export const PRUNED: usize = 32;
const E_MOST: usize = 16;
const E_BEHIND: usize = 20;
const E_SCORE: usize = 24;
const E_BITS: usize = 28;

/** Tolerance: sums of a few floats in another order differ by less. */
const MORE: f32 = 1.00001;
const LESS: f32 = 0.99999;
/** The second list becomes a bitmap unless it is this many times as long as the first; then it is searched. */
export const MUCH_LONGER: u32 = 16;

/**
 * The `k` best documents of any of `count` lists. The number that the selection returns is not the number of matches.
 */
export function selectPruned(count: u32, k: u32, options: u32, slot: u32): void {
  const state = begin(k, options, slot, 0);
  order(count);
  const hasBits = makeBits();
  foretell(state, entryAt(0));
  goThrough(state, 0, count, true);
  restart(state);
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryAt(i);
    if ((load<f32>(entry, E_MOST) + load<f32>(entry, E_BEHIND)) * MORE < leastScore(state)) break;
    goThrough(state, i, count, false);
  }
  if (hasBits) memory.fill(buffer(B_PRUNE_BITS), 0, filterBytes());
  finish(state);
}

function entryAt(index: u32): usize {
  return load<u32>(buffer(B_PRUNE_ORDER) + (<usize>index << 2));
}

function order(count: u32): void {
  const places = reserve(B_PRUNE_ORDER, count * 4);
  for (let i: u32 = 0; i < count; i++) {
    const entry = buffer(B_INPUT) + <usize>i * PRUNED;
    store<f32>(entry, load<f32>(entry, E_WEIGHT) * load<f32>(load<u32>(entry), L_MAX), E_MOST);
    store<u32>(entry, 0, E_BITS);
    let at = places + (<usize>i << 2);
    for (; at > places && load<f32>(load<u32>(at - 4), E_MOST) < load<f32>(entry, E_MOST); at -= 4)
      store<u32>(at, load<u32>(at - 4));
    store<u32>(at, <u32>entry);
  }
  let behind: f32 = 0;
  for (let i = count; i-- > 0;) {
    store<f32>(entryAt(i), behind, E_BEHIND);
    behind += load<f32>(entryAt(i), E_MOST);
  }
}

/**
 * Leaves an empty selection whose least score is that of the `k`th best by one list alone; the `k` best of all lists
 * reach at least that.
 */
function foretell(state: usize, entry: usize): void {
  const list = <usize>load<u32>(entry);
  const weight = load<f32>(entry, E_WEIGHT);
  const filter = filterOf(state);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const weights = f32x4.splat(weight);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 16) {
    let among = i32x4.bitmask(f32x4.ge(f32x4.mul(v128.load(impacts + i), weights), f32x4.splat(leastScore(state))));
    for (; among !== 0; among &= among - 1) {
      const place = i + (<usize>ctz(among) << 2);
      const doc = load<u32>(words + place) & mask;
      if (place < end && isAllowed(entry, doc) && (filter === 0 || hasBit(filter, doc)))
        consider(state, <usize>doc << 2, weight * load<f32>(impacts + place));
    }
  }
  restart(state);
}

/** Processes the documents of a list, or only those that are also in the list behind it. */
function goThrough(state: usize, index: u32, count: u32, both: bool): void {
  for (let i: u32 = 0; i < count; i++) store<u32>(entryAt(i), 0, E_PLACE);
  const entry = entryAt(index);
  const list = <usize>load<u32>(entry);
  const weight = load<f32>(entry, E_WEIGHT);
  const behind = load<f32>(entry, E_BEHIND) * MORE;
  const filter = filterOf(state);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const weights = f32x4.splat(weight);
  const end = <usize>documentsOf(list) << 2;
  let needed = f32x4.splat(leastScore(state) * LESS - behind);
  for (let i: usize = 0; i < end; i += 16) {
    let among = i32x4.bitmask(f32x4.ge(f32x4.mul(v128.load(impacts + i), weights), needed));
    if (among === 0) continue;
    for (; among !== 0; among &= among - 1) {
      const place = i + (<usize>ctz(among) << 2);
      if (place >= end) break;
      const doc = load<u32>(words + place) & mask;
      if ((filter !== 0 && !hasBit(filter, doc)) || !isAllowed(entry, doc)) continue;
      if (both && scoreIn(entryAt(1), doc) === 0) continue;
      store<f32>(entry, weight * load<f32>(impacts + place), E_SCORE);
      if (addOthers(state, index, count, doc)) consider(state, <usize>doc << 2, sum(count));
    }
    needed = f32x4.splat(leastScore(state) * LESS - behind);
  }
}

function isAllowed(entry: usize, doc: u32): bool {
  return ((load<u32>(entry, E_CLASSES) >> classOf(doc)) & 1) !== 0;
}

/**
 * Finds the scores of a document by the following lists. False if it cannot be among the best, or an earlier list has
 * it.
 */
function addOthers(state: usize, index: u32, count: u32, doc: u32): bool {
  const least = leastScore(state) * LESS;
  let score = load<f32>(entryAt(index), E_SCORE);
  for (let i = index + 1; i < count; i++) {
    const entry = entryAt(i);
    if ((score + load<f32>(entry, E_MOST) + load<f32>(entry, E_BEHIND)) * MORE < least) return false;
    const own = scoreIn(entry, doc);
    store<f32>(entry, own, E_SCORE);
    score += own;
  }
  if (score * MORE < least) return false;
  for (let i: u32 = 0; i < index; i++) {
    if (scoreIn(entryAt(i), doc) > 0) return false;
    store<f32>(entryAt(i), 0, E_SCORE);
  }
  return true;
}

/** Adds the scores in the order of the query. */
function sum(count: u32): f32 {
  let score: f32 = 0;
  for (let i: u32 = 0, entry = buffer(B_INPUT); i < count; i++, entry += PRUNED) score += load<f32>(entry, E_SCORE);
  return score;
}

/**
 * The score of a document by a list; 0 for none. While one list is processed, documents must not descend from call to
 * call.
 */
function scoreIn(entry: usize, doc: u32): f32 {
  const bits = <usize>load<u32>(entry, E_BITS);
  if (bits !== 0 && !hasBit(bits, doc)) return 0;
  const list = <usize>load<u32>(entry);
  const place = seek(list, load<u32>(entry, E_PLACE), doc);
  store<u32>(entry, place, E_PLACE);
  const there = place < documentsOf(list) &&
    (load<u32>(wordsOf(list) + (<usize>place << 2)) & documentMask(list)) === doc && isAllowed(entry, doc);
  return there ? load<f32>(entry, E_WEIGHT) * load<f32>(impactsOf(list) + (<usize>place << 2)) : 0;
}

/** Makes a bitmap of the second list, because most documents of the first are not in it; returns whether it did. */
function makeBits(): bool {
  const list = <usize>load<u32>(entryAt(1));
  if (documentsOf(list) / MUCH_LONGER > documentsOf(load<u32>(entryAt(0)))) return false;
  const bits = reserve(B_PRUNE_BITS, filterBytes());
  const words = wordsOf(list);
  const mask = documentMask(list);
  for (let i: usize = 0, end = <usize>documentsOf(list) << 2; i < end; i += 4)
    setBit(bits, load<u32>(words + i) & mask);
  store<u32>(entryAt(1), <u32>bits, E_BITS);
  return true;
}

/**
 * Documents of a list that pass a filter (with `options` 1; see `selecting.ts`) and are of some classes; counting ends
 * at `most`.
 */
export function countPassing(list: usize, options: u32, slot: u32, classes: u32, most: u32): u32 {
  if (options === 0 && classes === 0xffffffff) return min(documentsOf(list), most);
  const filter = filterOf(begin(0, options, slot, 0));
  const words = wordsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  let count: u32 = 0;
  for (let i: usize = 0; i < end && count < most; i += 4) {
    const doc = load<u32>(words + i) & mask;
    count += <u32>((filter === 0 || hasBit(filter, doc)) && ((classes >> classOf(doc)) & 1) !== 0);
  }
  return count;
}
