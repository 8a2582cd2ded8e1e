import { foldDiacritics } from '../../text/folding.ts';
import { analyzerFor, stemmingAvailable } from '../../text/languages/index.ts';

/**
 * Defines a model's terms: the stems of a language without its stop words. Plain data, so that it can be sent to a
 * thread.
 */
export interface TermRules {
  /** Code of a language (see `resolveLanguage`). */
  readonly lang: string;
  readonly stemming: boolean;
  /** As forms. */
  readonly stopWords: ReadonlySet<string>;
}

/**
 * The term of a form; undefined for a stop word. Without stemming, forms that differ only in diacritics are one term,
 * as in the index.
 */
export function termOf({ lang, stemming, stopWords }: TermRules): (form: string) => string | undefined {
  const { term: unlessStopWord } = analyzerFor(lang, { stemming, stopWords });
  if (stemming && stemmingAvailable(lang)) return unlessStopWord;
  return (form) => (unlessStopWord(form) === undefined ? undefined : foldDiacritics(form) || form);
}
