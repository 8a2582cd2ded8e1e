// The tokens of the document that is being added, and its forms:
//
//     B_TOKENS      by token: u32 position, u32 entry of its form in B_DOC_FORMS
//     B_DOC_FORMS   by form of the document: u32 form, u32 tokens, u32 end of its places, u32 unused
//     B_PLACES      the tokens' numbers, form by form, written by `placeTokens`
//
// Short words, which are the majority, are looked up in B_RECENT: a hash table of recent words. A slot has the last
// word with its hash, 32 bytes:
//
// 0 the word, zeros behind 16 form 20 entry 24 document during which the slot was filled 28 document of the entry
//
// Every short word goes through its slot. So if the slot was filled before the document, and its entry is not of the
// document, the document has not had the form. Otherwise B_FORM_ENTRIES has the entry by form, which is valid if the
// entry names the form: for forms that lost their slot, and for long ones.
//
// The code for each token avoids branches that depend on the text.

import { hashBytes, hashWords, wordAt } from './bytes.ts';
import { internForm } from './forms.ts';
import { FORM_BUFFER, H_DOC_FORMS, H_DOCUMENT, H_FORMS, H_PLACED, H_TOKENS } from './layout.ts';
import { formBytes, formLength } from './records.ts';
import { B_DOC_FORMS, B_FORM_ENTRIES, B_PLACES, B_RECENT, B_TOKENS, buffer, reserve, roomOf } from './scratch.ts';

const TOKEN: u32 = 8;
const T_POSITION: usize = 0;
const T_ENTRY: usize = 4;

const ENTRY: u32 = 16;
export const E_FORM: usize = 0;
export const E_TOKENS: usize = 4;
const E_END: usize = 8;

const SHORT: u32 = 16;
/**
 * Slots if the index has few forms (below `FEW_FORMS`), and otherwise: powers of two. After a change, entries of the
 * former size are not found.
 */
const FEW_SLOTS: u32 = 2048;
const FEW_FORMS: u32 = 4096;
const MANY_SLOTS: u32 = 8192;
const RECENT: u32 = 32;
const S_HIGH: usize = 8;
const S_FORM: usize = 16;
const S_ENTRY: usize = 20;
const S_MET: usize = 24;
const S_USED: usize = 28;

const ALL: u64 = ~(<u64>0);
/** Bit 6 of each byte. */
const BITS_6: u64 = (<u64>0x40404040 << 32) | 0x40404040;

export function forgetTokens(): void {
  store<u32>(H_TOKENS, 0);
  store<u32>(H_DOC_FORMS, 0);
  room(B_RECENT, (load<u32>(H_FORMS) < FEW_FORMS ? FEW_SLOTS : MANY_SLOTS) * RECENT);
  // 0 is no document. When the numbers wrap around, all former entries are forgotten.
  if (load<u32>(H_DOCUMENT) === u32.MAX_VALUE) {
    memory.fill(buffer(B_RECENT), 0, roomOf(B_RECENT));
    store<u32>(H_DOCUMENT, 0);
  }
  store<u32>(H_DOCUMENT, load<u32>(H_DOCUMENT) + 1);
}

/** Adds a word of letters, digits and joiners of ASCII, of 1 to 64 bytes, in upper or lower case. */
export function addWord(at: usize, length: u32, position: u32): void {
  if (length > SHORT) return addLongWord(at, length, position);
  const low = lowerCase(load<u64>(at) & (ALL >> (64 - (min(length, 8) << 3))));
  const high = lowerCase(load<u64>(at, 8) & (ALL >> ((128 - (length << 3)) & 63)) & (0 - <u64>(length > 8)));
  addShort(low, high, length, position);
}

function addLongWord(at: usize, length: u32, position: u32): void {
  for (let i: u32 = 0; i < length; i += 8) store<u64>(FORM_BUFFER + i, lowerCase(load<u64>(at + i)));
  addForm(FORM_BUFFER, length, position);
}

/**
 * Among ASCII letters, digits, apostrophes and full stops, only letters have bit 6, and lower-case ones also have bit
 * 5.
 */
function lowerCase(bytes: u64): u64 {
  return bytes | ((bytes & BITS_6) >> 1);
}

/**
 * Adds a token with the bytes of a form to the current field, in which positions never descend. (The tokeniser never
 * makes a form that ends with a zero byte; a slot would mistake it for a shorter form.)
 */
export function addForm(at: usize, length: u32, position: u32): void {
  if (length > SHORT || load<u8>(at + length - 1) === 0)
    addToken(entryOf(internForm(at, length, hashBytes(at, length))), position);
  else addShort(wordAt(at, length), length > 8 ? wordAt(at + 8, length - 8) : 0, length, position);
}

function addShort(low: u64, high: u64, length: u32, position: u32): void {
  const hash = hashWords(low, high);
  const slot = recentSlot(hash);
  if (((load<u64>(slot) ^ low) | (load<u64>(slot, S_HIGH) ^ high)) !== 0) meet(slot, low, high, length, hash);
  const document = load<u32>(H_DOCUMENT);
  const used = <u32>(load<u32>(slot, S_USED) === document);
  if ((<u32>(load<u32>(slot, S_MET) === document) & (used ^ 1)) !== 0) {
    store<u32>(slot, entryOf(load<u32>(slot, S_FORM)), S_ENTRY);
    store<u32>(slot, document, S_USED);
    return addToken(load<u32>(slot, S_ENTRY), position);
  }
  // Selects the existing entry or a new one, without a branch.
  const entries = load<u32>(H_DOC_FORMS);
  if ((entries + 1) * ENTRY > roomOf(B_DOC_FORMS)) reserve(B_DOC_FORMS, (entries + 1) * ENTRY);
  const entry = entries ^ ((entries ^ load<u32>(slot, S_ENTRY)) & (0 - used));
  const place = entryAt(entry);
  store<u32>(place, load<u32>(slot, S_FORM), E_FORM);
  store<u32>(place, load<u32>(place, E_TOKENS) & (0 - used), E_TOKENS);
  store<u32>(H_DOC_FORMS, entries + (used ^ 1));
  store<u32>(slot, entry, S_ENTRY);
  store<u32>(slot, document, S_USED);
  addToken(entry, position);
}

