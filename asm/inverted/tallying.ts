// Fills the slots of terms for `tallies.ts`: for each term, a byte per document says how often the document has it.
//
// A slot has bytes by document in B_TALLIES, all zero between queries. A frequency of 255 and more is stored as 255;
// its value is in B_TALLY_RESTS, u32 by document. Other entries there are undefined.

import { dropDerived } from './fields.ts';
import { gradeDocuments } from './grades.ts';
import { chunkIn, keepForm, keepPlaces, KEPT_FREQUENCIES } from './kept-chunks.ts';
import { DERIVED, DOCS, FREQUENCIES, H_DOCS, H_LEVEL_CAPACITY } from './layout.ts';
import { documentsOf, frequenciesOf, isWide, NARROW_DOCUMENT, wordsOf } from './lists/list.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, readChunk } from './reading.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';
import { B_GRADES, B_INPUT, B_TALLIES, B_TALLY_RESTS, buffer, reserve } from './scratch.ts';
import { areCounted, exchange, mostFrequent } from './word-forms.ts';

export const MAX_TALLIES: u32 = 8;
/** A frequency of so many and more is stored as this. */
export const LARGE: u32 = 255;
/** No number of documents that a chunk may add. */
const NOT_ADDED: u32 = u32.MAX_VALUE;

/**
 * Fills an empty slot with a group of `count` forms, each once, in B_INPUT. Returns how many live documents have any.
 * For a single form, blocks without a document of the slot `within` - 1 may be left out, unless `within` is 0.
 */
export function tallyForms(count: u32, slot: u32, within: u32): u32 {
  const bytes = makeSlot(slot);
  const forms = buffer(B_INPUT);
  // The first form finds the slot empty, which makes it the fastest per posting.
  exchange(forms, mostFrequent(forms, count));
  const counted = areCounted(forms, count);
  const others: usize = count === 1 && counted && within > 0 ? slotAt(within - 1) : 0;
  tallyFirst(load<u32>(forms), bytes, slot, others);
  let documents = load<u32>(recordOf(load<u32>(forms)), R_DOCUMENTS);
  for (let i: u32 = 1; i < count; i++) documents += tallyForm(load<u32>(forms + (<usize>i << 2)), bytes, slot);
  return counted ? documents : countSlot(bytes);
}

/** Adds a form to an empty slot, except blocks without any of the documents of `others`, unless that is 0. */
function tallyFirst(form: u32, bytes: usize, slot: u32, others: usize): void {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  const kept: usize = others === 0 ? keepForm(form, chunks) : 0;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    if (others !== 0 && chunk < blocks && !hasAny(others, blockAt(record, chunk))) continue;
    const docs = kept === 0 ? DOCS : chunkIn(kept, chunk);
    const read = kept === 0 ? FREQUENCIES : docs + KEPT_FREQUENCIES;
    const count = readChunk(form, chunk, docs, read);
    const frequencies = ownFrequencies(form, chunk, count, read);
    if (!putChunk(docs, frequencies, count, bytes)) addChunkSlowly(docs, frequencies, count, bytes, slot);
  }
  if (kept !== 0) keepPlaces(kept, chunks);
}

/** Adds a form to a slot; returns how many documents the slot has gained. */
function tallyForm(form: u32, bytes: usize, slot: u32): u32 {
  const chunks = chunkCount(form);
  const kept = keepForm(form, chunks);
  let gained: u32 = 0;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const docs = kept === 0 ? DOCS : chunkIn(kept, chunk);
    const read = kept === 0 ? FREQUENCIES : docs + KEPT_FREQUENCIES;
    const count = readChunk(form, chunk, docs, read);
    const frequencies = ownFrequencies(form, chunk, count, read);
    const more = addChunk(docs, frequencies, count, bytes);
    gained += more !== NOT_ADDED ? more : addChunkSlowly(docs, frequencies, count, bytes, slot);
  }
  if (kept !== 0) keepPlaces(kept, chunks);
  return gained;
}

/**
 * Address of the frequencies of a chunk in fields that are not derived, given all its frequencies, which stay as they
 * are if they are kept.
 */
