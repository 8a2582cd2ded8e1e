// What tells the best documents of a query apart beside their scores: whether a document has all the words, how near each other, and
// whether its title, key or headings are made of them. The host weighs these features (see `src/search/inverted/rerank.ts`).
//
// The host describes words and candidates in B_INPUT, u32 each:
//
//     words, candidates
//     for each word: offset in the query, flags, its share of the query (f32), number of forms, forms; the first is the very form or 0
//     for each candidate: its ordinal
//
// Shares add up to 1. B_OUTPUT gets FEATURES x f32 for each candidate, each from 0 to 1; all are 0 for a document that is gone.

import { CURSOR, cursorAt, occurrencesIn, openCursor, positionsOf, readPositions, resetCursors, seekDocument } from './cursors.ts';
import { documentOf, lengthsOf } from './documents.ts';
import { H_LENGTH_SUM, H_LIVE_DOCS } from './layout.ts';
import { mergePositions } from './merging.ts';
import { B_CURSORS, B_INPUT, B_OUTPUT, B_RERANK_ORDER, B_RERANK_POSITIONS, B_RERANK_WORDS, buffer, reserve } from './scratch.ts';

// Features. COVERED, NEAR, ORDERED and FREQUENT are 0 for a query of one word.
/** Share of the words that the document has. */
const COVERED: usize = 0;
/** How near neighbours of the query stand in the nearest places, 1 / distance, and how near in their order, 1 / (1 + what lies between in excess). */
const NEAR: usize = 4;
const ORDERED: usize = 8;
/** Share of the words in the title; and times the share of the title that they are. */
const TITLE: usize = 12;
const WHOLE_TITLE: usize = 16;
/** The same as the latter of title and of key for words as they were typed. */
const EXACT_TITLE: usize = 20;
const EXACT_KEY: usize = 24;
/** Share of the words whose identifiers stand in the title or key as they were typed. */
const NAMED: usize = 28;
/** How often the words stand in the document, as BM25 has it. */
const FREQUENT: usize = 32;
export const FEATURES: u32 = 9;

// Flags of a word.
/** Nothing but signs stands between it and the next. */
const GLUED: u32 = 1;
/** It is, or is part of, an identifier. */
const IDENTIFIER: u32 = 2;

/** The usual parameters of BM25. */
const K1: f32 = 1.2;
const B: f32 = 0.75;

const TITLE_FIELD: u32 = 1;
const KEY_FIELD: u32 = 6;

// A word: offset, flags, share, forms, first cursor, address and number of positions, the same of those of the very form.
const WORD: u32 = 36;
const W_OFFSET: usize = 0;
const W_FLAGS: usize = 4;
const W_SHARE: usize = 8;
const W_FORMS: usize = 12;
const W_CURSOR: usize = 16;
const W_POSITIONS: usize = 20;
const W_COUNT: usize = 24;
const W_EXACT: usize = 28;
const W_EXACT_COUNT: usize = 32;

/** Works out the features of the candidates. */
export function features(): void {
  const words = inputAt(0);
  const count = inputAt(1);
  const ordinals = openWords(words);
  const order = orderByDocument(ordinals, count);
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

function inputAt(index: u32): u32 {
  return load<u32>(buffer(B_INPUT) + (<usize>index << 2));
}

function wordAt(index: u32): usize {
  return buffer(B_RERANK_WORDS) + <usize>index * WORD;
}

function shareOf(word: usize): f32 {
  return load<f32>(word, W_SHARE);
}

/** Opens cursors for the words' forms; gives where the candidates stand in the input. */
function openWords(words: u32): u32 {
  resetCursors();
  reserve(B_RERANK_WORDS, max(words, 1) * WORD);
  let at: u32 = 2;
  let cursor: u32 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const forms = inputAt(at + 3);
    reserve(B_CURSORS, (cursor + forms) * CURSOR);
    store<u32>(word, inputAt(at), W_OFFSET);
    store<u32>(word, inputAt(at + 1), W_FLAGS);
    store<u32>(word, inputAt(at + 2), W_SHARE);
    store<u32>(word, forms, W_FORMS);
    store<u32>(word, cursor, W_CURSOR);
    for (let j: u32 = 0; j < forms; j++) openCursor(cursor++, inputAt(at + 4 + j));
    at += 4 + forms;
  }
  return at;
}

/** The candidates' documents with their places, document << 32 | place, ascending: as cursors want them. */
function orderByDocument(ordinals: u32, count: u32): usize {
  const order = reserve(B_RERANK_ORDER, max(count, 2) * 8);
  for (let i: u32 = 0; i < count; i++) {
    const key = (<u64>documentOf(inputAt(ordinals + i)) << 32) | i;
    let at = order + (<usize>i << 3);
    for (; at > order && load<u64>(at - 8) > key; at -= 8) store<u64>(at, load<u64>(at - 8));
    store<u64>(at, key);
  }
  return order;
}

