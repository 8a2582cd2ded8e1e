// Distinguishes the best documents of a query by more than their scores: whether a document has all the words, how near they are to each
// other, and whether its title, key or headings consist of them (see `features.ts`). The host weights these features (see
// `src/search/inverted/rerank.ts`).
//
// The host describes words in B_INPUT, u32 each:
//
//     words, candidates (or the classes whose documents are reranked)
//     for each word: offset in the query, flags, its share of the query (f32), number of forms, forms; the first is the exact form or 0
//     for each candidate: its ordinal
//
// Shares add up to 1. Factors of scores are remembered (`factors.ts`), as are positions (`places.ts`); others are read from postings.

import { classOf, documentOf, lengthsOf } from './documents.ts';
import { findFactor, hashOfQuery, keepFactor, nameOf } from './factors.ts';
import { describe, FEATURES, W_COUNT, W_FLAGS, W_OFFSET, W_POSITIONS, W_SHARE, WORD, wordAt } from './features.ts';
import { closeGathering, countGathered, gathered, gatherWord, keepWord, openGathering } from './gathering.ts';
import { hashOfWord } from './places.ts';
import { B_INPUT, B_OUTPUT, B_RERANK_FEATURES, B_RERANK_ORDER, B_RERANK_WEIGHTS, B_RERANK_WORDS, buffer, reserve } from './scratch.ts';
import { selectedCount } from './selecting.ts';
import { sort } from './sorting.ts';

// Fields of a word beside those of `features.ts`: number of forms, their place in the input, their key in `places.ts`.
const W_FORMS: usize = 20;
const W_INPUT: usize = 24;
const W_HASH: usize = 32;

/** Tokens of the candidates that are processed together, unless one document has more; the positions take some bytes per token. */
const TOKENS: f32 = 65_536;

/** Computes the features of the candidates: B_OUTPUT gets FEATURES x f32 for each, from 0 to 1; all are 0 for a deleted document. */
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
  describeEach(words, order, among);
  const output = reserve(B_OUTPUT, max(count * FEATURES * 4, 16));
  memory.fill(output, 0, <usize>(count * FEATURES) << 2);
  for (let i: u32 = 0; i < among; i++) memory.copy(output + (<usize>(load<u32>(order + (<usize>i << 3)) * FEATURES) << 2), featuresAt(i), FEATURES << 2);
}

/**
 * Multiplies the scores of the first `most` documents that a selection has left in B_OUTPUT, if their classes are among those
 * of the input, by the square of 1 + the weighted sum of their features; B_RERANK_WEIGHTS has the weights (f64 each). The order stays.
 */
export function rerankSelected(most: u32): void {
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
  sort(order, among);
  const unknown = multiplyKnown(query, order, among);
  describeEach(words, order, unknown);
  for (let i: u32 = 0; i < unknown; i++) {
    const key = load<u64>(order + (<usize>i << 3));
    const factor = factorOf(featuresAt(i));
    keepFactor(nameOf(query, <u32>(key >> 32)), factor);
    multiply(<u32>key, factor);
  }
}

/** Multiplies scores by the remembered factors. Leaves only the documents without one in the order, and returns their number. */
function multiplyKnown(query: u64, order: usize, count: u32): u32 {
  let unknown: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(order + (<usize>i << 3));
    const factor = findFactor(nameOf(query, <u32>(key >> 32)));
    if (factor !== 0) {
      multiply(<u32>key, factor);
    } else {
      store<u64>(order + (<usize>unknown << 3), key);
      unknown++;
    }
  }
  return unknown;
}

function multiply(index: u32, factor: f64): void {
  const place = selectedAt(index);
  store<f32>(place, <f32>(<f64>load<f32>(place, 4) * factor), 4);
}

/** The key of the factors: a hash of the words, which end at a number of the input, and of the weights, which are written behind them. */
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
  let at: u32 = 2;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const forms = inputAt(at + 3);
    store<u32>(word, inputAt(at), W_OFFSET);
    store<u32>(word, inputAt(at + 1), W_FLAGS);
    store<u32>(word, inputAt(at + 2), W_SHARE);
    store<u32>(word, forms, W_FORMS);
    store<u32>(word, at + 4, W_INPUT);
    store<u64>(word, hashOfWord(buffer(B_INPUT) + (<usize>(at + 4) << 2), forms), W_HASH);
    at += 4 + forms;
  }
  return at;
}

// ---- Candidates, ascending, in the upper halves of u64 ---------------------------------------

/** Computes the features of candidates: B_RERANK_FEATURES gets FEATURES x f32 for each. */
function describeEach(words: u32, order: usize, count: u32): void {
  memory.fill(reserve(B_RERANK_FEATURES, max(count, 1) * FEATURES * 4), 0, <usize>(count * FEATURES) << 2);
  for (let from: u32 = 0; from < count;) {
    const some = countSome(order, from, count);
    openGathering(words, order + (<usize>from << 3), some);
    for (let i: u32 = 0; i < words; i++) gatherWord(i, load<u64>(wordAt(i), W_HASH), load<u32>(wordAt(i), W_FORMS), load<u32>(wordAt(i), W_INPUT));
    for (let c: u32 = 0; c < some; c++) {
      for (let i: u32 = 0; i < words; i++) {
        store<u32>(wordAt(i), <u32>gathered(i, c), W_POSITIONS);
        store<u32>(wordAt(i), countGathered(i, c), W_COUNT);
      }
      describe(words, load<u32>(order + (<usize>(from + c) << 3), 4), featuresAt(from + c));
    }
    for (let i: u32 = 0; i < words; i++) keepWord(i, load<u64>(wordAt(i), W_HASH));
    from += some;
  }
  closeGathering();
}

/** How many candidates from one on are processed together. */
function countSome(order: usize, from: u32, count: u32): u32 {
  let tokens: f32 = 0;
  let end = from;
  for (; end < count && (end === from || tokens < TOKENS); end++) tokens += load<f32>(lengthsOf(0) + (<usize>load<u32>(order + (<usize>end << 3), 4) << 2));
  return end - from;
}

function featuresAt(index: u32): usize {
  return buffer(B_RERANK_FEATURES) + (<usize>(index * FEATURES) << 2);
}
