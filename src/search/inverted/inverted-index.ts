import { Buffers, InvertedKernel, type PartName, Select } from '../../kernels/inverted.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import { tokenTables, tokenTablesVersion } from '../../text/token-tables.ts';
import { type ScoringAlgorithm, scoringFor } from './algorithm.ts';
import { type Analyzer, Analyzers } from './analyzers.ts';
import { readCheckpoint, Snapshot } from './checkpoint.ts';
import { Dictionary, type FuzzyForm } from './dictionary.ts';
import { addFields, checkFields, type FieldText } from './document-text.ts';
import { Evaluation, KEPT_LEVELS } from './evaluation.ts';
import { checkQuery, type Query, simplify } from './query.ts';

/** Largest ordinal of a document: the index has an array of them. */
export const MAX_ORDINAL = 0x0fff_ffff;
/** Most results of a search. */
export const MAX_RESULTS = 10_000;
/** What has to be left of 4 GiB for a document, in bytes: for arrays that grow, and for each byte of its own. */
const HEADROOM = 128 * 1024 * 1024;
const HEADROOM_PER_BYTE = 16;
const MAX_BYTES = 65_536 * 65_536;
/** Postings that a step of compaction looks at; well under a millisecond. */
const COMPACTION_STEP = 8_000;

export interface IndexOptions {
  /** The debug build checks bounds and invariants; for tests. */
  readonly build?: KernelBuild;
  /** Postings that a step of compaction looks at, between which it looks at the clock; 8,000 unless said. */
  readonly compactionStep?: number;
}

export interface SearchOptions {
  readonly algorithm: ScoringAlgorithm;
  /** How many of the best to give, 0 to 10,000. */
  readonly limit: number;
  /** A bit for each ordinal that may match (bit o % 32 of word o / 32); ordinals beyond it may not. */
  readonly filter?: Uint32Array | undefined;
  /** A factor for the score of each ordinal, not negative; ordinals beyond it have 1. */
  readonly multipliers?: Float32Array | undefined;
  /** Asks for `matches`. */
  readonly collect?: boolean | undefined;
  /** Ordinals whose scores are asked for, matching the filter or not; without multipliers. */
  readonly scoresOf?: ArrayLike<number> | undefined;
}

export interface Hit {
  readonly ord: number;
  readonly score: number;
}

export interface SearchResult {
  /** The best, by score and then by ordinal, ascending. Scores are computed in 32-bit floating point. */
  readonly hits: readonly Hit[];
  /** Exact number of documents that match the query and the filter. */
  readonly total: number;
  /** A bit for each ordinal that matches; when asked for. */
  readonly matches?: Uint32Array;
  /** For each of `scoresOf`: its score, or -1 when it does not match the query; when asked for. */
  readonly scores?: Float32Array;
}

export interface IndexStats {
  readonly documents: number;
  /** Deleted documents that still have postings. */
  readonly deleted: number;
  readonly forms: number;
  /** Tokens of live documents. */
  readonly tokens: number;
  /** Bytes that the index itself takes, by part and in all; and the memory with all buffers and free pages. */
  readonly bytes: Readonly<Record<PartName, number>> & { readonly total: number; readonly memory: number };
}

/** Says that an index has no room for another document. */
export class IndexFullError extends Error {}

/**
 * The inverted index of a collection, in a WebAssembly memory of its own. Documents are named by ordinals that the
 * caller chooses, dense from 0. Every method is synchronous, so that no search sees half a document. The design is
 * told in README.md.
 *
 * When a call fails inside the kernel, the index is broken and every later call throws: it has to be rebuilt.
 */
export class InvertedIndex {
  readonly #kernel: InvertedKernel;
  readonly #analyzers: Analyzers;
  readonly #dictionary: Dictionary;
  /** Position in the change feed up to which a loaded checkpoint is complete. */
  readonly lsn: bigint;
  readonly #compactionStep: number;
  #snapshot: Snapshot | undefined;
  #broken: unknown;

  constructor(options: IndexOptions = {}, loaded?: { kernel: InvertedKernel; lsn: bigint }) {
    this.#kernel = loaded?.kernel ?? new InvertedKernel(options.build);
    this.#kernel.placeTables(tokenTables());
    this.#analyzers = new Analyzers(this.#kernel);
    this.#dictionary = new Dictionary(this.#kernel);
    this.lsn = loaded?.lsn ?? 0n;
    this.#compactionStep = options.compactionStep ?? COMPACTION_STEP;
  }

  /**
   * An index from the bytes that `save` gave. `analyzers` are those whose groupings are wanted at once; others are
   * made when they are first used. Throws a CheckpointError when the bytes are damaged or of another version.
   */
  static async load(source: AsyncIterable<Uint8Array>, analyzers: readonly Analyzer[] = [], options: IndexOptions = {}): Promise<InvertedIndex> {
    const { kernel, header } = await readCheckpoint(source, tokenTablesVersion(), options.build ?? 'release');
    const index = new InvertedIndex(options, { kernel, lsn: BigInt(header.lsn) });
    index.#analyzers.restore(header.analyzers, new Map(analyzers.map((analyzer) => [analyzer.name, analyzer])));
    return index;
  }

