import hnswlib from 'hnswlib-node';
import type { MakeVectorEngine } from './engine.ts';
import { ALL, BEAMS, drawOf, DRAWS, K } from './job.ts';
import { rowsOf } from './rows-file.ts';

/**
 * It accepts only plain arrays, which are made before timing. Its filter is a function of ours, called for each row
 * that it visits.
 */
export const makeHnswlib: MakeVectorEngine = ({ count, dims, metric, methods }, queries) => {
  const space = metric === 'cosine' ? 'cosine' : 'l2';
  const graph = new hnswlib.HierarchicalNSW(space, dims);
  graph.initIndex({ maxElements: count, m: 16, efConstruction: 200, randomSeed: 1 });
  const all = methods.includes('flat') ? new hnswlib.BruteforceSearch(space, dims) : undefined;
  all?.initIndex(count);
  const arrays = queries.map((query) => [...query]);
  const draws = Int32Array.from({ length: count }, (_, row) => drawOf(row));
  const filterFor = (share: number) => (share === ALL ? undefined : (row: number) => draws[row]! < share * DRAWS);
  const add = methods.includes('hnsw') ? graph : all!;
  // The same arrays for all batches, so that garbage is not counted as memory of the graph.
  const points: number[][] = [];
  return {
    stage: (rows, first) => {
      const vectors = rowsOf(rows, dims);
      for (const [i, vector] of vectors.entries()) {
        const point = (points[i] ??= new Array<number>(dims).fill(0));
        for (let d = 0; d < dims; d++) point[d] = vector[d]!;
      }
      return () => {
        for (let i = 0; i < vectors.length; i++) add.addPoint(points[i]!, first + i);
      };
    },
    methods: {
      hnsw: {
        efforts: BEAMS,
        usual: 100,
        filters: true,
        use: (effort) => graph.setEf(effort),
        search: (query, _effort, share) => graph.searchKnn(arrays[query]!, K, filterFor(share)).neighbors,
      },
      flat: {
        efforts: [0],
        usual: 0,
        filters: true,
        search: (query, _effort, share) => all!.searchKnn(arrays[query]!, K, filterFor(share)).neighbors,
      },
    },
    replace: (row, vector) => {
      const point = [...vector];
      return () => graph.addPoint(point, row);
    },
    remove: (row) => graph.markDelete(row),
  };
};
