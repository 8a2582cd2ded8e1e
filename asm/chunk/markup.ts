// Removes markup from Markdown, by writing spaces over it. The twin, src/text/chunk/markup.ts, states the rules.

import { byteAt, endOfLine, isSpace, NEWLINE, skipSpaces } from './characters.ts';
import { fenceRun, lengthOfRun, onlyBlanks, opensFence } from './prose.ts';

/** Maximum length in bytes of a construct, so that text with many unclosed ones takes linear time. */
const LIMIT: usize = 1000;

const BACKTICK: u32 = 0x60;
const HASH: u32 = 0x23;

/** Writes spaces over the markup of a text. */
export function blankMarkup(text: usize, length: u32): void {
  const end = text + length;
  let fence: u32 = 0; // the character of the open fence
  let fenceLength: usize = 0;
  for (let start = text; start < end;) {
    const lineEnd = endOfLine(start, end);
    const first = skipSpaces(start, lineEnd);
    const run = first - start <= 3 && onlyBlanks(start, first) ? fenceRun(first, lineEnd) : 0;
    if (fence !== 0) {
      if (run >= fenceLength && <u32>load<u8>(first) === fence && skipSpaces(first + run, lineEnd) === lineEnd)
        fence = 0;
      blank(start, lineEnd);
      start = lineEnd + 1;
    } else if (run > 0 && opensFence(first, run, lineEnd)) {
      fence = load<u8>(first);
      fenceLength = run;
      blank(start, lineEnd);
      start = lineEnd + 1;
    } else {
      start = blankInline(blankMarker(first, lineEnd), lineEnd, end) + 1;
    }
  }
}

/** Removes the characters that make a line a heading or a quotation. Returns where its text begins. */
function blankMarker(first: usize, end: usize): usize {
  let at = first;
  while (byteAt(at, end) === 0x3e) at = skipSpaces(at + 1, end);
  const run = lengthOfRun(at, end, HASH);
  if (run > 0 && run <= 6 && (at + run === end || isSpace(load<u8>(at + run)))) at += run;
  blank(first, at);
  return at;
}

/**
 * Removes the markup from `at` to the end of the line, or of a construct that continues in further lines. Returns the
 * end.
 */
function blankInline(at: usize, lineEnd: usize, end: usize): usize {
  while (at < end && load<u8>(at) !== <u8>NEWLINE) {
    const next = endOfConstruct(at, lineEnd, end);
    if (next > lineEnd) lineEnd = endOfLine(next, end);
    at = next;
  }
  return at;
}

/** Removes the construct that begins at an address, and returns its end; the next address if none does. */
function endOfConstruct(at: usize, lineEnd: usize, end: usize): usize {
  switch (<u32>load<u8>(at)) {
    case BACKTICK:
      return blankCodeMarks(at, lineEnd);
    case 0x7b:
      return blankMacro(at, end);
    case 0x5d:
      return blankTarget(at, lineEnd);
    case 0x3c:
      return blankTag(at, end);
    case 0x26:
      return blankEntity(at, lineEnd);
    case 0x68:
      return blankUrl(at, lineEnd);
    case 0x21:
      return byteAt(at + 1, end) === 0x5b ? blank(at, at + 1) : at + 1;
    case 0x2a:
    case 0x5b:
    case 0x5f:
    case 0x7c:
      return blank(at, at + 1);
    default:
      return at + 1;
  }
}

/** A run of backticks, and the run of the same length that ends the code; what is between them stays. */
function blankCodeMarks(at: usize, lineEnd: usize): usize {
  const run = lengthOfRun(at, lineEnd, BACKTICK);
  const last = min(at + LIMIT, lineEnd);
  for (let other = at + run; other < last;) {
    const length = lengthOfRun(other, last, BACKTICK);
    if (length === run) {
      blank(at, at + run);
      return blank(other, other + run);
    }
    other += length > 0 ? length : 1;
  }
  return blank(at, at + run);
}