// ---- Positions of the words in a document --------------------------------------------------

function gather(words: u32, doc: u32): void {
  let positions: u32 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    let count: u32 = 0;
    for (let j: u32 = 0; j < load<u32>(word, W_FORMS); j++) {
      const cursor = cursorAt(load<u32>(word, W_CURSOR) + j);
      const there = seekDocument(cursor, doc);
      if (there > 0) readPositions(cursor);
      count += there;
    }
    store<u32>(word, count, W_COUNT);
    positions += count;
  }
  let to = reserve(B_RERANK_POSITIONS, max(positions * 8, 16));
  for (let i: u32 = 0; i < words; i++) to = mergeForms(wordAt(i), doc, to);
}

function mergeForms(word: usize, doc: u32, to: usize): usize {
  const first = cursorAt(load<u32>(word, W_CURSOR));
  const exact = occurrencesIn(first, doc);
  store<u32>(word, exact, W_EXACT_COUNT);
  store<u32>(word, <u32>(exact > 0 ? positionsOf(first) : 0), W_EXACT);
  if (exact === load<u32>(word, W_COUNT)) {
    store<u32>(word, load<u32>(word, W_EXACT), W_POSITIONS);
    return to;
  }
  let end = to;
  for (let j: u32 = 0; j < load<u32>(word, W_FORMS); j++) {
    const cursor = first + <usize>j * CURSOR;
    const count = occurrencesIn(cursor, doc);
    if (count > 0) end = mergePositions(to, end, positionsOf(cursor), count);
  }
  store<u32>(word, <u32>to, W_POSITIONS);
  return end;
}

// ---- Features ------------------------------------------------------------------------------

function describe(words: u32, doc: u32, to: usize): void {
  let inTitle: u32 = 0;
  let exactlyInTitle: u32 = 0;
  let exactlyInKey: u32 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const share = shareOf(word);
    const title = countIn(load<u32>(word, W_POSITIONS), load<u32>(word, W_COUNT), TITLE_FIELD);
    const exactTitle = countIn(load<u32>(word, W_EXACT), load<u32>(word, W_EXACT_COUNT), TITLE_FIELD);
    const exactKey = countIn(load<u32>(word, W_EXACT), load<u32>(word, W_EXACT_COUNT), KEY_FIELD);
    inTitle += title;
    exactlyInTitle += exactTitle;
    exactlyInKey += exactKey;
    if (words > 1 && load<u32>(word, W_COUNT) > 0) add(to, COVERED, share);
    if (title > 0) add(to, TITLE, share);
    if (exactTitle > 0) add(to, EXACT_TITLE, share);
    if (exactKey > 0) add(to, EXACT_KEY, share);
  }
  store<f32>(to, load<f32>(to, TITLE) * shareOfField(inTitle, doc, TITLE_FIELD), WHOLE_TITLE);
  store<f32>(to, load<f32>(to, EXACT_TITLE) * shareOfField(exactlyInTitle, doc, TITLE_FIELD), EXACT_TITLE);
  store<f32>(to, load<f32>(to, EXACT_KEY) * shareOfField(exactlyInKey, doc, KEY_FIELD), EXACT_KEY);
  describeNeighbours(words, to);
  if (words > 1) describeFrequencies(words, doc, to);
  describeIdentifiers(words, to);
}

function add(to: usize, feature: usize, amount: f32): void {
  store<f32>(to + feature, load<f32>(to + feature) + amount);
}

/** How much of a field so many of its tokens are; words of the same forms count twice, so it is 1 at most. */
function shareOfField(tokens: u32, doc: u32, field: u32): f32 {
  return tokens === 0 ? 0 : min<f32>(1, <f32>tokens / load<f32>(lengthsOf(field + 1) + (<usize>doc << 2)));
}

/** Positions in a plain field, of ascending ones; fields other than the content, which have few, stand at the end. */
function countIn(positions: usize, all: u32, field: u32): u32 {
  let count: u32 = 0;
  for (let at = positions + (<usize>all << 3); at > positions; at -= 8) {
    const its = <u32>(load<u64>(at - 8) >> 32);
    if (its < field) break;
    count += <u32>(its === field);
  }
  return count;
}

