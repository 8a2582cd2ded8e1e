// The candidates of a phrase: the documents that have all of its words. They are known before any position is read. Some thousand are
// processed at a time, so that what is noted about them takes little memory however many there are.
//
// A candidate's rank is the number of candidates before it: B_RANKS has the rank of the first of each 64 documents, B_CANDIDATES the
// document of each rank, u32 each. B_PLACES_FOUND has 8 bytes by word and rank: a note of what was found about the word there.

import { BLOCK, CHOSEN, H_CANDIDATES } from './layout.ts';
import { bitmapBytes, hasBit } from './levels.ts';
import { B_CANDIDATES, B_PLACES_FOUND, B_RANKS, buffer, reserve } from './scratch.ts';

const NOTE: u32 = 8;
/** Candidates at a time, about. */
const CANDIDATES: u32 = 4096;

/** A chosen posting of a chunk at CHOSEN: u32 rank << 7 | index in the chunk. */
const INDEX_BITS: u32 = 7;
/** In a block, up to this many candidates are searched; for more, its documents are read one by one, which then is faster. */
const SEARCHED: u32 = 32;

/**
 * Makes candidates of the documents of a bitmap, from one of its bytes on, with notes of zeros for `words` words. Returns the byte behind
 * those that it processed.
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
  memory.fill(reserve(B_PLACES_FOUND, (words * rank + 1) * NOTE), 0, <usize>(words * rank * NOTE));
  store<u32>(H_CANDIDATES, rank);
  return at;
}

/** Number of the current candidates. */
export function candidateCount(): u32 {
  return load<u32>(H_CANDIDATES);
}

/** The document of a rank. */
export function candidateAt(rank: u32): u32 {
  return load<u32>(buffer(B_CANDIDATES) + (<usize>rank << 2));
}

/** Address of the note about a word in the candidate with a rank. */
export function noteOf(word: u32, rank: u32): usize {
  return buffer(B_PLACES_FOUND) + (<usize>(word * load<u32>(H_CANDIDATES) + rank)) * NOTE;
}

/** Number of candidates up to a document, which may be one. */
export function ranksUpTo(doc: u32, bits: usize): u32 {
  return rankOf(doc, bits) + <u32>hasBit(bits, doc);
}

/** Number of candidates before a document. */
export function rankOf(doc: u32, bits: usize): u32 {
  const word = <usize>(doc >> 6);
  const before = load<u64>(bits + (word << 3)) & ((<u64>1 << (doc & 63)) - 1);
  return load<u32>(buffer(B_RANKS) + (word << 2)) + <u32>popcnt(before);
}

// ---- Postings of candidates -----------------------------------------------------------------

export function chosenIndex(at: usize): u32 {
  return load<u32>(at) & (BLOCK - 1);
}

export function chosenRank(at: usize): u32 {
  return load<u32>(at) >> INDEX_BITS;
}

/**
 * Chooses the postings of the candidates with ranks from `start` to `end`, which are documents from `from` to `to`, among those of a block of
 * the current epoch; returns the number of those at CHOSEN.
 */
export function chooseInBlock(docs: usize, count: u32, bits: usize, from: u32, to: u32, start: u32, end: u32): u32 {
  return count === BLOCK && end - start <= SEARCHED ? search(docs, start, end) : choose(docs, count, bits, from, to);
}

/** The same for any chunk and its documents from `first` to `last`. Without branches, which could not be predicted. */
export function choose(docs: usize, count: u32, bits: usize, first: u32, last: u32): u32 {
  const inside = last - first;
  let to = CHOSEN;
  let i: u32 = 0;
  for (; i + 2 <= count; i += 2) {
    const at = docs + (<usize>i << 2);
    to = chooseIf(isCandidate(load<u32>(at), bits, first, inside), i, to);
    to = chooseIf(isCandidate(load<u32>(at, 4), bits, first, inside), i + 1, to);
  }
  if (i < count) to = chooseIf(isCandidate(load<u32>(docs + (<usize>i << 2)), bits, first, inside), i, to);
  for (let at = CHOSEN; at < to; at += 4) {
    const index = load<u32>(at);
    store<u32>(at, (rankOf(load<u32>(docs + (<usize>index << 2)), bits) << INDEX_BITS) | index);
  }
  return <u32>(to - CHOSEN) >> 2;
}

/** 1 for a candidate that is at most `inside` documents behind the first. */
function isCandidate(doc: u32, bits: usize, first: u32, inside: u32): u32 {
  return (load<u32>(bits + (<usize>(doc >> 5) << 2)) >> (doc & 31)) & <u32>(doc - first <= inside);
}

function chooseIf(chosen: u32, index: u32, to: usize): usize {
  store<u32>(to, index);
  return to + (<usize>chosen << 2);
}

/** The same for 128 documents, of which the last is not before any candidate: each candidate is searched by halves, again without branches. */
function search(docs: usize, start: u32, end: u32): u32 {
  const candidates = buffer(B_CANDIDATES);
  let to = CHOSEN;
  for (let rank = start; rank < end; rank++) {
    const doc = load<u32>(candidates + (<usize>rank << 2));
    let at = docs;
    at += <usize>(load<u32>(at, 252) < doc) << 8;
    at += <usize>(load<u32>(at, 124) < doc) << 7;
    at += <usize>(load<u32>(at, 60) < doc) << 6;
    at += <usize>(load<u32>(at, 28) < doc) << 5;
    at += <usize>(load<u32>(at, 12) < doc) << 4;
    at += <usize>(load<u32>(at, 4) < doc) << 3;
    at += <usize>(load<u32>(at) < doc) << 2;
    store<u32>(to, (rank << INDEX_BITS) | (<u32>(at - docs) >> 2));
    to += <usize>(load<u32>(at) === doc) << 2;
  }
  return <u32>(to - CHOSEN) >> 2;
}