  /**
   * The index as of now, complete up to a position of the change feed. The index may be used meanwhile: the first
   * change copies what was not read yet. A second call ends the first's claim to be up to date, not its bytes.
   */
  save(lsn: bigint): AsyncIterable<Uint8Array> {
    this.#beforeChange();
    const snapshot = new Snapshot(this.#kernel, { lsn: String(lsn), tables: tokenTablesVersion(), analyzers: this.#analyzers.names() });
    this.#snapshot = snapshot;
    return snapshot.bytes();
  }

  /**
   * Adds a document, or replaces the one of that ordinal. `analyzer` is that of its language: the forms of the index
   * are grouped by every analyzer that its documents name. Throws a RangeError on an ordinal, field or position out
   * of range, and an IndexFullError near 4 GiB; nothing has happened then.
   */
  add(ord: number, fields: readonly FieldText[], analyzer?: Analyzer): void {
    checkOrdinal(ord);
    checkFields(fields);
    this.#checkRoom(fields);
    this.#change(() => {
      if (analyzer !== undefined) this.#analyzers.use(analyzer);
      this.#kernel.call.removeDocument(ord);
      this.#kernel.call.beginDocument();
      addFields(this.#kernel, fields);
      this.#settleForms();
      this.#kernel.call.commitDocument(ord);
    });
  }

  /** Removes a document; gives whether there was one. Its postings go with the next compaction. */
  remove(ord: number): boolean {
    checkOrdinal(ord);
    return this.#change(() => this.#kernel.call.removeDocument(ord) !== 0);
  }

  has(ord: number): boolean {
    return this.#use(() => this.#kernel.call.documentOf(ord) !== 0);
  }

  /** Throws a RangeError on a limit or parameter out of range, and on operators that nest too deeply. */
  search(query: Query, options: SearchOptions): SearchResult {
    const { limit, filter, multipliers } = options;
    if (!(Number.isInteger(limit) && limit >= 0 && limit <= MAX_RESULTS)) throw new RangeError(`a limit is an integer from 0 to ${MAX_RESULTS}, got ${limit}`);
    const scoring = scoringFor(options.algorithm, this.#kernel.counts());
    return this.#use(() => {
      const { call } = this.#kernel;
      checkQuery(query, (id) => this.#exists(id));
      const place = new Evaluation(this.#kernel, scoring).run(simplify(query));
      const scores = options.scoresOf && this.#scoresOf(options.scoresOf, place === 'bits');
      const flags = this.#bringInputs(options);
      const select = place === 'bits' ? call.selectByBits : call.selectByScore;
      const total = select(limit, flags, (filter?.length ?? 0) * 32, multipliers?.length ?? 0) >>> 0;
      call.dropLevelsFrom(KEPT_LEVELS);
      return { hits: this.#hits(call.selectedCount()), total, ...(scores && { scores }), ...(options.collect === true && { matches: this.#matches() }) };
    });
  }

  // ---- Forms: the words of the documents, by number ----

  /** The very form. */
  form(form: string): number | undefined {
    return this.#use(() => this.#dictionary.find(form));
  }

  /** Forms that differ in diacritics at most: the terms of a search without stemming, and of code. */
  unstemmed(form: string): number[] {
    return this.#use(() => this.#dictionary.sameKey(form));
  }

  /** Forms that an analyzer takes for the same term as a form, which need not be in the index. */
  group(analyzer: Analyzer, form: string): number[] {
    const find = () => this.#analyzers.group(analyzer, form);
    return this.#analyzers.isReady(analyzer) ? this.#use(find) : this.#change(find);
  }

  /** Groups forms by an analyzer that is new to the index, some at each call; gives whether all are done. */
  prepare(analyzer: Analyzer): boolean {
    return this.#analyzers.isReady(analyzer) || this.#change(() => this.#analyzers.prepare(analyzer));
  }

  /** Forms with a prefix, in order; `limit` at most. */
  prefix(prefix: string, limit: number): number[] {
    return this.#use(() => this.#dictionary.prefix(prefix, limit));
  }

  /** Forms that a pattern with `*` and `?` matches; `limit` at most. */
  wildcard(pattern: string, limit: number): number[] {
    return this.#use(() => this.#dictionary.wildcard(pattern, limit));
  }

  /** Forms within 0 to 2 edits of a word; `limit` at most. */
  fuzzy(word: string, edits: number, limit: number): FuzzyForm[] {
    if (![0, 1, 2].includes(edits)) throw new RangeError(`edits are 0, 1 or 2, got ${edits}`);
    return this.#use(() => this.#dictionary.fuzzy(word, edits, limit));
  }

  textOf(form: number): string {
    return this.#use(() => this.#dictionary.text(this.#checked(form)));
  }

  /** Live documents that have a form, in any field or in one. */
  documents(form: number, field?: number): number {
    return this.#use(() => this.#dictionary.documents(this.#checked(form), field));
  }

  /** Occurrences of a form in a document, 0 for none. */
  frequency(form: number, ord: number): number {
    return this.#use(() => {
      const doc = this.#kernel.call.documentOf(ord);
      return doc === 0 ? 0 : this.#kernel.call.frequencyIn(this.#checked(form), doc);
    });
  }

