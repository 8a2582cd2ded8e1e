// Above 400 lines: one algorithm, whose loops share the tables below.
//
// Terms of BM25 over all fields, tallied: for each term, a byte per document says how often the document has it. Vectors of 16
// documents find which documents have any or all of the terms, and compute bounds of their scores, by tables of the
// frequency and of the document length (see `grades.ts`). Only documents that may be among the best are scored. This
// is the idea of MaxScore (Turtle and Flood, 1995), but every match is counted.
//
// A term has a slot: bytes by document in B_TALLIES, all zero between queries. A frequency of 255 and more is stored as 255; its value
// is in B_TALLY_RESTS, u32 by document. Other entries there are undefined.
//
// TALLIED has the terms in the order in which their scores are added, 32 bytes each:
//
//     0 bytes by document   4 rests   8 weight (f32)   16 bounds of scores by grade and frequency, u8
//
// A bound is the score for the grade's least length and for 0, 1, 2, 3 or more occurrences, in units of the greatest possible score.
// It is zero only for 0 occurrences.

import { lengthsOf } from './documents.ts';
import { dropDerived } from './fields.ts';
import { gradeDocuments, gradeLength, GRADES } from './grades.ts';
import { chunkIn, keepForm, keepPlaces, KEPT_FREQUENCIES } from './kept-chunks.ts';
import { DERIVED, DOCS, FREQUENCIES, H_DOCS, H_LEVEL_CAPACITY, H_ORDINALS, H_SCORING, TALLIED } from './layout.ts';
import { bitmapBytes, bitsOf, scoresOf } from './levels.ts';
import { documentsOf, frequenciesOf, isWide, NARROW_DOCUMENT, wordsOf } from './lists/list.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, readChunk } from './reading.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';
import { B_GRADES, B_INPUT, B_TALLIES, B_TALLY_RESTS, buffer, reserve } from './scratch.ts';
import { begin, filterOf, finish, leastScore, matchesOf, offerScore } from './selecting.ts';
import { P_C0, P_C1 } from './weighing.ts';
import { areCounted, exchange, mayHaveDead, mostFrequent } from './word-forms.ts';

export const MAX_TALLIES: u32 = 8;
const LARGE: u32 = 255;
/** No number of documents that a chunk may add. */
const NOT_ADDED: u32 = u32.MAX_VALUE;

const TERM: u32 = 32;
const T_BYTES: usize = 0;
const T_RESTS: usize = 4;
const T_WEIGHT: usize = 8;
const T_BOUNDS: usize = 16;

/** The greatest score as a bound; below 255, because the bound of each term is rounded up. */
const GREATEST: f32 = 240;
/** A factor larger than any rounding error between scores and bounds. */
const SAFETY: f32 = 1.0001;
/**
 * Documents whose bounds reach the k-th best score are scored when there are so many of them (measured): their lengths and frequencies are
 * then read at the same time, and not one after the other with a branch in between that cannot be predicted.
 */
const WAITING: u32 = 16;
/** If at most this many of 64 documents match, they are scored without computing their bounds, which would take longer. */
const FEW_MATCHES: u32 = 2;

// ---- Tallying ------------------------------------------------------------------------------

/**
 * Fills an empty slot with a group of `count` forms, each once, in B_INPUT. Returns how many live documents have any. For a single form,
 * blocks without a document of the slot `within` - 1 may be left out, unless `within` is 0.
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

/** Address of the frequencies of a chunk in fields that are not derived, given all its frequencies, which stay as they are if they are kept. */
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

function makeSlot(slot: u32): usize {
  assert(slot < MAX_TALLIES, 'no such slot');
  gradeDocuments();
  reserve(B_TALLIES, (slot + 1) * load<u32>(H_LEVEL_CAPACITY));
  return slotAt(slot);
}

function slotAt(slot: u32): usize {
  return buffer(B_TALLIES) + <usize>slot * load<u32>(H_LEVEL_CAPACITY);
}

/** Writes the frequencies of a chunk to an empty slot. Returns whether it did: it leaves the slot empty if one may be too large for a byte. */
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

/** Adds the frequencies of a chunk to a slot. Returns how many documents the slot has gained; NOT_ADDED if a sum may be too large for a byte. */
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
    count += <u32>(i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3));
  }
  return count;
}

