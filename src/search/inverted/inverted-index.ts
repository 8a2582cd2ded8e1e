// Above 400 lines: the class is the whole interface of the engine, and each method is a few lines that check arguments
// and delegate.
import { Buffers, InvertedKernel, MAX_CLASSES, MAX_FIELDS } from '../../kernels/inverted.ts';
import { Pace } from '../../lib/pace.ts';
import { tokenTables, tokenTablesVersion } from '../../text/token-tables.ts';
import { roomForFilters } from '../filter/index.ts';
import type { MemorySnapshot } from '../memory-snapshot.ts';
import { addDocument, ADDITION_STEP, type Additions, mergeSegment } from './addition.ts';
import { type Scoring, type ScoringAlgorithm, scoringFor } from './algorithm.ts';
import { type Analyzer, Analyzers } from './analyzers.ts';
import { readCheckpoint, snapshotOf } from './checkpoint.ts';
import { type Addition, checkLimit, type Hit, IndexFullError, type IndexOptions, type IndexStats, MAX_ORDINAL,
  type SearchOptions, type SearchResult } from './contract.ts';
import { Dictionary, type FuzzyForm } from './dictionary.ts';
import { checkFields, type FieldText } from './document-text.ts';
import { Evaluation, KEPT_LEVELS } from './evaluation.ts';
import { type Field, FieldNumbers } from './fields.ts';
import { Filters, type KnownFilter } from './filters.ts';
import { type FormWatcher, FormWatchers } from './form-watchers.ts';
import { levelsFor } from './nesting.ts';
import { checkQuery, type Query, simplify, type WeightedForm } from './query.ts';
import { featuresOf, postingsOf, rerank, type Reranking, type RerankStatistics, type RerankWord,
  sharesOf } from './rerank.ts';
import type { Segment } from './segment.ts';
import { boundOf, select } from './selection.ts';
import { scoringBy, type Statistics, statisticsOf } from './statistics.ts';

/**
 * Memory that must be free before a document is added: this share of all memory, for arrays that grow, plus this many
 * bytes for each byte of the document.
 */
const HEADROOM = 1 / 32;
const HEADROOM_PER_BYTE = 16;
const MAX_BYTES = 65_536 * 65_536;
/** Default number of bytes for cached lists (see asm/inverted/lists/). */
const CACHE_BYTES = 128 * 1024 * 1024;
/**
 * The buffers of smaller indexes take a few milliseconds to make, so they are not made for collections that nobody
 * searches.
 */
const REHEARSED_FROM = 100_000;
/** Terms of a query for which there is memory after loading; buffers for more are made when they are needed. */
const REHEARSED_TERMS = 4;
/** Bits of the fields of a form that occurs only in contents. */
const ONLY_CONTENT = 1;
/** Postings that a step of compaction processes, in well under a millisecond. */
const COMPACTION_STEP = 8_000;

/**
 * The inverted index of a collection, in a WebAssembly memory of its own. The caller identifies documents by ordinals,
 * which should be dense from 0. Every method is synchronous, so that no search sees half a document. README.md
 * describes the design.
 *
 * When a call fails inside the kernel, the index is broken and every later call throws: it has to be rebuilt. If it
 * failed because the memory could not grow, later calls throw an IndexFullError.
 */
export class InvertedIndex {
  readonly #kernel: InvertedKernel;
  readonly #analyzers: Analyzers;
  readonly #dictionary: Dictionary;
  /** Position in the change feed up to which a loaded checkpoint is complete. */
  readonly lsn: bigint;
  readonly #fields: FieldNumbers;
  readonly #watchers = new FormWatchers();
  readonly #filters: Filters;
  readonly #filterBytes: number | undefined;
  readonly #maxBytes: number;
  readonly #compactionStep: number;
  readonly #additionStep: number;
  readonly #cacheBytes: number;
  #snapshot: MemorySnapshot | undefined;
  /** The remaining steps of a document that is being added. */
  #adding: Iterator<undefined> | undefined;
  #broken: unknown;
  #revision = 0;

