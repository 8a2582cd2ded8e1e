import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from 'parse5';
import { resolveLocal } from '../import-paths.ts';
import { readScript } from './script.ts';
import { readStyle } from './style.ts';
import { LineCounter, type Piece, type SymbolSets } from './symbol-set.ts';

/** How to tokenise elements that contain only text (HTML standard, "parsing HTML fragments"). */
const TEXT_MODES: Readonly<Record<string, Tokenizer['state']>> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

/** `onclick`, Svelte's `on:click`, Vue's `@click` and `v-on:click`; parse5 writes names in lower case. */
const HANDLER = /^(?:on:?[a-z]|v-on:|@[a-z])/;
const SCRIPT_TYPE = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma|type)script|text\/(?:babel|jsx))?$/i;
/** A placeholder of a template language; words that contain one are unknown. */
const FILLED_IN = /\{[^{}]*\}|<%[^%]*%>/g;
const UNKNOWN = /[{}<>]/;
/** An expression of Svelte as the value of an attribute; one level of nested braces is supported. */
const EXPRESSION = /=\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g;

/**
 * HTML, Vue and Svelte: `id`s are definitions, class names and the functions that `on*` handlers call are uses, local
 * `src` and `href` targets are imports (contract, "Code documents"). Scripts and style sheets inside the document add
 * their own symbols. It reads tags instead of a tree: that takes linear time for every input, and the templates of
 * components are not valid trees.
 */
export function readMarkup(piece: Piece, language: string, symbols: SymbolSets): void {
  const reader = new MarkupReader(piece, symbols);
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, reader.handler((state) => {
    tokenizer.state = state;
  }));
  tokenizer.write(language === 'svelte' ? withClosedExpressions(piece.source) : piece.source, true);
  reader.readEmbedded();
}

/** Rewrites expressions as valid unquoted values of HTML, which spaces and `>` would end; offsets do not change. */
function withClosedExpressions(source: string): string {
  return source.replace(EXPRESSION, (text) => text.replace(/\s/g, '\u00a0').replaceAll('>', '\u203a'));
}

/** A script or style sheet inside the document. */
interface Embedded {
  readonly element: 'script' | 'style';
  readonly language: string;
  readonly piece: Piece;
}

class MarkupReader {
  readonly #piece: Piece;
  readonly #symbols: SymbolSets;
  readonly #lines: LineCounter;
  readonly #embedded: Embedded[] = [];
  #open: { tag: Token.TagToken; start: number } | undefined;

  constructor(piece: Piece, symbols: SymbolSets) {
    this.#piece = piece;
    this.#symbols = symbols;
    this.#lines = new LineCounter(piece);
  }

  handler(switchTo: (state: Tokenizer['state']) => void): TokenHandler {
    const ignore = (): void => undefined;
    return {
      onStartTag: (tag) => {
        this.#startTag(tag);
        if (Object.hasOwn(TEXT_MODES, tag.tagName)) switchTo(TEXT_MODES[tag.tagName]!);
      },
      onEndTag: (tag) => this.#endElement(tag.location!.startOffset),
      onEof: () => this.#endElement(this.#piece.source.length),
      onComment: ignore,
      onDoctype: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
    };
  }

  /** Read after the markup, so that a parser that runs out of time only loses the symbols of scripts. */
  readEmbedded(): void {
    for (const { element, language, piece } of this.#embedded) {
      if (element === 'script') readScript(piece, language, this.#symbols);
      else readStyle(piece, language, this.#symbols);
    }
  }

  #startTag(tag: Token.TagToken): void {
    for (const { name, value } of tag.attrs) {
      const { startOffset } = tag.location!.attrs?.[name] ?? tag.location!;
      this.#attribute(name, value, this.#lines.at(startOffset));
    }
    if (tag.tagName === 'script' || tag.tagName === 'style') this.#open = { tag, start: tag.location!.endOffset };
  }

  #attribute(name: string, value: string, line: number): void {
    const { defines, uses, imports } = this.#symbols;
    if (name === 'id') { for (const word of knownWords(value)) defines.add(word, line); }
    else if (name === 'class') { for (const word of knownWords(value)) uses.add(word, line); }
    else if (name.startsWith('class:')) uses.add(name.slice('class:'.length), line);
    else if (name === 'src' || name === 'href') imports.add(resolveLocal(value, this.#piece.path), line);
    else if (HANDLER.test(name)) { for (const handler of handlerNames(value)) uses.add(handler, line); }
  }

  #endElement(end: number): void {
    if (this.#open === undefined) return;
    const { tag, start } = this.#open;
    this.#open = undefined;
    const source = this.#piece.source.slice(start, end);
    const language = embeddedLanguage(tag);
    if (language === undefined || source.trim() === '') return;
    const element = tag.tagName === 'script' ? 'script' : 'style';
    const line = this.#lines.at(start);
    this.#embedded.push({ element, language, piece: { source, line, path: this.#piece.path } });
  }
}

/** The words of an attribute, except those that contain placeholders. */
function knownWords(value: string): string[] {
  return value.replace(FILLED_IN, '{}').split(/\s+/).filter((word) => !UNKNOWN.test(word));
}

/** The language of a script or style element; undefined for data and templates. */
function embeddedLanguage(tag: Token.TagToken): string | undefined {
  const attribute = (name: string): string =>
    tag.attrs.find((each) => each.name === name)?.value.trim().toLowerCase() ?? '';
  const lang = attribute('lang');
  if (tag.tagName === 'style')
    return lang === 'sass' || lang === 'stylus' ? undefined : lang === 'scss' || lang === 'less' ? lang : 'css';
  if (lang.startsWith('ts')) return 'typescript';
  return SCRIPT_TYPE.test(attribute('type')) ? 'javascript' : undefined;
}

/** Keywords before a parenthesis that are not function calls. */
const KEYWORDS: ReadonlySet<string> = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'return', 'typeof',
  'void', 'await', 'async', 'with', 'super']);
/** Objects that the browser provides: their methods are not names of the document. */
const PROVIDED: ReadonlySet<string> = new Set(['this', 'event', '$event', 'document', 'console', 'location', 'history',
  'navigator', 'Math', 'JSON', 'Object', 'localStorage', 'sessionStorage']);
const GLOBALS: ReadonlySet<string> = new Set(['window', 'self', 'globalThis']);

const PATH = /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u;
const CALL = /(?<![\p{ID_Continue}$.])([\p{ID_Start}$_][\p{ID_Continue}$.]*)(?=\s{0,8}\()/gu;
const STRINGS = /'(?:[^'\\]|\\[^])*(?:'|$)|"(?:[^"\\]|\\[^])*(?:"|$)/g;
const MAX_HANDLER_LENGTH = 4096;

/**
 * The names that an event handler refers to: the functions that it calls, or the function that it is. For `App.open()`
 * that is `App`, which a script may define; for `event.preventDefault()` it is nothing.
 */
function handlerNames(value: string): string[] {
  if (value.length > MAX_HANDLER_LENGTH) return [];
  const code = value.trim().replace(/^\{(.*)\}$/s, '$1').trim();
  if (PATH.test(code)) return named(code);
  return [...code.replace(STRINGS, "''").matchAll(CALL)].flatMap((match) => named(match[1]!));
}

function named(path: string): string[] {
  const parts = path.split('.');
  const root = GLOBALS.has(parts[0]!) && parts.length > 1 ? parts[1]! : parts[0]!;
  return KEYWORDS.has(root) || PROVIDED.has(root) || root === '' ? [] : [root];
}
