import { tokenizeCode } from '../code/tokenize.ts';
import { tokenize } from '../tokenize.ts';
import type { SourceRange } from './ast.ts';

/** A word of a query. */
export interface Word extends SourceRange {
  readonly form: string;
  /** Those of an identifier, where it has several; without itself. */
  readonly parts: readonly string[];
}

/** What a query's words are: those of prose or of source code. A document is found by the words of its own tokeniser. */
export interface Vocabulary {
  /** The words of a text, in order. */
  readonly wordsOf: (text: string) => readonly Word[];
  /** The pieces of a word that a pattern can reach over: what the tokeniser keeps together, and the wildcards. */
  readonly pieces: RegExp;
  /** The characters between two wildcards as they stand in forms; what the tokeniser would split at is dropped. */
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

/** Each identifier with its parts. One that is too long to be a name has no whole: each part is a word then. */
function identifiersOf(text: string): Word[] {
  const words: Word[] = [];
  for (const tokens of Map.groupBy(tokenizeCode(text), ({ position }) => position).values()) {
    const [whole, ...parts] = tokens;
    const isWhole = parts.every(({ end }) => end <= whole!.end);
    for (const { form, start, end } of isWhole ? [whole!] : tokens) {
      words.push({ form, parts: isWhole ? [...new Set(parts.map((part) => part.form))].filter((part) => part !== form) : [], start, end });
    }
  }
  return words;
}
