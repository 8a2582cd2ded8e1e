import { LINE_FEED, type Lines } from './lines.ts';

/** Bytes of a text, the end exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Ranges in order and without overlaps: the start and the end of the first, then those of the next. */
export type Ranges = Uint32Array;

/** Where no tag may stand in a Markdown text. */
export interface Markup {
  /** What a tag within would break: addresses, HTML tags, entities, the first line of a fence. */
  readonly opaque: Ranges;
  /** Code spans with their delimiters: a tag within would be shown, one around it works. */
  readonly codeSpans: Ranges;
  /** Whether a part of the text was taken as it stands, since too much of it looked like markup. */
  readonly gaveUp: boolean;
}

/** The first line of a fence, in quotes and lists as well; a backtick in the line makes it a code span. */
const FENCE = /[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*/y;
/** What a label stands for. A footnote, which has the same form, is text. */
const DEFINITION = /[ \t>]*\[(?!\^)[^\]\n]{1,999}\]:[^\n]*/y;
const SPECIAL = /[\\`<\]&]|:\/\/|\bwww\./gi;
/** A tag of HTML, or an address between the same signs. */
const TAG = /<\/?[a-z][^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*>/iy;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
const SCHEME = /[a-z][a-z\d+.-]*$/i;
const ADDRESS = /[^\s<>`]*/y;

/** Longest tag that is looked for, and longest label of a link; a longer destination needs no second look. */
const MAX_TAG = 4096;
const MAX_LABEL = 999;
const MAX_SCHEME = 32;
const MAX_DESTINATION = 2048;
/** Characters in which a parenthesis mostly closes. */
const SOON = 256;
/** Places that look like markup and are none, before the rest of a text is taken as it stands: more are an attack. */
const MAX_FAILURES = 5000;

/**
 * Finds the places by the rules of CommonMark and GitHub's autolinks, as far as tags need it: in time linear in the text, and
 * rather too many than too few where a text is ambiguous.
 *
 * @param latin1 UTF-8 of the text, a character for each byte; what markup is made of is ASCII
 * @param near ranges in order; places in paragraphs that none of them touches may be left out. All paragraphs by default.
 */
export function markupOf(latin1: string, lines: Lines, near: readonly ByteRange[] = [{ start: 0, end: latin1.length }]): Markup {
  return new Scanner(latin1, lines, near).run();
}

class Scanner {
  readonly #opaque: number[] = [];
  readonly #codeSpans: number[] = [];
  readonly #text: string;
  readonly #lines: Lines;
  readonly #near: readonly ByteRange[];
  /** The first range that does not end before the paragraph at hand. */
  #next = 0;
  #failures = 0;

  constructor(text: string, lines: Lines, near: readonly ByteRange[]) {
    this.#text = text;
    this.#lines = lines;
    this.#near = near;
  }

