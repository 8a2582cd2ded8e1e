// The terms of `tallies.ts`, and the scores and bounds of documents by them.
//
// TALLIED has the terms in the order in which their scores are added, 32 bytes each:
//
//     0 bytes by document   4 rests   8 weight (f32)   16 bounds of scores by grade and frequency, u8
//
// A bound is the score for the grade's least length and for 0, 1, 2, 3 or more occurrences, in units of the greatest
// possible score. It is zero only for 0 occurrences.

import { lengthsOf } from './documents.ts';
import { gradeLength, GRADES } from './grades.ts';
import { DOCS, FREQUENCIES, H_LEVEL_CAPACITY, H_SCORING, TALLIED } from './layout.ts';
import { B_INPUT, B_TALLIES, B_TALLY_RESTS, buffer } from './scratch.ts';
import { endOfTallies, LARGE, MAX_TALLIES } from './tallying.ts';
import { P_C0, P_C1 } from './weighing.ts';

export const TERM: u32 = 32;
const T_BYTES: usize = 0;
const T_RESTS: usize = 4;
const T_WEIGHT: usize = 8;
export const T_BOUNDS: usize = 16;

/** The greatest score as a bound; below 255, because the bound of each term is rounded up. */
const GREATEST: f32 = 240;
/** A factor larger than any rounding error between scores and bounds. */
const SAFETY: f32 = 1.0001;

/** Reads the terms from B_INPUT; returns the factor by which a score is multiplied to compare it with bounds. */
export function openTerms(count: u32): f32 {
  assert(count > 0 && count <= MAX_TALLIES, 'so many terms are not tallied');
  const input = buffer(B_INPUT);
  const capacity = <usize>load<u32>(H_LEVEL_CAPACITY);
  for (let i: u32 = 0; i < count; i++)
    store<f32>(TALLIED + <usize>(i * TERM), load<f32>(input + (<usize>i << 3), 4), T_WEIGHT);
  const scale = scaleOfTerms(count);
  for (let i: u32 = 0; i < count; i++) {
    const term = TALLIED + <usize>(i * TERM);
    const slot = <usize>load<u32>(input + (<usize>i << 3));
    const weight = load<f32>(term, T_WEIGHT);
    store<u32>(term, <u32>(buffer(B_TALLIES) + slot * capacity), T_BYTES);
    store<u32>(term, <u32>(buffer(B_TALLY_RESTS) + slot * capacity * 4), T_RESTS);
    for (let grade: u32 = 0; grade < GRADES; grade++) setBounds(term + T_BOUNDS + (grade << 2), grade, weight * scale);
  }
  return scale;
}

function scaleOfTerms(count: u32): f32 {
  let greatest: f32 = 0;
  for (let term = TALLIED; term < TALLIED + <usize>(count * TERM); term += TERM) greatest += load<f32>(term, T_WEIGHT);
  return GREATEST / greatest;
}

export function bytesOf(term: usize): usize {
  return load<u32>(term, T_BYTES);
}

function setBounds(to: usize, grade: u32, weight: f32): void {
  const normed = load<f32>(H_SCORING, P_C0) + load<f32>(H_SCORING, P_C1) * gradeLength(grade);
  store<u8>(to, 0);
  for (let x: f32 = 1; x < 3; x++) store<u8>(++to, <u8>(weight * SAFETY * (x / (x + normed)) + 1));
  store<u8>(to + 1, <u8>(weight * SAFETY + 1));
}

/** A lower bound of the bound of any document with this score. */
export function boundOf(score: f32, scale: f32): u32 {
  return <u32>min<f32>(score * scale / SAFETY, 255);
}

export function clearTerms(count: u32): void {
  const end = endOfTallies();
  for (let term = TALLIED; term < TALLIED + <usize>(count * TERM); term += TERM) memory.fill(bytesOf(term), 0, end);
}

/** Writes the scores of the waiting documents to FREQUENCIES; returns the end of the documents. */
export function scoreWaiting(waiting: u32, count: u32): usize {
  const end = DOCS + (<usize>waiting << 2);
  // Completes the last four with any document.
  v128.store(end, i32x4.splat(0));
  for (let at = DOCS; at < end; at += 16) v128.store(at + (FREQUENCIES - DOCS), scoresOfFour(at, count));
  return end;
}

