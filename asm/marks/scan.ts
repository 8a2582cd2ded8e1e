// The words of a text, and those of them that are in a set of forms.
//
// page 1 the header of `../inverted/layout.ts`, of which the tokeniser needs the addresses of its tables, the count of
//              tokens and the buffer of a form; at M_SET, the fields below
//     set      SIEVE, 256 x u64: by the first byte of a form, a bit for each length (63 for all that are longer);
//              FIRSTS, 16 x u8: by the lower half of a first byte of ASCII, a bit for each upper half: 3, 6 and 7;
//              slots, a power of two x u32: number of a form from 1, by its hash, with linear probing;
//              forms, by number from 1, u32 address and u32 length of the bytes
//     text     UTF-8, with BEHIND readable bytes behind it
//     marks    by token of the set, u32 number of the token, u32 number of the form, u32 start and u32 end in the text
//     words    of pieces of the text, u32 start and u32 end, in two arrays
//     lines    by line, u32 start in the text; then by line its first byte other than space, tab or `>`, or a line feed
//
// Nearly all words of a text are not in the set. Their first bytes, 16 at a time, and then their lengths rule them out.

import { equalBytes, hashBytes } from '../inverted/bytes.ts';
import { FORM_BUFFER, H_TOKENS, HEADER } from '../inverted/layout.ts';
import { listTokens, markTokens } from '../inverted/tokenizer.ts';

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
const M_LISTED: usize = M_SET + 36;

export const SIEVE_BYTES: usize = 2048;
export const FIRST_BYTES: usize = 16;
/** Bytes of a slot, of a form and of a mark. */
export const SLOT_BYTES: usize = 4;
export const FORM_BYTES: usize = 8;
export const MARK_BYTES: usize = 16;
/** Readable bytes behind a text and behind a form. */
export const BEHIND: usize = 64;
const LONGEST: u32 = 63;

/** The first free address behind the header. */
export function firstPlace(): usize {
  return HEADER + 0x10000;
}

/**
 * Begins an empty set for up to `slots * 3 / 4` forms at an address; `slots` is a power of two. Returns the address
 * behind it.
 */
export function openSet(at: usize, slots: u32): usize {
  const behind = at + SIEVE_BYTES + FIRST_BYTES + <usize>slots * SLOT_BYTES + (<usize>slots + 1) * FORM_BYTES;
  memory.fill(at, 0, behind - at);
  store<u32>(M_SIEVE, <u32>at);
  store<u32>(M_SLOTS, <u32>(at + SIEVE_BYTES + FIRST_BYTES));
  store<u32>(M_MASK, slots - 1);
  store<u32>(M_FORMS, <u32>(at + SIEVE_BYTES + FIRST_BYTES) + slots * <u32>SLOT_BYTES);
  return behind;
}

/**
 * Adds a form, whose bytes stay where they are, with its number from 1; a form that the set already has keeps its
 * number.
 */
export function addForm(number: u32, at: usize, length: u32): void {
  assert(number > 0 && number <= load<u32>(M_MASK) && length > 0, 'a form out of bounds');
  if (find(at, length) !== 0) return;
  const sieve = <usize>load<u32>(M_SIEVE) + (<usize>load<u8>(at) << 3);
  store<u64>(sieve, load<u64>(sieve) | lengthBit(length));
  const first = <u32>load<u8>(at);
  const firsts = <usize>load<u32>(M_SIEVE) + SIEVE_BYTES + <usize>(first & 15);
  store<u8>(firsts, load<u8>(firsts) | upperBit(first >> 4));
  const form = formAt(number);
  store<u32>(form, <u32>at);
  store<u32>(form, length, 4);
  const mask = load<u32>(M_MASK);
  let i = hashBytes(at, length) & mask;
  while (load<u32>(slotAt(i)) !== 0) i = (i + 1) & mask;
  store<u32>(slotAt(i), number);
}

/** Begins a text and sets its three arrays. Each has space for one word per two bytes, and one more. */
export function beginText(text: usize, marks: usize, starts: usize, ends: usize): void {
  store<u32>(H_TOKENS, 0);
  store<u32>(M_MARKED, 0);
  store<u32>(M_LISTED, 0);
  store<u32>(M_TEXT, <u32>text);
  store<u32>(M_STARTS, <u32>starts);
  store<u32>(M_ENDS, <u32>ends);
  store<u32>(M_MARKS, <u32>marks);
}

/**
 * Marks the words of the next piece of the text, which the host need not tokenise (see `hostStart`). No word continues
 * across its start; a word at its end ends there.
 */
export function scanPiece(at: usize, end: usize): void {
  markTokens(at, end);
}

/** Marks and lists a word that the host has found, with its form and its place in the text. */
export function addWord(form: usize, length: u32, start: u32, end: u32): void {
  const text = <usize>load<u32>(M_TEXT);
  markForm(form, length, text + start, text + end);
  listWord(text + start, text + end);
}

/** Lists the words of a piece of the text; the pieces are those of `scanPiece`. */
export function listPiece(at: usize, end: usize): void {
  listTokens(at, end);
}

/** Forgets the words that were listed. */
export function clearList(): void {
  store<u32>(M_LISTED, 0);
}

