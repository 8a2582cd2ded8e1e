import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Handlers, truncationOf } from '../../operations/index.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import { formsOf } from '../../text/tokenize.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';

type SynonymHandlers = Required<Pick<Handlers<Operations>, 'addSynonyms' | 'listSynonyms' | 'deleteSynonym'>>;

export interface Synonyms {
  readonly handlers: SynonymHandlers;
  /** Reads all dictionaries into memory; before the first use, and again when the database was replaced. */
  load(): Promise<void>;
  /**
   * The dictionary of a collection, from memory: for a query term it returns the forms of its synonyms, in both
   * directions and over one step. A form of several tokens has spaces between them. The same function is returned until
   * the collection's dictionary changes.
   */
  synonymsOf(collection: string): SynonymLookup;
}

/** How words are reduced to terms, such as a stemmer; each object stands for one way. */
interface Terms {
  term(form: string): string;
}

export interface SynonymLookup {
  /** Forms of synonyms; of all inflections of the term, as `terms` reduces them, if they are given. */
  (term: string, terms?: Terms): string[];
  /** Number of tokens of the longest term. */
  readonly longest: number;
}

/** A dictionary is kept in memory, so its size is limited: synonyms of all terms of a collection. */
const MAX_SYNONYMS = 50_000;

export function createSynonyms({ sql, feed }: Pick<DocsEnvironment, 'sql' | 'feed'>): Synonyms {
  // By lowercased name of the collection.
  let thesauri = new Map<string, Thesaurus>();
  const learn = (collection: string, term: string, synonyms: readonly string[] | undefined): void =>
    thesaurusIn(thesauri, collection).set(term, synonyms);

  const add = async (tx: Transaction, collection: string, term: string, synonyms: readonly string[]): Promise<void> => {
    // Existing synonyms are read from the database and not from memory, which may lack an earlier write.
    const known = await readSynonyms(tx, collection, term);
    const all = [...new Set([...known, ...synonyms])].filter((synonym) => synonym !== term);
    if (all.length === known.length) return;
    const added = all.slice(known.length);
    if ((await countSynonyms(tx, collection)) + added.length > MAX_SYNONYMS) {
      throw new ServiceError('invalid_argument', `a collection has at most ${MAX_SYNONYMS} synonyms`);
    }
    await insertSynonyms(tx, collection, term, added);
    await feed.append(tx, [{ kind: 'synonyms.put', collection, key: term }]);
    tx.onCommit(() => learn(collection, term, all));
  };
  const remove = async (tx: Transaction, collection: string, term: string): Promise<void> => {
    if (!(await removeSynonyms(tx, collection, term))) return;
    await feed.append(tx, [{ kind: 'synonyms.delete', collection, key: term }]);
    tx.onCommit(() => learn(collection, term, undefined));
  };

  const handlers: SynonymHandlers = {
    async addSynonyms({ collection, term, synonyms }, context) {
      requireToken(term, 'term');
      for (const [i, synonym] of synonyms.entries()) requireToken(synonym, `synonyms[${i}]`);
      await transactFor(sql, context,
        (tx) => add(tx, collection.toLowerCase(), normalizeWord(term), synonyms.map(normalizeWord)));
      return { status: 'ok' };
    },
    async listSynonyms({ collection, offset }, { budget }) {
      const entries = (thesauri.get(collection.toLowerCase())?.entries() ?? []).slice(offset);
      const fitting = budget.fit(entries,
        ([term, synonyms]) =>
          synonyms.reduce((bytes, synonym) => bytes + Buffer.byteLength(synonym), Buffer.byteLength(term)));
      return {
        collection,
        synonyms: Object.fromEntries(fitting),
        ...truncationOf(budget.isSpent, offset + fitting.length),
      };
    },
    async deleteSynonym({ collection, term }, context) {
      await transactFor(sql, context, (tx) => remove(tx, collection.toLowerCase(), normalizeWord(term)));
      return { status: 'ok' };
    },
  };
  return {
    handlers,
    synonymsOf: (collection) => thesauri.get(collection.toLowerCase())?.lookup ?? withoutSynonyms,
    // A transaction, so that no write can commit between reading and replacing.
    load: () =>
      sql.transaction(async (tx) => {
        const loaded = toThesauri(await readAllSynonyms(tx));
        tx.onCommit(() => {
          thesauri = loaded;
        });
      }),
  };
}

const withoutSynonyms: SynonymLookup = Object.assign((): string[] => [], { longest: 0 });

function thesaurusIn(thesauri: Map<string, Thesaurus>, collection: string): Thesaurus {
  const found = thesauri.get(collection) ?? new Thesaurus();
  thesauri.set(collection, found);
  return found;
}

function toThesauri(rows: readonly { collection: string; term: string; synonym: string }[]): Map<string, Thesaurus> {
  const thesauri = new Map<string, Thesaurus>();
  for (const [collection, ofCollection] of Map.groupBy(rows, (row) => row.collection)) {
    const thesaurus = thesaurusIn(thesauri, collection);
    for (const [term, ofTerm] of Map.groupBy(ofCollection, (row) => row.term))
      thesaurus.set(term, ofTerm.map(({ synonym }) => synonym));
  }
  return thesauri;
}