/** The scores of four documents at an address, exactly as `scoreOf` computes them. */
function scoresOfFour(at: usize, count: u32): v128 {
  const doc0 = <usize>load<u32>(at);
  const doc1 = <usize>load<u32>(at, 4);
  const doc2 = <usize>load<u32>(at, 8);
  const doc3 = <usize>load<u32>(at, 12);
  const lengths = lengthsOf(0);
  let length = v128.load32_zero(lengths + (doc0 << 2));
  length = v128.load_lane<f32>(lengths + (doc1 << 2), length, 1);
  length = v128.load_lane<f32>(lengths + (doc2 << 2), length, 2);
  length = v128.load_lane<f32>(lengths + (doc3 << 2), length, 3);
  const normed = f32x4.add(v128.load32_splat(H_SCORING, P_C0), f32x4.mul(v128.load32_splat(H_SCORING, P_C1), length));
  let scores = f32x4.splat(0);
  for (let term = TALLIED, behind = TALLIED + <usize>(count * TERM); term < behind; term += TERM) {
    const bytes = bytesOf(term);
    let frequency = i32x4.splat(<i32>load<u8>(bytes + doc0));
    frequency = i32x4.replace_lane(frequency, 1, <i32>load<u8>(bytes + doc1));
    frequency = i32x4.replace_lane(frequency, 2, <i32>load<u8>(bytes + doc2));
    frequency = i32x4.replace_lane(frequency, 3, <i32>load<u8>(bytes + doc3));
    if (v128.any_true(i32x4.eq(frequency, i32x4.splat(LARGE)))) return scoresOneByOne(at, count);
    // A frequency of zero adds zero.
    const x = f32x4.convert_i32x4_s(frequency);
    scores = f32x4.add(scores, f32x4.mul(v128.load32_splat(term, T_WEIGHT), f32x4.div(x, f32x4.add(x, normed))));
  }
  return scores;
}

function scoresOneByOne(at: usize, count: u32): v128 {
  let scores = f32x4.splat(scoreOf(load<u32>(at), count));
  scores = f32x4.replace_lane(scores, 1, scoreOf(load<u32>(at, 4), count));
  scores = f32x4.replace_lane(scores, 2, scoreOf(load<u32>(at, 8), count));
  return f32x4.replace_lane(scores, 3, scoreOf(load<u32>(at, 12), count));
}

/** Upper bounds of the scores of 16 documents: 0 if a document has none of the terms or is dead. */
export function boundsAt(doc: usize, grade: v128, count: u32): v128 {
  let sum = boundsOf(TALLIED, doc, grade);
  for (let term = TALLIED + TERM; term < TALLIED + <usize>(count * TERM); term += TERM)
    sum = i8x16.add_sat_u(sum, boundsOf(term, doc, grade));
  return sum;
}

function boundsOf(term: usize, doc: usize, grade: v128): v128 {
  const frequency = i8x16.min_u(v128.load(bytesOf(term) + doc), i8x16.splat(3));
  // An index with a high bit, as the grade of a dead document has, selects zero.
  return i8x16.relaxed_swizzle(v128.load(term, T_BOUNDS), i8x16.add(grade, frequency));
}

/** The sum of the terms' scores (see `scoring.ts`). */
function scoreOf(doc: usize, count: u32): f32 {
  const length = load<f32>(lengthsOf(0) + (doc << 2));
  const normed = load<f32>(H_SCORING, P_C0) + load<f32>(H_SCORING, P_C1) * length;
  let score: f32 = 0;
  for (let term = TALLIED; term < TALLIED + <usize>(count * TERM); term += TERM) {
    const frequency = <u32>load<u8>(bytesOf(term) + doc);
    if (frequency === 0) continue;
    const x = <f32>(frequency === LARGE ? load<u32>(<usize>load<u32>(term, T_RESTS) + (doc << 2)) : frequency);
    score += load<f32>(term, T_WEIGHT) * (x / (x + normed));
  }
  return score;
}
