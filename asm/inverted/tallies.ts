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
import { chunkIn, keepForm, KEPT_FREQUENCIES } from './kept-chunks.ts';
import { DERIVED, DOCS, FREQUENCIES, H_DEAD_DOCS, H_DOCS, H_LEVEL_CAPACITY, H_ORDINALS, H_REMAP, H_SCORING, TALLIED } from './layout.ts';
import { bitmapBytes, bitsOf, scoresOf } from './levels.ts';
import { documentMask, documentsOf, frequenciesOf, isWide, wordsOf } from './lists/list.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, readChunk } from './reading.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';
import { B_GRADES, B_INPUT, B_TALLIES, B_TALLY_RESTS, buffer, reserve } from './scratch.ts';
import { begin, finish, leastScore, offerScore } from './selecting.ts';
import { P_C0, P_C1 } from './weighing.ts';

export const MAX_TALLIES: u32 = 8;
const LARGE: u32 = 255;

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

// ---- Tallying ------------------------------------------------------------------------------

/**
 * Fills an empty slot with a group of `count` forms, each once, in B_INPUT. Returns how many live documents have any. For a single form,
 * blocks without a document of the slot `within` - 1 may be left out, unless `within` is 0.
 */
export function tallyForms(count: u32, slot: u32, within: u32): u32 {
  const bytes = makeSlot(slot);
  const forms = buffer(B_INPUT);
  const counted = count === 1 && isCounted(load<u32>(forms));
  const others: usize = counted && within > 0 ? slotAt(within - 1) : 0;
  for (let i: u32 = 0; i < count; i++) tallyForm(load<u32>(forms + (<usize>i << 2)), bytes, slot, others);
  return counted ? load<u32>(recordOf(load<u32>(forms)), R_DOCUMENTS) : countSlot(bytes);
}

/** Whether every posting of a form is of a live document and in a field that counts. */
function isCounted(form: u32): bool {
  return load<u32>(H_DEAD_DOCS) === 0 && load<u32>(H_REMAP) === 0 && (load<u8>(recordOf(form), R_FIELDS) & DERIVED) === 0;
}

/** Adds a form to a slot, except blocks without any of the documents of `others`, unless that is 0. */
function tallyForm(form: u32, bytes: usize, slot: u32, others: usize): void {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  const kept: usize = others === 0 ? keepForm(form, chunks) : 0;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    if (others !== 0 && chunk < blocks && !hasAny(others, blockAt(record, chunk))) continue;
    const docs = kept === 0 ? DOCS : chunkIn(kept, chunk);
    const read = readChunk(form, chunk, docs, kept === 0 ? FREQUENCIES : docs + KEPT_FREQUENCIES);
    if (kept !== 0) memory.copy(FREQUENCIES, docs + KEPT_FREQUENCIES, <usize>read << 2);
    dropDerived(form, chunk, read, FREQUENCIES);
    tallyChunk(docs, read, bytes, slot);
  }
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
  const frequencies = frequenciesOf(list);
  const mask = documentMask(list);
  const wide = isWide(list);
  const end = <usize>documentsOf(list) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const word = load<u32>(words + i);
    const frequency = wide ? load<u32>(frequencies + i) : word >> 24;
    const doc = <usize>(word & mask);
    if (frequency < LARGE) store<u8>(bytes + doc, <u8>frequency);
    else addLarge(bytes, doc, frequency, slot);
  }
  return documentsOf(list);
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

function tallyChunk(docs: usize, count: u32, bytes: usize, slot: u32): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const doc = <usize>load<u32>(docs + i);
    const frequency = load<u32>(FREQUENCIES + i);
    const sum = <u32>load<u8>(bytes + doc) + frequency;
    if (sum < LARGE) store<u8>(bytes + doc, <u8>sum);
    else addLarge(bytes, doc, frequency, slot);
  }
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
 * The `k` best documents that have any, or all, of `count` terms, as `selectByScore` returns them; returns the number of matches. B_INPUT
 * has for each term its slot and its weight (f32), in the order in which scores are added. The slots are cleared.
 */
export function selectTallied(count: u32, k: u32, all: bool): u32 {
  const scale = openTerms(count);
  const state = begin(k, 0, 0, 0);
  const total = all ? selectAll(state, count, scale) : selectAny(state, count, scale);
  clearTerms(count);
  finish(state);
  return total;
}

function selectAny(state: usize, count: u32, scale: f32): u32 {
  const grades = buffer(B_GRADES);
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
      bounds0 = i8x16.add_sat_u(bounds0, i8x16.swizzle(table, i8x16.add(grade0, i8x16.min_u(v128.load(at), most))));
      bounds1 = i8x16.add_sat_u(bounds1, i8x16.swizzle(table, i8x16.add(grade1, i8x16.min_u(v128.load(at, 16), most))));
      bounds2 = i8x16.add_sat_u(bounds2, i8x16.swizzle(table, i8x16.add(grade2, i8x16.min_u(v128.load(at, 32), most))));
      bounds3 = i8x16.add_sat_u(bounds3, i8x16.swizzle(table, i8x16.add(grade3, i8x16.min_u(v128.load(at, 48), most))));
    }
    const matches = maskOf(i8x16.ne(bounds0, zero), i8x16.ne(bounds1, zero), i8x16.ne(bounds2, zero), i8x16.ne(bounds3, zero));
    if (matches === 0) continue;
    total += <u32>popcnt(matches);
    const wanted = i8x16.splat(<i8>least);
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

