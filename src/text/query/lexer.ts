/** A query that the grammar of its mode does not allow; the service returns 400 with the position. */
export class QuerySyntaxError extends Error {
  /** Offset in bytes of the UTF-8 query. */
  readonly position: number;

  constructor(position: number, message: string) {
    super(`${message} (at byte ${position})`);
    this.name = 'QuerySyntaxError';
    this.position = position;
  }
}

/** A query that exceeds a limit, whatever its syntax. */
export class QueryTooLargeError extends QuerySyntaxError {}

/** Longest query in bytes (decisions, section 8). */
export const MAX_QUERY_BYTES = 4096;
/** Maximum nesting of parentheses, and maximum number of operands of one expression (decisions, section 4.4). */
export const MAX_NESTING = 32;
export const MAX_ATOMS = 128;
/** Largest distance of a proximity phrase. */
export const MAX_DISTANCE = 1000;

/** A piece of a query; `start` and `end` are UTF-16 offsets, which the parser converts to bytes. */
export type Lexeme = { readonly start: number; readonly end: number } & (
  { readonly kind: '(' | ')' | 'AND' | 'OR' | 'NOT' | '+' | '-' | 'end' } | { readonly kind: 'phrase';
    readonly text: string; readonly distance?: number } | { readonly kind: 'word'; readonly text: string;
    readonly fuzzy?: number }
);

// Sticky patterns, none of which backtracks beyond its own match.
const SPACE = /\s+/y;
/**
 * A sign is an operator if a word, a phrase or a parenthesis follows directly: `-v`, but not `--verbose` or `a - b`.
 */
const SIGN = /[+-](?=[\p{L}\p{N}\p{M}"(*?])/uy;
const PHRASE = /"([^"]*)"(?:~(\d+))?/y;
const WORD = /[^\s()"]+/y;
/** A number after a tilde at the end of a word is its fuzziness. */
const FUZZY = /^(.+)~(\d+)$/s;

/**
 * Splits a query of the boolean or expression mode into its lexemes; the last one is `end`. Operators are whole words
 * in capitals. Throws QuerySyntaxError at a quote that is not closed.
 *
 * @param toByte converts a UTF-16 offset, for the error
 */
export function lex(query: string, toByte: (offset: number) => number): Lexeme[] {
  const lexemes: Lexeme[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(query);
  };
  while (at < query.length) {
    const space = match(SPACE);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const lexeme = next(query, at, match);
    if (lexeme === undefined) throw new QuerySyntaxError(toByte(at), 'the quote is not closed');
    lexemes.push(lexeme);
    at = lexeme.end;
  }
  lexemes.push({ kind: 'end', start: query.length, end: query.length });
  return lexemes;
}

/** The lexeme at an offset without a space; undefined for an unclosed quote. */
function next(query: string, start: number, match: (pattern: RegExp) => RegExpExecArray | null): Lexeme | undefined {
  const first = query[start]!;
  if (first === '(' || first === ')') return { kind: first, start, end: start + 1 };
  const phrase = match(PHRASE);
  if (phrase !== null) {
    const [all, text, distance] = phrase;
    return {
      kind: 'phrase',
      text: text!,
      start,
      end: start + all.length,
      ...(distance !== undefined && { distance: Number(distance) }),
    };
  }
  if (first === '"') return undefined;
  if ((first === '+' || first === '-') && match(SIGN) !== null) return { kind: first, start, end: start + 1 };
  const word = match(WORD)![0];
  const end = start + word.length;
  if (word === 'AND' || word === 'OR' || word === 'NOT') return { kind: word, start, end };
  const fuzzy = FUZZY.exec(word);
  return fuzzy === null
    ? { kind: 'word', text: word, start, end }
    : { kind: 'word', text: fuzzy[1]!, fuzzy: Number(fuzzy[2]), start, end };
}
