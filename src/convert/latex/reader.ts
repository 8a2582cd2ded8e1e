// One long class: the main loop of a language in which each macro reads its own kind of argument.
// Separable parts are in cursor.ts, macros.ts, symbols.ts and tables.ts.
import { MAX_DEPTH, type OutputBudget, tooDeep } from '../limits.ts';
import type { Block, ListPlace } from '../tree/blocks.ts';
import { type Inline, inlineText, isBlank, type Look, text } from '../tree/inlines.ts';
import { scriptText } from '../tree/scripts.ts';
import { AlgorithmLines, isAlgorithm } from './algorithms.ts';
import { Cursor } from './cursor.ts';
import { type Definition, filled, filledLength, type Macros, SIGNATURES } from './macros.ts';
import { quantity } from './siunitx.ts';
import { ACCENTS, BEFORE, LIGATURES, LISTS, MATH, ORDERED, QUOTES, SKIPPED, SYMBOLS, VERBATIM } from './symbols.ts';
import { tabularRows, TABULARS } from './tables.ts';

/** What the readers of a document and of its parts share. */
export interface LatexContext {
  readonly macros: Macros;
  readonly notes: Map<string, Block[]>;
  readonly said: { title?: string; author?: string; date?: string; language?: string };
  /** Files that the document includes and that were not uploaded. */
  readonly included: Set<string>;
  readonly budget: OutputBudget;
  /** Whether it is a presentation of beamer, whose macros may name slides: `\only<2>`. */
  readonly slides: boolean;
  /** Definitions that are being expanded, and how often within one another. */
  readonly active: Map<string, number>;
  /** Macros that stay as they are, because they call themselves or become too long. */
  readonly left: Set<string>;
  /** Depth of a `\section`: 2 in books, which have chapters. */
  readonly sectionDepth: number;
  /** Number of characters to which the document's definitions may still expand. */
  expansion: number;
  lists: number;
}

interface OpenList {
  readonly id: string;
  readonly environment: string;
  number: number;
  continued: boolean;
}

const HEADINGS: ReadonlyMap<string, number> = new Map([['part', -1], ['chapter', 0], ['section', 1], ['subsection', 2],
  ['subsubsection', 3], ['paragraph', 4], ['subparagraph', 5], ['addchap', 0], ['addsec', 1]]);
const MARKS: ReadonlyMap<string, Look> = new Map<string, Look>([['textbf', { strong: true }], ['emph', {
  emphasis: true,
}], ['textit', { emphasis: true }], ['textsl', { emphasis: true }], ['texttt', { code: true }], ['sout', {
  strike: true,
}], ['st', { strike: true }]]);
const SWITCHES: ReadonlyMap<string, Look> = new Map<string, Look>([['bf', { strong: true }], ['bfseries', {
  strong: true,
}], ['it', { emphasis: true }], ['itshape', { emphasis: true }], ['em', { emphasis: true }], ['sl', { emphasis: true }],
  ['slshape', { emphasis: true }], ['tt', { code: true }], ['ttfamily', { code: true }]]);
