import { defaultStopWords, LANGUAGES } from '../../text/languages/index.ts';
import { normalizeWord, toForm } from './thesaurus.ts';

/** How a collection differs from the defaults in a word: its own stop word, or a default that is searched for. */
export type Difference = 'own' | 'searched';

/** The differences of a collection, by word. */
export type Differences = ReadonlyMap<string, Difference>;

/**
 * The stored form of a stop word: its form as in the defaults, so that the same word is found in every spelling. A word
 * that the tokenizer splits is stored as it was written: it is listed, but no token ever equals it.
 */
export function toStopWord(word: string): string {
  const form = toForm(word);
  return form.includes(' ') ? normalizeWord(word) : form;
}

/** Whether a word is a default of any language, because documents of one collection may be of several. */
export function isDefault(word: string): boolean {
  return LANGUAGES.some(({ code }) => defaultStopWords(code).has(word));
}

/** The words that a collection does not search for in a language; the defaults themselves if nothing differs. */
function effectiveStopWords(lang: string, differences: Differences): ReadonlySet<string> {
  const defaults = defaultStopWords(lang);
  if (differences.size === 0) return defaults;
  const words = new Set(defaults);
  for (const [word, difference] of differences) {
    if (difference === 'own') words.add(word);
    else words.delete(word);
  }
  return words;
}

/** The changes to store so that words are, or are not, stop words; `undefined` removes the difference. */
export interface Revision {
  readonly changes: ReadonlyMap<string, Difference | undefined>;
  /** Number of words for which this changes searches. */
  readonly count: number;
}

/** Makes words stop words: adds them to the collection's own, unless they are defaults of the default language. */
export function withWords(words: readonly string[], differences: Differences, defaultLang: string): Revision {
  const stops = effectiveStopWords(defaultLang, differences);
  const added = new Set(words.filter((word) => !stops.has(word)));
  const defaults = defaultStopWords(defaultLang);
  return {
    changes: new Map([...added].map((word) => [word, defaults.has(word) ? undefined : 'own'])),
    count: added.size,
  };
}

/** Makes words searchable: removes the collection's own stop words, and adds an exception for defaults. */
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

const NONE: Differences = new Map();

/** The lists in memory, by lowercased name of the collection, with the sets that searches have requested. */
export class StopLists {
  #differences = new Map<string, Differences>();
  #sets = new Map<string, Map<string, ReadonlySet<string>>>();

  differencesOf(collection: string): Differences {
    return this.#differences.get(collection.toLowerCase()) ?? NONE;
  }

  of(collection: string, lang: string): ReadonlySet<string> {
    const name = collection.toLowerCase();
    const sets = this.#sets.get(name) ?? new Map<string, ReadonlySet<string>>();
    const found = sets.get(lang) ?? effectiveStopWords(lang, this.differencesOf(name));
    // A collection without differences needs no set of its own, whatever names are requested.
    if (this.#differences.has(name)) this.#sets.set(name, sets.set(lang, found));
    return found;
  }

  set(name: string, differences: Differences): void {
    this.#differences.set(name, differences);
    this.#sets.delete(name);
  }

  replace(differences: ReadonlyMap<string, Differences>): void {
    this.#differences = new Map(differences);
    this.#sets.clear();
  }
}