/** Puts a word into its slot, and stores the entry of the former word by form. */
function meet(slot: usize, low: u64, high: u64, length: u32, hash: u32): void {
  const document = load<u32>(H_DOCUMENT);
  if (load<u32>(slot, S_USED) === document) noteEntry(load<u32>(slot, S_FORM), load<u32>(slot, S_ENTRY));
  store<u64>(FORM_BUFFER, low);
  store<u64>(FORM_BUFFER, high, 8);
  store<u32>(slot, internForm(FORM_BUFFER, length, hash), S_FORM);
  store<u64>(slot, low);
  store<u64>(slot, high, S_HIGH);
  store<u32>(slot, document, S_MET);
  store<u32>(slot, 0, S_USED);
}

/** Forgets a form that may be in its slot. Call it before the form's bytes are freed. */
export function forgetRecent(form: u32): void {
  if (formLength(form) > SHORT || buffer(B_RECENT) === 0) return;
  const slot = recentSlot(hashBytes(formBytes(form), formLength(form)));
  if (load<u32>(slot, S_FORM) === form) memory.fill(slot, 0, RECENT);
}

function recentSlot(hash: u32): usize {
  return buffer(B_RECENT) + <usize>(hash & (roomOf(B_RECENT) / RECENT - 1)) * RECENT;
}

function addToken(entry: u32, position: u32): void {
  const token = load<u32>(H_TOKENS);
  if ((token + 1) * TOKEN > roomOf(B_TOKENS)) reserve(B_TOKENS, (token + 1) * TOKEN);
  const place = buffer(B_TOKENS) + <usize>token * TOKEN;
  store<u32>(place, position, T_POSITION);
  store<u32>(place, entry, T_ENTRY);
  store<u32>(H_TOKENS, token + 1);
  const count = entryAt(entry) + E_TOKENS;
  store<u32>(count, load<u32>(count) + 1);
}

// ---- Entries -------------------------------------------------------------------------------

export function entryAt(entry: u32): usize {
  return buffer(B_DOC_FORMS) + <usize>entry * ENTRY;
}

function isEntryOf(entry: u32, form: u32): bool {
  return (<u32>(entry < load<u32>(H_DOC_FORMS)) & <u32>(load<u32>(entryAt(entry), E_FORM) === form)) !== 0;
}

/** The document's entry of a form; it is made at its first token. */
function entryOf(form: u32): u32 {
  const known = load<u32>(formEntries() + (<usize>form << 2));
  if (isEntryOf(known, form)) return known;
  const entry = addEntry(form);
  noteEntry(form, entry);
  return entry;
}

function addEntry(form: u32): u32 {
  const entry = load<u32>(H_DOC_FORMS);
  if ((entry + 1) * ENTRY > roomOf(B_DOC_FORMS)) reserve(B_DOC_FORMS, (entry + 1) * ENTRY);
  const place = entryAt(entry);
  store<u32>(place, form, E_FORM);
  store<u32>(place, 0, E_TOKENS);
  store<u32>(H_DOC_FORMS, entry + 1);
  return entry;
}

function noteEntry(form: u32, entry: u32): void {
  store<u32>(formEntries() + (<usize>form << 2), entry);
}

function formEntries(): usize {
  return room(B_FORM_ENTRIES, max(load<u32>(H_FORMS) * 4, 4096));
}

// ---- Places --------------------------------------------------------------------------------

/** Reserves as many places for each form as it has tokens. */
export function beginPlaces(): void {
  const end = entryAt(load<u32>(H_DOC_FORMS));
  let places: u32 = 0;
  for (let entry = entryAt(0); entry < end; entry += ENTRY) {
    store<u32>(entry, places, E_END);
    places += load<u32>(entry, E_TOKENS);
  }
  room(B_PLACES, places << 2);
  store<u32>(H_PLACED, 0);
}

/** Puts the next `count` tokens, or all remaining ones, into their places. Returns whether there are more. */
export function placeTokens(count: u32): bool {
  const first = load<u32>(H_PLACED);
  const end = min(load<u32>(H_TOKENS), first + count);
  const tokens = buffer(B_TOKENS);
  const places = buffer(B_PLACES);
  for (let token = first; token < end; token++) {
    const entry = entryAt(load<u32>(tokens + <usize>token * TOKEN, T_ENTRY));
    const place = load<u32>(entry, E_END);
    store<u32>(places + (<usize>place << 2), token);
    store<u32>(entry, place + 1, E_END);
  }
  store<u32>(H_PLACED, end);
  return end < load<u32>(H_TOKENS);
}

/** Address behind the places of a form, after all have been filled. */
export function endOfPlaces(entry: usize): usize {
  return buffer(B_PLACES) + (<usize>load<u32>(entry, E_END) << 2);
}

/** The token at the address of a place. */
export function tokenAt(place: usize): u32 {
  return load<u32>(place);
}

export function positionOf(token: u32): u32 {
  return load<u32>(buffer(B_TOKENS) + <usize>token * TOKEN, T_POSITION);
}

export function room(id: u32, bytes: u32): usize {
  return bytes <= roomOf(id) ? buffer(id) : reserve(id, bytes);
}
