// The distinct surface forms of the index: each is a number from 1, a record, and a string that a hash
// table (open addressing, linear probing) finds by its bytes.
//
// A record, 24 bytes:
//
//     0 string   4 documents   8 tail   12 last document   16 u16 tail bytes   18 u8 tail postings   19 u8 fields   20 directory
//
// The postings are those of `postings.ts`. "documents" counts postings, dead ones included; the high bit
// of "tail postings" is the epoch that the tail and the last document belong to; "fields" has a bit for
// every field in which the form ever stood since its last compaction.
//
// A string: u16 length, bytes; when the length has its high bit set, the folded key that the dictionary
// sorts by follows: u16 length, bytes. Without it the key is the form itself.

import { equalBytes, hashBytes } from './bytes.ts';
import {
  H_FORM_CAPACITY, H_FORMS, H_HASH, H_HASH_SLOTS, H_HASH_USED, H_NEW_FORMS, H_RECORDS, H_SPARE_FORMS,
  PART_FORMS, PART_STRINGS,
} from './layout.ts';
import { allocate, release, resize } from './memory.ts';
import { B_NEW_FORMS, buffer, reserve, roomOf } from './scratch.ts';

export const RECORD: u32 = 24;
export const R_STRING: usize = 0;
export const R_DOCUMENTS: usize = 4;
export const R_TAIL: usize = 8;
export const R_LAST: usize = 12;
export const R_TAIL_BYTES: usize = 16;
export const R_TAIL_POSTINGS: usize = 18;
export const R_FIELDS: usize = 19;
export const R_DIRECTORY: usize = 20;

const HAS_KEY: u32 = 0x8000;
const FIRST_CAPACITY: u32 = 256;
const FIRST_SLOTS: u32 = 512;

/** Address of a form's record. */
export function recordOf(form: u32): usize {
  assert(form > 0 && form < load<u32>(H_FORMS), 'no such form');
  return <usize>load<u32>(H_RECORDS) + <usize>form * RECORD;
}

export function formCount(): u32 {
  return load<u32>(H_FORMS);
}

/** Whether a number below `formCount()` belongs to a form; those of forms that were dropped don't. */
export function formExists(form: u32): bool {
  return load<u32>(recordOf(form), R_STRING) !== 0;
}

export function formBytes(form: u32): usize {
  return <usize>load<u32>(recordOf(form), R_STRING) + 2;
}

export function formLength(form: u32): u32 {
  return <u32>load<u16>(load<u32>(recordOf(form), R_STRING)) & ~HAS_KEY;
}

/** Address of the key, whose length is the u16 in front of it (without its high bit). */
export function keyBytes(form: u32): usize {
  const text = <usize>load<u32>(recordOf(form), R_STRING);
  const length = <u32>load<u16>(text);
  return (length & HAS_KEY) !== 0 ? text + 4 + (length & ~HAS_KEY) : text + 2;
}

export function keyLength(form: u32): u32 {
  return <u32>load<u16>(keyBytes(form) - 2) & ~HAS_KEY;
}

/** Number of the form with these bytes, or 0. */
export function findForm(at: usize, length: u32): u32 {
  return load<u32>(H_HASH_SLOTS) === 0 ? 0 : load<u32>(slotFor(at, length, hashBytes(at, length)));
}

/** The same, adding the form when there is none; new ones are noted in B_NEW_FORMS. */
export function internForm(at: usize, length: u32, hash: u32): u32 {
  if (load<u32>(H_HASH_USED) * 4 >= load<u32>(H_HASH_SLOTS) * 3) growHash();
  const slot = slotFor(at, length, hash);
  const known = load<u32>(slot);
  if (known !== 0) return known;
  const form = newNumber();
  const text = allocate(length + 2, PART_STRINGS);
  store<u16>(text, <u16>length);
  memory.copy(text + 2, at, length);
  store<u32>(recordOf(form), <u32>text, R_STRING);
  store<u32>(slot, form);
  store<u32>(H_HASH_USED, load<u32>(H_HASH_USED) + 1);
  noteNew(form);
  return form;
}

/** Gives a form a key other than its own bytes; before it is put in order. */
export function setKey(form: u32, at: usize, length: u32): void {
  const record = recordOf(form);
  const old = <usize>load<u32>(record, R_STRING);
  const own = formLength(form);
  const text = allocate(own + length + 4, PART_STRINGS);
  store<u16>(text, <u16>(own | HAS_KEY));
  memory.copy(text + 2, old + 2, own);
  store<u16>(text + 2 + own, <u16>length);
  memory.copy(text + 4 + own, at, length);
  release(old, stringSize(old), PART_STRINGS);
  store<u32>(record, <u32>text, R_STRING);
}

