// Phrases and proximity. The level has the documents with all the words; this code reads the
// positions in each, and drops those that do not have the words as requested.
//
// The host describes the words in B_INPUT, u32 each:
//
//     words, exact?, least span, most extra, number of forms in all
//     for each word: offset (exact) or its wanted count (otherwise), number of forms, forms
//
// or, with 0 as the number of forms in all, for each word: offset or wanted count, cached list with positions.
//
// Exact: each word occurs at its offset from a common position. Otherwise the code searches for a window that has
// every word as often as wanted, in any order. The window's span is last - first position; its extra is the span minus
// the least span; the score of the document is multiplied by 1 / (1 + extra).

import { isDead } from './documents.ts';
import { closeKept, openKept } from './kept-chunks.ts';
import { bitmapBytes, bitsOf, scoresOf } from './levels.ts';
import { documentMask, documentsOf, wordsOf } from './lists/list.ts';
import { positionsAt, widenPositions } from './lists/positions.ts';
import { seek } from './lists/scoring.ts';
import { forgetNoted } from './noted-postings.ts';
import { closeOccurrences, countFound, findForm, findRemaining, openOccurrences,
  positionsFound } from './occurrences.ts';
import { candidateAt, candidateCount, closeChoice, forgetCandidates, openCandidates } from './phrase-candidates.ts';
import { certainAt, certainCount, decide } from './phrase-decisions.ts';
import { addMatch, forgetMatches } from './phrase-matches.ts';
import { findLastWord, forgetMarks, markWord } from './phrase-words.ts';
import { R_DOCUMENTS, recordOf } from './records.ts';
import { B_INPUT, B_MERGE, B_OFFSETS, B_OUTPUT, buffer, reserve } from './scratch.ts';
import { mayHaveDead } from './word-forms.ts';

const NONE: u32 = 0xffffffff;
const NOWHERE: u64 = u64.MAX_VALUE;
/** With more postings of the rarest word, too much would have to be noted about all candidates at once. */
const MOST_POSTINGS: u64 = 1 << 17;

/**
 * A word in the current document: offset or count, address and number of positions, next position, its count in the
 * window, list, place in it.
 */
const WORD: u32 = 28;
const W_WANTED: usize = 0;
const W_POSITIONS: usize = 4;
const W_COUNT: usize = 8;
const W_NEXT: usize = 12;
const W_INSIDE: usize = 16;
const W_LIST: usize = 20;
const W_PLACE: usize = 24;

const B_WORDS: u32 = B_MERGE;
const B_MERGED: u32 = B_MERGE + 1;
const B_WINDOW: u32 = B_MERGE + 2;

/**
 * Drops the documents of a level that lack the phrase, and reduces scores of loose matches. If it is exact, documents
 * may have no scores yet.
 */
export function keepPhrase(level: u32, scored: bool): void {
  const scores: usize = scored ? scoresOf(level) : 0;
  reserve(B_WORDS, max(inputAt(0), 1) * WORD);
  if (inputAt(4) !== 0) keepByForms(bitsOf(level), scores);
  else keepByLists(bitsOf(level), scores);
  closeKept();
}

function keepByForms(bits: usize, scores: usize): void {
  const bytes = bitmapBytes();
  const exact = isExact();
  for (let at: usize = 0; at < bytes;) {
    openOccurrences();
    at = find(bits, at, exact);
    if (exact) {
      sift(bits, scores);
      findRemaining();
    }
    const count = candidateCount();
    for (let rank: u32 = 0; rank < count; rank++) keepOrDrop(candidateAt(rank), gatherFound(rank), bits, scores);
  }
  closeOccurrences();
}

/**
 * Finds the documents that have an exact phrase, for `selectPhrase` or `scorePhrase`, and writes to B_OUTPUT in how
 * many live documents each of its words occurs, u32 each. Returns whether it did: it does not if the rarest word has no
 * postings or too many. At most 32 words.
 */
