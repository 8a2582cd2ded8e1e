import { LINE_FEED, type Lines } from './scanned-text.ts';

/** A range of bytes of a text, the end exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Ranges in order and without overlaps: start and end of the first, start and end of the second, and so on. */
export type Ranges = Uint32Array;

/** The ranges of a Markdown text in which tags are not allowed. */
interface Markup {
  /** Markup that a tag inside would break: addresses, HTML tags, entities, the first line of a fence. */
  readonly opaque: Ranges;
  /** Code spans with their delimiters: a tag inside would be displayed as text, a tag around them works. */
  readonly codeSpans: Ranges;
  /** Whether a part of the text was not scanned, because too much of it looked like markup. */
  readonly gaveUp: boolean;
  /** The opening of a fence that the text does not close. */
  readonly fence: string | undefined;
}

/** The first line of a fence, also in quotes and lists; with another backtick in the line it would be a code span. */
const FENCE = /[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*/y;
/** A definition of a link label. A footnote, which looks similar, is text. */
const DEFINITION = /[ \t>]*\[(?!\^)[^\]\n]{1,999}\]:[^\n]*/y;
const SPECIAL = /[\\`<\]&]|:\/\/|\bwww\./gi;
/** An HTML tag, or an address in angle brackets. */
const TAG = /<\/?[a-z][^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*>/iy;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
const SCHEME = /[a-z][a-z\d+.-]*$/i;
const ADDRESS = /[^\s<>`]*/y;

/** Maximum length of a tag, and of a link label; a longer destination is not examined further. */
const MAX_TAG = 4096;
const MAX_LABEL = 999;
const MAX_SCHEME = 32;
const MAX_DESTINATION = 2048;
/** Number of characters within which most parentheses are closed. */
const SOON = 256;
/**
 * Number of positions that look like markup but are not, after which the rest of a text is not scanned: more indicate
 * an attack.
 */
const MAX_FAILURES = 5000;

/**
 * Finds the ranges by the rules of CommonMark and GitHub's autolinks, as far as tags need it: in linear time, and in
 * ambiguous texts rather too many than too few.
 *
 * @param latin1 UTF-8 of the text, with one character for each byte; all markup is ASCII
 * @param near ranges in order; markup in paragraphs that overlap none of them may be omitted. All paragraphs by
 * default.
 * @param fence the opening of a fence in which the text begins
 */
export function markupOf(latin1: string, lines: Lines, near: readonly ByteRange[] = [{ start: 0, end: latin1.length }],
  fence?: string): Markup
{
  return new Scanner(latin1, lines, near).run(fence);
}

class Scanner {
  readonly #opaque: number[] = [];
  readonly #codeSpans: number[] = [];
  readonly #text: string;
  readonly #lines: Lines;
  readonly #near: readonly ByteRange[];
  /** The first range that does not end before the current paragraph. */
  #next = 0;
  #failures = 0;

  constructor(text: string, lines: Lines, near: readonly ByteRange[]) {
    this.#text = text;
    this.#lines = lines;
    this.#near = near;
  }

