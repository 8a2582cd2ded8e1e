import { Generations } from '../../../lib/caches.ts';
import { foldDiacritics } from '../../../text/folding.ts';
import { analyzerFor, compoundsOf, LANGUAGES, NEUTRAL, resolveLanguage, spellingsOf,
  stemmingAvailable } from '../../../text/languages/index.ts';
import type { TermAnalyzer } from './text-index.ts';

/** Words as they are written, but without diacritics. */
export const PLAIN: TermAnalyzer = { name: 'plain', stemming: false, term: (form) => foldDiacritics(form) || form };

/** Part of the names: changes when a stemmer returns other terms, so that checkpoints are regrouped. */
const VERSION = 4;

/**
 * Maximum number of forms whose terms an analyzer remembers; at least half of them are kept. Searches look up the forms
 * of their words repeatedly.
 */
const MAX_REMEMBERED = 4096;

/** `term` remembers its results, `termOnce` does not: the new forms of an import would evict those of all searches. */
export function remembering(termOf: (form: string) => string): Required<Pick<TermAnalyzer, 'term' | 'termOnce'>> {
  const known = new Generations<string, string>(MAX_REMEMBERED);
  const term = (form: string): string => {
    let found = known.get(form);
    if (found === undefined) known.set(form, found = termOf(form));
    return found;
  };
  return { term, termOnce: termOf };
}

/**
 * The analyzers of all languages that have a stemmer, by code, and that of the others, which have words of Korean. They
 * know no stop words, because the query handles those.
 */
const STEMMING: ReadonlyMap<string, TermAnalyzer> = new Map(
  [...LANGUAGES.map(({ code }) => code).filter(stemmingAvailable), NEUTRAL].map((code) => {
    const { term } = analyzerFor(code, { stemming: true, stopWords: 'none' });
    return [code, {
      name: `${code}-${VERSION}`,
      stemming: true,
      ...remembering((form) => term(form) ?? form),
      spellings: spellingsOf(code),
      compounds: compoundsOf(code),
    }];
  }),
);

/** The analyzer of a language by its code (see `resolveLanguage`). */
export function termAnalyzer(lang: string, stemming: boolean): TermAnalyzer {
  return (stemming ? STEMMING.get(lang) : undefined) ?? PLAIN;
}

/** Chooses the analyzer of documents by their language, which may be any tag. */
export function documentAnalyzers(
  { stemming, defaultLang }: { readonly stemming: boolean; readonly defaultLang: string },
): (lang: string) => TermAnalyzer {
  return (lang) => termAnalyzer(resolveLanguage(lang, defaultLang), stemming);
}

export const STEMMING_ANALYZERS: readonly TermAnalyzer[] = [...STEMMING.values()];
