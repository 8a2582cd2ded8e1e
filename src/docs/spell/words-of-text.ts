/** A word of a text to look up. Offsets are UTF-16 units. */
interface TextWord {
  readonly start: number;
  readonly end: number;
  /** As written. */
  readonly text: string;
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const LETTER = /^[\p{L}\p{M}]+$/u;
/** Characters that end a piece of text, besides blanks. */
const BREAKS = new Set(' \t\r\n()[]{}<>"`,;!?*|“”„«»…—–'.split(''));
/** A piece with any of these is an address, a path, a number or a name, and not a word of prose. */
const SIGNS = /[@:/\\_#=&%+~$.\p{N}]/u;
/** A word in capitals only is an abbreviation, unless it is longer. */
const MAX_ABBREVIATION = 4;

/**
 * The words of prose in a Markdown text: without code, tags, addresses, targets of links, numbers, abbreviations, and
 * names with special characters or inner capitals. One pass, which continues when the next word is requested; no text
 * is scanned twice.
 */
export function* wordsOfText(text: string): Generator<TextWord> {
  let isCode = false;
  for (let from = 0; from < text.length;) {
    const feed = text.indexOf('\n', from);
    const end = feed < 0 ? text.length : feed;
    if (FENCE.test(text.slice(from, Math.min(end, from + 8)))) isCode = !isCode;
    else if (!isCode) yield* wordsOfLine(text, from, end);
    from = end + 1;
  }
}

function* wordsOfLine(text: string, from: number, end: number): Generator<TextWord> {
  // The last closing characters of the line: an opening character after them has no effect.
  const line = text.slice(from, end);
  const [lastTick, lastAngle] = [from + line.lastIndexOf('`'), from + line.lastIndexOf('>')];
  for (let i = from; i < end;) {
    const sign = text[i]!;
    if (sign === '`' && lastTick > i) i = afterCode(text, i);
    else if (sign === '<' && lastAngle > i && /[a-z/!]/i.test(text[i + 1] ?? '')) i = text.indexOf('>', i) + 1;
    else if (sign === ']' && text[i + 1] === '(') i = afterTarget(text, i + 2, end);
    else if (BREAKS.has(sign)) i += 1;
    else {
      const stop = endOfPiece(text, i, end);
      yield* wordsOfPiece(text, i, stop);
      i = stop;
    }
  }
}

/** The position after the next run of backticks, or after this one if there is none. */
function afterCode(text: string, start: number): number {
  let i = start;
  while (text[i] === '`') i++;
  let close = text.indexOf('`', i);
  if (close < 0) return i;
  while (text[close] === '`') close++;
  return close;
}

/** The position after the target of a link, which ends at a parenthesis or a blank. */
function afterTarget(text: string, start: number, end: number): number {
  let i = start;
  while (i < end && text[i] !== ')' && text[i] !== ' ') i++;
  return i;
}

/** The position after a piece without separators. */
function endOfPiece(text: string, start: number, end: number): number {
  let stop = start;
  while (stop < end && !BREAKS.has(text[stop]!)) stop++;
  return stop;
}

/** The words of a piece without separators, split at hyphens. */
function* wordsOfPiece(text: string, start: number, stop: number): Generator<TextWord> {
  let last = stop;
  while (last > start && ".:'’-".includes(text[last - 1]!)) last--;
  let first = start;
  while (first < last && "'’-#".includes(text[first]!)) first++;
  const piece = text.slice(first, last);
  if (SIGNS.test(piece)) return;
  let at = first;
  for (const part of piece.split('-')) {
    if (isWord(part)) yield { start: at, end: at + part.length, text: part };
    at += part.length + 1;
  }
}

function isWord(part: string): boolean {
  if (part.length < 2 || !LETTER.test(part.replaceAll(/['’]/g, ''))) return false;
  const [lower, upper] = [part.toLowerCase(), part.toUpperCase()];
  if (part === upper && part !== lower) return part.length > MAX_ABBREVIATION;
  return part.slice(1) === lower.slice(1);
}

/** A correction with the capitals of the word that it replaces. */
export function withCaseOf(word: string, correction: string): string {
  if (word === word.toLowerCase()) return correction;
  if (word === word.toUpperCase()) return correction.toUpperCase();
  const [first = ''] = correction;
  return first.toUpperCase() + correction.slice(first.length);
}
