import type { InvertedExports } from './inverted-exports.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Plain fields of a document, which have a bit and an array of lengths each; 0 is its content. */
export const PLAIN_FIELDS = 7;
/** Those before the ones that repeat what stands elsewhere, which count only where weights name them. */
export const OWN_FIELDS = 5;
/** Fields in all are fewer. */
export const MAX_FIELDS = 1024;
/** Longest form, in bytes. */
export const MAX_FORM_BYTES = 768;
/** Longest word that fuzzy matching takes, in code points. */
export const MAX_FUZZY_WORD = 60;
/** Most levels of nested operators, see `prepareLevels`. */
export const MAX_LEVELS = 64;
/** Most classes of documents. */
export const MAX_CLASSES = 32;
/** Most groupings of the forms. */
export const MAX_GROUPINGS = 32;
/** In a pattern for `collectMatches`: any number of characters, exactly one, and at its end one or none. */
export const ANY_CHARACTERS = 0xffff_ffff;
export const ONE_CHARACTER = 0xffff_fffe;
export const OPTIONAL_CHARACTER = 0xffff_fffd;

/** What `scoreForm` and `scoreGroup` do with a score: add it; and match; or only where it matches already. */
export const Action = { add: 0, match: 1, require: 2 } as const;
/** What a selection takes into account. */
export const Select = { filtered: 1, multiplied: 2, collected: 4 } as const;
/** Numbers of the buffers that the host uses (asm/inverted/scratch.ts). */
export const Buffers = { input: 0, output: 1, filter: 13, multipliers: 14, matches: 15, fieldFactors: 31, rerankWeights: 53 } as const;
export const Algorithm = { bm25: 0, tfidf: 1, bm25f: 2 } as const;

// Addresses in the header that the host reads or writes (asm/inverted/layout.ts).
const HEADER = 0x1_0000;
const PAGE_KINDS = 0x2_0000;
const FIRST_PAGES = 3;
const PARTS = HEADER + 24;
const DOCS = HEADER + 384;
const LIVE_DOCS = HEADER + 388;
const DEAD_DOCS = HEADER + 392;
const ORDINAL_CAPACITY = HEADER + 436;
const LENGTH_SUM = HEADER + 440;
const FIELD_SUMS = HEADER + 448;
const FIELD_CAPACITY = HEADER + 452;
const FORMS = HEADER + 520;
const CLASS_DOCS = HEADER + 1920;
const DEATHS = HEADER + 1240;
const SPARE_FORMS = HEADER + 552;
const SCORING = HEADER + 2048 + 576;
const SCORING_NAMES = HEADER + 2048 + 768;
const FULL = HEADER + 2048 + 608;
const PART_NAMES = ['documents', 'forms', 'strings', 'orders', 'groups', 'tails', 'blocks', 'directories', 'compaction'] as const;

/** Kinds of pages, by their bytes. */
export const PageKind = { free: 0, small: 1, large: 2, scratch: 3 } as const;
export const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;

export type PartName = (typeof PART_NAMES)[number];

/** The order of keys, and that of keys read backward, for `collectRange`. */
export const Orders = { forward: HEADER + 560, backward: HEADER + 576 } as const;

/** The tables of the tokeniser, see src/text/token-tables.ts. */
export interface TableBytes {
  readonly blocks: Uint32Array;
  readonly index: Uint16Array;
  readonly expansions: Uint8Array;
}

/** What scoring needs to know of the collection and the query, see asm/inverted/scoring.ts. */
export interface ScoringParameters {
  readonly algorithm: number;
  readonly c0: number;
  readonly c1: number;
  readonly rest: number;
  /** The fields that count, by number; undefined where all but the derived ones count alike. For TF-IDF, the number behind the plain fields stands for all further ones. */
  readonly factors: readonly FieldFactor[] | undefined;
}

export interface FieldFactor {
  readonly field: number;
  readonly weight: number;
  /** b / avglen of the field. */
  readonly norm: number;
}

interface NamedScoring {
  readonly parameters: ScoringParameters;
  readonly number: number;
}

/** Parameters that keep their number while others are used. */
const KNOWN_SCORINGS = 8;

function areEqual(a: ScoringParameters, b: ScoringParameters): boolean {
  if (a.algorithm !== b.algorithm || a.c0 !== b.c0 || a.c1 !== b.c1 || a.rest !== b.rest || a.factors?.length !== b.factors?.length) return false;
  return a.factors === undefined || a.factors.every(({ field, weight, norm }, i) => {
    const other = b.factors![i]!;
    return field === other.field && weight === other.weight && norm === other.norm;
  });
}

const FLOAT = new Float32Array(1);
const BITS = new Uint32Array(FLOAT.buffer);

