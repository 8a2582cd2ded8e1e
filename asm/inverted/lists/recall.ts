// Finds the list of a group of forms, makes it if there is none, and brings it up to date.
//
// A list from before the last change is still valid for the documents at that time: new documents have larger numbers
// and are appended at its end, and dead ones are removed. Only compaction, which renumbers documents, invalidates all
// lists.

import { firstChunkFor } from '../counting.ts';
import { isDead, lengthsOf } from '../documents.ts';
import { dropDerived } from '../fields.ts';
import { DOCS, FREQUENCIES, H_DEATHS, H_DOCS, H_REMAP, H_SCORING } from '../layout.ts';
import { setBit } from '../levels.ts';
import { chunkCount, readChunk } from '../reading.ts';
import { R_DOCUMENTS, R_LAST, recordOf } from '../records.ts';
import { B_INPUT, B_SUM_BITS, B_SUMS, buffer } from '../scratch.ts';
import { BM25, P_ALGORITHM, P_ALIKE, P_C0, P_C1 } from '../weighing.ts';
import { A_NAME, admits, drop, dropPositions, endOfSet, L_POSITIONS, largestBlock, setOf, takeList,
  touch } from './arena.ts';
import { BARE, documentMask, formsOf, frequenciesOf, impactsOf, isWide, L_ALGORITHM, L_C0, L_C1, L_DEATHS, L_DOCUMENTS,
  L_END, L_FAMILY, L_FORMS, L_PHRASES, L_ROOM, L_WIDE, listBytes, NARROW_DOCUMENT, NARROW_FREQUENCY, NO_IMPACTS,
  noteLargest, SUMS, wordsOf } from './list.ts';
import { recallScored } from './scored.ts';

/** Most forms of a list. */
export const MAX_FORMS: u32 = 1024;

/**
 * The list of a group of `count` forms, each once, in B_INPUT, with the impacts of the current scoring; valid until the
 * next query or change. 0 if there is no space for it.
 */
export function recall(count: u32): usize {
  if (!remembersForms(count)) return 0;
  const forms = buffer(B_INPUT);
  if (load<u32>(H_SCORING, P_ALIKE) === 0 || load<u32>(H_SCORING, P_ALGORITHM) !== BM25)
    return recallScored(forms, count);
  const known = findOf(forms, count, SUMS);
  const list = known === 0 ? make(forms, count, SUMS) : renew(known);
  if (list !== 0 && !hasImpacts(list)) makeImpacts(list);
  return touched(list);
}

/** The same for BM25 over all fields, but perhaps without impacts. */
export function recallBare(count: u32): usize {
  if (!remembersForms(count)) return 0;
  const forms = buffer(B_INPUT);
  const full = findOf(forms, count, SUMS);
  const known = full === 0 ? findOf(forms, count, BARE) : full;
  return touched(known === 0 ? make(forms, count, BARE) : renew(known));
}

function remembersForms(count: u32): bool {
  return largestBlock() !== 0 && count > 0 && count <= MAX_FORMS && load<u32>(H_REMAP) === 0;
}

function touched(list: usize): usize {
  if (list === 0) return 0;
  touch(list);
  if (load<u32>(list, L_POSITIONS) !== 0) touch(load<u32>(list, L_POSITIONS));
  return list;
}

export function documentsIn(list: usize): u32 {
  return load<u32>(list, L_DOCUMENTS);
}

export function hashOf(forms: usize, count: u32, family: u32): u32 {
  let hash = count ^ family;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4) {
    hash = (hash ^ load<u32>(at)) * 0x9e3779b1;
    hash ^= hash >> 15;
  }
  hash *= 0x85ebca77;
  return hash ^ (hash >> 13);
}

function findOf(forms: usize, count: u32, family: u32): usize {
  return find(forms, count, hashOf(forms, count, family), family);
}

export function find(forms: usize, count: u32, hash: u32, family: u32): usize {
  const set = setOf(hash);
  for (let at = set; at < endOfSet(set); at += 4) {
    const list = <usize>load<u32>(at);
    if (list !== 0 && load<u32>(list, A_NAME) === hash && load<u32>(list, L_FORMS) === count &&
      load<u32>(list, L_FAMILY) === family
      && memory.compare(formsOf(list), forms, <usize>count << 2) === 0) return list;
  }
  return 0;
}

