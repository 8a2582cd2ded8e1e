// The twin of `src/text/tokenize.ts`, over UTF-8, with the same tables; the rules are numbered there.
// It hands back texts that have composing or segmented code points (rules 3 and 5), which need the
// host's Unicode functions.

import { characterLength, codePointAt, finishHash, putCodePoint } from './bytes.ts';
import { addToken } from './indexing.ts';
import { internForm } from './forms.ts';
import { FORM_BUFFER, H_TABLE_BLOCKS, H_TABLE_EXPANSIONS, H_TABLE_INDEX, H_TEXT_AT } from './layout.ts';

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

/** Whether a text has a code point whose token the host has to make. */
export function needsHost(at: usize, end: usize): bool {
  const high = i8x16.splat(-128);
  while (at < end) {
    if (at + 16 <= end && !v128.any_true(v128.and(v128.load(at), high))) {
      at += 16;
      continue;
    }
    const length = characterLength(load<u8>(at));
    if (length > 1) {
      const kind = lookUp(codePointAt(at, length)) >> CLASS_SHIFT;
      if (kind === COMPOSING || kind === SEGMENTED) return true;
    }
    at += length;
  }
  return false;
}

/**
 * Adds the tokens that start between `at` and `stop` to the field at hand; they may reach up to `end`. Gives the position
 * behind the last; H_TEXT_AT then says where to go on.
 */
export function tokenizeText(at: usize, stop: usize, end: usize, position: u32): u32 {
  while (at < stop) {
    const length = characterLength(load<u8>(at));
    const kind = lookUp(codePointAt(at, length)) >> CLASS_SHIFT;
    if (kind !== LETTER && kind !== DIGIT) {
      at += length;
      continue;
    }
    at = word(at, end, position);
    // Rule 5: a token whose form is empty is none; `word` then leaves the last address unchanged.
    if (formEnd() > FORM_BUFFER) position++;
  }
  store<u32>(H_TEXT_AT, <u32>at);
  return position;
}

/** Address behind the form that was folded last; kept behind the buffer. */
function formEnd(): usize {
  return load<u32>(FORM_BUFFER, 1024);
}

/** Rules 1, 2, 4 and 5 for the word that starts at an address; gives the address behind it. */
function word(start: usize, end: usize, position: u32): usize {
  let at = start;
  let to = FORM_BUFFER;
  let last = SEPARATOR;
  let hash: u32 = 0x811c9dc5;
  while (at < end) {
    const length = characterLength(load<u8>(at));
    const codePoint = codePointAt(at, length);
    const value = lookUp(codePoint);
    const kind = value >> CLASS_SHIFT;
    if (!belongs(kind, last, at + length, end) || at + length - start > MAX_TOKEN_BYTES) break;
    if (kind !== EXTEND) last = kind;
    const folded = to;
    to = fold(codePoint, value, to);
    for (let i = folded; i < to; i++) hash = (hash ^ <u32>load<u8>(i)) * 0x01000193;
    at += length;
  }
  store<u32>(FORM_BUFFER, <u32>to, 1024);
  if (to > FORM_BUFFER) addToken(internForm(FORM_BUFFER, <u32>(to - FORM_BUFFER), finishHash(hash)), position);
  return at;
}

/** Whether a code point of a class continues a word whose last letter, digit or joiner is of class `last`. */
function belongs(kind: u32, last: u32, behind: usize, end: usize): bool {
  if (kind === LETTER || kind === DIGIT || kind === EXTEND) return true;
  if (kind === APOSTROPHE) return last === LETTER && classBehind(behind, end) === LETTER;
  if (kind === FULL_STOP) return last === DIGIT && classBehind(behind, end) === DIGIT;
  return false;
}

function classBehind(at: usize, end: usize): u32 {
  return at < end ? lookUp(codePointAt(at, characterLength(load<u8>(at)))) >> CLASS_SHIFT : SEPARATOR;
}

function fold(codePoint: u32, value: u32, to: usize): usize {
  const amount = value & AMOUNT_MASK;
  if ((value & EXPANDS) === 0) return putCodePoint(to, (codePoint + amount) & CODE_POINT_MASK);
  const expansion = <usize>load<u32>(H_TABLE_EXPANSIONS) + amount;
  const length = <usize>load<u8>(expansion);
  memory.copy(to, expansion + 1, length);
  return to + length;
}

function lookUp(codePoint: u32): u32 {
  const block = <u32>load<u16>(<usize>load<u32>(H_TABLE_INDEX) + (<usize>(codePoint >> 7) << 1));
  return load<u32>(<usize>load<u32>(H_TABLE_BLOCKS) + (<usize>((block << 7) | (codePoint & 127)) << 2));
}
