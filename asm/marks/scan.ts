// The words of a text, and those of them that are among a set of forms.
//
//     page 1   the header of `../inverted/layout.ts`, of which the tokeniser needs the addresses of its tables, the count of
//              tokens and the buffer of a form; at M_SET, what follows here
//     set      SIEVE, 256 x u64: by the first byte of a form, a bit for each length (63 for all that are longer);
//              slots, a power of two x u32: number of a form from 1, by its hash, with linear probing;
//              forms, by number from 1, u32 address and u32 length of the bytes
//     text     UTF-8, with 64 readable bytes behind it
//     words    by token, u32 start and u32 end in the text, in two arrays
//     marks    by token of the set, u32 number of the token and u32 number of the form
//     lines    by line, u32 start in the text; then by line its first byte that is no space, tab or `>`, or a line feed
//
// Nearly all words of a text are none of the set, which the sieve tells from their first byte and their length.

import { equalBytes, hashBytes } from '../inverted/bytes.ts';
import { FORM_BUFFER, H_TOKENS, HEADER } from '../inverted/layout.ts';
import { markTokens } from '../inverted/tokenizer.ts';

const M_SET: usize = HEADER + 0x4000;
const M_SIEVE: usize = M_SET;
const M_SLOTS: usize = M_SET + 4;
const M_MASK: usize = M_SET + 8;
const M_FORMS: usize = M_SET + 12;
const M_TEXT: usize = M_SET + 16;
const M_STARTS: usize = M_SET + 20;
const M_ENDS: usize = M_SET + 24;
const M_MARKS: usize = M_SET + 28;
const M_MARKED: usize = M_SET + 32;

const SIEVE_BYTES: usize = 2048;
const LONGEST: u32 = 63;

/** The first address that the header leaves free. */
export function firstPlace(): usize {
  return HEADER + 0x10000;
}

/** Begins an empty set for up to `slots * 3 / 4` forms at an address; `slots` is a power of two. Gives the address behind it. */
export function openSet(at: usize, slots: u32): usize {
  const behind = at + SIEVE_BYTES + <usize>slots * 4 + (<usize>slots + 1) * 8;
  memory.fill(at, 0, behind - at);
  store<u32>(M_SIEVE, <u32>at);
  store<u32>(M_SLOTS, <u32>(at + SIEVE_BYTES));
  store<u32>(M_MASK, slots - 1);
  store<u32>(M_FORMS, <u32>(at + SIEVE_BYTES) + slots * 4);
  return behind;
}

/** Adds a form, whose bytes stay where they are, under its number from 1; one that the set has already keeps its own. */
export function addForm(number: u32, at: usize, length: u32): void {
  assert(number > 0 && number <= load<u32>(M_MASK) && length > 0, 'a form out of bounds');
  if (find(at, length) !== 0) return;
  const sieve = <usize>load<u32>(M_SIEVE) + (<usize>load<u8>(at) << 3);
  store<u64>(sieve, load<u64>(sieve) | lengthBit(length));
  const form = formAt(number);
  store<u32>(form, <u32>at);
  store<u32>(form, length, 4);
  const mask = load<u32>(M_MASK);
  let i = hashBytes(at, length) & mask;
  while (load<u32>(slotAt(i)) !== 0) i = (i + 1) & mask;
  store<u32>(slotAt(i), number);
}

/** Begins a text, with its three arrays. Each has room for a word in two bytes, and one more. */
export function beginText(text: usize, starts: usize, ends: usize, marks: usize): void {
  store<u32>(H_TOKENS, 0);
  store<u32>(M_MARKED, 0);
  store<u32>(M_TEXT, <u32>text);
  store<u32>(M_STARTS, <u32>starts);
  store<u32>(M_ENDS, <u32>ends);
  store<u32>(M_MARKS, <u32>marks);
}

/**
 * Notes the words of the next piece of the text, which the host need not tokenise (see `hostStart`). No word is under way at its
 * start; one at its end ends there.
 */
export function scanPiece(at: usize, end: usize): void {
  markTokens(at, end);
}

/** Notes a word that the host has found: its form, and its place in the text. */
export function addWord(form: usize, length: u32, start: u32, end: u32): void {
  const text = <usize>load<u32>(M_TEXT);
  markForm(form, length, text + start, text + end);
}

export function wordCount(): u32 {
  return load<u32>(H_TOKENS);
}

/** Words that have a form of the set. */
export function markCount(): u32 {
  return load<u32>(M_MARKED);
}

