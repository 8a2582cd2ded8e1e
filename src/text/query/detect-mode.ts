import { isPasted } from './pasted-text.ts';
import { isPattern } from './vocabulary.ts';

/** The modes of `/v1/fts` other than `auto` (contract, "Full-text search"). */
export const QUERY_MODES = ['simple', 'boolean', 'phrase', 'wildcard', 'proximity', 'expression'] as const;
export type QueryMode = (typeof QUERY_MODES)[number];

/** AND, OR or NOT as a word, also next to parentheses, or a sign before an operand. */
const OPERATOR = /(?<![^\s()"])(?:AND|OR|NOT)(?![^\s()"])|(?<![^\s(])[+-](?=[\p{L}\p{N}\p{M}"(*?])/u;
/** A quote behind a digit stands for inches. */
const QUOTED = /(?<!\p{N})"[^"]*"/u;
const NEAR = /(?<!\p{N})"[^"]*"~\d/u;
const GROUPING = /[()"]/;
/** What every other syntax than that of plain words has. */
const SYNTAX = /["*?()+-]|AND|OR|NOT/;
const INNER_MARK = /[\p{L}\p{N}\p{M}]\?+[\p{L}\p{N}]/u;
/** What `withoutQuestionMark` may remove. */
const ENDED = /[?\s]$/;

/**
 * The mode that a query's syntax implies, in the order of decision D-87, with two interpretations: parentheses without
 * an operator ("what does main() do") are prose; "only quotes" means that the query has no other syntax. Pasted text
 * has no syntax (decision D-178).
 */
export function detectMode(query: string): QueryMode {
  if (!SYNTAX.test(query) || isPasted(query)) return 'simple';
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

/** In a sentence, a question mark is punctuation; in a single word, it is a wildcard between letters or digits. */
function hasWildcard(query: string): boolean {
  const words = query.trim().split(/\s+/);
  const [word] = words;
  return words.some((each) => each.includes('*') && isPattern(each)) ||
    (words.length === 1 && word !== undefined && INNER_MARK.test(word) && isPattern(word));
}

/** Removes the question marks that end a sentence, so that no mode interprets the last word as a pattern. */
export function withoutQuestionMark(query: string): string {
  return ENDED.test(query) && /\S\s+\S/.test(query) ? query.replace(/[?\s]+$/, '') : query;
}
