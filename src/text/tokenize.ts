import { AMOUNT_MASK, CLASS_SHIFT, EXPANDS, lookUp, TokenClass, type TokenTables,
  tokenTables } from './token-tables.ts';

/**
 * The definition of tokens for prose. The WebAssembly tokeniser returns the same, byte for byte; code has a tokeniser
 * of its own (contract, "Code documents").
 *
 * The rules, based on the classes of `token-tables.ts`:
 *
 * 1. A word starts at a letter or digit and includes all following letters, digits, extending and composing code
 *   points.
 * 2. An apostrophe (`'`, `’`, `ʼ`, `＇`) between two letters and a full stop between two decimal digits
 * belong to the word: `don't`, `l’avion`, `3.14`, `2.15.4`. "Between" refers to the next code point, and to the last
 * code point of the
 * word that is not extending or composing. All other characters split words: hyphen, underscore, slash. The analyzer of
 * the language
 *    handles apostrophes, because stop words and elision need them.
 * 3. A run of a script without spaces starts at a segmented code point and includes segmented, extending and composing
 *   ones.
 *    `Intl.Segmenter` divides it into words; pieces that are not word-like are dropped.
 * 4. A word of more than `MAX_TOKEN_BYTES` bytes of UTF-8 is cut there, at a character boundary, and continues as
 *   another token. Rule 2
 * does not apply across the cut, but the first part may end in a joiner that rule 2 has included. An extending or
 * composing code point
 *    directly after the cut is dropped, because by rule 1 it cannot start a word.
 * 5. The form is the concatenation of the folding of each code point (lower case, compatibility forms,
 * ß as ss, ς as σ, ASCII digits; ignorable ones are removed). It is converted to NFC if and only if the token has a
 * composing code point
 * or comes from rule 3. Diacritics are kept, because stemmers need them; terms are folded after stemming
 * (`folding.ts`). Tokens with an
 *    empty form are dropped.
 *
 * 6. `++` and `#` directly after a word of a single ASCII letter belong to it, unless the same sign, a letter or a
 * digit follows: `C++`, `F#`, but not `a+b` or `x#top`.
 *
 * 7. A full stop directly before a word of 2 to 30 ASCII capitals, which may end in `'s`, belongs to it, unless a small
 * letter, a digit, a full stop or a code point beyond ASCII stands before: `.NET` and `ASP.NET`, but not `Math.PI`. The
 * same holds for `.net` and `.Net` at the start of a text, and behind an ASCII space, bracket or quote.
 *
 * So a document without composing and segmented code points, and without words of rule 7, needs only the tables and the
 * offsets: the WebAssembly twin does that part. It returns other documents to this tokeniser.
 */
export interface Token {
  /** Its start: byte offset in the UTF-8 text. */
  readonly start: number;
  /** Its end, exclusive. */
  readonly end: number;
  /** Folded surface form, with diacritics; never empty. */
  readonly form: string;
  /** Number of the token in the text, from 0. */
  readonly position: number;
}

/** Maximum length of a token, in bytes of the text. Its form has at most three times as many. */
export const MAX_TOKEN_BYTES = 256;

/** The tokens of a text in order; never throws (a lone surrogate counts as U+FFFD, as in UTF-8). */
export function tokenize(text: string): Token[] {
  return new Tokenizer(text).run();
}

/** The forms of a text's tokens, as an index contains them: for stop words, synonyms and query terms. */
export function formsOf(text: string): string[] {
  return tokenize(text).map(({ form }) => form);
}