/** Of 16 documents, those that have a term and are not dead. */
function alive(at: usize, grade: usize): v128 {
  const zero = i64x2.splat(0);
  return v128.andnot(i8x16.ne(v128.load(at), zero), i8x16.lt_s(v128.load(grade), zero));
}

// ---- Matches -------------------------------------------------------------------------------

/**
 * The `k` best documents that have any, or all, of `count` terms, as `selectByScore` returns them; returns the number of matches. Documents
 * that have any may be `FILTERED` and `COLLECTED`. B_INPUT has for each term its slot and its weight (f32), in the order in which scores are
 * added. The slots are cleared.
 */
export function selectTallied(count: u32, k: u32, all: bool, options: u32, filter: u32): u32 {
  const scale = openTerms(count);
  if (all) matchAll(count, bitsOf(0));
  const state = begin(k, all ? 0 : options, all ? 0 : filter, 0);
  const total = all ? selectBits(state, count, scale) : selectAny(state, count, scale);
  clearTerms(count);
  finish(state);
  return total;
}

function selectAny(state: usize, count: u32, scale: f32): u32 {
  const grades = buffer(B_GRADES);
  const filter = filterOf(state);
  const collected = matchesOf(state);
  const zero = i64x2.splat(0);
  const most = i8x16.splat(3);
  const end = endOfTallies();
  const behind = TALLIED + <usize>(count * TERM);
  let least = boundOf(leastScore(state), scale);
  let total: u32 = 0;
  let waiting: u32 = 0;
  for (let doc: usize = 0; doc < end; doc += 64) {
    const grade0 = v128.load(grades + doc);
    const grade1 = v128.load(grades + doc, 16);
    const grade2 = v128.load(grades + doc, 32);
    const grade3 = v128.load(grades + doc, 48);
    let bounds0 = zero;
    let bounds1 = zero;
    let bounds2 = zero;
    let bounds3 = zero;
    for (let term = TALLIED; term < behind; term += TERM) {
      const at = bytesOf(term) + doc;
      const table = v128.load(term, T_BOUNDS);
      bounds0 = i8x16.add_sat_u(bounds0, i8x16.relaxed_swizzle(table, i8x16.add(grade0, i8x16.min_u(v128.load(at), most))));
      bounds1 = i8x16.add_sat_u(bounds1, i8x16.relaxed_swizzle(table, i8x16.add(grade1, i8x16.min_u(v128.load(at, 16), most))));
      bounds2 = i8x16.add_sat_u(bounds2, i8x16.relaxed_swizzle(table, i8x16.add(grade2, i8x16.min_u(v128.load(at, 32), most))));
      bounds3 = i8x16.add_sat_u(bounds3, i8x16.relaxed_swizzle(table, i8x16.add(grade3, i8x16.min_u(v128.load(at, 48), most))));
    }
    let matches = ~maskOf(i8x16.eq(bounds0, zero), i8x16.eq(bounds1, zero), i8x16.eq(bounds2, zero), i8x16.eq(bounds3, zero));
    if (filter !== 0) matches &= load<u64>(filter + (doc >> 3));
    if (matches === 0) continue;
    if (collected !== 0) store<u64>(collected + (doc >> 3), matches);
    total += <u32>popcnt(matches);
    const wanted = i8x16.splat(<i8>least);
    const greatest = i8x16.max_u(i8x16.max_u(bounds0, bounds1), i8x16.max_u(bounds2, bounds3));
    if (!v128.any_true(i8x16.ge_u(greatest, wanted))) continue;
    const best = matches & maskOf(i8x16.ge_u(bounds0, wanted), i8x16.ge_u(bounds1, wanted), i8x16.ge_u(bounds2, wanted), i8x16.ge_u(bounds3, wanted));
    if (best === 0) continue;
    waiting = wait(doc, best, waiting);
    if (waiting < WAITING) continue;
    offerEach(state, waiting, count);
    waiting = 0;
    least = boundOf(leastScore(state), scale);
  }
  offerEach(state, waiting, count);
  return total;
}

