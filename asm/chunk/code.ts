// Levels of cuts in source code. The twin, src/text/chunk/code.ts, states the rules.

import { isSpace, NEWLINE, widthAt } from './characters.ts';
import { CODE, COMMENT, markRoles, STRING } from './lexer.ts';

const FALLBACK: u8 = 1;
const LINE: u8 = 2;
const STATEMENT: u8 = 3;
const BLOCK: u8 = 4;

/** Role of an opening bracket that nothing closes, in addition to the roles of the lexer. */
const IGNORED: u8 = 3;

const BRACE_OPEN: u8 = 0x7b;
const BRACE_CLOSE: u8 = 0x7d;
const PARENTHESIS_OPEN: u8 = 0x28;
const PARENTHESIS_CLOSE: u8 = 0x29;
const SQUARE_OPEN: u8 = 0x5b;
const SQUARE_CLOSE: u8 = 0x5d;

/**
 * Writes the level of each byte behind the text. That memory has the roles at first: a level overwrites
 * a role that has been read.
 */
export function markCode(text: usize, length: u32, profile: u32, budget: u32): void {
  markRoles(text, length, profile);
  ignoreUnmatched(text, length);
  const end = text + length;
  let braces: u32 = 0;
  let parentheses: u32 = 0;
  let squares: u32 = 0;
  let blank = true; // nothing but whitespace on this line so far
  let indented = false;
  let comment = false; // this line, or the previous one if the line is new, starts in a comment
  let afterBlank = true;
  let afterComment = false;
  let minified = isLong(text, end, budget);
  let afterBrace = false; // the last character is a `}` that closed something
  for (let at = text; at < end; at++) {
    const byte = load<u8>(at);
    const role = load<u8>(at + length);
    store<u8>(at + length, 0);
    if (byte === <u8>NEWLINE) {
      afterBlank = blank;
      afterComment = comment;
      blank = true;
      indented = false;
      comment = false;
      minified = isLong(at + 1, end, budget);
      afterBrace = false;
    } else if (isSpace(byte)) {
      indented = true;
    } else {
      if ((braces | parentheses | squares) === 0) {
        if (blank) store<u8>(at + length, levelOfLine(byte, role, indented, afterBlank, afterComment));
        else if (minified && afterBrace && role !== STRING && role !== COMMENT) store<u8>(at + length, FALLBACK);
      }
      if (blank) comment = role === COMMENT || (at + 1 < end && load<u8>(at + 1 + length) === COMMENT);
      blank = false;
      afterBrace = false;
      if (role === CODE) {
        switch (byte) {
          case BRACE_OPEN:
            braces++;
            break;
          case PARENTHESIS_OPEN:
            parentheses++;
            break;
          case SQUARE_OPEN:
            squares++;
            break;
          case BRACE_CLOSE:
            afterBrace = braces > 0;
            if (braces > 0) braces--;
            break;
          case PARENTHESIS_CLOSE:
            if (parentheses > 0) parentheses--;
            break;
          case SQUARE_CLOSE:
            if (squares > 0) squares--;
            break;
        }
      }
    }
  }
}

/** Whether a line has more characters than a chunk. */
function isLong(at: usize, end: usize, budget: u32): bool {
  let characters: u32 = 0;
  while (characters <= budget && at < end && load<u8>(at) !== <u8>NEWLINE) {
    at += widthAt(at, end);
    characters++;
  }
  return characters > budget;
}

function levelOfLine(first: u8, role: u8, indented: bool, afterBlank: bool, afterComment: bool): u8 {
  if (role === STRING) return 0;
  if (role === COMMENT) return FALLBACK;
  if (indented || afterComment || first === BRACE_OPEN) return LINE;
  return afterBlank ? BLOCK : STATEMENT;
}

/** Sets a separate role for opening brackets that nothing closes. They are found from the end, for each kind. */
function ignoreUnmatched(text: usize, length: u32): void {
  let braces: u32 = 0;
  let parentheses: u32 = 0;
  let squares: u32 = 0;
  for (let at = text + length; at-- > text;) {
    if (load<u8>(at + length) !== CODE) continue;
    let unmatched = false;
    switch (load<u8>(at)) {
      case BRACE_CLOSE:
        braces++;
        break;
      case PARENTHESIS_CLOSE:
        parentheses++;
        break;
      case SQUARE_CLOSE:
        squares++;
        break;
      case BRACE_OPEN:
        if (braces > 0) braces--;
        else unmatched = true;
        break;
      case PARENTHESIS_OPEN:
        if (parentheses > 0) parentheses--;
        else unmatched = true;
        break;
      case SQUARE_OPEN:
        if (squares > 0) squares--;
        else unmatched = true;
        break;
    }
    if (unmatched) store<u8>(at + length, IGNORED);
  }
}
