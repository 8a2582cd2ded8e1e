// The form that is being divided. Places in it are counted in UTF-16 units, as the host counts letters; what is found
// out about it is kept in B_DIVISION_FORM until the next form:
//
//     u16 offset of each place, u8 by place: whether words are before it, and behind it, and two answers of the host
//     u8 by first and last place: what is between them

import { characterLength, copyBytes, hashBytes } from '../bytes.ts';
import { lookUpForm } from '../form-table.ts';
import { FORM_BUFFER, H_DIVISION } from '../layout.ts';
import { formBytes, formLength } from '../records.ts';
import { B_DIVISION_FORM, buffer, reserve } from '../scratch.ts';
import { bytesOf, kindOf, lengthOf, STATUS_BITS, STOP_WORD } from './texts.ts';

/** Longer forms are not divided. */
export const MAX_UNITS: u32 = 48;
/** Fewer letters before a word are its prefix, and are no part. */
export const LEAST_PART: u32 = 4;

const PLACES: u32 = MAX_UNITS + 1;
// Arrays of a byte for each place.
export const WORDS_BEFORE: usize = 128;
export const WORDS_BEHIND: usize = 192;
/** Whether what is behind a place is an inflection of a word of the index, and one of the word itself. */
export const IS_INFLECTED: usize = 256;
export const IS_ITSELF: usize = 320;
const BETWEEN: usize = 384;
const BYTES: u32 = 384 + PLACES * PLACES;
/** The offset of a place within a character. */
export const NOWHERE: u32 = 0xffff;

// What is between two places: what kind of text, and if that was looked up, whether it is a form of the index.
const KIND: u32 = 0x0f;
const KNOWN: u32 = 0x10;
const SOUGHT: u32 = 0x20;
const FOUND: u32 = 0x40;

// Places in the header behind those of `texts.ts`.
const D_BYTES: usize = 24;
const D_UNITS: usize = 28;
/** How often something was looked up. */
export const D_SPENT: usize = 32;

/** Number of UTF-16 units of a text. */
export function unitsOf(at: usize, length: u32): u32 {
  let units: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const byte = load<u8>(at + i);
    units += <u32>((byte & 0xc0) !== 0x80) + <u32>(byte >= 0xf0);
  }
  return units;
}

/** Begins with a form of at most `MAX_UNITS`. */
export function openForm(form: u32): void {
  const work = reserve(B_DIVISION_FORM, BYTES);
  memory.fill(work, 0, BYTES);
  const at = formBytes(form);
  const length = formLength(form);
  let unit: u32 = 0;
  for (let offset: u32 = 0; offset < length;) {
    const bytes = characterLength(load<u8>(at + offset));
    store<u16>(work + (<usize>unit << 1), <u16>offset);
    if (bytes === 4) store<u16>(work + (<usize>(unit + 1) << 1), <u16>NOWHERE);
    unit += bytes === 4 ? 2 : 1;
    offset += bytes;
  }
  assert(unit <= MAX_UNITS, 'a form that is too long');
  store<u16>(work + (<usize>unit << 1), <u16>length);
  store<u32>(H_DIVISION, <u32>at, D_BYTES);
  store<u32>(H_DIVISION, unit, D_UNITS);
}

/** The last place, which is the number of units. */
export function end(): u32 {
  return load<u32>(H_DIVISION, D_UNITS);
}

export function offsetOf(place: u32): u32 {
  return load<u16>(buffer(B_DIVISION_FORM) + (<usize>place << 1));
}

export function addressOf(place: u32): usize {
  return <usize>load<u32>(H_DIVISION, D_BYTES) + offsetOf(place);
}

/** The place with an offset. */
export function placeOf(offset: u32): u32 {
  let place: u32 = 0;
  while (offsetOf(place) !== offset) place++;
  return place;
}

/** What is noted for a place in one of the arrays. */
export function noted(array: usize, place: u32): u32 {
  return load<u8>(buffer(B_DIVISION_FORM) + array + place);
}

export function note(array: usize, place: u32, value: u32): u32 {
  store<u8>(buffer(B_DIVISION_FORM) + array + place, <u8>value);
  return value;
}

function betweenAt(first: u32, last: u32): usize {
  return buffer(B_DIVISION_FORM) + BETWEEN + first * PLACES + last;
}

/** The kind of the letters between two places, as a text. */
function kindBetween(first: u32, last: u32): u32 {
  const at = betweenAt(first, last);
  let known = <u32>load<u8>(at);
  if (known === 0) {
    known = KNOWN;
    const from = offsetOf(first);
    const to = offsetOf(last);
    if (from !== NOWHERE && to !== NOWHERE)
      known |= kindOf(addressOf(first), to - from, hashBytes(addressOf(first), to - from));
    store<u8>(at, <u8>known);
  }
  return known & KIND;
}

/** Whether a text is a form of the index. */
function isForm(at: usize, length: u32): bool {
  store<u32>(H_DIVISION, load<u32>(H_DIVISION, D_SPENT) + 1, D_SPENT);
  return lookUpForm(at, length, hashBytes(at, length)) !== 0;
}

/** Whether letters are no stop word, and enough to be a part. */
export function mayBePart(first: u32, last: u32): bool {
  return last >= first + LEAST_PART && offsetOf(first) !== NOWHERE && offsetOf(last) !== NOWHERE &&
    (kindBetween(first, last) & STOP_WORD) === 0;
}

/** Whether letters are a word of the index that may be a part. */
export function isWord(first: u32, last: u32): bool {
  if (!mayBePart(first, last)) return false;
  const at = betweenAt(first, last);
  let known = <u32>load<u8>(at);
  if ((known & SOUGHT) === 0) {
    known |= SOUGHT | (isForm(addressOf(first), offsetOf(last) - offsetOf(first)) ? FOUND : 0);
    store<u8>(at, <u8>known);
  }
  return (known & FOUND) !== 0;
}

/** The same for letters with an end that they have lost. */
export function isWordWith(first: u32, last: u32, lost: usize): bool {
  const bytes = offsetOf(last) - offsetOf(first);
  const length = bytes + lengthOf(lost);
  copyBytes(FORM_BUFFER, addressOf(first), bytes);
  copyBytes(FORM_BUFFER + bytes, bytesOf(lost), lengthOf(lost));
  return (kindOf(FORM_BUFFER, length, hashBytes(FORM_BUFFER, length)) & STOP_WORD) === 0 && isForm(FORM_BUFFER, length);
}

/** The status of letters; 0 if nothing is known of them. */
export function statusOf(first: u32, last: u32): u32 {
  return kindBetween(first, last) & STATUS_BITS;
}
