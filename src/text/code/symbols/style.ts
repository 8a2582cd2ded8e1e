import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { ident, string as cssString, url as cssUrl } from 'css-tree/utils';
import { resolveStyleTarget } from '../import-paths.ts';
import { LineCounter, type Piece, type SymbolSets } from './symbol-set.ts';

const { AtKeyword, BadUrl, Colon, Comma, Comment, Delim, Function: FunctionToken, Hash, Ident, LeftCurlyBracket,
  LeftParenthesis, LeftSquareBracket, RightCurlyBracket, RightParenthesis, RightSquareBracket, Semicolon,
  String: StringToken, Url, WhiteSpace } = tokenTypes;

/** Maximum length of a statement in tokens: longer ones are data and are ignored. */
const MAX_STATEMENT = 10_000;
const IMPORTS: ReadonlySet<string> = new Set(['@import', '@use', '@forward', '@plugin']);

/**
 * CSS, SCSS and LESS: selectors, the classes and ids in them, and custom properties are definitions; `url()` targets
 * are uses, `@import`, `@use` and `@forward` targets are imports (contract, "Code documents"). It reads tokens instead
 * of a syntax tree: they are the same in the three languages and in broken source, and blocks may nest to any depth.
 */
export function readStyle(piece: Piece, language: string, symbols: SymbolSets): void {
  new StyleReader(piece, language === 'css' ? piece.source : withoutLineComments(piece.source), symbols).read();
}

/** The classes of a style rule, which `&-suffix` in a nested rule continues; or a block without style rules. */
interface Block {
  readonly classes: readonly string[];
  /** Whether the block is in `@keyframes`, where `from` and `50%` only look like selectors. */
  readonly frames: boolean;
}

const OUTERMOST: Block = { classes: [], frames: false };

class StyleReader {
  readonly #piece: Piece;
  readonly #source: string;
  readonly #symbols: SymbolSets;
  readonly #lines: LineCounter;
  readonly #blocks: Block[] = [OUTERMOST];
  #statement: StyleToken[] = [];
  /** Nesting of `#{…}` and `@{…}`, whose content is known only when the style sheet is compiled. */
  #interpolations = 0;
  #dynamic = false;

  constructor(piece: Piece, source: string, symbols: SymbolSets) {
    this.#piece = piece;
    this.#source = source;
    this.#symbols = symbols;
    this.#lines = new LineCounter(piece);
  }

  read(): void {
    tokenize(this.#source, (type, start, end) => this.#token(type, start, end));
    this.#endStatement();
  }

  #token(type: number, start: number, end: number): void {
    if (this.#interpolates(type, start)) return;
    if (type === LeftCurlyBracket) this.#openBlock();
    else if (type === RightCurlyBracket) this.#closeBlock();
    else if (type === Semicolon) this.#endStatement();
    else if (type !== WhiteSpace && type !== Comment && type !== BadUrl && this.#statement.length < MAX_STATEMENT) {
      this.#statement.push({ type, start, end, text: this.#source.slice(start, end) });
    }
  }

  /** Whether the token belongs to an interpolation, whose curly brackets do not open a block. */
  #interpolates(type: number, start: number): boolean {
    const before = this.#statement.at(-1);
    if (type === LeftCurlyBracket &&
      (this.#interpolations > 0 || (before?.type === Delim && before.end === start && '#@'.includes(before.text))))
    {
      this.#interpolations += 1;
      this.#dynamic = true;
      return true;
    }
    if (this.#interpolations === 0) return false;
    if (type === RightCurlyBracket) this.#interpolations -= 1;
    return true;
  }

  #openBlock(): void {
    const parent = this.#blocks.at(-1)!;
    const [first, second] = this.#statement;
    if (first?.type === AtKeyword) {
      if (first.text === '@property' && second !== undefined) this.#define(second.text, second);
      this.#blocks.push({ classes: parent.classes, frames: first.text.endsWith('keyframes') });
    } else if (this.#isDeclaration() || parent.frames || this.#dynamic) {
      this.#readDeclaration();
      this.#blocks.push({ ...parent });
    } else {
      this.#blocks.push({ classes: this.#readSelectors(parent.classes), frames: false });
    }
    this.#forget();
  }

  #closeBlock(): void {
    this.#endStatement();
    if (this.#blocks.length > 1) this.#blocks.pop();
  }

  #endStatement(): void {
    const [first] = this.#statement;
    if (first?.type === AtKeyword && IMPORTS.has(first.text.toLowerCase())) this.#readImports();
    else this.#readDeclaration();
    this.#forget();
  }

  #forget(): void {
    this.#statement = [];
    this.#dynamic = false;
  }

  /** `--x: {` and `font: {` open blocks of declarations; `a:hover {` does not. */
  #isDeclaration(): boolean {
    const [first, second] = this.#statement;
    return first?.type === Ident && second?.type === Colon &&
      (first.text.startsWith('--') || this.#statement.length === 2);
  }

  #readSelectors(parents: readonly string[]): string[] {
    const selectors = selectorsOf(this.#statement);
    return selectors.flatMap((tokens) => {
      const names = namesOf(tokens, parents);
      if (names.text !== undefined) this.#define(names.text, tokens[0]!);
      for (const { name, token } of names.named) this.#define(name, token);
      return names.lastClasses;
    }).slice(0, 16);
  }

