import type { InvertedIndex, WeightedForm } from '../../../search/inverted/index.ts';
import { japaneseVariants } from '../../../text/languages/index.ts';
import { isShared } from '../../../text/simplified.ts';
import { isSpaceless } from '../../../text/spaceless.ts';
import { formsOf } from '../../../text/tokenize.ts';
import type { TermAnalyzer } from './text-index.ts';

// Words of scripts without spaces are found by their letters, wherever the tokeniser has divided them, and words of
// Korean in compounds, which are written with spaces or without.

type Forms = Pick<InvertedIndex, 'unstemmed' | 'wildcard' | 'textOf'>;

/** Letters to be found within words and across them. */
export interface Letters {
  readonly text: string;
  /** Minimum number of letters of a piece. */
  readonly least: number;
  /** Whether a word may have other letters before the first one, and behind the last one. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
}

/** The words that stand one after the other; each is one of some forms. */
export type Way = readonly (readonly WeightedForm[])[];

/** Maximum number of forms of a piece, and of ways that are searched for: those of the fewest pieces. */
const MOST_FORMS = 10_000;
const MOST_WAYS = 32;
/** Longer letters are found as the tokeniser divides them; pieces are no longer than this. */
const MOST_LETTERS = 32;
const MOST_IN_PIECE = 12;

const HANGUL = /^\p{sc=Hangul}{2,}$/u;
const SINGLE_KANA = /^\p{sc=Hiragana}$/u;

/**
 * The letters by which a word is found besides its forms: its own first, then those of its other spellings; none for a
 * word of another script, and for a single hiragana, which is a part of most words.
 */
export function lettersOf(form: string, analyzer: TermAnalyzer): readonly Letters[] {
  if (isSpaceless(form)) {
    if (SINGLE_KANA.test(form)) return [];
    const open = { least: 1, openStart: true, openEnd: true };
    return [{ text: form, ...open },
      ...japaneseVariants(form).map(({ text, whole }) => ({ text, ...open, openEnd: !whole }))];
  }
  const stem = analyzer.stemming ? analyzer.term(form) : form;
  return HANGUL.test(stem) ? [{ text: stem, least: 2, openStart: true, openEnd: true }] : [];
}

/** The letters of words of scripts without spaces that follow each other. */
export function lettersOfPhrase(forms: readonly string[], isFirst = true, isLast = true): Letters {
  return { text: forms.join(''), least: 1, openStart: isFirst, openEnd: isLast };
}

/** Words as one: the stems of all. */
export function compoundOf(forms: readonly string[], analyzer: TermAnalyzer): string {
  return forms.map((form) => analyzer.term(form)).join('');
}

/** Whether a form without diacritics contains all of some letters. */
export function areWithin({ text, openStart, openEnd }: Letters, form: string): boolean {
  if (openStart && openEnd) return form.includes(text);
  return openStart ? form.endsWith(text) : openEnd ? form.startsWith(text) : form === text;
}

/**
 * The ways in which letters are divided into words of the index, those of fewest words first; for many letters, and for
 * letters that the index does not have in any other way, also that of the tokeniser.
 */
export function waysOf(index: Forms, letters: Letters): readonly Way[] {
  const ways = new Division(index, letters).ways();
  return ways.length > 0 && ways.length < MOST_WAYS ? ways : [...ways, ...usualWay(index, letters)];
}

/** The way in which the tokeniser divides letters that stand alone; none if the index does not have these words. */
export function usualWay(index: Forms, letters: Letters): readonly Way[] {
  return new Division(index, letters).by(formsOf(letters.text));
}

class Division {
  readonly #index: Forms;
  readonly #letters: Letters;
  readonly #text: readonly string[];

  constructor(index: Forms, letters: Letters) {
    this.#index = index;
    this.#letters = letters;
    this.#text = [...letters.text];
  }

  ways(): readonly Way[] {
    const { length } = this.#text;
    if (length > MOST_LETTERS) return [];
    // From the end: the ways to write the letters from each offset.
    const from: Way[][] = Array.from({ length: length + 1 }, () => []);
    from[length] = [[]];
    for (let start = length - 1; start >= 0; start--) from[start] = this.#waysFrom(start, from);
    return from[0]!;
  }

  #waysFrom(start: number, from: readonly Way[][]): Way[] {
    const { length } = this.#text;
    const { least } = this.#letters;
    const ways: Way[] = [];
    for (let end = start + least; end <= length; end++) {
      if (from[end]!.length === 0 || (end - start > MOST_IN_PIECE && end < length)) continue;
      const forms = this.#forms(this.#text.slice(start, end).join(''), start === 0, end === length);
      if (forms.length > 0) { for (const rest of from[end]!) ways.push([forms, ...rest]); }
    }
    return ways.sort((a, b) => a.length - b.length).slice(0, MOST_WAYS);
  }

  by(pieces: readonly string[]): Way[] {
    const way = pieces.map((piece, i) => this.#forms(piece, i === 0, i === pieces.length - 1));
    return way.length > 0 && way.every((forms) => forms.length > 0) ? [way] : [];
  }

  #forms(piece: string, isFirst: boolean, isLast: boolean): readonly WeightedForm[] {
    const before = isFirst && this.#letters.openStart ? '*' : '';
    const behind = isLast && this.#letters.openEnd ? '*' : '';
    const isWhole = isFirst && isLast;
    const ids = before + behind === '' && (isWhole || !isShared(piece))
      ? this.#index.unstemmed(piece)
      : this.#index.wildcard(before + piece + behind, MOST_FORMS);
    const found = isWhole && isShared(piece) ? ids.filter((id) => this.#index.textOf(id).includes(piece)) : ids;
    return found.map((id) => ({ id }));
  }
}
