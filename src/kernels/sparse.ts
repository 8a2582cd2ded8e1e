import * as allocator from '../../generated/kernels/columns.ts';
import * as layout from '../../generated/kernels/sparse.ts';
import { spend } from '../lib/pace.ts';
import type { Stepping } from './geo-search.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Most values of a vector. */
export const MAX_VALUES = layout.MAX_VALUES;
/** Products that a step of a search adds: about a millisecond. */
const PRODUCTS = 1 << 19;
/** Products and values that take as long as a unit of `spend`. */
const PER_UNIT = 4;
const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;
/** Share of the memory that may be in use before vectors are refused: joining blocks needs the rest for a while. */
const FULL = 0.75;

/** Exports of `asm/sparse.ts`, where their contracts are documented. */
interface SparseExports extends WebAssembly.Exports {
  initialize(): void;
  documents(): number;
  ordinalEnd(): number;
  takeWork(): number;
  putVector(ord: number, count: number): void;
  removeVector(ord: number): number;
  openSearch(k: number, bar: number, dims: number, words: number): number;
  advance(search: number, budget: number): number;
  closeEntries(search: number): void;
  closeSearch(search: number): void;
  blockCount(): number;
  blockAt(index: number): number;
  holdBlocks(held: number): void;
  spaceForBlock(bytes: number): number;
  adoptBlock(block: number, bytes: number): number;
  reserve(buffer: number, bytes: number): number;
  drop(buffer: number): void;
}

/** Dimensions in ascending order, each once, and the value of each. */
export interface SparseVector {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** A document and its inner product with the vector of a search. */
export interface SparseHit {
  readonly ord: number;
  readonly score: number;
}

/** A part of the memory, with a copy of its beginning. */
export interface BlockBytes {
  readonly head: Buffer;
  readonly from: number;
  readonly to: number;
}

/** The sparse vectors of one collection in a WebAssembly memory of its own. Ordinals are below 2^32 - 1. */
export class SparseKernel {
  readonly #memory: WebAssembly.Memory;
  readonly #call: SparseExports;
  readonly #maxBytes: number;

  constructor(build: KernelBuild = 'release', maxBytes: number = MAX_PAGES * PAGE_BYTES) {
    this.#memory = new WebAssembly.Memory({ initial: 1, maximum: Math.max(1, Math.floor(maxBytes / PAGE_BYTES)) });
    this.#call = instantiateKernel(loadKernel('sparse', build), this.#memory) as SparseExports;
    this.#call.initialize();
    this.#maxBytes = maxBytes;
  }

  /** Number of documents that have a vector. */
  get documents(): number {
    return this.#call.documents();
  }

