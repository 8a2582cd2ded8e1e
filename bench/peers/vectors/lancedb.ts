import { connect, Index, type Table, type VectorQuery } from '@lancedb/lancedb';
import type * as Arrow from 'apache-arrow';
import { createRequire } from 'node:module';
import type { MakeVectorEngine, VectorMethod } from './engine.ts';
import { ALL, BEAMS, drawOf, DRAWS, K } from './job.ts';

/** Its copy of Arrow is the CommonJS one, and it accepts no tables of another copy. */
const arrow = createRequire(import.meta.url)('apache-arrow') as typeof Arrow;

/** A table on disk, in the page cache. The environment limits it to one thread, which it mostly respects. */
export const makeLanceDb: MakeVectorEngine = async ({ count, dims, metric, folder }, queries) => {
  const db = await connect(folder);
  const distanceType = metric === 'cosine' ? 'cosine' : 'l2';
  let table: Table | undefined;
  const query = (number: number, share: number): VectorQuery => {
    const nearest = table!.query().nearestTo(queries[number]!).distanceType(distanceType).select(['id', '_distance'])
      .limit(K);
    return share === ALL ? nearest : nearest.where(`draw < ${share * DRAWS}`);
  };
  const idsOf = async (asked: VectorQuery): Promise<number[]> =>
    [...(await asked.toArrow()).getChild('id') ?? []] as number[];
  const indexed = (config: Index, efforts: readonly number[], usual: number,
    knob: (query: VectorQuery, effort: number) => VectorQuery): VectorMethod => ({
      efforts,
      usual,
      filters: true,
      build: () => table!.createIndex('vector', { config, replace: true }),
      search: (number, effort, share) => idsOf(knob(query(number, share), effort)),
    });
  const shared = { distanceType } as const;
  return {
    stage: (rows, first) => {
      const batch = batchOf(rows.slice(), first, dims, { draw: drawOf });
      return async () => {
        if (table === undefined) table = await db.createTable('rows', batch);
        else await table.add(batch);
      };
    },
    methods: {
      flat: {
        efforts: [0],
        usual: 0,
        filters: true,
        search: (number, _effort, share) => idsOf(query(number, share).bypassVectorIndex()),
      },
      'IVF_HNSW_SQ': indexed(Index.hnswSq({ ...shared, numPartitions: 1, m: 16, efConstruction: 200 }), BEAMS, 100,
        (asked, ef) => asked.nprobes(1).ef(Math.max(ef, 3 * K)).refineFactor(3)),
      'IVF_PQ': indexed(Index.ivfPq({
        ...shared,
        numPartitions: Math.round(Math.sqrt(count)),
        numSubVectors: dims / 8,
        maxIterations: 20,
        sampleRate: 64,
      }), [2, 5, 10, 20, 40, 80], 10, (asked, probes) => asked.nprobes(probes).refineFactor(10)),
    },
  };
};

/** Rows for a table: their vectors, their numbers from `first` on, and columns of whole numbers by row number. */
export function batchOf(rows: Float32Array, first: number, dims: number,
  columns: Readonly<Record<string, (row: number) => number>>): object
{
  const { makeData, makeVector, FixedSizeList, Field, Float32 } = arrow;
  const count = rows.length / dims;
  const child = makeData({ type: new Float32(), length: rows.length, nullCount: 0, data: rows });
  const list = makeData({
    type: new FixedSizeList(dims, new Field('item', new Float32(), true)),
    length: count,
    nullCount: 0,
    child,
  });
  const numbers = (of: (row: number) => number) =>
    makeVector(Int32Array.from({ length: count }, (_, i) => of(first + i)));
  const others = Object.entries(columns).map(([name, of]) => [name, numbers(of)] as const);
  return new arrow.Table({ id: numbers((row) => row), ...Object.fromEntries(others), vector: makeVector(list) });
}
