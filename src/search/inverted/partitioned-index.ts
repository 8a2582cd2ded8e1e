import type { KernelBuild } from '../../kernels/load.ts';
import type { Analyzer } from './analyzers.ts';
import { checkLimit, type IndexStats, type SearchOptions, type SearchResult } from './contract.ts';
import type { FuzzyForm } from './dictionary.ts';
import type { Field } from './fields.ts';
import { consistingOf, type InvertedIndex } from './inverted-index.ts';
import { bestOfAll, union } from './merging.ts';
import { checkLevels, levelsFor } from './nesting.ts';
import { queryInPart, termsOf } from './part-queries.ts';
import { checkQuery, type Query, simplify, type WeightedForm } from './query.ts';
import { rerankAll } from './rerank-parts.ts';
import { RERANKED } from './rerank.ts';
import { sumOf } from './statistics.ts';
import { Vocabulary } from './vocabulary.ts';

/** What is read of an index, whether it is one or several. */
export type SearchableIndex = Pick<InvertedIndex,
  'fieldNames' | 'begunLike' | 'classes' | 'classOf' | 'compounds' | 'consistingOf' | 'countForms' | 'documents'
    | 'documentsByClass' | 'form' | 'formEnd' | 'fuzzy' | 'group' | 'hasForm' | 'haveAny' | 'knowsCompounds'
    | 'mainField' | 'prefix' | 'prepare' | 'prepareCompounds' | 'revision' | 'search' | 'size' | 'stats' | 'textOf'
    | 'unstemmed' | 'version' | 'wildcard'>;

/**
 * Several indexes with different documents as one, which is only read: its results are those of one index with all
 * documents. Forms have the numbers of a `Vocabulary`.
 *
 * A search has up to four steps, in each of which every index gets plain data and returns plain data: what the
 * algorithm counts (`statistics`), in how many documents each term is (`documentsOfTerms`), the best documents by what
 * all indexes counted (`search`), and a better order of the best of all (`rerank`).
 */
export class PartitionedIndex implements SearchableIndex {
  readonly #parts: readonly InvertedIndex[];
  readonly #vocabulary: Vocabulary;
  /** The last matches of each index, whose memory the next search uses again. */
  readonly #spare: (Uint32Array | undefined)[] = [];

  constructor(parts: readonly InvertedIndex[], build?: KernelBuild) {
    this.#parts = parts;
    this.#vocabulary = new Vocabulary(parts, build);
  }