  run(fence: string | undefined): Markup {
    let paragraph = 0;
    const { starts, signs } = this.#lines;
    for (let line = 0; line < starts.length; line++) {
      const first = signs[line]!;
      if (fence === undefined ? MAY_STAND[first] === 0 : first !== fence.charCodeAt(0)) continue;
      const at = starts[line]!;
      const end = this.#endOfLine(at, starts[line + 1]);
      const opened = fence === undefined && MAY_OPEN[first] === 1 ? matchAt(FENCE, this.#text, at)?.[1] : undefined;
      const stands = fence === undefined
        ? opened !== undefined || (first === BRACKET && matchAt(DEFINITION, this.#text, at) !== null)
        : isClosing(fence, this.#text.slice(at, end));
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
    return {
      opaque: Uint32Array.from(this.#opaque),
      codeSpans: Uint32Array.from(this.#codeSpans),
      gaveUp: this.#failures > MAX_FAILURES,
      fence,
    };
  }

  #endOfLine(at: number, next: number | undefined): number {
    if (next !== undefined) return next - 1;
    const feed = this.#text.indexOf('\n', at);
    return feed < 0 ? this.#text.length : feed;
  }

  /** Scans a paragraph, beyond which inline markup cannot extend. */
  #inline(start: number, end: number): void {
    while (this.#next < this.#near.length && this.#near[this.#next]!.end <= start) this.#next++;
    if (start >= end || this.#next === this.#near.length || this.#near[this.#next]!.start >= end) return;
    const piece = new Piece(this.#text.slice(start, end), () => ++this.#failures <= MAX_FAILURES);
    piece.run();
    for (const place of piece.opaque) this.#opaque.push(place + start);
    for (const place of piece.codeSpans) this.#codeSpans.push(place + start);
  }
}

/** The inline markup of a paragraph, as alternating starts and ends. */
class Piece {
  readonly opaque: number[] = [];
  readonly codeSpans: number[] = [];
  readonly #text: string;
  /** Counts text that only looks like markup; returns whether to continue. */
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

  /** Returns the position at which to continue. */
  #read(at: number, sign: string): number {
    switch (sign[0]) {
      case '\\':
        return at + 2;
      case '`':
        return this.#codeSpan(at);
      case '<':
        return this.#tag(at);
      case ']':
        return this.#destination(at);
      case '&':
        return this.#hide(at, endOf(ENTITY, this.#text, at)) ?? at + 1;
      default:
        return this.#address(at, sign);
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

  /** The destination after the text of a link or an image: `(address "title")` or `[label]`. */
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

  /** The position of the closing parenthesis; most are near. */
  #closing(at: number): number | undefined {
    return closesSoon(this.#text, at) ?? (this.#closingParens ??= closingParens(this.#text)).get(at);
  }

  /** An address without brackets around it. */
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
/** By character code: 1 for the first characters of a line that may open a fence, including list markers. */
const MAY_OPEN = Uint8Array.from({ length: 256 },
  (_, code) => Number('`~-*+0123456789'.includes(String.fromCharCode(code))));
/** The same, and 1 for characters that end a paragraph or begin a definition. */
const MAY_STAND = MAY_OPEN.map((may, code) => (code === BRACKET || code === LINE_FEED ? 1 : may));

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  const match = matchAt(pattern, text, at);
  return match === null ? undefined : at + match[0].length;
}

/** Whether a line consists only of a fence of the same character and at least the same length. */
function isClosing(fence: string, line: string): boolean {
  const sign = line.replace(/^[ \t>]+/, '').trimEnd();
  return sign.length >= fence.length && sign === fence[0]!.repeat(sign.length);
}

/** The end of the code span that begins at each run of backticks: after the next run of the same length. */
function closingTicks(text: string): Map<number, number> {
  const closing = new Map<number, number>();
  /** The start of the last run of each length. */
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

/** The position of the closing parenthesis, ignoring escaped ones; undefined if it is far away or missing. */
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

/** The position of each closing parenthesis, by that of the opening one. */
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

/** Whether the text between parentheses is an address, possibly with a title. */
function isDestination(text: string, start: number, close: number): boolean {
  const content = text.slice(start, Math.min(close, start + MAX_DESTINATION)).trimStart();
  const blank = content.search(/\s/);
  return content.startsWith('<') || blank < 0 || /^\s*(?:["'(]|$)/.test(content.slice(blank));
}

const SEEN = Symbol('seen once');
/** The markup of texts that are read repeatedly, as long as their buffers exist. */
const cached = new WeakMap<Buffer, Markup | typeof SEEN>();
/** A range takes 8 bytes, so remembered markup is at most half as large as the text. */
const BYTES_A_RANGE = 16;

/** A Markdown text, where tags are not allowed everywhere. */
export class MarkdownText {
  readonly #bytes: Buffer;
  readonly #lines: Lines;
  readonly #kept: Buffer | undefined;
  /** The opening of a fence in which the text begins. */
  readonly #fence: string | undefined;
  #last: Markup | undefined;
  #latin1: string | undefined;

  /** @param kept a buffer with the same bytes, which must never change, if it may be used again for other queries */
  constructor(bytes: Buffer, lines: Lines, { kept, fence }: { kept?: Buffer | undefined; fence?: string | undefined }) {
    this.#bytes = bytes;
    this.#lines = lines;
    this.#kept = kept;
    this.#fence = fence;
  }

  /** The text with one character for each byte. */
  get latin1(): string {
    return this.#latin1 ??= this.#bytes.toString('latin1');
  }

  /** The markup at least of all paragraphs that overlap any of the ranges, which must be in order. */
  markupNear(near: readonly ByteRange[]): Markup {
    const known = this.#kept && cached.get(this.#kept);
    if (typeof known === 'object') return known;
    if (this.#kept !== undefined && known === undefined) cached.set(this.#kept, SEEN);
    return known === SEEN ? this.#all(this.#kept!) : this.#near(near);
  }

  /** The opening of a fence that the text does not close. */
  get openFence(): string | undefined {
    return (this.#last ?? this.#near([])).fence;
  }

  #near(near: readonly ByteRange[]): Markup {
    return this.#last = markupOf(this.latin1, this.#lines, near, this.#fence);
  }

  #all(kept: Buffer): Markup {
    const markup = markupOf(this.latin1, this.#lines);
    const { opaque, codeSpans, gaveUp } = markup;
    if (!gaveUp && (opaque.length + codeSpans.length) / 2 <= kept.length / BYTES_A_RANGE) cached.set(kept, markup);
    return markup;
  }
}