/** A number, not 0, of what a request chooses: algorithm, k1 and b, fields and their weights, but not averages of the collection. */
function familyOf({ algorithm, c0, rest, factors = [] }: ScoringParameters): number {
  let hash = algorithm;
  const add = (value: number) => {
    FLOAT[0] = value;
    hash = Math.imul(hash ^ BITS[0]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  };
  for (const value of [c0, rest]) add(value);
  for (const { field, weight } of factors) {
    add(field);
    add(weight);
  }
  return (hash | 1) >>> 0;
}

/** One inverted index in a WebAssembly memory of its own: calls, and what passes through the memory. */
export class InvertedKernel {
  readonly memory: WebAssembly.Memory;
  readonly call: InvertedExports;
  #bytes: Uint8Array<ArrayBuffer>;
  /** The same bytes: writing a text needs no part of them then. */
  #text: Buffer;
  #words: Uint32Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #scorings: readonly NamedScoring[] = [];
  #scoring: NamedScoring | undefined;
  #lastScoring = 0;
  readonly #decoder = new TextDecoder();

  /** An empty index; or, given the pages of a checkpoint, a memory to read it into before `adopt`. */
  constructor(build: KernelBuild = 'release', { pages, maxBytes = MAX_PAGES * PAGE_BYTES }: { pages?: number; maxBytes?: number } = {}) {
    const maximum = Math.max(pages ?? FIRST_PAGES, Math.floor(maxBytes / PAGE_BYTES));
    this.memory = new WebAssembly.Memory({ initial: pages ?? FIRST_PAGES, maximum });
    this.call = instantiateKernel(loadKernel('inverted', build), this.memory) as InvertedExports;
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#text = Buffer.from(this.memory.buffer);
    this.#words = new Uint32Array(this.memory.buffer);
    this.#view = new DataView(this.memory.buffer);
    if (pages === undefined) this.call.initialize();
  }

  /** The memory's bytes. The view is good until the next call into the kernel, which may grow the memory. */
  get bytes(): Uint8Array<ArrayBuffer> {
    this.#followGrowth();
    return this.#bytes;
  }

  /** The same as words; everything that is passed lies at multiples of four. */
  get #numbers(): Uint32Array<ArrayBuffer> {
    this.#followGrowth();
    return this.#words;
  }

  get #header(): DataView<ArrayBuffer> {
    this.#followGrowth();
    return this.#view;
  }

  #followGrowth(): void {
    const { buffer } = this.memory;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#text = Buffer.from(buffer);
    this.#words = new Uint32Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** Puts the tokeniser's tables into the memory. */
  placeTables({ blocks, index, expansions }: TableBytes): void {
    const at = this.call.placeTables(blocks.byteLength, index.byteLength, expansions.byteLength);
    const bytes = this.bytes;
    bytes.set(new Uint8Array(blocks.buffer, blocks.byteOffset, blocks.byteLength), at);
    bytes.set(new Uint8Array(index.buffer, index.byteOffset, index.byteLength), at + blocks.byteLength);
    bytes.set(expansions, at + blocks.byteLength + index.byteLength);
  }

  /** Writes a text to the input buffer as UTF-8; gives where it lies. Lone surrogates become U+FFFD. */
  input(text: string): { readonly at: number; readonly length: number } {
    const at = this.call.reserve(Buffers.input, text.length * 3 + 16);
    this.#followGrowth();
    return { at, length: this.#text.write(text, at) };
  }

  /** The same for a text and what follows it; gives where the one ends and where the other. */
  inputParts(first: string, rest: string): { readonly at: number; readonly stop: number; readonly end: number } {
    const at = this.call.reserve(Buffers.input, (first.length + rest.length) * 3 + 16);
    this.#followGrowth();
    const stop = at + this.#text.write(first, at);
    return { at, stop, end: stop + this.#text.write(rest, stop) };
  }

  /** Writes numbers (u32) to the input buffer; gives their address. */
  inputNumbers(numbers: ArrayLike<number>): number {
    return this.write(Buffers.input, numbers instanceof Uint32Array ? numbers : Uint32Array.from(numbers));
  }

  /** Writes what `numberOf` makes of each item (u32) to the input buffer. */
  inputEach<T>(items: readonly T[], numberOf: (item: T) => number): void {
    const at = this.call.reserve(Buffers.input, Math.max(items.length * 4, 16)) / 4;
    const numbers = this.#numbers;
    for (let i = 0; i < items.length; i++) numbers[at + i] = numberOf(items[i]!);
  }

  /** Writes remembered lists, each with its weight and the classes in which it counts, in so many bytes, as `selectFew` (16) and `selectPruned` (32) take them. */
  inputLists(items: readonly { readonly list: number; readonly weight: number; readonly classes: number }[], bytes: 16 | 32): void {
    const at = this.call.reserve(Buffers.input, Math.max(items.length * bytes, 16));
    const view = this.#header;
    items.forEach(({ list, weight, classes }, i) => {
      view.setUint32(at + bytes * i, list, true);
      view.setFloat32(at + bytes * i + 4, weight, true);
      view.setInt32(at + bytes * i + 8, classes, true);
      view.setUint32(at + bytes * i + 12, 0, true);
    });
  }

  /** Writes what has a weight, such as remembered lists, as `matchLists` and `selectTallied` take them. */
  inputWeighted<T extends { readonly weight: number }>(items: readonly T[], numberOf: (item: T) => number): void {
    const at = this.call.reserve(Buffers.input, Math.max(items.length * 8, 16));
    const view = this.#header;
    items.forEach((item, i) => {
      view.setUint32(at + 8 * i, numberOf(item), true);
      view.setFloat32(at + 8 * i + 4, item.weight, true);
    });
  }

  /** Writes an array to a buffer; gives its address. */
  write(buffer: number, array: Uint32Array | Float32Array | Float64Array | Uint8Array): number {
    const at = this.call.reserve(buffer, Math.max(array.byteLength, 16));
    this.bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    return at;
  }

  /** A copy of the first numbers of the output buffer. */
  output(count: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.call.buffer(Buffers.output), count).slice();
  }

  outputFloats(count: number): Float32Array {
    return new Float32Array(this.memory.buffer, this.call.buffer(Buffers.output), count).slice();
  }

  /** What `selectByScore` and its like have left in the output buffer: ordinals with their scores. */
  hits(count: number): { ord: number; score: number }[] {
    const at = this.call.buffer(Buffers.output);
    const view = this.#header;
    return Array.from({ length: count }, (_, i) => ({ ord: view.getUint32(at + 8 * i, true), score: view.getFloat32(at + 8 * i + 4, true) }));
  }

  /** A copy of numbers anywhere. */
  numbers(at: number, count: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, count).slice();
  }

  text(at: number, length: number): string {
    return this.#decoder.decode(this.bytes.subarray(at, at + length));
  }

  /** Sets the parameters of what is scored from now on, and the numbers that remembered lists know them by. */
  setScoring(parameters: ScoringParameters): void {
    const known = this.#scorings.find((one) => areEqual(one.parameters, parameters));
    const named = known ?? { parameters, number: ++this.#lastScoring };
    if (known === undefined) this.#scorings = [named, ...this.#scorings.slice(0, KNOWN_SCORINGS - 1)];
    if (named !== this.#scoring) this.#writeScoring(parameters);
    this.#scoring = named;
    this.#header.setUint32(SCORING_NAMES, named.number, true);
    this.#header.setUint32(SCORING_NAMES + 4, familyOf(parameters), true);
  }

  #writeScoring({ algorithm, c0, c1, rest, factors }: ScoringParameters): void {
    if (factors !== undefined) {
      const table = new Float32Array(MAX_FIELDS * 2);
      for (const { field, weight, norm } of factors) table.set([weight, norm], field * 2);
      this.write(Buffers.fieldFactors, table);
    }
    const view = this.#header;
    view.setUint32(SCORING, algorithm, true);
    view.setUint32(SCORING + 4, factors === undefined ? 1 : 0, true);
    view.setFloat32(SCORING + 8, c0, true);
    view.setFloat32(SCORING + 12, c1, true);
    view.setFloat32(SCORING + 16, rest, true);
  }

  /** Live documents by class. */
  documentsByClass(): number[] {
    return Array.from({ length: MAX_CLASSES }, (_, number) => this.#header.getUint32(CLASS_DOCS + 4 * number, true));
  }

  /** Counts that the header keeps; `tokens` are those of live documents. */
  counts(): { live: number; dead: number; documents: number; forms: number; tokens: number } {
    const view = this.#header;
    return {
      live: view.getUint32(LIVE_DOCS, true),
      dead: view.getUint32(DEAD_DOCS, true),
      documents: view.getUint32(DOCS, true) - 1,
      forms: view.getUint32(FORMS, true) - 1 - view.getUint32(SPARE_FORMS, true),
      tokens: view.getFloat64(LENGTH_SUM, true),
    };
  }

  /** Tokens of live documents in a field, and the live documents that have one there. */
  fieldCounts(field: number): { tokens: number; documents: number } {
    const view = this.#header;
    if (field >= view.getUint32(FIELD_CAPACITY, true)) return { tokens: 0, documents: 0 };
    const at = view.getUint32(FIELD_SUMS, true) + 16 * field;
    return { tokens: view.getFloat64(at, true), documents: view.getUint32(at + 8, true) };
  }

  /** Changes whenever documents come, go or get other numbers. */
  documentsVersion(): string {
    const view = this.#header;
    return `${view.getUint32(DOCS, true)} ${view.getUint32(DEATHS, true)}`;
  }

  /** One more than the largest number a form may have. */
  formEnd(): number {
    return this.#header.getUint32(FORMS, true);
  }

  /** One more than the largest ordinal that there is room for. */
  ordinalEnd(): number {
    return this.#header.getUint32(ORDINAL_CAPACITY, true);
  }

  /** Whether a call failed because the memory could not grow. */
  isFull(): boolean {
    return this.#header.getUint32(FULL, true) !== 0;
  }

  /** Bytes in use by part of the index. */
  parts(): Record<PartName, number> {
    const view = new DataView(this.memory.buffer, PARTS);
    return Object.fromEntries(PART_NAMES.map((name, i) => [name, view.getUint32(4 * i, true)])) as Record<PartName, number>;
  }

  /** Kind of each page of the memory. */
  pageKinds(): Uint8Array {
    return this.bytes.subarray(PAGE_KINDS, PAGE_KINDS + this.memory.buffer.byteLength / PAGE_BYTES);
  }
}
