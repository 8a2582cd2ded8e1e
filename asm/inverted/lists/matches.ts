// Lists of phrases, and of terms that are all required: the documents that match, with their scores as impacts. They
// have the layout of `scored.ts`, but instead of forms they have the numbers by which the host describes the query:
// words, forms, offsets, weights, classes.

import { H_REMAP, H_SCORING_NAMES } from '../layout.ts';
import { bitmapBytes, bitsOf, scoresOf } from '../levels.ts';
import { B_ASKED, B_INPUT, buffer, reserve } from '../scratch.ts';
import { admits, largestBlock, touch } from './arena.ts';
import { impactsOf, listBytes, MATCHES, wordsOf } from './list.ts';
import { find, hashOf, MAX_FORMS } from './recall.ts';
import { finish, isGood, takeRoom } from './scored.ts';

/** Capacity of the table of recent queries; a power of two. */
const ASKED: u32 = 4096;

/** Whether anything is remembered. */
export function remembers(): bool {
  return largestBlock() !== 0 && load<u32>(H_REMAP) === 0;
}

/** The list for the `count` numbers in B_INPUT and the current scoring; 0 if it is not remembered. */
export function recallMatches(count: u32): usize {
  if (!remembers() || count >= MAX_FORMS) return 0;
  const numbers = named(count);
  const list = find(numbers, count + 1, hashOf(numbers, count + 1, MATCHES), MATCHES);
  if (list === 0 || !isGood(list)) return 0;
  touch(list);
  return list;
}

/** Whether the query that B_INPUT describes is in the table of recent queries; puts it there. */
export function askedBefore(count: u32): bool {
  const hash = hashOf(buffer(B_INPUT), count, MATCHES);
  const place = reserve(B_ASKED, ASKED << 2) + (<usize>(hash & (ASKED - 1)) << 2);
  const before = load<u32>(place) === hash;
  store<u32>(place, hash);
  return before;
}

/** Remembers the documents and scores of a level for the query that B_INPUT describes. */
export function keepMatches(count: u32, level: u32): void {
  if (!remembers() || count >= MAX_FORMS) return;
  const bits = bitsOf(level);
  const bytes = bitmapBytes();
  let documents: u32 = 0;
  for (let at: usize = 0; at < bytes; at += 8) documents += <u32>popcnt(load<u64>(bits + at));
  const numbers = named(count);
  const hash = hashOf(numbers, count + 1, MATCHES);
  const former = find(numbers, count + 1, hash, MATCHES);
  const most = listBytes(count + 1, documents + (documents >> 3) + 16, false);
  if (most > <u64>largestBlock() || (former === 0 && !admits(<u32>most))) return;
  const list = takeRoom(numbers, count + 1, hash, former, documents, MATCHES);
  if (list === 0) return;
  const scores = scoresOf(level);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  let i: usize = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    for (let left = load<u64>(bits + at); left !== 0; left &= left - 1) {
      const doc = (at << 3) + <usize>ctz(left);
      store<u32>(words + i, <u32>doc);
      store<f32>(impacts + i, load<f32>(scores + (doc << 2)));
      i += 4;
    }
  }
  finish(list, documents);
}

/** The numbers of B_INPUT, followed by the family of the scoring. */
function named(count: u32): usize {
  const numbers = reserve(B_INPUT, (count + 1) << 2);
  store<u32>(numbers + (<usize>count << 2), load<u32>(H_SCORING_NAMES, 4));
  return numbers;
}