  /** Bytes in use. */
  get bytes(): number {
    const view = new DataView(this.#memory.buffer);
    const partBytes = (part: number): number => view.getUint32(allocator.H_PARTS + 4 * part, true);
    return [0, 1, 2, 3].reduce((sum, part) => sum + partBytes(part), 0);
  }

  /** Whether there may be no space for another vector. */
  get isFull(): boolean {
    return this.bytes > this.#maxBytes * FULL;
  }

  /** Sets the vector of a document, and replaces its former one. */
  put(ord: number, { indices, values }: SparseVector): void {
    const at = this.#call.reserve(layout.B_INPUT, indices.length * 8) >>> 0;
    new Uint32Array(this.#memory.buffer, at, indices.length).set(indices);
    new Float32Array(this.#memory.buffer, at + indices.length * 4, values.length).set(values);
    this.#call.putVector(ord, indices.length);
    this.#spend();
  }

  /** Removes a document. Returns whether it had a vector. */
  remove(ord: number): boolean {
    const was = this.#call.removeVector(ord) !== 0;
    this.#spend();
    return was;
  }

  /**
   * Searches for the `k` documents with the greatest products, of at least `bar`, with a vector whose values are not 0:
   * the best first, of equal ones the least ordinal. Documents that have no dimension of it are not found. Nothing may
   * change before the search is done or closed.
   */
  search({ indices, values }: SparseVector, k: number, bar: number, filter?: Uint32Array): Stepping<SparseHit[]> {
    const words = filter === undefined ? layout.ALL : Math.min(filter.length, (this.#call.ordinalEnd() + 31) >>> 5);
    const search = this.#call.openSearch(k, bar, indices.length, words) >>> 0;
    const { buffer } = this.#memory;
    const view = new DataView(buffer);
    const query = view.getUint32(search + layout.S_QUERY, true);
    new Uint32Array(buffer, query, indices.length).set(indices);
    new Float32Array(buffer, query + indices.length * 4, values.length).set(values);
    if (filter !== undefined)
      new Uint32Array(buffer, view.getUint32(search + layout.S_BITMAP, true), words).set(filter.subarray(0, words));
    return new SparseSearch(this.#call, this.#memory, search);
  }

  /** Ordinals of the documents, in any order. */
  *ords(): Generator<number> {
    for (const { head } of this.#heads())
      for (let at = layout.BLOCK_HEADER; at < head.length; at += 4) {
        const ord = head.readUInt32LE(at);
        if (ord !== layout.NO_ORD) yield ord;
      }
  }

  /**
   * The blocks of the memory at this moment, to be read until `release` is called: behind their heads, they do not
   * change.
   */
  hold(): BlockBytes[] {
    this.#call.holdBlocks(1);
    return this.#heads();
  }

  #heads(): BlockBytes[] {
    const view = new DataView(this.#memory.buffer);
    return Array.from({ length: this.#call.blockCount() }, (_, i) => {
      const from = this.#call.blockAt(i) >>> 0;
      const size = layout.BLOCK_HEADER + view.getUint32(from + layout.B_DOCS, true) * 4;
      const head = Buffer.from(new Uint8Array(this.#memory.buffer, from, size));
      return { head, from, to: from + view.getUint32(from + layout.B_BYTES, true) };
    });
  }

  release(): void {
    this.#call.holdBlocks(0);
  }

  /** Bytes of the memory; the view is valid until the memory grows. */
  bytesAt(from: number, to: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer, from, to - from);
  }

  /** Address of space for a block, to be read into it before `adopt`. */
  spaceFor(bytes: number): number {
    return this.#call.spaceForBlock(bytes) >>> 0;
  }

  /** Adds a block that was read; false if it is none. */
  adopt(block: number, bytes: number): boolean {
    return this.#call.adoptBlock(block, bytes) !== 0;
  }

  #spend(): void {
    spend(Math.ceil((this.#call.takeWork() >>> 0) / PER_UNIT));
  }
}

/** A search, block by block; the first step is made at once. */
class SparseSearch implements Stepping<SparseHit[]> {
  readonly #call: SparseExports;
  readonly #memory: WebAssembly.Memory;
  readonly #search: number;
  #result: SparseHit[] | undefined;
  #isClosed = false;

  constructor(call: SparseExports, memory: WebAssembly.Memory, search: number) {
    this.#call = call;
    this.#memory = memory;
    this.#search = search;
    this.step();
  }

  get isDone(): boolean {
    return this.#result !== undefined;
  }

  step(): void {
    if (this.isDone || this.#isClosed) return;
    const isMore = this.#call.advance(this.#search, PRODUCTS) !== 0;
    spend(Math.ceil(new DataView(this.#memory.buffer).getUint32(this.#search + layout.S_STEPS, true) / PER_UNIT));
    if (isMore) return;
    this.#result = this.#read();
    this.close();
  }

  result(): SparseHit[] {
    return this.#result!;
  }

  close(): void {
    if (!this.#isClosed) this.#call.closeSearch(this.#search);
    this.#isClosed = true;
  }

  #read(): SparseHit[] {
    this.#call.closeEntries(this.#search);
    const view = new DataView(this.#memory.buffer);
    const entries = view.getUint32(this.#search + layout.S_ENTRIES, true);
    return Array.from({ length: view.getUint32(this.#search + layout.S_HELD, true) }, (_, i) => ({
      ord: view.getUint32(entries + i * 8, true),
      score: view.getFloat32(entries + i * 8 + 4, true),
    }));
  }
}