function selectBits(state: usize, count: u32, scale: f32): u32 {
  const grades = buffer(B_GRADES);
  const bits = bitsOf(0);
  const bytes = bitmapBytes();
  let least = boundOf(leastScore(state), scale);
  let total: u32 = 0;
  let waiting: u32 = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const matches = load<u64>(bits + at);
    if (matches === 0) continue;
    store<u64>(bits + at, 0);
    const several = <u32>popcnt(matches);
    total += several;
    waiting = several <= FEW_MATCHES ? wait(at << 3, matches, waiting) : waitForBest(at << 3, matches, grades, count, least, waiting);
    if (waiting < WAITING) continue;
    offerEach(state, waiting, count);
    waiting = 0;
    least = boundOf(leastScore(state), scale);
  }
  offerEach(state, waiting, count);
  return total;
}

/** Adds those of 64 documents that have a bit, and whose bounds reach `least`, to the waiting ones; returns their number. */
function waitForBest(doc: usize, documents: u64, grades: usize, count: u32, least: u32, waiting: u32): u32 {
  const wanted = i8x16.splat(<i8>least);
  const best = maskOf(
    i8x16.ge_u(boundsAt(doc, v128.load(grades + doc), count), wanted), i8x16.ge_u(boundsAt(doc + 16, v128.load(grades + doc, 16), count), wanted),
    i8x16.ge_u(boundsAt(doc + 32, v128.load(grades + doc, 32), count), wanted), i8x16.ge_u(boundsAt(doc + 48, v128.load(grades + doc, 48), count), wanted),
  );
  return wait(doc, documents & best, waiting);
}

/** Matches the documents that have all of the terms on a level that is empty, without scores. Call `scoreTallied` afterwards. */
export function matchTallied(count: u32, level: u32): void {
  openTerms(count);
  matchAll(count, bitsOf(level));
}

/** Computes the scores of the documents of a level, which have none yet. The slots are cleared. */
export function scoreTallied(count: u32, level: u32): void {
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const bytes = bitmapBytes();
  let waiting: u32 = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const matches = load<u64>(bits + at);
    if (matches === 0) continue;
    waiting = wait(at << 3, matches, waiting);
    if (waiting < WAITING) continue;
    scoreEach(scores, waiting, count);
    waiting = 0;
  }
  scoreEach(scores, waiting, count);
  clearTerms(count);
}

function scoreEach(scores: usize, waiting: u32, count: u32): void {
  const end = scoreWaiting(waiting, count);
  for (let at = DOCS; at < end; at += 4) store<f32>(scores + (<usize>load<u32>(at) << 2), load<f32>(at + (FREQUENCIES - DOCS)));
}

/** Documents are processed 64 at a time; those behind the last one have no terms, and the grade of dead ones. */
function endOfTallies(): usize {
  return load<u32>(H_DOCS);
}

/** Writes a bitmap of the documents that are alive and have all of the terms. Without branches: matches are too rare and too frequent to predict. */
function matchAll(count: u32, bits: usize): void {
  const zero = i64x2.splat(0);
  const behind = TALLIED + <usize>(count * TERM);
  const first = bytesOf(TALLIED);
  const second = bytesOf(count > 1 ? TALLIED + TERM : TALLIED);
  const end = endOfTallies();
  for (let doc: usize = 0; doc < end; doc += 64) {
    let least0 = i8x16.min_u(v128.load(first + doc), v128.load(second + doc));
    let least1 = i8x16.min_u(v128.load(first + doc, 16), v128.load(second + doc, 16));
    let least2 = i8x16.min_u(v128.load(first + doc, 32), v128.load(second + doc, 32));
    let least3 = i8x16.min_u(v128.load(first + doc, 48), v128.load(second + doc, 48));
    for (let term = TALLIED + 2 * TERM; term < behind; term += TERM) {
      const at = bytesOf(term) + doc;
      least0 = i8x16.min_u(least0, v128.load(at));
      least1 = i8x16.min_u(least1, v128.load(at, 16));
      least2 = i8x16.min_u(least2, v128.load(at, 32));
      least3 = i8x16.min_u(least3, v128.load(at, 48));
    }
    store<u64>(bits + (doc >> 3), ~maskOf(i8x16.eq(least0, zero), i8x16.eq(least1, zero), i8x16.eq(least2, zero), i8x16.eq(least3, zero)));
  }
  if (mayHaveDead()) dropDead(bits, end);
}

