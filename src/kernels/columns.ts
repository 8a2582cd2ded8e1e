import * as layout from '../../generated/kernels/columns.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Numbers of the predefined columns; metadata keys follow. */
export const Column = { identity: layout.IDENTITY, lang: layout.LANG, keys: layout.KEYS } as const;
/**
 * The highest bit, used as a flag: of the column in an entry that stores a name's spelling; of the offset of a part
 * that follows its text; and of results.
 */
export const FLAG = layout.FLAG;
/** Columns of times; the last one is always empty. */
export const Time = {
  addedAt: layout.ADDED_AT,
  updatedAt: layout.UPDATED_AT,
  expiresAt: layout.EXPIRES_AT,
  none: layout.NO_TIME,
} as const;
/** Numbers of the buffers that the host uses. */
export const Buffers = {
  input: layout.B_INPUT,
  output: layout.B_OUTPUT,
  counts: layout.B_COUNTS,
  touched: layout.B_TOUCHED,
  result: layout.B_RESULT,
  factors: layout.B_FACTORS,
  keys: layout.B_TEXTS,
} as const;
/** The kinds of sort keys, and their flags. */
export const SortKind = {
  order: layout.BY_ORDER,
  time: layout.BY_TIME,
  score: layout.BY_SCORE,
  tie: layout.BY_TIE,
} as const;
export const SortFlags = { descending: layout.DESCENDING, spelled: layout.SPELLED } as const;
export const Comparison = { gte: layout.GTE, lte: layout.LTE, gt: layout.GT, lt: layout.LT } as const;
/** Stands for all documents where a level is expected. */
export const ALL = layout.ALL;
/** Maximum number of levels. */
export const LEVELS = layout.BUFFERS - layout.B_LEVELS;
export const PAGE_BYTES = layout.PAGE;
const MAX_PAGES = 65_536;

/**
 * Exports of `asm/columns.ts`, where their contracts are documented. Texts and lists are passed in B_INPUT, unless
 * documented otherwise.
 */
interface ColumnsExports extends WebAssembly.Exports {
  initialize(): void;
  adopt(): number;
  reserve(buffer: number, bytes: number): number;
  buffer(buffer: number): number;
  openColumn(): number;
  putDocument(): number;
  hasDocument(ord: number): number;
  removeDocument(ord: number): number;
  setMoment(column: number, value: number, moment: number, isNumber: number): void;
  valueWith(column: number, length: number): number;
  recordOf(column: number, value: number): number;
  documentsIn(column: number): number;
  formsOf(column: number, value: number, form: number): number;
  clearLevel(level: number): void;
  fillLevel(level: number): void;
  uniteLevels(to: number, from: number): void;
  intersectLevels(to: number, from: number): void;
  subtractLevels(to: number, from: number): void;
  invertLevel(level: number): void;
  countLevel(level: number): number;
  importLevel(level: number, bytes: number): void;
  exportLevel(level: number): number;
  openVerdicts(column: number): void;
  passValue(value: number): void;
  valueEnd(column: number): number;
  judgeRange(column: number, from: number, to: number, bounds: number): void;
  judgePrefix(column: number, from: number, to: number, length: number): void;
  judgeNumbers(column: number, from: number, to: number, count: number): void;
  passInterval(column: number, order: number, from: number, to: number): void;
  uniteValue(to: number, column: number, value: number): void;
  uniteKey(to: number, length: number): void;
  unitePassing(to: number, column: number): void;
  uniteExisting(to: number, column: number): void;
  uniteTimes(to: number, field: number, low: number, high: number): void;
  uniteExpired(to: number, now: number): number;
  countValues(column: number, level: number, documents: number): number;
  hashesOf(column: number, touched: number): void;
  selectValues(column: number, touched: number, byValue: number, limit: number): number;
  countDays(field: number, level: number): number;
  makeOrder(column: number, order: number, budget: number): number;
  isOrderReady(column: number, order: number): number;
  sortedEnd(column: number, order: number): number;
  placeOf(column: number, order: number, moment: number, length: number, including: number): number;
  markPlace(key: number, place: number, isThere: number): void;
  markNumber(key: number, number: number): void;
  markNone(key: number): void;
  takeScores(ords: number, scores: number, count: number): void;
  sortDocuments(level: number, keys: number, from: number, to: number, marked: number, few: number): number;
  describeSorted(from: number, count: number, keys: number): void;
  openFactors(level: number): number;
  multiplyFactors(level: number, factor: number): void;
  tidySome(budget: number): number;
}

/** The columns of one collection in a WebAssembly memory of its own: calls, and data exchange through the memory. */
export class ColumnsKernel {
  readonly memory: WebAssembly.Memory;
  readonly call: ColumnsExports;
  #bytes: Buffer<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;

