// The pieces of words that occurred before, because most words of a text do. A desk has a table of them, in which a
// word replaces another one with the same place:
//
//     | u8 points, u8 ids, u8 unknown, u8 | i32 how English | ids: u32, 8 | points: u32, 22 |

import { KNOWN_WORD_BYTES, KNOWN_WORDS, knownWordsOf } from './layout.ts';

const IDS: usize = 8;
const MOST_IDS: usize = 8;
const POINTS: usize = IDS + 4 * MOST_IDS;
/** Code points of the longest word that is remembered. */
export const MOST_POINTS: u32 = 22;
const SEED: u32 = 2_166_136_261;
const PRIME: u32 = 16_777_619;

/** The place of a word of at most MOST_POINTS code points. */
export function placeOfWord(desk: usize, points: usize, count: u32): usize {
  let hash = SEED;
  for (let at = points; at < points + (<usize>count << 2); at += 4) hash = (hash ^ load<u32>(at)) * PRIME;
  return knownWordsOf(desk) + (<usize>(hash ^ (hash >>> 15)) & (KNOWN_WORDS - 1)) * KNOWN_WORD_BYTES;
}

/** Whether a place has the pieces of a word. */
export function isKnown(place: usize, points: usize, count: u32): bool {
  if (<u32>load<u8>(place) !== count) return false;
  for (let at: usize = 0; at < <usize>count << 2; at += 4)
    if (load<u32>(place + POINTS + at) !== load<u32>(points + at)) return false;
  return true;
}

/** Writes the ids of the word at a place, and returns the end of them. */
export function idsOfWord(place: usize, out: usize): usize {
  const end = out + (<usize>load<u8>(place, 1) << 2);
  for (let from = place + IDS; out < end; from += 4, out += 4) store<u32>(out, load<u32>(from));
  return end;
}

export function unknownOfWord(place: usize): u32 {
  return load<u8>(place, 2);
}

export function evidenceOfWord(place: usize): i32 {
  return load<i32>(place, 4);
}

/** Puts a word with the ids from `first` to `end` at a place, unless they are too many. */
export function rememberWord(place: usize, points: usize, count: u32, first: usize, end: usize, unknown: u32,
  evidence: i32): void
{
  if (end - first > MOST_IDS << 2) return;
  store<u8>(place, <u8>count);
  store<u8>(place, <u8>((end - first) >> 2), 1);
  store<u8>(place, <u8>unknown, 2);
  store<i32>(place, evidence, 4);
  memory.copy(place + IDS, first, end - first);
  memory.copy(place + POINTS, points, <usize>count << 2);
}
