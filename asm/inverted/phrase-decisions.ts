// Which candidates of an exact phrase have it, as far as the notes about its words say (see `phrase-notes.ts`): some
// certainly do, some certainly do not, and of the others the positions must be decoded.
//
// B_CERTAIN has for each document that has the phrase, u32 each: document, how often it has each word. Candidates that
// are undecided get new ranks, and B_REMAINING has for each former rank, u32: new rank << 1 | whether it remains.

import { H_CANDIDATE_WORDS, H_CANDIDATES, H_CERTAIN } from './layout.ts';
import { BETWEEN_NOTES, candidateCount, chosenEntry, chosenIndex, chosenRank, noteOf, noteSize,
  notesOf } from './phrase-candidates.ts';
import { copyCounts, fitPositions, hasAny, isKnown, isMany, remaindersIn } from './phrase-notes.ts';
import { B_CANDIDATES, B_CERTAIN, B_REMAINING, buffer, reserve } from './scratch.ts';

/**
 * Decides about all candidates. `offsets` has the offset of each word, u32 each. Drops the bits of documents without
 * the phrase, unless `bits` is 0, and their scores unless `scores` is 0. Mostly without branches, which could not be
 * predicted.
 */
export function decide(offsets: usize, bits: usize, scores: usize): void {
  const count = candidateCount();
  const words = load<u32>(H_CANDIDATE_WORDS);
  const candidates = buffer(B_CANDIDATES);
  const size = noteSize();
  const remaining = reserve(B_REMAINING, count << 2);
  let certain = reserve(B_CERTAIN, (count + 1) * certainSize(words));
  let first = notesOf(0);
  let next: u32 = 0;
  let decided: u32 = 0;
  for (let rank: u32 = 0; rank < count; rank++) {
    const doc = load<u32>(candidates + (<usize>rank << 2));
    const open = <u32>hasMany(first, words);
    const stays = <u32>(open !== 0 ? haveRemainders(first, words, offsets) : havePositions(first, words, offsets));
    if (bits !== 0) {
      const word = bits + (<usize>(doc >> 6) << 3);
      store<u64>(word, load<u64>(word) & ~(<u64>(1 - stays) << <u64>(doc & 63)));
    }
    if (scores !== 0 && stays === 0) store<f32>(scores + (<usize>doc << 2), 0);
    const remains = stays & open;
    store<u32>(remaining + (<usize>rank << 2), (next << 1) | remains);
    store<u32>(candidates + (<usize>next << 2), doc);
    for (let at: usize = 0, to = noteOf(0, next); at < size; at += BETWEEN_NOTES)
      v128.store(to + at, v128.load(first + at));
    store<u32>(certain, doc);
    copyCounts(first, words, certain + 4);
    certain += <usize>((0 - (stays ^ remains)) & certainSize(words));
    decided += stays ^ remains;
    next += remains;
    first += size;
  }
  store<u32>(H_CANDIDATES, next);
  store<u32>(H_CERTAIN, decided);
}

/** Number of documents that certainly have the phrase. */
export function certainCount(): u32 {
  return load<u32>(H_CERTAIN);
}

/** Address of such a document, behind which is how often it has each word. */
export function certainAt(index: u32): usize {
  return buffer(B_CERTAIN) + <usize>(index * certainSize(load<u32>(H_CANDIDATE_WORDS)));
}

/**
 * Copies those of some chosen postings of a word whose candidates remain, unless its positions are known, with their
 * new ranks; returns their number.
 */
export function keepRemaining(word: u32, from: usize, end: usize, chosen: usize): u32 {
  const remaining = buffer(B_REMAINING);
  let to = chosen;
  for (; from < end; from += 4) {
    const entry = load<u32>(remaining + (<usize>chosenRank(from) << 2));
    store<u32>(to, chosenEntry(entry >> 1, chosenIndex(from)));
    to += <usize>(entry & 1 & <u32>!isKnown(noteOf(word, entry >> 1))) << 2;
  }
  return <u32>(to - chosen) >> 2;
}

function certainSize(words: u32): u32 {
  return (words + 1) << 2;
}

/** Whether any of the notes of a candidate, from the first on, has remainders only. */
function hasMany(first: usize, words: u32): bool {
  let all = isMany(first);
  for (let note = first + BETWEEN_NOTES, end = first + <usize>words * BETWEEN_NOTES; note < end; note += BETWEEN_NOTES)
    all = all | isMany(note);
  return all;
}

function havePositions(first: usize, words: u32, offsets: usize): bool {
  let positions = v128.load(first);
  for (let i: usize = 1; i < <usize>words; i++)
    positions = fitPositions(positions, first + i * BETWEEN_NOTES, load<u32>(offsets + (i << 2)));
  return hasAny(positions);
}

function haveRemainders(first: usize, words: u32, offsets: usize): bool {
  let remainders = remaindersIn(first);
  for (let i: usize = 1; i < <usize>words; i++)
    remainders &= rotr(remaindersIn(first + i * BETWEEN_NOTES), <u64>(load<u32>(offsets + (i << 2)) & 63));
  return remainders !== 0;
}
