import { foldDiacritics } from '../../text/folding.ts';
import { analyzerFor, stemmingAvailable } from '../../text/languages/index.ts';

/** What a model's terms are: the stems of a language without its stop words. Plain data, so that a thread can be told. */
export interface TermRules {
  /** Code of a language (see `resolveLanguage`). */
  readonly lang: string;
  readonly stemming: boolean;
  /** As forms. */
  readonly stopWords: ReadonlySet<string>;
}

/**
 * The term of a form, undefined for a stop word. Without stemming, forms are one term where they differ in
 * diacritics at most, as they are in the index.
 */
export function termOf({ lang, stemming, stopWords }: TermRules): (form: string) => string | undefined {
  const { term: unlessStopWord } = analyzerFor(lang, { stemming, stopWords });
  if (stemming && stemmingAvailable(lang)) return unlessStopWord;
  return (form) => (unlessStopWord(form) === undefined ? undefined : foldDiacritics(form) || form);
}
