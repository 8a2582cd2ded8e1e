// Where a query's words occur in some documents, its candidates, for reranking: the postings of all words, how often a
// candidate has each word, and in which fields. No position is decoded (see `gathering.ts`). Words, and their forms,
// are processed one after the other, so that a block is read once for all candidates in it.
//
// Candidates are in ascending order, in the upper halves of u64. B_RERANK_FOUND has, by word and candidate, 32 bytes
// each:
//
// 0 occurrences 4 in the title 8 of the exact form in the title 12 of the exact form in the key 16 fields of
// `gathering.ts`
//
// B_RERANK_POSTINGS has the postings, word by word, form by form, block by block, in the order of candidates, 24 bytes
// each:
//
// 0 candidate 4 block, 0 for the tail 8 index in the block, or address in the tail 12 frequency 16 of the exact form?

import { getVarint, skipVarints, varintLength, varintValue } from './bytes.ts';
import { firstChunkFrom } from './counting.ts';
import { blockFieldParts, partFrequency } from './fields.ts';
import { CHOSEN, DOCS, FREQUENCIES, H_GATHERED, H_REMAP, H_TOUCHED } from './layout.ts';
import { blockAt, blockBits, blockCount, parsePosting, postingFields, postingFieldsAt, postingFrequency, skipFields,
  tailCount } from './postings.ts';
import { blockFields, isCurrent, isTailCurrent, readBlock, readBlockDocuments,
  readBlockFrequencies } from './reading.ts';
import { R_LAST, R_TAIL, recordOf } from './records.ts';
import { B_INPUT, B_RERANK_FOUND, B_RERANK_POSTINGS, buffer, reserve } from './scratch.ts';

const FOUND: u32 = 32;
export const F_OCCURRENCES: usize = 0;
export const F_TITLE: usize = 4;
export const F_EXACT_TITLE: usize = 8;
export const F_EXACT_KEY: usize = 12;

const POSTING: u32 = 24;
export const P_CANDIDATE: usize = 0;
export const P_BLOCK: usize = 4;
export const P_INDEX: usize = 8;
export const P_FREQUENCY: usize = 12;
export const P_EXACT: usize = 16;

export const TITLE_FIELD: u32 = 1;
export const KEY_FIELD: u32 = 6;

// At H_GATHERED: address of the candidates, their number, and the number of postings; `gathering.ts` has the fourth
// number.
const ORDER: usize = 0;
const COUNT: usize = 4;
const POSTINGS: usize = 8;

/** Blocks that are looked up before they are read, so that their cache misses overlap; at most 128. */
const TOGETHER: u32 = 32;

/** Begins with `count` candidates, in which none of `words` words has been found. */
export function openCandidates(words: u32, order: usize, count: u32): void {
  store<u32>(H_GATHERED, <u32>order, ORDER);
  store<u32>(H_GATHERED, count, COUNT);
  store<u32>(H_GATHERED, 0, POSTINGS);
  memory.fill(reserve(B_RERANK_FOUND, max(words * count, 1) * FOUND), 0, <usize>(words * count * FOUND));
}

/**
 * Finds a word in all candidates, after the words before it. Its forms are in B_INPUT from `input` on, first the exact
 * one or 0.
 */
export function findWord(word: u32, forms: u32, input: u32): void {
  for (let i: u32 = 0; i < forms; i++) {
    const form = load<u32>(buffer(B_INPUT) + (<usize>(input + i) << 2));
    if (form !== 0) findForm(form, i === 0, word);
  }
}

export function documentAt(c: u32): u32 {
  return load<u32>(<usize>load<u32>(H_GATHERED, ORDER) + (<usize>c << 3), 4);
}

/** What is known of a word in a candidate. */
export function foundAt(word: u32, c: u32): usize {
  return buffer(B_RERANK_FOUND) + <usize>(word * load<u32>(H_GATHERED, COUNT) + c) * FOUND;
}

/** Number of postings found so far. */
export function postingsFound(): u32 {
  return load<u32>(H_GATHERED, POSTINGS);
}

export function foundPosting(index: u32): usize {
  return buffer(B_RERANK_POSTINGS) + <usize>index * POSTING;
}

