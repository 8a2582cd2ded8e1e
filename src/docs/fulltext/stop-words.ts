import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { type Handlers, type Standing, truncationOf } from '../../operations/index.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import { defaultStopWords, LANGUAGES, resolveLanguage } from '../../text/languages/index.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';
import { normalizeWord, requireToken, toForm } from './synonyms.ts';

type StopWordHandlers = Required<Pick<Handlers<Operations>, 'listStopWords' | 'addStopWords' | 'deleteStopWords'>>;

export interface StopWords {
  readonly handlers: StopWordHandlers;
  /** Reads all lists into memory; before the first use, and again when the database was replaced. */
  load(): Promise<void>;
  /**
   * The words, as forms, that a collection does not search for in a language, from memory; the same set until the
   * collection's list changes. In a language without stop words, these are the collection's own.
   */
  stopWordsOf(collection: string, lang: string): ReadonlySet<string>;
}

/** Lists are kept in memory, so their size is limited: own words and exceptions of a collection. */
const MAX_DIFFERENCES = 50_000;

export function createStopWords({ sql, feed }: Pick<DocsEnvironment, 'sql' | 'feed'>, defaultLang: string): StopWords {
  const lists = new StopLists();
  /** Reads, revises and stores the list of a collection; returns how many words changed. */
  const revise = (collection: string, by: Standing, revision: (known: Differences) => Revision): Promise<number> =>
    transactFor(sql, by, async (tx) => {
      // The list is read from the database and not from memory, which may lack an earlier write.
      const known = await readDifferences(tx, collection);
      const { changes, count } = revision(known);
      const revised = applyChanges(known, changes);
      if (revised.size > MAX_DIFFERENCES)
        throw new ServiceError('invalid_argument',
          `a collection has at most ${MAX_DIFFERENCES} stop words and exceptions of its own`);
      if (changes.size > 0) await store(tx, collection, changes, revised);
      return count;
    });
  const store = async (tx: Transaction, collection: string, changes: Revision['changes'],
    revised: Differences): Promise<void> =>
  {
    await writeDifferences(tx, collection, changes);
    await feed.append(tx, [{ kind: 'stopwords.put', collection }]);
    tx.onCommit(() => lists.set(collection, revised));
  };

  const handlers: StopWordHandlers = {
    async listStopWords({ collection, offset }, { budget }) {
      const own = lists.differencesOf(collection);
      const words = [...lists.of(collection, defaultLang)].sort();
      const entries = words.map((word) => ({ word, isDefault: own.get(word) !== 'own' }));
      const custom = entries.filter(({ isDefault }) => !isDefault).length;
      const fitting = budget.fit(entries.slice(offset), ({ word }) => Buffer.byteLength(word));
      return {
        collection,
        entries: [...fitting],
        total: entries.length,
        defaults: entries.length - custom,
        custom,
        ...truncationOf(budget.isSpent, offset + fitting.length),
      };
    },
    async addStopWords({ collection, words }, context) {
      for (const [i, word] of words.entries()) requireToken(word, `words[${i}]`);
      const added = await revise(collection.toLowerCase(), context,
        (known) => withWords(words.map(toStopWord), known, defaultLang));
      return { status: 'ok', added };
    },
    async deleteStopWords({ collection, words }, context) {
      const deleted = await revise(collection.toLowerCase(), context,
        (known) => withoutWords(words.map(toStopWord), known));
      return { status: 'ok', deleted };
    },
  };
  return {
    handlers,
    stopWordsOf: (collection, lang) => lists.of(collection, resolveLanguage(lang, defaultLang)),
    // A transaction, so that no write can commit between reading and replacing.
    load: () =>
      sql.transaction(async (tx) => {
        const stored = await readAllDifferences(tx);
        tx.onCommit(() => lists.replace(stored));
      }),
  };
}

function applyChanges(known: Differences, changes: Revision['changes']): Differences {
  const revised = new Map(known);
  for (const [word, difference] of changes) {
    if (difference === undefined) revised.delete(word);
    else revised.set(word, difference);
  }
  return revised;
}

/** Rows written by one statement, so that the event loop can run between statements. */
const STEP = 500;

interface StopWordRow {
  readonly [column: string]: string | number;
  readonly collection: string;
  readonly word: string;
  readonly searched: number;
}

/** All differences of all collections. */
async function readAllDifferences(queries: Queries): Promise<Map<string, Map<string, Difference>>> {
  const rows = await queries.all<StopWordRow>('SELECT collection, word, searched FROM stop_words');
  return new Map(
    [...Map.groupBy(rows, ({ collection }) => collection)].map(([collection, own]) => [collection, toDifferences(own)]),
  );
}

async function readDifferences(queries: Queries, collection: string): Promise<Map<string, Difference>> {
  return toDifferences(
    await queries.all<StopWordRow>('SELECT collection, word, searched FROM stop_words WHERE collection = ?', [
      collection,
    ]),
  );
}

/** Stores differences; `undefined` removes one. */
async function writeDifferences(tx: Transaction, collection: string,
  changes: ReadonlyMap<string, Difference | undefined>): Promise<void>
{
  const pace = new Pace();
  const entries = [...changes];
  for (let i = 0; i < entries.length; i += STEP) {
    const step = entries.slice(i, i + STEP);
    const stored = step.filter(([, difference]) => difference !== undefined);
    await tx.runMany('DELETE FROM stop_words WHERE collection = ? AND word = ?',
      step.map(([word]) => [collection, word]));
    await tx.runMany('INSERT INTO stop_words(collection, word, searched) VALUES (?, ?, ?)',
      stored.map(([word, difference]) => [collection, word, Number(difference === 'searched')]));
    await pace.rest();
  }
}

function toDifferences(rows: readonly StopWordRow[]): Map<string, Difference> {
  return new Map(rows.map(({ word, searched }) => [word, searched === 1 ? 'searched' : 'own']));
}

/** How a collection differs from the defaults in a word: its own stop word, or a default that is searched for. */
type Difference = 'own' | 'searched';

/** The differences of a collection, by word. */
type Differences = ReadonlyMap<string, Difference>;

/**
 * The stored form of a stop word: its form as in the defaults, so that the same word is found in every spelling. A word
 * that the tokenizer splits is stored as it was written: it is listed, but no token ever equals it.
 */
function toStopWord(word: string): string {
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
interface Revision {
  readonly changes: ReadonlyMap<string, Difference | undefined>;
  /** Number of words for which this changes searches. */
  readonly count: number;
}

/** Makes words stop words: adds them to the collection's own, unless they are defaults of the default language. */
function withWords(words: readonly string[], differences: Differences, defaultLang: string): Revision {
  const stops = effectiveStopWords(defaultLang, differences);
  const added = new Set(words.filter((word) => !stops.has(word)));
  const defaults = defaultStopWords(defaultLang);
  return {
    changes: new Map([...added].map((word) => [word, defaults.has(word) ? undefined : 'own'])),
    count: added.size,
  };
}

/** Makes words searchable: removes the collection's own stop words, and adds an exception for defaults. */
function withoutWords(words: readonly string[], differences: Differences): Revision {
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
class StopLists {
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
