import { afterAll, describe, expect, it } from 'vitest';
import { VectorIndex, WorkerPool } from '../../../search/vector/index.ts';
import { MATCHED, matchTokens, searchWithLeads } from './search-by-vector.ts';

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

const hit = (ord: number, score: number) => ({ ord, chunk: 0, score });

describe('matchTokens', () => {
  it('orders by the mean of both scores, and leaves a document that cannot be compared where it was', async () => {
    const found = await matchTokens([hit(1, 0.9), hit(2, 0.8), hit(3, 0.5)],
      () => Promise.resolve(new Map([[1, 0.1], [3, 0.7]])));
    expect(found.map(({ ord, score }) => [ord, Number(score.toFixed(3))])).toEqual([[2, 0.8], [3, 0.6], [1, 0.5]]);
  });

  it('compares the best and keeps the rest behind them, in their order', async () => {
    const hits = Array.from({ length: MATCHED + 2 }, (_, i) => hit(i, 0.9 - i / 1000));
    const found = await matchTokens(hits,
      (ords) => Promise.resolve(new Map(ords.map((ord) => [ord, ord === 7 ? 1 : 0.2]))));
    expect(found[0]!.ord).toBe(7);
    expect(found.slice(-2).map(({ ord }) => ord)).toEqual([MATCHED, MATCHED + 1]);
    for (const [i, { score }] of found.slice(1).entries()) expect(score).toBeLessThanOrEqual(found[i]!.score);
  });

  it('changes nothing without a model of token vectors', async () => {
    const hits = [hit(1, 0.9), hit(2, 0.8)];
    expect(await matchTokens(hits, () => Promise.resolve(undefined))).toBe(hits);
    expect(await matchTokens([], () => Promise.resolve(new Map()))).toEqual([]);
  });
});
