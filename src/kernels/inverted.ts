import * as layout from '../../generated/kernels/inverted.ts';
import type { InvertedExports } from './inverted-exports.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Number of plain fields of a document, which have a bit and an array of lengths each; 0 is its content. */
export const PLAIN_FIELDS = layout.PLAIN_FIELDS;
/**
 * Number of plain fields before the derived ones, which repeat text of other fields and count only if weights name
 * them.
 */
export const OWN_FIELDS = layout.OWN_FIELDS;
/** Exclusive limit of all fields. */
export const MAX_FIELDS = layout.MAX_FIELDS;
/** Longest form, in bytes. */
export const MAX_FORM_BYTES = layout.MAX_FORM;
/** Longest word for fuzzy matching, in code points. */
export const MAX_FUZZY_WORD = layout.MAX_FUZZY_WORD;
/** Maximum number of levels for nested operators, see `prepareLevels`. */
export const MAX_LEVELS = layout.MAX_LEVELS;
/** Maximum number of terms that are tallied at once. */
export const MAX_TALLIES = layout.MAX_TALLIES;
/** The second list of a pruned selection is searched if it is more than this many times as long as the first. */
export const MUCH_LONGER = layout.MUCH_LONGER;
/** Maximum number of classes of documents. */
export const MAX_CLASSES = layout.MAX_CLASSES;
/** Maximum number of documents of a segment. */
export const MAX_SEGMENT_DOCUMENTS = layout.MAX_SEGMENT_DOCUMENTS;
/** Maximum number of groupings of the forms. */
export const MAX_GROUPINGS = layout.MAX_GROUPINGS;
/** Wildcards of patterns for `collectMatches`: any number of characters, exactly one, and (at the end) one or none. */
export const ANY_CHARACTERS = layout.ANY;
export const ONE_CHARACTER = layout.ONE;
export const OPTIONAL_CHARACTER = layout.MAY_BE;

/**
 * How `scoreForm` and `scoreGroup` use a score: add it; add it and set the bit of the document; or add it only to
 * documents whose bit is set.
 */
export const Action = { add: layout.ADD, match: layout.MATCH, require: layout.REQUIRE } as const;
/** Options of a selection. */
export const Select = {
  filtered: layout.FILTERED,
  multiplied: layout.MULTIPLIED,
  collected: layout.COLLECTED,
} as const;
/** Numbers of the buffers that the host uses. */
export const Buffers = {
  input: layout.B_INPUT,
  output: layout.B_OUTPUT,
  filter: layout.B_FILTER,
  multipliers: layout.B_MULTIPLIERS,
  matches: layout.B_MATCHES,
  fieldFactors: layout.B_FIELD_FACTORS,
  fieldCounts: layout.B_FIELD_COUNTS,
  rerankWeights: layout.B_RERANK_WEIGHTS,
  segment: layout.B_SEGMENT,
  divisionTexts: layout.B_DIVISION_TEXTS,
  divisionForms: layout.B_DIVISION_FORMS,
} as const;
/** Kinds of the texts of a division, and statuses of texts and forms (see asm/inverted/compounds/). */
export const DivisionText = {
  link: layout.LINK_TEXT,
  lost: layout.LOST_TEXT,
  core: layout.CORE_TEXT,
  stop: layout.STOP_WORD,
} as const;
export const DivisionStatus = {
  word: layout.IS_WORD,
  shortened: layout.IS_SHORTENED,
  compound: layout.IS_COMPOUND,
  other: layout.IS_OTHER,
} as const;
/** What `divide` asks, and the answers. */
export const Asks = { inflected: layout.ASKS_INFLECTED, itself: layout.ASKS_ITSELF } as const;
export const Truth = { no: layout.NO, yes: layout.YES } as const;
export const Algorithm = { bm25: layout.BM25, tfidf: layout.TF_IDF, bm25f: layout.BM25F } as const;

/** Kinds of pages, in the encoding of the kernel. */
export const PageKind = {
  free: layout.PAGE_FREE,
  small: layout.PAGE_SMALL,
  large: layout.PAGE_LARGE,
  scratch: layout.PAGE_SCRATCH,
} as const;
export const PAGE_BYTES = layout.PAGE;
const MAX_PAGES = 65_536;

/** The uses of memory, with the number under which the kernel counts their bytes. */
const PARTS = {
  documents: layout.PART_DOCUMENTS,
  forms: layout.PART_FORMS,
  strings: layout.PART_STRINGS,
  orders: layout.PART_ORDER,
  groups: layout.PART_GROUPS,
  tails: layout.PART_TAILS,
  blocks: layout.PART_BLOCKS,
  directories: layout.PART_DIRECTORIES,
  compaction: layout.PART_COMPACTION,
} as const;

