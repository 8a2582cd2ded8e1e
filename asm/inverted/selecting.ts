// The last step of a search: selects the k best of the documents that match, counts the matches, and clears the
// levels. Results are ordered by score, then by the caller's ordinal, ascending.
//
// A key is the bits of a score and the complement of the ordinal, in one u64: since scores are not negative,
// the better result has the larger key.

import { bestCount, closeBest, emptyBest, leastUpper, offerKey, openBest } from './best.ts';
import { documentOf } from './documents.ts';
import { emptyMatches, filterAt, matchesByOrdinal } from './filters.ts';
import { H_DOCS, H_ORDINALS } from './layout.ts';
import { bitmapBytes, bitsOf, hasBit, scoresOf, setBit } from './levels.ts';
import { B_HEAP, B_INPUT, B_MULTIPLIERS, B_OUTPUT, B_RERANK_ORDER, buffer, reserve } from './scratch.ts';
import { sort } from './sorting.ts';

/** Bits of `options`. */
export const FILTERED: u32 = 1; // a slot of `filters.ts` has a bit for each document that may match
export const MULTIPLIED: u32 = 2; // B_MULTIPLIERS has a factor (f32) for each ordinal
export const COLLECTED: u32 = 4; // B_MATCHES gets a bit for each ordinal that matches

// The state of a selection, in front of its best keys (see `best.ts`). The address of something that is not used is 0;
// scores of ordinals beyond the multipliers are multiplied by 1. Filter and matches are bitmaps by document.
const S_TOTAL: usize = 0;
const S_FILTER: usize = 4;
const S_MULTIPLIERS: usize = 8;
const S_MULTIPLIER_SIZE: usize = 12;
const S_MATCHES: usize = 16;
const STATE: u32 = 32;

/**
 * XOR masks: from a key of the selection to an entry of B_OUTPUT, and from an entry to a key that is smaller for better
 * results.
 */
export const ORDINAL_BITS: u64 = 0xffffffff;
const SCORE_BITS: u64 = <u64>0xffffffff << 32;

/** Selects from a level in which a score other than 0 is a match (ADD); clears it. Returns the number of matches. */
export function selectByScore(k: u32, options: u32, slot: u32, multiplierSize: u32): u32 {
  const state = begin(k, options, slot, multiplierSize);
  return options === 0 ? selectBest(state) : selectSome(state);
}

/**
 * Without filter, multipliers and matches, only documents that may be among the best are read one by one; the others
 * are counted by vectors.
 */
function selectBest(state: usize): u32 {
  const scores = scoresOf(0);
  const end = scores + (<usize>((load<u32>(H_DOCS) + 15) & ~15) << 2);
  const ordinals = <usize>load<u32>(H_ORDINALS);
  const zero = f32x4.splat(0);
  let matches = i32x4.splat(0);
  let least = f32x4.splat(leastScore(state));
  for (let at = scores; at < end; at += 64) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    // A comparison returns -1 where it holds.
    const some = i32x4.add(f32x4.ne(a, zero), f32x4.ne(b, zero));
    matches = i32x4.sub(matches, i32x4.add(some, i32x4.add(f32x4.ne(c, zero), f32x4.ne(d, zero))));
    if (v128.any_true(f32x4.ge(f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d)), least))) {
      for (let left = nonZero64(at) & atLeast64(at, least); left !== 0; left &= left - 1) {
        const place = at + (<usize>ctz(left) << 2);
        offerScore(state, load<f32>(place), load<u32>(ordinals + (place - scores)));
      }
      least = f32x4.splat(leastScore(state));
    }
    clear64(at);
  }
  const total = i32x4.extract_lane(matches, 0) + i32x4.extract_lane(matches, 1) + i32x4.extract_lane(matches, 2) +
    i32x4.extract_lane(matches, 3);
  store<u32>(state, <u32>total, S_TOTAL);
  return finish(state);
}

