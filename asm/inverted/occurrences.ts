// Where the words of a phrase occur in the documents of a level. These documents are the candidates; they are known before any position
// is read. Forms are processed one after the other, and only positions in candidates are decoded. Some thousand candidates are processed
// at a time, so that their positions take little memory however many candidates there are.
//
// A candidate's rank is the number of candidates before it: B_RANKS has the rank of the first of each 64 documents, u32. By word and rank,
// B_PLACES_FOUND has the start of the positions in B_POSITIONS_FOUND, in bytes, and their number, u32 each. A position is a u64 with
// the field in its upper half, so that the positions of a word ascend; positions in derived fields are left out.

import { readChunkPositions, readOpenPosting } from './chunk-positions.ts';
import { firstChunkFor } from './counting.ts';
import { CHOSEN, DOCS, FREQUENCIES, H_CANDIDATES, H_FOUND } from './layout.ts';
import { chunkIn, KEPT_FREQUENCIES, keptForm } from './kept-chunks.ts';
import { bitmapBytes, hasBitBetween } from './levels.ts';
import { mergeOwn, mergePositions } from './merging.ts';
import { decodePosting, openPositions } from './positions.ts';
import { blockAt, blockCount } from './postings.ts';
import { blockFields, blockPositions, chunkCount, chunkPostings, isCurrent, readChunk, touchPositions } from './reading.ts';
import { recordOf } from './records.ts';
import { B_CHUNK_POSITIONS, B_PLACES_FOUND, B_POSITIONS_FOUND, B_RANKS, buffer, reserve, shrink } from './scratch.ts';

const PLACE: u32 = 8;
const P_START: usize = 0;
const P_COUNT: usize = 4;

/** In a block with several fields: if at most one posting in this many is needed, positions are decoded one by one, which is then faster. */
const FEW: u32 = 5;
/** Candidates at a time, about. */
const CANDIDATES: u32 = 4096;
/** Bytes of positions that are kept for the next query. */
const KEPT: u32 = 1 << 22;

/**
 * Makes candidates of the documents of a bitmap, from one of its bytes on, without any places of `words` words yet. Returns the byte behind
 * those that it processed.
 */
export function openCandidates(bits: usize, from: usize, words: u32): usize {
  const bytes = bitmapBytes();
  const ranks = reserve(B_RANKS, <u32>(bytes >> 1));
  let rank: u32 = 0;
  let at = from;
  for (; at < bytes && rank < CANDIDATES; at += 8) {
    store<u32>(ranks + (at >> 1), rank);
    rank += <u32>popcnt(load<u64>(bits + at));
  }
  memory.fill(reserve(B_PLACES_FOUND, (words * rank + 1) * PLACE), 0, <usize>(words * rank * PLACE));
  store<u32>(H_CANDIDATES, rank);
  store<u32>(H_FOUND, 0);
  return at;
}

/** Frees the memory that very many positions took. */
export function closeCandidates(): void {
  shrink(B_POSITIONS_FOUND, KEPT);
  shrink(B_CHUNK_POSITIONS, KEPT);
}

function rankOf(doc: u32, bits: usize): u32 {
  const word = <usize>(doc >> 6);
  const before = load<u64>(bits + (word << 3)) & ((<u64>1 << (doc & 63)) - 1);
  return load<u32>(buffer(B_RANKS) + (word << 2)) + <u32>popcnt(before);
}

/** Adds the places of a form to the places of a word in the candidates, which are documents of a bitmap from `first` to `last`. */
export function findForm(form: u32, word: u32, bits: usize, first: u32, last: u32): void {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  const kept = keptForm(form);
  let touched: u32 = 0;
  for (let chunk = firstChunkFor(record, first); chunk < chunks; chunk++) {
    if (chunk < blocks && isCurrent(blockAt(record, chunk))) {
      const from = max(load<u32>(blockAt(record, chunk), 4), first);
      const to = min(load<u32>(blockAt(record, chunk)), last);
      if (from > last) return;
      if (from > to || !hasBitBetween(bits, from, to)) continue;
    }
    if (chunk < blocks && chunk >= touched) touched = touchPositions(record, chunk);
    const docs = kept === 0 ? DOCS : chunkIn(kept, chunk);
    const frequencies = kept === 0 ? FREQUENCIES : docs + KEPT_FREQUENCIES;
    const count = kept === 0 ? readChunk(form, chunk, docs, frequencies) : chunkPostings(record, chunk);
    const chosen = choose(docs, count, bits, first, last);
    if (chosen > 0) findInChunk(form, chunk, docs, frequencies, count, chosen, word, bits);
  }
}

/** How often a word occurs in the candidate with a rank, in fields that are not derived. */
export function countFound(word: u32, rank: u32): u32 {
  return load<u32>(placeOf(word, rank), P_COUNT);
}