export type PartName = keyof typeof PARTS;

/** Kinds of cached lists as input of the selections: their bytes. */
export const ListInput = { few: layout.FEW, pruned: layout.PRUNED } as const;

/** The order of keys, and the order of reversed keys, for `collectRange`. */
export const Orders = { forward: layout.H_FORWARD, backward: layout.H_BACKWARD } as const;

/** The tables of the tokeniser, see src/text/token-tables.ts. */
export interface TableBytes {
  readonly blocks: Uint32Array;
  readonly index: Uint16Array;
  readonly expansions: Uint8Array;
}

/** Parameters of scoring from the collection and the query, see asm/inverted/scoring.ts. */
export interface ScoringParameters {
  readonly algorithm: number;
  readonly c0: number;
  readonly c1: number;
  readonly rest: number;
  /**
   * The fields that count, by number; undefined if all but the derived ones count equally. For TF-IDF, the number after
   * the plain fields stands for all named fields.
   */
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

/** Number of recent parameters that keep their number while others are used. */
const KNOWN_SCORINGS = 8;

function areEqual(a: ScoringParameters, b: ScoringParameters): boolean {
  if (a.algorithm !== b.algorithm || a.c0 !== b.c0 || a.c1 !== b.c1 || a.rest !== b.rest ||
    a.factors?.length !== b.factors?.length) return false;
  return a.factors === undefined || a.factors.every(({ field, weight, norm }, i) => {
    const other = b.factors![i]!;
    return field === other.field && weight === other.weight && norm === other.norm;
  });
}

const FLOAT = new Float32Array(1);
const BITS = new Uint32Array(FLOAT.buffer);

/**
 * A hash, not 0, of the parameters that a request selects: algorithm, k1 and b, fields and their weights, but not
 * averages of the collection.
 */
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

/** One inverted index in a WebAssembly memory of its own: calls, and data exchange through the memory. */
export class InvertedKernel {
  readonly memory: WebAssembly.Memory;
  readonly call: InvertedExports;
  #bytes: Uint8Array<ArrayBuffer>;
  /** The same bytes as a Buffer, which writes texts without a subarray. */
  #text: Buffer;
  #words: Uint32Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #scorings: readonly NamedScoring[] = [];
  #scoring: NamedScoring | undefined;
  #lastScoring = 0;
  readonly #decoder = new TextDecoder();

  /** An empty index; with the `pages` of a checkpoint, a memory into which to read it before `adopt`. */
  constructor(build: KernelBuild = 'release',
    { pages, maxBytes = MAX_PAGES * PAGE_BYTES }: { pages?: number; maxBytes?: number } = {})
  {
    const maximum = Math.max(pages ?? layout.FIRST_HEAP_PAGE, Math.floor(maxBytes / PAGE_BYTES));
    this.memory = new WebAssembly.Memory({ initial: pages ?? layout.FIRST_HEAP_PAGE, maximum });
    this.call = instantiateKernel(loadKernel('inverted', build), this.memory) as InvertedExports;
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#text = Buffer.from(this.memory.buffer);
    this.#words = new Uint32Array(this.memory.buffer);
    this.#view = new DataView(this.memory.buffer);
    if (pages === undefined) this.call.initialize();
  }

  /** The memory's bytes. The view is valid until the next call into the kernel, which may grow the memory. */
  get bytes(): Uint8Array<ArrayBuffer> {
    this.#followGrowth();
    return this.#bytes;
  }

  /** The same as words; all data is passed at multiples of four. */
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

  /** Copies the tokeniser's tables into the memory. */
  placeTables({ blocks, index, expansions }: TableBytes): void {
    const at = this.call.placeTables(blocks.byteLength, index.byteLength, expansions.byteLength);
    const bytes = this.bytes;
    bytes.set(new Uint8Array(blocks.buffer, blocks.byteOffset, blocks.byteLength), at);
    bytes.set(new Uint8Array(index.buffer, index.byteOffset, index.byteLength), at + blocks.byteLength);
    bytes.set(expansions, at + blocks.byteLength + index.byteLength);
  }

