import type { PageContext } from './context.ts';
import { entityAt, escapeText, webTarget } from './escape.ts';
import { readLink } from './links.ts';
import { CLOSE, LineWriter, LONE_MARK, OPEN } from './writer.ts';

/** Maximum nesting depth of links within captions of images within links. */
const MAX_DEPTH = 8;

interface InlineOptions {
  readonly isPlain?: boolean;
  /** Replacement for a line break; a space if absent. */
  readonly lineBreak?: string;
  readonly depth?: number;
}

/** A line of wikitext without templates as markdown, or as plain text. */
export function inline(line: string, context: PageContext, options: InlineOptions = {}): string {
  if (!SPECIAL.test(line)) return line;
  return new InlineReader(line, context, options).read();
}

/** The text of wikitext without templates. */
export function plainText(text: string, context: PageContext): string {
  return text.split('\n').map((line) => {
    const lone = LONE_MARK.exec(line);
    return lone === null
      ? inline(line.replace(/^[*#:;]+\s?/, ''), context, { isPlain: true })
      : (context.marks.get(lone[1]!)?.plain ?? '');
  }).join('\n').trim();
}

const SPECIAL = /[\u0001-\u0004'[\]<>&_*`~\\:]/;
const [MARK, QUOTE, BRACKET, LESS, AMPERSAND, COLON, UNDERSCORE] = [0x01, 0x27, 0x5b, 0x3c, 0x26, 0x3a, 0x5f];

const MAGIC = /__[A-Z]{3,30}__/y;
const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]{0,20})(?:\s[^<>]{0,2000})?\/?>/y;
const URL_START = /(?:^|[^A-Za-z])(https?|ftps?|gopher|ircs?|news)$/i;
const URL_TEXT = /\/\/[^\s<>[\]"\u0001\u0002|]{1,4000}/y;
const EXTERNAL =
  /\[((?:(?:https?|ftps?|ircs?|news|gopher):)?\/\/[^\s<>[\]"\u0001]{1,4000}|mailto:[^\s<>[\]"\u0001]{1,300})/iy;

/** Characters that the text of an external link may have. */
const MAX_LINK_TEXT = 4000;

class InlineReader {
  readonly #line: string;
  readonly #context: PageContext;
  readonly #options: InlineOptions;
  readonly #writer: LineWriter;
  readonly #quotes: QuoteRun[];
  #nextQuote = 0;
  /** Start of the text that is not yet written. */
  #from = 0;
  /** The end of each link, by its start; computed when the first link is met. */
  #links: ReadonlyMap<number, number> | undefined;

  constructor(line: string, context: PageContext, options: InlineOptions) {
    this.#line = line;
    this.#context = context;
    this.#options = options;
    this.#writer = new LineWriter(options.isPlain === true);
    this.#quotes = quoteRuns(line);
  }

  read(): string {
    const line = this.#line;
    for (let at = 0; at < line.length;) {
      const end = this.#step(line.charCodeAt(at), at);
      if (end < 0) at++;
      else this.#from = at = end;
    }
    this.#flush(line.length);
    return this.#writer.finish();
  }

  /** Reads the construct at a position; returns its end, or -1 if it is only text. */
  #step(code: number, at: number): number {
    switch (code) {
      case QUOTE:
        return this.#quote(at);
      case BRACKET:
        return this.#bracket(at);
      case LESS:
        return this.#tag(at);
      case AMPERSAND:
        return this.#entity(at);
      case MARK:
        return this.#mark(at);
      // A quotation that begins within a cell or a link has no separate lines.
      case 0x02:
      case 0x03:
      case 0x04:
        this.#flush(at);
        return at + 1;
      case COLON:
        return this.#url(at);
      case UNDERSCORE:
        return this.#magic(at);
      default:
        return -1;
    }
  }

  #flush(end: number): void {
    this.#writer.text(this.#line.slice(this.#from, end));
    this.#from = end;
  }

  #quote(at: number): number {
    while (this.#nextQuote < this.#quotes.length && this.#quotes[this.#nextQuote]!.at < at) this.#nextQuote++;
    const run = this.#quotes[this.#nextQuote];
    if (run?.at !== at) return -1;
    this.#flush(at + run.literal);
    const writer = this.#writer;
    // If both are open, the inner one is closed first.
    if (run.style === 5) {
      for (const style of writer.has('**') && !writer.has('*') ? (['**', '*'] as const) : (['*', '**'] as const))
        writer.toggle(style);
    } else writer.toggle(run.style === 2 ? '*' : '**');
    return at + run.literal + run.style;
  }

  #bracket(at: number): number {
    const { depth = 0 } = this.#options;
    if (this.#line.charCodeAt(at + 1) === BRACKET) {
      this.#links ??= linkEnds(this.#line);
      const end = this.#links.get(at);
      if (end !== undefined && depth < MAX_DEPTH) return this.#internal(at, end);
    }
    EXTERNAL.lastIndex = at;
    const match = EXTERNAL.exec(this.#line);
    const end = match === null ? undefined : textEnd(this.#line, at + match[0].length);
    if (match === null || end === undefined) return -1;
    this.#flush(at);
    const url = match[1]!;
    const given = this.#line.slice(at + match[0].length, end).trim();
    // Links cannot be nested: of inner links, the text is kept.
    const isPlain = given.includes('[[');
    const inner = given === ''
      ? ''
      : inline(given, this.#context, { ...this.#options, depth: depth + 1, ...(isPlain && { isPlain }) });
    const text = isPlain && !this.#writer.isPlain ? escapeText(inner) : inner;
    if (this.#writer.isPlain) this.#writer.markdown(text === '' ? url : text);
    else this.#writer.markdown(text === '' ? `<${webTarget(url)}>` : `[${text}](${webTarget(url)})`);
    return end + 1;
  }

  #internal(at: number, end: number): number {
    this.#flush(at);
    const inner = (text: string, isPlain = this.#writer.isPlain): string =>
      inline(text, this.#context, { ...this.#options, isPlain, depth: (this.#options.depth ?? 0) + 1 });
    const link = readLink(this.#line.slice(at + 2, end - 2), this.#line, end, {
      context: this.#context,
      inner,
      isPlain: this.#writer.isPlain,
    });
    this.#writer.markdown(link.text);
    return link.end;
  }

  #tag(at: number): number {
    TAG.lastIndex = at;
    const match = TAG.exec(this.#line);
    if (match === null) return -1;
    const name = match[2]!.toLowerCase();
    if (!HTML.has(name)) return -1;
    this.#flush(at);
    const isOpen = match[1] === '';
    const style = STYLES.get(name);
    if (name === 'br') this.#writer.markdown(this.#options.lineBreak ?? ' ');
    else if (style !== undefined) this.#writer.set(style, isOpen);
    else if ((name === 'sub' || name === 'sup') && !this.#writer.isPlain)
      this.#writer.markdown(isOpen ? `<${name}>` : `</${name}>`);
    return at + match[0].length;
  }

  #entity(at: number): number {
    const entity = entityAt(this.#line, at);
    if (entity === undefined) return -1;
    this.#flush(at);
    this.#writer.text(entity.text === '\n' ? ' ' : entity.text);
    return at + entity.length;
  }

  #mark(at: number): number {
    const close = this.#line.indexOf(CLOSE, at);
    if (close < 0) return -1;
    this.#flush(at);
    const { marks, notes } = this.#context;
    const piece = marks.get(this.#line.slice(at + OPEN.length, close));
    if (piece !== undefined && (piece.note === undefined || notes[piece.note] !== undefined)) {
      this.#writer.markdown(this.#writer.isPlain ? piece.plain : piece.kind === 'block' ? '' : piece.markdown);
    }
    return close + CLOSE.length;
  }

  /** Addresses are written unchanged, because their characters must not be escaped. */
  #url(at: number): number {
    if (this.#line.charCodeAt(at + 1) !== 0x2f) return -1;
    const start = URL_START.exec(this.#line.slice(Math.max(this.#from, at - 10), at));
    if (start === null) return -1;
    URL_TEXT.lastIndex = at + 1;
    const match = URL_TEXT.exec(this.#line);
    if (match === null) return -1;
    const protocol = start[1]!;
    let rest = match[0];
    const quotes = rest.indexOf("''");
    if (quotes >= 0) rest = rest.slice(0, quotes);
    while ('.,;:!?'.includes(rest.at(-1)!)) rest = rest.slice(0, -1);
    this.#flush(at - protocol.length);
    this.#writer.markdown(`${protocol}:${rest}`);
    return at + 1 + rest.length;
  }

  #magic(at: number): number {
    if (this.#line.charCodeAt(at + 1) !== UNDERSCORE) return -1;
    MAGIC.lastIndex = at;
    const match = MAGIC.exec(this.#line);
    if (match === null) return -1;
    this.#flush(at);
    return at + match[0].length;
  }
}

/** Position of the bracket that ends an external link, ignoring links within its text; undefined if there is none. */
function textEnd(line: string, from: number): number | undefined {
  const text = line.slice(from, from + MAX_LINK_TEXT);
  for (let at = 0;;) {
    const end = text.indexOf(']', at);
    if (end < 0) return undefined;
    const inner = text.indexOf('[[', at);
    if (inner < 0 || inner > end) return from + end;
    const close = text.indexOf(']]', inner);
    if (close < 0) return undefined;
    at = close + 2;
  }
}

/** The end of each link that has one, by its start; nested links are included. */
function linkEnds(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < line.length - 1; at++) {
    const code = line.charCodeAt(at);
    if (code === 0x5b && line.charCodeAt(at + 1) === 0x5b) {
      open.push(at);
      at++;
    } else if (code === 0x5d && line.charCodeAt(at + 1) === 0x5d && open.length > 0) {
      // Of three brackets at the end, the last two belong to the link and the first to its text.
      if (line.charCodeAt(at + 2) === 0x5d && open.length === 1) at++;
      ends.set(open.pop()!, at + 2);
      at++;
    }
  }
  return ends;
}

const STYLES = new Map(
  [['b', '**'], ['strong', '**'], ['i', '*'], ['em', '*'], ['cite', '*'], ['var', '*'], ['dfn', '*'], ['s', '~~'], [
    'del',
    '~~',
  ], ['strike', '~~']] as const,
) as ReadonlyMap<string, '**' | '*' | '~~'>;

/** Tags that MediaWiki supports; anything else in angle brackets is text. */
const HTML = new Set([...STYLES.keys(), 'br', 'sub', 'sup', 'u', 'ins', 'small', 'big', 'span', 'font', 'abbr', 'bdi',
  'bdo', 'q', 'mark', 'ruby', 'rb', 'rt', 'rp', 'rtc', 'wbr', 'time', 'data', 'div', 'p', 'center', 'code', 'tt', 'kbd',
  'samp', 'section', 'nobr', 'tbody', 'thead', 'colgroup', 'col', 'a', 'img', 'languages', 'translate', 'tvar',
  'noinclude', 'onlyinclude', 'includeonly', 'nowiki', 'ref', 'references', 'gallery', 'pre', 'poem', 'math', 'li',
  'ul', 'ol', 'td', 'tr', 'th', 'table']);

/** Apostrophes that format text, and their position in a line. */
interface QuoteRun {
  readonly at: number;
  /** Number of leading signs that are only apostrophes. */
  literal: number;
  /** 2 for italic, 3 for bold, 5 for both. */
  style: 2 | 3 | 5;
}

/**
 * Reads the runs of apostrophes of a line as MediaWiki does (`Parser::doQuotes`): if bold and italic both have an odd
 * number of signs, one bold sign is read as an apostrophe and an italic sign, preferably one after a word of a single
 * letter.
 */
function quoteRuns(line: string): QuoteRun[] {
  const runs: QuoteRun[] = [];
  for (let at = line.indexOf("''"); at >= 0;) {
    let end = at;
    while (line.charCodeAt(end) === 0x27) end++;
    const length = end - at;
    const style = length >= 5 ? 5 : length === 4 ? 3 : (length as 2 | 3);
    runs.push({ at, literal: length - style, style });
    at = line.indexOf("''", end);
  }
  const count = (style: 2 | 3): number => runs.filter((run) => run.style === style || run.style === 5).length;
  if (count(2) % 2 === 1 && count(3) % 2 === 1) balance(line, runs);
  return runs;
}

function balance(line: string, runs: readonly QuoteRun[]): void {
  const bold = runs.filter(({ style }) => style === 3);
  const before = ({ at, literal }: QuoteRun, back: number): string => line[at + literal - back] ?? '';
  const chosen = bold.find((run) => before(run, 1) !== ' ' && before(run, 2) === ' ') ?? bold.find((run) =>
    before(run, 1) !== ' ' && before(run, 2) !== ' '
  ) ?? bold.find((run) => before(run, 1) === ' ');
  if (chosen === undefined) return;
  chosen.literal++;
  chosen.style = 2;
}
