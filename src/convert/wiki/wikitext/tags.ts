import type { PageContext } from './context.ts';
import { codeBlock, codeSpan, decodeEntities, escapeText } from './escape.ts';
import { plainText } from './inline.ts';
import { QUOTE, UNQUOTE } from './writer.ts';

/** The converted tag, and the end of its content. */
interface TagText {
  readonly text: string;
  readonly end: number;
}

/** Reads the tag at a position; undefined if it is left for the reader of lines. */
export type TagReader = (at: number) => TagText | undefined;

interface Tag {
  readonly name: string;
  readonly attributes: string;
  /** Undefined if it is self-closing. */
  readonly content: string | undefined;
}

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]{0,20})((?:[^A-Za-z0-9<>][^<>]{0,2000})?)>/y;

/**
 * Reads the tags of a text; `expand` reads wikitext inside of them. A closing tag that was not found is not searched
 * for again.
 */
export function readTag(text: string, context: PageContext, expand: (text: string) => string): TagReader {
  const closings = new Closings(text);
  return (at) => {
    if (text.startsWith('<!--', at)) {
      const close = closings.next('-->', at + 4);
      if (close === undefined) return undefined;
      // A comment that has its own line is removed together with the line.
      const isLine = text[at - 1] === '\n' && text[close.end] === '\n';
      return { text: '', end: close.end + (isLine ? 1 : 0) };
    }
    TAG.lastIndex = at;
    const match = TAG.exec(text);
    if (match === null) return undefined;
    const [whole, slash, given, attributes] = match as unknown as [string, string, string, string];
    const [name, end] = [given.toLowerCase(), at + whole.length];
    const structure = STRUCTURE[name];
    if (structure !== undefined) return { text: slash === '' ? structure.open(attributes) : structure.close, end };
    const rule = RULES[name];
    if (rule === undefined) return undefined;
    if (slash !== '') return { text: '', end };
    if (attributes.trimEnd().endsWith('/'))
      return {
        text: rule({ name, attributes: attributes.trimEnd().slice(0, -1), content: undefined }, context, expand),
        end,
      };
    const close = closings.next(name, end);
    if (close === undefined) return { text: '', end };
    return { text: rule({ name, attributes, content: text.slice(end, close.start) }, context, expand), end: close.end };
  };
}

/** Finds closing tags incrementally: each part of the text is searched once for each name. */
class Closings {
  readonly #text: string;
  readonly #found = new Map<string, { start: number; end: number } | undefined>();

  constructor(text: string) {
    this.#text = text;
  }

  next(name: string, from: number): { start: number; end: number } | undefined {
    const known = this.#found.get(name);
    if (this.#found.has(name) && (known === undefined || known.start >= from)) return known;
    const found = name === '-->' ? this.#comment(from) : this.#tag(name, from);
    this.#found.set(name, found);
    return found;
  }

  #comment(from: number): { start: number; end: number } | undefined {
    const start = this.#text.indexOf('-->', from);
    return start < 0 ? undefined : { start, end: start + 3 };
  }

  #tag(name: string, from: number): { start: number; end: number } | undefined {
    const closing = new RegExp(`</${name}\\s{0,20}>`, 'gi');
    closing.lastIndex = from;
    const match = closing.exec(this.#text);
    return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  }
}

type Rule = (tag: Tag, context: PageContext, expand: (text: string) => string) => string;

const RULES: Readonly<Record<string, Rule>> = Object.assign(Object.create(null) as Record<string, Rule>, {
  nowiki: ({ content = '' }: Tag, { marks }: PageContext) => {
    const plain = decodeEntities(content);
    return plain === '' ? '' : marks.add({ kind: 'line', markdown: escapeText(plain), plain });
  },
  pre: (tag: Tag, context: PageContext) => block(context, decodeEntities(withoutNowiki(tag.content ?? ''))),
  syntaxhighlight: highlighted,
  source: highlighted,
  math,
  ce: math,
  chem: math,
  code: inlineCode,
  tt: inlineCode,
  kbd: inlineCode,
  samp: inlineCode,
  ref: ({ attributes, content }: Tag, context: PageContext, expand: (text: string) => string) =>
    context.note(groupedName(attributes), content === undefined ? undefined : expand(content)),
  // Notes that are defined here are referenced elsewhere.
  references: ({ content }: Tag, _: PageContext, expand: (text: string) => string) => {
    if (content !== undefined) expand(content);
    return '';
  },
  gallery: ({ content = '' }: Tag, context: PageContext, expand: (text: string) => string) =>
    `\n${expand(content).split('\n').map((line) => galleryLine(line, context)).join('\n')}\n`,
  poem: ({ content = '' }: Tag, _: PageContext, expand: (text: string) => string) =>
    `\n${expand(content.trim()).replaceAll('\n', '<br>\n')}\n`,
  ruby: ({ content = '' }: Tag, _: PageContext, expand: (text: string) => string) => withReading(expand(content)),
  includeonly: nothing,
  timeline: nothing,
  score: nothing,
  hiero: nothing,
  graph: nothing,
  templatedata: nothing,
  templatestyles: nothing,
  imagemap: nothing,
  mapframe: nothing,
  maplink: nothing,
  indicator: nothing,
  categorytree: nothing,
  inputbox: nothing,
  style: nothing,
  script: nothing,
});

