// What tells the best documents of a query apart beside their scores: whether a document has all the words, how near each other, and
// whether its title, key or headings are made of them (see `features.ts`). The host weighs these features (see
// `src/search/inverted/rerank.ts`).
//
// The host describes words in B_INPUT, u32 each:
//
//     words, candidates (or the classes whose documents are looked at)
//     for each word: offset in the query, flags, its share of the query (f32), number of forms, forms; the first is the very form or 0
//     for each candidate: its ordinal
//
// Shares add up to 1. Factors of scores are remembered (`factors.ts`), as are positions (`places.ts`); those that are not are read from postings.

import { CURSOR, openCursor, resetCursors } from './cursors.ts';
import { classOf, documentOf } from './documents.ts';
import { findFactor, hashOfQuery, keepFactor, nameOf } from './factors.ts';
import { describe, FEATURES, W_COUNT, W_FLAGS, W_OFFSET, W_POSITIONS, W_SHARE, WORD, wordAt } from './features.ts';
import { countForms, gatherForms } from './gathering.ts';
import { findPlace, hashOfWord, keepPlace, positionsAt, readPlace } from './places.ts';
import {
  B_CURSORS, B_INPUT, B_OUTPUT, B_RERANK_FEATURES, B_RERANK_ORDER, B_RERANK_POSITIONS, B_RERANK_WEIGHTS, B_RERANK_WORDS, buffer, reserve,
} from './scratch.ts';
import { selectedCount } from './selecting.ts';
import { sort } from './sorting.ts';

// Of a word, beside what `features.ts` says: number of forms, where they stand in the input, first cursor, is it open?; what places know
// it by; the place in the document at hand.
const W_FORMS: usize = 20;
const W_INPUT: usize = 24;
const W_CURSOR: usize = 28;
const W_OPEN: usize = 32;
const W_HASH: usize = 36;
const W_PLACE: usize = 44;

/** Works out the features of the candidates: B_OUTPUT gets FEATURES x f32 for each, from 0 to 1; all are 0 for a document that is gone. */
export function features(): void {
  const words = inputAt(0);
  const count = inputAt(1);
  const ordinals = openWords(words);
  const order = reserve(B_RERANK_ORDER, max(count, 2) * 8);
  for (let i: u32 = 0; i < count; i++) store<u64>(order + (<usize>i << 3), (<u64>documentOf(inputAt(ordinals + i)) << 32) | i);
  sort(order, count);
  const output = reserve(B_OUTPUT, max(count * FEATURES * 4, 16));
  memory.fill(output, 0, <usize>(count * FEATURES) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(order + (<usize>i << 3));
    const doc = <u32>(key >> 32);
    if (doc === 0) continue;
    gather(words, doc);
    describe(words, doc, buffer(B_OUTPUT) + (<usize>(<u32>key * FEATURES) << 2));
  }
}

/**
 * Multiplies the scores of the first `most` documents that a selection has left in B_OUTPUT, as far as their classes are among those
 * of the input, by the square of 1 + the sum of their features, weighed by B_RERANK_WEIGHTS (f64 each). The order stays.
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
  const own = reserve(B_RERANK_FEATURES, FEATURES * 4);
  for (let i: u32 = 0; i < among; i++) {
    const key = load<u64>(order + (<usize>i << 3));
    const doc = <u32>(key >> 32);
    const name = nameOf(query, doc);
    let factor = findFactor(name);
    if (factor === 0) {
      memory.fill(own, 0, FEATURES << 2);
      gather(words, doc);
      describe(words, doc, own);
      factor = factorOf(own);
      keepFactor(name, factor);
    }
    const place = selectedAt(<u32>key);
    store<f32>(place, <f32>(<f64>load<f32>(place, 4) * factor), 4);
  }
}

/** What the factors are known by: the words, which end at a number of the input, and the weights, which are put behind them. */
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

/** Reads the words of the input; returns where they end there. */
function openWords(words: u32): u32 {
  resetCursors();
  reserve(B_RERANK_WORDS, max(words, 1) * WORD);
  let at: u32 = 2;
  let cursor: u32 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const forms = inputAt(at + 3);
    store<u32>(word, inputAt(at), W_OFFSET);
    store<u32>(word, inputAt(at + 1), W_FLAGS);
    store<u32>(word, inputAt(at + 2), W_SHARE);
    store<u32>(word, forms, W_FORMS);
    store<u32>(word, at + 4, W_INPUT);
    store<u32>(word, cursor, W_CURSOR);
    store<u32>(word, 0, W_OPEN);
    store<u64>(word, hashOfWord(buffer(B_INPUT) + (<usize>(at + 4) << 2), forms), W_HASH);
    cursor += forms;
    at += 4 + forms;
  }
  reserve(B_CURSORS, cursor * CURSOR);
  return at;
}

// ---- Positions of the words in a document, which is not before the one asked for last --------------

/** What a place is written with behind its positions, at most. */
const REST: u32 = 32;

function gather(words: u32, doc: u32): void {
  let positions: u32 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const place = findPlace(load<u64>(word, W_HASH), doc);
    const count = place === 0 ? seek(word, doc) : positionsAt(place);
    store<u32>(word, <u32>place, W_PLACE);
    store<u32>(word, count, W_COUNT);
    positions += count;
  }
  let to = reserve(B_RERANK_POSITIONS, positions * 8 + REST);
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    store<u32>(word, <u32>to, W_POSITIONS);
    const place = <usize>load<u32>(word, W_PLACE);
    if (place !== 0) readPlace(place, to);
    else gatherForms(load<u32>(word, W_CURSOR), load<u32>(word, W_FORMS), doc, to);
    to += <usize>load<u32>(word, W_COUNT) << 3;
  }
  // Only now: what is kept may take the room of what was found.
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    if (load<u32>(word, W_PLACE) === 0) keepPlace(load<u64>(word, W_HASH), doc, load<u32>(word, W_POSITIONS), load<u32>(word, W_COUNT));
  }
}

/** Moves the cursors of a word on to a document, and opens them when it is the first; returns the occurrences there. */
function seek(word: usize, doc: u32): u32 {
  const first = load<u32>(word, W_CURSOR);
  const forms = load<u32>(word, W_FORMS);
  if (load<u32>(word, W_OPEN) === 0) {
    for (let i: u32 = 0; i < forms; i++) openCursor(first + i, inputAt(load<u32>(word, W_INPUT) + i));
    store<u32>(word, 1, W_OPEN);
  }
  return countForms(first, forms, doc);
}
