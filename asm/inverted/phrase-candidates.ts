// The candidates of a phrase: the documents that have all of its words. They are known before any position is read. Some thousand are
// processed at a time, so that what is noted about them takes little memory however many there are.
//
// A candidate's rank is the number of candidates before it: B_RANKS has the rank of the first of each 64 documents, B_CANDIDATES the
// document of each rank, u32 each. While postings are chosen, B_MARKS has a 4 for each document that is a candidate, u8 each; otherwise it
// is all zero. B_PLACES_FOUND has 8 bytes by word and rank: a note of what was found about the word there. When some candidates are
// dropped, the others get new ranks: B_REMAINING has for each former rank, u32: new rank << 1 | whether it remains.

import { BLOCK, H_CANDIDATES, H_DOCS } from './layout.ts';
import { bitmapBytes } from './levels.ts';
import { B_CANDIDATES, B_MARKS, B_PLACES_FOUND, B_RANKS, B_REMAINING, buffer, reserve } from './scratch.ts';

const NOTE: u32 = 8;
/** Candidates at a time, about. */
const CANDIDATES: u32 = 4096;

/** A chosen posting of a chunk: u32 rank << 7 | index in the chunk. */
const INDEX_BITS: u32 = 7;
/** The bytes of a chosen posting: the mark of a candidate is added to an address. */
const MARK: u8 = 4;

/**
 * Makes candidates of the documents of a bitmap, from one of its bytes on, with notes of zeros for `words` words. Returns the byte behind
 * those that it processed. Call `closeChoice` when all postings are chosen.
 */
export function openCandidates(bits: usize, from: usize, words: u32): usize {
  const bytes = bitmapBytes();
  const ranks = reserve(B_RANKS, <u32>(bytes >> 1));
  const candidates = reserve(B_CANDIDATES, (CANDIDATES + 66) << 2);
  let rank: u32 = 0;
  let at = from;
  for (; at < bytes && rank < CANDIDATES; at += 8) {
    store<u32>(ranks + (at >> 1), rank);
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
  memory.fill(reserve(B_PLACES_FOUND, (words * rank + 2) * NOTE), 0, <usize>(words * rank * NOTE));
  store<u32>(H_CANDIDATES, rank);
  reserve(B_MARKS, load<u32>(H_DOCS));
  markCandidates(MARK);
  return at;
}

/** Forgets which documents are candidates. */
export function closeChoice(): void {
  markCandidates(0);
}

function markCandidates(mark: u8): void {
  const marks = buffer(B_MARKS);
  const candidates = buffer(B_CANDIDATES);
  for (let at = candidates, end = candidates + (<usize>candidateCount() << 2); at < end; at += 4) store<u8>(marks + <usize>load<u32>(at), mark);
}

/** Number of the current candidates. */
export function candidateCount(): u32 {
  return load<u32>(H_CANDIDATES);
}

/** The document of a rank. */
export function candidateAt(rank: u32): u32 {
  return load<u32>(buffer(B_CANDIDATES) + (<usize>rank << 2));
}

/** Address of the notes about a word, 8 bytes for each rank. */
export function notesOf(word: u32): usize {
  return buffer(B_PLACES_FOUND) + <usize>(word * candidateCount()) * NOTE;
}

/** Address of the note about a word in the candidate with a rank. */
export function noteOf(word: u32, rank: u32): usize {
  return notesOf(word) + <usize>rank * NOTE;
}

// ---- Postings of candidates -----------------------------------------------------------------

export function chosenIndex(at: usize): u32 {
  return load<u32>(at) & (BLOCK - 1);
}

export function chosenRank(at: usize): u32 {
  return load<u32>(at) >> INDEX_BITS;
}

/**
 * Chooses the postings of candidates among those of a chunk, given their documents, and the bitmap of which candidates were made. Writes them
 * to `chosen`, where there must be space for 128; returns their number. Without branches, which could not be predicted.
 */
export function choose(docs: usize, count: u32, bits: usize, chosen: usize): u32 {
  const marks = buffer(B_MARKS);
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
    store<u32>(at, (rankOf(load<u32>(docs + (<usize>index << 2)), bits) << INDEX_BITS) | index);
  }
  return <u32>(to - chosen) >> 2;
}

function chooseIf(mark: usize, index: u32, to: usize): usize {
  store<u32>(to, index);
  return to + <usize>load<u8>(mark);
}

/** Number of candidates before a document. */
function rankOf(doc: u32, bits: usize): u32 {
  const word = <usize>(doc >> 6);
  const before = load<u64>(bits + (word << 3)) & ((<u64>1 << (doc & 63)) - 1);
  return load<u32>(buffer(B_RANKS) + (word << 2)) + <u32>popcnt(before);
}

// ---- Candidates that remain -----------------------------------------------------------------

/**
 * Keeps the candidates whose note about the first word is not 0, and drops the bits of the others, and their scores unless `scores` is 0.
 * Those that remain get new ranks, and notes of zeros for `words` words. Without branches, which could not be predicted.
 */
export function keepNoted(words: u32, bits: usize, scores: usize): void {
  const count = candidateCount();
  const candidates = buffer(B_CANDIDATES);
  const notes = notesOf(0);
  const remaining = reserve(B_REMAINING, count << 2);
  let next: u32 = 0;
  for (let rank: u32 = 0; rank < count; rank++) {
    const doc = load<u32>(candidates + (<usize>rank << 2));
    const remains = <u32>(load<u64>(notes + <usize>rank * NOTE) !== 0);
    const word = bits + (<usize>(doc >> 6) << 3);
    store<u64>(word, load<u64>(word) & ~(<u64>(1 - remains) << <u64>(doc & 63)));
    if (scores !== 0 && remains === 0) store<f32>(scores + (<usize>doc << 2), 0);
    store<u32>(remaining + (<usize>rank << 2), (next << 1) | remains);
    store<u32>(candidates + (<usize>next << 2), doc);
    next += remains;
  }
  memory.fill(notes, 0, <usize>(words * next * NOTE));
  store<u32>(H_CANDIDATES, next);
}

/** Copies those of some chosen postings whose candidates remain, with their new ranks; returns their number. */
export function keepRemaining(from: usize, end: usize, chosen: usize): u32 {
  const remaining = buffer(B_REMAINING);
  let to = chosen;
  for (; from < end; from += 4) {
    const entry = load<u32>(remaining + (<usize>chosenRank(from) << 2));
    store<u32>(to, ((entry >> 1) << INDEX_BITS) | chosenIndex(from));
    to += <usize>(entry & 1) << 2;
  }
  return <u32>(to - chosen) >> 2;
}