  /** Writes a text to the input buffer as UTF-8; returns its address and length. Lone surrogates become U+FFFD. */
  input(text: string): { readonly at: number; readonly length: number } {
    const at = this.call.reserve(Buffers.input, text.length * 3 + 16);
    this.#followGrowth();
    return { at, length: this.#text.write(text, at) };
  }

  /** The same for a text and its continuation; returns the end of each. */
  inputParts(first: string, rest: string): { readonly at: number; readonly stop: number; readonly end: number } {
    const at = this.call.reserve(Buffers.input, (first.length + rest.length) * 3 + 16);
    this.#followGrowth();
    const stop = at + this.#text.write(first, at);
    return { at, stop, end: stop + this.#text.write(rest, stop) };
  }

  /** Writes hits of an earlier selection to the input buffer, for `selectGiven`. */
  inputHits(hits: readonly { readonly ord: number; readonly score: number }[]): void {
    const at = this.call.reserve(Buffers.input, Math.max(hits.length * 8, 16));
    const view = this.#header;
    hits.forEach(({ ord, score }, i) => {
      view.setUint32(at + 8 * i, ord, true);
      view.setFloat32(at + 8 * i + 4, score, true);
    });
  }

  /** Writes numbers (u32) to the input buffer; returns their address. */
  inputNumbers(numbers: ArrayLike<number>): number {
    const at = this.call.reserve(Buffers.input, Math.max(numbers.length * 4, 16));
    this.#numbers.set(numbers, at / 4);
    return at;
  }

  /** Writes the number (u32) of each item to the input buffer. */
  inputEach<T>(items: readonly T[], numberOf: (item: T) => number): void {
    const at = this.call.reserve(Buffers.input, Math.max(items.length * 4, 16)) / 4;
    const numbers = this.#numbers;
    for (let i = 0; i < items.length; i++) numbers[at + i] = numberOf(items[i]!);
  }

  /** Writes cached lists with their weights and classes, for `selectFew` or `selectPruned` (`ListInput`). */
  inputLists(items: readonly { readonly list: number; readonly weight: number; readonly classes: number }[],
    bytes: number): void
  {
    const at = this.call.reserve(Buffers.input, Math.max(items.length * bytes, 16));
    const view = this.#header;
    items.forEach(({ list, weight, classes }, i) => {
      view.setUint32(at + bytes * i, list, true);
      view.setFloat32(at + bytes * i + layout.E_WEIGHT, weight, true);
      view.setInt32(at + bytes * i + layout.E_CLASSES, classes, true);
      view.setUint32(at + bytes * i + layout.E_PLACE, 0, true);
    });
  }

  /** Writes weighted items, such as cached lists, for `matchLists` and `selectTallied`. */
  inputWeighted<T extends { readonly weight: number }>(items: readonly T[], numberOf: (item: T) => number): void {
    const at = this.call.reserve(Buffers.input, Math.max(items.length * layout.WEIGHTED, 16));
    const view = this.#header;
    items.forEach((item, i) => {
      view.setUint32(at + layout.WEIGHTED * i, numberOf(item), true);
      view.setFloat32(at + layout.WEIGHTED * i + layout.E_WEIGHT, item.weight, true);
    });
  }

  /** Writes an array to a buffer; returns its address. */
  write(buffer: number, array: Uint32Array | Float32Array | Float64Array | Uint8Array): number {
    const at = this.call.reserve(buffer, Math.max(array.byteLength, 16));
    this.bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    return at;
  }

  /** A copy of the first numbers of the output buffer. */
  output(count: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.call.buffer(Buffers.output), count).slice();
  }

  /** Which of the first numbers of the output buffer are not 0. */
  outputFlags(count: number): boolean[] {
    const at = this.call.buffer(Buffers.output) / 4;
    const numbers = this.#numbers;
    const flags: boolean[] = [];
    for (let i = 0; i < count; i++) flags.push(numbers[at + i] !== 0);
    return flags;
  }

  outputFloats(count: number): Float32Array {
    return new Float32Array(this.memory.buffer, this.call.buffer(Buffers.output), count).slice();
  }

  /** A number (u32) in the output buffer, by its index. */
  outputNumber(index: number): number {
    return this.#numbers[this.call.buffer(Buffers.output) / 4 + index]!;
  }

  /**
   * The hits that `selectByScore` and similar functions have written to the output buffer: ordinals with their scores.
   */
  hits(count: number): { ord: number; score: number }[] {
    const at = this.call.buffer(Buffers.output);
    const view = this.#header;
    const hits: { ord: number; score: number }[] = [];
    for (let place = at; place < at + 8 * count; place += 8)
      hits.push({ ord: view.getUint32(place, true), score: view.getFloat32(place + 4, true) });
    return hits;
  }

  /** A copy of numbers at any address, in an array of this length if one is passed. */
  numbers(at: number, count: number, into?: Uint32Array): Uint32Array {
    const numbers = new Uint32Array(this.memory.buffer, at, count);
    if (into?.length !== count) return numbers.slice();
    into.set(numbers);
    return into;
  }

  text(at: number, length: number): string {
    return this.#decoder.decode(this.bytes.subarray(at, at + length));
  }

  /** Sets the parameters of all further scoring, and the numbers by which cached lists identify them. */
  setScoring(parameters: ScoringParameters): void {
    const known = this.#scorings.find((one) => areEqual(one.parameters, parameters));
    const named = known ?? { parameters, number: ++this.#lastScoring };
    if (known === undefined) this.#scorings = [named, ...this.#scorings.slice(0, KNOWN_SCORINGS - 1)];
    if (named !== this.#scoring) this.#writeScoring(parameters);
    this.#scoring = named;
    this.#header.setUint32(layout.H_SCORING_NAMES + layout.N_NUMBER, named.number, true);
    this.#header.setUint32(layout.H_SCORING_NAMES + layout.N_FAMILY, familyOf(parameters), true);
  }

  #writeScoring({ algorithm, c0, c1, rest, factors }: ScoringParameters): void {
    if (factors !== undefined) {
      const table = new Float32Array(MAX_FIELDS * 2);
      for (const { field, weight, norm } of factors) table.set([weight, norm], field * 2);
      this.write(Buffers.fieldFactors, table);
    }
    const view = this.#header;
    view.setUint32(layout.H_SCORING + layout.P_ALGORITHM, algorithm, true);
    view.setUint32(layout.H_SCORING + layout.P_ALIKE, factors === undefined ? 1 : 0, true);
    view.setFloat32(layout.H_SCORING + layout.P_C0, c0, true);
    view.setFloat32(layout.H_SCORING + layout.P_C1, c1, true);
    view.setFloat32(layout.H_SCORING + layout.P_REST, rest, true);
  }

  /** Number of live documents by class. */
  documentsByClass(): number[] {
    return Array.from({ length: MAX_CLASSES },
      (_, number) => this.#header.getUint32(layout.H_CLASS_DOCS + 4 * number, true));
  }

  /** Counts from the header; `tokens` counts those of live documents. */
  counts(): { live: number; dead: number; documents: number; forms: number; tokens: number } {
    const view = this.#header;
    return {
      live: view.getUint32(layout.H_LIVE_DOCS, true),
      dead: view.getUint32(layout.H_DEAD_DOCS, true),
      documents: view.getUint32(layout.H_DOCS, true) - 1,
      forms: view.getUint32(layout.H_FORMS, true) - 1 - view.getUint32(layout.H_SPARE_COUNT, true),
      tokens: view.getFloat64(layout.H_LENGTH_SUM, true),
    };
  }

  /** Tokens of live documents in a field, and the number of live documents that have a token there. */
  fieldCounts(field: number): { tokens: number; documents: number } {
    const view = this.#header;
    if (field >= view.getUint32(layout.H_FIELD_CAPACITY, true)) return { tokens: 0, documents: 0 };
    const at = view.getUint32(layout.H_FIELD_SUMS, true) + layout.FIELD_SUM_BYTES * field;
    return { tokens: view.getFloat64(at, true), documents: view.getUint32(at + layout.S_DOCUMENTS, true) };
  }

  /** Changes whenever documents are added, removed or renumbered. */
  documentsVersion(): string {
    const view = this.#header;
    return `${view.getUint32(layout.H_DOCS, true)} ${view.getUint32(layout.H_DEATHS, true)}`;
  }

  /** The largest possible number of a form, plus 1. */
  formEnd(): number {
    return this.#header.getUint32(layout.H_FORMS, true);
  }

  /** Number of ordinals for which memory is allocated. */
  ordinalEnd(): number {
    return this.#header.getUint32(layout.H_DOC_OF_CAPACITY, true);
  }

  /** Whether a call failed because the memory could not grow. */
  isFull(): boolean {
    return this.#header.getUint32(layout.H_FULL, true) !== 0;
  }

  /** Bytes in use, by part of the index. */
  parts(): Record<PartName, number> {
    const view = new DataView(this.memory.buffer, layout.H_PARTS);
    return Object.fromEntries(
      Object.entries(PARTS).map(([name, number]) => [name, view.getUint32(4 * number, true)]),
    ) as Record<PartName, number>;
  }

  /** Kind of each page of the memory. */
  pageKinds(): Uint8Array {
    return this.bytes.subarray(layout.PAGE_KINDS, layout.PAGE_KINDS + this.memory.buffer.byteLength / PAGE_BYTES);
  }
}
