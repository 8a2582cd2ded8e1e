import { type Condition, type Filter, type FilterValue, invalidFilter, MAX_FILTER_DEPTH, toNumber } from './filter.ts';

/** Keywords of the grammar; as values they must be quoted. */
const KEYWORDS: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT', 'IN', 'TO', 'EXISTS', 'IS', 'NULL', 'EMPTY',
  'STARTS', 'WITH']);

const BOUND_OF = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' } as const;

/**
 * Parses a filter in this part of the grammar of Meilisearch:
 *
 *   filter    = and { "OR" and }
 *   and       = not { "AND" not }
 *   not       = "NOT" not | "(" filter ")" | condition
 *   condition = field ("=" | "!=" | ">" | ">=" | "<" | "<=") value
 *             | field value "TO" value                        both ends included
 *             | field ["NOT"] "IN" "[" value { "," value } [","] "]"
 *             | field ["NOT"] "STARTS" "WITH" value
 *             | field ["NOT"] "EXISTS"
 *             | field "IS" ["NOT"] ("EMPTY" | "NULL")
 *   field, value = a word of letters, digits and _ - . / : +, or a text in single or double quotes
 *
 * A word that is a number is compared as a number; in quotes it is text. Throws `invalid_argument` with the position
 * and what was expected there. `place` names the field of the request; `depth` is the depth of a surrounding tree.
 */
