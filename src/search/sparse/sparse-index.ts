import type { KernelBuild } from '../../kernels/load.ts';
import { type SparseHit, SparseKernel, type SparseVector } from '../../kernels/sparse.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { Searches } from '../searches.ts';
import { VectorIndexClosedError } from '../vector/index.ts';
import { readCheckpoint, Snapshot } from './checkpoint.ts';

/** The memory has no space for another vector. */
export class SparseFullError extends Error {}

export interface SparseQuery {
  /** Its values are not 0, as those of `sparseVector`. */
  readonly vector: SparseVector;
  /** Number of results wanted. */
  readonly k: number;
  /** The documents to search; absent for all. */
  readonly eligible?: OrdSet | undefined;
  /** Minimum score of results. */
  readonly threshold?: number | undefined;
}

/** What is read of the sparse vectors of a collection, in one index or in those of its partitions. */
export interface SparseReader {
  /**
   * The documents with the greatest inner products, the best first, of equal ones the least ordinal. Documents that
   * share no dimension with the vector are not found. Rejects with the reason of an aborted signal, and with a
   * VectorIndexClosedError.
   */
  search(query: SparseQuery, signal?: AbortSignal): Promise<readonly SparseHit[]>;
  /** Ordinals of the documents that have a vector, in any order. */
  ords(): Iterable<number>;
  stats(): { readonly documents: number; readonly bytes: number };
}

/**
 * The sparse vectors of a collection's documents, one for each, and the documents with the greatest inner products with
 * a vector, exactly. Lists of the values of each dimension are in blocks of documents (`asm/sparse/layout.ts`).
 *
 * A search yields to the event loop between steps, and finds what was there when it began: a change first waits until
 * it is done (`settle`).
 */
export class SparseIndex implements SparseReader {
  readonly #searches = new Searches();
  #kernel: SparseKernel | undefined;
  #snapshot: Snapshot | undefined;

  private constructor(kernel: SparseKernel) {
    this.#kernel = kernel;
  }

  /** An empty index in a memory of up to `maxBytes`, by default 4 GiB. */
  static create({ build, maxBytes }: { readonly build?: KernelBuild; readonly maxBytes?: number } = {}): SparseIndex {
    return new SparseIndex(new SparseKernel(build, maxBytes));
  }

  /** Restores what `save` wrote. Rejects with a SparseCheckpointError when it is damaged or of another version. */
  static async restore(bytes: AsyncIterable<Uint8Array>, build?: KernelBuild): Promise<SparseIndex> {
    return new SparseIndex(await readCheckpoint(bytes, build));
  }

  /**
   * Sets the vector of a document, and replaces its former one. Throws a SparseFullError, and leaves the index as it
   * is, when there is no space for another one.
   */
  put(ord: number, vector: SparseVector): void {
    const kernel = this.#open();
    this.#searches.complete();
    if (kernel.isFull) throw new SparseFullError('the sparse vectors of a collection use all of its memory');
    kernel.put(ord, vector);
  }

  /** Removes the vector of a document. Returns whether it had one. */
  remove(ord: number): boolean {
    const kernel = this.#open();
    this.#searches.complete();
    return kernel.remove(ord);
  }

  async search({ vector, k, eligible, threshold = -Infinity }: SparseQuery,
    signal?: AbortSignal): Promise<readonly SparseHit[]>
  {
    const hits = await this.#searches.finish(this.#open().search(vector, k, threshold, eligible?.words), signal);
    // The kernel has the threshold as a float32, which may be less.
    const end = hits.findIndex(({ score }) => score < threshold);
    return end < 0 ? hits : hits.slice(0, end);
  }

  /**
   * Goes on with a search for which a change waits; returns true while the change should wait longer. A change without
   * it completes all searches at once.
   */
  settle(): boolean {
    return this.#searches.settle();
  }

  ords(): Iterable<number> {
    return this.#open().ords();
  }

  stats(): { readonly documents: number; readonly bytes: number } {
    const kernel = this.#open();
    return { documents: kernel.documents, bytes: kernel.bytes };
  }

  /**
   * The current vectors, to be restored by `restore`; the index may change while they are read. Memory that such
   * changes free stays in use until all is read, or until the next call, which ends this one.
   */
  save(): AsyncGenerator<Uint8Array> {
    this.#snapshot?.end();
    this.#snapshot = new Snapshot(this.#open());
    return this.#snapshot.bytes();
  }

  /** Frees the memory. Searches that have begun are completed, a checkpoint can be read no further. */
  close(): void {
    this.#searches.complete();
    this.#snapshot?.end();
    this.#kernel = undefined;
  }

  #open(): SparseKernel {
    if (this.#kernel === undefined) throw new VectorIndexClosedError();
    return this.#kernel;
  }
}
