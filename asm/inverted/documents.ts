// What is stored for each document: its length by field, the caller's ordinal, and its class.
//
// Documents are numbered from 1 in the order in which they are added. A deleted document keeps its number and its
// postings until compaction; its lengths become infinite, so that each of its weights is zero.
//
// Lengths in plain fields are in arrays. A collection may have hundreds of further fields, of which a document has few;
// the lengths in these are in a list per document:
//
// u16 bytes of the list (varint field - the previous field, varint length) ... before the first: the last plain field
//
// A class is a number below 32 that the caller sets for a document. A term may match in documents of some classes only.

import { getVarint, putVarint, varintLength, varintValue } from './bytes.ts';
import { H_CLASS_DOCS, H_CLASSES, H_DEAD_DOCS, H_DEATHS, H_DOC_CAPACITY, H_DOC_OF, H_DOC_OF_CAPACITY, H_DOCS,
  H_EXCLUDED, H_FIELD_CAPACITY, H_FIELD_SUMS, H_FURTHER, H_FURTHER_LENGTHS, H_GRADED, H_LENGTH_SUM, H_LENGTHS,
  H_LIVE_DOCS, H_ORDINALS, MAX_CLASSES, OWN_FIELDS, PART_DOCUMENTS, PLAIN_FIELDS } from './layout.ts';
import { allocate, release, resize } from './memory.ts';
import { B_DOC_LENGTHS, B_GRADES, buffer, reserve } from './scratch.ts';

/** Bytes of the sums of a field: f64 tokens, u32 documents. */
export const FIELD_SUM_BYTES: u32 = 16;
export const S_DOCUMENTS: usize = 8;
/** The grade of a dead document (see `grades.ts`). Its high bit is set in no other grade. */
export const DEAD_GRADE: u8 = 0x80;

/** Deletes the document of an ordinal. Returns whether there was one. */
export function removeDocument(ordinal: u32): bool {
  const doc = documentOf(ordinal);
  if (doc === 0) return false;
  const all = lengthsOf(0) + (<usize>doc << 2);
  store<f64>(H_LENGTH_SUM, load<f64>(H_LENGTH_SUM) - <f64>load<f32>(all));
  store<f32>(all, f32.POSITIVE_INFINITY);
  for (let field: u32 = 0; field < PLAIN_FIELDS; field++) {
    if (lengthsOf(field + 1) === 0) continue;
    const place = lengthsOf(field + 1) + (<usize>doc << 2);
    if (load<f32>(place) > 0) countLength(field, load<f32>(place), -1);
    store<f32>(place, f32.POSITIVE_INFINITY);
  }
  dropFurtherLengths(doc);
  if (doc < load<u32>(H_GRADED)) store<u8>(buffer(B_GRADES) + <usize>doc, DEAD_GRADE);
  store<u32>(<usize>load<u32>(H_DOC_OF) + (<usize>ordinal << 2), 0);
  addTo(H_LIVE_DOCS, -1);
  addTo(documentsInClass(classOf(doc)), -1);
  addTo(H_DEAD_DOCS, 1);
  addTo(H_DEATHS, 1);
  return true;
}

export function documentOf(ordinal: u32): u32 {
  return ordinal < load<u32>(H_DOC_OF_CAPACITY) ? load<u32>(<usize>load<u32>(H_DOC_OF) + (<usize>ordinal << 2)) : 0;
}

/**
 * Array of lengths over all fields but the derived ones (0), or in plain field - 1; 0 while no document has had that
 * field.
 */
export function lengthsOf(array: u32): usize {
  return load<u32>(H_LENGTHS + (<usize>array << 2));
}

/** Length of a document in a field; infinite for a dead document. */
export function lengthIn(doc: u32, field: u32): f32 {
  if (isDead(doc)) return f32.POSITIVE_INFINITY;
  if (field < PLAIN_FIELDS) return lengthsOf(field + 1) === 0 ? 0 : load<f32>(lengthsOf(field + 1) + (<usize>doc << 2));
  const list = furtherLengths(doc);
  if (list === 0) return 0;
  let each: u32 = PLAIN_FIELDS - 1;
  for (let at = list + 2; at < endOfLengths(list);) {
    at = readLength(at);
    each += lengthGap();
    if (each === field) return lengthRead();
  }
  return 0;
}

/** The same by ordinal; 0 for a document that does not exist. */
export function lengthOf(ordinal: u32, field: u32): f32 {
  const doc = documentOf(ordinal);
  return doc === 0 ? 0 : lengthIn(doc, field);
}

/** The list of a document's lengths in further fields; 0 for none. Its entries begin behind the first two bytes. */
export function furtherLengths(doc: u32): usize {
  const lists = <usize>load<u32>(H_FURTHER_LENGTHS);
  return lists === 0 ? 0 : load<u32>(lists + (<usize>doc << 2));
}

export function endOfLengths(list: usize): usize {
  return list + load<u16>(list);
}

