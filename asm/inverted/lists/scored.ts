// Lists for formulas that treat fields differently: TF-IDF, BM25F, and BM25 over some fields. Their impacts are
// computed from frequencies by field, which a list does not store. So a list is valid only for the parameters with
// which it was made, averages included, and is rebuilt when documents were added or removed. Its layout is that of
// `list.ts`, but frequencies are 0, and it has no positions.
//
// The host identifies parameters by a number, and the part of them that a request selects by a family (see
// `setScoring`).

import { BLOCK, DOCS, H_DEATHS, H_REMAP, H_SCORING, H_SCORING_NAMES, SCORES, WEIGHTS } from '../layout.ts';
import { bitmapBytes } from '../levels.ts';
import { R_DOCUMENTS, recordOf } from '../records.ts';
import { scoreEach, sumForm } from '../scoring.ts';
import { B_SUM_BITS, B_SUMS, buffer } from '../scratch.ts';
import { takeFrequency } from '../sublinear.ts';
import { P_ALGORITHM, TF_IDF } from '../weighing.ts';
import { admits, drop, L_POSITIONS, largestBlock, takeList, touch } from './arena.ts';
import { formsOf, impactsOf, L_DEATHS, L_DOCUMENTS, L_END, L_FAMILY, L_FORMS, L_NUMBER, L_PHRASES, L_ROOM, L_WIDE,
  listBytes, NARROW_DOCUMENT, noteLargest, wordsOf } from './list.ts';
import { committedEnd, find, hashOf } from './recall.ts';

// At H_SCORING_NAMES.
/** Offsets from H_SCORING_NAMES. */
export const N_NUMBER: usize = 0;
export const N_FAMILY: usize = 4;

/** The list of a group of forms for the current scoring; 0 if there is no space for it. */
export function recallScored(forms: usize, count: u32): usize {
  if (load<u32>(H_REMAP) !== 0) return 0;
  const family = load<u32>(H_SCORING_NAMES, N_FAMILY);
  const hash = hashOf(forms, count, family);
  const known = find(forms, count, hash, family);
  const list = known !== 0 && isGood(known) ? known : make(forms, count, hash, known);
  if (list !== 0) touch(list);
  return list;
}

/** Whether a list was made for the current parameters and documents. */
export function isGood(list: usize): bool {
  return load<u32>(list, L_NUMBER) === load<u32>(H_SCORING_NAMES, N_NUMBER) &&
    load<u32>(list, L_DEATHS) === load<u32>(H_DEATHS) && load<u32>(list, L_END) === committedEnd();
}

/** Makes a list; it overwrites the `former` list of its forms if there is one that is large enough. */
function make(forms: usize, count: u32, hash: u32, former: usize): usize {
  let postings: u64 = 0;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4)
    postings += <u64>load<u32>(recordOf(load<u32>(at)), R_DOCUMENTS);
  const most = listBytes(count, <u32>min(postings, <u64>committedEnd()), false);
  if (most > <u64>largestBlock() || (former === 0 && !admits(<u32>most))) return 0;
  let documents: u32 = 0;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4) documents += sumForm(load<u32>(at), 1);
  const list = former !== 0 && documents + 4 <= load<u32>(former, L_ROOM)
    ? former
    : takeRoom(forms, count, hash, former, documents, load<u32>(H_SCORING_NAMES, N_FAMILY));
  fill(list);
  return list;
}

/**
 * A list for `documents` documents that is found by some numbers; it replaces a former one, if any. 0 if there is no
 * space.
 */
export function takeRoom(forms: usize, count: u32, hash: u32, former: usize, documents: u32, family: u32): usize {
  if (former !== 0) drop(former);
  const room = (documents + (documents >> 3) + 16) & ~3;
  const bytes = listBytes(count, room, false);
  const list: usize = bytes > <u64>largestBlock() ? 0 : takeList(<u32>bytes, hash);
  if (list === 0) return 0;
  store<u32>(list, 0, L_POSITIONS);
  store<u32>(list, 0, L_PHRASES);
  store<u32>(list, count, L_FORMS);
  store<u32>(list, room, L_ROOM);
  store<u32>(list, family, L_FAMILY);
  memory.copy(formsOf(list), forms, <usize>count << 2);
  return list;
}

/** Moves the group that was summed to a list; if the list is 0, the group is only cleared. */
function fill(list: usize): void {
  const bits = buffer(B_SUM_BITS);
  const sums = buffer(B_SUMS);
  const byField = load<u32>(H_SCORING, P_ALGORITHM) === TF_IDF;
  const bytes = bitmapBytes();
  let documents: u32 = 0;
  let count: u32 = 0;
  for (let at: usize = 0; at < bytes; at += 8) {
    const set = load<u64>(bits + at);
    if (set === 0) continue;
    store<u64>(bits + at, 0);
    for (let left = set; left !== 0; left &= left - 1) {
      const doc = (at << 3) + <usize>ctz(left);
      store<u32>(DOCS + (<usize>count << 2), <u32>doc);
      store<f32>(WEIGHTS + (<usize>count << 2), byField ? takeFrequency(<u32>doc) : load<f32>(sums + (doc << 2)));
      store<f32>(sums + (doc << 2), 0);
      if (++count < BLOCK) continue;
      if (list !== 0) append(list, documents, count);
      documents += count;
      count = 0;
    }
  }
  if (list === 0) return;
  append(list, documents, count);
  finish(list, documents + count);
}

function append(list: usize, documents: u32, count: u32): void {
  scoreEach(count, 1);
  memory.copy(wordsOf(list) + (<usize>documents << 2), DOCS, <usize>count << 2);
  memory.copy(impactsOf(list) + (<usize>documents << 2), SCORES, <usize>count << 2);
}

/** Completes a list that has its documents and impacts. */
export function finish(list: usize, documents: u32): void {
  const end = committedEnd();
  store<u32>(list, documents, L_DOCUMENTS);
  store<u32>(list, <u32>(end > NARROW_DOCUMENT), L_WIDE);
  store<u32>(list, end, L_END);
  store<u32>(list, load<u32>(H_DEATHS), L_DEATHS);
  store<u32>(list, load<u32>(H_SCORING_NAMES, N_NUMBER), L_NUMBER);
  // Vectors of four may be read behind the last document.
  v128.store(wordsOf(list) + (<usize>documents << 2), i32x4.splat(0));
  v128.store(impactsOf(list) + (<usize>documents << 2), i32x4.splat(0));
  noteLargest(list);
}
