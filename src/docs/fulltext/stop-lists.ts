import { type Differences, effectiveStopWords } from './stop-list.ts';

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