/** Address of its positions there; valid until more are found. */
export function positionsFound(word: u32, rank: u32): usize {
  return buffer(B_POSITIONS_FOUND) + load<u32>(placeOf(word, rank), P_START);
}

function placeOf(word: u32, rank: u32): usize {
  return buffer(B_PLACES_FOUND) + (<usize>(word * load<u32>(H_CANDIDATES) + rank)) * PLACE;
}

/** Writes the indexes of candidates among the postings to CHOSEN, u32 each; returns their number. Branch-free, as they are unpredictable. */
function choose(docs: usize, count: u32, bits: usize, first: u32, last: u32): u32 {
  let to = CHOSEN;
  for (let i: u32 = 0; i < count; i++) {
    const doc = load<u32>(docs + (<usize>i << 2));
    store<u32>(to, i);
    to += <usize>((load<u32>(bits + (<usize>(doc >> 5) << 2)) >> (doc & 31)) & <u32>(doc - first <= last - first)) << 2;
  }
  return <u32>(to - CHOSEN) >> 2;
}

function findInChunk(form: u32, chunk: u32, docs: usize, frequencies: usize, count: u32, chosen: u32, word: u32, bits: usize): void {
  const record = recordOf(form);
  const end = CHOSEN + (<usize>chosen << 2);
  if (chunk < blockCount(record)) {
    const block = blockAt(record, chunk);
    if (blockFields(block) === 1) return findInContent(block, docs, frequencies, count, end, word, bits);
    if (chosen * FEW <= count) return findInFew(block, docs, frequencies, count, end, word, bits);
  }
  let values: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) values += load<u32>(frequencies + i);
  let from = reserve(B_CHUNK_POSITIONS, values * 8);
  readChunkPositions(form, chunk, count, frequencies, from);
  let i: u32 = 0;
  for (let at = CHOSEN; at < end; at += 4) {
    for (; i < load<u32>(at); i++) from += <usize>load<u32>(frequencies + (<usize>i << 2)) << 3;
    const frequency = load<u32>(frequencies + (<usize>i << 2));
    const place = placeOf(word, rankOf(load<u32>(docs + (<usize>load<u32>(at) << 2)), bits));
    addToPlace(place, makeRoom(place, frequency), from, frequency);
  }
}

/** The same for a block whose postings are in the content only; `end` is the end of the chosen indexes. */
function findInContent(block: usize, docs: usize, frequencies: usize, count: u32, end: usize, word: u32, bits: usize): void {
  openPositions(blockPositions(block), count, frequencies);
  for (let at = CHOSEN; at < end; at += 4) {
    const index = load<u32>(at);
    const frequency = load<u32>(frequencies + (<usize>index << 2));
    const place = placeOf(word, rankOf(load<u32>(docs + (<usize>index << 2)), bits));
    const positions = makeRoom(place, frequency);
    if (load<u32>(place, P_COUNT) === 0) {
      decodePosting(index, frequency, positions);
      finishPlace(place, positions, positions + (<usize>frequency << 3));
    } else {
      const own = reserve(B_CHUNK_POSITIONS, frequency * 8);
      decodePosting(index, frequency, own);
      addToPlace(place, positions, own, frequency);
    }
  }
}

/** The same for a block with other fields, of which few postings are chosen. */
function findInFew(block: usize, docs: usize, frequencies: usize, count: u32, end: usize, word: u32, bits: usize): void {
  openPositions(blockPositions(block), count, frequencies);
  for (let at = CHOSEN; at < end; at += 4) {
    const index = load<u32>(at);
    const frequency = load<u32>(frequencies + (<usize>index << 2));
    const own = reserve(B_CHUNK_POSITIONS, frequency * 8);
    readOpenPosting(block, index, frequency, own);
    const place = placeOf(word, rankOf(load<u32>(docs + (<usize>index << 2)), bits));
    addToPlace(place, makeRoom(place, frequency), own, frequency);
  }
}

/** Address of free space for `count` positions more than a place has. */
function makeRoom(place: usize, count: u32): usize {
  const found = load<u32>(H_FOUND);
  return reserve(B_POSITIONS_FOUND, found + (load<u32>(place, P_COUNT) + count) * 8) + <usize>found;
}

/** Writes `count` positions, merged with those that a place has of other forms, to free space for both. */
function addToPlace(place: usize, room: usize, from: usize, count: u32): void {
  const before = mergePositions(room, room, buffer(B_POSITIONS_FOUND) + load<u32>(place, P_START), load<u32>(place, P_COUNT));
  finishPlace(place, room, mergeOwn(room, before, from, count));
}

function finishPlace(place: usize, start: usize, end: usize): void {
  const found = buffer(B_POSITIONS_FOUND);
  store<u32>(place, <u32>(start - found), P_START);
  store<u32>(place, <u32>(end - start) >> 3, P_COUNT);
  store<u32>(H_FOUND, <u32>(end - found));
}