/** The same for documents that pass the filter: 16 of its bits for 16 scores. */
function selectSome(state: usize): u32 {
  const scores = scoresOf(0);
  const groups = <usize>((load<u32>(H_DOCS) + 15) >> 4);
  const filter = <usize>load<u32>(state, S_FILTER);
  const matches = <usize>load<u32>(state, S_MATCHES);
  const multiplied = load<u32>(state, S_MULTIPLIERS) !== 0;
  let total: u32 = 0;
  for (let group: usize = 0; group < groups; group++) {
    const at = scores + (group << 6);
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    // Whether any document passes is hard to predict, so the only branch is for the few that may be among the best.
    let among = nonZero64(at);
    if (filter !== 0) among &= load<u16>(filter + (group << 1));
    total += popcnt(among);
    if (matches !== 0) store<u16>(matches + (group << 1), <u16>among);
    if (!multiplied) {
      const least = f32x4.splat(leastScore(state));
      among = v128.any_true(f32x4.ge(f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d)), least))
        ? among & atLeast64(at, least)
        : 0;
    }
    for (; among !== 0; among &= among - 1) {
      const offset = <usize>ctz(among) << 2;
      consider(state, (group << 6) + offset, load<f32>(at + offset));
    }
    clear64(at);
  }
  store<u32>(state, total, S_TOTAL);
  return finish(state);
}

/** A bit for each of 16 scores that is not zero. */
function nonZero64(at: usize): u32 {
  const zero = f32x4.splat(0);
  return bits64(f32x4.ne(v128.load(at), zero), f32x4.ne(v128.load(at, 16), zero), f32x4.ne(v128.load(at, 32), zero),
    f32x4.ne(v128.load(at, 48), zero));
}

/** A bit for each of 16 scores that is at least as large as `least`. */
function atLeast64(at: usize, least: v128): u32 {
  return bits64(f32x4.ge(v128.load(at), least), f32x4.ge(v128.load(at, 16), least), f32x4.ge(v128.load(at, 32), least),
    f32x4.ge(v128.load(at, 48), least));
}

/** The lanes of four comparisons as 16 bits. */
function bits64(a: v128, b: v128, c: v128, d: v128): u32 {
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
}

function clear64(at: usize): void {
  const zero = i32x4.splat(0);
  v128.store(at, zero);
  v128.store(at, zero, 16);
  v128.store(at, zero, 32);
  v128.store(at, zero, 48);
}

/** Selects from level 0, in which a bit is a match; clears it. Returns the number of matches. */
export function selectByBits(k: u32, options: u32, slot: u32, multiplierSize: u32): u32 {
  const state = begin(k, options, slot, multiplierSize);
  const scores = scoresOf(0);
  const bits = bitsOf(0);
  const bytes = bitmapBytes();
  const filter = <usize>load<u32>(state, S_FILTER);
  const matches = <usize>load<u32>(state, S_MATCHES);
  let total: u64 = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const set = load<u64>(bits + at);
    if (set === 0) continue;
    store<u64>(bits + at, 0);
    const passing = filter === 0 ? set : set & load<u64>(filter + at);
    total += popcnt(passing);
    if (matches !== 0) store<u64>(matches + at, passing);
    for (let left = set; left !== 0; left &= left - 1) {
      const offset = ((at << 3) + <usize>ctz(left)) << 2;
      const score = load<f32>(scores + offset);
      store<f32>(scores + offset, 0);
      if ((passing & left & (0 - left)) !== 0) consider(state, offset, score);
    }
  }
  store<u32>(state, <u32>total, S_TOTAL);
  return finish(state);
}

/**
 * Writes the scores of `count` ordinals (u32 in B_INPUT) to B_OUTPUT (f32), before selecting; -1 for an ordinal that
 * does not match. Neither filter nor multipliers apply.
 */
export function lookUpScores(count: u32, byBits: bool): void {
  const input = buffer(B_INPUT);
  const output = reserve(B_OUTPUT, count * 4);
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const doc = documentOf(load<u32>(input + i));
    const score: f32 = doc === 0 ? 0 : load<f32>(scoresOf(0) + (<usize>doc << 2));
    const matches = doc !== 0 && (byBits ? hasBit(bitsOf(0), doc) : score !== 0);
    store<f32>(output + i, matches ? score : <f32>-1);
  }
}

