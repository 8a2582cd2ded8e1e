import { foldDiacritics } from '../folding.ts';
import { type Language, languageOf, withoutApostrophes } from './catalogue.ts';
import { stemKorean } from './korean-stemmer.ts';
import { defaultStopWords } from './stop-words.ts';

/** Maps the forms of the tokeniser to the terms of an index. */
interface LanguageAnalyzer {
  readonly lang: string;
  /** Whether forms are stemmed: stemming is requested, and the language has a stemmer. */
  readonly stemmingActive: boolean;
  /**
   * The term of a form: the stem, without apostrophes and diacritics; undefined for a stop word. Pure, and never empty.
   * It should be called once for each distinct form, not for each token.
   */
  term(form: string): string | undefined;
  /** Whether a form has no term, without finding the term. */
  isStopWord(form: string): boolean;
}

interface AnalyzerOptions {
  readonly stemming: boolean;
  /** `default` selects the default list of the language; a set contains stop words as forms (see `formsOf`). */
  readonly stopWords: ReadonlySet<string> | 'default' | 'none';
}

/** The rules for a language outside the catalogue: only folding. */
const PLAIN: Omit<Language, 'code' | 'name'> = { apostrophes: withoutApostrophes, letters: /^\p{L}+$/u };
const NONE: ReadonlySet<string> = new Set();

/**
 * The analyzer of a language by its code (see `resolveLanguage`). For a code outside the catalogue, it only folds
 * diacritics, and has no stemmer and no default stop words.
 */
export function analyzerFor(lang: string, { stemming, stopWords }: AnalyzerOptions): LanguageAnalyzer {
  const language = languageOf(lang) ?? PLAIN;
  const stops = stopWords === 'default' ? defaultStopWords(lang) : stopWords === 'none' ? NONE : stopWords;
  const stemmingActive = stemming && language.stem !== undefined;
  const wordOf = (form: string): string => (form.includes("'") ? language.apostrophes(form) : form);
  // The word after an elided article or before a possessive may be a stop word itself ("that's").
  const isStopWord = (form: string, word: string): boolean =>
    stops.has(form) || (word !== form && stops.has(word)) ||
    (language.bareStopWords === true && stops.has(foldDiacritics(word)));
  return {
    lang,
    stemmingActive,
    term(form) {
      const word = wordOf(form);
      if (isStopWord(form, word)) return undefined;
      return stemming ? stemmed(word, language) : foldDiacritics(word) || word;
    },
    isStopWord: (form) => isStopWord(form, wordOf(form)),
  };
}

/** Whether there is a stemmer for a language in `/v1/fts`. */
export function stemmingAvailable(lang: string): boolean {
  return languageOf(lang)?.stem !== undefined;
}

const KOREAN = /[가-힣]$/u;

/**
 * The stem without diacritics. Stemmers process only composed letters; other words are not stemmed. Words of Korean are
 * known by their script, so they have their stems in the texts of every language.
 */
function stemmed(word: string, { stem, letters, foldFirst }: Pick<Language, 'stem' | 'letters' | 'foldFirst'>): string {
  const whole = foldFirst ? foldDiacritics(word) : word.normalize('NFC');
  const composed = KOREAN.test(whole) ? stemKorean(whole) : whole;
  const result = stem !== undefined && letters.test(composed) ? stem(composed) : composed;
  return foldDiacritics(result) || foldDiacritics(word) || word;
}
