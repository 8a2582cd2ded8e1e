import type { KernelBuild } from '../../kernels/load.ts';
import { readEach, withGuesses } from '../parts/index.ts';
import type { ScoringAlgorithm } from './algorithm.ts';
import type { Analyzer } from './analyzers.ts';
import { checkLimit, type IndexStats, type SearchOptions, type SearchResult } from './contract.ts';
import type { FuzzyForm } from './dictionary.ts';
import type { Field } from './fields.ts';
import { type IndexPart, isElsewhere } from './index-part.ts';
import { consistingOf, type InvertedIndex } from './inverted-index.ts';
import { bestOfAll, union } from './merging.ts';
import { checkLevels, levelsFor } from './nesting.ts';
import { queryInPart, termsOf } from './part-queries.ts';
import { checkQuery, type Query, simplify } from './query.ts';
import { formsBy, type Renumber, rerankingsBy } from './renumbering.ts';
import { rerankAll } from './rerank-parts.ts';
import { RERANKED, type Reranking } from './rerank.ts';
import { type Statistics, sumOf } from './statistics.ts';
import { Vocabulary } from './vocabulary.ts';

/** What is read of an index, whether it is one or several. */
export type SearchableIndex = Pick<InvertedIndex,
  'fieldNames' | 'begunLike' | 'classes' | 'classesOf' | 'compounds' | 'consistingOf' | 'countForms'
    | 'documentsByClass' | 'form' | 'formEnd' | 'fuzzy' | 'group' | 'hasForm' | 'haveAny' | 'knowsCompounds'
    | 'mainFields' | 'prefix' | 'prepare' | 'prepareCompounds' | 'revision' | 'search' | 'size' | 'stats' | 'textOf'
    | 'unstemmed' | 'version' | 'wildcard'>;

/**
 * Several indexes with different documents as one, which is only read: its results are those of one index with all
 * documents. Forms have the numbers of a `Vocabulary`.
 *
 * A search has up to four steps, in each of which every index gets plain data and returns plain data: what the
 * algorithm counts (`statistics`), in how many documents each term is (`documentsOfTerms`) and how many postings it has
 * (`postingsOf`), the best documents by what all indexes counted (`search`), and a better order of the best of all
 * (`rerank`). Indexes in other processes are asked in each step together.
 */
export class PartitionedIndex implements SearchableIndex {
  readonly #parts: readonly IndexPart[];
  /** The places of those in other processes, and of the others. */
  readonly #elsewhere: readonly number[];
  readonly #here: readonly number[];
  readonly #vocabulary: Vocabulary;
  /** The last matches of each index of this process, whose memory the next search uses again. */
  readonly #spare: (Uint32Array | undefined)[] = [];

  constructor(parts: readonly IndexPart[], build?: KernelBuild) {
    this.#parts = parts;
    this.#elsewhere = [...parts.keys()].filter((part) => isElsewhere(parts[part]!));
    this.#here = [...parts.keys()].filter((part) => !isElsewhere(parts[part]!));
    this.#vocabulary = new Vocabulary(parts, build);
  }

