import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Algorithm, type AnnAlgorithm, type Rescoring, VectorIndex, type VectorQuery,
  WorkerPool } from '../../../src/search/vector/index.ts';
import type { MakeVectorEngine, VectorMethod } from './engine.ts';
import { filterOf } from './filter.ts';
import { ALL, BEAMS, K } from './job.ts';
import { RowsFile, rowsOf } from './rows-file.ts';

/** The effect of a method's effort on a query. */
type Knob = (effort: number) => Pick<VectorQuery, 'oversample' | 'options'>;

/** hnsw scores at most three candidates for each result, and never more than the width of the beam. */
const beam: Knob = (effort) => ({ options: { efSearch: effort }, oversample: Math.min(3, effort / K) });
const probes: Knob = (effort) => ({ options: { nprobe: effort } });
const candidates: Knob = (effort) => ({ oversample: effort });
const none: Knob = () => ({});

const KNOBS: Readonly<
  Record<AnnAlgorithm, { readonly knob: Knob; readonly efforts: readonly number[]; readonly usual: number }>
> = {
  hnsw: { knob: beam, efforts: BEAMS, usual: 100 },
  ivf: { knob: probes, efforts: [2, 5, 10, 20, 40, 80], usual: 10 },
  pq: { knob: candidates, efforts: [20, 50, 100], usual: 20 },
  opq: { knob: candidates, efforts: [20, 50, 100], usual: 20 },
  sq: { knob: none, efforts: [0], usual: 0 },
  sq4: { knob: none, efforts: [0], usual: 0 },
  bq: { knob: none, efforts: [0], usual: 0 },
};

/**
 * Our own engine, in process, with one worker: scans and building run in the worker, searches of structures on the main
 * thread.
 */
export const makeQuire: MakeVectorEngine = ({ base, count, dims, metric, shares, folder, structuresOnly }, queries) => {
  const pool = new WorkerPool(1);
  const options = { pool, ...(structuresOnly && { exactBytes: 0 }) };
  let index = new VectorIndex(options);
  const filters = new Map(shares.map((share) => [share, filterOf(count, share)]));

  const asked = (query: number, share: number): VectorQuery => {
    const filter = filters.get(share);
    return { vector: queries[query]!, metric, k: K, ...(share !== ALL && filter && { filter }) };
  };
  const ordsOf = async (of: VectorIndex, query: VectorQuery, expected: Algorithm): Promise<number[]> => {
    const { hits, algorithm } = await of.search(query);
    if (algorithm !== expected) throw new Error(`a search by ${expected} was answered by ${algorithm}`);
    return hits.map(({ ord }) => ord);
  };
  const structure = (algorithm: AnnAlgorithm): VectorMethod => {
    const { knob, efforts, usual } = KNOBS[algorithm];
    return {
      efforts,
      usual,
      filters: true,
      build: async () => {
        await index.search({ ...asked(0, ALL), algorithm });
        await index.settled();
        const failure = index.stats().sets[0]!.structures.find((each) => each.algorithm === algorithm)?.failure;
        if (failure !== undefined) throw failure;
      },
      bytes: () =>
        index.stats().sets[0]!.structures.filter((each) => each.algorithm === algorithm).reduce(
          (sum, { bytes }) => sum + bytes,
          0,
        ),
      search: (query, effort, share) =>
        ordsOf(index, { ...asked(query, share), algorithm, ...knob(effort) }, algorithm),
    };
  };
  /** Vectors that are stored with fewer bits, in a separate index. */
  const stored = (type: 'int8' | 'int4', inFull: boolean): VectorMethod => {
    const rows = new RowsFile(base, dims);
    const own = new VectorIndex(options);
    const fullVectors: Rescoring = async (chunks) => chunks.map(({ ord }) => rows.read(ord, 1));
    return {
      efforts: [0],
      usual: 0,
      filters: true,
      build: () => {
        const batch = 1000;
        for (let first = 0; first < count; first += batch) {
          for (const [i, vector] of rowsOf(rows.read(first, Math.min(batch, count - first)), dims).entries())
            own.put(first + i, [{ vector }], type);
        }
      },
      bytes: () => own.stats().bytes,
      search: (query, _effort, share) =>
        ordsOf(own, { ...asked(query, share), ...(inFull && { fullVectors, oversample: 3 }) }, 'quantized'),
      close: async () => {
        await own.close();
        rows.close();
      },
    };
  };

  return {
    stage: (rows, first) => {
      const vectors = rowsOf(rows, dims);
      return () => {
        for (const [i, vector] of vectors.entries()) index.put(first + i, [{ vector }]);
      };
    },
    rowBytes: () => {
      const { bytes, sets } = index.stats();
      return (bytes - sets[0]!.structures.reduce((sum, each) => sum + each.bytes, 0)) / count;
    },
    methods: {
      flat: {
        efforts: [0],
        usual: 0,
        filters: true,
        search: (query, _effort, share) => ordsOf(index, asked(query, share), 'flat'),
      },
      ...Object.fromEntries(
        (Object.keys(KNOBS) as AnnAlgorithm[]).map((algorithm) => [algorithm, structure(algorithm)]),
      ),
      'int8': stored('int8', false),
      'int8, scored in full': stored('int8', true),
      'int4': stored('int4', false),
      'int4, scored in full': stored('int4', true),
    },
    replace: (row, vector) => () => index.put(row, [{ vector }]),
    remove: (row) => void index.remove(row),
    settled: () => index.settled(),
    reopen: async (method) => {
      const file = join(folder, 'checkpoint');
      let begun = performance.now();
      await pipeline(Readable.from(index.save(() => '1')), createWriteStream(file));
      const saveMs = performance.now() - begun;
      await index.close();
      begun = performance.now();
      ({ index } = await VectorIndex.restore(createReadStream(file, { highWaterMark: 1024 * 1024 }), options));
      await ordsOf(index, { ...asked(0, ALL), ...(method !== 'flat' && { algorithm: method as AnnAlgorithm }) },
        method as Algorithm);
      return { megabytes: (await stat(file)).size / 1e6, saveMs, loadMs: performance.now() - begun };
    },
    close: async () => {
      await index.close();
      await pool.close();
    },
  };
};
