// Scores by cached lists: the counterpart of `scoring.ts`, which scores by postings.

import { classOf, isExcluded } from '../documents.ts';
import { H_EXCLUDED, H_ORDINALS } from '../layout.ts';
import { bitmapBytes, bitsOf, hasBit, scoresOf, setBit } from '../levels.ts';
import { ADD, MATCH, REQUIRE } from '../scoring.ts';
import { B_INPUT, B_KEPT_BITS, B_LIST_COUNTS, buffer } from '../scratch.ts';
import { begin, consider, count, filterOf, finish, leastScore, offerScore } from '../selecting.ts';
import { documentMask, documentsOf, impactsOf, wordsOf } from './list.ts';

/** If another list is this many times as short, a list is searched instead of read from start to end. */
const MUCH_SHORTER: u32 = 8;

/** Scores the documents of a list. */
export function scoreList(list: usize, level: u32, action: u32, weight: f32): void {
  if (load<u32>(H_EXCLUDED) !== 0) return scoreAllowed(list, level, action, weight);
  if (action === ADD) add(list, scoresOf(level), weight);
  else if (action === MATCH) addAndMatch(list, level, weight);
  else addToMatches(list, level, weight);
}

function add(list: usize, scores: usize, weight: f32): void {
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const place = scores + (<usize>(load<u32>(words + i) & mask) << 2);
    store<f32>(place, load<f32>(place) + weight * load<f32>(impacts + i));
  }
}

function addAndMatch(list: usize, level: u32, weight: f32): void {
  const bits = bitsOf(level);
  const words = wordsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) setBit(bits, load<u32>(words + i) & mask);
  add(list, scoresOf(level), weight);
}

/** The same for documents of the allowed classes only. */
function scoreAllowed(list: usize, level: u32, action: u32, weight: f32): void {
  const scores = scoresOf(level);
  const bits = bitsOf(level);
  const kept = buffer(B_KEPT_BITS);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const doc = load<u32>(words + i) & mask;
    if (isExcluded(doc) || (action === REQUIRE && !hasBit(bits, doc))) continue;
    const place = scores + (<usize>doc << 2);
    store<f32>(place, load<f32>(place) + weight * load<f32>(impacts + i));
    if (action !== ADD) setBit(action === MATCH ? bits : kept, doc);
  }
}

function addToMatches(list: usize, level: u32, weight: f32): void {
  const scores = scoresOf(level);
  const bits = bitsOf(level);
  const kept = buffer(B_KEPT_BITS);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const doc = load<u32>(words + i) & mask;
    if (!hasBit(bits, doc)) continue;
    const place = scores + (<usize>doc << 2);
    store<f32>(place, load<f32>(place) + weight * load<f32>(impacts + i));
    setBit(kept, doc);
  }
}

/** The `k` best documents of a list, of any class, as `selectByScore` returns them. Returns the number of documents. */
export function selectFromList(list: usize, k: u32, weight: f32, options: u32, slot: u32): u32 {
  const state = begin(k, options, slot, 0);
  if (options !== 0) return selectSomeFrom(state, list, weight);
  const ordinals = <usize>load<u32>(H_ORDINALS);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const weights = f32x4.splat(weight);
  const end = <usize>documentsOf(list) << 2;
  let least = f32x4.splat(leastScore(state));
  for (let i: usize = 0; i < end; i += 16) {
    let among = i32x4.bitmask(f32x4.ge(f32x4.mul(v128.load(impacts + i), weights), least));
    if (among === 0) continue;
    for (; among !== 0; among &= among - 1) {
      const place = i + (<usize>ctz(among) << 2);
      if (place < end)
        offerScore(state, weight * load<f32>(impacts + place),
          load<u32>(ordinals + (<usize>(load<u32>(words + place) & mask) << 2)));
    }
    least = f32x4.splat(leastScore(state));
  }
  finish(state);
  return documentsOf(list);
}

/** The same for documents that pass the filter, and if all matches are wanted. */
function selectSomeFrom(state: usize, list: usize, weight: f32): u32 {
  const filter = filterOf(state);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const doc = load<u32>(words + i) & mask;
    if (filter !== 0 && !hasBit(filter, doc)) continue;
    count(state, doc);
    const score = weight * load<f32>(impacts + i);
    if (score >= leastScore(state)) consider(state, <usize>doc << 2, score);
  }
  return finish(state);
}

/**
 * Bytes of a list of `selectFew` in B_INPUT: its address, its weight (f32), the classes that count, and the place of
 * the last search.
 */
export const FEW: u32 = 16;
/**
 * Offsets of these; a list of `selectPruned` begins with the same fields, one of `matchLists` and a term of
 * `selectTallied` with the first two.
 */
export const E_WEIGHT: usize = 4;
export const E_CLASSES: usize = 8;
export const E_PLACE: usize = 12;
/** Bytes of a list of `matchLists`, and of a term of `selectTallied`. */
export const WEIGHTED: u32 = 8;

/**
 * The `k` best of the few documents that pass a filter and that any of the lists has (or, with `all`, that all of them
 * have): each list is searched for each document. Scores are added in the order of the lists. Returns the number of
 * matches.
 */