/** Forgets a form without postings; its number will be given to another one. */
export function dropForm(form: u32): void {
  const record = recordOf(form);
  const text = <usize>load<u32>(record, R_STRING);
  assert(load<u32>(record, R_DOCUMENTS) === 0 && load<u32>(record, R_TAIL) === 0, 'a form with postings');
  emptySlot(slotFor(text + 2, formLength(form), hashBytes(text + 2, formLength(form))));
  store<u32>(H_HASH_USED, load<u32>(H_HASH_USED) - 1);
  release(text, stringSize(text), PART_STRINGS);
  memory.fill(record, 0, RECORD);
  pushSpare(form);
}

function stringSize(text: usize): u32 {
  const length = <u32>load<u16>(text);
  if ((length & HAS_KEY) === 0) return length + 2;
  const own = length & ~HAS_KEY;
  return own + 4 + <u32>load<u16>(text + 2 + own);
}

/** A spare number, or the next one; its record is zero. */
function newNumber(): u32 {
  const spare = load<u32>(H_SPARE_FORMS, 8);
  if (spare > 0) {
    store<u32>(H_SPARE_FORMS, spare - 1, 8);
    return load<u32>(<usize>load<u32>(H_SPARE_FORMS) + (<usize>(spare - 1) << 2));
  }
  const form = load<u32>(H_FORMS);
  const capacity = load<u32>(H_FORM_CAPACITY);
  if (form >= capacity) {
    const wider = max(FIRST_CAPACITY, capacity + (capacity >> 3));
    store<u32>(H_RECORDS, <u32>resize(load<u32>(H_RECORDS), capacity * RECORD, wider * RECORD, PART_FORMS));
    store<u32>(H_FORM_CAPACITY, wider);
  }
  store<u32>(H_FORMS, form + 1);
  return form;
}

function pushSpare(form: u32): void {
  const capacity = load<u32>(H_SPARE_FORMS, 4);
  const count = load<u32>(H_SPARE_FORMS, 8);
  if (count === capacity) {
    const wider = max(64, capacity * 2);
    store<u32>(H_SPARE_FORMS, <u32>resize(load<u32>(H_SPARE_FORMS), capacity * 4, wider * 4, PART_FORMS));
    store<u32>(H_SPARE_FORMS, wider, 4);
  }
  store<u32>(<usize>load<u32>(H_SPARE_FORMS) + (<usize>count << 2), form);
  store<u32>(H_SPARE_FORMS, count + 1, 8);
}

function noteNew(form: u32): void {
  const count = load<u32>(H_NEW_FORMS);
  const list = (count + 1) * 4 > roomOf(B_NEW_FORMS) ? reserve(B_NEW_FORMS, (count + 1) * 4) : buffer(B_NEW_FORMS);
  store<u32>(list + (<usize>count << 2), form);
  store<u32>(H_NEW_FORMS, count + 1);
}

/** Address of the slot that holds a form, or of the free one where it belongs. */
function slotFor(at: usize, length: u32, hash: u32): usize {
  const table = <usize>load<u32>(H_HASH);
  const mask = load<u32>(H_HASH_SLOTS) - 1;
  let i = hash & mask;
  for (;;) {
    const form = load<u32>(table + (<usize>i << 2));
    if (form === 0) break;
    if (formLength(form) === length && equalBytes(formBytes(form), at, length)) break;
    i = (i + 1) & mask;
  }
  return table + (<usize>i << 2);
}

function growHash(): void {
  const old = <usize>load<u32>(H_HASH);
  const oldSlots = load<u32>(H_HASH_SLOTS);
  const slots = max(FIRST_SLOTS, oldSlots * 2);
  const table = resize(0, 0, slots * 4, PART_FORMS);
  store<u32>(H_HASH, <u32>table);
  store<u32>(H_HASH_SLOTS, slots);
  for (let i: u32 = 0; i < oldSlots; i++) {
    const form = load<u32>(old + (<usize>i << 2));
    if (form === 0) continue;
    let slot = hashBytes(formBytes(form), formLength(form)) & (slots - 1);
    while (load<u32>(table + (<usize>slot << 2)) !== 0) slot = (slot + 1) & (slots - 1);
    store<u32>(table + (<usize>slot << 2), form);
  }
  release(old, oldSlots * 4, PART_FORMS);
}

/** Empties a slot and moves up what was probed past it (Knuth, volume 3, algorithm 6.4 R). */
function emptySlot(slot: usize): void {
  const table = <usize>load<u32>(H_HASH);
  const mask = load<u32>(H_HASH_SLOTS) - 1;
  let hole = <u32>((slot - table) >> 2);
  let i = hole;
  for (;;) {
    i = (i + 1) & mask;
    const form = load<u32>(table + (<usize>i << 2));
    if (form === 0) break;
    const home = hashBytes(formBytes(form), formLength(form)) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    store<u32>(table + (<usize>hole << 2), form);
    hole = i;
  }
  store<u32>(table + (<usize>hole << 2), 0);
}
