// The candidates of a phrase: the documents that have all of its words. They are known before any position is read.
// Some thousand are processed at a time, so that what is noted about them takes little memory however many there are,
// or all if one of the words is not too frequent (see `phrase-words.ts`).
//
// A candidate has a rank: B_RANKS has the rank by document, which is undefined for others, and B_CANDIDATES the
// document of each rank, u32 each. B_MARKS has a byte by document, whose high bit says that it is a candidate; between
// queries it is all zero. B_PLACES_FOUND has 16 bytes by rank and word: a note of what was found about the word there
// (see `phrase-notes.ts`).

import { BLOCK, H_CANDIDATE_WORDS, H_CANDIDATES, H_LEVEL_CAPACITY } from './layout.ts';
import { bitmapBytes } from './levels.ts';
import { B_CANDIDATES, B_MARKS, B_PLACES_FOUND, B_RANKS, buffer, reserve } from './scratch.ts';

const NOTE: u32 = 16;
/** Bytes between the notes about two words in a candidate. */
export const BETWEEN_NOTES: usize = NOTE;
/** Candidates at a time, about. */
const CANDIDATES: u32 = 4096;

/** A chosen posting of a chunk: u32 rank << 7 | index in the chunk. */
const INDEX_BITS: u32 = 7;
/** The mark of a candidate. */
export const CANDIDATE: u32 = 0x80;

/** Prepares for at most `most` candidates, of which there are none yet, and for `words` words. */
export function forgetCandidates(most: u32, words: u32): void {
  store<u32>(H_CANDIDATES, 0);
  store<u32>(H_CANDIDATE_WORDS, words);
  reserve(B_MARKS, load<u32>(H_LEVEL_CAPACITY));
  reserve(B_RANKS, load<u32>(H_LEVEL_CAPACITY) << 2);
  reserve(B_CANDIDATES, (most + 2) << 2);
  reserve(B_PLACES_FOUND, (most + 3) * words * NOTE);
}

/**
 * Makes candidates of the documents of a bitmap, from one of its bytes on, with notes of zeros for `words` words.
 * Returns the byte behind those that it processed. Call `closeChoice` when all postings are chosen.
 */
export function openCandidates(bits: usize, from: usize, words: u32): usize {
  const bytes = bitmapBytes();
  forgetCandidates(CANDIDATES + 64, words);
  const candidates = buffer(B_CANDIDATES);
  let rank: u32 = 0;
  let at = from;
  for (; at < bytes && rank < CANDIDATES; at += 8) {
    const set = load<u64>(bits + at);
    const found = <u32>popcnt(set);
    // Two places are written in any case, as the branch of each document could not be predicted.
    let to = candidates + (<usize>rank << 2);
    store<u32>(to, <u32>((at << 3) + <usize>ctz(set)));
    let left = set & (set - 1);
    store<u32>(to, <u32>((at << 3) + <usize>ctz(left)), 4);
    if (found > 2) {
      for (left &= left - 1; left !== 0; left &= left - 1) {
        store<u32>(to, <u32>((at << 3) + <usize>ctz(left)), 8);
        to += 4;
      }
    }
    rank += found;
  }
  store<u32>(H_CANDIDATES, rank);
  clearNotes();
  markCandidates();
  return at;
}

function markCandidates(): void {
  const marks = buffer(B_MARKS);
  const ranks = buffer(B_RANKS);
  const count = candidateCount();
  for (let rank: u32 = 0; rank < count; rank++) {
    const doc = <usize>candidateAt(rank);
    store<u8>(marks + doc, <u8>CANDIDATE);
    store<u32>(ranks + (doc << 2), rank);
  }
}

/** Forgets which documents are candidates. */
export function closeChoice(): void {
  const marks = buffer(B_MARKS);
  const candidates = buffer(B_CANDIDATES);
  for (let at = candidates, end = candidates + (<usize>candidateCount() << 2); at < end; at += 4)
    store<u8>(marks + <usize>load<u32>(at), 0);
}

/** Number of the current candidates. */
export function candidateCount(): u32 {
  return load<u32>(H_CANDIDATES);
}

