// The documents that have an exact phrase, and how often each has its words, until the best of them are selected. Scores are those of BM25
// over all fields, added up in the same order as tallies do (see `tallies.ts`).
//
// B_PHRASE_MATCHES has for each match: u32 ordinal, f32 length of the document, u32 occurrences of each word. What is far apart in memory is read
// when a match is added, so that nothing waits for it.

import { lengthsOf } from './documents.ts';
import { H_ORDINALS, H_PHRASE_MATCHES, H_SCORING } from './layout.ts';
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
  const size = (words + 2) << 2;
  store<u32>(H_PHRASE_MATCHES, count + 1);
  const match = reserve(B_PHRASE_MATCHES, (count + 1) * size) + <usize>(count * size);
  store<u32>(match, load<u32>(<usize>load<u32>(H_ORDINALS) + (<usize>doc << 2)));
  store<u32>(match, load<u32>(lengthsOf(0) + (<usize>doc << 2)), LENGTH);
  return match + OCCURRENCES;
}

/**
 * The `k` best matches, as `selectByScore` returns them; returns their number. B_INPUT has for each of `words` words its index and its weight
 * (f32), in the order in which scores are added.
 */
export function selectPhrase(words: u32, k: u32): u32 {
  const state = begin(k, 0, 0, 0);
  const size = <usize>((words + 2) << 2);
  const count = load<u32>(H_PHRASE_MATCHES);
  // Completes the last four with anything.
  const matches = reserve(B_PHRASE_MATCHES, (count + 4) * <u32>size);
  memory.fill(matches + <usize>count * size, 0, 4 * size);
  for (let i: u32 = 0; i < count; i += 4) offerFour(state, matches + <usize>i * size, min(4, count - i), words, size);
  finish(state);
  shrink(B_PHRASE_MATCHES, KEPT);
  return count;
}

function offerFour(state: usize, at: usize, count: u32, words: u32, size: usize): void {
  const scores = scoresOfFour(at, words, size);
  if (!v128.any_true(f32x4.ge(scores, f32x4.splat(leastScore(state))))) return;
  offer(state, f32x4.extract_lane(scores, 0), at);
  if (count > 1) offer(state, f32x4.extract_lane(scores, 1), at + size);
  if (count > 2) offer(state, f32x4.extract_lane(scores, 2), at + 2 * size);
  if (count > 3) offer(state, f32x4.extract_lane(scores, 3), at + 3 * size);
}

function offer(state: usize, score: f32, match: usize): void {
  if (score >= leastScore(state)) offerScore(state, score, load<u32>(match));
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
