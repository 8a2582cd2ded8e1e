/** Maximum number of headings; further ones are omitted. */
const MAX_HEADINGS = 1000;
/** CommonMark: maximum indentation of a heading or fence, and the lengths of their markers. */
const MAX_INDENT = 3;
const MAX_LEVEL = 6;
const LEAST_FENCE = 3;

/** A heading with its position. */
interface Heading {
  /** Without the markers around it. */
  readonly text: string;
  /** From 1 to 6. */
  readonly level: number;
  /** From 1. */
  readonly line: number;
}

/** The texts of a Markdown document's headings, in order; the first `most`. */
export function headingsOf(markdown: string, most = MAX_HEADINGS): string[] {
  return headingLinesOf(markdown, most).map(({ text }) => text);
}

/** A Markdown document's headings (CommonMark, "ATX headings"), in order; the first `most`. */
function headingLinesOf(markdown: string, most = MAX_HEADINGS): Heading[] {
  const headings: Heading[] = [];
  let fence = '';
  for (let start = 0, line = 1; start < markdown.length && headings.length < most;
    start = endOfLine(markdown, start) + 1, line++)
  {
    const signs = signsAt(markdown, start);
    if (signs === '') continue;
    if (signs.startsWith('#')) {
      const text = fence === '' ? textOf(markdown, start, signs) : '';
      if (text !== '') headings.push({ text, level: signs.length, line });
    } else if (fence === '') fence = signs.length >= LEAST_FENCE ? signs : '';
    else if (signs.startsWith(fence)) fence = '';
  }
  return headings;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/**
 * The run of equal marker characters at the beginning of a line, after a few spaces; empty unless it can be that of a
 * heading or fence.
 */
function signsAt(text: string, start: number): string {
  let from = start;
  while (text[from] === ' ' && from - start < MAX_INDENT) from++;
  const sign = text[from];
  if (sign !== '#' && sign !== '`' && sign !== '~') return '';
  let end = from;
  while (text[end] === sign) end++;
  return text.slice(from, end);
}

/** The text of a line after its markers; empty if they are not those of a heading. */
function textOf(text: string, start: number, { length }: string): string {
  const behind = text.indexOf('#', start) + length;
  const space = text[behind];
  return length > MAX_LEVEL || (space !== ' ' && space !== '\t')
    ? ''
    : withoutClosing(text.slice(behind, endOfLine(text, behind)).trim());
}

/** `Title ##` is `Title`. */
function withoutClosing(heading: string): string {
  let end = heading.length;
  while (end > 0 && heading[end - 1] === '#') end--;
  return end === 0 || heading[end - 1] === ' ' || heading[end - 1] === '\t' ? heading.slice(0, end).trimEnd() : heading;
}

/** Maximum number of characters of a title or heading. */
const MAX_CHARACTERS = 160;

/**
 * The context of lines in a Markdown document: its title, and the headings above a line, the outermost first. The first
 * heading serves as the title of a document without one. Lines must be requested in ascending order.
 */
export class HeadingTrail {
  readonly #title: string | undefined;
  readonly #headings: readonly Heading[];
  #next = 0;
  #above: readonly Heading[] = [];
  /** The context of the last line. */
  #context: string | undefined;

  constructor(markdown: string, title: string | undefined) {
    this.#title = title?.trim() || undefined;
    this.#headings = headingLinesOf(markdown);
  }

  /** The title and headings of a line (counted from 1), each on a line of its own; empty if there are none. */
  above(line: number): string {
    for (let heading; (heading = this.#headings[this.#next]) !== undefined && heading.line < line; this.#next++) {
      const { level } = heading;
      this.#above = [...this.#above.filter((other) => other.level < level), heading];
      this.#context = undefined;
    }
    return this.#context ??= this.#read();
  }

  #read(): string {
    const trail = this.#above.map(({ text }) => text);
    const title = this.#title ?? (this.#next > 0 ? this.#headings[0]!.text : undefined);
    const all = title === undefined || trail[0] === title ? trail : [title, ...trail];
    return all.map((text) => text.slice(0, MAX_CHARACTERS)).join('\n');
  }
}
