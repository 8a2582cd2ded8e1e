// Terms of BM25 over all fields, tallied: for each term, a byte per document says how often the document has it
// (`tallying.ts`). Vectors of 16 documents find which documents have any or all of the terms, and compute bounds of
// their scores, by tables of the frequency and of the document length (`tallied-terms.ts`, `grades.ts`). Only documents
// that may be among the best are scored. This is the idea of MaxScore (Turtle and Flood, 1995), but every match is
// counted.

import { DOCS, FREQUENCIES, H_ORDINALS, TALLIED } from './layout.ts';
import { bitmapBytes, bitsOf, scoresOf } from './levels.ts';
import { B_GRADES, buffer } from './scratch.ts';
import { begin, filterOf, finish, leastScore, matchesOf, offerScore } from './selecting.ts';
import { boundOf, boundsAt, bytesOf, clearTerms, openTerms, scoreWaiting, T_BOUNDS, TERM } from './tallied-terms.ts';
import { endOfTallies } from './tallying.ts';
import { mayHaveDead } from './word-forms.ts';

/**
 * Documents whose bounds reach the k-th best score are scored when there are so many of them (measured): their lengths
 * and frequencies are then read at the same time, and not one after the other with a branch in between that cannot be
 * predicted.
 */
const WAITING: u32 = 16;
/**
 * If at most this many of 64 documents match, they are scored without computing their bounds, which would take longer.
 */
const FEW_MATCHES: u32 = 2;

/**
 * The `k` best documents that have any, or all, of `count` terms, as `selectByScore` returns them; returns the number
 * of matches. Documents that have any may be `FILTERED` and `COLLECTED`. B_INPUT has for each term its slot and its
 * weight (f32), in the order in which scores are added. The slots are cleared.
 */
export function selectTallied(count: u32, k: u32, all: bool, options: u32, filter: u32): u32 {
  const scale = openTerms(count);
  if (all) matchAll(count, bitsOf(0));
  const state = begin(k, all ? 0 : options, all ? 0 : filter, 0);
  const total = all ? selectBits(state, count, scale) : selectAny(state, count, scale);
  clearTerms(count);
  finish(state);
  return total;
}

function selectAny(state: usize, count: u32, scale: f32): u32 {
  const grades = buffer(B_GRADES);
  const filter = filterOf(state);
  const collected = matchesOf(state);
  const zero = i64x2.splat(0);
  const most = i8x16.splat(3);
  const end = endOfTallies();
  const behind = TALLIED + <usize>(count * TERM);
  let least = boundOf(leastScore(state), scale);
  let total: u32 = 0;
  let waiting: u32 = 0;
  for (let doc: usize = 0; doc < end; doc += 64) {
    const passing: u64 = filter === 0 ? ~0 : load<u64>(filter + (doc >> 3));
    if (passing === 0) continue;
    const grade0 = v128.load(grades + doc);
    const grade1 = v128.load(grades + doc, 16);
    const grade2 = v128.load(grades + doc, 32);
    const grade3 = v128.load(grades + doc, 48);
    let bounds0 = zero;
    let bounds1 = zero;
    let bounds2 = zero;
    let bounds3 = zero;
    for (let term = TALLIED; term < behind; term += TERM) {
      const at = bytesOf(term) + doc;
      const table = v128.load(term, T_BOUNDS);
      bounds0 = i8x16.add_sat_u(bounds0,
        i8x16.relaxed_swizzle(table, i8x16.add(grade0, i8x16.min_u(v128.load(at), most))));
      bounds1 = i8x16.add_sat_u(bounds1,
        i8x16.relaxed_swizzle(table, i8x16.add(grade1, i8x16.min_u(v128.load(at, 16), most))));
      bounds2 = i8x16.add_sat_u(bounds2,
        i8x16.relaxed_swizzle(table, i8x16.add(grade2, i8x16.min_u(v128.load(at, 32), most))));
      bounds3 = i8x16.add_sat_u(bounds3,
        i8x16.relaxed_swizzle(table, i8x16.add(grade3, i8x16.min_u(v128.load(at, 48), most))));
    }
    // No branch skips groups without a match: with a filter or rare terms, they are neither rare nor frequent enough to
    // predict.
    const matches = passing &
      ~maskOf(i8x16.eq(bounds0, zero), i8x16.eq(bounds1, zero), i8x16.eq(bounds2, zero), i8x16.eq(bounds3, zero));
    if (collected !== 0) store<u64>(collected + (doc >> 3), matches);
    total += <u32>popcnt(matches);
    const wanted = i8x16.splat(<i8>least);
    // With a filter, the k-th best score is so low that many documents that do not pass reach it: then `best` is easier
    // to predict.
    if (filter === 0 && !reaches(wanted, bounds0, bounds1, bounds2, bounds3)) continue;
    const best = matches &
      maskOf(i8x16.ge_u(bounds0, wanted), i8x16.ge_u(bounds1, wanted), i8x16.ge_u(bounds2, wanted),
        i8x16.ge_u(bounds3, wanted));
    if (best === 0) continue;
    waiting = wait(doc, best, waiting);
    if (waiting < WAITING) continue;
    offerEach(state, waiting, count);
    waiting = 0;
    least = boundOf(leastScore(state), scale);
  }
  offerEach(state, waiting, count);
  return total;
}

