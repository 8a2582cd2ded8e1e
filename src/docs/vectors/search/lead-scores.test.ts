import { afterAll, expect, it } from 'vitest';
import { VectorIndex, WorkerPool } from '../../../search/vector/index.ts';
import { searchWithLeads } from './lead-scores.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

/** A vector of length 1 whose cosine to the query is known. */
const at = (cosine: number) => ({ vector: Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine)) });

it('blends the lead with the best passage, names the passage, and keeps to the threshold', async () => {
  const index = new VectorIndex({ pool });
  index.put(1, [at(0.1), at(0.9)]);
  index.put(2, [at(0.8), at(0.7)]);
  index.put(3, [at(0.2)]);
  const query = { vector: Float32Array.of(1, 0), metric: 'cosine', k: 10, perDocument: true } as const;
  const found = await searchWithLeads(index, query, 0.5);
  expect(found.hits.map(({ ord, chunk, score }) => [ord, chunk, Number(score.toFixed(4))])).toEqual([[2, 0, 0.8], [1, 1,
    0.5], [3, 0, 0.2]]);
  expect((await searchWithLeads(index, { ...query, k: 1 }, 0.5)).hits.map(({ ord }) => ord)).toEqual([2]);
  expect((await searchWithLeads(index, { ...query, threshold: 0.4 }, 0.5)).hits.map(({ ord }) => ord)).toEqual([2, 1]);
  expect((await index.search(query)).hits.map(({ ord }) => ord)).toEqual([1, 2, 3]);
  await index.close();
});