function findForm(form: u32, isExact: bool, word: u32): void {
  const record = recordOf(form);
  const count = load<u32>(H_GATHERED, COUNT);
  reserve(B_RERANK_POSTINGS, (postingsFound() + count) * POSTING);
  const c = load<u32>(H_REMAP) === 0 ? findInBlocks(record, isExact, word) : findInUnordered(record, isExact, word);
  if (c < count && tailCount(record) > 0) findInTail(record, c, isExact, word);
}

/** Finds candidates in blocks of the current epoch; returns the first candidate behind them. */
function findInBlocks(record: usize, isExact: bool, word: u32): u32 {
  const count = load<u32>(H_GATHERED, COUNT);
  const blocks = blockCount(record);
  let touched: u32 = 0;
  let c: u32 = 0;
  for (let chunk: u32 = 0; c < count && chunk < blocks;) {
    // Some blocks that may have candidates, with the ends of these.
    let some: u32 = 0;
    let loaded: u32 = 0;
    const from = c;
    for (; some < TOGETHER && c < count; chunk++) {
      if (chunk >= touched) touched = touchHeaders(record, chunk);
      chunk = firstChunkFrom(record, chunk, documentAt(c));
      if (chunk === blocks) break;
      const block = blockAt(record, chunk);
      const last = load<u32>(block);
      const first = load<u32>(block, 4);
      let isWanted = false;
      for (; c < count && documentAt(c) <= last; c++) isWanted = isWanted || documentAt(c) >= first;
      if (!isWanted) continue;
      loaded |= load<u32>(block, 64) | load<u32>(block, 128);
      store<u64>(CHOSEN + (<usize>some << 3), (<u64>c << 32) | <u64>block);
      some++;
    }
    store<u32>(H_TOUCHED, loaded);
    let next = from;
    for (let i: u32 = 0; i < some; i++) {
      const end = load<u32>(CHOSEN + (<usize>i << 3), 4);
      findInBlock(load<u32>(CHOSEN + (<usize>i << 3)), next, end, isExact, word);
      next = end;
    }
  }
  return c;
}

/** Blocks whose headers are loaded together: their cache misses overlap. */
const HEADERS: u32 = 64;

/**
 * Loads the headers of some blocks from one on into the CPU caches; returns the index of the first block that it left
 * out.
 */
function touchHeaders(record: usize, first: u32): u32 {
  const end = min(first + HEADERS, blockCount(record));
  let some: u32 = 0;
  for (let i = first; i < end; i++) some |= load<u32>(blockAt(record, i));
  store<u32>(H_TOUCHED, some);
  return end;
}

/** The same while blocks are renumbered: those that are not yet do not say where they end. */
function findInUnordered(record: usize, isExact: bool, word: u32): u32 {
  const count = load<u32>(H_GATHERED, COUNT);
  const blocks = blockCount(record);
  let c: u32 = 0;
  for (let chunk: u32 = 0; c < count && chunk < blocks; chunk++) {
    const block = blockAt(record, chunk);
    if (!isCurrent(block) || documentAt(c) <= load<u32>(block)) c = findInBlock(block, c, count, isExact, word);
  }
  return c;
}

/** Finds candidates from one on up to another in a block; returns the first candidate that may be behind it. */
function findInBlock(block: usize, from: u32, to: u32, isExact: bool, word: u32): u32 {
  const isInOrder = isCurrent(block);
  const read = isInOrder ? readBlockDocuments(block, DOCS) : readBlock(block, DOCS, FREQUENCIES);
  const first = postingsFound();
  let c = from;
  let i: u32 = 0;
  for (; c < to; c++) {
    const doc = documentAt(c);
    // (Documents that compaction drops are 0, anywhere among the others.)
    while (isInOrder && i + 4 <= read && load<u32>(DOCS + (<usize>i << 2), 12) < doc) i += 4;
    while (i < read && load<u32>(DOCS + (<usize>i << 2)) < doc) i++;
    if (i === read) break;
    if (load<u32>(DOCS + (<usize>i << 2)) === doc) note(c, <u32>block, i, isExact);
  }
  if (postingsFound() === first) return c;
  if (isInOrder) readBlockFrequencies(block, FREQUENCIES);
  const end = foundPosting(postingsFound());
  for (let posting = foundPosting(first); posting < end; posting += POSTING) {
    setFrequency(posting, load<u32>(FREQUENCIES + (<usize>load<u32>(posting, P_INDEX) << 2)), word);
  }
  if ((blockFields(block) & blockBits((1 << TITLE_FIELD) | (1 << KEY_FIELD))) !== 0)
    countFields(block, first, isExact, word);
  return c;
}

