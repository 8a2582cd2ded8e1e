import { NO_ROOM } from '../../../kernels/clusters.ts';
import { SegmentFullError } from '../../../kernels/vectors.ts';
import { type AnnFactory, type AnnQuery, type ByteReader, type Candidates, METRIC_CODES, type SegmentAccess,
  VectorCheckpointError } from '../ann-index.ts';
import { addressOf, ClusteredIndex, type ClusteredKind, copyBytes, type Place, readBytes,
  withNumbers } from './clustered-index.ts';
import { structureFor } from './pq.ts';
import { sampleRows, type Trainer } from './trainer.ts';

/** Number of lists that a search reads by default. */
const PROBES = 10;
const MAX_LISTS = 4096;
const ROUNDS = 20;
/** Number of rows for training: per list, and minimum. */
const ROWS_PER_LIST = 64;
const LEAST_ROWS = 16_384;
const SEED = 0x1f5;
/** Bytes of vectors that a search reads on this thread, in one to two milliseconds. */
const QUICK_BYTES = 16 * 1024 * 1024;
/** Fewer lists are read of a part that has a share of the rows, by this power of the share: its recall is no lower. */
const FEWER = 0.2;
/** Numbers of a batch of rows that one call compares with centroids. */
const CALL_PRODUCTS = 2 ** 28;

/** Number of lists of an inverted file over this many rows. */
export function listsFor(rows: number): number {
  return Math.max(1, Math.min(MAX_LISTS, Math.floor(Math.sqrt(rows))));
}

const ivf: ClusteredKind = {
  name: 'ivf',
  add: 'addToLists',

  async train(place: Place, trainer: Trainer): Promise<number> {
    const { segment, metric, kernel } = place;
    const points = await sampleRows(segment, trainer, metric,
      Math.max(LEAST_ROWS, ROWS_PER_LIST * listsFor(segment.liveCount)));
    const lists = Math.min(listsFor(segment.liveCount), Math.max(1, points.rows));
    const clustering = trainer.clustering(points, lists);
    if (points.rows > 0) {
      await trainer.seed(points, clustering, SEED);
      await trainer.refine(points, clustering, ROUNDS);
    }
    const centroids = trainer.numbers(clustering.centroids).slice();
    return withNumbers(place, centroids,
      (at) => addressOf(kernel.createLists(METRIC_CODES[metric], segment.dims, lists, at)));
  },

  create: ({ kernel, metric, segment }, [lists]) => {
    if (lists === undefined || lists < 1 || lists > MAX_LISTS)
      throw new VectorCheckpointError(`an inverted file has 1 to ${MAX_LISTS} lists, got ${lists}`);
    return addressOf(kernel.createLists(METRIC_CODES[metric], segment.dims, lists, 0));
  },
  describe: (place, file) => [listCount(place, file)],
  release: ({ kernel }, file) => kernel.releaseLists(file),
  bytes: ({ kernel }, file) => kernel.listsBytes(file),
  done: ({ kernel }, file) => kernel.listsDone(file) >>> 0,
  addBudget: (place, file) =>
    64 * Math.max(1, Math.floor(CALL_PRODUCTS / 64 / (listCount(place, file) * (place.segment.dims + 8)))),

  async search(place: Place, file: number, { query, metric, k, rows, options, portion }: AnnQuery,
    end: number): Promise<Candidates>
  {
    const { segment, kernel } = place;
    const lists = listCount(place, file);
    const probes = Math.max(1,
      Math.min(lists, Math.ceil(Math.floor(options.nprobe ?? PROBES) * portion.expected ** FEWER)));
    const bytes = Math.max(64, k * 4 + 4);
    const address = segment.allocateScratch(bytes);
    try {
      const args = [file, METRIC_CODES[metric], query, probes, k, rows, end, address, address + k * 4] as const;
      const isQuick = (probes / lists) * end * segment.stride <= QUICK_BYTES * portion.share;
      const count = (isQuick ? kernel.searchLists(...args) : await runSearch(segment, 'searchLists', args)) >>> 0;
      if (count === NO_ROOM) throw new SegmentFullError('a segment of vectors has no room for a search');
      return { address, bytes, count, scanned: new DataView(segment.memory.buffer).getUint32(address + k * 4, true) };
    } catch (error) {
      segment.release(address, bytes);
      throw error;
    }
  },

  *saveParts(place: Place, file: number): Generator<Uint8Array> {
    const { kernel, segment } = place;
    yield copyBytes(place, kernel.listsCentroids(file), kernel.listsCentroidBytes(file));
    for (let list = 0; list < listCount(place, file); list++) {
      const length = kernel.listLength(file, list);
      const bytes = Math.max(64, length * 4);
      const at = segment.allocateScratch(bytes);
      kernel.copyList(file, list, at);
      const rows = copyBytes(place, at, length * 4);
      segment.release(at, bytes);
      yield rows;
    }
  },

  async restoreParts(place: Place, file: number, reader: ByteReader, done: number): Promise<void> {
    const { kernel } = place;
    await readBytes(place, reader, kernel.listsCentroids(file), kernel.listsCentroidBytes(file));
    for (let list = 0; list < listCount(place, file); list++) {
      const bytes = await reader.block();
      const rows = new Uint32Array(Uint8Array.from(bytes).buffer, 0, bytes.length >> 2);
      if (bytes.length % 4 !== 0 || rows.some((row) => row >= done))
        throw new VectorCheckpointError('an inverted file names rows that there are not');
      if (withNumbers(place, rows, (at) => kernel.restoreList(file, list, at, rows.length)) === 0)
        throw new SegmentFullError('a segment of vectors has no room for its lists');
    }
    kernel.restoreListsDone(file, done);
  },
};

function listCount({ kernel }: Place, file: number): number {
  return kernel.listCount(file);
}

function runSearch({ pool, memory, build }: SegmentAccess, call: string, args: readonly number[]): Promise<number> {
  return pool.run({ memory, module: 'clusters', build, call, args });
}

/**
 * Approximate search in the lists of the nearest centroids (ivf). It computes the distances from the rows, so it needs
 * no additional candidates.
 */
export const ivfFactory: AnnFactory = {
  algorithm: 'ivf',
  types: ['float32'],
  minRows: 512,
  structureFor,
  candidates: (k, _rows, wish) => Math.ceil(k * Math.max(1, wish ?? 1)),
  create: (segment, metric) => new ClusteredIndex(segment, metric, ivf),
  restore: (segment, metric, bytes) => new ClusteredIndex(segment, metric, ivf).restore(bytes),
};
