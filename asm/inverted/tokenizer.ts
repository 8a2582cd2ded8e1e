// The twin of `src/text/tokenize.ts`, over UTF-8, with the same tables; the rules are numbered there.
// It leaves texts with composing or segmented code points (rules 3 and 5) to the host, because they need the
// host's Unicode functions, and the few words of rule 7.
//
// A word of ASCII needs no lookup in the tables: it is letters, digits, and the joiners between two of them. So the
// text is read in windows of 64 bytes, each a bit mask per class, and words are runs of bits. A word that may contain a
// code point beyond ASCII, or that is as long as a window, is read code point by code point.

import { listWord, markForm, markWord, markWords } from '../marks/scan.ts';
import { characterLength, codePointAt, copyBytes, putCodePoint } from './bytes.ts';
import { FORM_BUFFER, H_TABLE_BLOCKS, H_TABLE_EXPANSIONS, H_TABLE_INDEX, H_TEXT_AT, H_TOKENS } from './layout.ts';
import { addForm, addWord } from './tokens.ts';

const SEPARATOR: u32 = 0;
const LETTER: u32 = 1;
const DIGIT: u32 = 2;
const EXTEND: u32 = 3;
const COMPOSING: u32 = 4;
const SEGMENTED: u32 = 5;
const APOSTROPHE: u32 = 6;
const FULL_STOP: u32 = 7;

const CLASS_SHIFT: u32 = 24;
const EXPANDS: u32 = 0x800000;
const AMOUNT_MASK: u32 = 0x7fffff;
const CODE_POINT_MASK: u32 = 0x1fffff;
const MAX_TOKEN_BYTES: usize = 256;

const PLUS: u8 = 0x2b;
const HASH: u8 = 0x23;
const STOP: u8 = 0x2e;

const WINDOW: usize = 64;

/**
 * Address at which the host must take over: behind the last ASCII separator before the first code point, or full stop,
 * whose token the host has to make; the start if there is none in between, and the end if the host is not needed.
 */
export function hostStart(start: usize, end: usize): usize {
  let at = start;
  while (at < end) {
    const signs = (highBytesAt(at) | bytesAt(at, STOP)) & bitsBelow(end - at);
    if (signs === 0) {
      at += WINDOW;
      continue;
    }
    at += <usize>ctz(signs);
    if (load<u8>(at) === STOP) {
      if (mayBeginName(start, at, end)) return behindSign(start, at);
      at++;
      continue;
    }
    const length = characterLength(load<u8>(at));
    const kind = lookUp(codePointAt(at, length)) >> CLASS_SHIFT;
    if (kind === COMPOSING || kind === SEGMENTED) return behindSign(start, at);
    at += length;
  }
  return end;
}

/** Whether a full stop may belong to the capitals behind it (rule 7). */
function mayBeginName(start: usize, at: usize, end: usize): bool {
  const isSmall = isNet(at + 1, end);
  if (!isSmall && (at + 2 >= end || !isCapital(load<u8>(at + 1)) || !isCapital(load<u8>(at + 2)))) return false;
  if (at === start) return true;
  const before = <u32>load<u8>(at - 1);
  return isSmall ? isOpening(before) : before < 0x80 && before !== STOP && before - 0x61 >= 26 && before - 0x30 >= 10;
}

/** Whether a word begins like `net` or `Net`. */
function isNet(at: usize, end: usize): bool {
  return at + 2 < end && (<u32>load<u8>(at) | 0x20) === 0x6e && load<u8>(at + 1) === 0x65 && load<u8>(at + 2) === 0x74;
}

/** Whether a byte is a space, an opening bracket or a quote. */
function isOpening(byte: u32): bool {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x28 || byte === 0x5b ||
    byte === 0x7b || byte === 0x22 || byte === 0x27 || byte === 0x60;
}

function isCapital(byte: u32): bool {
  return byte - 0x41 < 26;
}

/** The last address from `start` to `at` behind an ASCII separator, or `start`. */
function behindSign(start: usize, at: usize): usize {
  while (at > start) {
    const byte = <u32>load<u8>(at - 1);
    // A sign may belong to the word before it, which depends on what follows.
    if (byte < 0x80 && !isSign(byte) && lookUp(byte) >> CLASS_SHIFT === SEPARATOR) break;
    at--;
  }
  return at;
}

/**
 * Sinks of tokens: the document that is being added, the marks of a text, or the list of its words. Only the sizes of
 * these types are used.
 */
type ToIndex = u8;
type ToMarks = u16;
type ToWords = u32;

/**
 * Adds the tokens that start between `at` and `stop` to the current field; they may reach up to `end`. Returns the
 * position behind the last; H_TEXT_AT then has the address at which to continue.
 */