  /** Those of the index that has the most. */
  get fieldNames(): readonly string[] {
    return this.#parts.map(({ fieldNames }) => fieldNames).reduce((most, names) =>
      names.length > most.length ? names : most
    );
  }

  /** Throws a RangeError on a limit or parameter out of range, and on operators that nest too deeply. */
  search(query: Query, options: SearchOptions): SearchResult {
    const { limit, rerank, algorithm } = options;
    checkLimit(limit);
    const rerankings = limit > 0 ? rerank : undefined;
    const simple = this.#simplified(query);
    const statistics = sumOf(this.#parts.map((part) => part.statistics(algorithm)));
    const queries = this.#inParts(simple,
      (part, terms) => this.#parts[part]!.documentsOfTerms(algorithm, statistics, terms));
    const found = this.#parts.map((part, i) =>
      part.search(queries[i]!, {
        ...options,
        statistics,
        rerank: undefined,
        limit: rerankings === undefined ? limit : Math.max(limit, RERANKED),
        spare: this.#spare[i],
      })
    );
    const all = found.map(({ hits }) => hits);
    const hits = rerankings === undefined
      ? bestOfAll(all, limit).hits
      : rerankAll(this.#parts, all, { rerankings, wanted: limit, statistics, localOf: this.#localOf });
    return { hits, ...this.#joined(found, options) };
  }

  /** Everything of a result but the hits. */
  #joined(found: readonly SearchResult[], { collect, scoresOf, spare }: SearchOptions): Omit<SearchResult, 'hits'> {
    const matches = collect === true ? found.map((one) => one.matches!) : [];
    for (const [i, bitmap] of matches.entries()) this.#spare[i] = bitmap;
    return {
      total: found.reduce((sum, { total }) => sum + total, 0),
      ...(found.some(({ isLowerBound }) => isLowerBound) && { isLowerBound: true }),
      ...(collect === true && { matches: union(matches, spare) }),
      ...(scoresOf && { scores: largest(found.map(({ scores }) => scores!)) }),
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

  /** A query for each index, whose terms have the documents of all indexes; `count` counts those of one. */
  #inParts(query: Query,
    count: (part: number, terms: readonly (readonly WeightedForm[])[]) => readonly number[]): Query[]
  {
    const { forms, places } = termsOf(query);
    const local = this.#parts.map((_, part) => forms.map((list) => this.#formsIn(part, list)));
    const documents = forms.map(() => 0);
    for (const [part, own] of local.entries()) {
      const counts = count(part, own);
      for (let i = 0; i < counts.length; i++) documents[i]! += counts[i]!;
    }
    return local.map((own) =>
      queryInPart(query, (list) => {
        const place = places.get(list)!;
        return { forms: own[place]!, documents: documents[place]! };
      })
    );
  }

  #formsIn(part: number, forms: readonly WeightedForm[]): WeightedForm[] {
    const own: WeightedForm[] = [];
    for (const form of forms) {
      const id = this.#vocabulary.inPart(part, form.id);
      if (id !== 0) own.push(form.weight === undefined ? { id } : { id, weight: form.weight });
    }
    return own;
  }

  readonly #localOf = (part: number, form: number): number => this.#vocabulary.inPart(part, form);

  /** Sums up what each index that has a form returns for it. */
  #sum(form: number, count: (part: InvertedIndex, own: number) => number): number {
    this.#vocabulary.complete().checked(form);
    let sum = 0;
    for (let i = 0; i < this.#parts.length; i++) {
      const own = this.#vocabulary.inPart(i, form);
      if (own !== 0) sum += count(this.#parts[i]!, own);
    }
    return sum;
  }

  get size(): number {
    return this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  documentsByClass(): number[] {
    const all = this.#parts.map((part) => part.documentsByClass());
    return all[0]!.map((_, number) => all.reduce((sum, counts) => sum + counts[number]!, 0));
  }

  get classes(): number {
    return this.#parts.reduce((bits, { classes }) => bits | classes, 0);
  }

  classOf(ord: number): number | undefined {
    for (const part of this.#parts) {
      const found = part.classOf(ord);
      if (found !== undefined) return found;
    }
    return undefined;
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

  documents(form: number, field?: Field): number {
    return this.#sum(form, (part, own) => part.documents(own, field));
  }

  countForms(forms: ArrayLike<number>): Uint32Array {
    const vocabulary = this.#vocabulary.complete();
    const counts = new Uint32Array(forms.length);
    const own = new Uint32Array(forms.length);
    for (let part = 0; part < this.#parts.length; part++) {
      for (let i = 0; i < own.length; i++) own[i] = vocabulary.inPart(part, forms[i]!);
      const counted = this.#parts[part]!.countForms(own);
      for (let i = 0; i < own.length; i++) counts[i]! += counted[i]!;
    }
    return counts;
  }

  get formEnd(): number {
    return this.#vocabulary.complete().formEnd;
  }

  hasForm(form: number): boolean {
    return this.#vocabulary.complete().has(form);
  }

  get version(): string {
    return this.#parts.map(({ version }) => version).join('; ');
  }

  get revision(): number {
    return this.#parts.reduce((sum, { revision }) => sum + revision, this.#vocabulary.revision);
  }

  /** Of several named fields with as many documents, the one that comes first in the first index. */
  mainField(form: number): Field {
    const counts = new Map<Field, number>();
    this.#sum(form, (part, own) => {
      for (const [field, count] of part.documentsByField(own)) counts.set(field, count + (counts.get(field) ?? 0));
      return 0;
    });
    const first = ([a]: [Field, number], [b]: [Field, number]): number =>
      typeof a === 'number' ? (typeof b === 'number' ? a - b : -1) : typeof b === 'number' ? 1 : 0;
    const [best] = [...counts].sort((a, b) => b[1] - a[1] || first(a, b));
    return best?.[0] ?? 0;
  }

  consistingOf(forms: readonly number[], field: number, limit: number): number[] {
    return consistingOf({
      search: (query, options) => this.search(query, options),
      mayBeIn: (form) => this.#sum(form, (part, own) => Number(part.mayBeIn(own, field))) > 0,
      lengthOf: (ord) => this.#parts.reduce((sum, part) => sum + part.lengthOf(ord, field), 0),
    }, forms, field, limit);
  }

  haveAny(forms: readonly number[], ords: readonly number[]): boolean[] {
    const vocabulary = this.#vocabulary.complete();
    for (const form of forms) vocabulary.checked(form);
    const have = ords.map(() => false);
    for (const [i, part] of this.#parts.entries()) {
      const own = forms.map((form) => vocabulary.inPart(i, form)).filter((form) => form !== 0);
      if (own.length > 0) { for (const [at, has] of part.haveAny(own, ords).entries()) have[at] ||= has; }
    }
    return have;
  }

  /** Bytes of the indexes, and of the forms of all in addition to those of each. */
  stats(): IndexStats {
    const all = this.#parts.map((part) => part.stats());
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

/** The scores of documents of which each is in one index at most; the others return -1 for it. */
function largest(all: readonly Float32Array[]): Float32Array {
  const scores = all[0]!;
  for (const others of all.slice(1))
    for (let i = 0; i < scores.length; i++) scores[i] = Math.max(scores[i]!, others[i]!);
  return scores;
}
