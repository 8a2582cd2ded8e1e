import { afterAll, describe, expect, it } from 'vitest';
import { CORPORA, loadCorpus, missingCorpus } from '../../testkit/vector/corpus.ts';
import { VectorIndex, WorkerPool } from './index.ts';

const K = 10;
const QUERIES = 60;
const pool = new WorkerPool(2);
afterAll(() => pool.close());

/** A pseudo-random share of all documents. */
function filterOf(count: number, share: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(count / 32));
  for (let i = 0; i < count; i++)
    if (((Math.imul(i, 0x9e37_79b1) >>> 0) / 2 ** 32) < share) words[i >>> 5]! |= 1 << (i & 31);
  return words;
}

describe.each(CORPORA)('real vectors: %s', (name) => {
  const missing = missingCorpus(name);
  if (missing !== undefined) {
    it.skip(`find the nearest (${missing})`);
    return;
  }
  const { base, queries, metric, neighbours } = loadCorpus(name);
  // Structures are used although these collections are small.
  const index = new VectorIndex({ pool, exactBytes: 0 });
  for (const [ord, vector] of base.entries()) index.put(ord, [{ vector }]);
  const asked = queries.slice(0, QUERIES);

  it('finds exactly the true neighbours by flat scans', async () => {
    for (const [i, vector] of asked.entries()) {
      const { hits } = await index.search({ vector, metric, k: K });
      expect(hits.map(({ ord }) => ord)).toEqual([...neighbours[i]!.subarray(0, K)]);
    }
  });

  it.each(['sq', 'sq4', 'bq'] as const)('has a recall of 0.98 and more by %s, with and without filters',
    async (algorithm) => {
      expect((await index.search({ vector: asked[0]!, metric, algorithm, k: K })).algorithm).toBe('flat');
      await index.settled();
      for (const share of [1, 0.5, 0.05, 0.005]) {
        const filter = share === 1 ? undefined : filterOf(base.length, share);
        let found = 0;
        let wanted = 0;
        for (const vector of asked) {
          const query = { vector, metric, k: K, ...(filter && { filter }) };
          const truth = (await index.search(query)).hits;
          const { hits, algorithm: used } = await index.search({ ...query, algorithm });
          // If few documents pass, they are scanned.
          expect(used).toBe(share < 0.05 ? 'flat' : algorithm);
          expect(hits).toHaveLength(truth.length);
          wanted += truth.length;
          // Scores are exact, so a hit whose score reaches the worst true one is a true hit, or equal to one.
          found += hits.filter(({ score }) => score >= truth.at(-1)!.score).length;
        }
        expect(found / wanted).toBeGreaterThanOrEqual(0.98);
      }
    });

  it.each(['int8', 'int4'] as const)('stays near the truth when vectors are stored as %s', async (type) => {
    const stored = new VectorIndex({ pool });
    for (const [ord, vector] of base.entries()) stored.put(ord, [{ vector }], type);
    let found = 0;
    let rescored = 0;
    for (const [i, vector] of asked.entries()) {
      const truth = new Set(neighbours[i]!.subarray(0, K));
      const result = await stored.search({ vector, metric, k: K });
      expect(result.algorithm).toBe('quantized');
      found += result.hits.filter(({ ord }) => truth.has(ord)).length;
      const full = await stored.search({
        vector,
        metric,
        k: K,
        oversample: 3,
        fullVectors: async (chunks) => chunks.map(({ ord }) => base[ord]),
      });
      rescored += full.hits.filter(({ ord }) => truth.has(ord)).length;
    }
    expect(found / asked.length / K).toBeGreaterThanOrEqual(type === 'int8' ? 0.97 : 0.75);
    expect(rescored / asked.length / K).toBeGreaterThanOrEqual(0.98);
  });
});