function dropDead(bits: usize, end: usize): void {
  const grades = buffer(B_GRADES);
  for (let doc: usize = 0; doc < end; doc += 64) {
    const matches = load<u64>(bits + (doc >> 3));
    // The mask selects the high bits, which only the grades of dead documents have.
    store<u64>(bits + (doc >> 3), matches & ~maskOf(v128.load(grades + doc), v128.load(grades + doc, 16), v128.load(grades + doc, 32), v128.load(grades + doc, 48)));
  }
}

/** The high bits of 64 bytes. */
function maskOf(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64>i8x16.bitmask(a) | (<u64>i8x16.bitmask(b) << 16) | (<u64>i8x16.bitmask(c) << 32) | (<u64>i8x16.bitmask(d) << 48);
}

/** Adds the documents, from one on, that have a bit to the `waiting` ones at DOCS; returns their number. At most 64 are added. */
function wait(doc: usize, documents: u64, waiting: u32): u32 {
  let to = DOCS + (<usize>waiting << 2);
  for (let left = documents; left !== 0; left &= left - 1) {
    store<u32>(to, <u32>(doc + <usize>ctz(left)));
    to += 4;
  }
  return <u32>(to - DOCS) >> 2;
}

/** Offers the waiting documents. */
function offerEach(state: usize, waiting: u32, count: u32): void {
  const ordinals = <usize>load<u32>(H_ORDINALS);
  const end = scoreWaiting(waiting, count);
  for (let at = DOCS; at < end; at += 4) {
    const score = load<f32>(at + (FREQUENCIES - DOCS));
    if (score >= leastScore(state)) offerScore(state, score, load<u32>(ordinals + (<usize>load<u32>(at) << 2)));
  }
}

/** Writes the scores of the waiting documents to FREQUENCIES; returns the end of the documents. */
function scoreWaiting(waiting: u32, count: u32): usize {
  const end = DOCS + (<usize>waiting << 2);
  // Completes the last four with any document.
  v128.store(end, i32x4.splat(0));
  for (let at = DOCS; at < end; at += 16) v128.store(at + (FREQUENCIES - DOCS), scoresOfFour(at, count));
  return end;
}

/** The scores of four documents at an address, exactly as `scoreOf` computes them. */
function scoresOfFour(at: usize, count: u32): v128 {
  const doc0 = <usize>load<u32>(at);
  const doc1 = <usize>load<u32>(at, 4);
  const doc2 = <usize>load<u32>(at, 8);
  const doc3 = <usize>load<u32>(at, 12);
  const lengths = lengthsOf(0);
  let length = v128.load32_zero(lengths + (doc0 << 2));
  length = v128.load_lane<f32>(lengths + (doc1 << 2), length, 1);
  length = v128.load_lane<f32>(lengths + (doc2 << 2), length, 2);
  length = v128.load_lane<f32>(lengths + (doc3 << 2), length, 3);
  const normed = f32x4.add(v128.load32_splat(H_SCORING, P_C0), f32x4.mul(v128.load32_splat(H_SCORING, P_C1), length));
  let scores = f32x4.splat(0);
  for (let term = TALLIED, behind = TALLIED + <usize>(count * TERM); term < behind; term += TERM) {
    const bytes = bytesOf(term);
    let frequency = i32x4.splat(<i32>load<u8>(bytes + doc0));
    frequency = i32x4.replace_lane(frequency, 1, <i32>load<u8>(bytes + doc1));
    frequency = i32x4.replace_lane(frequency, 2, <i32>load<u8>(bytes + doc2));
    frequency = i32x4.replace_lane(frequency, 3, <i32>load<u8>(bytes + doc3));
    if (v128.any_true(i32x4.eq(frequency, i32x4.splat(LARGE)))) return scoresOneByOne(at, count);
    // A frequency of zero adds zero.
    const x = f32x4.convert_i32x4_s(frequency);
    scores = f32x4.add(scores, f32x4.mul(v128.load32_splat(term, T_WEIGHT), f32x4.div(x, f32x4.add(x, normed))));
  }
  return scores;
}

function scoresOneByOne(at: usize, count: u32): v128 {
  let scores = f32x4.splat(scoreOf(load<u32>(at), count));
  scores = f32x4.replace_lane(scores, 1, scoreOf(load<u32>(at, 4), count));
  scores = f32x4.replace_lane(scores, 2, scoreOf(load<u32>(at, 8), count));
  return f32x4.replace_lane(scores, 3, scoreOf(load<u32>(at, 12), count));
}

