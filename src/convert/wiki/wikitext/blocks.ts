import type { PageContext } from './context.ts';
import { codeBlock, guardLine } from './escape.ts';
import { inline, plainText } from './inline.ts';
import { readTable, withoutAttributes } from './tables.ts';
import { LONE_MARK, QUOTE, UNQUOTE } from './writer.ts';

/** Maximum depth; deeper lists are written at this depth. */
const MAX_LIST_DEPTH = 12;

interface Level {
  /** The markers of its lines, with `:` for `;`. */
  readonly prefix: string;
  readonly indent: string;
  readonly isOrdered: boolean;
  count: number;
  /** Whether its last item is a term, to which definitions belong. */
  isTerm: boolean;
}

/**
 * Converts lines that begin with `*`, `#`, `:` or `;` to lists of markdown. Lines that are only indented become
 * paragraphs.
 */
function readList(lines: readonly string[], context: PageContext): string {
  if (lines.every((line) => /^:[^*#:;]/.test(line)))
    return lines.map((line) => guardLine(inline(line.slice(1).trim(), context).trim())).filter((line) => line !== '')
      .join('\n\n');
  const levels: Level[] = [];
  const written: string[] = [];
  for (const line of lines) writeItem(line, levels, written, context);
  return written.join('\n');
}

function writeItem(line: string, levels: Level[], written: string[], context: PageContext): void {
  const signs = /^[*#:;]{1,200}/.exec(line)![0];
  const text = line.slice(signs.length).trim();
  const [term, definition] = signs.endsWith(';') ? termOf(text) : [undefined, text];
  const level = levelOf(signs.replaceAll(';', ':').slice(0, MAX_LIST_DEPTH), levels);
  if (term !== undefined) {
    const words = inline(term, context).trim();
    if (words !== '') written.push(`${level.indent}- ${words.includes('*') ? words : `**${words}**`}`);
    level.isTerm = true;
  } else if (!signs.endsWith(':')) {
    level.isTerm = false;
  }
  const words = inline(definition, context).trim();
  if (words === '') return;
  const indent = level.isTerm ? `${level.indent}  ` : level.indent;
  written.push(`${indent}${level.isOrdered ? `${++level.count}. ` : '- '}${guardLine(words)}`);
}

function levelOf(prefix: string, levels: Level[]): Level {
  while (levels.length > 0 && !prefix.startsWith(levels.at(-1)!.prefix)) levels.pop();
  const top = levels.at(-1);
  if (top?.prefix === prefix) return top;
  const within = top === undefined
    ? ''
    : top.indent + ' '.repeat(top.isOrdered ? `${top.count || 1}. `.length : top.isTerm ? 4 : 2);
  const level = { prefix, indent: within, isOrdered: prefix.endsWith('#'), count: 0, isTerm: false };
  levels.push(level);
  return level;
}

/** Splits `Term : definition` at the first colon that is not part of a link, address or tag. */
function termOf(text: string): [term: string, definition: string] {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '[' || character === '<' || character === '\u0001') depth++;
    else if (character === ']' || character === '>' || character === '\u0002') depth = Math.max(0, depth - 1);
    else if (character === ':' && depth === 0 && !text.startsWith('//', at + 1))
      return [text.slice(0, at), text.slice(at + 1).trim()];
  }
  return [text, ''];
}

/** Maximum nesting depth of quotations and tables; deeper ones become plain paragraphs. */
const MAX_DEPTH = 5;

/** Text in link brackets that spans more lines than this is not a link. */
const MOST_LINES = 20;

/** Converts the blocks of wikitext without templates to markdown, in order. */
export function blocks(text: string, context: PageContext, depth = 0): string[] {
  return new BlockReader(text, context, depth).read();
}

class BlockReader {
  readonly #lines: readonly string[];
  readonly #context: PageContext;
  readonly #depth: number;
  readonly #blocks: string[] = [];
  /** Lines of the paragraph that is being read. */
  #paragraph: string[] = [];
  /** For each line at which a table or quotation begins, the line at which it ends. */
  readonly #ends: ReadonlyMap<number, number>;

  constructor(text: string, context: PageContext, depth: number) {
    this.#lines = text.split('\n');
    this.#context = context;
    this.#depth = depth;
    this.#ends = endsOf(this.#lines);
  }

  read(): string[] {
    for (let i = 0; i < this.#lines.length;) i = this.#step(i);
    this.#endParagraph();
    return this.#blocks;
  }

  /** Reads the block that begins at a line; returns the line after it. */
  #step(i: number): number {
    const line = this.#lines[i]!;
    switch (line[0]) {
      case undefined:
        return this.#alone(i + 1);
      case '=':
        return this.#heading(line) ? i + 1 : this.#text(i);
      case '*':
      case '#':
      case ':':
      case ';':
        return TABLE_START.test(line) ? this.#table(i) : this.#list(i);
      case '{':
        return TABLE_START.test(line) ? this.#table(i) : this.#text(i);
      case '-':
        return line.startsWith('----') ? this.#rule(i) : this.#text(i);
      case QUOTE:
        return this.#quotation(i);
      case UNQUOTE:
        return this.#alone(i + 1);
      case ' ':
      case '\t':
      case '\u0001':
        return this.#indented(i);
      // Part of a table that has no beginning.
      case '|':
        return /^\|[-}+]/.test(line) ? this.#orphan(i) : this.#text(i);
      default:
        return this.#text(i);
    }
  }

  #alone(next: number, block?: string): number {
    this.#endParagraph();
    if (block !== undefined && block !== '') this.#blocks.push(block);
    return next;
  }

  #orphan(i: number): number {
    const next = this.#alone(i + 1);
    const line = this.#lines[i]!;
    const rest = line.startsWith('|}') ? line.slice(2).trim() : withoutAttributes(line.slice(2));
    if (rest !== '') this.#paragraph.push(rest);
    return next;
  }

  #rule(i: number): number {
    const next = this.#alone(i + 1, '---');
    const rest = this.#lines[i]!.replace(/^-{4,}/, '').trim();
    if (rest !== '') this.#paragraph.push(rest);
    return next;
  }

  #endParagraph(): void {
    if (this.#paragraph.length === 0) return;
    const lines = this.#paragraph.map((line) => inline(line, this.#context, { lineBreak: '\\\n' }).trim()).filter((
      line,
    ) => line !== '');
    this.#paragraph = [];
    const text = lines.map(guardLine).join('\n').replace(/(?:\\\n){2,100}/g, '\\\n').replace(/^(?:\\\n){1,100}/, '');
    const whole = text.endsWith('\\\n') ? text.slice(0, -2) : text.replaceAll('\\\n\n', '\\\n');
    if (whole.trim() !== '') this.#blocks.push(whole.trim());
  }

  #text(i: number): number {
    const { line, next, tables } = this.#withOpenLinks(i);
    const trimmed = line.trim();
    const isImage = trimmed.startsWith('[[') && trimmed.endsWith(']]') && trimmed.includes('|');
    if (isImage) this.#endParagraph();
    this.#paragraph.push(trimmed);
    if (isImage) this.#endParagraph();
    this.#held(tables);
    return next;
  }

  /**
   * A line, with the lines that follow if a link, such as an image's caption, continues there. Tables within it are
   * left out and returned by their lines.
   */
  #withOpenLinks(i: number): { line: string; next: number; tables: readonly number[] } {
    const alone = { line: this.#lines[i]!, next: i + 1, tables: [] };
    let { line } = alone;
    if (!line.includes('[[')) return alone;
    let open = openLinks(line);
    const tables: number[] = [];
    let next = i + 1;
    for (let count = 1; open > 0 && next < this.#lines.length && count < MOST_LINES; count++) {
      let more = this.#lines[next]!;
      if (more === QUOTE || more === UNQUOTE) break;
      const end = TABLE_START.test(more) ? this.#ends.get(next) : undefined;
      if (end !== undefined) {
        tables.push(next);
        more = this.#lines[end]!.trimStart().slice(2);
        next = end;
      }
      line += ` ${more}`;
      open += openLinks(more);
      next++;
    }
    return open > 0 ? alone : { line, next, tables };
  }

  /** Writes tables that stood within a link, after the block that has the link. */
  #held(tables: readonly number[]): void {
    if (tables.length > 0) this.#endParagraph();
    for (const table of tables) this.#tableBlocks(table, this.#ends.get(table)!);
  }

  #heading(line: string): boolean {
    const text = line.trimEnd();
    let level = 0;
    while (level < 6 && text[level] === '=' && text[text.length - 1 - level] === '=' && level < text.length - 1 - level)
      level++;
    if (level === 0 || text.length <= 2 * level) return false;
    this.#endParagraph();
    const words = inline(text.slice(level, text.length - level).trim(), this.#context).trim();
    if (words !== '') this.#blocks.push(`${'#'.repeat(level)} ${words.replace(/#$/, '\\#')}`);
    return true;
  }

  #list(i: number): number {
    this.#endParagraph();
    const lines: string[] = [];
    const held: number[] = [];
    while (i < this.#lines.length && /^[*#:;]/.test(this.#lines[i]!) && !TABLE_START.test(this.#lines[i]!)) {
      const { line, next, tables } = this.#withOpenLinks(i);
      lines.push(line);
      held.push(...tables);
      i = next;
    }
    this.#alone(i, readList(lines, this.#context));
    this.#held(held);
    return i;
  }

  #table(i: number): number {
    this.#endParagraph();
    const end = this.#ends.get(i) ?? this.#nextHeading(i + 1);
    this.#tableBlocks(i, end);
    const rest = this.#ends.has(i) ? this.#lines[end]!.trimStart().slice(2).trim() : '';
    if (rest !== '') this.#paragraph.push(rest);
    return this.#ends.has(i) ? end + 1 : end;
  }

  #tableBlocks(i: number, end: number): void {
    const first = withoutAttributes(this.#lines[i]!.replace(TABLE_START, ''));
    const rows = [...(first === '' ? [] : [first]), ...this.#lines.slice(i + 1, end)];
    const inner = this.#depth < MAX_DEPTH ? (text: string) => blocks(text, this.#context, this.#depth + 1) : undefined;
    this.#blocks.push(...readTable(rows, this.#context, inner));
  }

  #nextHeading(from: number): number {
    const found = this.#lines.findIndex((line, at) => at >= from && /^==[^=]/.test(line));
    return found < 0 ? this.#lines.length : found;
  }

  #quotation(i: number): number {
    const end = this.#ends.get(i);
    if (end === undefined || this.#depth >= MAX_DEPTH) return this.#alone(i + 1);
    const inner = blocks(this.#lines.slice(i + 1, end).join('\n'), this.#context, this.#depth + 1).join('\n\n');
    return this.#alone(end + 1, inner.split('\n').map((line) => (line === '' ? '>' : `> ${line}`)).join('\n'));
  }

  /** Lines that begin with a space are preformatted; a single one is usually an accident. */
  #indented(i: number): number {
    const lone = LONE_MARK.exec(this.#lines[i]!);
    if (lone !== null) {
      const piece = this.#context.marks.get(lone[1]!);
      if (piece?.kind === 'block') return this.#alone(i + 1, piece.markdown);
      return this.#text(i);
    }
    if (this.#lines[i]!.trim() === '') return this.#alone(i + 1);
    if (TABLE_START.test(this.#lines[i]!)) return this.#table(i);
    let end = i;
    while (/^ .*\S/.test(this.#lines[end] ?? '') && !TABLE_START.test(this.#lines[end]!)) end++;
    if (end - i < 2 || this.#paragraph.length > 0) return this.#text(i);
    return this.#alone(end,
      codeBlock(this.#lines.slice(i, end).map((line) => plainText(line.slice(1), this.#context)).join('\n')));
  }
}

const TABLE_START = /^[:\s]{0,50}\{\|/;
const TABLE_END = /^\s{0,50}\|\}/;

function endsOf(lines: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const [tables, quotations]: [number[], number[]] = [[], []];
  for (const [i, line] of lines.entries()) {
    if (line === QUOTE) quotations.push(i);
    else if (line === UNQUOTE) setEnd(ends, quotations.pop(), i);
    else if (line.includes('{|') && TABLE_START.test(line)) tables.push(i);
    else if (line.includes('|}') && TABLE_END.test(line)) setEnd(ends, tables.pop(), i);
  }
  return ends;
}

function setEnd(ends: Map<number, number>, start: number | undefined, end: number): void {
  if (start !== undefined) ends.set(start, end);
}

/** Number of links that a line opens minus those that it closes. */
function openLinks(line: string): number {
  let open = 0;
  for (let at = line.indexOf('[['); at >= 0; at = line.indexOf('[[', at + 2)) open++;
  for (let at = line.indexOf(']]'); at >= 0; at = line.indexOf(']]', at + 2)) open--;
  return open;
}
