// Scores of a term, or of a group of forms that counts as one, for every document that has it.
//
// The frequency x of a term in a document is the number of its occurrences in the fields that count, for BM25F the sum
// of w_f * tf_f / (1 - b + b * len_f / avglen_f) over them, and for TF-IDF the x of `sublinear.ts`. Forms of a group
// may have weights below 1. With W, which the host computes from the term's inverse document frequency, the score is
//
//     BM25     W * x / (x + k1 * (1 - b + b * len / avglen))      Robertson and Zaragoza, 2009; W = idf * (k1 + 1)
//     TF-IDF   W * x
//     BM25F    W * x / (k1 + x)
//
// so only divisions by a document's own length remain here. A dead document's length is infinite, which makes its score
// 0; a score of 0 means "no match" for a single term. Documents of classes that are not allowed also get 0, after they
// have been counted for the document frequency. The weight is multiplied last, as it is with remembered impacts (see
// `lists/`), so that both ways have bit-identical results.

import { isDead, isExcluded, lengthsOf } from './documents.ts';
import { BLOCK, DOCS, FREQUENCIES, H_DOCS, H_EXCLUDED, H_SCORING, SCORES, WEIGHTS } from './layout.ts';
import { bitmapBytes, bitsOf, hasBit, hasBitBetween, keepBits, scoresOf, setBit } from './levels.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, isCurrent, readChunk } from './reading.ts';
import { recordOf } from './records.ts';
import { B_KEPT_BITS, B_SUM_BITS, B_SUMS, buffer } from './scratch.ts';
import { sumByField, takeFrequency } from './sublinear.ts';
import { BM25F, lengthThatCounts, P_ALGORITHM, P_ALIKE, P_C0, P_C1, TF_IDF, weigh } from './weighing.ts';

// What happens to a score.
/** Added to the level's scores; the bits are not changed. */
export const ADD: u32 = 0;
/** Added, and the document matches. */
export const MATCH: u32 = 1;
/** Added to documents that match already; `finishRequire` then drops those that had no score. */
export const REQUIRE: u32 = 2;

/** Scores a single form for which the host knows the number of documents in the fields that count; not for TF-IDF. */
export function scoreForm(form: u32, level: u32, action: u32, weight: f32): void {
  assert(load<u32>(H_SCORING, P_ALGORITHM) !== TF_IDF, 'a form alone');
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    if (action === REQUIRE && chunk < blocks && !mayMatch(blockAt(record, chunk), bitsOf(level))) continue;
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    weigh(form, chunk, count, 1);
    score(count, weight);
    if (action === ADD) add(count, scoresOf(level));
    else if (action === MATCH) addAndMatch(count, level);
    else addToMatches(count, level);
  }
}

/** Drops the documents of a level that no term scored with REQUIRE since the last call has matched. */
export function finishRequire(level: u32): void {
  const kept = buffer(B_KEPT_BITS);
  keepBits(level, kept, false);
  memory.fill(kept, 0, bitmapBytes());
}

/** Adds a form to the group that is being summed. Returns how many documents the group has gained. */
export function sumForm(form: u32, weight: f32): u32 {
  if (load<u32>(H_SCORING, P_ALGORITHM) === TF_IDF) return sumByField(form, weight);
  const sums = buffer(B_SUMS);
  const bits = buffer(B_SUM_BITS);
  let gained: u32 = 0;
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    weigh(form, chunk, count, weight);
    for (let i: usize = 0; i < <usize>count << 2; i += 4) {
      const doc = load<u32>(DOCS + i);
      const amount = load<f32>(WEIGHTS + i);
      if (amount === 0 || isDead(doc)) continue;
      const place = sums + (<usize>doc << 2);
      const sum = load<f32>(place);
      if (sum === 0) {
        gained++;
        setBit(bits, doc);
      }
      store<f32>(place, sum + amount);
    }
  }
  return gained;
}

