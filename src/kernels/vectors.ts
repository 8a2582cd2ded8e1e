import * as layout from '../../generated/kernels/vector.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** The type in which a row stores its vector (asm/vector/rows.ts). */
export type StoredType = 'float32' | 'int8' | 'int4';

const TYPE_CODES: Readonly<Record<StoredType, number>> = {
  float32: layout.TYPE_F32,
  int8: layout.TYPE_INT8,
  int4: layout.TYPE_INT4,
};

/** The numbers of metrics. */
export const Metrics = { cosine: layout.COSINE, dotProduct: layout.DOT, euclidean: layout.EUCLIDEAN } as const;
/** Bytes of an entry in a closed heap: u32 complement of the ordinal, u32 order of the score, u32 row, f32 score. */
export const { ENTRY_BYTES } = layout;
/** Places of the row and the score in an entry, in words of 4 bytes. */
export const ENTRY_WORDS = { row: layout.E_ROW / 4, score: layout.E_SCORE / 4 } as const;

/**
 * The content of a heap (asm/vector/topk.ts): the best rows, the best row of each document, or rows with estimated
 * scores.
 */
export const HEAP_KINDS = { rows: layout.ROWS, documents: layout.DOCUMENTS, candidates: layout.CANDIDATES } as const;

/** Maximum dimension of a vector, so that a block has at least 64 rows. */
const MAX_DIMS = 65_536;

const MAX_PAGES = 65_536;
/** Whenever one shared memory grows, V8 looks at all others of the process. Pages that are not touched cost nothing. */
const FIRST_PAGES = 32;
/** Maximum size of a segment, well below 4 GiB, so that sums of addresses and sizes never overflow. */
export const MAX_SEGMENT_BYTES = 3.5 * 1024 ** 3;
/** Maximum share of a segment for rows; graphs and codes need the rest. */
const ROW_SHARE = 0.6;

/** Exports of `asm/vectors.ts`, where their contracts are documented. Addresses and sizes are in bytes. */
export interface VectorsExports extends WebAssembly.Exports {
  initialize(dims: number, type: number, limit: number, rowLimit: number): void;
  allocate(bytes: number): number;
  allocateScratch(bytes: number): number;
  release(address: number, bytes: number): void;
  roomFor(bytes: number): number;
  strideOf(dims: number, type: number): number;
  makeRoom(rows: number): number;
  addRow(from: number, ord: number, chunk: number): number;
  addRounded(from: number, ord: number, chunk: number): number;
  publish(row: number, ord: number, chunk: number, inverseNorm: number): number;
  meanOfRows(first: number, count: number, to: number, unit: number): void;
  kill(row: number): void;
  isLive(row: number): number;
  rowCount(): number;
  ordOf(row: number): number;
  chunkOf(row: number): number;
  inverseNormOf(row: number): number;
  vectorOf(row: number): number;
  blockRows(): number;
  blockOf(row: number): number;
  documentStart(row: number, rows: number): number;
  decodeVector(vector: number, to: number): void;
  encodeVector(from: number, to: number): void;
  selectRows(bitmap: number, from: number, to: number, filter: number, filterWords: number): number;
  queryBytes(dims: number): number;
  preparedQueryBytes(dims: number): number;
  prepareQuery(query: number, metric: number): void;
  heapBytes(k: number, kind: number): number;
  openHeap(heap: number, k: number, kind: number): void;
  closeHeap(heap: number): number;
  entriesOf(heap: number): number;
  scan(query: number, metric: number, from: number, to: number, bitmap: number, heap: number): void;
  rescore(query: number, metric: number, candidates: number, count: number, to: number, bitmap: number, whole: number,
    heap: number): void;
  scoreRow(query: number, metric: number, row: number): number;
  exactScore(query: number, metric: number, row: number): number;
  exactScores(query: number, metric: number, rows: number, count: number, scores: number, chunks: number): void;
  exactScoreOf(query: number, metric: number, vector: number): number;
  absorb(heap: number, other: number): void;
  heldBy(heap: number): number;
  drainHeap(heap: number, out: number): number;
  codesBytes(bits: number): number;
  encodingBytes(): number;
  codeBlockBytes(bits: number): number;
  codedQueryBytes(): number;
  placeCodes(codes: number, table: number): void;
  trainCodes(codes: number, bits: number, table: number, unit: number, rows: number): void;
  encodeCodes(codes: number, from: number, to: number, scratch: number): void;
  encodeQuery(codes: number, query: number, metric: number, to: number): void;
  scanCodes(codes: number, query: number, metric: number, from: number, to: number, bitmap: number, heap: number): void;
  sharedScanBytes(): number;
  openSharedScan(scan: number, codes: number, query: number, metric: number, rows: number, bitmap: number, k: number,
    heap: number, other: number): number;
  scanParts(scan: number, heap: number): void;
  scoreInto(scan: number, prepared: number, border: number, scored: number, bits: number, list: number): void;
  hasEnded(scan: number): number;
  areScored(scan: number): number;
  dot(a: number, b: number, bytes: number): number;
  l2sq(a: number, b: number, bytes: number): number;
}

