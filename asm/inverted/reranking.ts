// Distinguishes the best documents of a query by more than their scores: whether a document has all the words, how near
// they are to each other, and whether its title, key or headings consist of them (see `features.ts`). The host weights
// these features (see `src/search/inverted/rerank.ts`).
//
// The host describes words in B_INPUT, u32 each:
//
//     words, candidates (or the classes whose documents are reranked), average length of all documents (f32)
// for each word: offset in the query, flags, its share of the query (f32), number of forms, forms; the first is the
// exact form or 0
//     for each candidate: its ordinal
//
// Shares add up to 1. Factors of scores are remembered (`factors.ts`), as are positions (`places.ts`); others are read
// from postings.
//
// Most of the time is spent on positions. They are read only in candidates that can be among the wanted results: how
// often and in which fields a candidate has the words limits its factor (`boundPlaces` of `features.ts`). The
// candidates with the best bounds are described completely, then those whose bounds reach the worst of the wanted
// scores so far.

import { closeBest, leastUpper, offerKey, openBest } from './best.ts';
import { findWord, openCandidates, postingsFound } from './candidates.ts';
import { classOf, documentOf, lengthsOf } from './documents.ts';
import { findFactor, hashOfQuery, keepFactor, nameOf } from './factors.ts';
import { boundPlaces, describe, describePlaces, FEATURES, W_AVERAGE, W_FLAGS, W_OFFSET, W_SHARE, WORD,
  wordAt } from './features.ts';
import { closeGathering, gatherWord, openGathering } from './gathering.ts';
import { hashOfWord } from './places.ts';
import { B_INPUT, B_OUTPUT, B_RERANK_BOUNDS, B_RERANK_FEATURES, B_RERANK_KEYS, B_RERANK_ORDER, B_RERANK_SCORES,
  B_RERANK_WEIGHTS, B_RERANK_WORDS, buffer, reserve } from './scratch.ts';
import { orderSelected, ORDINAL_BITS, selectedCount } from './selecting.ts';
import { sort } from './sorting.ts';

// Fields of a word beside those of `features.ts`: its first posting of `candidates.ts` and the end of them, number of
// forms, their place in the input, their key in `places.ts`.
const W_FIRST: usize = 12;
const W_END: usize = 16;
const W_FORMS: usize = 20;
const W_INPUT: usize = 24;
const W_HASH: usize = 32;

/**
 * Tokens of the candidates whose places are gathered together, unless one document has more; places take some bytes per
 * token.
 */
const TOKENS: f32 = 65_536;
/** At first, places are read in half as many candidates again as are wanted, but in at least this number (measured). */
const FIRST: u32 = 8;

/**
 * Computes the features of the candidates: B_OUTPUT gets FEATURES x f32 for each, from 0 to 1; all are 0 for a deleted
 * document.
 */
export function features(): void {
  const words = inputAt(0);
  const count = inputAt(1);
  const ordinals = openWords(words);
  const order = reserve(B_RERANK_ORDER, max(count, 2) * 8);
  let among: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const doc = documentOf(inputAt(ordinals + i));
    if (doc === 0) continue;
    store<u64>(order + (<usize>among << 3), (<u64>doc << 32) | i);
    among++;
  }
  sort(order, among);
  findWords(words, order, among);
  const all = reserve(B_RERANK_KEYS, max(among, 1) * 4);
  for (let c: u32 = 0; c < among; c++) {
    describe(words, c, documentIn(order, c), featuresAt(c));
    store<u32>(all + (<usize>c << 2), c);
  }
  describeSome(words, order, all, among);
  const output = reserve(B_OUTPUT, max(count * FEATURES * 4, 16));
  memory.fill(output, 0, <usize>(count * FEATURES) << 2);
  for (let c: u32 = 0; c < among; c++)
    memory.copy(output + (<usize>(indexIn(order, c) * FEATURES) << 2), featuresAt(c), FEATURES << 2);
}

/**
 * Multiplies the scores of the first `most` documents that a selection has left in B_OUTPUT, if their classes are among
 * those of the input, by the square of 1 + the weighted sum of their features; B_RERANK_WEIGHTS has the weights (f64
 * each, not negative). Scores of documents that are then not among the `wanted` best, or below `least`, may stay as
 * they are. The order stays.
 */