/** Base and reading, as 東京(とうきょう): the parts of a word stay together, so that a search finds it. */
function withReading(ruby: string): string {
  let [base, reading, into] = ['', '', 'base'];
  for (const part of ruby.split(/(<\/?(?:rb|rt|rtc|rp)(?:\s[^<>]{0,200})?>)/i)) {
    const tag = /^<(\/?)(rb|rtc?|rp)/i.exec(part);
    if (tag !== null) into = tag[1] === '/' || tag[2]!.toLowerCase() === 'rb' ? 'base' : tag[2]!.toLowerCase();
    else if (into === 'base') base += part.trim();
    else if (into.startsWith('rt')) reading += part.trim();
  }
  return reading === '' ? base : `${base}(${reading})`;
}

function nothing(): string {
  return '';
}

function highlighted({ attributes, content = '' }: Tag, context: PageContext): string {
  if (/\binline\b/i.test(attributes)) return span(context, content);
  return block(context, content, /\blang\s{0,5}=\s{0,5}["']?([\w+#.-]+)/i.exec(attributes)?.[1]?.toLowerCase());
}

function block({ marks }: PageContext, text: string, language?: string): string {
  return text.trim() === ''
    ? ''
    : `\n${marks.add({ kind: 'block', markdown: codeBlock(text, language), plain: text })}\n`;
}

function span({ marks }: PageContext, text: string): string {
  const plain = decodeEntities(text).trim();
  return plain === '' ? '' : marks.add({ kind: 'line', markdown: codeSpan(plain), plain });
}

function inlineCode({ content = '' }: Tag, context: PageContext, expand: (text: string) => string): string {
  return span(context, plainText(expand(content), context));
}

/** Formulas in the syntax that most markdown readers support. */
function math({ attributes, content = '' }: Tag, { marks }: PageContext): string {
  const formula = content.trim();
  if (formula === '') return '';
  if (/\bdisplay\s{0,5}=\s{0,5}["']?block/i.test(attributes))
    return `\n${marks.add({ kind: 'block', markdown: `$$\n${formula}\n$$`, plain: formula })}\n`;
  return marks.add({
    kind: 'line',
    markdown: `$${formula.split('\n').map((line) => line.trim()).join(' ')}$`,
    plain: formula,
  });
}

function withoutNowiki(text: string): string {
  return text.replace(/<\/?nowiki>/gi, '');
}

/** Notes of two groups may have the same name. */
function groupedName(attributes: string): string {
  const name = attributeOf(attributes, 'name');
  return name === '' ? '' : `${attributeOf(attributes, 'group')}\n${name}`;
}

export function attributeOf(attributes: string, name: 'name' | 'group' | 'colspan' | 'rowspan'): string {
  const match = ATTRIBUTES[name].exec(attributes);
  return (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
}

const ATTRIBUTES = {
  name: /\bname\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/i,
  group: /\bgroup\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/i,
  colspan: /\bcolspan\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/i,
  rowspan: /\browspan\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/i,
} as const;

/** An image of a gallery as a link to it with its caption. */
function galleryLine(line: string, { site }: PageContext): string {
  const text = line.replace(/[\u0003\u0004]/g, '').trim();
  if (text === '') return '';
  const bar = text.indexOf('|');
  const file = bar < 0 ? text : text.slice(0, bar);
  const colon = file.indexOf(':');
  const isFile = colon > 0 && site.namespaces.has(file.slice(0, colon).trim().toLowerCase());
  return `* [[${isFile ? '' : 'File:'}${file.trim()}|gallery|${bar < 0 ? '' : text.slice(bar + 1)}]]`;
}

interface Structure {
  readonly open: (attributes: string) => string;
  readonly close: string;
}

const wrapped = (open: string, close: string): Structure => ({ open: () => open, close });

/** Tags that are alternatives to wikitext markup. */
const STRUCTURE: Readonly<Record<string, Structure>> = Object.assign(Object.create(null) as Record<string, Structure>, {
  table: wrapped('\n{|\n', '\n|}\n'),
  caption: wrapped('\n|+ ', '\n'),
  tr: wrapped('\n|-\n', '\n'),
  td: { open: (attributes: string) => `\n|${attributes}| `, close: '\n' },
  th: { open: (attributes: string) => `\n!${attributes}| `, close: '\n' },
  tbody: wrapped('', ''),
  thead: wrapped('', ''),
  tfoot: wrapped('', ''),
  ul: wrapped('\n', '\n'),
  ol: wrapped('\n', '\n'),
  dl: wrapped('\n', '\n'),
  li: wrapped('\n* ', '\n'),
  dt: wrapped('\n; ', '\n'),
  dd: wrapped('\n: ', '\n'),
  h1: wrapped('\n= ', ' =\n'),
  h2: wrapped('\n== ', ' ==\n'),
  h3: wrapped('\n=== ', ' ===\n'),
  h4: wrapped('\n==== ', ' ====\n'),
  h5: wrapped('\n===== ', ' =====\n'),
  h6: wrapped('\n====== ', ' ======\n'),
  p: wrapped('\n\n', '\n\n'),
  hr: wrapped('\n----\n', ''),
  center: wrapped('\n', '\n'),
  noinclude: wrapped('', ''),
  onlyinclude: wrapped('', ''),
  section: wrapped('', ''),
  blockquote: wrapped(`\n${QUOTE}\n`, `\n${UNQUOTE}\n`),
  div: wrapped('\n', '\n'),
});
