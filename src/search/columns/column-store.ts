import { ALL, Buffers, Column, ColumnsKernel, FLAG, LEVELS, Time } from '../../kernels/columns.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import { spend } from '../../lib/pace.ts';
import { compareTexts, type Filter, roomForFilters } from '../filter/index.ts';
import type { MemorySnapshot } from '../memory-snapshot.ts';
import { readCheckpoint, snapshotOf } from './checkpoint.ts';
import type { ColumnDocument, Columns, ColumnStats, DayCount, Facet, FactorBounds, Needs, NumberedTally, Selecting,
  SortedDocument, SortedRows, Sorting, ValueCount, ValueFactor } from './contract.ts';
import { conditionsIn, DEPTH, Evaluation } from './evaluation.ts';
import { putDocument } from './packing.ts';
import { isLong, Preparation } from './preparation.ts';
import { bounded, FactorCache, SetCache } from './set-cache.ts';
import { neededOrders, type SortedPage, sortLevel } from './sorting.ts';
import { KernelTally, NO_TALLY, selectValues } from './tally.ts';

/** Largest ordinal of a document, the same as in full-text indexes. */
const MAX_ORDINAL = 0x0fff_ffff;
const MAX_BYTES = 65_536 * 65_536;
/** Memory that must be free before a document is added: this share of all memory, for arrays that grow. */
const HEADROOM = 1 / 32;
/** Up to this number of values in a column, testing each value takes less time than building an order. */
const FEW_VALUES = 8192;
/** Up to this number of documents, a sort visits all of them. */
const FEW_DOCUMENTS = 4096;
/** Comparisons, or values, in a step of work, which takes a few milliseconds at most. */
const ORDER_STEP = 20_000;
const TIDY_STEP = 20_000;
const COPY_MILLISECONDS = 2;
/**
 * Steps for which a change waits until filters that are being evaluated are done; then their evaluation begins again.
 */
const PATIENCE = 4000;
/**
 * Levels beside those of filters: the documents that a request selects, the expired ones, and one for work that is done
 * at once.
 */
const SET_LEVEL = LEVELS - 1;
const EXPIRED_LEVEL = LEVELS - 2;
const WORK_LEVEL = LEVELS - 4;
/** Levels of a filter that is evaluated in steps. */
const STEPS_LEVEL = DEPTH;

interface ColumnStoreOptions {
  /** Selects the debug build, which checks bounds and invariants; for tests. */
  readonly build?: KernelBuild;
  /** Bytes that the columns may use, with their buffers; default 4 GiB. */
  readonly maxBytes?: number;
  /** Bytes of sets that are remembered between searches; default `roomForFilters`. */
  readonly cacheBytes?: number;
  /** Above this number of values in a column, an order is built for ranges and prefixes; default 8,192. */
  readonly fewValues?: number;
  /** Up to this number of documents, a sort visits all of them; default 4,096. */
  readonly fewDocuments?: number;
}

/** Reports that the columns have no memory for another document. */
export class ColumnsFullError extends Error {}

/** The period in which the same documents are expired, and how many they are. */
interface Window {
  readonly from: number;
  readonly until: number;
  readonly expired: number;
}

/**
 * The columns of a collection, in a WebAssembly memory of their own. README.md describes the design.
 *
 * When a call fails inside the kernel, the columns are broken and every later call throws: they have to be rebuilt. If
 * it failed because the memory could not grow, later calls throw a ColumnsFullError.
 */
export class ColumnStore implements Columns {
  readonly #kernel: ColumnsKernel;
  readonly #keys = new Map<string, number>();
  readonly #evaluation: Evaluation;
  readonly #cache = new SetCache();
  readonly #cacheBytes: number | undefined;
  readonly #maxBytes: number;
  readonly #fewDocuments: number;
  readonly #factors = new FactorCache();
  /** Number of parts of the collection, of which these columns are one. */
  #parts = 1;
  #revision = 0;
  /** Different after numbers of values were freed. */
  #numbering = 0;
  #window: Window | undefined;
  /**
   * The set that is a level of the kernel, as it was then, and its number of documents: a request counts the same set
   * several times.
   */
  #imported: { readonly set: OrdSet; readonly revision: number; readonly documents: number } | undefined;
  #snapshot: MemorySnapshot | undefined;
  /** The evaluation of a filter, until its documents are selected. */
  #preparation: Preparation | undefined;
  /** Steps for which the next change has waited. */
  #waited = 0;
  #broken: unknown;