  #readDeclaration(): void {
    const [first, second] = this.#statement;
    if (first?.type === Ident && first.text.startsWith('--') && second?.type === Colon)
      this.#define(ident.decode(first.text), first);
    if (first?.text.toLowerCase() === '@namespace') return; // a vocabulary, not a file
    for (const { target, token } of this.#urls())
      this.#symbols.uses.add(resolveStyleTarget(target, this.#piece.path), this.#lineOf(token));
  }

  #readImports(): void {
    let nesting = 0;
    for (const token of this.#statement) {
      if (token.type === LeftParenthesis || token.type === FunctionToken) nesting += 1;
      else if (token.type === RightParenthesis) nesting -= 1;
      else if (token.type === StringToken && nesting === 0) this.#import(cssString.decode(token.text), token);
    }
    for (const { target, token } of this.#urls()) this.#import(target, token);
  }

  #import(target: string, token: StyleToken): void {
    if (!this.#dynamic) this.#symbols.imports.add(resolveStyleTarget(target, this.#piece.path), this.#lineOf(token));
  }

  /** `url(a.png)` is one token; `url("a.png")` is a function with a string. */
  #urls(): { target: string; token: StyleToken }[] {
    return this.#statement.flatMap((token, i) => {
      if (token.type === Url) return [{ target: cssUrl.decode(token.text), token }];
      const before = this.#statement[i - 1];
      const quoted = token.type === StringToken && before?.type === FunctionToken &&
        before.text.toLowerCase() === 'url(';
      return quoted ? [{ target: cssString.decode(token.text), token }] : [];
    });
  }

  #define(name: string, token: StyleToken): void {
    this.#symbols.defines.add(name, this.#lineOf(token));
  }

  #lineOf(token: StyleToken): number {
    return this.#lines.at(token.start);
  }
}

/** Texts in which `//` does not begin a line comment, and line comments, which SCSS and LESS add to CSS. */
const COMMENTS =
  /\\[^]|"(?:[^"\\\n]|\\[^])*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\[^])*(?:'|(?=\n)|$)|\/\*[^]*?(?:\*\/|$)|url\([^)\n]{0,2048}\)|\/\/[^\n]*/gi;

/** Replaces line comments by spaces, so that offsets do not change. */
function withoutLineComments(source: string): string {
  return source.replace(COMMENTS, (part) => (part.startsWith('//') ? ' '.repeat(part.length) : part));
}

/** A token of a statement; whitespace and comments are omitted. */
interface StyleToken {
  readonly type: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The definitions in one selector of a style rule. */
interface SelectorNames {
  /** The selector itself, with whitespace as one space; undefined if `&` makes it a part of another selector. */
  readonly text: string | undefined;
  /** Classes and ids without `.` and `#`, escapes decoded. */
  readonly named: readonly { readonly name: string; readonly token: StyleToken }[];
  /** The class that `&-suffix` in a nested rule continues: the selector's last, if any. */
  readonly lastClasses: readonly string[];
}

/** Splits a rule's prelude at its commas, except those inside brackets. */
function selectorsOf(prelude: readonly StyleToken[]): StyleToken[][] {
  const selectors: StyleToken[][] = [[]];
  let nesting = 0;
  for (const token of prelude) {
    if (opens(token.type)) nesting += 1;
    else if (closes(token.type)) nesting -= 1;
    if (token.type === Comma && nesting <= 0) selectors.push([]);
    else selectors.at(-1)!.push(token);
  }
  return selectors.filter((tokens) => tokens.length > 0);
}

/** The names in a selector; `parents` are the last classes of the enclosing rule's selectors. */
function namesOf(tokens: readonly StyleToken[], parents: readonly string[]): SelectorNames {
  const named: { name: string; token: StyleToken }[] = [];
  const nested = tokens.some(({ text }) => text === '&');
  let lastClasses: readonly string[] = nested ? parents : [];
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    const isName = token.type === Ident || token.type === FunctionToken; // a mixin of LESS: `.name(`
    const joined = isName && before?.type === Delim && before.end === token.start ? before.text : '';
    const name = ident.decode(token.type === FunctionToken ? token.text.slice(0, -1) : token.text);
    if (token.type === Hash) named.push({ name: ident.decode(token.text.slice(1)), token });
    if (joined === '.') lastClasses = [name];
    else if (joined === '&') lastClasses = parents.map((parent) => parent + name);
    else continue;
    named.push(...lastClasses.map((each) => ({ name: each, token })));
  }
  return { text: nested ? undefined : textOf(tokens), named, lastClasses };
}

/** The tokens, joined by one space wherever there was whitespace or a comment. */
function textOf(tokens: readonly StyleToken[]): string {
  return tokens.map(({ text, start }, i) => (i > 0 && tokens[i - 1]!.end < start ? ` ${text}` : text)).join('');
}

function opens(type: number): boolean {
  return type === LeftParenthesis || type === LeftSquareBracket || type === FunctionToken;
}

function closes(type: number): boolean {
  return type === RightParenthesis || type === RightSquareBracket;
}
