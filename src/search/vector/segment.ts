import type { KernelBuild } from '../../kernels/load.ts';
import { SegmentMemory, type StoredType, type VectorsExports } from '../../kernels/vectors.ts';
import type { AnnFactory, SegmentAccess } from './ann-index.ts';
import { INLINE_BYTES, type RowSource } from './parts.ts';
import { Structures } from './structures.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** The rows that are live and pass a filter: bit `row & 63` of u64 `row >> 6`. */
interface Selection {
  /** The identical words of the filter; undefined if all documents pass. */
  readonly filter: Uint32Array | undefined;
  /** Number of rows and live rows of the segment. */
  readonly rows: number;
  readonly live: number;
  readonly bitmap: Uint8Array;
  /** Number of rows selected. */
  readonly selected: number;
}

/** Number of selections that a segment keeps: each has a bit per row, and the words of the filter. */
const KEPT = 4;

/**
 * The last selections of a segment. Filters are compared by identity, because the same object is used as long as the
 * documents do not change. Rows are only added or removed, so the numbers of rows and live rows reveal any change.
 */
class Selections {
  #kept: Selection[] = [];

  find(filter: Uint32Array | undefined, rows: number, live: number): Selection | undefined {
    const found = this.#kept.find((each) => each.filter === filter && each.rows === rows && each.live === live);
    if (found !== undefined) this.keep(found);
    return found;
  }

  /** Moves it to the end, as the most recently used. */
  keep(selection: Selection): void {
    const others = this.#kept.filter(({ filter, rows, live }) =>
      filter !== selection.filter && rows === selection.rows && live === selection.live
    );
    this.#kept = [selection, ...others].slice(0, KEPT);
  }
}

/** The settings that all segments of an index share. */
export interface SegmentOptions {
  readonly pool: WorkerPool;
  readonly build: KernelBuild;
  readonly factories: readonly AnnFactory[];
  /** Size in bytes at which a segment is full. */
  readonly segmentBytes: number;
  readonly parallelMinRows: number;
  /** Up to this many bytes of rows are scanned even if there is a structure: that is as fast, and exact. Default 0. */
  readonly exactBytes?: number;
  /** Bytes of rows that are read on the calling thread; workers read more. */
  readonly inlineBytes?: number;
}

/**
 * A chunk's vector: numbers or, for the type int8, the bytes of one that was rounded before: its minimum and the step
 * between two levels, both float32, then a code for each number.
 */
export interface VectorChunk {
  readonly vector: Float32Array | Uint8Array;
}

/** Bytes before the codes of a rounded vector. */
const ROUNDED_HEAD = 8;

/** Number of dimensions. */
export function dimsOf({ vector }: VectorChunk): number {
  return vector instanceof Float32Array ? vector.length : Math.max(0, vector.length - ROUNDED_HEAD);
}

/** The numbers that must be finite. */
export function numbersOf({ vector }: VectorChunk): Float32Array {
  return vector instanceof Float32Array ? vector : new Float32Array(vector.slice(0, ROUNDED_HEAD).buffer);
}

/** Rows of one dimension and type in one shared memory, and the structures over them. Only the main thread writes. */
export class Segment implements SegmentAccess, RowSource {
  readonly id: number;
  readonly rows: SegmentMemory;
  readonly pool: WorkerPool;
  readonly parallelMinRows: number;
  readonly exactBytes: number;
  readonly inlineBytes: number;
  readonly structures: Structures;
  readonly selections = new Selections();
  readonly #input: number;
  #users = 0;
  #isRetired = false;
  /** Rows that were removed since compaction began to copy this segment. */
  deaths: number[] | undefined;

  constructor(id: number, dims: number, type: StoredType, options: SegmentOptions) {
    this.id = id;
    this.rows = new SegmentMemory(dims, type, options.build, options.segmentBytes);
    this.pool = options.pool;
    this.parallelMinRows = options.parallelMinRows;
    this.exactBytes = options.exactBytes ?? 0;
    this.inlineBytes = options.inlineBytes ?? INLINE_BYTES;
    this.#input = this.rows.allocate(this.call.queryBytes(dims));
    this.structures = new Structures(this, options.factories.filter(({ types }) => types.includes(type)));
  }

  get memory(): WebAssembly.Memory {
    return this.rows.memory;
  }

  get build(): KernelBuild {
    return this.rows.build;
  }

  get call(): VectorsExports {
    return this.rows.call;
  }

  get dims(): number {
    return this.rows.dims;
  }

  get type(): StoredType {
    return this.rows.type;
  }

  get stride(): number {
    return this.rows.stride;
  }

  get rowCount(): number {
    return this.rows.rowCount;
  }

  get liveCount(): number {
    return this.rows.liveCount;
  }

  get bytes(): Uint8Array {
    return this.rows.bytes;
  }

  allocate(bytes: number): number {
    return this.rows.allocate(bytes);
  }

  allocateScratch(bytes: number): number {
    return this.rows.allocateScratch(bytes);
  }

  release(address: number, bytes: number): void {
    this.rows.release(address, bytes);
  }

  /** Writes the rows of a document and returns the first; undefined if the segment cannot hold all of them. */
  write(ord: number, chunks: readonly VectorChunk[]): number | undefined {
    const first = this.rowCount;
    if (this.call.makeRoom(first + chunks.length) === 0) return undefined;
    const numbers = this.rows.f32(this.#input, this.dims);
    for (const [chunk, { vector }] of chunks.entries()) {
      if (vector instanceof Float32Array) {
        numbers.set(vector);
        this.call.addRow(this.#input, ord, chunk);
      } else {
        this.bytes.set(vector, this.#input);
        this.call.addRounded(this.#input, ord, chunk);
      }
    }
    this.structures.rowsWereAdded();
    return first;
  }

  /** Number of rows of the document whose live rows begin at `first`. */
  documentRows(first: number): number {
    const ord = this.call.ordOf(first);
    const end = this.rowCount;
    let row = first + 1;
    while (row < end && this.call.ordOf(row) === ord && this.call.isLive(row) !== 0) row++;
    return row - first;
  }

  /** Marks rows of a document as removed. */
  kill(first: number, count: number): void {
    for (let row = first; row < first + count; row++) {
      this.call.kill(row);
      this.deaths?.push(row);
    }
  }

  /** The stored vector of a row, decoded. */
  vector(row: number): Float32Array {
    this.call.decodeVector(this.call.vectorOf(row), this.#input);
    return this.rows.f32(this.#input, this.dims).slice();
  }

  /** The mean of a document's vectors; with `unit`, of length 1. */
  mean(first: number, unit: boolean): Float32Array {
    this.call.meanOfRows(first, this.documentRows(first), this.#input, unit ? 1 : 0);
    return this.rows.f32(this.#input, this.dims).slice();
  }

  /** Keeps structures and memory alive, even if the segment is retired, until the returned function is called. */
  hold(): () => void {
    this.#users++;
    return () => {
      this.#users--;
      this.#closeIfUnused();
    };
  }

  /** Whether compaction has replaced it: later changes of documents are not visible here. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Frees the memory when no operation holds it any more. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (!this.#isRetired || this.#users > 0) return;
    void this.structures.close().then(() => this.pool.forget(this.memory));
  }
}