/** Upper bounds of the scores of 16 documents: 0 if a document has none of the terms or is dead. */
function boundsAt(doc: usize, grade: v128, count: u32): v128 {
  let sum = boundsOf(TALLIED, doc, grade);
  for (let term = TALLIED + TERM; term < TALLIED + <usize>(count * TERM); term += TERM) sum = i8x16.add_sat_u(sum, boundsOf(term, doc, grade));
  return sum;
}

function boundsOf(term: usize, doc: usize, grade: v128): v128 {
  const frequency = i8x16.min_u(v128.load(bytesOf(term) + doc), i8x16.splat(3));
  // An index with a high bit, as the grade of a dead document has, selects zero.
  return i8x16.relaxed_swizzle(v128.load(term, T_BOUNDS), i8x16.add(grade, frequency));
}

/** The sum of the terms' scores (see `scoring.ts`). */
function scoreOf(doc: usize, count: u32): f32 {
  const length = load<f32>(lengthsOf(0) + (doc << 2));
  const normed = load<f32>(H_SCORING, P_C0) + load<f32>(H_SCORING, P_C1) * length;
  let score: f32 = 0;
  for (let term = TALLIED; term < TALLIED + <usize>(count * TERM); term += TERM) {
    const frequency = <u32>load<u8>(bytesOf(term) + doc);
    if (frequency === 0) continue;
    const x = <f32>(frequency === LARGE ? load<u32>(<usize>load<u32>(term, T_RESTS) + (doc << 2)) : frequency);
    score += load<f32>(term, T_WEIGHT) * (x / (x + normed));
  }
  return score;
}

// ---- Terms ---------------------------------------------------------------------------------

/** Reads the terms from B_INPUT; returns the factor by which a score is multiplied to compare it with bounds. */
function openTerms(count: u32): f32 {
  assert(count > 0 && count <= MAX_TALLIES, 'so many terms are not tallied');
  const input = buffer(B_INPUT);
  const capacity = <usize>load<u32>(H_LEVEL_CAPACITY);
  for (let i: u32 = 0; i < count; i++) store<f32>(TALLIED + <usize>(i * TERM), load<f32>(input + (<usize>i << 3), 4), T_WEIGHT);
  const scale = scaleOfTerms(count);
  for (let i: u32 = 0; i < count; i++) {
    const term = TALLIED + <usize>(i * TERM);
    const slot = <usize>load<u32>(input + (<usize>i << 3));
    const weight = load<f32>(term, T_WEIGHT);
    store<u32>(term, <u32>(buffer(B_TALLIES) + slot * capacity), T_BYTES);
    store<u32>(term, <u32>(buffer(B_TALLY_RESTS) + slot * capacity * 4), T_RESTS);
    for (let grade: u32 = 0; grade < GRADES; grade++) setBounds(term + T_BOUNDS + (grade << 2), grade, weight * scale);
  }
  return scale;
}

function scaleOfTerms(count: u32): f32 {
  let greatest: f32 = 0;
  for (let term = TALLIED; term < TALLIED + <usize>(count * TERM); term += TERM) greatest += load<f32>(term, T_WEIGHT);
  return GREATEST / greatest;
}

function bytesOf(term: usize): usize {
  return load<u32>(term, T_BYTES);
}

function setBounds(to: usize, grade: u32, weight: f32): void {
  const normed = load<f32>(H_SCORING, P_C0) + load<f32>(H_SCORING, P_C1) * gradeLength(grade);
  store<u8>(to, 0);
  for (let x: f32 = 1; x < 3; x++) store<u8>(++to, <u8>(weight * SAFETY * (x / (x + normed)) + 1));
  store<u8>(to + 1, <u8>(weight * SAFETY + 1));
}

/** A lower bound of the bound of any document with this score. */
function boundOf(score: f32, scale: f32): u32 {
  return <u32>min<f32>(score * scale / SAFETY, 255);
}

function clearTerms(count: u32): void {
  const end = endOfTallies();
  for (let term = TALLIED; term < TALLIED + <usize>(count * TERM); term += TERM) memory.fill(bytesOf(term), 0, end);
}
