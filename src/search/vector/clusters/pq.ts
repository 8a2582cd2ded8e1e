import { CODES, NO_ROOM } from '../../../kernels/clusters.ts';
import { SegmentFullError } from '../../../kernels/vectors.ts';
import { type AnnFactory, type AnnQuery, type Candidates, type Metric, METRIC_CODES } from '../ann-index.ts';
import { type ByteReader, VectorCheckpointError } from '../errors.ts';
import { addressOf, ClusteredIndex, type ClusteredKind, copyBytes, type Place, readBytes,
  withNumbers } from './clustered-index.ts';
import { partsOf, trainCodebook } from './product.ts';
import { sampleRows } from './sample.ts';
import type { Trainer } from './trainer.ts';

/** Number of rows for training: 40 for each of 256 centroids. */
const TRAINING_ROWS = 40 * CODES;
const SEED = 0x9c;
/**
 * The codes of up to this many rows are scanned on this thread; more are divided among workers, with at least this many
 * each.
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
  { query, metric, k, rows, selected, rowCount }: AnnQuery, end: number): Promise<Candidates>
{
  const share = rows === 0 ? 1 : selected / Math.max(1, rowCount);
  const parts = Math.max(1,
    Math.min(segment.pool.size, Math.floor((end * partsOf(segment.dims) * share) / QUICK_BYTES)));
  const room = k * 4 + 4;
  const bytes = Math.max(64, parts * room);
  const address = segment.allocateScratch(bytes);
  try {
    const counts = await Promise.allSettled(Array.from({ length: parts }, async (_, i) => {
      const [from, to] = [Math.floor((end * i) / parts), Math.floor((end * (i + 1)) / parts)];
      const out = address + i * room;
      const args = [book, METRIC_CODES[metric], query, from, to, k, rows, out, out + k * 4] as const;
      const found = parts === 1 ? kernel.searchBook(...args) : await segment.pool.run({
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
