import { defaultStopWords, LANGUAGES } from '../../text/languages/index.ts';
import { normalizeWord, toForm } from './words.ts';

/** How a collection differs from the defaults in a word: its own stop word, or a default that is searched for. */
export type Difference = 'own' | 'searched';

/** The differences of a collection, by word. */
export type Differences = ReadonlyMap<string, Difference>;

/**
 * What a stop word is stored as: its form, as the defaults have it, so that the same word is found in
 * every spelling. What the tokeniser cuts in pieces stays as it was written: it can be listed, but no
 * token ever equals it.
 */
export function toStopWord(word: string): string {
  const form = toForm(word);
  return form.includes(' ') ? normalizeWord(word) : form;
}

/** Whether a word is a default of any language: documents of one collection may be of several. */
export function isDefault(word: string): boolean {
  return LANGUAGES.some(({ code }) => defaultStopWords(code).has(word));
}

/** The words that a collection does not search for in a language; the defaults themselves where nothing differs. */
export function effectiveStopWords(lang: string, differences: Differences): ReadonlySet<string> {
  const defaults = defaultStopWords(lang);
  if (differences.size === 0) return defaults;
  const words = new Set(defaults);
  for (const [word, difference] of differences) {
    if (difference === 'own') words.add(word);
    else words.delete(word);
  }
  return words;
}

/** What must be stored anew so that words are, or are not, stop words; `undefined` removes the difference. */
export interface Revision {
  readonly changes: ReadonlyMap<string, Difference | undefined>;
  /** Words for which that makes a difference to searches. */
  readonly count: number;
}

/** Makes words stop words: of the collection's own, unless the default language brings them along. */
export function withWords(words: readonly string[], differences: Differences, defaultLang: string): Revision {
  const stops = effectiveStopWords(defaultLang, differences);
  const added = new Set(words.filter((word) => !stops.has(word)));
  const defaults = defaultStopWords(defaultLang);
  return { changes: new Map([...added].map((word) => [word, defaults.has(word) ? undefined : 'own'])), count: added.size };
}

/** Makes words searched for: those of the collection's own go, defaults get an exception (decision D-93). */
export function withoutWords(words: readonly string[], differences: Differences): Revision {
  const changes = new Map<string, Difference | undefined>();
  for (const word of words) {
    const difference = differences.get(word);
    if (isDefault(word)) {
      if (difference !== 'searched') changes.set(word, 'searched');
    } else if (difference === 'own') {
      changes.set(word, undefined);
    }
  }
  return { changes, count: changes.size };
}