/** Reads an entry of such a list; returns the address behind it. The two functions below return what it has read. */
export function readLength(at: usize): usize {
  const gap = getVarint(at);
  at += varintLength(gap);
  const length = getVarint(at);
  store<u32>(H_FURTHER, varintValue(gap));
  store<u32>(H_FURTHER, varintValue(length), 4);
  return at + varintLength(length);
}

/** The distance of the field from the previous one; for the first, from the last plain field. */
export function lengthGap(): u32 {
  return load<u32>(H_FURTHER);
}

export function lengthRead(): f32 {
  return <f32>load<u32>(H_FURTHER, 4);
}

export function isDead(doc: u32): bool {
  return load<f32>(lengthsOf(0) + (<usize>doc << 2)) === f32.POSITIVE_INFINITY;
}

/** The class of a document, live or dead. */
export function classOf(doc: u32): u32 {
  return load<u8>(<usize>load<u32>(H_CLASSES) + <usize>doc);
}

/** Address of the number of live documents of a class. */
function documentsInClass(number: u32): usize {
  return H_CLASS_DOCS + (<usize>number << 2);
}

/** Bits of the classes that live documents have. */
export function liveClasses(): u32 {
  let classes: u32 = 0;
  for (let number: u32 = 0; number < MAX_CLASSES; number++)
    if (load<u32>(documentsInClass(number)) > 0) classes |= 1 << number;
  return classes;
}

/** Sets the classes whose documents the following terms match. */
export function allowClasses(classes: u32): void {
  store<u32>(H_EXCLUDED, ~classes);
}

/** Whether the class of a document is not allowed. */
export function isExcluded(doc: u32): bool {
  return ((load<u32>(H_EXCLUDED) >> classOf(doc)) & 1) !== 0;
}

export function addTo(counter: usize, amount: i32): void {
  store<u32>(counter, load<u32>(counter) + <u32>amount);
}

export function resizeDocuments(capacity: u32): void {
  const old = load<u32>(H_DOC_CAPACITY);
  for (let array: u32 = 0; array <= PLAIN_FIELDS; array++) {
    if (array < 2 || lengthsOf(array) !== 0) resizeArray(H_LENGTHS + (<usize>array << 2), old, capacity);
  }
  if (load<u32>(H_FURTHER_LENGTHS) !== 0) resizeArray(H_FURTHER_LENGTHS, old, capacity);
  resizeArray(H_ORDINALS, old, capacity);
  store<u32>(H_CLASSES, <u32>resize(load<u32>(H_CLASSES), old, capacity, PART_DOCUMENTS));
  store<u32>(H_DOC_CAPACITY, capacity);
}

function resizeArray(pointer: usize, old: u32, capacity: u32): void {
  store<u32>(pointer, <u32>resize(load<u32>(pointer), old * 4, capacity * 4, PART_DOCUMENTS));
}

/** Makes a new document of an ordinal and a class. It is dead until `showDocument`. */
export function newDocument(ordinal: u32, number: u32): u32 {
  assert(number < MAX_CLASSES, 'a class out of range');
  const doc = load<u32>(H_DOCS);
  const capacity = load<u32>(H_DOC_CAPACITY);
  if (doc >= capacity) resizeDocuments(max(256, capacity + (capacity >> 4)));
  widenOrdinals(ordinal);
  store<u32>(H_DOCS, doc + 1);
  store<u32>(<usize>load<u32>(H_ORDINALS) + (<usize>doc << 2), ordinal);
  store<u8>(<usize>load<u32>(H_CLASSES) + <usize>doc, <u8>number);
  for (let array: u32 = 0; array <= PLAIN_FIELDS; array++) {
    if (lengthsOf(array) !== 0) store<f32>(lengthsOf(array) + (<usize>doc << 2), f32.POSITIVE_INFINITY);
  }
  if (load<u32>(H_FURTHER_LENGTHS) !== 0) store<u32>(<usize>load<u32>(H_FURTHER_LENGTHS) + (<usize>doc << 2), 0);
  return doc;
}

/** A new document whose postings searches may see counts as deleted until it is revived. */
export function hideDocument(): void {
  addTo(H_DEAD_DOCS, 1);
  addTo(H_DEATHS, 1);
}

export function reviveDocument(): void {
  addTo(H_DEAD_DOCS, -1);
  addTo(H_DEATHS, 1);
}

/**
 * Replaces the former document of an ordinal with a new one. `places` has its fields and their first tokens, u32
 * each, and one more entry behind the `count` fields.
 */
