import { tokenizeCode } from '../code/tokenize.ts';
import { tokenize } from '../tokenize.ts';
import type { SourceRange } from './ast.ts';

/** A word of a query. */
export interface Word extends SourceRange {
  readonly form: string;
  /** The parts of an identifier that has several, without the identifier itself. */
  readonly parts: readonly string[];
}

/**
 * How a query is divided into words: as prose or as source code. A document is found by the words of the tokeniser by
 * which it was indexed.
 */
export interface Vocabulary {
  /** The words of a text, in order. */
  readonly wordsOf: (text: string) => readonly Word[];
  /** The pieces of a word that a pattern can match: characters that the tokeniser keeps together, and wildcards. */
  readonly pieces: RegExp;
  /** The characters between two wildcards, folded as in forms; separators of the tokeniser are dropped. */
  readonly fold: (literal: string) => string;
}

export const PROSE: Vocabulary = {
  wordsOf: (text) => tokenize(text).map(({ form, start, end }) => ({ form, parts: [], start, end })),
  pieces: /(?:[\p{L}\p{N}\p{M}*?\u00ad\u200c\u200d]|(?<=\p{L})['’](?=\p{L})|(?<=\p{Nd})\.(?=\p{Nd}))+/gu,
  fold: (literal) => tokenize(literal).map(({ form }) => form).join(''),
};

export const CODE: Vocabulary = {
  wordsOf: identifiersOf,
  pieces: /[\p{L}\p{M}\p{N}_$*?]+(?:-+[\p{L}\p{M}\p{N}_$*?]+)*/gu,
  fold: (literal) => literal.toLowerCase().normalize('NFC'),
};

/**
 * Each identifier with its parts. If it is too long to be a name, there is no token of the whole identifier, and each
 * part is a word.
 */
function identifiersOf(text: string): Word[] {
  const words: Word[] = [];
  for (const tokens of Map.groupBy(tokenizeCode(text), ({ position }) => position).values()) {
    const [whole, ...parts] = tokens;
    const isWhole = parts.every(({ end }) => end <= whole!.end);
    for (const { form, start, end } of isWhole ? [whole!] : tokens) {
      words.push({
        form,
        parts: isWhole ? [...new Set(parts.map((part) => part.form))].filter((part) => part !== form) : [],
        start,
        end,
      });
    }
  }
  return words;
}