  /** Empty columns; with the `pages` of a checkpoint, a memory into which to read it before `adopt`. */
  constructor(build: KernelBuild = 'release',
    { pages, maxBytes = MAX_PAGES * PAGE_BYTES }: { pages?: number; maxBytes?: number } = {})
  {
    const maximum = Math.max(pages ?? 1, Math.floor(maxBytes / PAGE_BYTES));
    this.memory = new WebAssembly.Memory({ initial: pages ?? 1, maximum });
    this.call = instantiateKernel(loadKernel('columns', build), this.memory) as ColumnsExports;
    this.#bytes = Buffer.from(this.memory.buffer);
    this.#view = new DataView(this.memory.buffer);
    if (pages === undefined) this.call.initialize();
  }

  /** The memory's bytes. The view is valid until the next call into the kernel, which may grow the memory. */
  get bytes(): Buffer<ArrayBuffer> {
    this.#followGrowth();
    return this.#bytes;
  }

  get view(): DataView<ArrayBuffer> {
    this.#followGrowth();
    return this.#view;
  }

  #followGrowth(): void {
    const { buffer } = this.memory;
    if (this.#view.buffer === buffer) return;
    this.#bytes = Buffer.from(buffer);
    this.#view = new DataView(buffer);
  }

  /** Makes a buffer large enough for this many bytes; returns its address. */
  reserve(buffer: number, bytes: number): number {
    return this.call.reserve(buffer, bytes) >>> 0;
  }

  /** Writes a text to the input buffer as UTF-8; returns its length in bytes. Lone surrogates become U+FFFD. */
  inputText(text: string): number {
    const at = this.reserve(Buffers.input, text.length * 3 + 16);
    return this.bytes.write(text, at);
  }

  /** Writes numbers to the input buffer. */
  inputNumbers(numbers: Float64Array): void {
    const at = this.reserve(Buffers.input, numbers.byteLength + 16);
    new Float64Array(this.memory.buffer, at, numbers.length).set(numbers);
  }

  /** Imports a set of ordinals as a level. */
  importSet(words: Uint32Array, level: number): void {
    const length = Math.min(words.length, (this.view.getUint32(layout.H_ORD_END, true) + 31) >>> 5);
    const at = this.reserve(Buffers.input, length * 4 + 16);
    new Uint32Array(this.memory.buffer, at, length).set(length < words.length ? words.subarray(0, length) : words);
    this.call.importLevel(level, length * 4);
  }

  /** A level as the words of a set of ordinals. */
  exportSet(level: number): Uint32Array<ArrayBuffer> {
    const bytes = this.call.exportLevel(level);
    return new Uint32Array(this.memory.buffer, this.address(Buffers.output), bytes / 4).slice();
  }

  /** Address of a buffer. */
  address(buffer: number): number {
    return this.call.buffer(buffer) >>> 0;
  }

  text(at: number, length: number): string {
    return this.bytes.toString('utf8', at, at + length);
  }

  /** The text of a value. */
  valueText(column: number, value: number): string {
    const record = this.call.recordOf(column, value) >>> 0;
    const { view } = this;
    const length = (view.getUint32(record + layout.R_LENGTH, true) & ~layout.FLAG) >>> 0;
    return this.text(view.getUint32(record + layout.R_TEXT, true), length);
  }

  /** End of the memory that the columns use. */
  get top(): number {
    return this.view.getUint32(layout.H_TOP, true);
  }

  /** While frozen, requests write only to buffers, and to memory after the value of `top` at the time of freezing. */
  set frozen(frozen: boolean) {
    this.view.setUint32(layout.H_FROZEN, frozen ? 1 : 0, true);
  }

  counts(): { documents: number; pairs: number } {
    return { documents: this.view.getUint32(layout.H_DOCS, true), pairs: this.view.getUint32(layout.H_PAIRS, true) };
  }

  /** Bytes in use, by part. */
  parts(): { dictionaries: number; bitmaps: number; columns: number; scratch: number } {
    const bytesOf = (part: number): number => this.view.getUint32(layout.H_PARTS + 4 * part, true);
    return {
      dictionaries: bytesOf(layout.PART_DICTIONARIES),
      bitmaps: bytesOf(layout.PART_BITMAPS),
      columns: bytesOf(layout.PART_COLUMNS),
      scratch: bytesOf(layout.PART_SCRATCH),
    };
  }

  /** Whether a call failed because the memory could not grow. */
  isFull(): boolean {
    return this.view.getUint32(layout.H_FULL, true) !== 0;
  }
}