export function rerankSelected(most: u32, wanted: u32, least: f32): void {
  const words = inputAt(0);
  const classes = inputAt(1);
  const query = hashOfSelected(openWords(words));
  const count = min(selectedCount(), most);
  const order = reserve(B_RERANK_ORDER, max(count, 2) * 8);
  let among: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const doc = documentOf(load<u32>(selectedAt(i)));
    if (((classes >> classOf(doc)) & 1) === 0) continue;
    store<u64>(order + (<usize>among << 3), (<u64>doc << 32) | i);
    among++;
  }
  const floor = reinterpret<u32>(least);
  const unknown = multiplyKnown(query, order, among, wanted, floor);
  if (unknown === 0) return;
  sort(order, unknown);
  findWords(words, order, unknown);
  const left = boundEach(words, query, order, unknown);
  const keys = buffer(B_RERANK_KEYS);
  sort(keys, left);
  // All if they are too few to skip any, or if all are wanted.
  const first = floor > 0 ? 0 : wanted >= count ? left : min(left, max(wanted + (wanted >> 1), FIRST));
  multiplySome(words, query, order, keys + (<usize>(left - first) << 3), first);
  const bits = leastWanted(wanted, floor);
  let second: u32 = 0;
  for (let at = keys + (<usize>(left - first) << 3); at > keys && load<u32>(at - 8, 4) >= bits; at -= 8) second++;
  multiplySome(words, query, order, keys + (<usize>(left - first - second) << 3), second);
  for (let i: u32 = 0; i < left - first - second; i++) {
    const c = load<u32>(keys + (<usize>i << 3));
    keepFactor(nameOf(query, documentIn(order, c)), -boundOf(c));
  }
}

/**
 * Multiplies scores by the remembered factors. Leaves only the documents in the order that have none and may be among
 * the wanted ones, and returns their number.
 */
function multiplyKnown(query: u64, order: usize, count: u32, wanted: u32, floor: u32): u32 {
  const bounds = reserve(B_RERANK_BOUNDS, max(count, 1) * 8);
  let unknown: u32 = 0;
  let bounded: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(order + (<usize>i << 3));
    const factor = findFactor(nameOf(query, <u32>(key >> 32)));
    if (factor > 0) {
      multiply(<u32>key, factor);
      continue;
    }
    store<u64>(order + (<usize>unknown << 3), key);
    store<f64>(bounds + (<usize>unknown << 3), -factor);
    unknown++;
    bounded += <u32>(factor < 0);
  }
  return bounded === 0 ? unknown : leaveWanted(order, unknown, leastWanted(wanted, floor));
}

/**
 * Leaves only the documents in the order whose bounds reach the score, whose bits are `least`, or which have none;
 * returns their number.
 */
function leaveWanted(order: usize, count: u32, least: u32): u32 {
  let left: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(order + (<usize>i << 3));
    const bound = boundOf(i);
    if (bound > 0 && multipliedBits(<u32>key, bound) < least) continue;
    store<u64>(order + (<usize>left << 3), key);
    left++;
  }
  return left;
}

/**
 * The bits of the worst score of the `wanted` best so far, or of a smaller one, but at least `floor`. Scores that are
 * not multiplied are lower bounds.
 */
function leastWanted(wanted: u32, floor: u32): u32 {
  return wanted < selectedCount() ? max(floor, leastUpper(bestSelected(wanted))) : floor;
}

/**
 * Selects the `wanted` best of the selected documents, of which there are more, as keys of `selecting.ts`; returns the
 * address of the selection.
 */
function bestSelected(wanted: u32): usize {
  const best = openBest(B_RERANK_SCORES, 0, wanted, 0);
  for (let i: u32 = 0, count = selectedCount(); i < count; i++) {
    const key = load<u64>(selectedAt(i)) ^ ORDINAL_BITS;
    if (<u32>(key >> 32) >= leastUpper(best)) offerKey(best, key);
  }
  closeBest(best);
  return best;
}

/**
 * Sorts the `wanted` best of the documents that a selection has left by score, then by ordinal. The others are
 * forgotten.
 */
export function orderReranked(wanted: u32): void {
  const count = selectedCount();
  if (wanted >= count) return orderSelected(count);
  const keys = closeBest(bestSelected(wanted));
  sort(keys, wanted);
  for (let i: u32 = 0; i < wanted; i++)
    store<u64>(selectedAt(i), load<u64>(keys + (<usize>(wanted - 1 - i) << 3)) ^ ORDINAL_BITS);
}

/**
 * Computes the features of candidates that need no places. Multiplies the scores of those whose places do not matter.
 * For the others, B_RERANK_KEYS gets the bits of the largest possible score, and the candidate in the lower half;
 * returns their number.
 */
function boundEach(words: u32, query: u64, order: usize, count: u32): u32 {
  reserve(B_RERANK_KEYS, max(count, 2) * 8);
  let left: u32 = 0;
  for (let c: u32 = 0; c < count; c++) {
    const own = featuresAt(c);
    describe(words, c, documentIn(order, c), own);
    const factor = factorOf(own);
    const most = featuresAt(count);
    memory.copy(most, own, FEATURES << 2);
    boundPlaces(words, c, most);
    const bound = factorOf(most);
    if (bound === factor) {
      settle(query, order, c, factor);
      continue;
    }
    store<f64>(buffer(B_RERANK_BOUNDS) + (<usize>c << 3), bound);
    store<u64>(buffer(B_RERANK_KEYS) + (<usize>left << 3), (<u64>multipliedBits(indexIn(order, c), bound) << 32) | c);
    left++;
  }
  return left;
}

/**
 * Completes the features of some candidates, which are the lower halves of keys, and multiplies their scores.
 * Overwrites the keys.
 */
