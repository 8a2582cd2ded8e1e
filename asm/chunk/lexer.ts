// Separates strings and comments of source code from the rest. The twin, src/text/chunk/lexer.ts, states the rules;
// src/text/chunk/lexical-profile.ts has the bits of a profile.
//
// The lexer's state is at LEXER:
//
//   0        4            8                            88                 216
//   | profile | (unused)  | 10 x from, to: barren      | 32 x i32: template |

import { BACKSLASH, byteAt, endOfLine, isSpace, NEWLINE, widthAt } from './characters.ts';
import { LEXER } from './layout.ts';

export const CODE: u8 = 0;
export const STRING: u8 = 1;
export const COMMENT: u8 = 2;

const LINE_SLASH: u32 = 1;
const BLOCK: u32 = 2;
const HASH: u32 = 4;
const DASH: u32 = 8;
const ANGLE: u32 = 16;
const DOUBLE: u32 = 32;
const SINGLE: u32 = 64;
const CHARACTER: u32 = 128;
const TEMPLATE: u32 = 256;
const RAW_BACKTICK: u32 = 512;
const TRIPLE_DOUBLE: u32 = 1024;
const TRIPLE_SINGLE: u32 = 2048;
const REGEXP: u32 = 4096;
const LONG_BRACKET: u32 = 8192;

// Characters in memory order, so that two to four are compared as one number.
const SLASH_STAR: u32 = 0x2a2f;
const STAR_SLASH: u32 = 0x2f2a;
const SLASH_SLASH: u32 = 0x2f2f;
const DASH_DASH: u32 = 0x2d2d;
const BRACKETS: u32 = 0x5b5b;
const BRACKETS_END: u32 = 0x5d5d;
const DOLLAR_BRACE: u32 = 0x7b24;
const ANGLE_START: u32 = 0x2d2d213c;
const ANGLE_END: u32 = 0x3e2d2d;
const DASH_BRACKETS: u32 = 0x5b5b2d2d;
const DOUBLES: u32 = 0x222222;
const SINGLES: u32 = 0x272727;
const QUOTE_DOUBLE: u32 = 0x22;
const QUOTE_SINGLE: u32 = 0x27;
const BACKTICK: u32 = 0x60;

// Searches that remember where they have failed.
const S_BLOCK: u32 = 0;
const S_ANGLE: u32 = 1;
const S_BRACKET: u32 = 2;
const S_DOUBLES: u32 = 3;
const S_SINGLES: u32 = 4;
const S_BACKTICK: u32 = 5;
const S_DOUBLE: u32 = 6;
const S_SINGLE: u32 = 7;
const S_TEMPLATE: u32 = 8;
const S_REGEXP: u32 = 9;
const SEARCHES: u32 = 10;

const BARREN: usize = LEXER + 8;
const NESTING: usize = LEXER + 88;
const MAX_NESTING: usize = 32;

/** Writes the role of each byte behind the text. */
export function markRoles(text: usize, length: u32, profile: u32): void {
  const end = text + length;
  store<u32>(LEXER, profile);
  memory.fill(BARREN, 0, SEARCHES * 8);
  memory.fill(end, CODE, length);
  let last: usize = 0; // address of the last byte that is neither whitespace nor comment
  for (let at = text; at < end;) {
    const comment = endOfComment(at, text, end);
    let next = comment !== 0 ? comment : endOfString(at, text, end, last);
    if (next === 0) next = at + 1;
    memory.fill(at + 1 + length, comment !== 0 ? COMMENT : STRING, next - at - 1);
    if (comment === 0 && !isSpace(load<u8>(next - 1))) last = next - 1;
    at = next;
  }
}

function has(bit: u32): bool {
  return (load<u32>(LEXER) & bit) !== 0;
}

/** Whether the `size` bytes at an address equal those of a number and end before `end`. */
function startsWith(characters: u32, size: usize, at: usize, end: usize): bool {
  if (at + size > end) return false;
  let value: u32 = 0;
  for (let i: usize = 0; i < size; i++) value |= <u32>load<u8>(at + i) << <u32>(i << 3);
  return value === characters;
}

