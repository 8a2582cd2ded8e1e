// All places of a query's words in some documents, its candidates, for reranking. Words, and their forms, are processed one after the
// other, so that a block is read once for all candidates in it. A place is a u64, ascending: field << 33 | position << 1 | exact form?
//
// Candidates are in ascending order, in the upper halves of u64. B_RERANK_FOUND has, by word and candidate, 16 bytes each:
//
//     0 where the numbers start in B_RERANK_POSITIONS, in bytes   4 their count   8 whether they were not remembered

import { readChunkPositions, readOpenPosting } from './chunk-positions.ts';
import { firstChunkFrom } from './counting.ts';
import { CHOSEN, DOCS, FREQUENCIES, H_GATHERED, H_REMAP } from './layout.ts';
import { mergePositions } from './merging.ts';
import { findPlace, keepPlace, positionsAt, readPlace } from './places.ts';
import { openPositions } from './positions.ts';
import { blockAt, blockCount } from './postings.ts';
import { blockPositions, chunkCount, isCurrent, readChunk } from './reading.ts';
import { recordOf } from './records.ts';
import { B_INPUT, B_MERGE, B_RERANK_FOUND, B_RERANK_POSITIONS, buffer, reserve, shrink } from './scratch.ts';

const FOUND: u32 = 16;
const F_START: usize = 0;
const F_COUNT: usize = 4;
const F_NEW: usize = 8;

// At H_GATHERED: address of the candidates, their number, bytes of numbers, and the next candidate.
const ORDER: usize = 0;
const COUNT: usize = 4;
const BYTES: usize = 8;
const NEXT: usize = 12;

/** At most this many bytes are written behind the numbers of a place. */
const REST: u32 = 32;
/** If at most one in this many postings of a block is needed, their positions are decoded one by one; otherwise decoding all is faster. */
const FEW: u32 = 6;
/** Bytes of numbers that are kept for the next query. */
const KEPT: u32 = 1 << 22;

/** Makes space for the places of `words` words in `count` candidates. */
export function openGathering(words: u32, order: usize, count: u32): void {
  store<u32>(H_GATHERED, <u32>order, ORDER);
  store<u32>(H_GATHERED, count, COUNT);
  store<u32>(H_GATHERED, 0, BYTES);
  reserve(B_RERANK_FOUND, max(words * count, 1) * FOUND);
}

/** Frees the memory that very many numbers took. */
export function closeGathering(): void {
  shrink(B_RERANK_POSITIONS, KEPT);
}

/** Finds a word in all candidates. Its forms are in B_INPUT from `input` on, first the exact one or 0; `hash` is its key in `places.ts`. */
export function gatherWord(word: u32, hash: u64, forms: u32, input: u32): void {
  const count = load<u32>(H_GATHERED, COUNT);
  for (let c: u32 = 0; c < count; c++) {
    const found = foundAt(word, c);
    const place = findPlace(hash, documentAt(c));
    store<u64>(found, 0);
    store<u32>(found, <u32>(place === 0), F_NEW);
    if (place === 0) continue;
    const to = roomFor(positionsAt(place));
    readPlace(place, to);
    finish(found, to, to + (<usize>positionsAt(place) << 3));
  }
  for (let i: u32 = 0; i < forms; i++) {
    const form = load<u32>(buffer(B_INPUT) + (<usize>(input + i) << 2));
    if (form !== 0) findForm(form, i === 0, word);
  }
}

/** Remembers the places of a word that were not remembered. */
export function keepWord(word: u32, hash: u64): void {
  const count = load<u32>(H_GATHERED, COUNT);
  for (let c: u32 = 0; c < count; c++) {
    if (load<u32>(foundAt(word, c), F_NEW) !== 0) keepPlace(hash, documentAt(c), gathered(word, c), countGathered(word, c));
  }
}

/** Address of the numbers of a word in a candidate; valid until more is gathered. */
export function gathered(word: u32, c: u32): usize {
  return buffer(B_RERANK_POSITIONS) + load<u32>(foundAt(word, c), F_START);
}

export function countGathered(word: u32, c: u32): u32 {
  return load<u32>(foundAt(word, c), F_COUNT);
}

function foundAt(word: u32, c: u32): usize {
  return buffer(B_RERANK_FOUND) + <usize>(word * load<u32>(H_GATHERED, COUNT) + c) * FOUND;
}

function documentAt(c: u32): u32 {
  return load<u32>(<usize>load<u32>(H_GATHERED, ORDER) + (<usize>c << 3), 4);
}

