import { tokenizeCode } from '../code/tokenize.ts';
import { beginsNoWord, isParticleAt } from '../languages/index.ts';
import { isSpaceless } from '../spaceless.ts';
import { type Token, tokenize } from '../tokenize.ts';
import { allOf, type QueryNode, type SourceRange } from './ast.ts';
import { QueryTooLargeError } from './lexer.ts';

/** A word of a query. */
interface Word extends SourceRange {
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
  wordsOf: (text) => wordsOfLetters(tokenize(text)).map(({ form, start, end }) => ({ form, parts: [], start, end })),
  pieces: /(?:[\p{L}\p{N}\p{M}*?\u00ad\u200c\u200d]|(?<=\p{L})['’](?=\p{L})|(?<=\p{Nd})\.(?=\p{Nd}))+/gu,
  fold: (literal) => tokenize(literal).map(({ form }) => form).join(''),
};

export const CODE: Vocabulary = {
  wordsOf: identifiersOf,
  pieces: /[\p{L}\p{M}\p{N}_$*?]+(?:-+[\p{L}\p{M}\p{N}_$*?]+)*/gu,
  fold: (literal) => literal.toLowerCase().normalize('NFC'),
};

/**
 * Single letters of a script without spaces that follow each other are one word, which the dictionary of the tokeniser
 * does not have (a name, an inflection), except for particles. A letter that begins no word belongs to the one before.
 */
function wordsOfLetters(tokens: readonly Token[]): Token[] {
  const letters = tokens.map(({ form }) => ([...form].length === 1 && isSpaceless(form) ? form : undefined));
  const words: Token[] = [];
  let isOpen = false;
  for (const [i, token] of tokens.entries()) {
    const letter = letters[i];
    const last: Token | undefined = words.at(-1);
    const isPart = letter !== undefined && !isParticleAt(letters, i);
    if (last?.end === token.start && ((isPart && isOpen) || (beginsNoWord(token.form) && isSpaceless(last.form)))) {
      words[words.length - 1] = { ...last, form: last.form + token.form, end: token.end };
      isOpen = isPart && isOpen;
    } else {
      words.push(token);
      isOpen = isPart;
    }
  }
  return words;
}

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

/** A star beside a letter or digit, but not one that multiplies two numbers. */
const STAR = /[\p{L}\p{N}\p{M}_$]\*|\*[\p{L}\p{N}_$]/u;
const PRODUCT = /\p{N}\*+\p{N}/u;

/**
 * Whether a word with wildcards can be meant as a pattern: it is one word of prose or of code, wildcards aside, or
 * names with dots between them, and its stars stand beside its letters. Files, emphasis and products are none (`*.js`,
 * `data-*`, `**bold**`, `2*3`).
 */
export function isPattern(word: string): boolean {
  if (word.includes('**') || (word.includes('*') && !STAR.test(word)) || PRODUCT.test(word)) return false;
  const names = word.includes('?') ? [word] : word.split('.');
  const isWhole = (text: string): boolean => [PROSE, CODE].some(({ pieces }) => text.match(pieces)?.[0] === text);
  return /[\p{L}\p{N}]/u.test(word) && names.every(isWhole);
}

const WILDCARDS = /[*?]/;
const LITERALS = /[^*?]+/g;

/**
 * The node of a word in a query: a term, a phrase if it has several tokens ("wi-fi", "全文検索"), a pattern if it has
 * wildcards; undefined if it has no letter or digit.
 */
export function wordAtom(text: string, range: SourceRange, vocabulary: Vocabulary, fuzzy?: 0 | 1 | 2): QueryNode
  | undefined
{
  if (WILDCARDS.test(text)) return wildcardAtom(text, range, vocabulary);
  const forms = vocabulary.wordsOf(text).map(({ form }) => form);
  if (forms.length > 1) return { kind: 'phrase', forms, ...range };
  const [form] = forms;
  return form === undefined ? undefined : { kind: 'term', form, fuzzy, ...range };
}

/** A quoted phrase: its tokens in order, or near one another if a distance is given; undefined if it has no tokens. */
export function phraseAtom(text: string, range: SourceRange, vocabulary: Vocabulary, distance?: number): QueryNode
  | undefined
{
  const forms = vocabulary.wordsOf(text).map(({ form }) => form);
  if (forms.length === 0) return undefined;
  return distance === undefined
    ? { kind: 'phrase', forms, ...range }
    : { kind: 'proximity', forms, distance, ...range };
}

/**
 * A word with wildcards. Separators divide it into pieces that all have to match. A pattern without a letter or digit
 * would match every term, so it is ignored.
 */
function wildcardAtom(text: string, range: SourceRange, vocabulary: Vocabulary): QueryNode | undefined {
  const nodes = (text.match(vocabulary.pieces) ?? []).map((piece): QueryNode | undefined => {
    if (!WILDCARDS.test(piece)) return wordAtom(piece, range, vocabulary);
    const pattern = piece.replace(LITERALS, (literal) => vocabulary.fold(literal)).replace(/[*?]{2,}/g, normalizeRun);
    return /[^*?]/.test(pattern) ? { kind: 'wildcard', pattern, ...range } : undefined;
  });
  return allOf(nodes, range);
}

/** In a run of wildcards, a single `*` is enough; the `?` are kept, before it. */
function normalizeRun(run: string): string {
  return run.includes('*') ? `${run.replaceAll('*', '')}*` : run;
}

/** Throws if the number of a `~N` is too large. */
export function requireAtMost(value: number, most: number, what: string, position: number): void {
  if (value > most) throw new QueryTooLargeError(position, `${what} must be at most ${most}, got ${value}`);
}