function multiplySome(words: u32, query: u64, order: usize, keys: usize, count: u32): void {
  if (count === 0) return;
  for (let i: usize = 0; i < <usize>count; i++) store<u32>(keys + (i << 2), load<u32>(keys + (i << 3)));
  describeSome(words, order, keys, count);
  for (let i: usize = 0; i < <usize>count; i++) {
    const c = load<u32>(keys + (i << 2));
    settle(query, order, c, factorOf(featuresAt(c)));
  }
}

function settle(query: u64, order: usize, c: u32, factor: f64): void {
  keepFactor(nameOf(query, documentIn(order, c)), factor);
  multiply(indexIn(order, c), factor);
}

function boundOf(c: u32): f64 {
  return load<f64>(buffer(B_RERANK_BOUNDS) + (<usize>c << 3));
}

function documentIn(order: usize, c: u32): u32 {
  return load<u32>(order + (<usize>c << 3), 4);
}

/** Index of a candidate in the selection, or in the input. */
function indexIn(order: usize, c: u32): u32 {
  return load<u32>(order + (<usize>c << 3));
}

function multiply(index: u32, factor: f64): void {
  store<u32>(selectedAt(index), multipliedBits(index, factor), 4);
}

/** The bits of a score multiplied by a factor; those of larger scores are larger. */
function multipliedBits(index: u32, factor: f64): u32 {
  return reinterpret<u32>(<f32>(<f64>load<f32>(selectedAt(index), 4) * factor));
}

/**
 * The key of the factors: a hash of the words, which end at a number of the input, and of the weights, which are
 * written behind them.
 */
function hashOfSelected(end: u32): u64 {
  const bytes = FEATURES << 3;
  const words = reserve(B_INPUT, (end << 2) + bytes);
  const behind = words + (<usize>end << 2);
  memory.copy(behind, buffer(B_RERANK_WEIGHTS), bytes);
  return hashOfQuery(words + 8, behind + bytes);
}

function factorOf(own: usize): f64 {
  const weights = buffer(B_RERANK_WEIGHTS);
  let sum: f64 = 1;
  for (let i: usize = 0; i < FEATURES; i++) sum += load<f64>(weights + (i << 3)) * <f64>load<f32>(own + (i << 2));
  return sum * sum;
}

function selectedAt(index: u32): usize {
  return buffer(B_OUTPUT) + (<usize>index << 3);
}

function inputAt(index: u32): u32 {
  return load<u32>(buffer(B_INPUT) + (<usize>index << 2));
}

/** Reads the words of the input; returns the number of the input behind them. */
function openWords(words: u32): u32 {
  reserve(B_RERANK_WORDS, max(words, 1) * WORD);
  let at: u32 = 3;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const forms = inputAt(at + 3);
    store<u32>(word, inputAt(at), W_OFFSET);
    store<u32>(word, inputAt(at + 1), W_FLAGS);
    store<u32>(word, inputAt(at + 2), W_SHARE);
    store<u32>(word, inputAt(2), W_AVERAGE);
    store<u32>(word, forms, W_FORMS);
    store<u32>(word, at + 4, W_INPUT);
    store<u64>(word, hashOfWord(buffer(B_INPUT) + (<usize>(at + 4) << 2), forms), W_HASH);
    at += 4 + forms;
  }
  return at;
}

// ---- Candidates, ascending, in the upper halves of u64 ---------------------------------------

/** Finds the words in the candidates, whose features become 0; behind them is space for nine more. */
function findWords(words: u32, order: usize, count: u32): void {
  memory.fill(reserve(B_RERANK_FEATURES, (count + 1) * FEATURES * 4), 0, <usize>((count + 1) * FEATURES) << 2);
  openCandidates(words, order, count);
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    store<u32>(word, postingsFound(), W_FIRST);
    findWord(i, load<u32>(word, W_FORMS), load<u32>(word, W_INPUT));
    store<u32>(word, postingsFound(), W_END);
  }
}

/** Computes the features of some candidates, u32 each, that need places. */
function describeSome(words: u32, order: usize, some: usize, count: u32): void {
  for (let from: u32 = 0; from < count;) {
    const together = countTogether(order, some, from, count);
    const first = some + (<usize>from << 2);
    openGathering();
    for (let i: u32 = 0; i < words; i++) {
      const word = wordAt(i);
      gatherWord(i, load<u64>(word, W_HASH), load<u32>(word, W_FIRST), load<u32>(word, W_END), first, together);
    }
    for (let i: u32 = 0; i < together; i++) {
      const c = load<u32>(first + (<usize>i << 2));
      describePlaces(words, c, featuresAt(c));
    }
    from += together;
  }
  closeGathering();
}

/** How many of some candidates from one on are processed together. */
function countTogether(order: usize, some: usize, from: u32, count: u32): u32 {
  let tokens: f32 = 0;
  let end = from;
  for (; end < count && (end === from || tokens < TOKENS); end++)
    tokens += load<f32>(lengthsOf(0) + (<usize>documentIn(order, load<u32>(some + (<usize>end << 2))) << 2));
  return end - from;
}

function featuresAt(c: u32): usize {
  return buffer(B_RERANK_FEATURES) + (<usize>(c * FEATURES) << 2);
}