export function selectFew(lists: u32, k: u32, options: u32, slot: u32, multiplierSize: u32, all: bool): u32 {
  const state = begin(k, options, slot, multiplierSize);
  const filter = filterOf(state);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    for (let left = load<u64>(filter + at); left !== 0; left &= left - 1) {
      const doc = <u32>((at << 3) + <usize>ctz(left));
      const score = scoreOf(doc, lists, all);
      if (score === 0) continue;
      count(state, doc);
      consider(state, <usize>doc << 2, score);
    }
  }
  return finish(state);
}

/** The score of a document by the lists; 0 for no match. Documents must not descend from call to call. */
function scoreOf(doc: u32, lists: u32, all: bool): f32 {
  const bit: u32 = 1 << classOf(doc);
  let score: f32 = 0;
  for (let entry = buffer(B_INPUT), end = entry + <usize>(lists * FEW); entry < end; entry += FEW) {
    const list = <usize>load<u32>(entry);
    const place = seek(list, load<u32>(entry, E_PLACE), doc);
    store<u32>(entry, place, E_PLACE);
    const found = place < documentsOf(list) &&
      (load<u32>(wordsOf(list) + (<usize>place << 2)) & documentMask(list)) === doc &&
      (load<u32>(entry, E_CLASSES) & bit) !== 0;
    if (found) score += load<f32>(entry, E_WEIGHT) * load<f32>(impactsOf(list) + (<usize>place << 2));
    else if (all) return 0;
  }
  return score;
}

/**
 * Matches the documents that all of `count` lists have, 2 to 255 lists, on a level that is empty; scores are added in
 * the order of the lists, for documents of any class. B_INPUT has the address and weight (f32) of each. The shortest
 * list should be first.
 */
export function matchLists(count: u32, level: u32): void {
  const counts = buffer(B_LIST_COUNTS);
  const scores = scoresOf(level);
  const first = listAt(0);
  mark(first, counts);
  add(first, scores, weightAt(0));
  for (let i: u32 = 1; i < count; i++) {
    const list = listAt(i);
    if (documentsOf(list) / MUCH_SHORTER > documentsOf(first))
      addWhereFound(first, list, <u8>i, counts, scores, weightAt(i));
    else addWhereMarked(list, <u8>i, counts, scores, weightAt(i));
  }
  keepMarked(first, <u8>count, counts, level);
}

function listAt(index: u32): usize {
  return load<u32>(buffer(B_INPUT) + <usize>(index * WEIGHTED));
}

function weightAt(index: u32): f32 {
  return load<f32>(buffer(B_INPUT) + <usize>(index * WEIGHTED), E_WEIGHT);
}

function mark(list: usize, counts: usize): void {
  const words = wordsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) store<u8>(counts + (load<u32>(words + i) & mask), 1);
}

/**
 * Adds the scores of a list to documents that all lists before it have. Without branches, because which documents match
 * cannot be predicted.
 */
function addWhereMarked(list: usize, before: u8, counts: usize, scores: usize, weight: f32): void {
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const mask = documentMask(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const doc = load<u32>(words + i) & mask;
    const all = load<u8>(counts + doc);
    const place = scores + (<usize>doc << 2);
    store<u8>(counts + doc, all + <u8>(all === before));
    store<f32>(place, load<f32>(place) + (all === before ? weight * load<f32>(impacts + i) : 0));
  }
}

/** The same for a list that is much longer than the first: each document of the first is searched in it. */
function addWhereFound(first: usize, list: usize, before: u8, counts: usize, scores: usize, weight: f32): void {
  const words = wordsOf(first);
  const mask = documentMask(first);
  const end = <usize>documentsOf(first) << 2;
  let from: u32 = 0;
  for (let i: usize = 0; i < end; i += 4) {
    const doc = load<u32>(words + i) & mask;
    if (load<u8>(counts + doc) !== before) continue;
    from = seek(list, from, doc);
    if (from === documentsOf(list)) return;
    if ((load<u32>(wordsOf(list) + (<usize>from << 2)) & documentMask(list)) !== doc) continue;
    const place = scores + (<usize>doc << 2);
    store<u8>(counts + doc, before + 1);
    store<f32>(place, load<f32>(place) + weight * load<f32>(impactsOf(list) + (<usize>from << 2)));
  }
}

function keepMarked(first: usize, count: u8, counts: usize, level: u32): void {
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const words = wordsOf(first);
  const mask = documentMask(first);
  const end = <usize>documentsOf(first) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const doc = load<u32>(words + i) & mask;
    const all = load<u8>(counts + doc);
    store<u8>(counts + doc, 0);
    if (all === count) setBit(bits, doc);
    else store<f32>(scores + (<usize>doc << 2), 0);
  }
}

/**
 * The first place in a list, from one on, whose document is not before the given one. The steps double, then they are
 * halved.
 */
export function seek(list: usize, from: u32, doc: u32): u32 {
  const words = wordsOf(list);
  const mask = documentMask(list);
  const end = documentsOf(list);
  let step: u32 = 1;
  let low = from;
  let high = from;
  while (high < end && (load<u32>(words + (<usize>high << 2)) & mask) < doc) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  if (high > end) high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((load<u32>(words + (<usize>middle << 2)) & mask) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
