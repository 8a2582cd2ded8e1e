import { setImmediate } from 'node:timers/promises';
import { type ClustersExports, clustersKernel } from '../../../kernels/clusters.ts';
import type { KernelBuild } from '../../../kernels/load.ts';
import { SegmentFullError, SegmentMemory } from '../../../kernels/vectors.ts';
import type { Metric, SegmentAccess } from '../ann-index.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

/** Multiplications that a worker computes in one call, in some tens of milliseconds. */
const CALL_PRODUCTS = 2 ** 28;

/** A matrix of `rows` padded rows of `dims` numbers in a trainer's memory. */
export interface Matrix {
  readonly address: number;
  readonly rows: number;
  readonly dims: number;
}

/** Centroids, and the assignments and distances of the points: u32 and f32 for each. */
export interface Clustering {
  readonly centroids: Matrix;
  readonly assigned: number;
  readonly distances: number;
  /** Sum of the squared distances of the points from their centroids at the last assignment. */
  sum: number;
}

/**
 * Trains in worker threads, in a memory of its own that is freed afterwards. All work is divided into calls so short
 * that searches can wait for them.
 */
export class Trainer {
  readonly #memory: SegmentMemory;
  readonly #pool: WorkerPool;
  readonly kernel: ClustersExports;

  constructor(pool: WorkerPool, dims: number, build: KernelBuild) {
    this.#memory = new SegmentMemory(dims, 'float32', build);
    this.#pool = pool;
    this.kernel = clustersKernel(this.#memory.memory, build);
  }

  close(): void {
    this.#pool.forget(this.#memory.memory);
  }

  allocate(bytes: number): number {
    return this.#memory.allocate(bytes);
  }

  matrix(rows: number, dims: number): Matrix {
    return { address: this.allocate(rows * this.kernel.rowBytes(dims)), rows, dims };
  }

  /** The numbers of a matrix as stored, including padding; a view that is valid until memory is allocated. */
  numbers({ address, rows, dims }: Matrix): Float32Array {
    return this.#memory.f32(address, (rows * this.kernel.rowBytes(dims)) / 4);
  }

  floats(address: number, count: number): Float32Array {
    return this.#memory.f32(address, count);
  }

  integers(address: number, count: number): Uint32Array {
    return this.#memory.u32(address, count);
  }

  /** Runs a function in a worker. Throws if it reports a lack of memory (-1, or 0 with `zeroIsFailure`). */
  async run(call: keyof ClustersExports & string, args: readonly number[], zeroIsFailure = false): Promise<number> {
    const { memory, build } = this.#memory;
    const result = await this.#pool.run({ memory, module: 'clusters', build, call, args, background: true });
    if (result < 0 || (zeroIsFailure && result === 0))
      throw new SegmentFullError('there is no memory to train an index of vectors');
    return result;
  }

  clustering(points: Matrix, k: number): Clustering {
    return {
      centroids: this.matrix(k, points.dims),
      assigned: this.allocate(points.rows * 4),
      distances: this.allocate(points.rows * 4),
      sum: Infinity,
    };
  }

  /** Selects initial centroids (k-means++). */
  async seed(points: Matrix, { centroids, distances }: Clustering, seed: number): Promise<void> {
    const { rows: n, dims } = points;
    const k = centroids.rows;
    const step = Math.max(1, Math.floor(CALL_PRODUCTS / (this.kernel.seedPoints(n, k) * (dims + 8))));
    for (let first = 0; first < k; first += step) {
      await this.run('seedCentroids', [points.address, n, dims, k, centroids.address, distances, first,
        Math.min(k, first + step), seed]);
    }
  }

  /** Assigns every point to its nearest centroid. */
  async assign(points: Matrix, clustering: Clustering): Promise<void> {
    const { centroids, assigned, distances } = clustering;
    const stride = this.kernel.rowBytes(points.dims);
    const step = 64 * Math.max(1, Math.floor(CALL_PRODUCTS / 64 / (centroids.rows * (points.dims + 8))));
    let sum = 0;
    for (let first = 0; first < points.rows; first += step) {
      const count = Math.min(step, points.rows - first);
      const at = points.address + first * stride;
      sum += await this.run('assign', [at, count, stride, points.dims, centroids.rows, centroids.address,
        assigned + first * 4, distances + first * 4]);
    }
    clustering.sum = sum;
  }

  /** Moves every centroid to the mean of its points. */
  async move(points: Matrix, { centroids, assigned, distances }: Clustering): Promise<void> {
    await this.run('moveCentroids', [points.address, points.rows, points.dims, centroids.rows, centroids.address,
      assigned, distances], true);
  }

  /**
   * Rounds of k-means from the current centroids, until nothing changes; finally, the points are assigned to the last
   * centroids.
   */
  async refine(points: Matrix, clustering: Clustering, rounds: number): Promise<void> {
    await this.assign(points, clustering);
    for (let round = 0; round < rounds; round++) {
      const before = clustering.sum;
      await this.move(points, clustering);
      await this.assign(points, clustering);
      if (!(clustering.sum < before)) return;
    }
  }
}

/** Bytes to copy before the event loop continues. */
const COPIED_BYTES = 4 * 1024 * 1024;

/**
 * Copies an even sample of at most `most` live rows to a trainer, normalised to length 1 for `cosine`. It may contain
 * rows that were removed meanwhile.
 */
export async function sampleRows(segment: SegmentAccess, trainer: Trainer, metric: Metric,
  most: number): Promise<Matrix>
{
  const rows = chooseRows(segment, most);
  const points = trainer.matrix(rows.length, segment.dims);
  const width = segment.stride / 4;
  const kernel = clustersKernel(segment.memory, segment.build);
  const slice = Math.max(1, Math.floor(COPIED_BYTES / segment.stride));
  for (let first = 0; first < rows.length; first += slice) {
    const to = trainer.numbers(points);
    const from = new Float32Array(segment.memory.buffer);
    for (let i = first; i < Math.min(rows.length, first + slice); i++) {
      const at = (kernel.vectorOf(rows[i]!) >>> 0) / 4;
      to.set(from.subarray(at, at + width), i * width);
    }
    await setImmediate();
  }
  if (metric === 'cosine') await trainer.run('normalizeRows', [points.address, points.rows, points.dims]);
  return points;
}

/**
 * Divides the live rows into `wanted` runs and selects one row of each at random, so that a periodic order of rows does
 * not bias the sample.
 */
function chooseRows(segment: SegmentAccess, most: number): number[] {
  const kernel = clustersKernel(segment.memory, segment.build);
  const { rowCount, liveCount } = segment;
  const wanted = Math.min(most, liveCount);
  const chosen: number[] = [];
  let live = 0;
  let next = place(0, wanted, liveCount);
  for (let row = 0; row < rowCount && chosen.length < wanted; row++) {
    if (kernel.isLive(row) === 0) continue;
    if (live === next) {
      chosen.push(row);
      next = place(chosen.length, wanted, liveCount);
    }
    live++;
  }
  return chosen;
}

/** The index of the live row that is chosen as the i-th. */
function place(i: number, wanted: number, liveCount: number): number {
  const start = Math.floor((i * liveCount) / wanted);
  const length = Math.floor(((i + 1) * liveCount) / wanted) - start;
  return start + ((Math.imul(i + 1, 0x9e3779b1) >>> 7) % length);
}