function selectBits(state: usize, count: u32, scale: f32): u32 {
  const grades = buffer(B_GRADES);
  const bits = bitsOf(0);
  const bytes = bitmapBytes();
  let least = boundOf(leastScore(state), scale);
  let total: u32 = 0;
  let waiting: u32 = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const matches = load<u64>(bits + at);
    if (matches === 0) continue;
    store<u64>(bits + at, 0);
    const several = <u32>popcnt(matches);
    total += several;
    waiting = several <= FEW_MATCHES
      ? wait(at << 3, matches, waiting)
      : waitForBest(at << 3, matches, grades, count, least, waiting);
    if (waiting < WAITING) continue;
    offerEach(state, waiting, count);
    waiting = 0;
    least = boundOf(leastScore(state), scale);
  }
  offerEach(state, waiting, count);
  return total;
}

/**
 * Adds those of 64 documents that have a bit, and whose bounds reach `least`, to the waiting ones; returns their
 * number.
 */
function waitForBest(doc: usize, documents: u64, grades: usize, count: u32, least: u32, waiting: u32): u32 {
  const wanted = i8x16.splat(<i8>least);
  const best = maskOf(i8x16.ge_u(boundsAt(doc, v128.load(grades + doc), count), wanted),
    i8x16.ge_u(boundsAt(doc + 16, v128.load(grades + doc, 16), count), wanted),
    i8x16.ge_u(boundsAt(doc + 32, v128.load(grades + doc, 32), count), wanted),
    i8x16.ge_u(boundsAt(doc + 48, v128.load(grades + doc, 48), count), wanted));
  return wait(doc, documents & best, waiting);
}

/**
 * Matches the documents that have all of the terms on a level that is empty, without scores. Call `scoreTallied`
 * afterwards.
 */
export function matchTallied(count: u32, level: u32): void {
  openTerms(count);
  matchAll(count, bitsOf(level));
}

/** Computes the scores of the documents of a level, which have none yet. The slots are cleared. */
export function scoreTallied(count: u32, level: u32): void {
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const bytes = bitmapBytes();
  let waiting: u32 = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const matches = load<u64>(bits + at);
    if (matches === 0) continue;
    waiting = wait(at << 3, matches, waiting);
    if (waiting < WAITING) continue;
    scoreEach(scores, waiting, count);
    waiting = 0;
  }
  scoreEach(scores, waiting, count);
  clearTerms(count);
}