const RESETS: ReadonlySet<string> = new Set(['rm', 'normalfont', 'rmfamily', 'mdseries', 'upshape', 'sf']);
const REFERENCES = /^(?:eq|page|auto|name|[cCvV])?ref$/;
const MAX_NESTED_EXPANSIONS = 100;
/** A macro within arguments of itself; one that calls itself is left at this depth. */
const MAX_RECURSION = 20;
/** The slides to which a macro of beamer applies. */
const OVERLAY = /<[-+.\d,|:@()a-z ]{1,40}>/y;
const BEAMER_BLOCKS = /^(?:(?:alert|example)?block)$/;
/** What xspace adds no space before. */
const NO_XSPACE = /^(?:$|[\s{}~.,:;!?'/)\]-]|\\(?:[^a-zA-Z]|footnote|xspace))/;
/** Ordinary characters of text: none that is special to TeX or begins a ligature. */
const ORDINARY = /[^\\{}$%&#~\s`'?!-]+/y;
const BLANK = /[ \t]*(?:\n[ \t]*)?/y;
const PARAGRAPH = /[ \t]*\n[ \t]*(?:\n[ \t]*)+/y;

/** Reads source into blocks from beginning to end; definitions are expanded up to a limit. */
export class LatexReader {
  readonly blocks: Block[] = [];
  readonly #context: LatexContext;
  readonly #depth: number;
  readonly #looks: Look[] = [];
  readonly #lists: OpenList[] = [];
  #cursors: { cursor: Cursor; name: string | undefined }[];
  #inlines: Inline[] = [];
  #look: Look;
  #quotes = 0;

  constructor(source: string, context: LatexContext, depth = 0, look: Look = {}) {
    if (depth > MAX_DEPTH / 4) throw tooDeep('macros and tables');
    this.#context = context;
    this.#depth = depth;
    this.#look = look;
    this.#cursors = [{ cursor: new Cursor(source), name: undefined }];
  }

  read(): Block[] {
    while (this.#cursors.length > 0) {
      if (this.#cursor.done) this.#leave();
      else this.#step(this.#cursor);
    }
    this.#paragraph();
    return this.blocks;
  }

  get #cursor(): Cursor {
    return this.#cursors.at(-1)!.cursor;
  }

  #step(cursor: Cursor): void {
    const { shortVerbs } = this.#context.macros;
    const ordinary = cursor.take(ORDINARY);
    if (ordinary !== undefined) {
      const code = shortVerbs.size === 0 ? -1 : [...ordinary].findIndex((character) => shortVerbs.has(character));
      if (code < 0) return this.#text(ordinary);
      this.#text(ordinary.slice(0, code));
      cursor.at -= ordinary.length - code;
      return this.#verb(cursor);
    }
    if (cursor.take(PARAGRAPH) !== undefined) return this.#paragraph();
    if (cursor.take(BLANK)) return this.#text(' ');
    const character = cursor.text[cursor.at]!;
    const ligature = this.#look.code
      ? undefined
      : LIGATURES.find(([written]) => cursor.text.startsWith(written, cursor.at));
    if (ligature !== undefined) {
      cursor.at += ligature[0].length;
      return this.#text(ligature[1]);
    }
    cursor.at += 1;
    switch (character) {
      case '\\':
        return this.#macro(cursor);
      case '{':
        this.#looks.push(this.#look);
        if (this.#looks.length > 4 * MAX_DEPTH) throw tooDeep('groups');
        break;
      case '}':
        this.#look = this.#looks.pop() ?? this.#look;
        break;
      case '$':
        return this.#dollar(cursor);
      case '%':
        cursor.at -= 1;
        cursor.skipComment();
        break;
      case '~':
        return this.#text(' ');
      case '&':
        break;
      default:
        this.#text(character);
    }
  }

  #text(value: string, look = this.#look): void {
    if (value === '') return;
    this.#context.budget.take(value.length);
    this.#inlines.push(text(value, look));
  }

  #inline(source: string, look = this.#look): Inline[] {
    const blocks = new LatexReader(source, this.#context, this.#depth + 1, look).read();
    return blocks.flatMap((block,
      index) => ('inlines' in block ? [...(index > 0 ? [text(' ')] : []), ...block.inlines] : [])
    );
  }

  #paragraph(): void {
    const inlines = tidy(this.#inlines);
    this.#inlines = [];
    if (isBlank(inlines)) return;
    this.blocks.push({ kind: 'paragraph', inlines, place: this.#place(), quote: this.#quotes > 0 });
  }

  #place(): ListPlace | undefined {
    const list = this.#lists.at(-1);
    if (list === undefined) return undefined;
    const place = {
      list: list.id,
      level: this.#lists.length - 1,
      ordered: ORDERED.has(list.environment),
      number: list.number,
      continued: list.continued,
    };
    list.continued = true;
    return place;
  }

  #push(block: Block): void {
    this.#paragraph();
    this.blocks.push(block);
  }

  #dollar(cursor: Cursor): void {
    const display = cursor.take(/\$/y) !== undefined;
    const start = cursor.at;
    const source = cursor.take(display ? /(?:\\[^]|[^\\$])*/y : /(?:\\[^]|\n(?![ \t]*\n)|[^\\$\n])*/y) ?? '';
    if (cursor.take(display ? /\$\$/y : /\$/y) === undefined) {
      cursor.at = start;
      this.#text(display ? '$$' : '$');
    } else this.#math(source, display);
  }

  /** Formulas stay LaTeX, between dollar signs, which markdown supports. */
  #math(source: string, display: boolean): void {
    const value = source.replace(/(?<!\\)%[^\n]*/g, '').replace(/\\label\{[^}]{0,200}\}/g, '').split('\n').map((line) =>
      line.trim()
    ).filter((line) => line !== '').join(display ? '\n' : ' ');
    if (value === '') return;
    this.#context.budget.take(value.length);
    if (!display) this.#inlines.push({ kind: 'math', value: `$${value}$`, look: {} });
    else {
      this.#paragraph();
      this.#inlines.push({ kind: 'math', value: `$$\n${value}\n$$`, look: {} });
      this.#paragraph();
    }
  }

  #macro(cursor: Cursor): void {
    const name = cursor.take(/[a-zA-Z@]+|[^]/y);
    if (name === undefined) return;
    const word = /[a-zA-Z@]/.test(name);
    if (word) cursor.take(BLANK_AFTER_WORD);
    const defined = this.#context.macros.get(name);
    if (defined !== undefined) return this.#expand(name, defined, cursor);
    if (ACCENTS.has(name) && (!word || /^[ \t]*\{|^[^\s\\]|^\\[ij]/.test(cursor.text.slice(cursor.at, cursor.at + 8))))
      return this.#accent(ACCENTS.get(name)!, cursor);
    const symbol = SYMBOLS.get(name);
    if (symbol !== undefined) return this.#text(symbol);
    if (name === '\\' || name === 'newline') {
      cursor.take(/\*?(?:\[[^\]\n]{0,40}\])?/y);
      this.#inlines.push({ kind: 'break', look: this.#look });
    } else if (name === '(' || name === '[') this.#math(cursor.until(name === '(' ? '\\)' : '\\]') ?? '', name === '[');
    else this.#command(name, cursor);
  }

  #command(name: string, cursor: Cursor): void {
    if (this.#context.slides) cursor.take(OVERLAY);
    const heading = HEADINGS.get(name);
    const mark = MARKS.get(name);
    const look = SWITCHES.get(name);
    if (name === 'begin') this.#begin(cursor.argument(), cursor);
    else if (name === 'end') this.#end(cursor.argument());
    else if (heading !== undefined) {
      cursor.star();
      cursor.optional();
      const inlines = tidy(this.#inline(cursor.argument(), {}));
      this.#push({ kind: 'heading', depth: Math.max(1, heading + this.#context.sectionDepth - 1), inlines });
    } else if (mark !== undefined) this.#inlines.push(...this.#inline(cursor.argument(), { ...this.#look, ...mark }));
    else if (look !== undefined) this.#look = { ...this.#look, ...look };
    else if (RESETS.has(name)) this.#look = {};
    else if (name.includes('cite') || REFERENCES.test(name)) this.#cite(name, cursor);
    else if (!this.#special(name, cursor)) this.#signature(SIGNATURES.get(name) ?? '', cursor);
  }

  /** Handles macros with a special meaning; returns false for others. */
  #special(name: string, cursor: Cursor): boolean {
    switch (name) {
      case 'par':
        this.#paragraph();
        return true;
      case 'item':
      case 'bibitem':
        this.#item(name, cursor);
        return true;
      case 'footnote':
      case 'footnotetext':
      case 'endnote':
      case 'thanks':
        this.#note(cursor);
        return true;
      case 'href':
        cursor.optional();
        return this.#link(plainAddress(cursor.argument()), cursor.argument());
      case 'url':
      case 'nolinkurl':
        return this.#link(plainAddress(cursor.argument()), undefined);
      case 'verb':
      case 'lstinline':
      case 'mintinline':
      case 'path':
        cursor.star();
        cursor.optional();
        if (name === 'mintinline') cursor.argument();
        this.#verb(cursor);
        return true;
      case 'caption':
      case 'captionof':
        cursor.star();
        if (name === 'captionof') cursor.argument();
        cursor.optional();
        this.#push({ kind: 'paragraph', inlines: tidy(this.#inline(cursor.argument(), {})) });
        return true;
      case 'title':
      case 'author':
      case 'date':
        cursor.optional();
        this.#say(name, cursor.argument());
        return true;
      case 'enquote':
        this.#inlines.push(text('“', this.#look), ...this.#inline(cursor.argument()), text('”', this.#look));
        return true;
      case 'input':
      case 'include':
      case 'subfile':
      case 'lstinputlisting':
      case 'verbatiminput':
        cursor.optional();
        this.#context.included.add(cursor.argument().trim());
        return true;
      case 'iffalse':
        cursor.until('\\fi');
        return true;
      case 'textsuperscript':
      case 'textsubscript':
        this.#script(name === 'textsuperscript' ? 'super' : 'sub', cursor.argument());
        return true;
      case 'xspace':
        if (!NO_XSPACE.test(this.#following())) this.#text(' ');
        return true;
      case 'frametitle':
      case 'framesubtitle':
        cursor.optional();
        this.#frameTitle(name, cursor.argument());
        return true;
      case 'usepackage':
        this.#package(cursor.optional() ?? '', cursor.argument());
        return true;
      default:
        return this.#quantity(name, cursor) || this.#definition(name, cursor);
    }
  }

  #quantity(name: string, cursor: Cursor): boolean {
    const value = quantity(name, cursor);
    if (value?.includes('\\')) this.#inlines.push(...this.#inline(value.replaceAll('%', '\\%')));
    else if (value !== undefined) this.#text(value);
    return value !== undefined;
  }

  #script(place: 'super' | 'sub', source: string): void {
    const last = this.#inlines.at(-1);
    this.#text(scriptText(inlineText(this.#inline(source)), place, last?.kind === 'text' ? last.value.slice(-20) : ''));
  }

  /** The source after the current definition and those that end with it. */
  #following(): string {
    const next = this.#cursors.findLast(({ cursor }) => !cursor.done)?.cursor;
    return next === undefined ? '' : next.text.slice(next.at, next.at + 20);
  }

  /** Handles macros that define others; returns false if it is not such a macro. */
  #definition(name: string, cursor: Cursor): boolean {
    const { macros } = this.#context;
    switch (name) {
      case 'newcommand':
      case 'renewcommand':
      case 'providecommand':
      case 'DeclareRobustCommand': {
        cursor.star();
        const defined = cursor.argument().replace(/^\s*\\/, '').trim();
        const [parameters, first] = [Number(cursor.optional() ?? 0), cursor.optional()];
        const body = cursor.argument();
        if (!isKnown(defined)) macros.define(defined, parameters, first, body);
        return true;
      }
      case 'def':
      case 'gdef':
      case 'edef':
      case 'xdef': {
        const defined = cursor.take(/\s*\\(?:[a-zA-Z@]+|[^])/y)?.trim().slice(1) ?? '';
        const pattern = cursor.take(/[^{}\\%]*/y) ?? '';
        const body = cursor.argument();
        // Parameter patterns other than #1#2 would match text that is not tokenised here.
        if (/^(?:#[1-9])*\s*$/.test(pattern) && !isKnown(defined))
          macros.define(defined, pattern.split('#').length - 1, undefined, body);
        return true;
      }
      case 'let':
        cursor.take(/\s*\\(?:[a-zA-Z@]+|[^])/y);
        cursor.take(/\s*/y);
        cursor.take(/=\s*/y);
        cursor.take(/\\(?:[a-zA-Z@]+|[^])|[^\s\\]/y);
        return true;
      case 'newenvironment':
      case 'renewenvironment':
      case 'lstnewenvironment': {
        cursor.star();
        const environment = cursor.argument();
        const [parameters, first] = [Number(cursor.optional() ?? 0), cursor.optional()];
        const [begin, end] = [cursor.argument(), cursor.argument()];
        if (name === 'lstnewenvironment') macros.listings.set(environment, Math.min(9, parameters || 0));
        else if (!VERBATIM.has(environment) && !LISTS.has(environment))
          macros.defineEnvironment(environment, parameters, first, begin, end);
        return true;
      }
      case 'newtheorem': {
        cursor.star();
        const environment = cursor.argument();
        cursor.optional();
        macros.theorems.set(environment, cursor.argument());
        cursor.optional();
        return true;
      }
      case 'lstMakeShortInline':
      case 'MakeShortVerb':
      case 'lstDeleteShortInline':
      case 'DeleteShortVerb': {
        cursor.star();
        cursor.optional();
        const character = cursor.argument().replace(/^\\/, '');
        if (name.includes('Make') && character.length === 1 && !/[a-zA-Z0-9]/.test(character))
          macros.shortVerbs.add(character);
        else macros.shortVerbs.delete(character);
        return true;
      }
      default:
        return false;
    }
  }

  /** Reads the arguments of a macro according to its signature; text arguments are read like other text. */
  #signature(signature: string, cursor: Cursor): void {
    for (const kind of signature) {
      if (kind === 's') cursor.star();
      else if (kind === 'o') cursor.optional();
      else if (kind === 'm') cursor.argument();
      else this.#inlines.push(...this.#inline(cursor.argument()));
    }
  }

  #expand(name: string, definition: Definition, cursor: Cursor): void {
    if (!this.#enter(name, definition.body, this.#values(definition, cursor))) this.#text(`\\${name}`);
  }

  #values({ parameters, first }: Definition, cursor: Cursor): string[] {
    return Array.from({ length: parameters || 0 },
      (_, index) => (index === 0 && first !== undefined ? (cursor.optional() ?? first) : cursor.argument()));
  }

  /**
   * Continues with the text of a definition. Returns false, and leaves the macro from then on, if the definition calls
   * itself without end or grows beyond the limit.
   */
  #enter(name: string, body: string, values: readonly string[]): boolean {
    const { active, left } = this.#context;
    const times = (active.get(name) ?? 0) + 1;
    const length = filledLength(body, values);
    if (left.has(name)) return false;
    if (times > MAX_RECURSION || this.#cursors.length > MAX_NESTED_EXPANSIONS || length > this.#context.expansion) {
      left.add(name);
      return false;
    }
    this.#context.expansion -= length;
    active.set(name, times);
    this.#cursors.push({ cursor: new Cursor(filled(body, values)), name });
    return true;
  }

  /** Returns to the source from which a definition was called. */
  #leave(): void {
    const { name } = this.#cursors.pop()!;
    if (name !== undefined) this.#context.active.set(name, this.#context.active.get(name)! - 1);
  }

  #accent(combining: string, cursor: Cursor): void {
    const argument = cursor.argument().trim().replace(/^\\([ij])(?![a-zA-Z]).*$/, '$1');
    const base = String.fromCodePoint(argument.codePointAt(0) ?? 32);
    this.#text(`${base}${combining}`.normalize('NFC') + argument.slice(base.length));
  }

  #cite(name: string, cursor: Cursor): void {
    cursor.star();
    cursor.optional();
    cursor.optional();
    const keys = cursor.argument();
    if (name !== 'nocite') this.#text(`[${keys.trim()}]`);
  }

  #verb(cursor: Cursor): void {
    const open = cursor.text[cursor.at] ?? '';
    if (open === '{')
      return this.#text(
        (cursor.take(/\{[^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*\}/y) ?? cursor.take(/\{[^}\n]*\}?/y)!).slice(1, -1),
        { code: true },
      );
    cursor.at += open.length;
    const end = cursor.text.indexOf(open, cursor.at);
    const line = cursor.text.indexOf('\n', cursor.at);
    if (open === '' || end < 0 || (line >= 0 && line < end)) return this.#text(open);
    this.#text(cursor.until(open) ?? '', { code: true });
  }

  #note(cursor: Cursor): void {
    cursor.optional();
    const id = String(this.#context.notes.size + 1);
    this.#context.notes.set(id, []);
    this.#inlines.push({ kind: 'note', id, look: {} });
    this.#context.notes.set(id, new LatexReader(cursor.argument(), this.#context, this.#depth + 1).read());
  }

  #link(href: string, label: string | undefined): true {
    if (label === undefined) this.#text(href, { ...this.#look, href });
    else this.#inlines.push(...this.#inline(label, { ...this.#look, href }));
    return true;
  }

  #say(name: 'title' | 'author' | 'date', source: string): void {
    const inlines = tidy(
      this.#inline(
        source.replace(/\\(?:thanks|footnote|inst|affil|orcid)\s?\{[^{}]*\}/g, '').replace(
          /\\(?:and|AND|And)(?![a-zA-Z])/g,
          ' ; ',
        ),
        {},
      ),
    );
    const value = inlines.map((
      inline,
    ) => (inline.kind === 'text' || inline.kind === 'math' ? inline.value : inline.kind === 'break' ? ' ' : '')).join(
      '',
    ).trim();
    const { said } = this.#context;
    said[name] = name === 'author' && said.author !== undefined ? `${said.author} ; ${value}` : value;
    if (name === 'title' && !isBlank(inlines))
      this.#push({
        kind: 'heading',
        depth: 1,
        inlines: inlines.map((inline) => (inline.kind === 'break' ? text(' ') : inline)),
      });
  }

  #package(options: string, name: string): void {
    if (name.trim() === 'babel' || name.trim() === 'polyglossia')
      this.#context.said.language = options.split(/[,=]/).at(-1)!.trim();
  }

  #item(name: string, cursor: Cursor): void {
    this.#paragraph();
    const list = this.#lists.at(-1);
    const label = cursor.optional();
    if (name === 'bibitem') cursor.argument();
    if (list === undefined) return;
    list.number += 1;
    list.continued = false;
    if (label !== undefined && label.trim() !== '')
      this.#inlines.push(...this.#inline(label, list.environment === 'description' ? { strong: true } : {}), text(' '));
  }

  #begin(name: string, cursor: Cursor): void {
    const { macros } = this.#context;
    const listing = macros.listings.get(name);
    const own = macros.environment(name);
    const tabular = TABULARS.get(name);
    if (VERBATIM.has(name) && !SKIPPED.has(name)) this.#code(name, VERBATIM.get(name)!, cursor);
    else if (listing !== undefined) this.#code(name, 'm'.repeat(listing), cursor);
    else if (SKIPPED.has(name)) cursor.environment(name);
    else if (MATH.has(name)) this.#mathEnvironment(name, cursor.environment(name));
    else if (tabular !== undefined) this.#table(name, tabular, cursor);
    else if (own !== undefined && this.#enter(`begin ${name}`, own.begin.body, this.#values(own.begin, cursor))) return;
    else if (isAlgorithm(name, () => cursor.following(`\\end{${name}}`))) this.#algorithm(cursor.environment(name));
    else if (name === 'frame') this.#frame(cursor);
    else this.#open(name, cursor);
  }

  /** A slide: its title is a heading. */
  #frame(cursor: Cursor): void {
    cursor.take(OVERLAY);
    cursor.optional();
    this.#open('frame', cursor);
    for (const name of ['frametitle', 'framesubtitle'] as const)
      if (cursor.take(/[ \t]*(?=\{)/y) !== undefined) this.#frameTitle(name, cursor.argument());
  }

  #frameTitle(name: 'frametitle' | 'framesubtitle', source: string): void {
    const inlines = tidy(this.#inline(source, {}));
    if (isBlank(inlines)) return;
    const depth = 1 + this.#context.sectionDepth;
    this.#push(name === 'frametitle' ? { kind: 'heading', depth, inlines } : { kind: 'paragraph', inlines });
  }

  /** Pseudocode, one statement on a line. */
  #algorithm(source: string): void {
    const algorithm = new AlgorithmLines();
    algorithm.read(source.replace(/^\s*(?:\[[^\]\n]{0,40}\])?/, ''));
    const read = (line: string) => inlineText(tidy(this.#inline(line.trim(), {}))).trim();
    for (const caption of algorithm.captions)
      this.#push({ kind: 'paragraph', inlines: tidy(this.#inline(caption, {})) });
    const lines = algorithm.lines.map((line) => `${/^ */.exec(line)![0]}${read(line)}`);
    this.#push({ kind: 'code', text: lines.filter((line) => line.trim() !== '').join('\n') });
  }

  #open(name: string, cursor: Cursor): void {
    this.#paragraph();
    this.#looks.push(this.#look);
    if (this.#looks.length > 4 * MAX_DEPTH) throw tooDeep('groups');
    if (this.#context.slides) cursor.take(OVERLAY);
    this.#signature(BEFORE.get(name) ?? '', cursor);
    if (this.#context.slides && BEAMER_BLOCKS.test(name)) {
      this.#inlines.push(...this.#inline(cursor.argument(), { strong: true }));
      this.#paragraph();
    } else if (LISTS.has(name)) {
      if (this.#lists.length >= MAX_DEPTH / 4) throw tooDeep('lists');
      this.#lists.push({ id: `list${(this.#context.lists += 1)}`, environment: name, number: 0, continued: true });
    } else if (QUOTES.has(name)) this.#quotes += 1;
    else if (this.#context.macros.theorems.has(name)) {
      const label = cursor.optional();
      this.#inlines.push(text(this.#context.macros.theorems.get(name)!, { strong: true }),
        ...(label === undefined ? [] : [text(' ('), ...this.#inline(label, {}), text(')')]), text('. '));
    }
  }

  #end(name: string): void {
    const own = this.#context.macros.environment(name);
    if (own !== undefined && this.#enter(`end ${name}`, own.end, [])) return;
    this.#paragraph();
    this.#look = this.#looks.pop() ?? this.#look;
    if (LISTS.has(name)) this.#lists.pop();
    else if (QUOTES.has(name)) this.#quotes = Math.max(0, this.#quotes - 1);
  }

  #code(name: string, signature: string, cursor: Cursor): void {
    const options = signature.startsWith('o') ? cursor.optional() : undefined;
    let last = '';
    for (const kind of signature.replace('o', '')) if (kind === 'm') last = cursor.argument();
    const source = cursor.until(`\\end{${name}}`) ?? cursor.environment(name);
    const caption = /(?:^|,)\s*(?:caption|title)\s*=\s*(?:\{([^{}]*)\}|([^,]*))/.exec(options ?? '');
    const label = (caption?.[1] ?? caption?.[2])?.trim();
    if (label) this.#push({ kind: 'paragraph', inlines: tidy(this.#inline(label, {})) });
    const language = name === 'minted' ? last : /(?:^|,)\s*language\s*=\s*\{?([A-Za-z0-9+#]+)/.exec(options ?? '')?.[1];
    this.#context.budget.take(source.length);
    const place = this.#lists.length > 0 ? { ...this.#place()!, continued: true } : undefined;
    this.#push({
      kind: 'code',
      text: source.replace(/^[ \t]*\n/, '').trimEnd(),
      language: language?.toLowerCase(),
      place,
    });
  }

  #mathEnvironment(name: string, source: string): void {
    const bare = ['equation', 'displaymath', 'math', 'subequations', 'dmath'].includes(name.replace('*', ''));
    this.#math(bare ? source : `\\begin{${name}}${source}\\end{${name}}`, name !== 'math');
  }

  #table(name: string, signature: string, cursor: Cursor): void {
    for (const kind of signature)
      if (kind === 'o') cursor.optional();
      else cursor.argument();
    const rows = tabularRows(cursor.environment(name),
      (cell) => new LatexReader(cell, this.#context, this.#depth + 1).read());
    this.#push({
      kind: 'table',
      rows,
      place: this.#lists.length > 0 ? { ...this.#place()!, continued: true } : undefined,
    });
  }
}

const BLANK_AFTER_WORD = /[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?/y;

function isKnown(name: string): boolean {
  return name === '' || HEADINGS.has(name) || MARKS.has(name) || SWITCHES.has(name) || SYMBOLS.has(name) ||
    ['begin', 'end', 'item', 'footnote', 'href', 'url', 'verb', 'caption', 'title', 'author', 'date', 'input',
      'include', 'par', '\\'].includes(name);
}

/** White space of the source: a sequence counts as one space, and as none after a break. */
function tidy(inlines: readonly Inline[]): Inline[] {
  const out: Inline[] = [];
  for (const inline of inlines) {
    const last = out.at(-1);
    const after = last === undefined || last.kind === 'break' ||
      (last.kind === 'text' && last.value.endsWith(' ') && !last.look.code);
    if (inline.kind === 'text' && !inline.look.code && after && inline.value.startsWith(' ')) {
      if (inline.value.trimStart() !== '') out.push(text(inline.value.trimStart(), inline.look));
    } else out.push(inline);
  }
  while (out.at(-1)?.kind === 'break') out.pop();
  return out;
}

function plainAddress(source: string): string {
  return source.replace(/\\([%#&_~{}$])/g, '$1').replace(/\s+/g, '').trim();
}