function selectAll(state: usize, count: u32, scale: f32): u32 {
  const grades = buffer(B_GRADES);
  const end = endOfTallies();
  let least = boundOf(leastScore(state), scale);
  let total: u32 = 0;
  let waiting: u32 = 0;
  for (let doc: usize = 0; doc < end; doc += 64) {
    const matches = matchesOfAll(doc, count, grades);
    if (matches === 0) continue;
    total += <u32>popcnt(matches);
    for (let part: usize = 0; part < 64; part += 16) {
      const some = <u32>(matches >> part) & 0xffff;
      if (some === 0) continue;
      const bounds = boundsAt(doc + part, v128.load(grades + doc + part), count);
      const best = some & <u32>i8x16.bitmask(i8x16.ge_u(bounds, i8x16.splat(<i8>least)));
      if (best === 0) continue;
      waiting = wait(doc + part, best, waiting);
      if (waiting < WAITING) continue;
      offerEach(state, waiting, count);
      waiting = 0;
      least = boundOf(leastScore(state), scale);
    }
  }
  offerEach(state, waiting, count);
  return total;
}

/** Matches the documents that have all of the terms on a level that is empty, without scores. Call `scoreTallied` afterwards. */
export function matchTallied(count: u32, level: u32): void {
  openTerms(count);
  const grades = buffer(B_GRADES);
  const bits = bitsOf(level);
  const end = endOfTallies();
  for (let doc: usize = 0; doc < end; doc += 64) {
    const matches = matchesOfAll(doc, count, grades);
    if (matches !== 0) store<u64>(bits + (doc >> 3), matches);
  }
}

/** Computes the scores of the documents of a level, which have none yet. The slots are cleared. */
export function scoreTallied(count: u32, level: u32): void {
  const bits = bitsOf(level);
  const scores = scoresOf(level);
  const bytes = bitmapBytes();
  for (let at: usize = 0; at < bytes; at += 8) {
    for (let left = load<u64>(bits + at); left !== 0; left &= left - 1) {
      const doc = (at << 3) + <usize>ctz(left);
      store<f32>(scores + (doc << 2), scoreOf(doc, count));
    }
  }
  clearTerms(count);
}

/** Documents are processed 64 at a time; those behind the last one have no terms, and the grade of dead ones. */
function endOfTallies(): usize {
  return load<u32>(H_DOCS);
}

/** A bit for each of 64 documents, from one on, that is alive and has all of the terms. */
function matchesOfAll(doc: usize, count: u32, grades: usize): u64 {
  const zero = i64x2.splat(0);
  const behind = TALLIED + <usize>(count * TERM);
  const first = bytesOf(TALLIED) + doc;
  let least0 = v128.load(first);
  let least1 = v128.load(first, 16);
  let least2 = v128.load(first, 32);
  let least3 = v128.load(first, 48);
  for (let term = TALLIED + TERM; term < behind; term += TERM) {
    const at = bytesOf(term) + doc;
    least0 = i8x16.min_u(least0, v128.load(at));
    least1 = i8x16.min_u(least1, v128.load(at, 16));
    least2 = i8x16.min_u(least2, v128.load(at, 32));
    least3 = i8x16.min_u(least3, v128.load(at, 48));
  }
  if (!v128.any_true(v128.or(v128.or(least0, least1), v128.or(least2, least3)))) return 0;
  const matches = maskOf(i8x16.ne(least0, zero), i8x16.ne(least1, zero), i8x16.ne(least2, zero), i8x16.ne(least3, zero));
  // The mask selects the high bits, which only the grades of dead documents have.
  return matches & ~maskOf(v128.load(grades + doc), v128.load(grades + doc, 16), v128.load(grades + doc, 32), v128.load(grades + doc, 48));
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
  const end = DOCS + (<usize>waiting << 2);
  // Completes the last four with any document.
  v128.store(end, i32x4.splat(0));
  for (let at = DOCS; at < end; at += 16) v128.store(at + (FREQUENCIES - DOCS), scoresOfFour(at, count));
  for (let at = DOCS; at < end; at += 4) {
    const score = load<f32>(at + (FREQUENCIES - DOCS));
    if (score >= leastScore(state)) offerScore(state, score, load<u32>(ordinals + (<usize>load<u32>(at) << 2)));
  }
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
  // An index beyond the table, as the grade of a dead document is, selects zero.
  return i8x16.swizzle(v128.load(term, T_BOUNDS), i8x16.add(grade, frequency));
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
  let greatest: f32 = 0;
  for (let i: u32 = 0; i < count; i++) greatest += load<f32>(input + (<usize>i << 3), 4);
  const scale = GREATEST / greatest;
  for (let i: u32 = 0; i < count; i++) {
    const term = TALLIED + <usize>(i * TERM);
    const slot = <usize>load<u32>(input + (<usize>i << 3));
    const weight = load<f32>(input + (<usize>i << 3), 4);
    store<u32>(term, <u32>(buffer(B_TALLIES) + slot * capacity), T_BYTES);
    store<u32>(term, <u32>(buffer(B_TALLY_RESTS) + slot * capacity * 4), T_RESTS);
    store<f32>(term, weight, T_WEIGHT);
    for (let grade: u32 = 0; grade < GRADES; grade++) setBounds(term + T_BOUNDS + (grade << 2), grade, weight * scale);
  }
  return scale;
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