  run(): Markup {
    let fence: string | undefined;
    let paragraph = 0;
    const { starts, signs } = this.#lines;
    for (let line = 0; line < starts.length; line++) {
      const first = signs[line]!;
      if (fence === undefined ? MAY_STAND[first] === 0 : first !== fence.charCodeAt(0)) continue;
      const at = starts[line]!;
      const end = this.#endOfLine(at, starts[line + 1]);
      const opened = fence === undefined && MAY_OPEN[first] === 1 ? matchAt(FENCE, this.#text, at)?.[1] : undefined;
      const stands = fence === undefined ? opened !== undefined || (first === BRACKET && matchAt(DEFINITION, this.#text, at) !== null) : isClosing(fence, this.#text.slice(at, end));
      if (stands) {
        if (fence === undefined) this.#inline(paragraph, at);
        this.#opaque.push(at, end);
        fence = fence === undefined ? opened : undefined;
        paragraph = end + 1;
      } else if (fence === undefined && first === LINE_FEED) {
        this.#inline(paragraph, at);
        paragraph = end + 1;
      }
    }
    if (fence === undefined) this.#inline(paragraph, this.#text.length);
    return { opaque: Uint32Array.from(this.#opaque), codeSpans: Uint32Array.from(this.#codeSpans), gaveUp: this.#failures > MAX_FAILURES };
  }

  #endOfLine(at: number, next: number | undefined): number {
    if (next !== undefined) return next - 1;
    const feed = this.#text.indexOf('\n', at);
    return feed < 0 ? this.#text.length : feed;
  }

  /** Looks through a paragraph, which nothing inline reaches out of. */
  #inline(start: number, end: number): void {
    while (this.#next < this.#near.length && this.#near[this.#next]!.end <= start) this.#next++;
    if (start >= end || this.#next === this.#near.length || this.#near[this.#next]!.start >= end) return;
    const piece = new Piece(this.#text.slice(start, end), () => ++this.#failures <= MAX_FAILURES);
    piece.run();
    for (const place of piece.opaque) this.#opaque.push(place + start);
    for (const place of piece.codeSpans) this.#codeSpans.push(place + start);
  }
}

/** The inline markup of a paragraph, as starts and ends in turn. */
class Piece {
  readonly opaque: number[] = [];
  readonly codeSpans: number[] = [];
  readonly #text: string;
  /** Counts what looked like markup; gives whether to go on looking. */
  readonly #fail: () => boolean;
  #closingTicks: ReadonlyMap<number, number> | undefined;
  #closingParens: ReadonlyMap<number, number> | undefined;
  #gaveUp = false;

  constructor(text: string, fail: () => boolean) {
    this.#text = text;
    this.#fail = fail;
  }

  run(): void {
    let at = 0;
    while (!this.#gaveUp) {
      SPECIAL.lastIndex = at;
      const special = SPECIAL.exec(this.#text);
      if (special === null) return;
      at = this.#read(special.index, special[0]);
    }
  }

  /** Gives where to go on. */
  #read(at: number, sign: string): number {
    switch (sign[0]) {
      case '\\': return at + 2;
      case '`': return this.#codeSpan(at);
      case '<': return this.#tag(at);
      case ']': return this.#destination(at);
      case '&': return this.#hide(at, endOf(ENTITY, this.#text, at)) ?? at + 1;
      default: return this.#address(at, sign);
    }
  }

  #codeSpan(at: number): number {
    const end = (this.#closingTicks ??= closingTicks(this.#text)).get(at);
    if (end === undefined) return endOf(TICKS_HERE, this.#text, at)!;
    this.codeSpans.push(at, end);
    return end;
  }

  #tag(at: number): number {
    if (this.#text.startsWith('<!--', at)) {
      const close = this.#text.indexOf('-->', at + 4);
      return this.#hide(at, close < 0 ? this.#text.length : close + 3)!;
    }
    const end = endOf(TAG, this.#text.slice(at, at + MAX_TAG), 0);
    return end === undefined ? this.#failed(at) : this.#hide(at, at + end)!;
  }

  /** What stands behind the text of a link or an image: `(address "title")` or `[label]`. */
  #destination(at: number): number {
    const next = this.#text[at + 1];
    if (next === '[') {
      const close = this.#text.slice(at + 2, at + 2 + MAX_LABEL).indexOf(']');
      return close < 0 ? this.#failed(at) : this.#hide(at + 1, at + 3 + close)!;
    }
    const close = next === '(' ? this.#closing(at + 1) : undefined;
    if (close === undefined) return at + 1;
    return isDestination(this.#text, at + 2, close) ? this.#hide(at + 1, close + 1)! : this.#failed(at);
  }

  /** Where a parenthesis closes; most do soon. */
  #closing(at: number): number | undefined {
    return closesSoon(this.#text, at) ?? (this.#closingParens ??= closingParens(this.#text)).get(at);
  }

  /** An address without signs around it. */
  #address(at: number, sign: string): number {
    const scheme = sign === '://' ? SCHEME.exec(this.#text.slice(Math.max(0, at - MAX_SCHEME), at))?.[0] : '';
    if (scheme === undefined) return at + sign.length;
    return this.#hide(at - scheme.length, endOf(ADDRESS, this.#text, at))!;
  }

  #hide(start: number, end: number | undefined): number | undefined {
    if (end !== undefined) this.opaque.push(Math.max(start, this.opaque.at(-1) ?? 0), end);
    return end;
  }

  #failed(at: number): number {
    this.#gaveUp = !this.#fail();
    return at + 1;
  }
}

const TICKS_HERE = /`+/y;
const BRACKET = 0x5b;
const TICK = 0x60;
const [BACKSLASH, PAREN_OPEN, PAREN_CLOSE] = [0x5c, 0x28, 0x29];
/** By character code: 1 for what a line with an opening fence begins with, which may be the sign of a list. */
const MAY_OPEN = Uint8Array.from({ length: 256 }, (_, code) => Number('`~-*+0123456789'.includes(String.fromCharCode(code))));
/** The same for what ends a paragraph or is a definition besides. */
const MAY_STAND = MAY_OPEN.map((may, code) => (code === BRACKET || code === LINE_FEED ? 1 : may));

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  const match = matchAt(pattern, text, at);
  return match === null ? undefined : at + match[0].length;
}

/** Whether a line has nothing but a fence of the same sign that is as long. */
function isClosing(fence: string, line: string): boolean {
  const sign = line.replace(/^[ \t>]+/, '').trimEnd();
  return sign.length >= fence.length && sign === fence[0]!.repeat(sign.length);
}

/** Where the code span that begins at a run of backticks ends: behind the next run of the same length. */
function closingTicks(text: string): Map<number, number> {
  const closing = new Map<number, number>();
  /** Where the last run of each length begins. */
  const open = new Map<number, number>();
  for (let at = text.indexOf('`'); at >= 0;) {
    let end = at + 1;
    while (text.charCodeAt(end) === TICK) end++;
    const before = open.get(end - at);
    if (before !== undefined) closing.set(before, end);
    open.set(end - at, at);
    at = text.indexOf('`', end);
  }
  return closing;
}

/** Where a parenthesis closes that no backslash stands before; undefined when that is far away, or nowhere. */
function closesSoon(text: string, at: number): number | undefined {
  const last = Math.min(text.length, at + SOON);
  let open = 0;
  for (let i = at; i < last; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === PAREN_OPEN) open++;
    else if (code === PAREN_CLOSE && --open === 0) return i;
  }
  return undefined;
}

/** Where each parenthesis closes. */
function closingParens(text: string): Map<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === PAREN_OPEN) open.push(i);
    else if (code === PAREN_CLOSE && open.length > 0) closing.set(open.pop()!, i);
  }
  return closing;
}

/** Whether what stands between parentheses is an address, with a title perhaps, rather than text. */
function isDestination(text: string, start: number, close: number): boolean {
  const content = text.slice(start, Math.min(close, start + MAX_DESTINATION)).trimStart();
  const blank = content.search(/\s/);
  return content.startsWith('<') || blank < 0 || /^\s*(?:["'(]|$)/.test(content.slice(blank));
}
