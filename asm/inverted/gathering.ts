// The places of a query's words in some of its candidates, for reranking: the positions of the postings that
// `candidates.ts` has found. A place is a u64, ascending: field << 33 | position << 1 | exact form?
//
// In the entries of `candidates.ts`, by word and candidate:
//
// 16 where the numbers start in B_RERANK_POSITIONS, in bytes 20 their count 24 whether they are being read from
// postings

import { documentAt, F_OCCURRENCES, foundAt, foundPosting, P_BLOCK, P_CANDIDATE, P_EXACT, P_FREQUENCY,
  P_INDEX } from './candidates.ts';
import { readOpenPosting, readTailPosting } from './chunk-positions.ts';
import { CHOSEN, FREQUENCIES, H_GATHERED } from './layout.ts';
import { mergePositions } from './merging.ts';
import { findPlace, keepPlace, positionsAt, readPlace } from './places.ts';
import { openPositions } from './positions.ts';
import { blockPositions, readBlockFrequencies } from './reading.ts';
import { B_MERGE, B_RERANK_POSITIONS, buffer, reserve, shrink } from './scratch.ts';

const F_START: usize = 16;
const F_COUNT: usize = 20;
const F_NEW: usize = 24;

/** At H_GATHERED: bytes of numbers. */
const BYTES: usize = 12;

/** At most this many bytes are written behind the numbers of a place. */
const REST: u32 = 32;
/** Bytes of numbers that are kept for the next query. */
const KEPT: u32 = 1 << 22;

/** Forgets what was gathered before. */
export function openGathering(): void {
  store<u32>(H_GATHERED, 0, BYTES);
}

/** Frees the memory that very many numbers took. */
export function closeGathering(): void {
  shrink(B_RERANK_POSITIONS, KEPT);
}

/**
 * Gathers the places of a word in `count` candidates (u32 each at `some`). Its postings are those from `first` to
 * `end`; `hash` is its key in `places.ts`, where places that are read from postings are remembered.
 */
export function gatherWord(word: u32, hash: u64, first: u32, end: u32, some: usize, count: u32): void {
  let unknown: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const c = load<u32>(some + (<usize>i << 2));
    const found = foundAt(word, c);
    store<u32>(found, 0, F_COUNT);
    if (load<u32>(found, F_OCCURRENCES) === 0) continue;
    const place = findPlace(hash, documentAt(c));
    if (place !== 0) {
      const to = roomFor(positionsAt(place));
      readPlace(place, to);
      finish(found, to, to + (<usize>positionsAt(place) << 3));
    } else {
      store<u32>(found, 1, F_NEW);
      unknown++;
    }
  }
  if (unknown === 0) return;
  readPostings(word, first, end);
  for (let i: u32 = 0; i < count; i++) {
    const c = load<u32>(some + (<usize>i << 2));
    const found = foundAt(word, c);
    if (load<u32>(found, F_NEW) === 0) continue;
    store<u32>(found, 0, F_NEW);
    keepPlace(hash, documentAt(c), gathered(found), countGathered(found));
  }
}

/** Address of the numbers of a word in a candidate, given its entry; valid until more is gathered. */
export function gathered(found: usize): usize {
  return buffer(B_RERANK_POSITIONS) + load<u32>(found, F_START);
}

export function countGathered(found: usize): u32 {
  return load<u32>(found, F_COUNT);
}

function isNew(posting: usize, word: u32): bool {
  return load<u32>(foundAt(word, load<u32>(posting, P_CANDIDATE)), F_NEW) !== 0;
}

function readPostings(word: u32, first: u32, end: u32): void {
  for (let i = first; i < end;) {
    const block = <usize>load<u32>(foundPosting(i), P_BLOCK);
    let chosen = CHOSEN;
    do {
      store<u32>(chosen, i);
      chosen += <usize>isNew(foundPosting(i), word) << 2;
      i++;
    } while (block !== 0 && i < end && <usize>load<u32>(foundPosting(i), P_BLOCK) === block);
    if (chosen === CHOSEN) continue;
    if (block !== 0) openPositions(blockPositions(block), readBlockFrequencies(block, FREQUENCIES), FREQUENCIES);
    for (let at = CHOSEN; at < chosen; at += 4) readPosting(block, foundPosting(load<u32>(at)), word);
  }
}

/**
 * Reads the positions of a posting of a block whose positions are open, or of a tail, and adds them to those of the
 * word's other forms.
 */
function readPosting(block: usize, posting: usize, word: u32): void {
  const found = foundAt(word, load<u32>(posting, P_CANDIDATE));
  const count = load<u32>(posting, P_FREQUENCY);
  const before = load<u32>(found, F_COUNT);
  const to = roomFor(before + count);
  const own = before === 0 ? to : reserve(B_MERGE, count * 8);
  if (block !== 0) readOpenPosting(block, load<u32>(posting, P_INDEX), count, own);
  else readTailPosting(load<u32>(posting, P_INDEX), count, own);
  const isExact = <u64>load<u32>(posting, P_EXACT);
  for (let at = own, end = own + (<usize>count << 3); at < end; at += 8) store<u64>(at, (load<u64>(at) << 1) | isExact);
  if (before === 0) return finish(found, to, to + (<usize>count << 3));
  memory.copy(to, gathered(found), <usize>before << 3);
  finish(found, to, mergePositions(to, to + (<usize>before << 3), own, count));
}

function roomFor(numbers: u32): usize {
  const bytes = load<u32>(H_GATHERED, BYTES);
  return reserve(B_RERANK_POSITIONS, bytes + numbers * 8 + REST) + <usize>bytes;
}

function finish(found: usize, start: usize, end: usize): void {
  const numbers = buffer(B_RERANK_POSITIONS);
  store<u32>(found, <u32>(start - numbers), F_START);
  store<u32>(found, <u32>(end - start) >> 3, F_COUNT);
  store<u32>(H_GATHERED, <u32>(end - numbers), BYTES);
}
