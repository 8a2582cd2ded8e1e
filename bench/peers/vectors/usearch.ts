import { existsSync } from 'node:fs';
import { join } from 'node:path';
import usearch from 'usearch';
import type { MakeVectorEngine, VectorMethod } from './engine.ts';
import { BEAMS, K } from './job.ts';
import { RowsFile } from './rows-file.ts';

/**
 * Rows are float32, as everywhere in these benchmarks. It has no filters in JavaScript, and `ef` is set when an index
 * is opened.
 */
export const makeUsearch: MakeVectorEngine = ({ base, count, dims, metric, methods, folder }, queries) => {
  const kind = metric === 'cosine' ? 'cos' : 'l2sq';
  const open = (ef: number) =>
    new usearch.Index({
      dimensions: dims,
      metric: kind,
      quantization: 'f32',
      connectivity: 16,
      expansion_add: 200,
      expansion_search: ef,
      multi: false,
    });
  let index = open(100);
  const file = join(folder, 'graph');
  // Its exact search reads from the beginning of a query's buffer.
  const copies = queries.map((query) => query.slice());
  let dataset: Float32Array | undefined;
  const hnsw: VectorMethod = {
    efforts: BEAMS,
    usual: 100,
    filters: false,
    use: (effort) => {
      if (!existsSync(file)) index.save(file);
      index = open(effort);
      index.load(file);
    },
    search: (query) => Array.from(index.search(queries[query]!, K, 1).keys, Number),
  };
  return {
    stage: (rows, first) => {
      const keys = BigUint64Array.from({ length: rows.length / dims }, (_, i) => BigInt(first + i));
      return () => {
        if (methods.includes('hnsw')) index.add(keys, rows, 1);
      };
    },
    methods: {
      hnsw,
      flat: {
        efforts: [0],
        usual: 0,
        filters: false,
        // Separate rows, allocated after the memory of the graph was measured.
        build: () => {
          const rows = new RowsFile(base, dims);
          dataset = rows.read(0, count);
          rows.close();
        },
        search: (query) => Array.from(usearch.exactSearch(dataset!, copies[query]!, dims, K, kind, 1).keys, Number),
      },
    },
    replace: (row, vector) => () => {
      index.remove(BigInt(row));
      index.add(BigInt(row), vector, 1);
    },
    remove: (row) => void index.remove(BigInt(row)),
  };
};