export function tokenizeText(at: usize, stop: usize, end: usize, position: u32): u32 {
  return tokenize<ToIndex>(at, stop, end, position);
}

/** Notes the tokens of a text; see `../marks/scan.ts`. */
export function markTokens(at: usize, end: usize): void {
  tokenize<ToMarks>(at, end, end, 0);
}

/** Lists the tokens of a text. */
export function listTokens(at: usize, end: usize): void {
  tokenize<ToWords>(at, end, end, 0);
}

/** Compiled separately for each kind of sink, so that a token needs no branch for it. */
function tokenize<Sink>(at: usize, stop: usize, end: usize, position: u32): u32 {
  let done = stop;
  while (at < stop) {
    const inside = bitsBelow(end - at);
    const letters = lettersAt(at) & inside;
    const digits = digitsAt(at) & inside;
    const apostrophes = bytesAt(at, 0x27) & inside;
    const fullStops = bytesAt(at, 0x2e) & inside;
    const high = highBytesAt(at) & inside;
    const words = letters | digits;
    let parts = words | (apostrophes & (letters << 1) & (letters >> 1)) | (fullStops & (digits << 1) & (digits >> 1));
    const single = letters & ~(parts << 1) & ~(parts >> 1);
    if (single !== 0) parts |= signsBehind(single, words, bytesAt(at, PLUS) & inside, bytesAt(at, HASH) & inside);
    // Bits at which a word of ASCII may continue with a code point beyond ASCII.
    const open = high | ((apostrophes | fullStops) & (high >> 1));
    const whole = <u64>(end - at >= WINDOW);
    let next = at + WINDOW;
    if (sizeof<Sink>() === sizeof<ToMarks>() && high === 0) {
      const cut = whole === 0 ? WINDOW : lastRun(parts);
      if (cut > 0) {
        markWords(at, parts & bitsBelow(cut));
        at += cut;
        continue;
      }
    }
    for (let left = (words | high) & bitsBelow(stop - at); left !== 0;) {
      const first = <usize>ctz(left);
      const behind = <usize>ctz(~parts & (~(<u64>0) << first));
      // Whether the last byte of a window is a joiner depends on the byte behind it.
      const cut = <u64>(behind >= WINDOW - 1) & whole;
      if ((cut | (((high >> first) | (open >> behind)) & 1)) !== 0) {
        if (cut !== 0 && first > 0) {
          next = at + first;
          break;
        }
        const tokens = load<u32>(H_TOKENS);
        done = codePoints<Sink>(at + first, end, position);
        position += load<u32>(H_TOKENS) - tokens;
      } else {
        if (sizeof<Sink>() === sizeof<ToIndex>()) addWord(at + first, <u32>(behind - first), position);
        else if (sizeof<Sink>() === sizeof<ToMarks>()) markWord(at + first, <u32>(behind - first));
        else listWord(at + first, at + behind);
        position++;
        done = at + behind;
      }
      if (done >= at + WINDOW) {
        next = done;
        break;
      }
      left &= ~(<u64>0) << (done - at);
    }
    at = next;
  }
  store<u32>(H_TEXT_AT, <u32>max(done, stop));
  return position;
}

/** The bits of the signs that belong to words of a single letter. */
function signsBehind(single: u64, words: u64, pluses: u64, hashes: u64): u64 {
  const first = pluses & (single << 1) & (pluses >> 1) & ~((pluses | words) >> 2);
  return (hashes & (single << 1) & ~((hashes | words) >> 1)) | first | (first << 1);
}

/** Start of the run of bits that may continue behind the window: one that reaches the last bit or the one before it. */
function lastRun(parts: u64): usize {
  if ((parts >> 62 & 1) === 0) return parts >> 63 === 0 ? WINDOW : WINDOW - 1;
  return WINDOW - 1 - <usize>clz(~(parts << 1));
}

/** The bits of a window that lie below a number of bytes. */
function bitsBelow(bytes: usize): u64 {
  return bytes >= WINDOW ? ~(<u64>0) : (<u64>1 << bytes) - 1;
}

function lettersAt(at: usize): u64 {
  return mask(letters(v128.load(at)), letters(v128.load(at, 16)), letters(v128.load(at, 32)),
    letters(v128.load(at, 48)));
}

function letters(bytes: v128): v128 {
  return i8x16.lt_u(i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(26));
}

function digitsAt(at: usize): u64 {
  return mask(digits(v128.load(at)), digits(v128.load(at, 16)), digits(v128.load(at, 32)), digits(v128.load(at, 48)));
}

function digits(bytes: v128): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
}

