import { PROSE, wordAtom } from './vocabulary.ts';

/** The modes of `/v1/fts` other than `auto` (contract, "Full-text search"). */
export const QUERY_MODES = ['simple', 'boolean', 'phrase', 'wildcard', 'proximity', 'expression'] as const;
export type QueryMode = (typeof QUERY_MODES)[number];

/** AND, OR or NOT as a word, also next to parentheses, or a sign before an operand. */
const OPERATOR = /(?<![^\s()"])(?:AND|OR|NOT)(?![^\s()"])|(?<![^\s(])[+-](?=[\p{L}\p{N}\p{M}"(*?])/u;
const QUOTED = /"[^"]*"/;
const NEAR = /"[^"]*"~\d/;
const GROUPING = /[()"]/;
/** What every other syntax than that of plain words has. */
const SYNTAX = /["*?()+-]|AND|OR|NOT/;
/** What `withoutQuestionMark` may remove. */
const ENDED = /[?\s]$/;

/**
 * The mode that a query's syntax implies, in the order of decision D-87, with two interpretations: parentheses without
 * an operator ("what does main() do") are prose; "only quotes" means that the query has no other syntax.
 */
export function detectMode(query: string): QueryMode {
  if (!SYNTAX.test(query)) return 'simple';
  if (GROUPING.test(query) && hasOperator(query)) return 'expression';
  if (NEAR.test(query)) return 'proximity';
  if (QUOTED.test(query)) return 'phrase';
  if (hasWildcard(query)) return 'wildcard';
  return hasOperator(query) ? 'boolean' : 'simple';
}

/** Whether a query has an operator of the boolean mode. */
export function hasOperator(query: string): boolean {
  return OPERATOR.test(query);
}

/**
 * In a sentence, a question mark is punctuation; in a single word, it is a wildcard if it is inside the word or follows
 * three letters.
 */
function hasWildcard(query: string): boolean {
  const words = query.trim().split(/\s+/);
  if (words.some((word) => word.includes('*') && wordAtom(word, { start: 0, end: 0 }, PROSE)?.kind !== undefined))
    return true;
  const [word] = words;
  return words.length === 1 && word !== undefined &&
    (/\?[\p{L}\p{N}]/u.test(word) || /[\p{L}\p{M}]{3}\?+$/u.test(word));
}

/** Removes the question marks that end a sentence, so that no mode interprets the last word as a pattern. */
export function withoutQuestionMark(query: string): string {
  return ENDED.test(query) && /\S\s+\S/.test(query) ? query.replace(/[?\s]+$/, '') : query;
}