/** Notes a word of letters, digits and joiners of ASCII, of 1 to 64 bytes, in whatever case. */
export function markWord(at: usize, length: u32): void {
  const token = note(at, at + length);
  // Letters alone have bit 6: theirs is the case of bit 5.
  const first = <u32>load<u8>(at);
  if (!mayBeIn(first | ((first & 0x40) >> 1), length)) return;
  for (let i: u32 = 0; i < length; i += 8) {
    const bytes = load<u64>(at + i);
    store<u64>(FORM_BUFFER + i, bytes | ((bytes & BITS_6) >> 1));
  }
  const form = find(FORM_BUFFER, length);
  if (form !== 0) mark(token, form);
}

/** Notes a word whose form is given. */
export function markForm(form: usize, length: u32, start: usize, end: usize): void {
  const token = note(start, end);
  if (!mayBeIn(load<u8>(form), length)) return;
  const number = find(form, length);
  if (number !== 0) mark(token, number);
}

const BITS_6: u64 = (<u64>0x40404040 << 32) | 0x40404040;

function note(start: usize, end: usize): u32 {
  const token = load<u32>(H_TOKENS);
  const text = <usize>load<u32>(M_TEXT);
  store<u32>(<usize>load<u32>(M_STARTS) + (<usize>token << 2), <u32>(start - text));
  store<u32>(<usize>load<u32>(M_ENDS) + (<usize>token << 2), <u32>(end - text));
  store<u32>(H_TOKENS, token + 1);
  return token;
}

function mark(token: u32, form: u32): void {
  const count = load<u32>(M_MARKED);
  const place = <usize>load<u32>(M_MARKS) + (<usize>count << 3);
  store<u32>(place, token);
  store<u32>(place, form, 4);
  store<u32>(M_MARKED, count + 1);
}

function mayBeIn(first: u32, length: u32): bool {
  return (load<u64>(<usize>load<u32>(M_SIEVE) + (<usize>first << 3)) & lengthBit(length)) !== 0;
}

function lengthBit(length: u32): u64 {
  return <u64>1 << min(length, LONGEST);
}

/** Number of a form, or 0. */
function find(at: usize, length: u32): u32 {
  const mask = load<u32>(M_MASK);
  let i = hashBytes(at, length) & mask;
  let number = load<u32>(slotAt(i));
  while (number !== 0) {
    const form = formAt(number);
    if (load<u32>(form, 4) === length && equalBytes(load<u32>(form), at, length)) return number;
    i = (i + 1) & mask;
    number = load<u32>(slotAt(i));
  }
  return 0;
}

function slotAt(i: u32): usize {
  return <usize>load<u32>(M_SLOTS) + (<usize>i << 2);
}

function formAt(number: u32): usize {
  return <usize>load<u32>(M_FORMS) + (<usize>number << 3);
}

const LINE_FEED: u32 = 0x0a;
const SPACE: u32 = 0x20;
const TAB: u32 = 0x09;
const QUOTE: u32 = 0x3e;

/** Lines of a text of some bytes. A feed at its end begins no further one. */
export function countLines(text: usize, length: u32): u32 {
  if (length === 0) return 0;
  let feeds: u32 = 0;
  for (let at: u32 = 0; at < length - 1; at += 64) feeds += <u32>popcnt(feedsAt(text + at) & below(length - 1 - at));
  return feeds + 1;
}

/** Notes where each line starts, and its sign; there is room for all. */
export function findLines(text: usize, length: u32, starts: usize, signs: usize): void {
  if (length === 0) return;
  const end = text + length;
  store<u32>(starts, 0);
  store<u8>(signs, signAt(text, end));
  for (let at: u32 = 0; at < length - 1; at += 64) {
    for (let left = feedsAt(text + at) & below(length - 1 - at); left !== 0; left &= left - 1) {
      const start = at + <u32>ctz(left) + 1;
      store<u32>(starts += 4, start);
      store<u8>(++signs, signAt(text + start, end));
    }
  }
}

function signAt(at: usize, end: usize): u8 {
  for (; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte !== SPACE && byte !== TAB && byte !== QUOTE) return <u8>byte;
  }
  return <u8>LINE_FEED;
}

/** A bit for each line feed of 64 bytes. */
function feedsAt(at: usize): u64 {
  return <u64>quarter(at) | (<u64>quarter(at + 16) << 16) | (<u64>quarter(at + 32) << 32) | (<u64>quarter(at + 48) << 48);
}

function quarter(at: usize): u32 {
  return <u32>i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(<i8>LINE_FEED)));
}

function below(bytes: u32): u64 {
  return bytes >= 64 ? ~(<u64>0) : (<u64>1 << bytes) - 1;
}