/** Every synonym with its term, by collection, in the order in which they were added. */
function readAllSynonyms(queries: Queries): Promise<{ collection: string; term: string; synonym: string }[]> {
  return queries.all('SELECT collection, term, synonym FROM synonyms ORDER BY collection, id');
}

/** The synonyms of one term, in the order in which they were added. */
async function readSynonyms(queries: Queries, collection: string, term: string): Promise<string[]> {
  const rows = await queries.all<{ synonym: string }>(
    'SELECT synonym FROM synonyms WHERE collection = ? AND term = ? ORDER BY id',
    [collection, term],
  );
  return rows.map(({ synonym }) => synonym);
}

/** Number of synonyms of all terms of a collection. */
async function countSynonyms(queries: Queries, collection: string): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM synonyms WHERE collection = ?', [collection]))!.n;
}

async function insertSynonyms(tx: Transaction, collection: string, term: string,
  synonyms: readonly string[]): Promise<void>
{
  await tx.runMany('INSERT INTO synonyms(collection, term, synonym) VALUES (?, ?, ?)',
    synonyms.map((synonym) => [collection, term, synonym]));
}

/** Returns whether there was one. */
async function removeSynonyms(tx: Transaction, collection: string, term: string): Promise<boolean> {
  return (await tx.run('DELETE FROM synonyms WHERE collection = ? AND term = ?', [collection, term])).changes > 0;
}

interface Entry {
  readonly synonyms: readonly string[];
  /** Forms are kept beside the words, so that a change of one entry tokenizes no other. */
  readonly form: string;
  readonly synonymForms: readonly string[];
}

/** The synonyms of one collection, in memory. */
class Thesaurus {
  readonly #entries = new Map<string, Entry>();
  /** By form, in both directions; undefined from a change to the next query. */
  #neighbours: Map<string, Set<string>> | undefined;
  /** The same by the terms of the forms. */
  #byTerms = new WeakMap<Terms, Map<string, Set<string>>>();
  #lookup: SynonymLookup | undefined;

  /** `undefined` removes. Both terms are normalized. */
  set(term: string, synonyms: readonly string[] | undefined): void {
    if (synonyms === undefined) this.#entries.delete(term);
    else this.#entries.set(term, { synonyms, form: toForm(term), synonymForms: synonyms.map(toForm) });
    this.#neighbours = undefined;
    this.#byTerms = new WeakMap();
    this.#lookup = undefined;
  }

  /** `neighbours` as a function; each change creates a new function. */
  get lookup(): SynonymLookup {
    if (this.#lookup !== undefined) return this.#lookup;
    this.#neighbours ??= bothWays(this.#entries.values());
    let longest = 0;
    for (const form of this.#neighbours.keys()) longest = Math.max(longest, form.split(' ').length);
    return this.#lookup = Object.assign((term: string, terms?: Terms) => this.neighbours(term, terms), { longest });
  }

  /** Terms with their synonyms in the order in which they were added. */
  entries(): [term: string, synonyms: string[]][] {
    return [...this.#entries].map(([term, { synonyms }]) => [term, [...synonyms]]);
  }

  /**
   * Other forms for a query term: its synonyms and the terms that it is a synonym of, but not the synonyms of those
   * (both directions, one step).
   */
  neighbours(term: string, terms?: Terms): string[] {
    this.#neighbours ??= bothWays(this.#entries.values());
    if (terms === undefined) return [...(this.#neighbours.get(toForm(term)) ?? [])];
    let byTerms = this.#byTerms.get(terms);
    if (byTerms === undefined) this.#byTerms.set(terms, byTerms = joinedByTerms(this.#neighbours, terms));
    return [...(byTerms.get(termsOf(term, terms)) ?? [])];
  }
}

/** A form of one or several tokens, each as its term. */
function termsOf(form: string, terms: Terms): string {
  return form.split(' ').map((one) => terms.term(one)).join(' ');
}

function joinedByTerms(neighbours: ReadonlyMap<string, Set<string>>, terms: Terms): Map<string, Set<string>> {
  const joined = new Map<string, Set<string>>();
  for (const [form, others] of neighbours) {
    const key = termsOf(form, terms);
    const known = joined.get(key);
    if (known === undefined) joined.set(key, others);
    else joined.set(key, new Set([...known, ...others]));
  }
  return joined;
}

function bothWays(entries: Iterable<Entry>): Map<string, Set<string>> {
  const neighbours = new Map<string, Set<string>>();
  const link = (from: string, to: string): void => {
    const known = neighbours.get(from);
    if (known === undefined) neighbours.set(from, new Set([to]));
    else known.add(to);
  };
  for (const { form, synonymForms } of entries) {
    for (const other of synonymForms.filter((synonym) => synonym !== form)) {
      link(form, other);
      link(other, form);
    }
  }
  return neighbours;
}

/** A word or phrase of a dictionary as it is stored and shown: one text for all its Unicode representations. */
export function normalizeWord(word: string): string {
  return word.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** The indexed form of a word, or several forms with spaces between them; empty when it has no letter and no digit. */
export function toForm(word: string): string {
  return formsOf(word).join(' ');
}

/** Throws `invalid_argument` for a word that no text can contain. `field` names it in the message. */
export function requireToken(word: string, field: string): void {
  if (toForm(word) === '') throw new ServiceError('invalid_argument', `${field} must contain a letter or a digit`);
}
