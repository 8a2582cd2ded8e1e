import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { SpellingIndex } from '../../search/spelling/spelling-index.ts';
import type { Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';

/**
 * The scope of a dictionary: a collection and a language, or, without a collection, the shared dictionary of the
 * language.
 */
export interface DictionaryName {
  readonly collection?: string | undefined;
  readonly lang: string;
}

interface Dictionary {
  readonly words: Map<string, number>;
  readonly spelling: SpellingIndex;
}

/** A dictionary is kept in memory, so its size is limited. */
const MAX_WORDS = 50_000;

/** The words that users add, in the database and in memory. */
export class Dictionaries {
  readonly #env: Pick<DocsEnvironment, 'sql' | 'feed'>;
  #known = new Map<string, Dictionary>();

  constructor(env: Pick<DocsEnvironment, 'sql' | 'feed'>) {
    this.#env = env;
  }

  /** Reads all dictionaries; before the first use, and again when the database was replaced. */
  async load(): Promise<void> {
    const pace = new Pace();
    const rows = await this.#env.sql.all<{ collection: string; lang: string; word: string; frequency: number }>(
      'SELECT collection, lang, word, frequency FROM dictionary_words',
    );
    const known = new Map<string, Dictionary>();
    for (const { collection, lang, word, frequency } of rows) {
      learn(dictionaryIn(known, { collection, lang }), word, frequency);
      await pace.rest();
    }
    this.#known = known;
  }

  /** Words with their frequencies, in alphabetical order. */
  entriesOf(name: DictionaryName): { word: string; frequency: number }[] {
    const words = this.#known.get(keyOf(name))?.words ?? new Map<string, number>();
    return [...words].map(([word, frequency]) => ({ word, frequency })).sort((a, b) => (a.word < b.word ? -1 : 1));
  }

  knows(name: DictionaryName, word: string): boolean {
    return this.#known.get(keyOf(name))?.words.has(word) === true;
  }

  spellingOf(name: DictionaryName): SpellingIndex | undefined {
    return this.#known.get(keyOf(name))?.spelling;
  }

  /** Adds lowercased words; returns the number of new ones. */
  add(name: DictionaryName, words: readonly string[], frequency: number): Promise<number> {
    return this.#change(name, words, async (tx, known) => {
      const added = words.filter((word) => !known.has(word));
      if (known.size + added.length > MAX_WORDS)
        throw new ServiceError('invalid_argument', `a dictionary has at most ${MAX_WORDS} words`);
      await tx.runMany(
        'INSERT INTO dictionary_words(collection, lang, word, frequency) VALUES (?, ?, ?, ?) ON ' +
          'CONFLICT(collection, lang, word) DO UPDATE SET frequency = excluded.frequency',
        words.map((word) => [...rowOf(name), word, frequency]),
      );
      tx.onCommit(() => {
        const dictionary = dictionaryIn(this.#known, name);
        for (const word of words) learn(dictionary, word, frequency);
      });
      return added.length;
    });
  }

  /** Removes words; returns the number of removed ones. */
  remove(name: DictionaryName, words: readonly string[]): Promise<number> {
    return this.#change(name, words, async (tx, known) => {
      const removed = words.filter((word) => known.has(word));
      await tx.runMany('DELETE FROM dictionary_words WHERE collection = ? AND lang = ? AND word = ?',
        removed.map((word) => [...rowOf(name), word]));
      tx.onCommit(() => {
        const dictionary = dictionaryIn(this.#known, name);
        for (const word of removed) learn(dictionary, word, undefined);
      });
      return removed.length;
    });
  }

  /** Existing words are read in the transaction and not from memory, which may lack an earlier write. */
  async #change(name: DictionaryName, words: readonly string[],
    change: (tx: Transaction, known: ReadonlySet<string>) => Promise<number>): Promise<number>
  {
    if (words.length === 0) return 0;
    return this.#env.sql.transaction(async (tx) => {
      const rows = await tx.all<{ word: string }>('SELECT word FROM dictionary_words WHERE collection = ? AND lang = ?',
        rowOf(name));
      const changed = await change(tx, new Set(rows.map(({ word }) => word)));
      await this.#env.feed.append(tx, [{ kind: 'dictionary.put', collection: rowOf(name)[0] }]);
      return changed;
    });
  }
}

function rowOf({ collection = '', lang }: DictionaryName): [collection: string, lang: string] {
  return [collection.toLowerCase(), lang.toLowerCase()];
}

function keyOf(name: DictionaryName): string {
  return rowOf(name).join('\0');
}

function dictionaryIn(known: Map<string, Dictionary>, name: DictionaryName): Dictionary {
  const dictionary = known.get(keyOf(name)) ?? { words: new Map<string, number>(), spelling: new SpellingIndex() };
  known.set(keyOf(name), dictionary);
  return dictionary;
}

/** Without a frequency the word is removed. */
function learn({ words, spelling }: Dictionary, word: string, frequency: number | undefined): void {
  if (frequency === undefined) words.delete(word);
  else words.set(word, frequency);
  spelling.put(word, frequency ?? 0);
}