/** One pass over the code points, which tracks the offset in the string and in bytes. */
class Tokenizer {
  readonly #tables: TokenTables = tokenTables();
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** Offset of the current code point in UTF-16 units, and in bytes. */
  #at = 0;
  #byte = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Token[] {
    while (this.#at < this.#text.length) {
      const kind = this.#classAt(this.#at);
      if (kind === TokenClass.letter || kind === TokenClass.digit) this.#word();
      else if (kind === TokenClass.segmented) this.#spacelessRun();
      else this.#advance();
    }
    return this.#tokens;
  }

  /** Rules 1, 2, 4, 6 and 7. */
  #word(): void {
    const start = this.#at;
    const startByte = this.#byte;
    let last: number = TokenClass.separator;
    let composing = false;
    while (this.#at < this.#text.length) {
      const kind = this.#classAt(this.#at);
      if (!this.#belongs(kind, last) || this.#byte + this.#bytesHere() - startByte > MAX_TOKEN_BYTES) break;
      if (kind === TokenClass.composing) composing = true;
      else if (kind !== TokenClass.extend) last = kind;
      this.#advance();
    }
    if (this.#at - start === 1 && last === TokenClass.letter && this.#byte - startByte === 1) {
      for (let signs = this.#signsHere(); signs > 0; signs--) this.#advance();
    }
    const signs = this.#isName(start) ? 1 : 0;
    const form = this.#fold(start - signs, this.#at);
    this.#emit(startByte - signs, this.#byte, composing ? form.normalize('NFC') : form);
  }

  /** Whether a full stop before the word that ends here belongs to it. */
  #isName(start: number): boolean {
    return this.#text[start - 1] === '.' && NAME.test(this.#text.slice(start, this.#at)) &&
      beginsName(this.#text, start - 1);
  }

  /** Whether a code point of a class continues a word whose last letter, digit or joiner is of class `last`. */
  #belongs(kind: number, last: number): boolean {
    switch (kind) {
      case TokenClass.letter:
      case TokenClass.digit:
      case TokenClass.extend:
      case TokenClass.composing:
        return true;
      case TokenClass.apostrophe:
        return last === TokenClass.letter && this.#classBehind() === TokenClass.letter;
      case TokenClass.fullStop:
        return last === TokenClass.digit && this.#classBehind() === TokenClass.digit;
      default:
        return false;
    }
  }

  /** Number of signs here that belong to a single letter before them. */
  #signsHere(): number {
    const sign = this.#text[this.#at];
    const signs = sign === '#' ? sign : '++';
    if (!this.#text.startsWith(signs, this.#at)) return 0;
    const behind = this.#at + signs.length;
    if (behind === this.#text.length) return signs.length;
    const kind = this.#classAt(behind);
    return this.#text[behind] === sign || kind === TokenClass.letter || kind === TokenClass.digit ? 0 : signs.length;
  }

  /** Rule 3. */
  #spacelessRun(): void {
    const start = this.#at;
    const startByte = this.#byte;
    while (this.#at < this.#text.length && continuesRun(this.#classAt(this.#at))) this.#advance();
    let byte = startByte;
    for (const { segment, index, isWordLike } of segmenter().segment(this.#text.slice(start, this.#at))) {
      const end = byte + Buffer.byteLength(segment);
      if (isWordLike) this.#emit(byte, end, this.#fold(start + index, start + index + segment.length).normalize('NFC'));
      byte = end;
    }
  }

  #emit(start: number, end: number, form: string): void {
    if (form !== '') this.#tokens.push({ start, end, form, position: this.#tokens.length });
  }

  /** Rule 5, without NFC. */
  #fold(start: number, end: number): string {
    let form = '';
    for (let i = start; i < end;) {
      const codePoint = this.#text.codePointAt(i)!;
      const value = lookUp(this.#tables, codePoint);
      form += (value & EXPANDS) !== 0
        ? expansion(this.#tables, value & AMOUNT_MASK)
        : String.fromCodePoint((codePoint + (value & AMOUNT_MASK)) & 0x1f_ff_ff);
      i += codePoint > 0xffff ? 2 : 1;
    }
    return form;
  }

  #classAt(offset: number): number {
    return lookUp(this.#tables, this.#text.codePointAt(offset)!) >>> CLASS_SHIFT;
  }

  /** Class of the code point after the current joiner; every joiner is one UTF-16 unit. */
  #classBehind(): number {
    return this.#at + 1 < this.#text.length ? this.#classAt(this.#at + 1) : TokenClass.separator;
  }

  #bytesHere(): number {
    return utf8Length(this.#text.codePointAt(this.#at)!);
  }

  #advance(): void {
    const codePoint = this.#text.codePointAt(this.#at)!;
    this.#at += codePoint > 0xffff ? 2 : 1;
    this.#byte += utf8Length(codePoint);
  }
}

/** A word of rule 7, without its full stop. */
const NAME = /^(?:[A-Z]{2,30}|[Nn]et)(?:['’]s)?$/;

/** Whether a full stop may belong to the word behind it, as far as the character before it decides. */
export function beginsName(text: string, fullStop: number): boolean {
  if (fullStop === 0) return true;
  const before = /[Nn]et/.test(text.slice(fullStop + 1, fullStop + 4)) ? /[\t\n\r ([{"'`]/ : /[^a-z\d.\u0080-\uffff]/;
  return before.test(text[fullStop - 1]!);
}

function continuesRun(kind: number): boolean {
  return kind === TokenClass.segmented || kind === TokenClass.extend || kind === TokenClass.composing;
}

function utf8Length(codePoint: number): number {
  return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x1_0000 ? 3 : 4;
}

function expansion({ expansions }: TokenTables, offset: number): string {
  const length = expansions[offset]!;
  return Buffer.from(expansions.subarray(offset + 1, offset + 1 + length)).toString();
}

let shared: Intl.Segmenter | undefined;

/** Word boundaries in scripts without spaces come from dictionaries, which do not depend on the locale. */
function segmenter(): Intl.Segmenter {
  return shared ??= new Intl.Segmenter('en', { granularity: 'word' });
}