/** The document of a rank. */
export function candidateAt(rank: u32): u32 {
  return load<u32>(buffer(B_CANDIDATES) + (<usize>rank << 2));
}

/** Bytes of the notes about a candidate. */
export function noteSize(): usize {
  return <usize>(load<u32>(H_CANDIDATE_WORDS) * NOTE);
}

/** Address of the note about a word in the first candidate. Those about the others are `noteSize` bytes apart. */
export function notesOf(word: u32): usize {
  return buffer(B_PLACES_FOUND) + <usize>word * NOTE;
}

/** Address of the note about a word in the candidate with a rank. */
export function noteOf(word: u32, rank: u32): usize {
  return notesOf(word) + <usize>rank * noteSize();
}

function clearNotes(): void {
  memory.fill(buffer(B_PLACES_FOUND), 0, <usize>candidateCount() * noteSize());
}

// ---- Postings of candidates -----------------------------------------------------------------

export function chosenIndex(at: usize): u32 {
  return load<u32>(at) & (BLOCK - 1);
}

export function chosenRank(at: usize): u32 {
  return load<u32>(at) >> INDEX_BITS;
}

export function chosenEntry(rank: u32, index: u32): u32 {
  return (rank << INDEX_BITS) | index;
}

/**
 * Chooses the postings of candidates among those of a chunk, given their documents. Writes them to `chosen`, where
 * there must be space for 128; returns their number. Without branches, which could not be predicted.
 */
export function choose(docs: usize, count: u32, chosen: usize): u32 {
  const marks = buffer(B_MARKS);
  const ranks = buffer(B_RANKS);
  let to = chosen;
  let i: u32 = 0;
  for (; i + 4 <= count; i += 4) {
    const at = docs + (<usize>i << 2);
    to = chooseIf(marks + <usize>load<u32>(at), i, to);
    to = chooseIf(marks + <usize>load<u32>(at, 4), i + 1, to);
    to = chooseIf(marks + <usize>load<u32>(at, 8), i + 2, to);
    to = chooseIf(marks + <usize>load<u32>(at, 12), i + 3, to);
  }
  for (; i < count; i++) to = chooseIf(marks + <usize>load<u32>(docs + (<usize>i << 2)), i, to);
  for (let at = chosen; at < to; at += 4) {
    const index = load<u32>(at);
    const doc = <usize>load<u32>(docs + (<usize>index << 2));
    store<u32>(at, chosenEntry(load<u32>(ranks + (doc << 2)), index));
  }
  return <u32>(to - chosen) >> 2;
}

function chooseIf(mark: usize, index: u32, to: usize): usize {
  store<u32>(to, index);
  return to + (<usize>(load<u8>(mark) >> 7) << 2);
}

/**
 * Makes candidates of the documents of some postings of a chunk, unless they are candidates already. `chosen` to `end`
 * has the indexes of the postings, which become chosen ones.
 */
export function addCandidates(docs: usize, chosen: usize, end: usize): void {
  const marks = buffer(B_MARKS);
  const ranks = buffer(B_RANKS);
  const candidates = buffer(B_CANDIDATES);
  const size = noteSize();
  let next = candidateCount();
  let note = buffer(B_PLACES_FOUND) + <usize>next * size;
  for (let at = chosen; at < end; at += 4) {
    const index = load<u32>(at);
    const doc = <usize>load<u32>(docs + (<usize>index << 2));
    const mark = <u32>load<u8>(marks + doc);
    // Nearly all are new.
    if ((mark & CANDIDATE) !== 0) {
      store<u32>(at, chosenEntry(load<u32>(ranks + (doc << 2)), index));
      continue;
    }
    store<u8>(marks + doc, <u8>(mark | CANDIDATE));
    store<u32>(ranks + (doc << 2), next);
    store<u32>(candidates + (<usize>next << 2), <u32>doc);
    store<u32>(at, chosenEntry(next, index));
    for (const end = note + size; note < end; note += 16) v128.store(note, i64x2.splat(0));
    next++;
  }
  store<u32>(H_CANDIDATES, next);
}
