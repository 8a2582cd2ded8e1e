/**
 * The part of ECMAScript's regular expressions (with the `u` flag) that describes a regular
 * language, as a tree. What needs backtracking to decide (backreferences, look-around) has no node.
 */
export type Pattern = { readonly type: 'atom'; readonly source: string } | { readonly type: 'assertion';
  readonly kind: Assertion } | { readonly type: 'sequence'; readonly parts: readonly Pattern[] } | {
  readonly type: 'choice';
  readonly options: readonly Pattern[];
} | { readonly type: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number };

/** `^`, `$`, `\b` and `\B`. */
export type Assertion = 'start' | 'end' | 'boundary' | 'inside';

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': 'start',
  '$': 'end',
  '\\b': 'boundary',
  '\\B': 'inside',
};

/**
 * One atom: an escape (a surrogate pair of two `\u` escapes is one character), a class, or any
 * other code point. Under the `u` flag classes do not nest, so a class ends at its first bare `]`.
 */
const ATOM =
  /\\(?:u\{[^}]*\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[pP]\{[^}]*\}|x..|c.|.)|\[(?:\\.|[^\]\\])*\]|./suy;

const QUANTIFIER = /([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y;

/** Throws a `SyntaxError` if the source is not a regular expression or needs something that this tree lacks. */
export function parsePattern(source: string): Pattern {
  // The engine's own parser checks the grammar, so the parser below only has to find the structure.
  new RegExp(source, 'u');
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Pattern {
    return this.#choice();
  }

  #choice(): Pattern {
    const options = [this.#sequence()];
    while (this.#skip('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) parts.push(this.#quantified());
    return { type: 'sequence', parts };
  }

  #quantified(): Pattern {
    const part = this.#skip('(') ? this.#group() : this.#single();
    const quantifier = this.#match(QUANTIFIER);
    if (quantifier === undefined) return part;
    const [, sign, least, comma, most] = quantifier;
    if (sign !== undefined)
      return { type: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    return { type: 'repeat', part, min: Number(least), max: most ? Number(most) : comma ? Infinity : Number(least) };
  }

  /** The part of the match that a group captured is not needed, so every group is a plain one. */
  #group(): Pattern {
    if (this.#source[this.#at] === '?' && this.#match(/\?(?::|<(?![=!])[^>]*>)/y) === undefined) {
      throw new SyntaxError('look-around and inline flags are not supported');
    }
    const inner = this.#choice();
    this.#skip(')');
    return inner;
  }

  #single(): Pattern {
    const source = this.#match(ATOM)![0];
    if (/^\\[1-9k]/.test(source)) throw new SyntaxError('backreferences are not supported');
    const kind = ASSERTIONS[source];
    return kind === undefined ? { type: 'atom', source } : { type: 'assertion', kind };
  }

  #skip(character: string): boolean {
    const found = this.#source[this.#at] === character;
    if (found) this.#at += 1;
    return found;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source) ?? undefined;
    this.#at += match?.[0].length ?? 0;
    return match;
  }
}
