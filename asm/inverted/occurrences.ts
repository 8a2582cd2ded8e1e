// Where the words of a phrase occur in its candidates (see `phrase-candidates.ts`). Forms are processed one after the
// other, and only positions in candidates are decoded.
//
// The place of a word in a candidate, which its note becomes (see `phrase-notes.ts`), is the start of its positions in
// B_POSITIONS_FOUND, in bytes, and their number, u32 each. A position is a u64 with the field in its upper half, so
// that the positions of a word ascend; positions in derived fields are left out.

import { readChunkPositions, readOpenPosting, readTailPosting } from './chunk-positions.ts';
import { firstChunkFor } from './counting.ts';
import { chunkIn, KEPT_FREQUENCIES, keptForm } from './kept-chunks.ts';
import { CHOSEN, DOCS, FREQUENCIES, H_FOUND, TAIL_PLACES } from './layout.ts';
import { hasBitBetween } from './levels.ts';
import { mergeOwn, mergePositions } from './merging.ts';
import { chooseRemaining, endOfNoted, firstNoted, nextNoted, notedChunk, notedForm, notedWord, notePostings,
  placeForPostings } from './noted-postings.ts';
import { BETWEEN_NOTES, candidateCount, choose, chosenIndex, chosenRank, noteOf, noteSize,
  notesOf } from './phrase-candidates.ts';
import { copyPositions, isMany, setKnown } from './phrase-notes.ts';
import { decodePosting, decodeSingle, openPositions } from './positions.ts';
import { blockAt, blockCount } from './postings.ts';
import { blockFields, blockPositions, chunkCount, chunkPostings, isCurrent, postingOfTail, readChunk,
  touchPositions } from './reading.ts';
import { R_TAIL, recordOf } from './records.ts';
import { noteInBlock, noteInTail } from './remainders.ts';
import { B_CHUNK_POSITIONS, B_POSITIONS_FOUND, buffer, reserve, shrink } from './scratch.ts';

const P_START: usize = 0;
const P_COUNT: usize = 4;

/**
 * In a tail, or in a block with several fields: if at most one posting in this many is needed, positions are decoded
 * one by one, which is then faster.
 */
const FEW: u32 = 5;
/** Bytes of positions that are kept for the next query. */
const KEPT: u32 = 1 << 22;

/** Forgets the positions that were found, for other candidates. */
export function openOccurrences(): void {
  store<u32>(H_FOUND, 0);
}

/** Frees the memory that very many positions took. */
export function closeOccurrences(): void {
  shrink(B_POSITIONS_FOUND, KEPT);
  shrink(B_CHUNK_POSITIONS, KEPT);
}

/**
 * Adds the places of a form to the places of a word in the candidates, which are documents from `first` to `last`, and
 * those of a bitmap unless `bits` is 0. If `roughly` is set, it notes only their remainders (see `remainders.ts`), and
 * the postings for `findRemaining`.
 */
export function findForm(form: u32, word: u32, bits: usize, first: u32, last: u32, roughly: bool): void {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  const kept = keptForm(form);
  const places = placesIn(kept, chunks);
  let touched: u32 = 0;
  for (let chunk = firstChunkFor(record, first); chunk < chunks; chunk++) {
    if (chunk < blocks && isCurrent(blockAt(record, chunk))) {
      const from = max(load<u32>(blockAt(record, chunk), 4), first);
      const to = min(load<u32>(blockAt(record, chunk)), last);
      if (from > last) return;
      if (from > to || (bits !== 0 && !hasBitBetween(bits, from, to))) continue;
    }
    if (chunk < blocks && chunk >= touched) touched = touchPositions(record, chunk);
    const docs = kept === 0 ? DOCS : chunkIn(kept, chunk);
    const frequencies = kept === 0 ? FREQUENCIES : docs + KEPT_FREQUENCIES;
    const count = kept === 0 ? readChunk(form, chunk, docs, frequencies) : chunkPostings(record, chunk);
    const postings = roughly ? placeForPostings() : CHOSEN;
    const chosen = choose(docs, count, postings);
    if (chosen === 0) continue;
    if (!roughly) {
      findInChunk(form, chunk, frequencies, count, chosen, places, word);
      continue;
    }
    noteRoughly(form, chunk, frequencies, count, places, postings, chosen, word);
  }
}

/** Notes chosen postings of a chunk, and their remainders. `places` has those of the postings of a tail. */
export function noteRoughly(form: u32, chunk: u32, frequencies: usize, count: u32, places: usize, postings: usize,
  chosen: u32, word: u32): void
{
  const record = recordOf(form);
  const end = postings + (<usize>chosen << 2);
  notePostings(word, form, chunk, chosen);
  if (chunk < blockCount(record)) noteInBlock(blockAt(record, chunk), frequencies, count, postings, end, word);
  else noteInTail(load<u32>(record, R_TAIL), places, postings, end, word);
}