export function showDocument(doc: u32, tokens: u32, places: usize, count: u32): void {
  const ordinal = load<u32>(<usize>load<u32>(H_ORDINALS) + (<usize>doc << 2));
  removeDocument(ordinal);
  store<u32>(<usize>load<u32>(H_DOC_OF) + (<usize>ordinal << 2), doc);
  addTo(H_LIVE_DOCS, 1);
  addTo(documentsInClass(classOf(doc)), 1);
  const own = tokens - tokensInDerived(places, count);
  store<f32>(lengthsOf(0) + (<usize>doc << 2), <f32>own);
  store<f64>(H_LENGTH_SUM, load<f64>(H_LENGTH_SUM) + <f64>(<f32>own));
  for (let array: u32 = 1; array <= PLAIN_FIELDS; array++) {
    if (lengthsOf(array) !== 0) store<f32>(lengthsOf(array) + (<usize>doc << 2), 0);
  }
  const list = reserve(B_DOC_LENGTHS, 16 + count * 10);
  let at = list + 2;
  let before: u32 = PLAIN_FIELDS - 1;
  for (const end = places + (<usize>count << 3); places < end; places += 8) {
    const field = load<u32>(places);
    const length = load<u32>(places, 12) - load<u32>(places, 4);
    if (length === 0) continue;
    countLength(field, <f32>length, 1);
    if (field < PLAIN_FIELDS) store<f32>(arrayOf(field) + (<usize>doc << 2), <f32>length);
    else {
      at = putVarint(putVarint(at, field - before), length);
      before = field;
    }
  }
  if (at > list + 2) keepFurtherLengths(doc, list, <u32>(at - list));
}

function tokensInDerived(places: usize, count: u32): u32 {
  let tokens: u32 = 0;
  for (const end = places + (<usize>count << 3); places < end; places += 8) {
    const field = load<u32>(places);
    if (field >= OWN_FIELDS && field < PLAIN_FIELDS) tokens += load<u32>(places, 12) - load<u32>(places, 4);
  }
  return tokens;
}

/** Counts a live document with `length` tokens in a field: 1 when it is added, -1 when it is removed. */
function countLength(field: u32, length: f32, change: i32): void {
  const capacity = load<u32>(H_FIELD_CAPACITY);
  if (field >= capacity) {
    const wider = max(max(8, capacity * 2), field + 1);
    store<u32>(H_FIELD_SUMS,
      <u32>resize(load<u32>(H_FIELD_SUMS), capacity * FIELD_SUM_BYTES, wider * FIELD_SUM_BYTES, PART_DOCUMENTS));
    store<u32>(H_FIELD_CAPACITY, wider);
  }
  const sums = <usize>load<u32>(H_FIELD_SUMS) + <usize>field * FIELD_SUM_BYTES;
  store<f64>(sums, load<f64>(sums) + <f64>change * <f64>length);
  addTo(sums + S_DOCUMENTS, change);
}

/** The array of lengths in a plain field; it is made when the first document has the field. */
function arrayOf(field: u32): usize {
  if (lengthsOf(field + 1) !== 0) return lengthsOf(field + 1);
  const array = resize(0, 0, load<u32>(H_DOC_CAPACITY) * 4, PART_DOCUMENTS);
  store<u32>(H_LENGTHS + (<usize>(field + 1) << 2), <u32>array);
  const all = lengthsOf(0);
  for (let at: usize = 0; at < <usize>load<u32>(H_DOCS) << 2; at += 4) {
    if (load<f32>(all + at) === f32.POSITIVE_INFINITY) store<f32>(array + at, f32.POSITIVE_INFINITY);
  }
  return array;
}

function keepFurtherLengths(doc: u32, list: usize, bytes: u32): void {
  if (load<u32>(H_FURTHER_LENGTHS) === 0) {
    store<u32>(H_FURTHER_LENGTHS, <u32>resize(0, 0, load<u32>(H_DOC_CAPACITY) * 4, PART_DOCUMENTS));
  }
  const kept = allocate(bytes, PART_DOCUMENTS);
  store<u16>(list, <u16>bytes);
  memory.copy(kept, list, bytes);
  store<u32>(<usize>load<u32>(H_FURTHER_LENGTHS) + (<usize>doc << 2), <u32>kept);
}

function dropFurtherLengths(doc: u32): void {
  const list = furtherLengths(doc);
  if (list === 0) return;
  let field: u32 = PLAIN_FIELDS - 1;
  for (let at = list + 2; at < endOfLengths(list);) {
    at = readLength(at);
    field += lengthGap();
    countLength(field, lengthRead(), -1);
  }
  release(list, load<u16>(list), PART_DOCUMENTS);
  store<u32>(<usize>load<u32>(H_FURTHER_LENGTHS) + (<usize>doc << 2), 0);
}

function widenOrdinals(ordinal: u32): void {
  const capacity = load<u32>(H_DOC_OF_CAPACITY);
  if (ordinal < capacity) return;
  const wider = max(max(256, capacity + (capacity >> 4)), ordinal + 1);
  store<u32>(H_DOC_OF, <u32>resize(load<u32>(H_DOC_OF), capacity * 4, wider * 4, PART_DOCUMENTS));
  store<u32>(H_DOC_OF_CAPACITY, wider);
}
