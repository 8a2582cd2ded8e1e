import { invalidFilter } from './filter.ts';

export interface Token {
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
export function tokensOf(expression: string): Token[] {
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