function ownFrequencies(form: u32, chunk: u32, count: u32, frequencies: usize): usize {
  if ((load<u8>(recordOf(form), R_FIELDS) & DERIVED) === 0) return frequencies;
  if (frequencies !== FREQUENCIES) memory.copy(FREQUENCIES, frequencies, <usize>count << 2);
  dropDerived(form, chunk, count, FREQUENCIES);
  return FREQUENCIES;
}

/** Whether a slot may have a document between the first and the last document of a block. */
function hasAny(bytes: usize, block: usize): bool {
  const end = bytes + <usize>load<u32>(block);
  for (let at = bytes + <usize>load<u32>(block, 4); at <= end; at += 16) if (v128.any_true(v128.load(at))) return true;
  return false;
}

/** The same for a cached list. */
export function tallyList(list: usize, slot: u32): u32 {
  const bytes = makeSlot(slot);
  const words = wordsOf(list);
  const end = words + (<usize>documentsOf(list) << 2);
  if (isWide(list)) tallyWide(list, bytes, slot);
  else {
    // Words behind the last one are of the sink, which is dead.
    for (let at = words; at < end; at += 16) {
      putWord(load<u32>(at), bytes, slot);
      putWord(load<u32>(at, 4), bytes, slot);
      putWord(load<u32>(at, 8), bytes, slot);
      putWord(load<u32>(at, 12), bytes, slot);
    }
  }
  return documentsOf(list);
}

function putWord(word: u32, bytes: usize, slot: u32): void {
  const doc = <usize>(word & NARROW_DOCUMENT);
  store<u8>(bytes + doc, <u8>(word >> 24));
  if (word >= LARGE << 24) {
    store<u8>(bytes + doc, 0);
    addLarge(bytes, doc, LARGE, slot);
  }
}

function tallyWide(list: usize, bytes: usize, slot: u32): void {
  const words = wordsOf(list);
  const frequencies = frequenciesOf(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const doc = <usize>load<u32>(words + i);
    const frequency = load<u32>(frequencies + i);
    if (frequency < LARGE) store<u8>(bytes + doc, <u8>frequency);
    else addLarge(bytes, doc, frequency, slot);
  }
}

/** Makes the slots of `count` terms. Call it between queries, after `prepareLevels`. */
export function prepareTallies(count: u32): void {
  assert(count <= MAX_TALLIES, 'too many slots');
  gradeDocuments();
  reserve(B_TALLIES, count * load<u32>(H_LEVEL_CAPACITY));
}

function makeSlot(slot: u32): usize {
  prepareTallies(slot + 1);
  return slotAt(slot);
}

function slotAt(slot: u32): usize {
  return buffer(B_TALLIES) + <usize>slot * load<u32>(H_LEVEL_CAPACITY);
}

/**
 * Writes the frequencies of a chunk to an empty slot. Returns whether it did: it leaves the slot empty if one may be
 * too large for a byte.
 */
function putChunk(docs: usize, frequencies: usize, count: u32, bytes: usize): bool {
  const end = <usize>count << 2;
  let all: u32 = 0;
  let i: usize = 0;
  for (; i + 16 <= end; i += 16) {
    all |= put(docs + i, frequencies + i, bytes) | put(docs + i + 4, frequencies + i + 4, bytes);
    all |= put(docs + i + 8, frequencies + i + 8, bytes) | put(docs + i + 12, frequencies + i + 12, bytes);
  }
  for (; i < end; i += 4) all |= put(docs + i, frequencies + i, bytes);
  if (all < LARGE) return true;
  for (i = 0; i < end; i += 4) store<u8>(bytes + <usize>load<u32>(docs + i), 0);
  return false;
}

function put(doc: usize, frequency: usize, bytes: usize): u32 {
  const value = load<u32>(frequency);
  store<u8>(bytes + <usize>load<u32>(doc), <u8>value);
  return value;
}

/**
 * Adds the frequencies of a chunk to a slot. Returns how many documents the slot has gained; NOT_ADDED if a sum may be
 * too large for a byte.
 */
