// Adding and removing documents. A new document is a record in B_INPUT:
//
//     u32 ordinal   u32 entries   f64 addedAt   f64 updatedAt   f64 expiresAt or NaN   entries
// entry: u32 column, bit 31: the spelling of a name u32 length u32 part (see `dictionary.ts`) text, zeros up to a
// multiple of four
//
// Entries of a column are consecutive.

import { C_DOCS, C_PAGES, C_PAIRS, C_SPELLED, C_UNUSED, columnAt, findOrAdd, FLAG, isUsed, KEYS, R_SET, R_SPELLED,
  recordAt } from './dictionary.ts';
import { clearValue, listOf, setValue, SEVERAL, valueOf } from './forward.ts';
import { H_COLUMN_COUNT, H_PAIRS, PART_COLUMNS } from './layout.ts';
import { allocate, release } from './memory.ts';
import { addToOrders } from './orders.ts';
import { B_INPUT, B_OUTPUT, B_TOUCHED, buffer, reserve } from './scratch.ts';
import { addToSet, removeFromSet } from './sets.ts';
import { dropSlices } from './slices.ts';
import { freeSlot, NO_SLOT, slotOf, takeSlot } from './slots.ts';
import { changeTime } from './time-notes.ts';
import { ADDED_AT, EXPIRES_AT, UPDATED_AT } from './times.ts';

const FIRST_ENTRY: usize = 32;
const ENTRY: usize = 12;

/**
 * Replaces the former version of a document with the one in B_INPUT. Returns the number of new values; for each,
 * B_OUTPUT has the number of the entry, the column and the value (u32 each), so that the host can set the numbers and
 * dates that they mean.
 */
export function putDocument(): u32 {
  const input = buffer(B_INPUT);
  const entries = load<u32>(input, 4);
  dropSlices();
  let slot = slotOf(load<u32>(input));
  if (slot === NO_SLOT) slot = takeSlot(load<u32>(input));
  else clearDocument(slot);
  changeTime(ADDED_AT, slot, load<f64>(input, 8));
  changeTime(UPDATED_AT, slot, load<f64>(input, 16));
  changeTime(EXPIRES_AT, slot, load<f64>(input, 24));
  const fresh = reserve(B_OUTPUT, max(entries, 1) * 12);
  const values = reserve(B_TOUCHED, max(entries, 1) << 2);
  let found: u32 = 0;
  let count: u32 = 0;
  let at = input + FIRST_ENTRY;
  for (let i: u32 = 0; i < entries; i++) {
    const column = load<u32>(at);
    const length = load<u32>(at, 4);
    const part = load<u32>(at, 8);
    const value = findOrAdd(columnAt(column & ~FLAG), at + ENTRY, length, part);
    if ((value & FLAG) !== 0) {
      addToOrders(columnAt(column & ~FLAG), value & ~FLAG);
      const entry = fresh + found++ * 12;
      store<u32>(entry, i);
      store<u32>(entry, column & ~FLAG, 4);
      store<u32>(entry, value & ~FLAG, 8);
    }
    at += ENTRY + ((<usize>(length + ((part & FLAG) === 0 ? 0 : part & ~FLAG)) + 3) & ~3);
    if ((column & FLAG) !== 0) {
      spell(columnAt(column & ~FLAG), slot, value & ~FLAG);
      continue;
    }
    count = insertValue(values, count, value & ~FLAG);
    if (i + 1 < entries && load<u32>(at) === column) continue;
    addPairs(columnAt(column), column, slot, values, count);
    count = 0;
  }
  return found;
}

export function hasDocument(ord: u32): bool {
  return slotOf(ord) !== NO_SLOT;
}

/** Removes a document. Returns whether there was one. */
export function removeDocument(ord: u32): bool {
  const slot = slotOf(ord);
  if (slot === NO_SLOT) return false;
  dropSlices();
  clearDocument(slot);
  changeTime(ADDED_AT, slot, NaN);
  changeTime(UPDATED_AT, slot, NaN);
  changeTime(EXPIRES_AT, slot, NaN);
  freeSlot(slot);
  return true;
}

/** Adds a number to an ascending list that does not contain it. Returns the length of the list. */
function insertValue(values: usize, count: u32, value: u32): u32 {
  let i = count;
  while (i > 0 && load<u32>(values + (<usize>(i - 1) << 2)) > value) i--;
  const place = values + (<usize>i << 2);
  if (i > 0 && load<u32>(place - 4) === value) return count;
  memory.copy(place + 4, place, <usize>(count - i) << 2);
  store<u32>(place, value);
  return count + 1;
}

function addPairs(column: usize, number: u32, slot: u32, values: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const record = recordAt(column, load<u32>(values + (<usize>i << 2)));
    if (!isUsed(record)) store<u32>(column, load<u32>(column, C_UNUSED) - 1, C_UNUSED);
    addToSet(record + R_SET, slot);
  }
  let entry = load<u32>(values);
  if (count > 1) {
    const list = allocate((count + 1) << 2, PART_COLUMNS);
    store<u32>(list, count);
    memory.copy(list + 4, values, <usize>count << 2);
    entry = SEVERAL | (<u32>list >> 3);
  }
  setValue(column + C_PAGES, slot, entry);
  countPairs(column, number, <i32>count, 1);
}

function spell(column: usize, slot: u32, value: u32): void {
  const record = recordAt(column, value);
  if (!isUsed(record)) store<u32>(column, load<u32>(column, C_UNUSED) - 1, C_UNUSED);
  store<u32>(record, load<u32>(record, R_SPELLED) + 1, R_SPELLED);
  setValue(column + C_SPELLED, slot, value);
}

/** Removes all values of a document. */
function clearDocument(slot: u32): void {
  const columns = load<u32>(H_COLUMN_COUNT);
  for (let number: u32 = 0; number < columns; number++) {
    const column = columnAt(number);
    const value = valueOf(column + C_PAGES, slot);
    if (value === 0) continue;
    clearValue(column + C_PAGES, slot);
    let count: u32 = 1;
    if ((value & SEVERAL) === 0) leave(column, value, slot);
    else {
      const list = listOf(value);
      count = load<u32>(list);
      for (let i: u32 = 1; i <= count; i++) leave(column, load<u32>(list + (<usize>i << 2)), slot);
      release(list, (count + 1) << 2, PART_COLUMNS);
    }
    countPairs(column, number, -<i32>count, -1);
    if (number >= KEYS) continue;
    const spelled = valueOf(column + C_SPELLED, slot);
    if (spelled === 0) continue;
    clearValue(column + C_SPELLED, slot);
    const record = recordAt(column, spelled);
    store<u32>(record, load<u32>(record, R_SPELLED) - 1, R_SPELLED);
    if (!isUsed(record)) store<u32>(column, load<u32>(column, C_UNUSED) + 1, C_UNUSED);
  }
}

function leave(column: usize, value: u32, slot: u32): void {
  const record = recordAt(column, value);
  removeFromSet(record + R_SET, slot);
  if (!isUsed(record)) store<u32>(column, load<u32>(column, C_UNUSED) + 1, C_UNUSED);
}

function countPairs(column: usize, number: u32, pairs: i32, documents: i32): void {
  store<u32>(column, load<u32>(column, C_PAIRS) + pairs, C_PAIRS);
  store<u32>(column, load<u32>(column, C_DOCS) + documents, C_DOCS);
  if (number >= KEYS) store<u32>(H_PAIRS, load<u32>(H_PAIRS) + pairs);
}
