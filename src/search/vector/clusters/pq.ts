import { CODES, NO_ROOM } from '../../../kernels/clusters.ts';
import { SegmentFullError } from '../../../kernels/vectors.ts';
import { type AnnFactory, type AnnQuery, type ByteReader, type Candidates, type Metric, METRIC_CODES,
  VectorCheckpointError } from '../ann-index.ts';
import { addressOf, ClusteredIndex, type ClusteredKind, copyBytes, type Place, readBytes,
  withNumbers } from './clustered-index.ts';
import { type Clustering, type Matrix, sampleRows, type Trainer } from './trainer.ts';

/** Rounds of k-means for each part: at the end, and in each alternation with the rotation. */
const ROUNDS = 20;
const ALTERNATION_ROUNDS = 4;
const ALTERNATIONS = 5;
/** Maximum number of iterations towards an orthogonal matrix; about half as many are needed. */
const ORTHOGONAL_ROUNDS = 30;

/** The result of training product quantization. */
interface Codebook {
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

/** Number of rows for training: 40 for each of 256 centroids. */
const TRAINING_ROWS = 40 * CODES;
const SEED = 0x9c;
/**
 * Bytes of codes that a worker scans at least. A search that reads less than twice as many scans them on this thread.
 */
const QUICK_BYTES = 2 * 1024 * 1024;
/** Numbers of a batch of rows that one call compares with centroids. */
const CALL_PRODUCTS = 2 ** 27;
/** Candidates per result, and minimum: codes of one byte for eight dimensions are coarse. */
const OVERSAMPLE = 10;
const LEAST_CANDIDATES = 200;

/** Product quantization, with or without a rotation. */
function quantizer(isRotated: boolean): ClusteredKind {
  return {
    name: isRotated ? 'opq' : 'pq',
    add: 'addToBook',
    train: (place, trainer) => train(place, trainer, isRotated),
    create: ({ kernel, metric, segment }, [parts, rotated]) => {
      if (parts !== partsOf(segment.dims) || rotated !== Number(isRotated))
        throw new VectorCheckpointError('the codebook is of another version');
      return addressOf(kernel.createBook(METRIC_CODES[metric], segment.dims, parts, 0, rotated, 0, 0));
    },
    describe: ({ segment }) => [partsOf(segment.dims), Number(isRotated)],
    release: ({ kernel }, book) => kernel.releaseBook(book),
    bytes: ({ kernel }, book) => kernel.bookBytes(book),
    done: ({ kernel }, book) => kernel.bookDone(book) >>> 0,
    addBudget: ({ segment: { dims } }) =>
      64 * Math.max(1, Math.floor(CALL_PRODUCTS / 64 / (dims * CODES * 2 + (isRotated ? dims * dims : 0)))),
    search,
    saveParts,
    restoreParts,
  };
}

async function train(place: Place, trainer: Trainer, isRotated: boolean): Promise<number> {
  const { segment, metric, kernel } = place;
  const points = await sampleRows(segment, trainer, metric, TRAINING_ROWS);
  const parts = partsOf(segment.dims);
  const { centroids, rotation } = await trainCodebook(trainer, points, parts, isRotated, SEED);
  const stride = kernel.squareStride(segment.dims);
  return withNumbers(place, centroids,
    (at) =>
      withNumbers(place, rotation ?? new Float32Array(0), (matrix) =>
        addressOf(
          kernel.createBook(METRIC_CODES[metric], segment.dims, parts, at, Number(isRotated),
            rotation === undefined ? 0 : matrix, stride),
        )));
}

/** Scans the codes of all rows, in workers when there are many; each part returns up to k candidates. */
async function search({ segment, kernel }: Place, book: number,
  { query, metric, k, rows, selected, rowCount, portion }: AnnQuery, end: number): Promise<Candidates>
{
  const cost = end * partsOf(segment.dims) * (rows === 0 ? 1 : selected / Math.max(1, rowCount));
  const isQuick = cost < 2 * QUICK_BYTES * portion.share;
  const parts = Math.max(1, Math.min(Math.ceil(segment.pool.size * portion.share), Math.floor(cost / QUICK_BYTES)));
  const room = k * 4 + 4;
  const bytes = Math.max(64, parts * room);
  const address = segment.allocateScratch(bytes);
  try {
    const counts = await Promise.allSettled(Array.from({ length: parts }, async (_, i) => {
      const [from, to] = [Math.floor((end * i) / parts), Math.floor((end * (i + 1)) / parts)];
      const out = address + i * room;
      const args = [book, METRIC_CODES[metric], query, from, to, k, rows, out, out + k * 4] as const;
      const found = isQuick ? kernel.searchBook(...args) : await segment.pool.run({
        memory: segment.memory,
        module: 'clusters',
        build: segment.build,
        call: 'searchBook',
        args,
      });
      if (found >>> 0 === NO_ROOM) throw new SegmentFullError('a segment of vectors has no room for a search');
      return found;
    }));
    return { address, bytes, ...join(new Uint32Array(segment.memory.buffer, address, (parts * room) / 4), k, counts) };
  } catch (error) {
    segment.release(address, bytes);
    throw error;
  }
}

/** Moves the candidates of all parts to the front. */
function join(rows: Uint32Array, k: number,
  counts: readonly PromiseSettledResult<number>[]): { count: number; scanned: number }
{
  let [count, scanned] = [0, 0];
  for (const [part, result] of counts.entries()) {
    if (result.status === 'rejected') throw result.reason;
    const start = part * (k + 1);
    scanned += rows[start + k]!;
    rows.copyWithin(count, start, start + result.value);
    count += result.value;
  }
  return { count, scanned };
}

function* saveParts(place: Place, book: number): Generator<Uint8Array> {
  const { kernel, segment } = place;
  const parts = partsOf(segment.dims);
  yield copyBytes(place, kernel.bookCentroids(book), kernel.bookCentroidBytes(book));
  yield copyBytes(place, kernel.bookBiases(book), parts * CODES * 4);
  if (kernel.bookRotation(book) !== 0)
    yield copyBytes(place, kernel.bookRotation(book), kernel.packedBytes(segment.dims, segment.dims));
  const done = kernel.bookDone(book) >>> 0;
  const rows = kernel.codeBlockRows();
  for (let block = 0; block * rows < done; block++)
    yield copyBytes(place, kernel.bookCodes(book, block), Math.min(rows, done - block * rows) * parts);
}

async function restoreParts(place: Place, book: number, reader: ByteReader, done: number): Promise<void> {
  const { kernel, segment } = place;
  const parts = partsOf(segment.dims);
  await readBytes(place, reader, kernel.bookCentroids(book), kernel.bookCentroidBytes(book));
  await readBytes(place, reader, kernel.bookBiases(book), parts * CODES * 4);
  if (kernel.bookRotation(book) !== 0)
    await readBytes(place, reader, kernel.bookRotation(book), kernel.packedBytes(segment.dims, segment.dims));
  const rows = kernel.codeBlockRows();
  for (let block = 0; block * rows < done; block++) {
    await readBytes(place, reader, addressOf(kernel.bookCodes(book, block)),
      Math.min(rows, done - block * rows) * parts);
  }
  kernel.restoreBookDone(book, done);
}

function factory(algorithm: 'pq' | 'opq'): AnnFactory {
  const kind = quantizer(algorithm === 'opq');
  return {
    algorithm,
    types: ['float32'],
    minRows: 512,
    structureFor,
    candidates: (k, _rows, wish) => Math.max(LEAST_CANDIDATES, Math.ceil(k * (wish ?? OVERSAMPLE))),
    create: (segment, metric) => new ClusteredIndex(segment, metric, kind),
    restore: (segment, metric, bytes) => new ClusteredIndex(segment, metric, kind).restore(bytes),
  };
}

/** Approximate search by codes of one byte for each part of a vector (pq), or with a learned rotation before (opq). */
export const pqFactory: AnnFactory = factory('pq');
export const opqFactory: AnnFactory = factory('opq');

/** The cosine needs clusters of directions; the two other metrics share clusters of the vectors themselves. */
export function structureFor(metric: Metric): Metric {
  return metric === 'cosine' ? 'cosine' : 'euclidean';
}