function make(forms: usize, count: u32, family: u32): usize {
  let postings: u64 = 0;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4)
    postings += <u64>load<u32>(recordOf(load<u32>(at)), R_DOCUMENTS);
  // A list that may be too long, or that is not admitted, is not even summed.
  const most = listBytes(count, <u32>min(postings, <u64>load<u32>(H_DOCS)), false, family === BARE);
  if (most > <u64>largestBlock() || !admits(<u32>most)) return 0;
  const end = committedEnd();
  const documents = sumFrom(forms, count, 0);
  const wide = end > NARROW_DOCUMENT || !areNarrow(0);
  const room = (documents + (documents >> 3) + 16) & ~3;
  const bytes = listBytes(count, room, wide, family === BARE);
  const list: usize = bytes > <u64>largestBlock() ? 0 : takeList(<u32>bytes, hashOf(forms, count, family));
  if (list === 0) {
    clearSums();
    return 0;
  }
  store<u32>(list, 0, L_POSITIONS);
  store<u32>(list, count, L_FORMS);
  store<u32>(list, 0, L_DOCUMENTS);
  store<u32>(list, room, L_ROOM);
  store<u32>(list, load<u32>(H_DEATHS), L_DEATHS);
  store<u32>(list, <u32>wide, L_WIDE);
  store<u32>(list, family, L_FAMILY);
  memory.copy(formsOf(list), forms, <usize>count << 2);
  append(list, 0);
  store<u32>(list, end, L_END);
  return list;
}

/** Brings a list up to date; 0 if that takes more space than there is. */
function renew(list: usize): usize {
  if (load<u32>(list, L_DEATHS) !== load<u32>(H_DEATHS)) dropDead(list);
  const from = load<u32>(list, L_END);
  const end = committedEnd();
  if (from === end) return list;
  const count = load<u32>(list, L_FORMS);
  if (hasNewer(list, from)) {
    const documents = load<u32>(list, L_DOCUMENTS) + sumFrom(formsOf(list), count, from);
    if (documents + 4 > load<u32>(list, L_ROOM) || !(isWide(list) || (end <= NARROW_DOCUMENT && areNarrow(from)))) {
      clearSums();
      drop(list);
      // The forms are still in B_INPUT.
      return make(buffer(B_INPUT), count, load<u32>(list, L_FAMILY));
    }
    append(list, from);
  }
  store<u32>(list, end, L_END);
  return list;
}

/** The first document that may not have all its postings yet, because a search may run while it is being added. */
export function committedEnd(): u32 {
  const docs = load<u32>(H_DOCS);
  return isDead(docs - 1) ? docs - 1 : docs;
}

function hasNewer(list: usize, from: u32): bool {
  const forms = formsOf(list);
  for (let at = forms; at < forms + (<usize>load<u32>(list, L_FORMS) << 2); at += 4) {
    if (load<u32>(recordOf(load<u32>(at)), R_LAST) >= from) return true;
  }
  return false;
}

// ---- Sums ----------------------------------------------------------------------------------

/**
 * Sums the frequencies of forms in live documents from `first` on, in B_SUMS and B_SUM_BITS. Returns how many documents
 * have any.
 */
function sumFrom(forms: usize, count: u32, from: u32): u32 {
  let documents: u32 = 0;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4) {
    const form = load<u32>(at);
    if (load<u32>(recordOf(form), R_LAST) < from) continue;
    const chunks = chunkCount(form);
    for (let chunk: u32 = from === 0 ? 0 : firstChunkFor(recordOf(form), from); chunk < chunks; chunk++) {
      const read = readChunk(form, chunk, DOCS, FREQUENCIES);
      dropDerived(form, chunk, read, FREQUENCIES);
      documents += sumChunk(read, from);
    }
  }
  return documents;
}

function sumChunk(count: u32, from: u32): u32 {
  const sums = buffer(B_SUMS);
  const bits = buffer(B_SUM_BITS);
  const lengths = lengthsOf(0);
  let documents: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const doc = load<u32>(DOCS + i);
    const offset = <usize>doc << 2;
    if (doc < from || load<u32>(FREQUENCIES + i) === 0 || load<f32>(lengths + offset) === f32.POSITIVE_INFINITY)
      continue;
    const sum = load<u32>(sums + offset);
    store<u32>(sums + offset, sum + load<u32>(FREQUENCIES + i));
    if (sum !== 0) continue;
    documents++;
    setBit(bits, doc);
  }
  return documents;
}

/** Whether every sum fits into a word with its document. */
function areNarrow(from: u32): bool {
  const sums = buffer(B_SUMS);
  const bits = buffer(B_SUM_BITS);
  const end = endOfBits();
  for (let at = firstBits(from); at < end; at += 8) {
    for (let left = load<u64>(bits + at); left !== 0; left &= left - 1) {
      if (load<u32>(sums + (((at << 3) + <usize>ctz(left)) << 2)) > NARROW_FREQUENCY) return false;
    }
  }
  return true;
}