  constructor(options: IndexOptions = {}, loaded?: { kernel: InvertedKernel; lsn: bigint; fields: readonly string[] }) {
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    this.#kernel = loaded?.kernel ?? new InvertedKernel(options.build, { maxBytes: this.#maxBytes });
    this.#kernel.placeTables(tokenTables());
    this.#dictionary = new Dictionary(this.#kernel);
    this.#analyzers = new Analyzers(this.#kernel, this.#dictionary);
    this.#fields = new FieldNumbers(loaded?.fields);
    this.#filters = new Filters(this.#kernel);
    this.#filterBytes = options.filterBytes;
    this.lsn = loaded?.lsn ?? 0n;
    this.#compactionStep = options.compactionStep ?? COMPACTION_STEP;
    this.#additionStep = options.additionStep ?? ADDITION_STEP;
    this.#cacheBytes = options.cacheBytes ?? CACHE_BYTES;
  }

  /**
   * Restores an index from the bytes that `save` returned. `analyzers` are those whose groupings are restored; other
   * groupings are built when they are first used. Throws a CheckpointError when the bytes are damaged or of another
   * version.
   */
  static async load(source: AsyncIterable<Uint8Array>, analyzers: readonly Analyzer[] = [],
    options: IndexOptions = {}): Promise<InvertedIndex>
  {
    const { kernel, header } = await readCheckpoint(source, tokenTablesVersion(), options);
    const index = new InvertedIndex(options, { kernel, lsn: BigInt(header.lsn), fields: header.fields });
    index.#analyzers.restore(header.analyzers, new Map(analyzers.map((analyzer) => [analyzer.name, analyzer])));
    if (index.size >= (options.rehearsedFrom ?? REHEARSED_FROM)) await index.#rehearse(new Pace());
    return index;
  }