/** Finds the places of all words in the candidates that remain: in their notes, and in the noted postings. */
export function findRemaining(): void {
  for (let note = notesOf(0), end = note + <usize>candidateCount() * noteSize(); note < end; note += BETWEEN_NOTES)
    placeNoted(note);
  for (let noted = firstNoted(), end = endOfNoted(); noted < end; noted = nextNoted(noted)) {
    const chosen = chooseRemaining(noted);
    if (chosen === 0) continue;
    const form = notedForm(noted);
    const chunk = notedChunk(noted);
    const kept = keptForm(form);
    const frequencies = kept === 0 ? FREQUENCIES : chunkIn(kept, chunk) + KEPT_FREQUENCIES;
    const count = kept === 0 ? readChunk(form, chunk, DOCS, FREQUENCIES) : chunkPostings(recordOf(form), chunk);
    findInChunk(form, chunk, frequencies, count, chosen, placesIn(kept, chunkCount(form)), notedWord(noted));
  }
}

/** Makes a place of a note, which is empty unless all positions are in the note. */
function placeNoted(note: usize): void {
  const isAll = !isMany(note);
  const found = load<u32>(H_FOUND);
  const positions = reserve(B_POSITIONS_FOUND, found + 24) + <usize>found;
  finishPlace(note, positions, positions + (isAll ? <usize>copyPositions(note, positions) << 3 : 0));
  setKnown(note, isAll);
}

/** How often a word occurs in the candidate with a rank, in fields that are not derived. */
export function countFound(word: u32, rank: u32): u32 {
  return load<u32>(noteOf(word, rank), P_COUNT);
}

/** Address of its positions there; valid until more are found. */
export function positionsFound(word: u32, rank: u32): usize {
  return buffer(B_POSITIONS_FOUND) + load<u32>(noteOf(word, rank), P_START);
}

/** Address of the places in the tail of a form, the last of `chunks` chunks, after it was read. */
function placesIn(kept: usize, chunks: u32): usize {
  return kept === 0 ? TAIL_PLACES : chunkIn(kept, chunks);
}

function findInChunk(form: u32, chunk: u32, frequencies: usize, count: u32, chosen: u32, places: usize,
  word: u32): void
{
  const record = recordOf(form);
  const end = CHOSEN + (<usize>chosen << 2);
  if (chunk < blockCount(record)) {
    const block = blockAt(record, chunk);
    if (blockFields(block) === 1) return findInContent(block, frequencies, count, end, word);
    if (chosen * FEW <= count) return findInFew(block, frequencies, count, end, word);
  } else if (chosen * FEW <= count) return findInTail(load<u32>(record, R_TAIL), places, frequencies, end, word);
  let values: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) values += load<u32>(frequencies + i);
  let from = reserve(B_CHUNK_POSITIONS, values * 8);
  readChunkPositions(form, chunk, count, frequencies, from);
  let i: u32 = 0;
  for (let at = CHOSEN; at < end; at += 4) {
    for (; i < chosenIndex(at); i++) from += <usize>load<u32>(frequencies + (<usize>i << 2)) << 3;
    const frequency = load<u32>(frequencies + (<usize>i << 2));
    const place = noteOf(word, chosenRank(at));
    addToPlace(place, makeRoom(place, frequency), from, frequency);
  }
}

/** The same for a block whose postings are in the content only; `end` is the end of the chosen indexes. */
function findInContent(block: usize, frequencies: usize, count: u32, end: usize, word: u32): void {
  openPositions(blockPositions(block), count, frequencies);
  for (let at = CHOSEN; at < end; at += 4) {
    const index = chosenIndex(at);
    const frequency = load<u32>(frequencies + (<usize>index << 2));
    const place = noteOf(word, chosenRank(at));
    const positions = makeRoom(place, frequency);
    if (frequency === 1 && load<u32>(place, P_COUNT) === 0) {
      store<u64>(positions, decodeSingle(index));
      finishPlace(place, positions, positions + 8);
    } else if (load<u32>(place, P_COUNT) === 0) {
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
function findInFew(block: usize, frequencies: usize, count: u32, end: usize, word: u32): void {
  openPositions(blockPositions(block), count, frequencies);
  for (let at = CHOSEN; at < end; at += 4) {
    const index = chosenIndex(at);
    const frequency = load<u32>(frequencies + (<usize>index << 2));
    const own = reserve(B_CHUNK_POSITIONS, frequency * 8);
    readOpenPosting(block, index, frequency, own);
    const place = noteOf(word, chosenRank(at));
    addToPlace(place, makeRoom(place, frequency), own, frequency);
  }
}

/** The same for a tail. */
function findInTail(tail: usize, places: usize, frequencies: usize, end: usize, word: u32): void {
  for (let at = CHOSEN; at < end; at += 4) {
    const index = chosenIndex(at);
    const posting = postingOfTail(tail, places, index);
    const frequency = load<u32>(frequencies + (<usize>index << 2));
    const own = reserve(B_CHUNK_POSITIONS, frequency * 8);
    readTailPosting(posting, frequency, own);
    const place = noteOf(word, chosenRank(at));
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
  const before = mergePositions(room, room, buffer(B_POSITIONS_FOUND) + load<u32>(place, P_START),
    load<u32>(place, P_COUNT));
  finishPlace(place, room, mergeOwn(room, before, from, count));
}

function finishPlace(place: usize, start: usize, end: usize): void {
  const found = buffer(B_POSITIONS_FOUND);
  store<u32>(place, <u32>(start - found), P_START);
  store<u32>(place, <u32>(end - start) >> 3, P_COUNT);
  store<u32>(H_FOUND, <u32>(end - found));
}
