// The parameters of scoring, and the frequency x of a form in each document (see `scoring.ts`).
//
// They are at H_SCORING: u32 algorithm, u32 whether all fields but the derived ones count alike, f32 c0 = k1 * (1 - b)
// (BM25F: k1; TF-IDF: see `sublinear.ts`), f32 c1 = k1 * b / avglen, f32 1 - b. Unless all fields count alike,
// B_FIELD_FACTORS has for each of the MAX_FIELDS fields: f32 weight (0 for a field that does not count), f32 b /
// avglen_f.

import { endOfLengths, furtherLengths, isDead, lengthGap, lengthIn, lengthRead, lengthsOf,
  readLength } from './documents.ts';
import { dropDerived, entryField, entryFrequency, entryIndex, readFields } from './fields.ts';
import { CONTENT_FREQUENCIES, DOCS, FREQUENCIES, H_SCORING, PLAIN_FIELDS, WEIGHTS } from './layout.ts';
import { B_FIELD_FACTORS, buffer } from './scratch.ts';

export const BM25: u32 = 0;
export const TF_IDF: u32 = 1;
export const BM25F: u32 = 2;

export const P_ALGORITHM: usize = 0;
export const P_ALIKE: usize = 4;
export const P_C0: usize = 8;
export const P_C1: usize = 12;
export const P_REST: usize = 16;

/** Computes WEIGHTS from DOCS and FREQUENCIES of a chunk: the form's frequency x in each document, times a weight. */
export function weigh(form: u32, chunk: u32, count: u32, weight: f32): void {
  if (load<u32>(H_SCORING, P_ALIKE) === 0) return weighByField(form, chunk, count, weight);
  dropDerived(form, chunk, count, FREQUENCIES);
  const factor = f32x4.splat(weight);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    v128.store(WEIGHTS + i, f32x4.mul(f32x4.convert_i32x4_u(v128.load(FREQUENCIES + i)), factor));
  }
}

function weighByField(form: u32, chunk: u32, count: u32, weight: f32): void {
  const entries = readFields(form, chunk, count, FREQUENCIES);
  const normed = load<u32>(H_SCORING, P_ALGORITHM) === BM25F;
  const rest = load<f32>(H_SCORING, P_REST);
  weighContent(count, weight * weightOf(0), normed);
  for (let entry: u32 = 0; entry < entries; entry++) {
    const field = entryField(entry);
    const own = weightOf(field);
    if (own === 0) continue;
    const i = <usize>entryIndex(entry) << 2;
    const x = own * weight * <f32>entryFrequency(entry);
    const below: f32 = normed ? rest + normOf(field) * lengthIn(load<u32>(DOCS + i), field) : 1;
    store<f32>(WEIGHTS + i, load<f32>(WEIGHTS + i) + x / below);
  }
}

function weighContent(count: u32, factor: f32, normed: bool): void {
  if (factor === 0) return memory.fill(WEIGHTS, 0, <usize>count << 2);
  const lengths = lengthsOf(1);
  const rest: f32 = normed ? load<f32>(H_SCORING, P_REST) : 1;
  const norm: f32 = normed ? normOf(0) : 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const frequency = load<u32>(CONTENT_FREQUENCIES + i);
    let x: f32 = 0;
    if (frequency > 0) {
      x = factor * <f32>frequency;
      if (normed) x /= rest + norm * load<f32>(lengths + (<usize>load<u32>(DOCS + i) << 2));
    }
    store<f32>(WEIGHTS + i, x);
  }
}

function weightOf(field: u32): f32 {
  return load<f32>(buffer(B_FIELD_FACTORS) + (<usize>field << 3));
}

function normOf(field: u32): f32 {
  return load<f32>(buffer(B_FIELD_FACTORS) + (<usize>field << 3), 4);
}

/** Length of a document over the fields that count; infinite for a dead one. */
export function lengthThatCounts(doc: u32): f32 {
  if (isDead(doc)) return f32.POSITIVE_INFINITY;
  let length: f32 = 0;
  for (let field: u32 = 0; field < PLAIN_FIELDS; field++) if (weightOf(field) > 0) length += lengthIn(doc, field);
  const list = furtherLengths(doc);
  if (list === 0) return length;
  let field: u32 = PLAIN_FIELDS - 1;
  for (let at = list + 2; at < endOfLengths(list);) {
    at = readLength(at);
    field += lengthGap();
    if (weightOf(field) > 0) length += lengthRead();
  }
  return length;
}