/** `{{name("a", "b")}}`: the last quoted text stays. */
function blankMacro(at: usize, end: usize): usize {
  if (byteAt(at + 1, end) !== 0x7b) return at + 1;
  const last = min(at + LIMIT, end);
  let quoted: usize = 0;
  let quotedEnd: usize = 0;
  let open: usize = 0;
  for (let to = at + 2; to < last; to++) {
    const character = <u32>load<u8>(to);
    if (character === 0x7b) return at + 1;
    if (character === 0x7d) {
      if (byteAt(to + 1, last) !== 0x7d) return at + 1;
      blank(at, quoted > 0 ? quoted : to + 2);
      if (quoted > 0) blank(quotedEnd, to + 2);
      return to + 2;
    }
    if (open > 0 && character === <u32>load<u8>(open)) {
      if (to > open + 1) {
        quoted = open + 1;
        quotedEnd = to;
      }
      open = 0;
    } else if (open === 0 && (character === 0x22 || character === 0x27)) {
      open = to;
    }
  }
  return at + 1;
}

/** `]`, and the target of a link or an image in parentheses. */
function blankTarget(at: usize, lineEnd: usize): usize {
  if (byteAt(at + 1, lineEnd) !== 0x28) return blank(at, at + 1);
  const last = min(at + LIMIT, lineEnd);
  let depth = 0;
  for (let to = at + 1; to < last; to++) {
    const character = <u32>load<u8>(to);
    if (character === 0x28) depth++;
    else if (character === 0x29 && --depth === 0) return blank(at, to + 1);
  }
  return blank(at, at + 1);
}

/** A tag or a comment. */
function blankTag(at: usize, end: usize): usize {
  const last = min(at + LIMIT, end);
  const next = byteAt(at + 1, last);
  const isComment = next === 0x21 && byteAt(at + 2, last) === 0x2d && byteAt(at + 3, last) === 0x2d;
  const letter = next === 0x2f ? byteAt(at + 2, last) : next;
  if (!isComment && !isLetter(letter)) return at + 1;
  for (let to = at + (isComment ? 4 : 2); to < last; to++) {
    const character = <u32>load<u8>(to);
    if (isComment) {
      if (character === 0x2d && byteAt(to + 1, last) === 0x2d && byteAt(to + 2, last) === 0x3e)
        return blank(at, to + 3);
    } else if (character === 0x3e) {
      return blank(at, to + 1);
    } else if (character === 0x3c) {
      return at + 1;
    }
  }
  return at + 1;
}

/** `&name;` or `&#number;`. */
function blankEntity(at: usize, lineEnd: usize): usize {
  const first = at + (byteAt(at + 1, lineEnd) === HASH ? 2 : 1);
  let to = first;
  while (to < lineEnd && to - first <= 31 && isAlphanumeric(load<u8>(to))) to++;
  return to > first && to - first <= 31 && byteAt(to, lineEnd) === 0x3b ? blank(at, to + 1) : at + 1;
}

/** `http://` or `https://` up to whitespace, `<`, `>`, `)` or `]`. */
function blankUrl(at: usize, lineEnd: usize): usize {
  if (byteAt(at + 1, lineEnd) !== 0x74 || byteAt(at + 2, lineEnd) !== 0x74 || byteAt(at + 3, lineEnd) !== 0x70)
    return at + 1;
  let to = at + 4;
  if (byteAt(to, lineEnd) === 0x73) to++;
  if (byteAt(to, lineEnd) !== 0x3a || byteAt(to + 1, lineEnd) !== 0x2f || byteAt(to + 2, lineEnd) !== 0x2f)
    return at + 1;
  while (to < lineEnd && !endsUrl(load<u8>(to))) to++;
  return blank(at, to);
}

function endsUrl(byte: u32): bool {
  return isSpace(byte) || byte === 0x3c || byte === 0x3e || byte === 0x29 || byte === 0x5d;
}

function isLetter(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26;
}

function isAlphanumeric(byte: u32): bool {
  return isLetter(byte) || byte - 0x30 < 10;
}

/** Writes spaces, but leaves newlines. Returns `to`. */
function blank(from: usize, to: usize): usize {
  for (let at = from; at < to; at++) if (load<u8>(at) !== <u8>NEWLINE) store<u8>(at, 0x20);
  return to;
}