/** Counts occurrences in title and key of the postings of a block, which are the last from `first` on. */
function countFields(block: usize, first: u32, isExact: bool, word: u32): void {
  let posting = foundPosting(first);
  const end = foundPosting(postingsFound());
  let at = blockFieldParts(block);
  for (let specials = <u32>load<u8>(at - 1); specials > 0; specials--) {
    const index = <u32>load<u8>(at);
    while (posting < end && load<u32>(posting, P_INDEX) < index) posting += POSTING;
    if (posting === end) return;
    if (load<u32>(posting, P_INDEX) === index)
      countPart(at + 1, foundAt(word, load<u32>(posting, P_CANDIDATE)), isExact);
    at = skipFields(at + 1);
  }
}

function findInTail(record: usize, c: u32, isExact: bool, word: u32): void {
  const remap: usize = isTailCurrent(record) ? 0 : load<u32>(H_REMAP);
  if (remap === 0 && documentAt(c) > load<u32>(record, R_LAST)) return;
  const count = load<u32>(H_GATHERED, COUNT);
  let at = <usize>load<u32>(record, R_TAIL);
  let unmapped: u32 = 0;
  for (let left = tailCount(record); left > 0; left--) {
    const head = getVarint(at);
    unmapped += varintValue(head) >> 1;
    const doc = remap === 0 ? unmapped : load<u32>(remap + (<usize>unmapped << 2));
    while (c < count && documentAt(c) < doc) c++;
    if (c === count) return;
    const isFound = documentAt(c) === doc;
    // Most postings have one occurrence in the content.
    if ((varintValue(head) & 1) !== 0) {
      if (isFound) noteInTail(c, at, 1, isExact, word);
      at = skipVarints(at + varintLength(head), 1);
      continue;
    }
    const positions = parsePosting(at);
    if (isFound) {
      noteInTail(c, at, postingFrequency(), isExact, word);
      if (postingFields() !== 1) countPart(postingFieldsAt(), foundAt(word, c), isExact);
    }
    at = skipVarints(positions, postingFrequency());
  }
}

/** Counts occurrences in title and key, given a field part. */
function countPart(part: usize, found: usize, isExact: bool): void {
  const inTitle = partFrequency(part, TITLE_FIELD);
  add(found + F_TITLE, inTitle);
  if (!isExact) return;
  add(found + F_EXACT_TITLE, inTitle);
  add(found + F_EXACT_KEY, partFrequency(part, KEY_FIELD));
}

/** Adds a posting, for which there is space. */
function note(c: u32, block: u32, index: u32, isExact: bool): void {
  const postings = postingsFound();
  const posting = foundPosting(postings);
  store<u32>(H_GATHERED, postings + 1, POSTINGS);
  store<u32>(posting, c, P_CANDIDATE);
  store<u32>(posting, block, P_BLOCK);
  store<u32>(posting, index, P_INDEX);
  store<u32>(posting, <u32>isExact, P_EXACT);
}

function noteInTail(c: u32, at: usize, frequency: u32, isExact: bool, word: u32): void {
  note(c, 0, <u32>at, isExact);
  setFrequency(foundPosting(postingsFound() - 1), frequency, word);
}

function setFrequency(posting: usize, frequency: u32, word: u32): void {
  store<u32>(posting, frequency, P_FREQUENCY);
  add(foundAt(word, load<u32>(posting, P_CANDIDATE)) + F_OCCURRENCES, frequency);
}

function add(place: usize, amount: u32): void {
  store<u32>(place, load<u32>(place) + amount);
}