/** End address of the comment that starts here; 0 if none does. */
function endOfComment(at: usize, text: usize, end: usize): usize {
  switch (load<u8>(at)) {
    case 0x2f: { // slash
      if (has(BLOCK) && startsWith(SLASH_STAR, 2, at, end)) {
        const found = find(S_BLOCK, STAR_SLASH, 2, at + 2, end);
        if (found !== 0) return found;
      }
      const line = has(LINE_SLASH) && startsWith(SLASH_SLASH, 2, at, end) && (at === text || load<u8>(at - 1) !== 0x3a);
      return line ? endOfLine(at, end) : 0;
    }
    case 0x23: // number sign
      return has(HASH) && (at === text || isSpace(load<u8>(at - 1))) ? endOfLine(at, end) : 0;
    case 0x3c: // less than
      return has(ANGLE) && startsWith(ANGLE_START, 4, at, end) ? find(S_ANGLE, ANGLE_END, 3, at + 4, end) : 0;
    case 0x2d: { // dash
      if (!has(DASH) || !startsWith(DASH_DASH, 2, at, end)) return 0;
      const long = has(LONG_BRACKET) && startsWith(DASH_BRACKETS, 4, at, end)
        ? find(S_BRACKET, BRACKETS_END, 2, at + 4, end)
        : 0;
      return long !== 0 ? long : endOfLine(at, end);
    }
    default:
      return 0;
  }
}

/** End address of the string or regular expression that starts here; 0 if none does. */
function endOfString(at: usize, text: usize, end: usize, last: usize): usize {
  switch (load<u8>(at)) {
    case 0x22: {
      const triple = has(TRIPLE_DOUBLE) && startsWith(DOUBLES, 3, at, end)
        ? find(S_DOUBLES, DOUBLES, 3, at + 3, end)
        : 0;
      return triple !== 0 || !has(DOUBLE) ? triple : quoted(S_DOUBLE, QUOTE_DOUBLE, at, end);
    }
    case 0x27: {
      const triple = has(TRIPLE_SINGLE) && startsWith(SINGLES, 3, at, end)
        ? find(S_SINGLES, SINGLES, 3, at + 3, end)
        : 0;
      const single = triple === 0 && has(SINGLE) ? quoted(S_SINGLE, QUOTE_SINGLE, at, end) : triple;
      return single === 0 && has(CHARACTER) ? characterLiteral(at, end) : single;
    }
    case 0x60: {
      const found = has(TEMPLATE) ? template(at, end) : 0;
      return found === 0 && has(RAW_BACKTICK) ? find(S_BACKTICK, BACKTICK, 1, at + 1, end) : found;
    }
    case 0x5b:
      return has(LONG_BRACKET) && startsWith(BRACKETS, 2, at, end) ? find(S_BRACKET, BRACKETS_END, 2, at + 2, end) : 0;
    case 0x2f:
      return has(REGEXP) && expectsOperand(last, text) ? regexp(at, end) : 0;
    default:
      return 0;
  }
}

/** Whether a search from an address is known to fail. */
function isBarren(search: u32, from: usize): bool {
  const region = BARREN + (<usize>search << 3);
  return load<u32>(region) <= <u32>from && <u32>from <= load<u32>(region, 4);
}

/** Stores that a search from an address failed up to another address; returns 0. */
function fail(search: u32, from: usize, to: usize): usize {
  const region = BARREN + (<usize>search << 3);
  store<u32>(region, <u32>from);
  store<u32>(region, <u32>to, 4);
  return 0;
}

/** Address behind the next occurrence of a terminator; 0 if there is none. */
function find(search: u32, terminator: u32, size: usize, from: usize, end: usize): usize {
  if (isBarren(search, from)) return 0;
  for (let at = from; at < end; at++) if (startsWith(terminator, size, at, end)) return at + size;
  return fail(search, from, end);
}

/** A string that ends on its line. */
function quoted(search: u32, quote: u32, start: usize, end: usize): usize {
  const from = start + 1;
  if (isBarren(search, from)) return 0;
  let at = from;
  while (at < end && load<u8>(at) !== <u8>NEWLINE) {
    const byte = <u32>load<u8>(at);
    if (byte === quote) return at + 1;
    at += byte === BACKSLASH && byteAt(at + 1, end) !== NEWLINE ? 2 : 1;
  }
  return fail(search, from, min(at, end));
}

/** `'x'`, or a backslash with at most ten more ASCII characters; returns the address behind it, or 0. */
function characterLiteral(at: usize, end: usize): usize {
  if (at + 1 >= end) return 0;
  const next = <u32>load<u8>(at + 1);
  if (next === QUOTE_SINGLE || next === NEWLINE) return 0;
  if (next !== BACKSLASH) {
    const close = at + 1 + widthAt(at + 1, end);
    return byteAt(close, end) === QUOTE_SINGLE ? close + 1 : 0;
  }
  for (let i = at + 2; i < at + 13; i++) {
    const byte = byteAt(i, end);
    if (byte === QUOTE_SINGLE && i > at + 2) return i + 1;
    if (byte === NEWLINE || byte >= 0x80 || i >= end) return 0;
  }
  return 0;
}