/** A segment has not enough memory left. */
export class SegmentFullError extends Error {}

/** The shared memory of one segment, with the module that stores its rows. */
export class SegmentMemory {
  readonly memory: WebAssembly.Memory;
  readonly call: VectorsExports;
  readonly build: KernelBuild;
  readonly dims: number;
  readonly type: StoredType;
  #view: DataView;
  #bytes: Uint8Array;

  /** An empty segment of at most `limit` bytes. */
  constructor(dims: number, type: StoredType, build: KernelBuild = 'release', limit = MAX_SEGMENT_BYTES) {
    if (!Number.isInteger(dims) || dims < 1 || dims > MAX_DIMS)
      throw new RangeError(`a vector has 1 to ${MAX_DIMS} dimensions, got ${dims}`);
    this.memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MAX_PAGES, shared: true });
    this.build = build;
    this.dims = dims;
    this.type = type;
    this.call = instantiateKernel(loadKernel('vectors', build), this.memory) as VectorsExports;
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#view = new DataView(this.memory.buffer);
    this.call.initialize(dims, TYPE_CODES[type], limit, Math.floor(limit * ROW_SHARE));
  }

  /** A view of the current memory; a new one is made after the memory has grown, so callers must not keep it. */
  get bytes(): Uint8Array {
    if (this.#bytes.length !== this.memory.buffer.byteLength) {
      this.#bytes = new Uint8Array(this.memory.buffer);
      this.#view = new DataView(this.memory.buffer);
    }
    return this.#bytes;
  }

  /** Numbers at an address; the view is valid until the memory grows. */
  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, address >>> 0, length);
  }

  f32(address: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, address >>> 0, length);
  }

  /** Allocates uninitialised bytes, aligned to 64. Throws a SegmentFullError. */
  allocate(bytes: number): number {
    return mustHave(this.call.allocate(bytes) >>> 0, bytes);
  }

  /** The same for data that a search needs while it runs: a full segment still has memory for it. */
  allocateScratch(bytes: number): number {
    return mustHave(this.call.allocateScratch(bytes) >>> 0, bytes);
  }

  /** Frees memory from `allocate(bytes)`, which must not be used any more. */
  release(address: number, bytes: number): void {
    this.call.release(address, bytes);
  }

  /** Bytes of a row's vector. */
  get stride(): number {
    return this.#field(layout.H_STRIDE);
  }

  /** Number of rows ever written. */
  get rowCount(): number {
    return this.call.rowCount() >>> 0;
  }

  get liveCount(): number {
    return this.#field(layout.H_LIVE_ROWS);
  }

  /** Bytes in use: rows, and allocated memory that was not released. */
  get used(): number {
    return this.rowCount * (this.stride + 12) + Math.ceil(this.rowCount / 8) + this.#field(layout.H_ALLOCATED);
  }

  /** Bytes that were ever allocated. */
  get reserved(): number {
    return this.#field(layout.H_TOP);
  }

  /** The layout of a block of rows: its size, and the offsets of its parts. */
  get layout(): BlockLayout {
    return {
      shift: this.#field(layout.H_SHIFT),
      bytes: this.#field(layout.H_BLOCK_BYTES),
      stride: this.stride,
      ords: this.#field(layout.H_ORDS),
      chunks: this.#field(layout.H_CHUNKS),
      norms: this.#field(layout.H_NORMS),
      live: this.#field(layout.H_LIVE),
    };
  }

  /**
   * For restoring: declares that the host has written the rows below `rows` to their blocks, `live` of them with a live
   * bit.
   */
  adoptRows(rows: number, live: number): void {
    this.#set(layout.H_LIVE_ROWS, live);
    this.#set(layout.H_ROWS, rows);
  }

  #field(address: number): number {
    return this.#view.getUint32(address, true);
  }

  #set(address: number, value: number): void {
    this.#view.setUint32(address, value, true);
  }
}

function mustHave(address: number, bytes: number): number {
  if (address === 0) throw new SegmentFullError(`a segment of vectors has no room for ${bytes} bytes`);
  return address;
}

interface BlockLayout {
  /** Binary logarithm of the number of rows in a block. */
  readonly shift: number;
  readonly bytes: number;
  readonly stride: number;
  readonly ords: number;
  readonly chunks: number;
  readonly norms: number;
  readonly live: number;
}