/** Scores the group that was summed and empties it. */
export function scoreGroup(level: u32, action: u32, weight: f32): void {
  const sums = buffer(B_SUMS);
  const bits = buffer(B_SUM_BITS);
  const byField = load<u32>(H_SCORING, P_ALGORITHM) === TF_IDF;
  const bytes = bitmapBytes();
  let count: u32 = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const set = load<u64>(bits + at);
    if (set === 0) continue;
    store<u64>(bits + at, 0);
    for (let left = set; left !== 0; left &= left - 1) {
      const doc = <u32>((at << 3) + <usize>ctz(left));
      store<u32>(DOCS + (<usize>count << 2), doc);
      const sum = sums + (<usize>doc << 2);
      store<f32>(WEIGHTS + (<usize>count << 2), byField ? takeFrequency(doc) : load<f32>(sum));
      store<f32>(sum, 0);
      if (++count === BLOCK) {
        finishGroupChunk(count, level, action, weight);
        count = 0;
      }
    }
  }
  finishGroupChunk(count, level, action, weight);
}

function finishGroupChunk(count: u32, level: u32, action: u32, weight: f32): void {
  score(count, weight);
  if (action === ADD) add(count, scoresOf(level));
  else if (action === MATCH) addAndMatch(count, level);
  else addToMatches(count, level);
}

// ---- Groups that many documents have: sums without bits, and passes over all documents -------

export function sumFormDensely(form: u32, weight: f32): void {
  const sums = buffer(B_SUMS);
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    weigh(form, chunk, count, weight);
    for (let i: usize = 0; i < <usize>count << 2; i += 4) {
      const place = sums + (<usize>load<u32>(DOCS + i) << 2);
      store<f32>(place, load<f32>(place) + load<f32>(WEIGHTS + i));
    }
  }
}

export function countSums(): u32 {
  const sums = buffer(B_SUMS);
  const lengths = lengthsOf(0);
  const end = <usize>load<u32>(H_DOCS) << 2;
  const infinite = f32x4.splat(f32.POSITIVE_INFINITY);
  const zero = f32x4.splat(0);
  let found = i32x4.splat(0);
  // The arrays have space for whole vectors, and unused documents have no sums.
  for (let at: usize = 0; at < end; at += 16) {
    found = i32x4.sub(found,
      v128.and(f32x4.ne(v128.load(sums + at), zero), f32x4.ne(v128.load(lengths + at), infinite)));
  }
  return <u32>(i32x4.extract_lane(found, 0) + i32x4.extract_lane(found, 1) + i32x4.extract_lane(found, 2) +
    i32x4.extract_lane(found, 3));
}

/**
 * Adds the scores of the group that was summed densely to level 0 and empties the group. Only for BM25 if all fields
 * count, or for BM25F, and if all classes are allowed.
 */
export function scoreSums(weight: f32): void {
  assert(load<u32>(H_EXCLUDED) === 0, 'a class that is not allowed');
  const algorithm = load<u32>(H_SCORING, P_ALGORITHM);
  const sums = buffer(B_SUMS);
  const scores = scoresOf(0);
  const lengths = lengthsOf(0);
  const end = <usize>load<u32>(H_DOCS) << 2;
  const zero = f32x4.splat(0);
  assert(algorithm !== TF_IDF, 'frequencies by field');
  const c0 = f32x4.splat(load<f32>(H_SCORING, P_C0));
  const c1 = f32x4.splat(load<f32>(H_SCORING, P_C1));
  const weights = f32x4.splat(weight);
  for (let at: usize = 0; at < end; at += 16) {
    const x = v128.load(sums + at);
    const some = f32x4.ne(x, zero);
    if (!v128.any_true(some)) continue;
    // A dead document's length is infinite; for BM25F, whose sums are zero then, it must not be multiplied by c1 = 0.
    const normed = algorithm === BM25F ? c0 : f32x4.add(c0, f32x4.mul(c1, v128.load(lengths + at)));
    const score = f32x4.mul(weights, f32x4.div(x, f32x4.add(x, normed)));
    v128.store(scores + at, f32x4.add(v128.load(scores + at), v128.and(score, some)));
    v128.store(sums + at, zero);
  }
}

/** Whether a block may have a document with a bit. A block of the current epoch stores its first and last document. */
function mayMatch(block: usize, bits: usize): bool {
  return !isCurrent(block) || hasBitBetween(bits, load<u32>(block, 4), load<u32>(block));
}

// ---- Scores --------------------------------------------------------------------------------

function score(count: u32, weight: f32): void {
  scoreEach(count, weight);
  if (load<u32>(H_EXCLUDED) === 0) return;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) if (isExcluded(load<u32>(DOCS + i))) store<f32>(SCORES + i, 0);
}

