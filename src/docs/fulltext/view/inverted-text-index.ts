import { ServiceError } from '../../../errors/index.ts';
import { MAX_FUZZY_WORD } from '../../../kernels/inverted.ts';
import { OrdSet } from '../../../lib/ord-set.ts';
import { type Field, IndexFullError, type IndexOptions, InvertedIndex, MAX_RESULTS, type Query, type ScoringAlgorithm,
  type Segment } from '../../../search/inverted/index.ts';
import type { TermNode } from '../../../text/query/index.ts';
import type { Steps } from '../../view/index.ts';
import { PLAIN, STEMMING_ANALYZERS } from './analyzers.ts';
import { fieldTexts } from './document-texts.ts';
import { exactForms, formsByEdits, type KnownSpellings } from './edits.ts';
import { type Feedback, type FeedbackRules, relevantTerms, type RelevantText, rescored } from './feedback.ts';
import { tfidfWeights, toRerankings } from './field-weights.ts';
import { waysOf } from './letters.ts';
import { type CalledDocuments, type Completion, type CompletionRequest, type FormsLike, type IndexedDocument,
  type MatchByEdits, type TermAnalyzer, type TextHit, type TextIndex, type TextIndexes, type TextMatches,
  type TextQuery, type WeightedTerm } from './text-index.ts';
import { toIndexQuery } from './to-index-query.ts';
import { KEY, TITLE } from './to-indexed.ts';

/** Deleted documents are removed from the index when they reach this share. */
const DELETED_SHARE = 0.2;
/** k1 of the BM25 that `pmisparse` is based on. */
const PMISPARSE_K1 = 1.5;
/** Words of at least this many characters are still similar when they are two edits apart. */
const TWO_EDITS_FROM = 5;
/** Longer queries are not names; and maximum number of documents in each field that are found by one name. */
const MOST_WORDS_OF_NAME = 32;
const MOST_OF_A_NAME = 16;
/** Milliseconds of one slice of removing deleted documents. */
const TIDY_MS = 1;
/** Milliseconds of a step of adding a document. */
const STEP_MS = 4;

/** Full-text indexes in WebAssembly (see src/search/inverted/README.md). `options` are for tests. */
export function invertedIndexes(options: IndexOptions = {}): TextIndexes {
  return {
    create: () => new InvertedTextIndex(new InvertedIndex(options)),
    restore: async (bytes) => new InvertedTextIndex(await InvertedIndex.load(bytes, STEMMING_ANALYZERS, options)),
  };
}

/** Most matches that are kept for reuse. */
const MOST_SPARE = 4;

class InvertedTextIndex implements TextIndex {
  readonly #index: InvertedIndex;
  /**
   * Matches that are no longer needed: over a million documents, those of each search with facets would otherwise be
   * 125 KB of garbage.
   */
  readonly #spare: Uint32Array[] = [];

  constructor(index: InvertedIndex) {
    this.#index = index;
  }

  get documents(): number {
    return this.#index.size;
  }

  get bytes(): number {
    return this.#index.stats().bytes.memory;
  }

  put(document: IndexedDocument): Steps | undefined {
    return begun(this.#putInSteps(document));
  }

  *#putInSteps(document: IndexedDocument): Generator<undefined, void> {
    const { ord, documentClass, analyzer } = document;
    const texts = yield* fieldTexts(document);
    const addition = this.#index.beginAdd(ord, texts, analyzer.stemming ? analyzer : undefined, documentClass);
    while (addition.step(STEP_MS)) yield;
  }

  putSegment(ords: readonly number[], segment: Segment, analyzers: readonly TermAnalyzer[]): Steps | undefined {
    const addition = translated(() =>
      this.#index.beginMerge(ords, segment, analyzers.filter(({ stemming }) => stemming))
    );
    return addition && (() => translated(() => addition.step(STEP_MS)));
  }

  get fieldNames(): readonly string[] {
    return this.#index.fieldNames;
  }

  documentsByClass(): readonly number[] {
    return this.#index.documentsByClass();
  }

  classOf(ord: number): number | undefined {
    return this.#index.classOf(ord);
  }

  remove(ord: number): void {
    this.#index.remove(ord);
  }

  prepare(analyzer: TermAnalyzer): boolean {
    return !analyzer.stemming || this.#index.prepare(analyzer);
  }