/** Number of listed words. */
export function wordCount(): u32 {
  return load<u32>(M_LISTED);
}

/** Number of words that have a form of the set. */
export function markCount(): u32 {
  return load<u32>(M_MARKED);
}

/** Marks the words of a window of 64 bytes, which are runs of bits; of ASCII alone, of 1 to 63 bytes. */
export function markWords(at: usize, runs: u64): void {
  const starts = runs & ~(runs << 1);
  const token = load<u32>(H_TOKENS);
  store<u32>(H_TOKENS, token + <u32>popcnt(starts));
  for (let left = starts & firstsAt(at); left !== 0; left &= left - 1) {
    const first = ctz(left);
    const length = <u32>ctz(~(runs >> first));
    markAscii(at + <usize>first, length, token + <u32>popcnt(starts & ((<u64>1 << first) - 1)));
  }
}

/** Marks a word of ASCII letters, digits and joiners, of 1 to 64 bytes, in upper or lower case. */
export function markWord(at: usize, length: u32): void {
  markAscii(at, length, nextToken());
}

function markAscii(at: usize, length: u32, token: u32): void {
  // Only letters have bit 6; bit 5 is their case.
  const first = <u32>load<u8>(at);
  if (!mayBeIn(first | ((first & 0x40) >> 1), length)) return;
  for (let i: u32 = 0; i < length; i += 8) {
    const bytes = load<u64>(at + i);
    store<u64>(FORM_BUFFER + i, bytes | ((bytes & BITS_6) >> 1));
  }
  const form = find(FORM_BUFFER, length);
  if (form !== 0) mark(token, form, at, at + length);
}

/** Marks a word with a known form. */
export function markForm(form: usize, length: u32, start: usize, end: usize): void {
  const token = nextToken();
  if (!mayBeIn(load<u8>(form), length)) return;
  const number = find(form, length);
  if (number !== 0) mark(token, number, start, end);
}

/** Lists a word. */
export function listWord(start: usize, end: usize): void {
  const word = load<u32>(M_LISTED);
  const text = <usize>load<u32>(M_TEXT);
  store<u32>(<usize>load<u32>(M_STARTS) + (<usize>word << 2), <u32>(start - text));
  store<u32>(<usize>load<u32>(M_ENDS) + (<usize>word << 2), <u32>(end - text));
  store<u32>(M_LISTED, word + 1);
}

/** A bit for each of 64 bytes with which a form begins, in either case; only correct for ASCII letters and digits. */
function firstsAt(at: usize): u64 {
  const firsts = v128.load(<usize>load<u32>(M_SIEVE) + SIEVE_BYTES);
  return <u64>amongFirsts(at, firsts) | (<u64>amongFirsts(at + 16, firsts) << 16) |
    (<u64>amongFirsts(at + 32, firsts) << 32) | (<u64>amongFirsts(at + 48, firsts) << 48);
}

function amongFirsts(at: usize, firsts: v128): u32 {
  const bytes = v128.or(v128.load(at), i8x16.splat(0x20));
  const lower = i8x16.swizzle(firsts, v128.and(bytes, i8x16.splat(15)));
  const upper = i8x16.swizzle(i8x16(0, 0, 0, 1, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(bytes, 4));
  return <u32>i8x16.bitmask(i8x16.ne(v128.and(lower, upper), i64x2.splat(0)));
}

/** The bit for the upper half of a letter or digit. */
function upperBit(upper: u32): u8 {
  return upper === 3 ? 1 : upper === 6 ? 2 : upper === 7 ? 4 : 0;
}

const BITS_6: u64 = (<u64>0x40404040 << 32) | 0x40404040;

function nextToken(): u32 {
  const token = load<u32>(H_TOKENS);
  store<u32>(H_TOKENS, token + 1);
  return token;
}

function mark(token: u32, form: u32, start: usize, end: usize): void {
  const count = load<u32>(M_MARKED);
  const text = <usize>load<u32>(M_TEXT);
  const place = <usize>load<u32>(M_MARKS) + (<usize>count << 4);
  store<u32>(place, token);
  store<u32>(place, form, 4);
  store<u32>(place, <u32>(start - text), 8);
  store<u32>(place, <u32>(end - text), 12);
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

/** Number of lines of a text of `length` bytes. A line feed at its end does not begin another line. */
export function countLines(text: usize, length: u32): u32 {
  if (length === 0) return 0;
  let feeds: u32 = 0;
  for (let at: u32 = 0; at < length - 1; at += 64) feeds += <u32>popcnt(feedsAt(text + at) & below(length - 1 - at));
  return feeds + 1;
}

/** Writes where each line starts, and its first sign; the arrays must have space for all. */
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
  return <u64>quarter(at) | (<u64>quarter(at + 16) << 16) | (<u64>quarter(at + 32) << 32) |
    (<u64>quarter(at + 48) << 48);
}

function quarter(at: usize): u32 {
  return <u32>i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(<i8>LINE_FEED)));
}

function below(bytes: u32): u64 {
  return bytes >= 64 ? ~(<u64>0) : (<u64>1 << bytes) - 1;
}