/** The first candidate from one on in which a word must be looked for; the number of candidates if there is none. */
function nextNew(word: u32, c: u32): u32 {
  const count = load<u32>(H_GATHERED, COUNT);
  while (c < count && load<u32>(foundAt(word, c), F_NEW) === 0) c++;
  return c;
}

function findForm(form: u32, isExact: bool, word: u32): void {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  const count = load<u32>(H_GATHERED, COUNT);
  // Blocks that compaction has not renumbered do not say where they end.
  const ordered = load<u32>(H_REMAP) === 0;
  let c = nextNew(word, 0);
  for (let chunk: u32 = 0; c < count && chunk < chunks; chunk++) {
    if (ordered) chunk = firstChunkFrom(record, chunk, documentAt(c));
    if (chunk === chunks) return;
    if (chunk < blocks && isCurrent(blockAt(record, chunk))) {
      const block = blockAt(record, chunk);
      while (c < count && documentAt(c) < load<u32>(block, 4)) c = nextNew(word, c + 1);
      if (c === count) return;
      if (documentAt(c) > load<u32>(block)) continue;
    }
    const read = readChunk(form, chunk, DOCS, FREQUENCIES);
    const chosen = choose(word, c, read);
    c = load<u32>(H_GATHERED, NEXT);
    if (chosen > 0) decodeChosen(form, chunk, read, chosen, word, isExact);
  }
}

/** Writes the indexes of candidates among the `read` postings, each with its candidate, to CHOSEN. Returns their number; notes the next one. */
function choose(word: u32, c: u32, read: u32): u32 {
  const count = load<u32>(H_GATHERED, COUNT);
  let chosen: u32 = 0;
  let i: u32 = 0;
  for (; c < count; c = nextNew(word, c + 1)) {
    const doc = documentAt(c);
    // (Documents that compaction drops are 0.)
    while (i < read && load<u32>(DOCS + (<usize>i << 2)) < doc) i++;
    if (i === read) break;
    if (load<u32>(DOCS + (<usize>i << 2)) !== doc) continue;
    store<u64>(CHOSEN + (<usize>chosen << 3), (<u64>c << 32) | i);
    chosen++;
  }
  store<u32>(H_GATHERED, c, NEXT);
  return chosen;
}

function decodeChosen(form: u32, chunk: u32, read: u32, chosen: u32, word: u32, isExact: bool): void {
  const record = recordOf(form);
  if (chunk < blockCount(record) && chosen * FEW <= read) return decodeFew(blockAt(record, chunk), read, chosen, word, isExact);
  let values: u32 = 0;
  for (let i: usize = 0; i < <usize>read << 2; i += 4) values += load<u32>(FREQUENCIES + i);
  let from = reserve(B_MERGE, values * 8);
  readChunkPositions(form, chunk, read, FREQUENCIES, from);
  let i: u32 = 0;
  for (let at = CHOSEN, end = CHOSEN + (<usize>chosen << 3); at < end; at += 8) {
    for (; i < load<u32>(at); i++) from += <usize>load<u32>(FREQUENCIES + (<usize>i << 2)) << 3;
    add(foundAt(word, load<u32>(at, 4)), from, load<u32>(FREQUENCIES + (<usize>i << 2)), isExact);
  }
}

/** Decodes the positions of some postings of a block, one by one. */
function decodeFew(block: usize, read: u32, chosen: u32, word: u32, isExact: bool): void {
  openPositions(blockPositions(block), read, FREQUENCIES);
  for (let at = CHOSEN, end = CHOSEN + (<usize>chosen << 3); at < end; at += 8) {
    const frequency = load<u32>(FREQUENCIES + (<usize>load<u32>(at) << 2));
    const own = reserve(B_MERGE, frequency * 8);
    readOpenPosting(block, load<u32>(at), frequency, own);
    add(foundAt(word, load<u32>(at, 4)), own, frequency, isExact);
  }
}

/** Turns positions into numbers, in place, and adds them to the numbers of other forms. */
function add(found: usize, positions: usize, count: u32, isExact: bool): void {
  for (let at = positions, end = positions + (<usize>count << 3); at < end; at += 8) store<u64>(at, (load<u64>(at) << 1) | <u64>isExact);
  const before = load<u32>(found, F_COUNT);
  const to = roomFor(before + count);
  memory.copy(to, buffer(B_RERANK_POSITIONS) + load<u32>(found, F_START), <usize>before << 3);
  finish(found, to, mergePositions(to, to + (<usize>before << 3), positions, count));
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