  /**
   * The bytes of the current index, complete up to a position of the change feed. The index may be used meanwhile: the
   * first change copies what is not yet read, or `settle` copies it in steps before. After a second call, the bytes of
   * the first stay readable but are no longer up to date.
   */
  save(lsn: bigint): AsyncIterable<Uint8Array> {
    this.#finishAdding();
    this.#beforeChange();
    const snapshot = snapshotOf(this.#kernel, {
      lsn: String(lsn),
      tables: tokenTablesVersion(),
      analyzers: this.#analyzers.names(),
      fields: this.#fields.names(),
    });
    this.#snapshot = snapshot;
    return snapshot.bytes();
  }

  /**
   * Prepares for a change while a checkpoint is being read, for about this many milliseconds; returns whether there is
   * more to do. A change that does not wait for it does the rest itself, at some 3 GB/s.
   */
  settle(milliseconds: number, now: () => number = () => performance.now()): boolean {
    if (this.#snapshot?.copy(milliseconds, now) === true) return true;
    this.#snapshot = undefined;
    return false;
  }

  /**
   * Adds a document, or replaces the one with that ordinal. `analyzer` is that of its language: every analyzer that
   * documents use groups all forms of the index. `documentClass` is a number from 0 to 31 whose meaning the caller
   * defines: queries can restrict terms to some classes. Throws a RangeError on an ordinal, class, field or position
   * out of range, and an IndexFullError when there is not enough memory; both leave the index unchanged. (If an array
   * cannot grow in the middle of a change, the error is the same, but the index has to be rebuilt.)
   */
  add(ord: number, fields: readonly FieldText[], analyzer?: Analyzer, documentClass = 0): void {
    this.#begin(ord, fields, analyzer, documentClass);
    this.#finishAdding();
  }

  /**
   * The same in steps, for documents that would block the event loop for too long. Searches may run between the steps;
   * any other call that changes or saves the index completes the remaining steps first.
   */
  beginAdd(ord: number, fields: readonly FieldText[], analyzer?: Analyzer, documentClass = 0): Addition {
    return this.#inSteps(this.#begin(ord, fields, analyzer, documentClass));
  }

  /** The names that have field numbers, in the order of their numbers. */
  get fieldNames(): readonly string[] {
    return this.#fields.names();
  }

  /**
   * Adds the documents of a segment with these ordinals, in steps like `beginAdd`, with the same result as if they were
   * added one after the other; searches see none of them until all are added. `analyzers` are those of their languages.
   * Returns undefined, and changes nothing, if the segment gives a named field another number than the index.
   */
  beginMerge(ords: readonly number[], segment: Segment, analyzers: readonly Analyzer[] = []): Addition | undefined {
    for (const ord of ords) checkOrdinal(ord);
    if (ords.length !== segment.documents)
      throw new RangeError(`a segment of ${segment.documents} documents needs as many ordinals, got ${ords.length}`);
    this.#finishAdding();
    if (!this.#fields.agreesWith(segment.fields)) return undefined;
    this.#checkRoom(segment.bytes.length);
    return this.#inSteps(this.#change(() => {
      for (const analyzer of analyzers) this.#analyzers.use(analyzer);
      return (this.#adding = mergeSegment(this.#additions(), ords, segment));
    }));
  }

  /** Removes a document; returns whether it existed. Compaction removes its postings later. */
  remove(ord: number): boolean {
    checkOrdinal(ord);
    return this.#change(() => this.#kernel.call.removeDocument(ord) !== 0);
  }

  has(ord: number): boolean {
    return this.#use(() => this.#kernel.call.documentOf(ord) !== 0);
  }

  /** The class of each document; undefined where there is no document with that ordinal. */
  classesOf(ords: readonly number[]): (number | undefined)[] {
    const { call } = this.#kernel;
    return this.#use(() =>
      ords.map((ord) => {
        const doc = call.documentOf(ord);
        return doc === 0 ? undefined : call.classOf(doc);
      })
    );
  }

  /** Throws a RangeError on a limit or parameter out of range, and on operators that nest too deeply. */
  search(query: Query, options: SearchOptions): SearchResult {
    checkLimit(options.limit);
    const scoring = this.#scoring(options.algorithm, options.statistics);
    return this.#use(() => {
      const { call } = this.#kernel;
      const simple = this.#simplified(query);
      if (simple.kind === 'none' && options.collect !== true && options.scoresOf === undefined)
        return { hits: [], total: 0 };
      const evaluation = this.#evaluation(scoring, levelsFor(simple));
      const filter = this.#filterOf(options);
      const lone = options.multipliers === undefined && options.scoresOf === undefined;
      const place = evaluation.run(simple, {
        lone,
        plain: lone && filter === undefined && options.collect !== true,
        passing: options.scoresOf === undefined ? filter?.documents : undefined,
        bound: boundOf(this.#kernel, options, filter),
      });
      const result = select(this.#kernel, place, options, filter);
      call.dropLevelsFrom(KEPT_LEVELS);
      return result;
    });
  }

  /** What an algorithm counts in the documents of this index; see `SearchOptions.statistics`. */
  statistics(algorithm: ScoringAlgorithm): Statistics {
    return statisticsOf(this.#kernel, this.#fields, algorithm);
  }

  /**
   * The number of live documents with each term, given by its forms, in the fields that count for an algorithm. What is
   * read for that is remembered for the search that follows.
   */
  documentsOfTerms(algorithm: ScoringAlgorithm, statistics: Statistics,
    terms: readonly (readonly WeightedForm[])[]): number[]
  {
    const scoring = this.#scoring(algorithm, statistics);
    return this.#use(() => this.#evaluation(scoring, 1).count(terms));
  }

  /** The postings of each word, those of deleted documents included, from which the shares of words are computed. */
  postingsOf(words: readonly RerankWord[]): number[] {
    return this.#use(() => postingsOf(this.#kernel, words));
  }

  /**
   * Reranks hits of a search, at most `RERANKED`, by the statistics of all documents of a collection. Returns the best
   * `wanted` in order. Scores below `least` may be too low, but do not reach it in any case.
   */
  rerank(hits: readonly Hit[], rerankings: readonly Reranking[], wanted: number, given: RerankStatistics): Hit[] {
    return this.#use(() => {
      const { call } = this.#kernel;
      call.openLists(this.#roomFor(this.#cacheBytes));
      call.prepareLevels(1);
      this.#kernel.inputHits(hits);
      call.selectGiven(hits.length);
      rerank(this.#kernel, rerankings, wanted, given);
      return this.#kernel.hits(Math.min(wanted, call.selectedCount()));
    });
  }

  #scoring(algorithm: ScoringAlgorithm, statistics: Statistics | undefined): Scoring {
    if (statistics !== undefined) return scoringBy(algorithm, statistics, this.#fields);
    const { live, tokens } = this.#kernel.counts();
    return scoringFor(algorithm, {
      live,
      tokens,
      numberOf: (field) => this.#fields.find(field),
      countsOf: (field) => this.#kernel.fieldCounts(field),
    });
  }

  #evaluation(scoring: Scoring, levels: number): Evaluation {
    this.#kernel.call.openLists(this.#roomFor(this.#cacheBytes));
    const evaluation = new Evaluation(this.#kernel, scoring);
    evaluation.prepare(levels);
    return evaluation;
  }

  /**
   * Makes the buffers of searches, some at each step: the first search would block others while it makes all of them.
   */
  async #rehearse(pace: Pace): Promise<void> {
    const { call } = this.#kernel;
    call.openLists(this.#roomFor(this.#cacheBytes));
    await pace.rest();
    call.prepareLevels(1);
    await pace.rest();
    call.prepareTallies(REHEARSED_TERMS);
    await pace.rest();
    this.#filters.prepare();
  }

  /** Checks and simplifies a query. */
  #simplified(query: Query): Query {
    const { call } = this.#kernel;
    checkQuery(query, (forms) => {
      this.#kernel.inputEach(forms, ({ id }) => id);
      return call.formsExist(forms.length) !== 0;
    });
    return simplify(query, call.liveClasses());
  }

  /** Returns the filter of a search in the memory of the index, and prepares to collect matches. */
  #filterOf({ filter, collect = false }: SearchOptions): KnownFilter | undefined {
    if (filter === undefined && !collect) return undefined;
    this.#filters.prepare();
    return filter &&
      this.#filters.find(filter, this.#roomFor(this.#filterBytes ?? roomForFilters(this.#kernel.counts().documents)));
  }

  /** The features by which documents are reranked (see `rerank.ts`), for fitting weights and for tests. */
  features(words: readonly RerankWord[], ords: readonly number[]): Float32Array {
    return this.#use(() => {
      this.#kernel.call.openLists(this.#roomFor(this.#cacheBytes));
      this.#kernel.call.prepareLevels(1);
      return featuresOf(this.#kernel, words, ords);
    });
  }

  /** The share of each word in a query; the shares add up to 1. */
  shares(words: readonly RerankWord[]): number[] {
    return this.#use(() => sharesOf(postingsOf(this.#kernel, words), this.size));
  }

  /** Number of live documents. */
  get size(): number {
    return this.#kernel.counts().live;
  }

  /** Number of documents of each class, by class. */
  documentsByClass(): number[] {
    return this.#kernel.documentsByClass();
  }

  /** Bits of the classes that documents have. */
  get classes(): number {
    return this.#use(() => this.#kernel.call.liveClasses());
  }

  // ---- Forms: the words of the documents, by number ----

  /** The form with exactly this spelling. */
  form(form: string): number | undefined {
    return this.#use(() => this.#dictionary.find(form));
  }

  /** Forms that are equal except for diacritics: the terms of a search without stemming, and of code. */
  unstemmed(form: string): readonly number[] {
    return this.#use(() => this.#dictionary.sameKey(form));
  }

  /**
   * Forms that an analyzer maps to the same term as the given form, which need not be in the index, or as another
   * spelling of it.
   */
  group(analyzer: Analyzer, form: string): readonly number[] {
    const find = () => this.#analyzers.group(analyzer, form);
    return this.#analyzers.isReady(analyzer) ? this.#use(find) : this.#change(find);
  }

  /** Forms that a word is a part of, by the rules of an analyzer, without those of the word itself. */
  compounds(analyzer: Analyzer, form: string): readonly number[] {
    const find = () => this.#analyzers.compounds(analyzer, form);
    return this.#analyzers.isReady(analyzer) ? this.#use(find) : this.#change(find);
  }

  /**
   * Looks for the compounds of a word, some milliseconds at each call; returns whether all are found. The index must be
   * ready for the analyzer (`prepare`).
   */
  prepareCompounds(analyzer: Analyzer, form: string): boolean {
    return this.#use(() => this.#analyzers.prepareCompounds(analyzer, form));
  }

  /** Whether all compounds of a word are found. */
  knowsCompounds(analyzer: Analyzer, form: string): boolean {
    return this.#analyzers.knowsCompounds(analyzer, form);
  }

  /** Groups forms by an analyzer that is new to the index, some at each call; returns whether all are grouped. */
  prepare(analyzer: Analyzer | undefined): boolean {
    return analyzer === undefined || this.#analyzers.isReady(analyzer) ||
      this.#change(() => this.#analyzers.prepare(analyzer));
  }

  /** Forms with a prefix, in order; at most `limit`. */
  prefix(prefix: string, limit: number): number[] {
    return this.#use(() => this.#dictionary.prefix(prefix, limit));
  }

  /** Forms that match a pattern with `*` and `?` (see `Dictionary`); at most `limit`. */
  wildcard(pattern: string, limit: number): number[] {
    return this.#use(() => this.#dictionary.wildcard(pattern, limit));
  }

  /** Forms within 0 to 2 edits of a word; at most `limit`. */
  fuzzy(word: string, edits: number, limit: number): FuzzyForm[] {
    if (![0, 1, 2].includes(edits)) throw new RangeError(`edits are 0, 1 or 2, got ${edits}`);
    return this.#use(() => this.#dictionary.fuzzy(word, edits, limit));
  }

  /** Forms that begin with something within 1 or 2 edits of a word (see `Dictionary`); at most `limit`. */
  begunLike(word: string, edits: 1 | 2, kept: number, limit: number): FuzzyForm[] {
    return this.#use(() => this.#dictionary.begunLike(word, edits, kept, limit));
  }

  textOf(form: number): string {
    return this.#use(() => this.#dictionary.text(this.#checked(form)));
  }

  /** Number of live documents that have a form, in any field or in one. */
  documents(form: number, field?: Field): number {
    const number = field === undefined ? undefined : this.#fields.find(field);
    if (field !== undefined && number === undefined) return 0;
    return this.#use(() => this.#dictionary.documents(this.#checked(form), number));
  }

  /** Number of live documents that have each of some forms, in any field or in one; 0 stands for no form. */
  countForms(forms: ArrayLike<number>, field?: Field): Uint32Array {
    if (field !== undefined) return Uint32Array.from(forms, (form) => (form === 0 ? 0 : this.documents(form, field)));
    return this.#use(() => {
      for (let i = 0; i < forms.length; i++) if (forms[i] !== 0) this.#checked(forms[i]!);
      this.#kernel.inputNumbers(forms);
      this.#kernel.call.countForms(forms.length);
      return this.#kernel.output(forms.length);
    });
  }

  /** The largest possible number of a form, plus 1. */
  get formEnd(): number {
    return this.#kernel.formEnd();
  }

  /** Tells a watcher of each form that joins or leaves from now on, until the watcher is garbage. */
  watch(watcher: FormWatcher): void {
    this.#watchers.add(watcher);
  }

  /** Whether a form with this number exists. */
  hasForm(form: number): boolean {
    return this.#exists(form);
  }

  /** Changes whenever a document is added or removed. */
  get version(): string {
    return this.#kernel.documentsVersion();
  }

  /** Changes at least whenever documents, forms or groups of forms change. */
  get revision(): number {
    return this.#revision;
  }

  /** For each form the field in which the most live documents have it; of several, the first. */
  mainFields(forms: readonly number[]): Field[] {
    return this.#use(() => forms.map((form) => this.#fields.nameOf(this.#kernel.call.mainField(this.#checked(form)))));
  }

  /** Number of live documents that have each form in each field, of those fields in which any has it. */
  documentsByField(forms: readonly number[]): ReadonlyMap<Field, number>[] {
    return forms.map((form) => this.#documentsByField(form));
  }

  #documentsByField(form: number): ReadonlyMap<Field, number> {
    return this.#use(() => {
      const { call } = this.#kernel;
      if (call.formFields(this.#checked(form)) === ONLY_CONTENT) return new Map([[0, call.liveDocuments(form)]]);
      call.mainField(form);
      const counts = this.#kernel.numbers(call.buffer(Buffers.fieldCounts), MAX_FIELDS);
      const fields = new Map<Field, number>();
      for (const [field, count] of counts.entries()) if (count > 0) fields.set(this.#fields.nameOf(field), count);
      return fields;
    });
  }

  /** Whether each form may occur in a plain field. */
  mayBeIn(forms: readonly number[], field: number): boolean[] {
    return this.#use(() =>
      forms.map((form) => ((this.#kernel.call.formFields(this.#checked(form)) >> field) & 1) !== 0)
    );
  }

  /** Number of tokens of each document in a plain field; 0 if there is no document. */
  lengthsOf(ords: readonly number[], field: number): number[] {
    return this.#use(() => ords.map((ord) => this.#kernel.call.lengthOf(ord, field)));
  }

  /** Occurrences of a form in a document; 0 if there are none. */
  frequency(form: number, ord: number): number {
    return this.#use(() => {
      const doc = this.#kernel.call.documentOf(ord);
      return doc === 0 ? 0 : this.#kernel.call.frequencyIn(this.#checked(form), doc);
    });
  }

  /**
   * Documents of which a plain field has these forms, in any order, and as many tokens as forms are given; at most
   * `limit`.
   */
  consistingOf(forms: readonly number[], field: number, limit: number): number[] {
    return consistingOf(this, forms, field, limit);
  }

  /** For each document, whether it contains any of the forms, in any field. */
  haveAny(forms: readonly number[], ords: readonly number[]): boolean[] {
    return this.#use(() => {
      for (const form of forms) this.#checked(form);
      this.#kernel.inputNumbers(forms.concat(ords));
      this.#kernel.call.haveForms(forms.length, ords.length);
      return this.#kernel.outputFlags(ords.length);
    });
  }

  // ---- Maintenance ----

  /** Share of the documents that are deleted, 0 to 1. */
  get deletedShare(): number {
    const { live, dead } = this.#kernel.counts();
    return dead === 0 ? 0 : dead / (live + dead);
  }

  /**
   * Continues to remove the postings of deleted documents for about this many milliseconds; starts to if `begin` is set
   * and there are any. Returns whether there is more to do. Earlier form numbers are invalid afterwards.
   */
  compact(milliseconds: number, begin = true, now: () => number = () => performance.now()): boolean {
    const { call } = this.#kernel;
    if (call.isCompacting() === 0 && (!begin || this.#kernel.counts().dead === 0)) return false;
    return this.#change(() => {
      const end = now() + milliseconds;
      if (call.isCompacting() === 0) call.beginCompaction();
      while (call.isCompacting() !== 0) {
        this.#retire(this.#kernel.output(call.compactStep(this.#compactionStep)));
        if (now() >= end) break;
      }
      return call.isCompacting() !== 0;
    });
  }

  stats(): IndexStats {
    const { live, dead, forms, tokens } = this.#kernel.counts();
    const parts = this.#kernel.parts();
    const total = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
    return {
      documents: live,
      deleted: dead,
      forms,
      tokens,
      bytes: { ...parts, total, memory: this.#kernel.memory.buffer.byteLength },
    };
  }

  // ---- Private ----

  #exists(form: number): boolean {
    return Number.isInteger(form) && form > 0 && form < this.#kernel.formEnd() &&
      this.#kernel.call.formExists(form) !== 0;
  }

  /** Returns the number of a form, or throws a RangeError. */
  #checked(form: number): number {
    if (!this.#exists(form)) throw new RangeError(`the index has no form ${form}`);
    return form;
  }

  /** Checks a document and prepares the steps that add it. */
  #begin(ord: number, fields: readonly FieldText[], analyzer: Analyzer | undefined,
    documentClass: number): Iterator<undefined>
  {
    checkOrdinal(ord);
    checkClass(documentClass);
    checkFields(fields);
    this.#checkRoom(
      fields.reduce((sum, value) => sum + ('tokens' in value ? value.tokens.length * 8 : value.text.length), 0),
    );
    return this.#change(() => {
      if (analyzer !== undefined) this.#analyzers.use(analyzer);
      return (this.#adding = addDocument(this.#additions(), { ord, documentClass, texts: fields }));
    });
  }

  #additions(): Additions {
    return {
      kernel: this.#kernel,
      analyzers: this.#analyzers,
      dictionary: this.#dictionary,
      fields: this.#fields,
      watchers: this.#watchers,
      amount: this.#additionStep,
    };
  }

  #inSteps(adding: Iterator<undefined>): Addition {
    return {
      step: (milliseconds, now = () => performance.now()) => {
        const end = now() + milliseconds;
        while (this.#adding === adding) {
          this.#continueAdding();
          if (now() >= end) break;
        }
        return this.#adding === adding;
      },
    };
  }

  #continueAdding(): void {
    this.#revision++;
    this.#beforeChange();
    this.#use(() => {
      if (this.#adding?.next().done === true) this.#adding = undefined;
    }, 'no error');
  }

  #finishAdding(): void {
    while (this.#adding !== undefined) this.#continueAdding();
  }

  #retire(forms: Uint32Array): void {
    for (const form of forms) {
      const text = this.#dictionary.text(form);
      this.#watchers.left(form, text);
      this.#analyzers.leave(form, text);
      this.#kernel.call.retireForm(form);
    }
  }

  /** Capacity for remembered data that wants this many bytes; 0 when documents may need the memory. */
  #roomFor(bytes: number): number {
    return this.#kernel.memory.buffer.byteLength < this.#maxBytes * (1 - 4 * HEADROOM)
      ? Math.min(bytes, this.#maxBytes * HEADROOM)
      : 0;
  }

  /** Called before any change, because memory that cannot grow in the middle of a change leaves the index broken. */
  #checkRoom(size: number): void {
    if (this.#kernel.memory.buffer.byteLength + HEADROOM * this.#maxBytes + HEADROOM_PER_BYTE * size > this.#maxBytes)
      throw this.#fullError();
  }

  #beforeChange(): void {
    this.settle(Number.POSITIVE_INFINITY);
  }

  /** Runs a change of the index. */
  #change<T>(work: () => T): T {
    this.#finishAdding();
    this.#revision++;
    this.#beforeChange();
    return this.#use(work);
  }

  /**
   * If range errors are allowed, a RangeError means that nothing has changed; any other error leaves the index broken.
   */
  #use<T>(work: () => T, allowed: 'range errors' | 'no error' = 'range errors'): T {
    if (this.#broken instanceof IndexFullError) throw this.#broken;
    if (this.#broken !== undefined)
      throw new Error('the full-text index is broken and has to be rebuilt', { cause: this.#broken });
    try {
      return work();
    } catch (error) {
      if (allowed === 'range errors' && error instanceof RangeError) throw error;
      this.#broken = this.#kernel.isFull() ? this.#fullError(error) : error;
      throw this.#broken;
    }
  }

  #fullError(cause?: unknown): IndexFullError {
    return new IndexFullError(
      `the full-text index of this collection has reached ${
        Math.round(this.#maxBytes / 2 ** 20)
      } MiB, the most that it may take`,
      { cause },
    );
  }
}

/** See `InvertedIndex.consistingOf`. */
export function consistingOf(index: Pick<InvertedIndex, 'search' | 'mayBeIn' | 'lengthsOf'>, forms: readonly number[],
  field: number, limit: number): number[]
{
  if (!index.mayBeIn(forms, field).every(Boolean)) return [];
  const query: Query = { kind: 'and', of: forms.map((id): Query => ({ kind: 'term', forms: [{ id }] })) };
  // Of all documents with these words in the field, the shortest are the best.
  const { hits } = index.search(query, { algorithm: { kind: 'bm25', b: 1, fields: [field] }, limit, totals: 'none' });
  const lengths = index.lengthsOf(hits.map(({ ord }) => ord), field);
  return hits.map(({ ord }) => ord).filter((_, i) => lengths[i] === forms.length);
}

function checkClass(documentClass: number): void {
  if (!(Number.isInteger(documentClass) && documentClass >= 0 && documentClass < MAX_CLASSES))
    throw new RangeError(`a class is an integer from 0 to ${MAX_CLASSES - 1}, got ${documentClass}`);
}

function checkOrdinal(ord: number): void {
  if (!(Number.isInteger(ord) && ord >= 0 && ord <= MAX_ORDINAL))
    throw new RangeError(`an ordinal is an integer from 0 to ${MAX_ORDINAL}, got ${ord}`);
}