/** An empty selection of the `k` best. */
export function begin(k: u32, options: u32, slot: u32, multiplierSize: u32): usize {
  const state = openBest(B_HEAP, STATE, k, k === 0 ? reinterpret<u32>(f32.POSITIVE_INFINITY) : 0);
  store<u32>(state, 0, S_TOTAL);
  store<u32>(state, <u32>((options & FILTERED) !== 0 ? filterAt(slot) : 0), S_FILTER);
  store<u32>(state, <u32>((options & MULTIPLIED) !== 0 ? buffer(B_MULTIPLIERS) : 0), S_MULTIPLIERS);
  store<u32>(state, multiplierSize, S_MULTIPLIER_SIZE);
  store<u32>(state, <u32>((options & COLLECTED) !== 0 ? emptyMatches() : 0), S_MATCHES);
  return state;
}

/** Empties a selection, but keeps its least score. */
export function restart(state: usize): void {
  emptyBest(state + STATE);
}

/** Bitmap by document of those that may match; 0 if all may. */
export function filterOf(state: usize): usize {
  return load<u32>(state, S_FILTER);
}

/** Bitmap by document of the matches; 0 if they are not wanted. */
export function matchesOf(state: usize): usize {
  return load<u32>(state, S_MATCHES);
}

/** Counts a document that matches, and sets its bit if all matches are wanted. */
export function count(state: usize, doc: u32): void {
  store<u32>(state, load<u32>(state, S_TOTAL) + 1, S_TOTAL);
  const matches = <usize>load<u32>(state, S_MATCHES);
  if (matches !== 0) setBit(matches, doc);
}

/** No score below it is among the best. */
export function leastScore(state: usize): f32 {
  return reinterpret<f32>(leastUpper(state + STATE));
}

/** Offers a document (passed as number * 4) if it may be among the best. */
export function consider(state: usize, offset: usize, score: f32): void {
  const ordinal = load<u32>(<usize>load<u32>(H_ORDINALS) + offset);
  const multipliers = <usize>load<u32>(state, S_MULTIPLIERS);
  if (multipliers !== 0 && ordinal < load<u32>(state, S_MULTIPLIER_SIZE))
    score *= load<f32>(multipliers + (<usize>ordinal << 2));
  if (score >= leastScore(state)) offerScore(state, score, ordinal);
}

export function offerScore(state: usize, score: f32, ordinal: u32): void {
  offerKey(state + STATE, (<u64>reinterpret<u32>(score) << 32) | ~ordinal);
}

/**
 * Writes the best to B_OUTPUT, in no order: u32 ordinal, f32 score each, and the matches to B_MATCHES. Returns the
 * total.
 */
export function finish(state: usize): u32 {
  const keys = closeBest(state + STATE);
  const held = selectedCount();
  const output = reserve(B_OUTPUT, max(held * 8, 8));
  for (let i: usize = 0; i < <usize>held << 3; i += 8) store<u64>(output + i, load<u64>(keys + i) ^ ORDINAL_BITS);
  if (load<u32>(state, S_MATCHES) !== 0) matchesByOrdinal();
  return load<u32>(state, S_TOTAL);
}

/** Makes a selection of `count` hits of an earlier one: u32 ordinal, f32 score each in B_INPUT. */
export function selectGiven(count: u32): void {
  const state = begin(count, 0, 0, 0);
  const input = buffer(B_INPUT);
  for (let i: usize = 0; i < <usize>count << 3; i += 8)
    offerScore(state, load<f32>(input + i, 4), load<u32>(input + i));
  finish(state);
}

export function selectedCount(): u32 {
  return bestCount(buffer(B_HEAP) + STATE);
}

/** Sorts the first `most` documents that a selection has left by score, then by ordinal. */
export function orderSelected(most: u32): void {
  const count = min(selectedCount(), most);
  const output = buffer(B_OUTPUT);
  const order = reserve(B_RERANK_ORDER, max(count, 2) * 8);
  for (let i: usize = 0; i < <usize>count << 3; i += 8) store<u64>(order + i, load<u64>(output + i) ^ SCORE_BITS);
  sort(order, count);
  for (let i: usize = 0; i < <usize>count << 3; i += 8) store<u64>(output + i, load<u64>(order + i) ^ SCORE_BITS);
}