export function findPhrase(): bool {
  const words = inputAt(0);
  const most = postingsAt(nextWord(words, 0));
  if (most === 0 || most > MOST_POSTINGS) return false;
  reserve(B_WORDS, words * WORD);
  openKept();
  openOccurrences();
  forgetNoted();
  forgetMatches();
  forgetCandidates(<u32>most, words);
  readWords(words);
  forgetMarks();
  sift(0, 0);
  findRemaining();
  const dead = mayHaveDead();
  for (let i: u32 = 0, count = certainCount(); i < count; i++) {
    const certain = certainAt(i);
    const doc = load<u32>(certain);
    if (dead && isDead(doc)) continue;
    const occurrences = addMatch(doc, words);
    for (let at: usize = 0; at < <usize>words << 2; at += 4) store<u32>(occurrences + at, load<u32>(certain + at, 4));
  }
  for (let rank: u32 = 0, count = candidateCount(); rank < count; rank++) {
    if (!gatherFound(rank) || !hasExact() || (dead && isDead(candidateAt(rank)))) continue;
    const occurrences = addMatch(candidateAt(rank), words);
    for (let i: u32 = 0; i < words; i++) store<u32>(occurrences + (<usize>i << 2), load<u32>(wordAt(i), W_COUNT));
  }
  closeOccurrences();
  closeKept();
  return true;
}

/** Reads the words from the rarest to the most frequent one, and then finds the others in the candidates. */
function readWords(words: u32): void {
  const documents = reserve(B_OUTPUT, words << 2);
  let read: u32 = 0;
  let last: u32 = 0;
  for (let order: u32 = 0; order < words; order++) {
    last = nextWord(words, read);
    read |= 1 << last;
    const at = placeOf(last);
    const forms = buffer(B_INPUT) + (<usize>(at + 2) << 2);
    store<u32>(wordAt(last), inputAt(at), W_WANTED);
    store<u32>(documents + (<usize>last << 2),
      order < words - 1 ? markWord(forms, inputAt(at + 1), order === 0) : findLastWord(forms, inputAt(at + 1), last));
  }
  for (let i: u32 = 0; i < words; i++) if (i !== last) findWord(i, placeOf(i), 0, 0, u32.MAX_VALUE, true);
}

/** The rarest of the words that are not read yet. */
function nextWord(words: u32, read: u32): u32 {
  let rarest: u32 = 0;
  let least = NOWHERE;
  for (let i: u32 = 0; i < words; i++) {
    const postings = ((read >> i) & 1) === 0 ? postingsAt(i) : NOWHERE;
    if (postings >= least) continue;
    least = postings;
    rarest = i;
  }
  return rarest;
}

/** Postings of the forms of a word. */
function postingsAt(word: u32): u64 {
  const at = placeOf(word);
  let postings: u64 = 0;
  for (let i: u32 = 0; i < inputAt(at + 1); i++) postings += load<u32>(recordOf(inputAt(at + 2 + i)), R_DOCUMENTS);
  return postings;
}

/** Index in the input of what describes a word by its forms. */
function placeOf(word: u32): u32 {
  let at: u32 = 5;
  for (let i: u32 = 0; i < word; i++) at += 2 + inputAt(at + 1);
  return at;
}

function keepByLists(bits: usize, scores: usize): void {
  const bytes = bitmapBytes();
  openLists();
  for (let at: usize = 0; at < bytes; at += 8) {
    for (let left = load<u64>(bits + at); left !== 0; left &= left - 1) {
      const doc = <u32>((at << 3) + <usize>ctz(left));
      keepOrDrop(doc, gatherFromLists(doc), bits, scores);
    }
  }
}

/** Decides about a document whose positions were gathered, if it has all words. `scores` is 0 if there are none yet. */
function keepOrDrop(doc: u32, hasAll: bool, bits: usize, scores: usize): void {
  const extra = !hasAll ? NONE : isExact() ? <u32>(hasExact() ? 0 : NONE) : leastExtra();
  if (extra === NONE) return drop(doc, bits, scores);
  if (extra === 0) return;
  assert(scores !== 0, 'a loose match without a score');
  const place = scores + (<usize>doc << 2);
  store<f32>(place, load<f32>(place) / (1 + <f32>extra));
}