/** Each pair of words that follow each other in the query, by the mean of their shares. */
function describeNeighbours(words: u32, to: usize): void {
  let shares: f32 = 0;
  let near: f32 = 0;
  let ordered: f32 = 0;
  for (let i: u32 = 1; i < words; i++) {
    const first = wordAt(i - 1);
    const second = wordAt(i);
    const share = shareOf(first) + shareOf(second);
    shares += share;
    if (load<u32>(first, W_COUNT) === 0 || load<u32>(second, W_COUNT) === 0) continue;
    near += share * nearness(first, second, 0);
    ordered += share * nearness(first, second, load<u32>(second, W_OFFSET) - load<u32>(first, W_OFFSET));
  }
  if (shares === 0) return;
  store<f32>(to, near / shares, NEAR);
  store<f32>(to, ordered / shares, ORDERED);
}

/**
 * The largest of 1 / distance over occurrences of two words in one field; for a `wanted` distance, of 1 / (1 + the difference to it)
 * over those in order. Only occurrences next to each other can be the nearest.
 */
function nearness(first: usize, second: usize, wanted: u32): f32 {
  let a = <usize>load<u32>(first, W_POSITIONS);
  let b = <usize>load<u32>(second, W_POSITIONS);
  const endOfA = a + (<usize>load<u32>(first, W_COUNT) << 3);
  const endOfB = b + (<usize>load<u32>(second, W_COUNT) << 3);
  let least: u32 = u32.MAX_VALUE;
  while (a < endOfA && b < endOfB) {
    const one = load<u64>(a);
    const other = load<u64>(b);
    if (one >> 32 === other >> 32) {
      if (wanted === 0) {
        const distance = <u32>(one < other ? other - one : one - other);
        if (distance > 0) least = min(least, distance - 1);
      } else if (one < other) {
        const distance = <u32>(other - one);
        least = min(least, distance > wanted ? distance - wanted : wanted - distance);
      }
    }
    if (wanted === 0 && one === other) least = min(least, gapBehind(a, endOfA, other));
    if (least === 0) return 1;
    if (one < other) a += 8;
    else b += 8;
  }
  return least === u32.MAX_VALUE ? 0 : 1 / (1 + <f32>least);
}

function describeFrequencies(words: u32, doc: u32, to: usize): void {
  const average = <f32>(load<f64>(H_LENGTH_SUM) / <f64>load<u32>(H_LIVE_DOCS));
  const k: f32 = K1 * (1 - B + B * load<f32>(lengthsOf(0) + (<usize>doc << 2)) / max<f32>(average, 1));
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const count = <f32>load<u32>(word, W_COUNT);
    if (count > 0) add(to, FREQUENT, shareOf(word) * count / (count + k));
  }
}

/** Positions between one and the next larger of a list in its field; the largest number where there is none. */
function gapBehind(at: usize, end: usize, position: u64): u32 {
  while (at < end && load<u64>(at) === position) at += 8;
  return at < end && load<u64>(at) >> 32 === position >> 32 ? <u32>(load<u64>(at) - position) - 1 : u32.MAX_VALUE;
}

/** Runs of words that are glued to each other are one identifier, whose very forms have to follow each other. */
function describeIdentifiers(words: u32, to: usize): void {
  for (let start: u32 = 0; start < words;) {
    let end = start;
    let share: f32 = shareOf(wordAt(start));
    while (end + 1 < words && (load<u32>(wordAt(end), W_FLAGS) & GLUED) !== 0) share += shareOf(wordAt(++end));
    if ((load<u32>(wordAt(start), W_FLAGS) & IDENTIFIER) !== 0 && isNamed(start, end)) add(to, NAMED, share);
    start = end + 1;
  }
}

/** Whether the words stand one behind the other in title or key. */
function isNamed(start: u32, end: u32): bool {
  const word = wordAt(start);
  const from = <usize>load<u32>(word, W_EXACT);
  for (let at = from + (<usize>load<u32>(word, W_EXACT_COUNT) << 3); at > from; at -= 8) {
    const position = load<u64>(at - 8);
    const field = <u32>(position >> 32);
    if (field < TITLE_FIELD) return false;
    if (field !== TITLE_FIELD && field !== KEY_FIELD) continue;
    let next = start + 1;
    while (next <= end && standsAt(wordAt(next), position + (next - start))) next++;
    if (next > end) return true;
  }
  return false;
}

/** Whether the very form of a word stands at a position; halves. */
function standsAt(word: usize, position: u64): bool {
  const positions = <usize>load<u32>(word, W_EXACT);
  let low: u32 = 0;
  let high = load<u32>(word, W_EXACT_COUNT);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(positions + (<usize>middle << 3)) < position) low = middle + 1;
    else high = middle;
  }
  return low < load<u32>(word, W_EXACT_COUNT) && load<u64>(positions + (<usize>low << 3)) === position;
}