function bytesAt(at: usize, byte: i8): u64 {
  const wanted = i8x16.splat(byte);
  return mask(i8x16.eq(v128.load(at), wanted), i8x16.eq(v128.load(at, 16), wanted), i8x16.eq(v128.load(at, 32), wanted),
    i8x16.eq(v128.load(at, 48), wanted));
}

function highBytesAt(at: usize): u64 {
  return mask(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48));
}

/** The highest bit of each byte. */
function mask(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64><u32>i8x16.bitmask(a) | (<u64><u32>i8x16.bitmask(b) << 16) | (<u64><u32>i8x16.bitmask(c) << 32) |
    (<u64><u32>i8x16.bitmask(d) << 48);
}

/** Adds the word that starts at an address, if one does; returns the address behind it, or behind the code point. */
function codePoints<Sink>(at: usize, end: usize, position: u32): usize {
  const length = characterLength(load<u8>(at));
  const kind = lookUp(codePointAt(at, length)) >> CLASS_SHIFT;
  return kind === LETTER || kind === DIGIT ? word<Sink>(at, end, position) : at + length;
}

/**
 * Applies rules 1, 2, 4, 5 and 6 to the word that starts at an address; returns the address behind it. A word with an
 * empty form is not added.
 */
function word<Sink>(start: usize, end: usize, position: u32): usize {
  let at = start;
  let to = FORM_BUFFER;
  let last = SEPARATOR;
  while (at < end) {
    const length = characterLength(load<u8>(at));
    const codePoint = codePointAt(at, length);
    const value = lookUp(codePoint);
    const kind = value >> CLASS_SHIFT;
    if (!belongs(kind, last, at + length, end) || at + length - start > MAX_TOKEN_BYTES) break;
    if (kind !== EXTEND) last = kind;
    to = fold(codePoint, value, to);
    at += length;
  }
  if (at - start === 1 && last === LETTER && load<u8>(start) < 0x80) {
    const signs = signsAt(at, end);
    copyBytes(to, at, <u32>signs);
    to += signs;
    at += signs;
  }
  if (to > FORM_BUFFER) {
    if (sizeof<Sink>() === sizeof<ToIndex>()) addForm(FORM_BUFFER, <u32>(to - FORM_BUFFER), position);
    else if (sizeof<Sink>() === sizeof<ToMarks>()) markForm(FORM_BUFFER, <u32>(to - FORM_BUFFER), start, at);
    else listWord(start, at);
  }
  return at;
}

/** Whether a code point of a class continues a word whose last letter, digit or joiner is of class `last`. */
function belongs(kind: u32, last: u32, behind: usize, end: usize): bool {
  if (kind === LETTER || kind === DIGIT || kind === EXTEND) return true;
  if (kind === APOSTROPHE) return last === LETTER && classBehind(behind, end) === LETTER;
  if (kind === FULL_STOP) return last === DIGIT && classBehind(behind, end) === DIGIT;
  return false;
}

/** Length of the signs at an address that belong to a single letter before it. */
function signsAt(at: usize, end: usize): usize {
  if (at >= end || !isSign(load<u8>(at))) return 0;
  const sign = load<u8>(at);
  let behind = at + 1;
  if (sign === PLUS) {
    if (behind >= end || load<u8>(behind) !== PLUS) return 0;
    behind++;
  }
  if (behind < end && load<u8>(behind) === sign) return 0;
  const kind = classBehind(behind, end);
  return kind === LETTER || kind === DIGIT ? 0 : behind - at;
}

function isSign(byte: u32): bool {
  return byte === PLUS || byte === HASH;
}

function classBehind(at: usize, end: usize): u32 {
  return at < end ? lookUp(codePointAt(at, characterLength(load<u8>(at)))) >> CLASS_SHIFT : SEPARATOR;
}

function fold(codePoint: u32, value: u32, to: usize): usize {
  const amount = value & AMOUNT_MASK;
  if ((value & EXPANDS) === 0) return putCodePoint(to, (codePoint + amount) & CODE_POINT_MASK);
  const expansion = <usize>load<u32>(H_TABLE_EXPANSIONS) + amount;
  const length = <u32>load<u8>(expansion);
  copyBytes(to, expansion + 1, length);
  return to + length;
}

/** Whether a code point is a letter of a script with spaces, or a number other than a decimal digit. */
export function isLetter(codePoint: u32): bool {
  return lookUp(codePoint) >> CLASS_SHIFT === LETTER;
}

function lookUp(codePoint: u32): u32 {
  const block = <u32>load<u16>(<usize>load<u32>(H_TABLE_INDEX) + (<usize>(codePoint >> 7) << 1));
  return load<u32>(<usize>load<u32>(H_TABLE_BLOCKS) + (<usize>((block << 7) | (codePoint & 127)) << 2));
}
