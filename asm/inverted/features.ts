// The features of a candidate for reranking: how well it has the words of a query. Each is from 0 to 1. Most follow
// from how often and in which fields it has the words; NEAR, ORDERED and NAMED also need their places.
//
// A word, 48 bytes in B_RERANK_WORDS:
//
//     0 offset in the query   4 flags   8 its share of the query (f32)   12 fields of `reranking.ts`
//     40 average length of all documents (f32)

import { F_EXACT_KEY, F_EXACT_TITLE, F_OCCURRENCES, F_TITLE, foundAt, KEY_FIELD, TITLE_FIELD } from './candidates.ts';
import { lengthsOf } from './documents.ts';
import { countGathered, gathered } from './gathering.ts';
import { B_RERANK_WORDS, buffer } from './scratch.ts';

// Features. COVERED, NEAR, ORDERED and FREQUENT are 0 for a query of one word.
/** Share of the words that the document has. */
const COVERED: usize = 0;
/**
 * How near neighbours of the query are at their nearest places, 1 / distance, and in their order, 1 / (1 + excess words
 * between them).
 */
const NEAR: usize = 4;
const ORDERED: usize = 8;
/** Share of the words in the title; and that share times the part of the title that the words make up. */
const TITLE: usize = 12;
const WHOLE_TITLE: usize = 16;
/** The same as the second feature, of title and of key, for words exactly as they were typed. */
const EXACT_TITLE: usize = 20;
const EXACT_KEY: usize = 24;
/** Share of the words whose identifiers occur in the title or key exactly as they were typed. */
const NAMED: usize = 28;
/** How often the words occur in the document, weighted as in BM25. */
const FREQUENT: usize = 32;
export const FEATURES: u32 = 9;

// Flags of a word.
/** Only punctuation is between it and the next word. */
const GLUED: u32 = 1;
/** It is an identifier or a part of one. */
const IDENTIFIER: u32 = 2;

/** The usual parameters of BM25. */
const K1: f32 = 1.2;
const B: f32 = 0.75;

export const WORD: u32 = 48;
export const W_OFFSET: usize = 0;
export const W_FLAGS: usize = 4;
export const W_SHARE: usize = 8;
export const W_AVERAGE: usize = 40;

/** No distance. */
const FAR: u32 = u32.MAX_VALUE;

export function wordAt(index: u32): usize {
  return buffer(B_RERANK_WORDS) + <usize>index * WORD;
}

function shareOf(word: usize): f32 {
  return load<f32>(word, W_SHARE);
}

function endOf(found: usize): usize {
  return gathered(found) + (<usize>countGathered(found) << 3);
}

function fieldOf(number: u64): u32 {
  return <u32>(number >> 33);
}

/** Computes the features that need no places of the candidate `c`, in nine features that are 0. */
export function describe(words: u32, c: u32, doc: u32, to: usize): void {
  let inTitle: u32 = 0;
  let exactlyInTitle: u32 = 0;
  let exactlyInKey: u32 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const found = foundAt(i, c);
    const share = shareOf(wordAt(i));
    if (words > 1 && load<u32>(found, F_OCCURRENCES) > 0) add(to, COVERED, share);
    const title = load<u32>(found, F_TITLE);
    const exact = load<u32>(found, F_EXACT_TITLE);
    const key = load<u32>(found, F_EXACT_KEY);
    inTitle += title;
    exactlyInTitle += exact;
    exactlyInKey += key;
    if (title > 0) add(to, TITLE, share);
    if (exact > 0) add(to, EXACT_TITLE, share);
    if (key > 0) add(to, EXACT_KEY, share);
  }
  store<f32>(to, load<f32>(to, TITLE) * shareOfField(inTitle, doc, TITLE_FIELD), WHOLE_TITLE);
  store<f32>(to, load<f32>(to, EXACT_TITLE) * shareOfField(exactlyInTitle, doc, TITLE_FIELD), EXACT_TITLE);
  store<f32>(to, load<f32>(to, EXACT_KEY) * shareOfField(exactlyInKey, doc, KEY_FIELD), EXACT_KEY);
  if (words > 1) describeFrequencies(words, c, doc, to);
}

/**
 * Sets the features that need places to upper bounds, as if words that follow each other in the query did so in the
 * candidate. All operations on features and factors are monotonic, even when rounded, so that the factor is at least
 * that of the true features.
 */
export function boundPlaces(words: u32, c: u32, to: usize): void {
  let shares: f32 = 0;
  let near: f32 = 0;
  for (let i: u32 = 1; i < words; i++) {
    const share = shareOf(wordAt(i - 1)) + shareOf(wordAt(i));
    shares += share;
    if (load<u32>(foundAt(i - 1, c), F_OCCURRENCES) > 0 && load<u32>(foundAt(i, c), F_OCCURRENCES) > 0) near += share;
  }
  if (shares > 0) {
    store<f32>(to, near / shares, NEAR);
    store<f32>(to, near / shares, ORDERED);
  }
  describeIdentifiers(words, c, to, false);
}

/** Computes the features that need places, which are 0, from the places in `gathering.ts`. */
export function describePlaces(words: u32, c: u32, to: usize): void {
  if (words > 1) describeNeighbours(words, c, to);
  describeIdentifiers(words, c, to, true);
}

function add(to: usize, feature: usize, amount: f32): void {
  store<f32>(to + feature, load<f32>(to + feature) + amount);
}

/** The part of a field that `tokens` of its tokens make up. It is at most 1: words with the same forms count twice. */
function shareOfField(tokens: u32, doc: u32, field: u32): f32 {
  return tokens === 0 ? 0 : min<f32>(1, <f32>tokens / load<f32>(lengthsOf(field + 1) + (<usize>doc << 2)));
}

