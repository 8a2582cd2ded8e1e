// The distinct surface forms of the index: the number of each (see `records.ts`), and how forms are added and dropped.

import { hashBytes } from './bytes.ts';
import { enterForm, leaveTable, lookUpForm } from './form-table.ts';
import { H_FORM_CAPACITY, H_FORMS, H_NEW_FORMS, H_RECORDS, H_SIGNATURES, H_SPARE_COUNT, H_SPARE_FORMS, PART_FORMS,
  PART_STRINGS } from './layout.ts';
import { allocate, release, resize } from './memory.ts';
import { formLength, HAS_KEY, R_DOCUMENTS, R_STRING, R_TAIL, RECORD, recordOf, signatureAt } from './records.ts';
import { B_NEW_FORMS, buffer, reserve, roomOf } from './scratch.ts';
import { forgetRecent } from './tokens.ts';

const FIRST_CAPACITY: u32 = 256;

/** Number of the form with these bytes, or 0. */
export function findForm(at: usize, length: u32): u32 {
  return lookUpForm(at, length, hashBytes(at, length));
}

/** The same, but adds the form if there is none; new forms are noted in B_NEW_FORMS. */
export function internForm(at: usize, length: u32, hash: u32): u32 {
  const known = lookUpForm(at, length, hash);
  if (known !== 0) return known;
  const form = newNumber();
  const text = allocate(length + 2, PART_STRINGS);
  store<u16>(text, <u16>length);
  memory.copy(text + 2, at, length);
  store<u32>(recordOf(form), <u32>text, R_STRING);
  enterForm(form, hash);
  noteNew(form);
  return form;
}

/** Sets a key of a form that is not its own bytes; must be called before the form is put in order. */
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

/** Forgets a form without postings; its number will be reused for another form. */
export function dropForm(form: u32): void {
  const record = recordOf(form);
  const text = <usize>load<u32>(record, R_STRING);
  assert(load<u32>(record, R_DOCUMENTS) === 0 && load<u32>(record, R_TAIL) === 0, 'a form with postings');
  leaveTable(form);
  forgetRecent(form);
  store<u64>(signatureAt(form), 0);
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

/** A number that can be reused, or the next new one; its record is zero. */
function newNumber(): u32 {
  const spare = load<u32>(H_SPARE_COUNT);
  if (spare > 0) {
    store<u32>(H_SPARE_COUNT, spare - 1);
    return load<u32>(<usize>load<u32>(H_SPARE_FORMS) + (<usize>(spare - 1) << 2));
  }
  const form = load<u32>(H_FORMS);
  const capacity = load<u32>(H_FORM_CAPACITY);
  if (form >= capacity) {
    const wider = max(FIRST_CAPACITY, capacity + (capacity >> 4));
    store<u32>(H_RECORDS, <u32>resize(load<u32>(H_RECORDS), capacity * RECORD, wider * RECORD, PART_FORMS));
    store<u32>(H_SIGNATURES, <u32>resize(load<u32>(H_SIGNATURES), capacity * 8, wider * 8, PART_FORMS));
    store<u32>(H_FORM_CAPACITY, wider);
  }
  store<u32>(H_FORMS, form + 1);
  return form;
}

function pushSpare(form: u32): void {
  const capacity = load<u32>(H_SPARE_FORMS, 4);
  const count = load<u32>(H_SPARE_COUNT);
  if (count === capacity) {
    const wider = max(64, capacity * 2);
    store<u32>(H_SPARE_FORMS, <u32>resize(load<u32>(H_SPARE_FORMS), capacity * 4, wider * 4, PART_FORMS));
    store<u32>(H_SPARE_FORMS, wider, 4);
  }
  store<u32>(<usize>load<u32>(H_SPARE_FORMS) + (<usize>count << 2), form);
  store<u32>(H_SPARE_COUNT, count + 1);
}

function noteNew(form: u32): void {
  const count = load<u32>(H_NEW_FORMS);
  const list = (count + 1) * 4 > roomOf(B_NEW_FORMS) ? reserve(B_NEW_FORMS, (count + 1) * 4) : buffer(B_NEW_FORMS);
  store<u32>(list + (<usize>count << 2), form);
  store<u32>(H_NEW_FORMS, count + 1);
}
