// What each document is: its length by field, and the caller's ordinal.
//
// Documents are numbered from 1 in the order they come. One that is deleted keeps its number, and its
// postings, until compaction; its lengths become infinite, so that every weight of it is zero.

import {
  FIELDS, H_DEAD_DOCS, H_DEATHS, H_DOC_CAPACITY, H_DOC_OF, H_DOC_OF_CAPACITY, H_DOCS, H_FIELD_DOCS,
  H_LENGTH_SUMS, H_LENGTHS, H_LIVE_DOCS, H_ORDINALS, H_TOKEN_COUNTS, H_TOKENS, PART_DOCUMENTS,
} from './layout.ts';
import { resize } from './memory.ts';

/** Deletes the document of an ordinal. Gives whether there was one. */
export function removeDocument(ordinal: u32): bool {
  const doc = documentOf(ordinal);
  if (doc === 0) return false;
  for (let field: u32 = 0; field <= FIELDS; field++) {
    const place = lengthsOf(field) + (<usize>doc << 2);
    const length = load<f32>(place);
    const sum = H_LENGTH_SUMS + (<usize>field << 3);
    store<f64>(sum, load<f64>(sum) - <f64>length);
    if (field > 0 && length > 0) addTo(H_FIELD_DOCS + (<usize>(field - 1) << 2), -1);
    store<f32>(place, f32.POSITIVE_INFINITY);
  }
  store<u32>(<usize>load<u32>(H_DOC_OF) + (<usize>ordinal << 2), 0);
  addTo(H_LIVE_DOCS, -1);
  addTo(H_DEAD_DOCS, 1);
  addTo(H_DEATHS, 1);
  return true;
}

/** The number of the document of an ordinal, 0 for none. */
export function documentOf(ordinal: u32): u32 {
  return ordinal < load<u32>(H_DOC_OF_CAPACITY) ? load<u32>(<usize>load<u32>(H_DOC_OF) + (<usize>ordinal << 2)) : 0;
}

/** Array of lengths over all fields (0), or of field - 1. */
export function lengthsOf(field: u32): usize {
  return load<u32>(H_LENGTHS + (<usize>field << 2));
}

export function isDead(doc: u32): bool {
  return load<f32>(lengthsOf(0) + (<usize>doc << 2)) === f32.POSITIVE_INFINITY;
}

export function addTo(counter: usize, amount: i32): void {
  store<u32>(counter, load<u32>(counter) + <u32>amount);
}

/** The arrays by document, for `capacity` documents. */
export function resizeDocuments(capacity: u32): void {
  const old = load<u32>(H_DOC_CAPACITY);
  for (let field: u32 = 0; field <= FIELDS; field++) resizeArray(H_LENGTHS + (<usize>field << 2), old, capacity);
  resizeArray(H_ORDINALS, old, capacity);
  store<u32>(H_DOC_CAPACITY, capacity);
}

function resizeArray(pointer: usize, old: u32, capacity: u32): void {
  store<u32>(pointer, <u32>resize(load<u32>(pointer), old * 4, capacity * 4, PART_DOCUMENTS));
}

/** A new document of an ordinal that has none, with the tokens by field that H_TOKEN_COUNTS says. */
export function newDocument(ordinal: u32): u32 {
  assert(documentOf(ordinal) === 0, 'an ordinal has one document');
  const doc = load<u32>(H_DOCS);
  const capacity = load<u32>(H_DOC_CAPACITY);
  if (doc >= capacity) resizeDocuments(max(256, capacity + (capacity >> 3)));
  widenOrdinals(ordinal);
  store<u32>(H_DOCS, doc + 1);
  store<u32>(<usize>load<u32>(H_ORDINALS) + (<usize>doc << 2), ordinal);
  store<u32>(<usize>load<u32>(H_DOC_OF) + (<usize>ordinal << 2), doc);
  addTo(H_LIVE_DOCS, 1);
  setLength(0, doc, load<u32>(H_TOKENS));
  for (let field: u32 = 0; field < FIELDS; field++) setLength(field + 1, doc, load<u32>(H_TOKEN_COUNTS + (<usize>field << 2)));
  return doc;
}

function setLength(array: u32, doc: u32, length: u32): void {
  store<f32>(lengthsOf(array) + (<usize>doc << 2), <f32>length);
  const sum = H_LENGTH_SUMS + (<usize>array << 3);
  store<f64>(sum, load<f64>(sum) + <f64>(<f32>length));
  if (array > 0 && length > 0) addTo(H_FIELD_DOCS + (<usize>(array - 1) << 2), 1);
}

function widenOrdinals(ordinal: u32): void {
  const capacity = load<u32>(H_DOC_OF_CAPACITY);
  if (ordinal < capacity) return;
  const wider = max(max(256, capacity + (capacity >> 3)), ordinal + 1);
  store<u32>(H_DOC_OF, <u32>resize(load<u32>(H_DOC_OF), capacity * 4, wider * 4, PART_DOCUMENTS));
  store<u32>(H_DOC_OF_CAPACITY, wider);
}
