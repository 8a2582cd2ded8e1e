// Levels of cuts in markdown. The twin, src/text/chunk/prose.ts, states the rules.

import { byteAt, codePointAt, endOfLine, isSpace, skipSpaces, widthAt } from './characters.ts';

const WORD: u8 = 1;
const CODE_LINE: u8 = 2;
const SENTENCE: u8 = 3;
const PARAGRAPH: u8 = 4;
const HEADING: u8 = 5;

const BACKTICK: u32 = 0x60;
const TILDE: u32 = 0x7e;

/** Writes the level of each byte behind the text. */
export function markProse(text: usize, length: u32): void {
  const end = text + length;
  memory.fill(end, 0, length);
  let fence: u32 = 0; // the character of the open fence
  let fenceLength: usize = 0;
  let afterBlank = true;
  let afterHeading: bool = false;
  let terminator: u32 = 0;
  for (let start = text; start < end;) {
    const lineEnd = endOfLine(start, end);
    const first = skipSpaces(start, lineEnd);
    if (first === lineEnd) {
      afterBlank = true;
    } else {
      const marginal = first - start <= 3 && onlyBlanks(start, first);
      const run = marginal ? fenceRun(first, lineEnd) : 0;
      const opens = fence === 0 && run > 0 && opensFence(first, run, lineEnd);
      const heading = fence === 0 && marginal && isHeading(first, lineEnd);
      store<u8>(first + length,
        levelOfLine(first, lineEnd, terminator, afterHeading, afterBlank, heading, fence !== 0, opens));
      terminator = markWords(first, lineEnd, length, fence !== 0 || opens || heading);
      if (opens) {
        fence = load<u8>(first);
        fenceLength = run;
      } else if (fence !== 0 && run >= fenceLength && <u32>load<u8>(first) === fence &&
        skipSpaces(first + run, lineEnd) === lineEnd)
      {
        fence = 0;
      }
      afterBlank = false;
      afterHeading = heading;
    }
    start = lineEnd + 1;
  }
}

export function onlyBlanks(at: usize, end: usize): bool {
  while (at < end && load<u8>(at) === 0x20) at++;
  return at === end;
}

/** Number of backticks or tildes with which a line starts; 0 if there are fewer than three. */
export function fenceRun(first: usize, end: usize): usize {
  const character = <u32>load<u8>(first);
  if (character !== BACKTICK && character !== TILDE) return 0;
  const run = lengthOfRun(first, end, character);
  return run < 3 ? 0 : run;
}

export function lengthOfRun(first: usize, end: usize, character: u32): usize {
  let at = first;
  while (byteAt(at, end) === character) at++;
  return at - first;
}

/** The text behind opening backticks must not contain a backtick. */
export function opensFence(first: usize, run: usize, end: usize): bool {
  if (load<u8>(first) === <u8>TILDE) return true;
  for (let at = first + run; at < end; at++) if (load<u8>(at) === <u8>BACKTICK) return false;
  return true;
}

/** One to six `#` and a space. */
function isHeading(first: usize, end: usize): bool {
  const run = lengthOfRun(first, end, 0x23);
  return run > 0 && run <= 6 && endsWord(first + run, end);
}

function endsWord(at: usize, end: usize): bool {
  return at === end || isSpace(load<u8>(at));
}

function levelOfLine(first: usize, end: usize, terminator: u32, afterHeading: bool, afterBlank: bool, heading: bool,
  inCode: bool, opens: bool): u8
{
  if (afterHeading) return WORD;
  if (heading) return HEADING;
  if (inCode) return afterBlank ? SENTENCE : CODE_LINE;
  if (afterBlank) return PARAGRAPH;
  return opens || startsItem(first, end) || endsSentence(terminator, load<u8>(first)) ? SENTENCE : WORD;
}

/** `>`, `|`, `-`, `*`, `+`, or a number with `.` or `)`. */
function startsItem(first: usize, end: usize): bool {
  const character = <u32>load<u8>(first);
  if (character === 0x3e || character === 0x7c) return true;
  if (character === 0x2d || character === 0x2a || character === 0x2b) return endsWord(first + 1, end);
  let at = first;
  while (at < end && at - first < 10 && load<u8>(at) - 0x30 < 10) at++;
  const mark = byteAt(at, end);
  return at > first && at - first <= 9 && (mark === 0x2e || mark === 0x29) && endsWord(at + 1, end);
}

/** Marks the words of a line behind its first character. Returns the terminator that is still open at its end. */
function markWords(first: usize, end: usize, length: u32, plain: bool): u32 {
  let terminator: u32 = 0;
  let afterSpace = false;
  for (let at = first; at < end;) {
    const width = widthAt(at, end);
    const character = codePointAt(at, end);
    if (isSpace(character)) {
      afterSpace = true;
    } else {
      const closer = isCloser(character);
      const terminates = isTerminator(character);
      if (afterSpace) {
        store<u8>(at + length, endsSentence(terminator, character) ? SENTENCE : WORD);
        terminator = 0;
      } else if (isWide(terminator) && !closer && !terminates) {
        store<u8>(at + length, SENTENCE);
      }
      if (!plain && terminates) terminator = character;
      else if (!closer) terminator = 0;
      afterSpace = false;
    }
    at += width;
  }
  return terminator;
}

/** Whether a sentence ends before a character; after `.` and `…` a small letter continues the sentence. */
function endsSentence(terminator: u32, next: u32): bool {
  if (terminator === 0) return false;
  return !((terminator === 0x2e || terminator === 0x2026) && next >= 0x61 && next <= 0x7a);
}

function isTerminator(character: u32): bool {
  switch (character) {
    case 0x2e:
    case 0x21:
    case 0x3f:
    case 0x2026:
    case 0x61f:
    case 0x6d4:
    case 0x964:
    case 0x965:
      return true;
    default:
      return isWide(character);
  }
}

/** Full-width and half-width full stop, exclamation and question mark. */
function isWide(character: u32): bool {
  switch (character) {
    case 0x3002:
    case 0xff01:
    case 0xff1f:
    case 0xff0e:
    case 0xff61:
      return true;
    default:
      return false;
  }
}

/** Quotes, brackets and emphasis characters behind a sentence. */
function isCloser(character: u32): bool {
  switch (character) {
    case 0x22:
    case 0x27:
    case 0x29:
    case 0x5d:
    case 0x7d:
    case 0x2a:
    case 0x5f:
    case 0x60:
    case 0xbb:
    case 0x201d:
    case 0x2019:
    case 0x300d:
    case 0x300f:
    case 0xff09:
    case 0x3011:
    case 0x3009:
    case 0x300b:
      return true;
    default:
      return false;
  }
}