function drop(doc: u32, bits: usize, scores: usize): void {
  const word = bits + (<usize>(doc >> 6) << 3);
  store<u64>(word, load<u64>(word) & ~(<u64>1 << <u64>(doc & 63)));
  if (scores !== 0) store<f32>(scores + (<usize>doc << 2), 0);
}

function isExact(): bool {
  return inputAt(1) !== 0;
}

function inputAt(index: u32): u32 {
  return load<u32>(buffer(B_INPUT) + (<usize>index << 2));
}

function wordAt(index: u32): usize {
  return buffer(B_WORDS) + <usize>index * WORD;
}

/** Decides about candidates by what is noted about them. Drops scores unless `scores` is 0. */
function sift(bits: usize, scores: usize): void {
  const words = inputAt(0);
  const offsets = reserve(B_OFFSETS, words << 2);
  for (let i: u32 = 0; i < words; i++) store<u32>(offsets + (<usize>i << 2), load<u32>(wordAt(i), W_WANTED));
  decide(offsets, bits, scores);
}

/**
 * Makes candidates of some documents of a bitmap, from a byte on, and finds the places of the words there, or only
 * their remainders if `roughly` is set. Returns the byte behind them.
 */
function find(bits: usize, from: usize, roughly: bool): usize {
  const words = inputAt(0);
  const end = openCandidates(bits, from, words);
  forgetNoted();
  for (let i: u32 = 0; i < words; i++) {
    const at = placeOf(i);
    store<u32>(wordAt(i), inputAt(at), W_WANTED);
    findWord(i, at, bits, <u32>from << 3, (<u32>end << 3) - 1, roughly);
  }
  closeChoice();
  return end;
}

/** Finds all forms of the word that is described in the input from `at` on (see `findForm`). */
function findWord(word: u32, at: u32, bits: usize, first: u32, last: u32, roughly: bool): void {
  const forms = inputAt(at + 1);
  for (let i: u32 = 0; i < forms; i++) findForm(inputAt(at + 2 + i), word, bits, first, last, roughly);
}

function openLists(): void {
  for (let i: u32 = 0; i < inputAt(0); i++) {
    store<u32>(wordAt(i), inputAt(5 + 2 * i), W_WANTED);
    store<u32>(wordAt(i), inputAt(6 + 2 * i), W_LIST);
    store<u32>(wordAt(i), 0, W_PLACE);
  }
}

/** Finds every word's positions in a document, ascending. Returns whether every word has some. */
function gatherFromLists(doc: u32): bool {
  const words = inputAt(0);
  let total: usize = 0;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const list = <usize>load<u32>(word, W_LIST);
    const place = seek(list, load<u32>(word, W_PLACE), doc);
    store<u32>(word, place, W_PLACE);
    if (place === documentsOf(list) || (load<u32>(wordsOf(list) + (<usize>place << 2)) & documentMask(list)) !== doc)
      return false;
    total += positionsAt(list, place + 1) - positionsAt(list, place);
  }
  let to = reserve(B_MERGED, <u32>total * 8);
  for (let i: u32 = 0; i < words; i++) to = widen(wordAt(i), to);
  return true;
}

/** Writes the positions of a word to `to`, a u64 each; returns the address behind them. */
function widen(word: usize, to: usize): usize {
  const list = <usize>load<u32>(word, W_LIST);
  const place = load<u32>(word, W_PLACE);
  const end = widenPositions(positionsAt(list, place), positionsAt(list, place + 1), to);
  store<u32>(word, <u32>to, W_POSITIONS);
  store<u32>(word, <u32>(end - to) >> 3, W_COUNT);
  store<u32>(word, 0, W_NEXT);
  store<u32>(word, 0, W_INSIDE);
  return end;
}

/** The same for a candidate. */
function gatherFound(rank: u32): bool {
  const words = inputAt(0);
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const count = countFound(i, rank);
    if (count === 0) return false;
    store<u32>(word, <u32>positionsFound(i, rank), W_POSITIONS);
    store<u32>(word, count, W_COUNT);
    store<u32>(word, 0, W_NEXT);
    store<u32>(word, 0, W_INSIDE);
  }
  return true;
}