function scoreEach(scores: usize, waiting: u32, count: u32): void {
  const end = scoreWaiting(waiting, count);
  for (let at = DOCS; at < end; at += 4)
    store<f32>(scores + (<usize>load<u32>(at) << 2), load<f32>(at + (FREQUENCIES - DOCS)));
}

/**
 * Writes a bitmap of the documents that are alive and have all of the terms. Without branches: matches are too rare and
 * too frequent to predict.
 */
function matchAll(count: u32, bits: usize): void {
  const zero = i64x2.splat(0);
  const behind = TALLIED + <usize>(count * TERM);
  const first = bytesOf(TALLIED);
  const second = bytesOf(count > 1 ? TALLIED + TERM : TALLIED);
  const end = endOfTallies();
  for (let doc: usize = 0; doc < end; doc += 64) {
    let least0 = i8x16.min_u(v128.load(first + doc), v128.load(second + doc));
    let least1 = i8x16.min_u(v128.load(first + doc, 16), v128.load(second + doc, 16));
    let least2 = i8x16.min_u(v128.load(first + doc, 32), v128.load(second + doc, 32));
    let least3 = i8x16.min_u(v128.load(first + doc, 48), v128.load(second + doc, 48));
    for (let term = TALLIED + 2 * TERM; term < behind; term += TERM) {
      const at = bytesOf(term) + doc;
      least0 = i8x16.min_u(least0, v128.load(at));
      least1 = i8x16.min_u(least1, v128.load(at, 16));
      least2 = i8x16.min_u(least2, v128.load(at, 32));
      least3 = i8x16.min_u(least3, v128.load(at, 48));
    }
    store<u64>(bits + (doc >> 3),
      ~maskOf(i8x16.eq(least0, zero), i8x16.eq(least1, zero), i8x16.eq(least2, zero), i8x16.eq(least3, zero)));
  }
  if (mayHaveDead()) dropDead(bits, end);
}

function dropDead(bits: usize, end: usize): void {
  const grades = buffer(B_GRADES);
  for (let doc: usize = 0; doc < end; doc += 64) {
    const matches = load<u64>(bits + (doc >> 3));
    // The mask selects the high bits, which only the grades of dead documents have.
    store<u64>(bits + (doc >> 3),
      matches &
        ~maskOf(v128.load(grades + doc), v128.load(grades + doc, 16), v128.load(grades + doc, 32),
          v128.load(grades + doc, 48)));
  }
}

/** Whether any of 64 bounds is at least as large as the wanted one. */
function reaches(wanted: v128, a: v128, b: v128, c: v128, d: v128): bool {
  return v128.any_true(i8x16.ge_u(i8x16.max_u(i8x16.max_u(a, b), i8x16.max_u(c, d)), wanted));
}

/** The high bits of 64 bytes. */
function maskOf(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64>i8x16.bitmask(a) | (<u64>i8x16.bitmask(b) << 16) | (<u64>i8x16.bitmask(c) << 32) |
    (<u64>i8x16.bitmask(d) << 48);
}

/**
 * Adds the documents, from one on, that have a bit to the `waiting` ones at DOCS; returns their number. At most 64 are
 * added.
 */
function wait(doc: usize, documents: u64, waiting: u32): u32 {
  let to = DOCS + (<usize>waiting << 2);
  for (let left = documents; left !== 0; left &= left - 1) {
    store<u32>(to, <u32>(doc + <usize>ctz(left)));
    to += 4;
  }
  return <u32>(to - DOCS) >> 2;
}

/** Offers the waiting documents. */
function offerEach(state: usize, waiting: u32, count: u32): void {
  const ordinals = <usize>load<u32>(H_ORDINALS);
  const end = scoreWaiting(waiting, count);
  for (let at = DOCS; at < end; at += 4) {
    const score = load<f32>(at + (FREQUENCIES - DOCS));
    if (score >= leastScore(state)) offerScore(state, score, load<u32>(ordinals + (<usize>load<u32>(at) << 2)));
  }
}