  // ---- Upkeep ----

  /** Share of the documents that are deleted ones, 0 to 1. */
  get deletedShare(): number {
    const { live, dead } = this.#kernel.counts();
    return dead === 0 ? 0 : dead / (live + dead);
  }

  /**
   * Goes on removing the postings of deleted documents for about so many milliseconds; begins to when `begin` says
   * so and there are any. Gives whether there is more to do. Form numbers from before are then no longer good.
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
    const { live, dead, forms, lengths } = this.#kernel.counts();
    const parts = this.#kernel.parts();
    const total = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
    return { documents: live, deleted: dead, forms, tokens: lengths[0]!, bytes: { ...parts, total, memory: this.#kernel.memory.buffer.byteLength } };
  }

  // ---- Within ----

  #exists(form: number): boolean {
    return Number.isInteger(form) && form > 0 && form < this.#kernel.formEnd() && this.#kernel.call.formExists(form) !== 0;
  }

  /** A form's number, or a RangeError. */
  #checked(form: number): number {
    if (!this.#exists(form)) throw new RangeError(`the index has no form ${form}`);
    return form;
  }

  /** Groups and orders the forms that the document at hand brought. */
  #settleForms(): void {
    const { call } = this.#kernel;
    for (const form of this.#kernel.numbers(call.newForms(), call.newFormCount())) {
      const text = this.#dictionary.text(form);
      this.#analyzers.join(form, text);
      this.#dictionary.setKey(form, text);
    }
    call.orderNewForms();
  }

  #retire(forms: Uint32Array): void {
    for (const form of forms) {
      this.#analyzers.leave(form, this.#dictionary.text(form));
      this.#kernel.call.retireForm(form);
    }
  }

  #scoresOf(ordinals: ArrayLike<number>, byBits: boolean): Float32Array {
    this.#kernel.inputNumbers(ordinals);
    this.#kernel.call.lookUpScores(ordinals.length, byBits ? 1 : 0);
    return this.#kernel.outputFloats(ordinals.length);
  }

  #bringInputs({ filter, multipliers, collect }: SearchOptions): number {
    if (filter !== undefined) this.#kernel.write(Buffers.filter, filter);
    if (multipliers !== undefined) this.#kernel.write(Buffers.multipliers, multipliers);
    if (collect === true) this.#kernel.write(Buffers.matches, new Uint32Array(this.#words()));
    return (filter ? Select.filtered : 0) | (multipliers ? Select.multiplied : 0) | (collect === true ? Select.collected : 0);
  }

  #matches(): Uint32Array {
    return this.#kernel.numbers(this.#kernel.call.buffer(Buffers.matches), this.#words());
  }

  /** Words of a bitmap of ordinals. */
  #words(): number {
    return Math.ceil(this.#kernel.ordinalEnd() / 32);
  }

  #hits(count: number): Hit[] {
    const ords = this.#kernel.output(count * 2);
    const scores = this.#kernel.outputFloats(count * 2);
    return Array.from({ length: count }, (_, i) => ({ ord: ords[2 * i]!, score: scores[2 * i + 1]! }));
  }

  /** Before anything changes, since a memory that cannot grow in the middle of a change leaves a broken index. */
  #checkRoom(fields: readonly FieldText[]): void {
    const size = fields.reduce((sum, value) => sum + ('tokens' in value ? value.tokens.length * 8 : value.text.length), 0);
    if (this.#kernel.memory.buffer.byteLength + HEADROOM + HEADROOM_PER_BYTE * size > MAX_BYTES) throw new IndexFullError('the full-text index of this collection has reached 4 GiB');
  }

  #beforeChange(): void {
    this.#snapshot?.detach();
    this.#snapshot = undefined;
  }

  /** Runs what changes the index. */
  #change<T>(work: () => T): T {
    this.#beforeChange();
    return this.#use(work);
  }

  #use<T>(work: () => T): T {
    if (this.#broken !== undefined) throw new Error('the full-text index is broken and has to be rebuilt', { cause: this.#broken });
    try {
      return work();
    } catch (error) {
      if (!(error instanceof RangeError)) this.#broken = error;
      throw error;
    }
  }
}

function checkOrdinal(ord: number): void {
  if (!(Number.isInteger(ord) && ord >= 0 && ord <= MAX_ORDINAL)) throw new RangeError(`an ordinal is an integer from 0 to ${MAX_ORDINAL}, got ${ord}`);
}