function positionAt(word: usize, index: u32): u64 {
  return load<u64>(<usize>load<u32>(word, W_POSITIONS) + (<usize>index << 3));
}

/** Whether there is a position from which every word occurs at its offset, in one field. */
function hasExact(): bool {
  const words = inputAt(0);
  const first = wordAt(0);
  const offset = load<u32>(first, W_WANTED);
  for (let i: u32 = 0; i < load<u32>(first, W_COUNT); i++) {
    const position = positionAt(first, i);
    if (<u32>position < offset) continue;
    let w: u32 = 1;
    while (w < words && standsAt(wordAt(w), position - offset)) w++;
    if (w === words) return true;
  }
  return false;
}

/** Whether a word occurs at its offset from a base; bases ascend from call to call. */
function standsAt(word: usize, base: u64): bool {
  const wanted = base + load<u32>(word, W_WANTED);
  const positions = <usize>load<u32>(word, W_POSITIONS);
  const end = positions + (<usize>load<u32>(word, W_COUNT) << 3);
  let at = positions + (<usize>load<u32>(word, W_NEXT) << 3);
  while (at < end && load<u64>(at) < wanted) at += 8;
  store<u32>(word, <u32>(at - positions) >> 3, W_NEXT);
  return at < end && load<u64>(at) === wanted && wanted >> 32 === base >> 32;
}

/**
 * The least extra of a window with every word as often as wanted; NONE if no window is within the largest
 * allowed extra. The window is a queue of (position, word): after each position that is added at the end, positions
 * at the start that are not needed are removed.
 */
function leastExtra(): u32 {
  const words = inputAt(0);
  let total: u32 = 0;
  for (let i: u32 = 0; i < words; i++) total += load<u32>(wordAt(i), W_COUNT);
  const window = reserve(B_WINDOW, total * 16);
  let missing: u32 = 0;
  for (let i: u32 = 0; i < words; i++) missing += load<u32>(wordAt(i), W_WANTED);
  let start: u32 = 0;
  let best = NONE;
  for (let end: u32 = 0; end < total; end++) {
    const index = earliestWord(words);
    const word = wordAt(index);
    const position = positionAt(word, load<u32>(word, W_NEXT));
    store<u32>(word, load<u32>(word, W_NEXT) + 1, W_NEXT);
    store<u64>(window + (<usize>end << 4), position);
    store<u32>(window + (<usize>end << 4), index, 8);
    missing -= <u32>(load<u32>(word, W_INSIDE) < load<u32>(word, W_WANTED));
    store<u32>(word, load<u32>(word, W_INSIDE) + 1, W_INSIDE);
    while (missing === 0 && isSpare(window, start)) start++;
    if (missing === 0) best = min(best, extraOf(load<u64>(window + (<usize>start << 4)), position));
  }
  return best;
}

function earliestWord(words: u32): u32 {
  let index: u32 = 0;
  let least = NOWHERE;
  for (let i: u32 = 0; i < words; i++) {
    const word = wordAt(i);
    const next = load<u32>(word, W_NEXT);
    if (next < load<u32>(word, W_COUNT) && positionAt(word, next) < least) {
      least = positionAt(word, next);
      index = i;
    }
  }
  return index;
}

/** Removes the first entry of the window if its word occurs there more often than wanted. */
function isSpare(window: usize, start: u32): bool {
  const word = wordAt(load<u32>(window + (<usize>start << 4), 8));
  const inside = load<u32>(word, W_INSIDE);
  if (inside <= load<u32>(word, W_WANTED)) return false;
  store<u32>(word, inside - 1, W_INSIDE);
  return true;
}

function extraOf(first: u64, last: u64): u32 {
  if (first >> 32 !== last >> 32) return NONE;
  const least = inputAt(2);
  const span = <u32>(last - first);
  const extra = span > least ? span - least : 0;
  return extra <= inputAt(3) ? extra : NONE;
}