/**
 * Adds the features of each pair of words that follow each other in the query, weighted by the mean of their shares.
 */
function describeNeighbours(words: u32, c: u32, to: usize): void {
  let shares: f32 = 0;
  let near: f32 = 0;
  let ordered: f32 = 0;
  for (let i: u32 = 1; i < words; i++) {
    const first = wordAt(i - 1);
    const second = wordAt(i);
    const share = shareOf(first) + shareOf(second);
    shares += share;
    const distances = nearest(foundAt(i - 1, c), foundAt(i, c),
      load<u32>(second, W_OFFSET) - load<u32>(first, W_OFFSET));
    near += share * nearness(<u32>distances);
    ordered += share * nearness(<u32>(distances >> 32));
  }
  if (shares === 0) return;
  store<f32>(to, near / shares, NEAR);
  store<f32>(to, ordered / shares, ORDERED);
}

function nearness(distance: u32): f32 {
  return distance === FAR ? 0 : 1 / (1 + <f32>distance);
}

/**
 * Lower half: the least number of words between occurrences of two words in one field. Upper half: the least difference
 * between the distance of occurrences in order and the `wanted` distance. Only occurrences next to each other can be
 * the nearest.
 */
function nearest(first: usize, second: usize, wanted: u32): u64 {
  let a = gathered(first);
  let b = gathered(second);
  const endOfA = endOf(first);
  const endOfB = endOf(second);
  let near: u32 = FAR;
  let ordered: u32 = FAR;
  while (a < endOfA && b < endOfB) {
    const one = load<u64>(a) >> 1;
    const other = load<u64>(b) >> 1;
    const before = one < other;
    if (one >> 32 === other >> 32) {
      const distance = <u32>(before ? other - one : one - other);
      if (distance === 0) near = min(near, gapBehind(a, endOfA, other));
      // (Distance 0 is the same token: its wrap-around does not count.)
      near = min(near, distance - 1);
      const excess = distance > wanted ? distance - wanted : wanted - distance;
      ordered = min(ordered, before ? excess : FAR);
      if ((near | ordered) === 0) break;
    }
    // Which of them is first cannot be predicted, so there is no branch.
    a += <usize>before << 3;
    b += <usize>!before << 3;
  }
  return (<u64>(wanted === 0 ? near : ordered) << 32) | near;
}

function describeFrequencies(words: u32, c: u32, doc: u32, to: usize): void {
  const average = max<f32>(load<f32>(wordAt(0), W_AVERAGE), 1);
  const k: f32 = K1 * (1 - B + B * load<f32>(lengthsOf(0) + (<usize>doc << 2)) / average);
  for (let i: u32 = 0; i < words; i++) {
    const count = <f32>load<u32>(foundAt(i, c), F_OCCURRENCES);
    if (count > 0) add(to, FREQUENT, shareOf(wordAt(i)) * count / (count + k));
  }
}

/**
 * Number of positions between a position and the next larger one of a list in the same field; the largest number if
 * there is none.
 */
function gapBehind(at: usize, end: usize, position: u64): u32 {
  while (at < end && load<u64>(at) >> 1 === position) at += 8;
  return at < end && load<u64>(at) >> 33 === position >> 32 ? <u32>((load<u64>(at) >> 1) - position) - 1 : FAR;
}

/**
 * A run of words that are glued to each other is one identifier; their exact forms must follow each other, or be there
 * without `places`.
 */
function describeIdentifiers(words: u32, c: u32, to: usize, places: bool): void {
  for (let start: u32 = 0; start < words;) {
    let end = start;
    let share: f32 = shareOf(wordAt(start));
    while (end + 1 < words && (load<u32>(wordAt(end), W_FLAGS) & GLUED) !== 0) share += shareOf(wordAt(++end));
    if ((load<u32>(wordAt(start), W_FLAGS) & IDENTIFIER) !== 0 &&
      (places ? isNamed(start, end, c) : mayBeNamed(start, end, c))) add(to, NAMED, share);
    start = end + 1;
  }
}

/** Whether title or key have the exact forms of all words. */
function mayBeNamed(start: u32, end: u32, c: u32): bool {
  let inTitle = true;
  let inKey = true;
  for (let i = start; i <= end; i++) {
    inTitle = inTitle && load<u32>(foundAt(i, c), F_EXACT_TITLE) > 0;
    inKey = inKey && load<u32>(foundAt(i, c), F_EXACT_KEY) > 0;
  }
  return inTitle || inKey;
}

/** Whether the exact forms of the words occur directly one behind the other in title or key. */
function isNamed(start: u32, end: u32, c: u32): bool {
  const found = foundAt(start, c);
  for (let from = gathered(found), at = endOf(found); at > from; at -= 8) {
    const number = load<u64>(at - 8);
    const field = fieldOf(number);
    if (field < TITLE_FIELD) return false;
    if ((number & 1) === 0 || (field !== TITLE_FIELD && field !== KEY_FIELD)) continue;
    let next = start + 1;
    while (next <= end && standsAt(foundAt(next, c), number + (<u64>(next - start) << 1))) next++;
    if (next > end) return true;
  }
  return false;
}

/** Whether a number is among the positions of a word (binary search). */
function standsAt(found: usize, number: u64): bool {
  const positions = gathered(found);
  const count = countGathered(found);
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(positions + (<usize>middle << 3)) < number) low = middle + 1;
    else high = middle;
  }
  return low < count && load<u64>(positions + (<usize>low << 3)) === number;
}
