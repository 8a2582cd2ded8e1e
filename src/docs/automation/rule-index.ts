import { Lru } from '../../lib/caches.ts';
import { Pace } from '../../lib/pace.ts';
import { gathered } from '../../search/parts/index.ts';
import { languagesOfQuery } from '../fulltext/index.ts';
import { type PercolatedDocument, Percolator } from './percolator.ts';
import { hasQuery, isByVector, isSentimentEnough, type Rule } from './rule.ts';
import { type RuleSearchDeps, wordsOf } from './search.ts';

/** The triggers of one collection. */
export interface CollectionTriggers {
  /** The triggers that a document may satisfy without its vectors, including some that it does not satisfy. */
  candidates(document: PercolatedDocument): Promise<readonly Candidate[]>;
  /** The triggers that compare vectors. */
  readonly byVector: readonly Rule[];
  /** The triggers that compare vectors and may find words of their query in a document. */
  withWords(document: PercolatedDocument): Promise<ReadonlySet<Rule>>;
}

interface Candidate {
  readonly rule: Rule;
  /** Whether the trigger's search may find the document; otherwise only its sentiment decides. */
  readonly mayBeFound: boolean;
}

/** Number of collections whose trigger indexes are in memory. */
const COLLECTIONS = 64;

interface Indexed extends CollectionTriggers {
  readonly signature: readonly unknown[];
}

/** The triggers by collection, indexed by the words of their queries. */
export class RuleIndex {
  readonly #search: Pick<RuleSearchDeps, 'words'>;
  readonly #rules: () => Iterable<Rule>;
  #indexed = new Lru<string, Indexed>(COLLECTIONS);
  /** How often triggers were indexed. */
  builds = 0;

  /** `rules` returns all current rules. */
  constructor(search: Pick<RuleSearchDeps, 'words'>, rules: () => Iterable<Rule>) {
    this.#search = search;
    this.#rules = rules;
  }

  /** Call this when the rules have changed. */
  clear(): void {
    this.#indexed = new Lru(COLLECTIONS);
  }

  /**
   * The triggers that apply to a collection. They are indexed again when its languages, stop words or synonyms have
   * changed.
   */
  async of(collection: string): Promise<CollectionTriggers> {
    // Most collections have none, and their index need not be in memory for that.
    if (this.#triggersOf(collection).next().done === true) return NO_TRIGGERS;
    for (;;) {
      const indexed = this.#indexed;
      const signature = this.#signatureOf(collection);
      const known = indexed.get(collection);
      if (known !== undefined && isSame(known.signature, signature)) return known;
      const built = { signature, ...await this.#build(collection) };
      indexed.set(collection, built);
      if (indexed === this.#indexed) return built;
    }
  }

  /** Describes how queries of the collection are parsed, independently of how many documents each language has. */
  #signatureOf(collection: string): unknown[] {
    const { words } = this.#search;
    const languages = [...languagesOfQuery(words, collection)].sort((a, b) => (a.lang < b.lang ? -1 : 1));
    return [words.settings.synonyms ? words.dictionaries.synonymsOf(collection) : undefined,
      ...languages.flatMap(({ lang, stopWords }) => [lang, stopWords])];
  }

  *#triggersOf(collection: string): Generator<Rule> {
    for (const rule of this.#rules())
      if (rule.body.type === 'trigger' && isAbout(rule.body.collection, collection)) yield rule;
  }

  async #build(collection: string): Promise<CollectionTriggers> {
    const { words } = this.#search;
    const documentsWith = (form: string): number => words.view.indexOf(collection)?.documentsWith(form) ?? 0;
    const found = { words: new Percolator<Rule>(documentsWith), vectors: new Percolator<Rule>(documentsWith) };
    const [bySentiment, byVector]: [Rule[], Rule[]] = [[], []];
    this.builds++;
    const pace = new Pace();
    for (const rule of this.#triggersOf(collection)) {
      await pace.rest();
      if (isByVector(rule.body)) byVector.push(rule);
      else if (isSentimentEnough(rule.body)) bySentiment.push(rule);
      if (!hasQuery(rule.body) || rule.body.searchType === 'vector') continue;
      const { body } = rule;
      const { plan, algorithm } = await gathered(() => wordsOf(words, body, collection, { forAny: true }));
      const query = { readings: plan.readings, hasExpansions: algorithm === 'pmisparse' };
      await gathered(() => (isByVector(body) ? found.vectors : found.words).add(rule, query));
    }
    return {
      byVector,
      withWords: (document) => found.vectors.candidates(document),
      async candidates(document) {
        const byWords = await found.words.candidates(document);
        return [...Array.from(byWords, (rule) => ({ rule, mayBeFound: true })),
          ...bySentiment.filter((rule) => !byWords.has(rule)).map((rule) => ({ rule, mayBeFound: false }))];
      },
    };
  }
}

const NO_TRIGGERS: CollectionTriggers = {
  byVector: [],
  withWords: async () => new Set(),
  candidates: async () => [],
};

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i]);
}

function isAbout(scope: string, collection: string): boolean {
  return scope === '' || scope.toLowerCase() === collection;
}