export function parseFilter(expression: string, place = 'filter', depth = 0): Filter {
  return new Parser(tokensOf(expression), place).parse(depth);
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #place: string;
  #next = 0;

  constructor(tokens: readonly Token[], place: string) {
    this.#tokens = tokens;
    this.#place = place;
  }

  parse(depth: number): Filter {
    const filter = this.#joined('or', depth);
    if (this.#token.kind !== 'end') throw this.#expected('AND, OR or the end');
    return filter;
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  #joined(kind: 'and' | 'or', depth: number): Filter {
    const part = (): Filter => (kind === 'or' ? this.#joined('and', depth) : this.#negated(depth));
    const parts = [part()];
    while (this.#takes(kind.toUpperCase())) parts.push(part());
    return parts.length === 1 ? parts[0]! : { kind, parts };
  }

  #negated(depth: number): Filter {
    if (depth > MAX_FILTER_DEPTH)
      throw invalidFilter(`must not be nested deeper than ${MAX_FILTER_DEPTH} levels, at character ${this.#token.at}`,
        this.#place);
    if (this.#takes('NOT')) return { kind: 'not', part: this.#negated(depth + 1) };
    if (!this.#takesSymbol('(')) return this.#condition();
    const filter = this.#joined('or', depth + 1);
    if (!this.#takesSymbol(')')) throw this.#expected('AND, OR or ")"');
    return filter;
  }

  #condition(): Filter {
    const field = this.#text('a field, NOT or "("');
    const { kind, text } = this.#token;
    if (kind === 'symbol') return this.#comparison(field, text);
    if (this.#takes('IS')) return this.#state(field);
    if (this.#takes('NOT')) return { kind: 'not', part: this.#membership(field, 'IN, EXISTS or STARTS WITH') };
    if (this.#isKeyword('IN') || this.#isKeyword('EXISTS') || this.#isKeyword('STARTS'))
      return this.#membership(field, '');
    const gte = this.#value('an operator');
    if (!this.#takes('TO')) throw this.#expected(`TO, or an operator before "${gte}"`);
    return { kind: 'range', field, bounds: { gte, lte: this.#value() } };
  }

  #comparison(field: string, operator: string): Filter {
    if (operator === '=' || operator === '!=') {
      this.#next += 1;
      const match: Condition = { kind: 'match', field, values: [this.#value()] };
      return operator === '=' ? match : { kind: 'not', part: match };
    }
    if (!Object.hasOwn(BOUND_OF, operator)) throw this.#expected('an operator');
    this.#next += 1;
    return { kind: 'range', field, bounds: { [BOUND_OF[operator as keyof typeof BOUND_OF]]: this.#value() } };
  }

  /** Metadata have no null: a key has values, or it is absent. */
  #state(field: string): Filter {
    const isNegated = this.#takes('NOT');
    const isNull = this.#takes('NULL');
    if (!isNull && !this.#takes('EMPTY')) throw this.#expected(isNegated ? 'EMPTY or NULL' : 'NOT, EMPTY or NULL');
    const state: Condition = isNull ? { kind: 'exists', field } : { kind: 'match', field, values: [''] };
    return isNull === isNegated ? state : { kind: 'not', part: state };
  }

  #membership(field: string, expected: string): Condition {
    if (this.#takes('EXISTS')) return { kind: 'exists', field };
    if (this.#takes('STARTS')) {
      if (!this.#takes('WITH')) throw this.#expected('WITH');
      return { kind: 'prefix', field, prefix: this.#text('a value') };
    }
    if (!this.#takes('IN')) throw this.#expected(expected);
    if (!this.#takesSymbol('[')) throw this.#expected('"["');
    const values = [this.#value()];
    while (!this.#takesSymbol(']')) {
      if (!this.#takesSymbol(',')) throw this.#expected('"," or "]"');
      if (this.#token.text !== ']') values.push(this.#value('a value or "]"'));
    }
    return { kind: 'match', field, values };
  }

  #value(expected = 'a value'): FilterValue {
    const isWord = this.#token.kind === 'word';
    const text = this.#text(expected);
    return isWord ? toNumber(text) ?? text : text;
  }

  #text(expected: string): string {
    const { kind, text } = this.#token;
    if (kind !== 'quoted' && (kind !== 'word' || KEYWORDS.has(text))) throw this.#expected(expected);
    this.#next += 1;
    return text;
  }

  #isKeyword(word: string): boolean {
    return this.#token.kind === 'word' && this.#token.text === word;
  }

  #takes(word: string): boolean {
    if (!this.#isKeyword(word)) return false;
    this.#next += 1;
    return true;
  }

  #takesSymbol(symbol: string): boolean {
    if (this.#token.kind !== 'symbol' || this.#token.text !== symbol) return false;
    this.#next += 1;
    return true;
  }

  #expected(what: string): Error {
    const { kind, text, at } = this.#token;
    const got = kind === 'end' ? 'the end' : `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
    return invalidFilter(`must have ${what} at character ${at}, got ${got}`, this.#place);
  }
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'symbol' | 'end';
  /** Its content: for a quoted text, the part within the quotes. */
  readonly text: string;
  /** Its position, counted from 1 in UTF-16 units. */
  readonly at: number;
}

const SPACE = /\s*/y;
const WORD = /[\p{L}\p{N}\p{M}_\-./:+]+/uy;
const SYMBOL = /!=|>=|<=|[=<>()[\],]/y;

/** The tokens of an expression, followed by one of the kind `end`. */
function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = skipSpace(expression, 0);
  while (at < expression.length) {
    const { token, end } = tokenAt(expression, at);
    tokens.push(token);
    at = skipSpace(expression, end);
  }
  tokens.push({ kind: 'end', text: '', at: at + 1 });
  return tokens;
}

function skipSpace(expression: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.exec(expression);
  return SPACE.lastIndex;
}

function tokenAt(expression: string, at: number): { token: Token; end: number } {
  const first = expression[at]!;
  if (first === '"' || first === "'") return quotedAt(expression, at, first);
  for (const [kind, pattern] of [['word', WORD], ['symbol', SYMBOL]] as const) {
    pattern.lastIndex = at;
    const text = pattern.exec(expression)?.[0];
    if (text !== undefined) return { token: { kind, text, at: at + 1 }, end: at + text.length };
  }
  throw invalidFilter(
    `must have quotes around a text with "${String.fromCodePoint(expression.codePointAt(at)!)}", at character ${
      at + 1
    }`,
  );
}

/** A backslash escapes a quote of the same kind or another backslash; before anything else it is literal. */
function quotedAt(expression: string, start: number, quote: string): { token: Token; end: number } {
  let text = '';
  for (let at = start + 1; at < expression.length; at++) {
    const character = expression[at]!;
    if (character === quote) return { token: { kind: 'quoted', text, at: start + 1 }, end: at + 1 };
    const next = expression[at + 1];
    if (character === '\\' && (next === quote || next === '\\')) {
      text += next;
      at += 1;
    } else text += character;
  }
  throw invalidFilter(`has a quote at character ${start + 1} that is never closed`);
}
