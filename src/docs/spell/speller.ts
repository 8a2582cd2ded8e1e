import type { Candidate, SpellingIndex } from '../../search/spelling/spelling-index.ts';
import type { Dictionaries, DictionaryName } from './dictionaries.ts';
import type { Vocabularies } from './vocabularies.ts';

/** Minimum number of letters of a word for two edits: of a shorter one too little would remain. */
const TWO_EDITS_FROM = 4;

/** Looks up the words of some collections and of the dictionaries of a language, for one request. */
export class Speller {
  readonly #vocabularies: Vocabularies;
  readonly #dictionaries: Dictionaries;
  readonly #collections: readonly string[];
  readonly #names: readonly DictionaryName[];
  readonly #sources: readonly SpellingIndex[];
  readonly #cache = new Map<string, readonly Candidate[] | undefined>();

  private constructor(vocabularies: Vocabularies, dictionaries: Dictionaries, collections: readonly string[],
    names: readonly DictionaryName[], sources: readonly SpellingIndex[])
  {
    this.#vocabularies = vocabularies;
    this.#dictionaries = dictionaries;
    this.#collections = collections;
    this.#names = names;
    this.#sources = sources;
  }

  /** Throws `IndexLoading`. */
  static async open(
    { vocabularies, dictionaries }: { readonly vocabularies: Vocabularies; readonly dictionaries: Dictionaries },
    collections: readonly string[],
    lang: string,
    signal: AbortSignal,
  ): Promise<Speller> {
    const names = [{ lang }, ...collections.map((collection) => ({ collection, lang }))];
    const sources: (SpellingIndex | undefined)[] = names.map((name) => dictionaries.spellingOf(name));
    for (const collection of collections) sources.push(await vocabularies.of(collection, signal));
    return new Speller(vocabularies, dictionaries, collections, names,
      sources.filter((source) => source !== undefined));
  }

  /**
   * The likeliest corrections of an unknown word, at most `limit`, likeliest first; undefined for a known one. Words
   * are lowercased.
   */
  correct(word: string, limit: number): readonly Candidate[] | undefined {
    if (this.#cache.has(word)) return this.#cache.get(word);
    const corrections = this.#isKnown(word) ? undefined : this.#near(word, limit);
    this.#cache.set(word, corrections);
    return corrections;
  }

  #isKnown(word: string): boolean {
    const isIn = (one: string): boolean =>
      this.#names.some((name) => this.#dictionaries.knows(name, one)) ||
      this.#collections.some((collection) => this.#vocabularies.knows(collection, one));
    // The index contains the parts of a word with an apostrophe.
    return isIn(word) || (/['’]/.test(word) && word.split(/['’]/).every((part) => part === '' || isIn(part)));
  }

  /** The frequency of a word in several sources is their sum. */
  #near(word: string, limit: number): Candidate[] {
    const found = new Map<string, Candidate>();
    for (const source of this.#sources) {
      for (const { word: other, edits, frequency } of source.near(word, {
        edits: word.length < TWO_EDITS_FROM ? 1 : 2,
        limit,
      })) {
        found.set(other, { word: other, edits, frequency: frequency + (found.get(other)?.frequency ?? 0) });
      }
    }
    const first = word[0];
    return [...found.values()].sort((a, b) =>
      a.edits - b.edits || b.frequency - a.frequency || Number(b.word[0] === first) - Number(a.word[0] === first) ||
      (a.word < b.word ? -1 : 1)
    ).slice(0, limit);
  }
}