function addChunk(docs: usize, frequencies: usize, count: u32, bytes: usize): u32 {
  const end = <usize>count << 2;
  let all: u64 = 0;
  let gained: u64 = 0;
  let i: usize = 0;
  for (; i + 16 <= end; i += 16) {
    const a = add(docs + i, frequencies + i, bytes);
    const b = add(docs + i + 4, frequencies + i + 4, bytes);
    const c = add(docs + i + 8, frequencies + i + 8, bytes);
    const d = add(docs + i + 12, frequencies + i + 12, bytes);
    gained += (a >> 32) + (b >> 32) + (c >> 32) + (d >> 32);
    all |= a | b | c | d;
  }
  for (; i < end; i += 4) {
    const a = add(docs + i, frequencies + i, bytes);
    gained += a >> 32;
    all |= a;
  }
  if (<u32>all < LARGE) return <u32>gained;
  for (i = 0; i < end; i += 4) {
    const place = bytes + <usize>load<u32>(docs + i);
    store<u8>(place, load<u8>(place) - load<u8>(frequencies + i));
  }
  return NOT_ADDED;
}

/** The sum in the low half; 1 in the high half if it is of a new document. */
function add(doc: usize, frequency: usize, bytes: usize): u64 {
  const place = bytes + <usize>load<u32>(doc);
  const before = <u32>load<u8>(place);
  const sum = before + load<u32>(frequency);
  store<u8>(place, <u8>sum);
  return (<u64>(before === 0) << 32) | <u64>sum;
}

/** The same for any sums. */
function addChunkSlowly(docs: usize, frequencies: usize, count: u32, bytes: usize, slot: u32): u32 {
  let gained: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const doc = <usize>load<u32>(docs + i);
    const frequency = load<u32>(frequencies + i);
    const before = <u32>load<u8>(bytes + doc);
    gained += <u32>(before === 0);
    if (before + frequency < LARGE) store<u8>(bytes + doc, <u8>(before + frequency));
    else addLarge(bytes, doc, frequency, slot);
  }
  return gained;
}

function addLarge(bytes: usize, doc: usize, frequency: u32, slot: u32): void {
  const capacity = load<u32>(H_LEVEL_CAPACITY);
  const rest = reserve(B_TALLY_RESTS, (slot + 1) * capacity * 4) + ((<usize>slot * capacity + doc) << 2);
  const before = <u32>load<u8>(bytes + doc);
  store<u32>(rest, (before === LARGE ? load<u32>(rest) : before) + frequency);
  store<u8>(bytes + doc, <u8>LARGE);
}

/** Number of live documents of a slot. */
function countSlot(bytes: usize): u32 {
  const grades = buffer(B_GRADES);
  const end = endOfTallies();
  const zero = i64x2.splat(0);
  let count: u32 = 0;
  for (let doc: usize = 0; doc < end;) {
    // A comparison is -1 where it holds, so each byte can count up to 255 matches.
    let counts = zero;
    for (const stop = min<usize>(doc + 16 * 252, end); doc < stop; doc += 64) {
      counts = i8x16.sub(counts, alive(bytes + doc, grades + doc));
      counts = i8x16.sub(counts, alive(bytes + doc + 16, grades + doc + 16));
      counts = i8x16.sub(counts, alive(bytes + doc + 32, grades + doc + 32));
      counts = i8x16.sub(counts, alive(bytes + doc + 48, grades + doc + 48));
    }
    const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(counts));
    count +=
      <u32>(i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) +
        i32x4.extract_lane(sums, 3));
  }
  return count;
}

/** Of 16 documents, those that have a term and are not dead. */
function alive(at: usize, grade: usize): v128 {
  const zero = i64x2.splat(0);
  return v128.andnot(i8x16.ne(v128.load(at), zero), i8x16.lt_s(v128.load(grade), zero));
}

/** Documents are processed 64 at a time; those behind the last one have no terms, and the grade of dead ones. */
export function endOfTallies(): usize {
  return load<u32>(H_DOCS);
}
