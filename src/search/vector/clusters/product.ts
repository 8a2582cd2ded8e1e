import { CODES } from '../../../kernels/clusters.ts';
import type { Clustering, Matrix, Trainer } from './trainer.ts';

/** Rounds of k-means for each part: at the end, and in each alternation with the rotation. */
const ROUNDS = 20;
const ALTERNATION_ROUNDS = 4;
const ALTERNATIONS = 5;
/** Maximum number of iterations towards an orthogonal matrix; about half as many are needed. */
const ORTHOGONAL_ROUNDS = 30;

/** The result of training product quantization. */
export interface Codebook {
  /** For each part, 256 padded rows of `dims / parts` numbers. */
  readonly centroids: Float32Array;
  /** A square matrix, with the kernel's row stride, by which vectors are multiplied first. */
  readonly rotation: Float32Array | undefined;
  /** Mean squared distance between a point and its reconstruction from codes. */
  readonly error: number;
}

/** Number of parts of a vector: the largest divisor of its dimensions with at least 8 dimensions per part, or 1. */
export function partsOf(dims: number): number {
  let parts = Math.max(1, Math.floor(dims / 8));
  while (dims % parts !== 0) parts--;
  return parts;
}

/**
 * Trains a codebook; with `rotated`, alternates with training a rotation before it (opq). The points are rotated in
 * place.
 */
export async function trainCodebook(trainer: Trainer, points: Matrix, parts: number, rotated: boolean,
  seed: number): Promise<Codebook>
{
  const quantizer = new PartQuantizer(trainer, points, parts);
  await quantizer.seed(seed);
  const rotation = rotated ? await alternate(trainer, points, quantizer) : undefined;
  const error = await quantizer.refine(ROUNDS) / Math.max(1, points.rows);
  return { centroids: quantizer.centroids(), rotation, error };
}

/** Alternately trains centroids for a rotation and a rotation for the centroids; returns the rotation. */
async function alternate(trainer: Trainer, points: Matrix, quantizer: PartQuantizer): Promise<Float32Array> {
  const { kernel } = trainer;
  const { dims } = points;
  const [rotation, step] = [trainer.allocate(kernel.squareBytes(dims)), trainer.allocate(kernel.squareBytes(dims))];
  const work = trainer.allocate(kernel.squareBytes(dims) * 4);
  const coded = trainer.matrix(points.rows, dims);
  await trainer.run('makeIdentity', [rotation, dims]);
  for (let turn = 0; turn < ALTERNATIONS; turn++) {
    await quantizer.refine(ALTERNATION_ROUNDS, coded);
    await learnStep(trainer, points, coded, step, work);
    await trainer.run('multiplySquare', [rotation, step, dims], true);
    await rotate(trainer, points, step);
  }
  return trainer.floats(rotation, kernel.squareBytes(dims) / 4).slice();
}

/** The rotation that brings the points nearest to their reconstructions. */
async function learnStep(trainer: Trainer, points: Matrix, coded: Matrix, step: number, work: number): Promise<void> {
  const { dims } = points;
  trainer.floats(step, trainer.kernel.squareBytes(dims) / 4).fill(0);
  const stride = trainer.kernel.rowBytes(dims);
  for (const { first, count } of slices(points.rows, dims * dims)) {
    await trainer.run('addCorrelation', [points.address + first * stride, coded.address + first * stride, count, dims,
      step], true);
  }
  await makeOrthogonal(trainer, step, dims, work);
}

/** Replaces a square matrix by its orthogonal factor. `work` holds four matrices of that size. */
export async function makeOrthogonal(trainer: Trainer, matrix: number, dims: number, work: number): Promise<void> {
  await trainer.run('beginOrthogonal', [matrix, dims]);
  for (let round = 0; round < ORTHOGONAL_ROUNDS; round++) {
    if (await trainer.run('orthogonalStep', [matrix, dims, work, round]) === 1) return;
  }
}

async function rotate(trainer: Trainer, points: Matrix, step: number): Promise<void> {
  const stride = trainer.kernel.rowBytes(points.dims);
  for (const { first, count } of slices(points.rows, points.dims * points.dims)) {
    const at = points.address + first * stride;
    await trainer.run('rotateRows', [at, count, points.dims, step, at], true);
  }
}

/** Ranges of rows that take some tens of milliseconds each; `products` is the number of products per row. */
function slices(rows: number, products: number): { first: number; count: number }[] {
  const size = 512 * Math.max(1, Math.floor(2 ** 28 / 512 / products));
  return Array.from({ length: Math.ceil(rows / size) },
    (_, i) => ({ first: i * size, count: Math.min(size, rows - i * size) }));
}

/** Runs k-means on each part of the points. */
class PartQuantizer {
  readonly #trainer: Trainer;
  readonly #points: Matrix;
  readonly #columns: Matrix;
  readonly #parts: Clustering[];

  constructor(trainer: Trainer, points: Matrix, parts: number) {
    this.#trainer = trainer;
    this.#points = points;
    this.#columns = trainer.matrix(points.rows, points.dims / parts);
    const { assigned, distances } = trainer.clustering(this.#columns, CODES);
    this.#parts = Array.from({ length: parts },
      () => ({ centroids: trainer.matrix(CODES, points.dims / parts), assigned, distances, sum: Infinity }));
  }

  async seed(seed: number): Promise<void> {
    for (const [part, clustering] of this.#parts.entries()) {
      await this.#take(part);
      await this.#trainer.seed(this.#columns, clustering, seed + part);
    }
  }

  /** Returns the sum of the squared distances, and writes the reconstructions of the points to `coded`. */
  async refine(rounds: number, coded?: Matrix): Promise<number> {
    let sum = 0;
    for (const [part, clustering] of this.#parts.entries()) {
      await this.#take(part);
      await this.#trainer.refine(this.#columns, clustering, rounds);
      sum += clustering.sum;
      if (coded === undefined) continue;
      const { rows, dims } = this.#points;
      await this.#trainer.run('putCentroids', [clustering.centroids.address, clustering.assigned, rows, dims,
        part * this.#columns.dims, this.#columns.dims, coded.address]);
    }
    return sum;
  }

  centroids(): Float32Array {
    const all = this.#parts.map(({ centroids }) => this.#trainer.numbers(centroids));
    const joined = new Float32Array(all.reduce((sum, { length }) => sum + length, 0));
    all.forEach((numbers, part) => joined.set(numbers, part * numbers.length));
    return joined;
  }

  async #take(part: number): Promise<void> {
    const { address, rows, dims } = this.#points;
    await this.#trainer.run('takeColumns', [address, rows, dims, part * this.#columns.dims, this.#columns.dims,
      this.#columns.address]);
  }
}
