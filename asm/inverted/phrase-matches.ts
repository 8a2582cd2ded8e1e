// The documents that have an exact phrase, and how often each has its words, until the best of them are selected or all
// are scored. Scores are those of BM25 over all fields, added up in the same order as tallies do (see `tallies.ts`).
//
// B_PHRASE_MATCHES has for each match: u32 document, f32 its length, u32 occurrences of each word. Lengths are far
// apart in memory: they are read in a loop that does nothing else, so that waiting for them overlaps.

import { lengthsOf } from './documents.ts';
import { H_ORDINALS, H_PHRASE_MATCHES, H_SCORING } from './layout.ts';
import { bitsOf, scoresOf, setBit } from './levels.ts';
import { B_INPUT, B_PHRASE_MATCHES, buffer, reserve, shrink } from './scratch.ts';
import { begin, finish, leastScore, offerScore } from './selecting.ts';
import { P_C0, P_C1 } from './weighing.ts';

const LENGTH: usize = 4;
const OCCURRENCES: usize = 8;

/** Bytes of matches that are kept for the next query. */
const KEPT: u32 = 1 << 20;

export function forgetMatches(): void {
  store<u32>(H_PHRASE_MATCHES, 0);
}

/** Adds a match; returns the address to which the occurrences of each of `words` words must be written. */
export function addMatch(doc: u32, words: u32): usize {
  const count = load<u32>(H_PHRASE_MATCHES);
  const size = matchSize(words);
  store<u32>(H_PHRASE_MATCHES, count + 1);
  const match = reserve(B_PHRASE_MATCHES, (count + 1) * <u32>size) + <usize>count * size;
  store<u32>(match, doc);
  return match + OCCURRENCES;
}

/**
 * The `k` best matches, as `selectByScore` returns them; returns their number. B_INPUT has for each of `words` words
 * its index and its weight (f32), in the order in which scores are added.
 */
export function selectPhrase(words: u32, k: u32): u32 {
  const state = begin(k, 0, 0, 0);
  const ordinals = <usize>load<u32>(H_ORDINALS);
  const size = matchSize(words);
  const count = load<u32>(H_PHRASE_MATCHES);
  for (let match = completed(size), end = match + <usize>count * size; match < end; match += size << 2) {
    const scores = scoresOfFour(match, words, size);
    if (!v128.any_true(f32x4.ge(scores, f32x4.splat(leastScore(state))))) continue;
    let score = scores;
    for (let i: usize = 0; i < 4 && match + i * size < end; i++) {
      offer(state, f32x4.extract_lane(score, 0), load<u32>(ordinals + (<usize>load<u32>(match + i * size) << 2)));
      score = v128.shuffle<i32>(score, score, 1, 2, 3, 0);
    }
  }
  finish(state);
  shrink(B_PHRASE_MATCHES, KEPT);
  return count;
}

function offer(state: usize, score: f32, ordinal: u32): void {
  if (score >= leastScore(state)) offerScore(state, score, ordinal);
}

/** Writes all matches with their scores to a level that is empty. The input is that of `selectPhrase`. */
export function scorePhrase(words: u32, level: u32): void {
  const bits = bitsOf(level);
  const results = scoresOf(level);
  const size = matchSize(words);
  const count = load<u32>(H_PHRASE_MATCHES);
  for (let match = completed(size), end = match + <usize>count * size; match < end; match += size << 2) {
    let score = scoresOfFour(match, words, size);
    for (let i: usize = 0; i < 4 && match + i * size < end; i++) {
      const doc = load<u32>(match + i * size);
      setBit(bits, doc);
      store<f32>(results + (<usize>doc << 2), f32x4.extract_lane(score, 0));
      score = v128.shuffle<i32>(score, score, 1, 2, 3, 0);
    }
  }
  shrink(B_PHRASE_MATCHES, KEPT);
}

function matchSize(words: u32): usize {
  return <usize>(words + 2) << 2;
}

/**
 * Address of the matches with their lengths, behind which there are four more: they complete the last four, with any
 * content.
 */
function completed(size: usize): usize {
  const count = load<u32>(H_PHRASE_MATCHES);
  const matches = reserve(B_PHRASE_MATCHES, (count + 4) * <u32>size);
  memory.fill(matches + <usize>count * size, 0, size << 2);
  const lengths = lengthsOf(0);
  for (let match = matches, end = matches + <usize>count * size; match < end; match += size) {
    store<u32>(match, load<u32>(lengths + (<usize>load<u32>(match) << 2)), LENGTH);
  }
  return matches;
}

function scoresOfFour(at: usize, words: u32, size: usize): v128 {
  let length = v128.load32_zero(at + LENGTH);
  length = v128.load_lane<f32>(at + LENGTH + size, length, 1);
  length = v128.load_lane<f32>(at + LENGTH + 2 * size, length, 2);
  length = v128.load_lane<f32>(at + LENGTH + 3 * size, length, 3);
  const normed = f32x4.add(v128.load32_splat(H_SCORING, P_C0), f32x4.mul(v128.load32_splat(H_SCORING, P_C1), length));
  let scores = f32x4.splat(0);
  for (let term = buffer(B_INPUT), end = term + (<usize>words << 3); term < end; term += 8) {
    const place = at + OCCURRENCES + (<usize>load<u32>(term) << 2);
    let frequency = v128.load32_zero(place);
    frequency = v128.load_lane<u32>(place + size, frequency, 1);
    frequency = v128.load_lane<u32>(place + 2 * size, frequency, 2);
    frequency = v128.load_lane<u32>(place + 3 * size, frequency, 3);
    const x = f32x4.convert_i32x4_u(frequency);
    scores = f32x4.add(scores, f32x4.mul(v128.load32_splat(term, 4), f32x4.div(x, f32x4.add(x, normed))));
  }
  return scores;
}