  search(
    { readings, algorithm, fieldWeights, fields, rerank, limit, totals, filter, factors, collect, look }: TextQuery,
  ): TextMatches {
    const scoring = toScoring(algorithm, fieldWeights, fields);
    const spellings: KnownSpellings = new Map();
    const { hits, total, isLowerBound = false, matches, scores } = this.#index.search(
      toIndexQuery(this.#index, readings, spellings),
      {
        algorithm: scoring,
        limit: Math.min(limit, MAX_RESULTS),
        filter: filter?.words,
        multipliers: factors,
        collect,
        spare: collect === true ? this.#spare.pop() : undefined,
        totals,
        // Without documents nothing is looked up; the lookup would need the scores of all matches.
        scoresOf: look?.length === 0 ? undefined : look,
        rerank: rerank === true ? toRerankings(this.#index, readings, spellings) : undefined,
      },
    );
    return {
      hits,
      total,
      isLowerBound,
      looked: Array.from(scores ?? [], (score) => (score < 0 ? undefined : score)),
      matches: matches && OrdSet.fromWords(matches),
    };
  }

  reuse({ words }: OrdSet): void {
    if (this.#spare.length < MOST_SPARE) this.#spare.push(words);
  }

  relevantTerms(rules: FeedbackRules, documents: readonly RelevantText[]): readonly WeightedTerm[] {
    return relevantTerms(this.#index, rules, documents);
  }

  rescore(hits: readonly TextHit[], feedback: readonly Feedback[],
    { algorithm, fieldWeights, fields, factors }: Pick<TextQuery,
      'algorithm' | 'fieldWeights' | 'fields' | 'factors'>): readonly TextHit[]
  {
    return rescored(this.#index, hits, feedback, toScoring(algorithm, fieldWeights, fields), factors);
  }

  called(name: readonly string[]): CalledDocuments {
    const forms = name.length > MOST_WORDS_OF_NAME ? [] : name.map((form) => this.#index.form(form));
    const isKnown = forms.length > 0 && forms.every((form) => form !== undefined);
    const called = (field: number) => (isKnown ? this.#index.consistingOf(forms, field, MOST_OF_A_NAME) : []);
    return { byTitle: called(TITLE), byKey: called(KEY) };
  }

  scoresOf(
    { readings, algorithm, fieldWeights, fields }: Pick<TextQuery,
      'readings' | 'algorithm' | 'fieldWeights' | 'fields'>,
    ords: Uint32Array,
  ): Float32Array {
    return this.#index.search(toIndexQuery(this.#index, readings), {
      algorithm: toScoring(algorithm, fieldWeights, fields),
      limit: 0,
      scoresOf: ords,
    }).scores!;
  }

  documentsOf(form: string, analyzer: TermAnalyzer): number {
    return exactForms(this.#index, analyzer, form).reduce((sum, id) => sum + this.#index.documents(id), 0);
  }

  prepareCompounds(form: string, analyzer: TermAnalyzer): boolean {
    return this.#index.prepareCompounds(analyzer, form);
  }

  knowsCompounds(form: string, analyzer: TermAnalyzer): boolean {
    return this.#index.knowsCompounds(analyzer, form);
  }

  hasCompounds(form: string, analyzer: TermAnalyzer): boolean {
    return this.#index.compounds(analyzer, form).length > 0;
  }

  matchesCompounds(form: string, analyzer: TermAnalyzer, ords: readonly number[]): boolean[] {
    return this.#index.haveAny(this.#index.compounds(analyzer, form), ords);
  }

  matchesExactly(form: string, analyzer: TermAnalyzer, ords: readonly number[]): boolean[] {
    return this.#index.haveAny(exactForms(this.#index, analyzer, form), ords);
  }

  matchesByEdits(term: TermNode, analyzer: TermAnalyzer, ords: readonly number[],
    fields?: readonly Field[]): MatchByEdits[]
  {
    const { exact, near } = formsByEdits(this.#index, analyzer, term);
    const itself = this.#containing(exact, ords, fields);
    const others = near.map(({ id }) => ({
      text: this.#index.textOf(id),
      containing: this.#containing([id], ords, fields),
    }));
    return ords.map((ord) => ({
      itself: itself.has(ord),
      forms: others.filter(({ containing }) => containing.has(ord)).map(({ text }) => text),
    }));
  }

  /** Those of some documents that contain one of some forms. */
  #containing(ids: readonly number[], ords: readonly number[],
    fields: readonly Field[] | undefined): ReadonlySet<number>
  {
    if (fields === undefined) {
      const have = this.#index.haveAny(ids, ords);
      return new Set(ords.filter((_, i) => have[i]));
    }
    return this.#matching({ kind: 'term', forms: ids.map((id) => ({ id })) }, ords, fields);
  }

  #matching(query: Query, ords: readonly number[], fields: readonly Field[] | undefined): ReadonlySet<number> {
    if (ords.length === 0) return new Set();
    const { scores } = this.#index.search(query, {
      algorithm: { kind: 'bm25', ...(fields && { fields }) },
      limit: 0,
      scoresOf: ords,
    });
    return new Set(ords.filter((_, i) => scores![i]! >= 0));
  }

  spelledLike(form: string, limit: number): readonly string[] {
    const { near } = formsByEdits(this.#index, PLAIN, {
      form,
      fuzzy: [...form].length < TWO_EDITS_FROM ? 1 : 2,
      keepsFirst: true,
    });
    return near.filter(({ id }) => this.#index.documents(id) > 0).slice(0, limit).map(({ id }) =>
      this.#index.textOf(id)
    );
  }

  get version(): string {
    return this.#index.version;
  }

  get revision(): number {
    return this.#index.revision;
  }

  documentsWith(form: string): number {
    const id = this.#index.form(form);
    return id === undefined ? 0 : this.#index.documents(id);
  }

  words(from: number, count: number): ReturnType<TextIndex['words']> {
    const words: { word: string; documents: number }[] = [];
    const end = Math.min(from + count, this.#index.formEnd);
    for (let id = from; id < end; id++) {
      const documents = this.#index.hasForm(id) ? this.#index.documents(id) : 0;
      if (documents > 0) words.push({ word: this.#index.textOf(id), documents });
    }
    return { words, next: end < this.#index.formEnd ? end : undefined };
  }

  formsLike(like: FormsLike, limit: number): string[] | undefined {
    const ids = this.#idsLike(like, limit + 1);
    return ids === undefined || ids.length > limit ? undefined : ids.map((id) => this.#index.textOf(id));
  }

  #idsLike(like: FormsLike, limit: number): readonly number[] | undefined {
    switch (like.by) {
      case 'term':
        return exactForms(this.#index, like.analyzer, like.form);
      case 'compounds':
        return this.#index.compounds(like.analyzer, like.form);
      case 'pattern':
        return this.#index.wildcard(like.pattern, limit);
      case 'letters':
        return [...new Set(waysOf(this.#index, like.letters).flat(2).map(({ id }) => id))];
      // The index accepts a longer word without edits.
      case 'edits':
        return [...like.form].length > MAX_FUZZY_WORD ? undefined : this.#idsByEdits(like, limit);
    }
  }

  #idsByEdits({ form, edits, keepsFirst, begins, analyzer }: FormsLike & { by: 'edits' },
    limit: number): readonly number[]
  {
    if (!keepsFirst) return this.#index.fuzzy(form, edits, limit).map(({ id }) => id);
    const { near } = formsByEdits(this.#index, analyzer, { form, fuzzy: edits as 0 | 1 | 2, keepsFirst, begins });
    return near.map(({ id }) => id);
  }

  complete({ prefixes, field, scan, limit, isStopWord }: CompletionRequest): Completion[] {
    const words = [...new Set(prefixes.flatMap((prefix) => this.#index.prefix(prefix, scan)))].slice(0, scan).map((
      id,
    ) => ({ id, term: this.#index.textOf(id), documents: this.#index.documents(id, field) })).filter((
      { term, documents },
    ) => documents > 0 && !isStopWord(term));
    words.sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1));
    return words.slice(0, limit).map(({ id, term, documents }) => ({
      term,
      documents,
      field: field ?? this.#index.mainField(id),
    }));
  }

  settle(): boolean {
    return this.#index.settle(STEP_MS);
  }

  tidy(): boolean {
    return this.#index.compact(TIDY_MS, this.#index.deletedShare > DELETED_SHARE);
  }

  /** The number that the index stores is not needed, because the view has its own. */
  save(): AsyncIterable<Uint8Array> {
    return this.#index.save(0n);
  }
}

/** Does the first step of some work; undefined if nothing is left then. */
function begun(work: Generator<undefined, void>): Steps | undefined {
  const step = (): boolean => {
    const end = performance.now() + STEP_MS;
    while (performance.now() < end) if (translated(() => work.next()).done === true) return false;
    return true;
  };
  return step() ? step : undefined;
}

/** Throws `unavailable` if the index is full. */
function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof IndexFullError)) throw error;
    throw new ServiceError('unavailable', `${error.message}; split the collection, or delete documents and reindex it`,
      { cause: error });
  }
}

export function toScoring(algorithm: TextQuery['algorithm'], weights: ReadonlyMap<Field, number> = new Map(),
  fields?: readonly Field[]): ScoringAlgorithm
{
  const only = fields && { fields };
  switch (algorithm) {
    case 'tfidf':
      return { kind: 'tfidf', weights: tfidfWeights(fields) };
    case 'bm25':
      return { kind: 'bm25', ...only };
    case 'bm25f':
      return { kind: 'bm25f', weights };
    case 'pmisparse':
      return { kind: 'bm25', k1: PMISPARSE_K1, ...only };
  }
}