/**
 * A template literal; returns the address behind it, or 0. A level of nesting is text (-1) or code in `${}` (its open
 * braces).
 */
function template(start: usize, end: usize): usize {
  const from = start + 1;
  if (isBarren(S_TEMPLATE, from)) return 0;
  let depth: usize = 1;
  store<i32>(NESTING, -1);
  for (let at = from; at < end;) {
    const level = NESTING + ((depth - 1) << 2);
    const byte = <u32>load<u8>(at);
    const braces = load<i32>(level);
    if (braces < 0 ? startsWith(DOLLAR_BRACE, 2, at, end) : byte === BACKTICK) {
      if (depth === MAX_NESTING) break;
      store<i32>(level, braces < 0 ? 0 : -1, 4);
      depth++;
      at += braces < 0 ? 2 : 1;
    } else if (braces < 0) {
      if (byte === BACKTICK) depth--;
      if (depth === 0) return at + 1;
      at += byte === BACKSLASH ? 2 : 1;
    } else if (byte === 0x7d && braces === 0) {
      depth--;
      at++;
    } else {
      if (byte === 0x7b) store<i32>(level, braces + 1);
      if (byte === 0x7d) store<i32>(level, braces - 1);
      at = behindQuoted(byte, at, end);
    }
  }
  return fail(S_TEMPLATE, from, end);
}

/** Address behind the string that starts here; if none does, behind the byte. */
function behindQuoted(byte: u32, at: usize, end: usize): usize {
  const found = byte === QUOTE_DOUBLE
    ? quoted(S_DOUBLE, byte, at, end)
    : byte === QUOTE_SINGLE
    ? quoted(S_SINGLE, byte, at, end)
    : 0;
  return found !== 0 ? found : at + 1;
}

/** Whether a slash starts a regular expression; the last byte of code before it decides. */
function expectsOperand(last: usize, text: usize): bool {
  if (last === 0) return true;
  switch (load<u8>(last)) {
    case 0x3e: // `=>`, but neither a comparison nor the end of a tag
      return last > text && load<u8>(last - 1) === 0x3d;
    case 0x28:
    case 0x2c:
    case 0x3d:
    case 0x3a:
    case 0x5b:
    case 0x21:
    case 0x26:
    case 0x7c:
    case 0x3f:
    case 0x7b:
    case 0x3b:
    case 0x2b:
    case 0x2d:
    case 0x2a:
    case 0x25:
    case 0x7e:
    case 0x5e:
      return true;
    default:
      return isKeyword(last, text);
  }
}

/** Whether the word that ends with a byte is an operator. Words of up to seven bytes fit into a number. */
function isKeyword(last: usize, text: usize): bool {
  let word: u64 = 0;
  for (let at = last + 1; at > text && last + 1 - at < 7;) {
    const byte = load<u8>(--at);
    if (!inWord(byte)) break;
    word = (word << 8) | byte;
  }
  switch (word) { // letters in the order of memory
    case 0x6e7275746572: // return
    case 0x666f65707974: // typeof
    case 0x65736163: // case
    case 0x6e69: // in
    case 0x666f: // of
    case 0x6574656c6564: // delete
    case 0x64696f76: // void
    case 0x776f726874: // throw
    case 0x77656e: // new
    case 0x65736c65: // else
    case 0x6f64: // do
    case 0x646c656979: // yield
    case 0x7469617761: // await
      return true;
    default:
      return false;
  }
}

function inWord(byte: u8): bool {
  return byte >= 0x80 || byte === 0x5f || byte === 0x24 || byte - 0x30 < 10 || (byte | 0x20) - 0x61 < 26;
}

/** A regular expression that ends on its line; returns the address behind its last slash, or 0. */
function regexp(start: usize, end: usize): usize {
  const from = start + 1;
  if (isBarren(S_REGEXP, from)) return 0;
  let inClass = false;
  let at = from;
  while (at < end && load<u8>(at) !== <u8>NEWLINE) {
    const byte = <u32>load<u8>(at);
    if (byte === 0x5b) inClass = true;
    else if (byte === 0x5d) inClass = false;
    else if (byte === 0x2f && !inClass) return at + 1;
    at += byte === BACKSLASH && byteAt(at + 1, end) !== NEWLINE ? 2 : 1;
  }
  return fail(S_REGEXP, from, min(at, end));
}