  private constructor(options: ColumnStoreOptions,
    loaded?: { readonly kernel: ColumnsKernel; readonly keys: readonly string[] })
  {
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    this.#kernel = loaded?.kernel ?? new ColumnsKernel(options.build, { maxBytes: this.#maxBytes });
    this.#fewDocuments = options.fewDocuments ?? FEW_DOCUMENTS;
    this.#cacheBytes = options.cacheBytes;
    for (const [i, key] of (loaded?.keys ?? []).entries()) this.#keys.set(key, Column.keys + i);
    this.#evaluation = new Evaluation(this.#kernel, this.#find, options.fewValues ?? FEW_VALUES);
  }

  static create(options: ColumnStoreOptions = {}): ColumnStore {
    return new ColumnStore(options);
  }

  /**
   * Restores columns from the bytes that `save` returned. Throws a ColumnsCheckpointError when they are damaged or of
   * another version.
   */
  static async load(source: AsyncIterable<Uint8Array>, options: ColumnStoreOptions = {}): Promise<ColumnStore> {
    return new ColumnStore(options, await readCheckpoint(source, options));
  }

  stats(): ColumnStats {
    const { scratch: _, ...parts } = this.#kernel.parts();
    return {
      ...this.#kernel.counts(),
      keys: this.#use(() => this.keys().length),
      bytes: {
        ...parts,
        total: this.#kernel.memory.buffer.byteLength + this.#cache.bytes + this.#factors.bytes +
          (this.#imported?.set.words.byteLength ?? 0),
      },
    };
  }

  /**
   * Throws a RangeError on an ordinal out of range, and a ColumnsFullError when there is not enough memory; both leave
   * the columns unchanged.
   */
  put(document: ColumnDocument): void {
    const { ord, expiresAt } = document;
    if (!(Number.isInteger(ord) && ord >= 0 && ord <= MAX_ORDINAL))
      throw new RangeError(`an ordinal is an integer from 0 to ${MAX_ORDINAL}, got ${ord}`);
    this.#checkRoom();
    this.#change(() => putDocument(this.#kernel, document, this.#findOrAdd));
    this.#followChange(expiresAt);
  }

  remove(ord: number): void {
    if (this.#change(() => this.#kernel.call.removeDocument(ord)) !== 0) this.#followChange(undefined);
  }

  prepare({ keys, filter, now }: Needs): boolean {
    const needed = [...(keys === undefined ? [] : neededOrders(keys, this.#find)),
      ...(filter === undefined ? [] : this.#evaluation.neededOrders(filter))];
    const orders = needed.filter(([column, order]) => this.#kernel.call.isOrderReady(column, order) === 0);
    if (orders.length === 0) return filter === undefined || now === undefined || this.#isPrepared(filter, now);
    if (this.#copySome()) return false;
    const [column, order] = orders[0]!;
    const isMore = this.#use(() => this.#kernel.call.makeOrder(column, order, ORDER_STEP)) !== 0;
    spend(ORDER_STEP);
    return !isMore && orders.length === 1 &&
      (filter === undefined || now === undefined || this.#isPrepared(filter, now));
  }

  select({ filter, now, hidden = [] }: Selecting): OrdSet | undefined {
    return this.#use(() => {
      this.#moveTo(now);
      const set = this.#cache.find(filter, this.#cacheRoom, () => {
        if (filter === undefined && this.#window!.expired === 0) return undefined;
        return (this.#preparation?.filter === filter ? this.#preparation?.set : undefined) ??
          this.#evaluate(filter, now);
      });
      if (this.#preparation?.isDone === true && this.#preparation.filter === filter) this.#preparation = undefined;
      return hidden.length === 0 ? set : this.#without(hidden, set);
    });
  }

  hasEach(ords: readonly number[]): boolean[] {
    return this.#use(() => ords.map((ord) => this.#kernel.call.hasDocument(ord) !== 0));
  }

  count(set: OrdSet | undefined): number {
    return this.#use(() => this.#documentsIn(set));
  }

  facet(set: OrdSet | undefined, facet: Facet): ValueCount[] {
    const column = this.#columnOf(facet);
    if (column === undefined) return [];
    return this.#use(() => selectValues(this.#kernel, column, this.#countValues(column, set), facet));
  }

  tally(set: OrdSet | undefined, field: Pick<Facet, 'field' | 'isMeta'>): NumberedTally {
    const column = this.#columnOf(field);
    if (column === undefined) return NO_TALLY;
    return this.#use(() =>
      new KernelTally(this.#kernel, {
        column,
        touched: this.#countValues(column, set),
        numbering: this.#numbering,
        use: this.#use,
      })
    );
  }

  days(set: OrdSet | undefined, field: 'addedAt' | 'updatedAt'): DayCount[] {
    return this.#use(() => {
      const found = this.#kernel.call.countDays(Time[field], this.#levelOf(set)) >>> 0;
      if (found >= FLAG) return this.#countDays(found - FLAG);
      const pairs = new Float64Array(this.#kernel.memory.buffer, this.#kernel.address(Buffers.output), found * 2);
      return Array.from({ length: found }, (_, i) => ({ day: pairs[2 * i]!, count: pairs[2 * i + 1]! }));
    });
  }

  /** Throws a RangeError on positions that are not integers of at least 0. */
  sort(set: OrdSet | undefined, sorting: Sorting): SortedDocument[] {
    return this.#use(() => this.#sorted(set, sorting).read());
  }

  sorted(set: OrdSet | undefined, sorting: Sorting): SortedRows {
    const page = this.#use(() => this.#sorted(set, sorting));
    return { length: page.length, at: (index) => this.#use(() => page.at(index)) };
  }

  factors(factors: readonly ValueFactor[], bounds: FactorBounds): Float32Array | undefined {
    return this.#use(() =>
      this.#factors.find(JSON.stringify([factors, bounds]), () => {
        const found = factors.map(({ key, value, factor }) => ({ ...this.#valueOf(key, value), factor })).filter((
          { number },
        ) => number !== 0);
        if (found.length === 0) return undefined;
        const { call } = this.#kernel;
        call.clearLevel(WORK_LEVEL);
        for (const { column, number } of found) call.uniteValue(WORK_LEVEL, column, number);
        const end = call.openFactors(WORK_LEVEL);
        for (const { column, number, factor } of found) {
          call.clearLevel(WORK_LEVEL);
          call.uniteValue(WORK_LEVEL, column, number);
          call.multiplyFactors(WORK_LEVEL, factor);
        }
        return end === 0
          ? undefined
          : bounded(new Float64Array(this.#kernel.memory.buffer, this.#kernel.address(Buffers.factors), end), bounds);
      })
    );
  }

  keys(): string[] {
    return [...this.#keys].filter(([, column]) => this.#kernel.call.documentsIn(column) > 0).map(([key]) => key).sort(
      compareTexts,
    );
  }

  share(parts: number): void {
    this.#parts = parts;
  }

  revision(now?: number): number {
    if (now !== undefined) this.#use(() => this.#moveTo(now));
    return this.#revision;
  }

  documentsWith(pairs: readonly Pick<ValueFactor, 'key' | 'value'>[]): (OrdSet | undefined)[] {
    return this.#use(() =>
      pairs.map(({ key, value }) => {
        const { column, number } = this.#valueOf(key, value);
        if (number === 0) return undefined;
        this.#kernel.call.clearLevel(WORK_LEVEL);
        this.#kernel.call.uniteValue(WORK_LEVEL, column, number);
        return OrdSet.fromWords(this.#kernel.exportSet(WORK_LEVEL));
      })
    );
  }

  tidy(): boolean {
    if (this.#copySome()) return true;
    const isMore = this.#use(() => this.#kernel.call.tidySome(TIDY_STEP)) !== 0;
    if (isMore) this.#numbering += 1;
    return isMore;
  }

  settle(): boolean {
    return this.#copySome() || this.#waitForPreparation();
  }

  /** After a second call, the bytes of the first stay readable but are no longer up to date. */
  save(): AsyncIterable<Uint8Array> {
    this.#beforeChange();
    this.#use(() => undefined);
    const snapshot = snapshotOf(this.#kernel, [...this.#keys.keys()]);
    this.#snapshot = snapshot;
    return snapshot.bytes();
  }

  // ---- Private

  #sorted(set: OrdSet | undefined, sorting: Sorting): SortedPage {
    for (const place of [sorting.offset, sorting.count])
      if (!(Number.isInteger(place) && place >= 0))
        throw new RangeError(`a place is an integer from 0 on, got ${place}`);
    if (!this.#ordersAreReady(sorting)) this.#beforeChange();
    return sortLevel(this.#kernel, this.#levelOf(set), sorting, this.#find, this.#fewDocuments);
  }

  #columnOf({ field, isMeta }: Pick<Facet, 'field' | 'isMeta'>): number | undefined {
    return field === 'lang' && isMeta !== true ? Column.lang : this.#find(field);
  }

  #countValues(column: number, set: OrdSet | undefined): number {
    return this.#kernel.call.countValues(column, this.#levelOf(set), this.#documentsIn(set));
  }

  #copySome(): boolean {
    if (this.#snapshot?.copy(COPY_MILLISECONDS, () => performance.now()) === true) return true;
    this.#endSnapshot();
    return false;
  }

  /**
   * A change waits until the documents of a filter are found and selected, or no longer, because other requests keep
   * coming.
   */
  #waitForPreparation(): boolean {
    if (this.#preparation === undefined || this.#waited >= PATIENCE) return false;
    this.#waited += 1;
    if (!this.#preparation.isDone) this.#use(() => this.#goOn(this.#preparation!));
    return true;
  }

  readonly #find = (key: string): number | undefined => this.#keys.get(key);

  readonly #findOrAdd = (key: string): number => {
    let column = this.#keys.get(key);
    if (column === undefined) {
      column = this.#kernel.call.openColumn();
      this.#keys.set(key, column);
    }
    return column;
  };

  #valueOf(key: string, value: string): { readonly column: number; readonly number: number } {
    const column = this.#find(key);
    return column === undefined
      ? { column: 0, number: 0 }
      : { column, number: this.#kernel.call.valueWith(column, this.#kernel.inputText(value)) };
  }

  /** Imports a set as a level; all documents are a level that always exists. */
  #levelOf(set: OrdSet | undefined): number {
    if (set === undefined) return ALL;
    if (this.#imported?.set === set && this.#imported.revision === set.revision) return SET_LEVEL;
    this.#kernel.importSet(set.words, SET_LEVEL);
    this.#imported = { set, revision: set.revision, documents: this.#kernel.call.countLevel(SET_LEVEL) };
    return SET_LEVEL;
  }

  #documentsIn(set: OrdSet | undefined): number {
    const level = this.#levelOf(set);
    return level === ALL ? this.#kernel.counts().documents : this.#imported!.documents;
  }

  /** At once. */
  #evaluate(filter: Filter | undefined, now: number): OrdSet {
    const { call } = this.#kernel;
    if (filter === undefined) call.fillLevel(0);
    else {
      this.#evaluation.run(filter, 0);
      spend(conditionsIn(filter) * this.#kernel.counts().documents);
    }
    return this.#evaluated(0, now);
  }

  *#evaluateInSteps(filter: Filter, now: number): Generator<undefined, OrdSet> {
    yield* this.#evaluation.steps(filter, STEPS_LEVEL);
    return this.#evaluated(STEPS_LEVEL, now);
  }

  /** The documents of a level that have not expired. */
  #evaluated(level: number, now: number): OrdSet {
    const { call } = this.#kernel;
    if (this.#window!.expired > 0) {
      call.clearLevel(EXPIRED_LEVEL);
      call.uniteExpired(EXPIRED_LEVEL, now);
      call.subtractLevels(level, EXPIRED_LEVEL);
    }
    return OrdSet.fromWords(this.#kernel.exportSet(level));
  }

  /**
   * Whether `select` need not evaluate a long filter. If not, evaluates a part of it, or of one that another request
   * has begun before.
   */
  #isPrepared(filter: Filter, now: number): boolean {
    const { documents } = this.#kernel.counts();
    if (!isLong(filter, documents * this.#parts)) return true;
    return this.#use(() => {
      this.#moveTo(now);
      if (this.#cache.has(filter)) return true;
      if (this.#preparation?.isDone !== false && this.#preparation?.filter !== filter)
        this.#preparation = new Preparation(filter, this.#evaluateInSteps(filter, now));
      this.#goOn(this.#preparation!);
      return this.#preparation!.filter === filter && this.#preparation!.isDone;
    });
  }

  /**
   * What is found is remembered at once, because another request may begin to evaluate its filter before it is
   * selected.
   */
  #goOn(preparation: Preparation): void {
    preparation.step(this.#kernel.counts().documents);
    const { filter, set } = preparation;
    if (set !== undefined) this.#cache.find(filter, this.#cacheRoom, () => set);
  }

  get #cacheRoom(): number {
    return this.#cacheBytes ?? roomForFilters(this.#kernel.counts().documents * this.#parts) / this.#parts;
  }

  /** Finds the expired documents, unless they are the same as at the last call. */
  #moveTo(now: number): void {
    if (this.#window !== undefined && now >= this.#window.from && now < this.#window.until) return;
    const { call } = this.#kernel;
    call.clearLevel(EXPIRED_LEVEL);
    const until = call.uniteExpired(EXPIRED_LEVEL, now);
    this.#window = { from: now, until, expired: call.countLevel(EXPIRED_LEVEL) };
    this.#cache.clear();
    this.#preparation = undefined;
    this.#revision += 1;
  }

  /** Updates the window of expiry, and clears what is remembered, after a change. */
  #followChange(expiresAt: number | undefined): void {
    this.#revision += 1;
    this.#imported = undefined;
    this.#preparation = undefined;
    this.#waited = 0;
    this.#cache.clear();
    this.#factors.clear();
    const window = this.#window;
    if (window === undefined) return;
    if (window.expired > 0 || (expiresAt !== undefined && expiresAt <= window.from)) this.#window = undefined;
    else if (expiresAt !== undefined && expiresAt < window.until) this.#window = { ...window, until: expiresAt };
  }

  #without(hidden: readonly number[], set: OrdSet | undefined): OrdSet {
    if (set === undefined) this.#kernel.call.fillLevel(WORK_LEVEL);
    const rest = OrdSet.fromWords(set === undefined ? this.#kernel.exportSet(WORK_LEVEL) : set.words.slice());
    for (const ord of hidden) rest.delete(ord);
    return rest;
  }

  /** Counts days that lie too far apart for an array. */
  #countDays(documents: number): DayCount[] {
    const counts = new Map<number, number>();
    for (const day of new Float64Array(this.#kernel.memory.buffer, this.#kernel.address(Buffers.output), documents))
      counts.set(day, (counts.get(day) ?? 0) + 1);
    return [...counts].map(([day, count]) => ({ day, count })).sort((a, b) => a.day - b.day);
  }

  #ordersAreReady({ keys }: Sorting): boolean {
    return neededOrders(keys, this.#find).every(([column, order]) =>
      this.#kernel.call.isOrderReady(column, order) !== 0
    );
  }

  #checkRoom(): void {
    if (this.#kernel.memory.buffer.byteLength + HEADROOM * this.#maxBytes > this.#maxBytes) throw this.#fullError();
  }

  #beforeChange(): void {
    this.#snapshot?.copy(Number.POSITIVE_INFINITY, () => 0);
    this.#endSnapshot();
  }

  #endSnapshot(): void {
    if (this.#snapshot === undefined) return;
    this.#snapshot = undefined;
    this.#kernel.frozen = false;
  }

  /** Runs a change of the columns. */
  #change<T>(work: () => T): T {
    this.#beforeChange();
    return this.#use(work);
  }

  /** A RangeError means that nothing has changed; any other error leaves the columns broken. */
  readonly #use = <T>(work: () => T): T => {
    if (this.#broken instanceof ColumnsFullError) throw this.#broken;
    if (this.#broken !== undefined)
      throw new Error('the columns are broken and have to be rebuilt', { cause: this.#broken });
    try {
      return work();
    } catch (error) {
      if (error instanceof RangeError && !this.#kernel.isFull()) throw error;
      this.#broken = this.#kernel.isFull() ? this.#fullError(error) : error;
      throw this.#broken;
    }
  };

  #fullError(cause?: unknown): ColumnsFullError {
    return new ColumnsFullError(
      `the columns of this collection have reached ${
        Math.round(this.#maxBytes / 2 ** 20)
      } MiB, the most that they may take`,
      { cause },
    );
  }
}