/** Moves the sums of documents from `first` on to the end of a list. */
function append(list: usize, from: u32): void {
  const sums = buffer(B_SUMS);
  const bits = buffer(B_SUM_BITS);
  const words = wordsOf(list);
  const frequencies = frequenciesOf(list);
  const wide = isWide(list);
  const end = endOfBits();
  let i = <usize>load<u32>(list, L_DOCUMENTS) << 2;
  for (let at = firstBits(from); at < end; at += 8) {
    const set = load<u64>(bits + at);
    if (set === 0) continue;
    store<u64>(bits + at, 0);
    for (let left = set; left !== 0; left &= left - 1) {
      const doc = (at << 3) + <usize>ctz(left);
      const frequency = load<u32>(sums + (doc << 2));
      store<u32>(sums + (doc << 2), 0);
      store<u32>(words + i, wide ? <u32>doc : <u32>doc | (frequency << 24));
      if (wide) store<u32>(frequencies + i, frequency);
      i += 4;
    }
  }
  finishDocuments(list, <u32>i >> 2);
}

function clearSums(): void {
  const sums = buffer(B_SUMS);
  const bits = buffer(B_SUM_BITS);
  const end = endOfBits();
  for (let at: usize = 0; at < end; at += 8) {
    for (let left = load<u64>(bits + at); left !== 0; left &= left - 1)
      store<u32>(sums + (((at << 3) + <usize>ctz(left)) << 2), 0);
    store<u64>(bits + at, 0);
  }
}

function firstBits(from: u32): usize {
  return <usize>(from >> 6) << 3;
}

function endOfBits(): usize {
  return <usize>((load<u32>(H_DOCS) + 63) >> 6) << 3;
}

// ---- Documents -----------------------------------------------------------------------------

function dropDead(list: usize): void {
  const lengths = lengthsOf(0);
  const words = wordsOf(list);
  const frequencies = frequenciesOf(list);
  const mask = documentMask(list);
  const wide = isWide(list);
  const end = <usize>load<u32>(list, L_DOCUMENTS) << 2;
  let to: usize = 0;
  for (let from: usize = 0; from < end; from += 4) {
    const word = load<u32>(words + from);
    store<u32>(words + to, word);
    if (wide) store<u32>(frequencies + to, load<u32>(frequencies + from));
    to += <usize>(load<f32>(lengths + (<usize>(word & mask) << 2)) !== f32.POSITIVE_INFINITY) << 2;
  }
  if (to !== end) finishDocuments(list, <u32>to >> 2);
  store<u32>(list, load<u32>(H_DEATHS), L_DEATHS);
}

/** The documents have changed: marks everything that was derived from them as outdated. */
function finishDocuments(list: usize, documents: u32): void {
  assert(documents + 4 <= load<u32>(list, L_ROOM), 'a list beyond its room');
  store<u32>(list, documents, L_DOCUMENTS);
  store<u32>(list, NO_IMPACTS, L_ALGORITHM);
  store<u32>(list, 0, L_PHRASES);
  dropPositions(list);
  v128.store(wordsOf(list) + (<usize>documents << 2), i32x4.splat(0));
  if (isWide(list)) v128.store(frequenciesOf(list) + (<usize>documents << 2), i32x4.splat(0));
}

// ---- Impacts -------------------------------------------------------------------------------

function hasImpacts(list: usize): bool {
  return load<u32>(list, L_ALGORITHM) === BM25 && load<u32>(list, L_C0) === load<u32>(H_SCORING, P_C0) &&
    load<u32>(list, L_C1) === load<u32>(H_SCORING, P_C1);
}

/** The scores for a weight of 1 (see `scoring.ts`). */
function makeImpacts(list: usize): void {
  const c0 = f32x4.splat(load<f32>(H_SCORING, P_C0));
  const c1 = f32x4.splat(load<f32>(H_SCORING, P_C1));
  const lengths = lengthsOf(0);
  const words = wordsOf(list);
  const impacts = impactsOf(list);
  const frequencies = frequenciesOf(list);
  const wide = isWide(list);
  const mask = i32x4.splat(<i32>documentMask(list));
  const end = <usize>load<u32>(list, L_DOCUMENTS) << 2;
  for (let i: usize = 0; i < end; i += 16) {
    const word = v128.load(words + i);
    const docs = i32x4.shl(v128.and(word, mask), 2);
    const x = f32x4.convert_i32x4_u(wide ? v128.load(frequencies + i) : i32x4.shr_u(word, 24));
    let length = v128.load32_zero(lengths + <usize>(<u32>i32x4.extract_lane(docs, 0)));
    length = f32x4.replace_lane(length, 1, load<f32>(lengths + <usize>(<u32>i32x4.extract_lane(docs, 1))));
    length = f32x4.replace_lane(length, 2, load<f32>(lengths + <usize>(<u32>i32x4.extract_lane(docs, 2))));
    length = f32x4.replace_lane(length, 3, load<f32>(lengths + <usize>(<u32>i32x4.extract_lane(docs, 3))));
    v128.store(impacts + i, f32x4.div(x, f32x4.add(x, f32x4.add(c0, f32x4.mul(c1, length)))));
  }
  noteLargest(list);
  store<u32>(list, BM25, L_ALGORITHM);
  store<u32>(list, load<u32>(H_SCORING, P_C0), L_C0);
  store<u32>(list, load<u32>(H_SCORING, P_C1), L_C1);
}