/** Computes SCORES from WEIGHTS, for documents of any class. */
export function scoreEach(count: u32, weight: f32): void {
  const algorithm = load<u32>(H_SCORING, P_ALGORITHM);
  if (algorithm === TF_IDF) return scale(count, weight);
  if (algorithm === BM25F) return saturate(count, weight);
  if (load<u32>(H_SCORING, P_ALIKE) === 0) return scoreSomeFields(count, weight);
  const lengths = lengthsOf(0);
  const c0 = load<f32>(H_SCORING, P_C0);
  const c1 = load<f32>(H_SCORING, P_C1);
  const c0s = f32x4.splat(c0);
  const c1s = f32x4.splat(c1);
  const weights = f32x4.splat(weight);
  const whole = <usize>(count & ~3) << 2;
  let i: usize = 0;
  for (; i < whole; i += 16) {
    const x = v128.load(WEIGHTS + i);
    let length = v128.load32_zero(lengths + (<usize>load<u32>(DOCS + i) << 2));
    length = f32x4.replace_lane(length, 1, load<f32>(lengths + (<usize>load<u32>(DOCS + i, 4) << 2)));
    length = f32x4.replace_lane(length, 2, load<f32>(lengths + (<usize>load<u32>(DOCS + i, 8) << 2)));
    length = f32x4.replace_lane(length, 3, load<f32>(lengths + (<usize>load<u32>(DOCS + i, 12) << 2)));
    const below = f32x4.add(x, f32x4.add(c0s, f32x4.mul(c1s, length)));
    v128.store(SCORES + i, f32x4.mul(weights, f32x4.div(x, below)));
  }
  for (; i < <usize>count << 2; i += 4) {
    const x = load<f32>(WEIGHTS + i);
    const length = load<f32>(lengths + (<usize>load<u32>(DOCS + i) << 2));
    store<f32>(SCORES + i, weight * (x / (x + (c0 + c1 * length))));
  }
}

function scale(count: u32, weight: f32): void {
  const weights = f32x4.splat(weight);
  for (let i: usize = 0; i < <usize>count << 2; i += 16)
    v128.store(SCORES + i, f32x4.mul(weights, v128.load(WEIGHTS + i)));
}

function saturate(count: u32, weight: f32): void {
  const k1 = f32x4.splat(load<f32>(H_SCORING, P_C0));
  const weights = f32x4.splat(weight);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    const x = v128.load(WEIGHTS + i);
    v128.store(SCORES + i, f32x4.mul(weights, f32x4.div(x, f32x4.add(k1, x))));
  }
}

/** The same, with the sum over the fields that count as the length. */
function scoreSomeFields(count: u32, weight: f32): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const x = load<f32>(WEIGHTS + i);
    let result: f32 = 0;
    if (x > 0) {
      const length = lengthThatCounts(load<u32>(DOCS + i));
      result = weight * (x / (x + (load<f32>(H_SCORING, P_C0) + load<f32>(H_SCORING, P_C1) * length)));
    }
    store<f32>(SCORES + i, result);
  }
}

// ---- What happens to them ------------------------------------------------------------------

function add(count: u32, scores: usize): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const place = scores + (<usize>load<u32>(DOCS + i) << 2);
    store<f32>(place, load<f32>(place) + load<f32>(SCORES + i));
  }
}

function addAndMatch(count: u32, level: u32): void {
  const scores = scoresOf(level);
  const bits = bitsOf(level);
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const amount = load<f32>(SCORES + i);
    if (amount === 0) continue;
    const doc = load<u32>(DOCS + i);
    const place = scores + (<usize>doc << 2);
    store<f32>(place, load<f32>(place) + amount);
    setBit(bits, doc);
  }
}

function addToMatches(count: u32, level: u32): void {
  const scores = scoresOf(level);
  const bits = bitsOf(level);
  const kept = buffer(B_KEPT_BITS);
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const amount = load<f32>(SCORES + i);
    const doc = load<u32>(DOCS + i);
    if (amount === 0 || !hasBit(bits, doc)) continue;
    const place = scores + (<usize>doc << 2);
    store<f32>(place, load<f32>(place) + amount);
    setBit(kept, doc);
  }
}