  /** Reads all indexes; those of this process when the others have answered, so that nothing is done in vain. */
  #each<T>(read: (part: IndexPart, i: number) => T): T[] {
    if (this.#elsewhere.length === 0) return this.#parts.map(read);
    const answers = readEach(this.#elsewhere, (i) => read(this.#parts[i]!, i));
    const found: T[] = [];
    for (const [at, i] of this.#elsewhere.entries()) found[i] = answers[at]!;
    for (const i of this.#here) found[i] = read(this.#parts[i]!, i);
    return found;
  }

  /** Those of the index that has the most. */
  get fieldNames(): readonly string[] {
    return this.#each(({ fieldNames }) => fieldNames).reduce((most, names) =>
      names.length > most.length ? names : most
    );
  }

  /** Throws a RangeError on a limit or parameter out of range, and on operators that nest too deeply. */
  search(query: Query, options: SearchOptions): SearchResult {
    const { limit, rerank = [], algorithm } = options;
    checkLimit(limit);
    const simple = this.#simplified(query);
    const statistics = sumOf(this.#each((part) => part.statistics(algorithm)));
    const rerankings = limit > 0 ? this.#parts.map((_, part) => rerankingsBy(rerank, this.#numberIn(part))) : [];
    const isReranked = limit > 0 && options.rerank !== undefined;
    const { queries, postings } = this.#counted(simple, { algorithm, statistics, rerankings });
    const found = this.#each((part, i) =>
      part.search(queries[i]!, {
        ...options,
        statistics,
        rerank: undefined,
        limit: isReranked ? Math.max(limit, RERANKED) : limit,
        spare: this.#spare[i],
      })
    );
    const all = found.map(({ hits }) => hits);
    const hits = isReranked
      ? rerankAll(this.#parts, all, { rerankings, postings, wanted: limit, statistics })
      : bestOfAll(all, limit).hits;
    return { hits, ...this.#joined(found, options) };
  }

  /** Everything of a result but the hits. */
  #joined(found: readonly SearchResult[], { collect, scoresOf, spare }: SearchOptions): Omit<SearchResult, 'hits'> {
    const matches = collect === true ? found.map((one) => one.matches!) : [];
    if (collect === true) { for (const i of this.#here) this.#spare[i] = matches[i]; }
    return {
      total: found.reduce((sum, { total }) => sum + total, 0),
      ...(found.some(({ isLowerBound }) => isLowerBound) && { isLowerBound: true }),
      ...(collect === true && { matches: union(matches, spare) }),
      ...(scoresOf && { scores: largest(found.map(({ scores }) => scores!), this.#here[0]) }),
    };
  }

  /** Checks and simplifies a query. */
  #simplified(query: Query): Query {
    const vocabulary = this.#vocabulary.complete();
    checkQuery(query, (forms) => forms.every(({ id }) => vocabulary.has(id)));
    const simple = simplify(query, this.classes);
    checkLevels(levelsFor(simple));
    return simple;
  }

  /**
   * A query for each index, whose terms have the documents of all indexes, and the postings of the words of all
   * rerankings, which have the numbers of each index.
   */
  #counted(query: Query,
    { algorithm, statistics, rerankings }: { readonly algorithm: ScoringAlgorithm; readonly statistics: Statistics;
      readonly rerankings: readonly (readonly Reranking[])[] }): { queries: Query[]; postings: number[] }
  {
    const { forms, places } = termsOf(query);
    const local = this.#parts.map((_, part) => forms.map((list) => formsBy(list, this.#numberIn(part))));
    const words = rerankings.map((own) => own.flatMap((reranking) => reranking.words));
    const counted = this.#each((part, i) =>
      readEach([
        () => part.documentsOfTerms(algorithm, statistics, local[i]!),
        () => part.postingsOf(words[i] ?? []),
      ], (count) => count())
    );
    const documents = sumsOf(counted.map(([counts]) => counts!));
    const queries = local.map((own) =>
      queryInPart(query, (list) => {
        const place = places.get(list)!;
        return { forms: own[place]!, documents: documents[place]! };
      })
    );
    return { queries, postings: sumsOf(counted.map(([, postings]) => postings!)) };
  }

  #numberIn(part: number): Renumber {
    return (form) => this.#vocabulary.inPart(part, form);
  }

  /** The numbers of forms in an index; 0 where it does not have one. */
  #own(part: number, forms: ArrayLike<number>): Uint32Array {
    return Uint32Array.from(forms, this.#numberIn(part));
  }

  /**
   * Reads something for each of some forms in every index, which is asked only for those that it has; elsewhere
   * undefined.
   */
  #eachOf<T>(forms: readonly number[], read: (part: IndexPart, own: number[]) => readonly T[]): (T | undefined)[][] {
    const vocabulary = this.#vocabulary.complete();
    for (const form of forms) vocabulary.checked(form);
    return this.#each((part, i) => {
      const own = this.#own(i, forms);
      const found = read(part, [...own].filter((form) => form !== 0));
      let next = 0;
      return Array.from(own, (form) => (form === 0 ? undefined : found[next++]));
    });
  }

  get size(): number {
    return this.#each(({ size }) => size).reduce((sum, size) => sum + size, 0);
  }

  documentsByClass(): number[] {
    return sumsOf(this.#each((part) => part.documentsByClass()));
  }

  get classes(): number {
    return this.#each(({ classes }) => classes).reduce((bits, classes) => bits | classes, 0);
  }

  classesOf(ords: readonly number[]): (number | undefined)[] {
    const found: (number | undefined)[] = ords.map(() => undefined);
    const answers = readEach(this.#elsewhere, (i) => this.#parts[i]!.classesOf(ords));
    for (const classes of answers) { for (const [place, one] of classes.entries()) found[place] ??= one; }
    for (const i of this.#here) {
      const places = [...found.keys()].filter((place) => found[place] === undefined);
      const classes = places.length === 0 ? [] : this.#parts[i]!.classesOf(places.map((place) => ords[place]!));
      for (const [at, place] of places.entries()) found[place] = classes[at];
    }
    return found;
  }

  form(form: string): number | undefined {
    return this.#vocabulary.complete().dictionary.find(form);
  }

  unstemmed(form: string): readonly number[] {
    return this.#vocabulary.complete().dictionary.sameKey(form);
  }

  group(analyzer: Analyzer, form: string): readonly number[] {
    return this.#vocabulary.complete().analyzers.group(analyzer, form);
  }

  compounds(analyzer: Analyzer, form: string): readonly number[] {
    return this.#vocabulary.complete().analyzers.compounds(analyzer, form);
  }

  prepareCompounds(analyzer: Analyzer, form: string): boolean {
    return this.#vocabulary.complete().analyzers.prepareCompounds(analyzer, form);
  }

  knowsCompounds(analyzer: Analyzer, form: string): boolean {
    return this.#vocabulary.complete().analyzers.knowsCompounds(analyzer, form);
  }

  /** Reads the forms of the indexes, and groups them by an analyzer, some at each call; returns whether all are. */
  prepare(analyzer: Analyzer | undefined): boolean {
    return this.#vocabulary.prepare() && (analyzer === undefined || this.#vocabulary.analyzers.prepare(analyzer));
  }

  prefix(prefix: string, limit: number): number[] {
    return this.#vocabulary.complete().dictionary.prefix(prefix, limit);
  }

  wildcard(pattern: string, limit: number): number[] {
    return this.#vocabulary.complete().dictionary.wildcard(pattern, limit);
  }

  fuzzy(word: string, edits: number, limit: number): FuzzyForm[] {
    if (![0, 1, 2].includes(edits)) throw new RangeError(`edits are 0, 1 or 2, got ${edits}`);
    return this.#vocabulary.complete().dictionary.fuzzy(word, edits, limit);
  }

  begunLike(word: string, edits: 1 | 2, kept: number, limit: number): FuzzyForm[] {
    return this.#vocabulary.complete().dictionary.begunLike(word, edits, kept, limit);
  }

  textOf(form: number): string {
    const vocabulary = this.#vocabulary.complete();
    return vocabulary.dictionary.text(vocabulary.checked(form));
  }

  countForms(forms: ArrayLike<number>, field?: Field): Uint32Array {
    this.#vocabulary.complete();
    const counts = new Uint32Array(forms.length);
    for (const counted of this.#each((part, i) => part.countForms(this.#own(i, forms), field)))
      for (let i = 0; i < counts.length; i++) counts[i]! += counted[i]!;
    return counts;
  }

  get formEnd(): number {
    return this.#vocabulary.complete().formEnd;
  }

  hasForm(form: number): boolean {
    return this.#vocabulary.complete().has(form);
  }

  get version(): string {
    return this.#each(({ version }) => version).join('; ');
  }

  get revision(): number {
    return this.#each(({ revision }) => revision).reduce((sum, one) => sum + one, this.#vocabulary.revision);
  }

  /** Of several named fields with as many documents, the one that comes first in the first index. */
  mainFields(forms: readonly number[]): Field[] {
    const all = this.#eachOf(forms, (part, own) => part.documentsByField(own));
    return forms.map((_, i) => mainFieldOf(all.map((counts) => counts[i])));
  }

  /** What it asks for depends on what the indexes say first; so it does not wait for them. */
  consistingOf(forms: readonly number[], field: number, limit: number): number[] {
    return withGuesses((guess) =>
      consistingOf({
        search: (query, options) => this.search(query, options),
        mayBeIn: (all) => guess(() => this.#mayBeIn(all, field), all.map(() => true)),
        lengthsOf: (ords) => sumsOf(this.#each((part) => part.lengthsOf(ords, field))),
      }, forms, field, limit)
    );
  }

  #mayBeIn(forms: readonly number[], field: number): boolean[] {
    const all = this.#eachOf(forms, (part, own) => part.mayBeIn(own, field));
    return forms.map((_, i) => all.some((found) => found[i]));
  }

  haveAny(forms: readonly number[], ords: readonly number[]): boolean[] {
    const vocabulary = this.#vocabulary.complete();
    for (const form of forms) vocabulary.checked(form);
    const have = ords.map(() => false);
    const all = this.#each((part, i) => {
      const own = forms.map(this.#numberIn(i)).filter((form) => form !== 0);
      return own.length === 0 ? [] : part.haveAny(own, ords);
    });
    for (const found of all) { for (const [at, has] of found.entries()) have[at] ||= has; }
    return have;
  }

  /** Bytes of the indexes, and of the forms of all in addition to those of each. */
  stats(): IndexStats {
    const all = this.#each((part) => part.stats());
    const sum = (of: (stats: IndexStats) => number): number => all.reduce((total, stats) => total + of(stats), 0);
    const bytes = Object.fromEntries(
      Object.keys(all[0]!.bytes).map((name) => [name, sum((stats) => stats.bytes[name as keyof IndexStats['bytes']])]),
    ) as IndexStats['bytes'];
    return {
      documents: sum(({ documents }) => documents),
      deleted: sum(({ deleted }) => deleted),
      forms: this.#vocabulary.complete().size,
      tokens: sum(({ tokens }) => tokens),
      bytes: { ...bytes, memory: bytes.memory + this.#vocabulary.bytes },
    };
  }
}

/** The sum of the numbers at each place of lists of the same length. */
function sumsOf([first, ...others]: readonly (readonly number[])[]): number[] {
  const sums = [...first!];
  for (const list of others) for (let i = 0; i < sums.length; i++) sums[i]! += list[i]!;
  return sums;
}

/** The field in which the most documents have a form, by what each index counts; numbers come before names. */
function mainFieldOf(all: readonly (ReadonlyMap<Field, number> | undefined)[]): Field {
  const counts = new Map<Field, number>();
  for (const own of all)
    for (const [field, count] of own ?? []) counts.set(field, count + (counts.get(field) ?? 0));
  const first = ([a]: [Field, number], [b]: [Field, number]): number =>
    typeof a === 'number' ? (typeof b === 'number' ? a - b : -1) : typeof b === 'number' ? 1 : 0;
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || first(a, b));
  return best?.[0] ?? 0;
}

/**
 * The scores of documents of which each is in one index at most; the others return -1 for it. They are put into the
 * list of an index of this process, if there is one.
 */
function largest(all: readonly Float32Array[], here: number | undefined): Float32Array {
  const scores = here === undefined ? all[0]!.slice() : all[here]!;
  for (const others of all)
    if (others !== scores) { for (let i = 0; i < scores.length; i++) scores[i] = Math.max(scores[i]!, others[i]!); }
  return scores;
}
