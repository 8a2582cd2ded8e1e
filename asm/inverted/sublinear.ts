// The frequency x of a term for TF-IDF: it grows with the logarithm of the occurrences in a field, so a group of forms
// must be summed field by field first.
//
//     y = sum over fields of w_f * (1 + ln tf_f) / (1 - s + s * len_f / avglen_f)
//     x = y * (k + 1) / (y + k)
//
// P_C1 is k. "Pivoted" lengths are from Singhal, Buckley and Mitra, SIGIR 1996. A tf_f below 1, which edits cause, is
// used as it is. All further fields are one field. All of them count if P_C0 is 0; otherwise only those with a weight
// of their own, and, if it is 2, also the one for names without a number.
//
// Most documents have most terms in their content alone. So the tf of the content is in B_SUMS, f32 by document, whose
// sign says whether the term also occurs in other fields. Only for those documents B_FIELD_SUMS has the tf_f, f32 by
// slot: the plain fields (the slot of the content is not used), and last the further ones.

import { isDead, lengthsOf } from './documents.ts';
import { entryField, entryFrequency, entryIndex, readFields } from './fields.ts';
import { CONTENT_FREQUENCIES, DOCS, FREQUENCIES, H_SCORING, LOGARITHMS, OWN_FIELDS, PLAIN_FIELDS } from './layout.ts';
import { chunkCount, readChunk } from './reading.ts';
import { B_FIELD_FACTORS, B_FIELD_SUMS, B_SUM_BITS, B_SUMS, buffer } from './scratch.ts';

/** Slots of a document; the last one has the number of the first further field. */
export const SLOTS: u32 = PLAIN_FIELDS + 1;
const ROW_SHIFT: u32 = 5;
const P_C0: usize = 8;
const P_C1: usize = 12;
const P_REST: usize = 16;
const SIGN: u32 = 0x80000000;

/** Adds a form to the group that is being summed. Returns how many documents the group has gained. */
export function sumByField(form: u32, weight: f32): u32 {
  assert(1 << ROW_SHIFT === SLOTS << 2, 'a row of another size');
  const chosen = load<f32>(H_SCORING, P_C0);
  const last: u32 = chosen > 0 ? u32.MAX_VALUE : PLAIN_FIELDS;
  let gained: u32 = 0;
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    const entries = readFields(form, chunk, count, FREQUENCIES);
    if (weightOf(0) > 0) gained += addContent(count, weight);
    for (let entry: u32 = 0; entry < entries; entry++) {
      const field = entryField(entry);
      if (field === PLAIN_FIELDS && chosen === 1) continue;
      if (weightOf(min(field, last)) > 0)
        gained += addField(load<u32>(DOCS + (<usize>entryIndex(entry) << 2)), min(field, PLAIN_FIELDS),
          weight * <f32>entryFrequency(entry));
    }
  }
  return gained;
}

/** Adds the frequencies of a chunk in the content; returns how many documents the group has gained. */
function addContent(count: u32, weight: f32): u32 {
  const sums = buffer(B_SUMS);
  const bits = buffer(B_SUM_BITS);
  const lengths = lengthsOf(0);
  let gained: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const frequency = load<u32>(CONTENT_FREQUENCIES + i);
    const doc = load<u32>(DOCS + i);
    const offset = <usize>doc << 2;
    if (frequency === 0 || load<f32>(lengths + offset) === f32.POSITIVE_INFINITY) continue;
    gained += addBit(bits, doc);
    const sum = load<f32>(sums + offset);
    store<f32>(sums + offset, copysign<f32>(abs<f32>(sum) + weight * <f32>frequency, sum));
  }
  return gained;
}

/** The same for one document in the field of a slot. */
function addField(doc: u32, slot: u32, frequency: f32): u32 {
  if (isDead(doc)) return 0;
  const sum = buffer(B_SUMS) + (<usize>doc << 2);
  store<u32>(sum, load<u32>(sum) | SIGN);
  const place = rowOf(doc) + (<usize>slot << 2);
  store<f32>(place, load<f32>(place) + frequency);
  return addBit(buffer(B_SUM_BITS), doc);
}

/** Sets a bit; returns 1 if it was not set. */
function addBit(bits: usize, doc: u32): u32 {
  const word = bits + (<usize>(doc >> 5) << 2);
  const before = load<u32>(word);
  store<u32>(word, before | (1 << (doc & 31)));
  return ((before >> (doc & 31)) & 1) ^ 1;
}

/**
 * The x of a document. It clears the document's sums in fields other than the content; the caller clears the sum of the
 * content.
 */
export function takeFrequency(doc: u32): f32 {
  const sum = load<f32>(buffer(B_SUMS) + (<usize>doc << 2));
  const content = abs<f32>(sum);
  const rest = load<f32>(H_SCORING, P_REST);
  const x: f32 = content > 0
    ? weightOf(0) * logarithmic(content) / (rest + normOf(0) * load<f32>(lengthsOf(1) + (<usize>doc << 2)))
    : 0;
  return saturated((reinterpret<u32>(sum) & SIGN) === 0 ? x : takeFields(doc, x, rest));
}

function saturated(y: f32): f32 {
  const k = load<f32>(H_SCORING, P_C1);
  return y * (k + 1) / (y + k);
}

/** Adds the terms of the other fields to an x. */
function takeFields(doc: u32, x: f32, rest: f32): f32 {
  const row = rowOf(doc);
  for (let slot: u32 = 1; slot < SLOTS; slot++) {
    const frequency = load<f32>(row + (<usize>slot << 2));
    if (frequency > 0) x += weightOf(slot) * logarithmic(frequency) / (rest + normOf(slot) * lengthIn(doc, slot));
  }
  v128.store(row, f32x4.splat(0));
  v128.store(row, f32x4.splat(0), 16);
  return x;
}

function rowOf(doc: u32): usize {
  return buffer(B_FIELD_SUMS) + (<usize>doc << ROW_SHIFT);
}

/** 1 + ln tf; the values of small whole numbers are kept. */
function logarithmic(frequency: f32): f32 {
  if (frequency < 1) return frequency;
  const whole = <u32>frequency;
  if (whole > 255 || <f32>whole !== frequency) return 1 + NativeMathf.log(frequency);
  const known = LOGARITHMS + (<usize>whole << 2);
  if (load<f32>(known) === 0) store<f32>(known, 1 + NativeMathf.log(frequency));
  return load<f32>(known);
}

/** Length of a live document in the field of a slot. */
function lengthIn(doc: u32, slot: u32): f32 {
  const offset = <usize>doc << 2;
  if (slot < PLAIN_FIELDS) return load<f32>(lengthsOf(slot + 1) + offset);
  let length = load<f32>(lengthsOf(0) + offset);
  for (let field: u32 = 0; field < OWN_FIELDS; field++)
    if (lengthsOf(field + 1) !== 0) length -= load<f32>(lengthsOf(field + 1) + offset);
  return length;
}

function weightOf(slot: u32): f32 {
  return load<f32>(buffer(B_FIELD_FACTORS) + (<usize>slot << 3));
}

function normOf(slot: u32): f32 {
  return load<f32>(buffer(B_FIELD_FACTORS) + (<usize>slot << 3), 4);
}
