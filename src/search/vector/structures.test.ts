import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ReferenceVectors } from '../../testkit/vector/reference.ts';
import { scoreTwin } from '../../testkit/vector/twins.ts';
import { allFactories, type AnnFactory, VectorIndex, WorkerPool } from './index.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const DIMS = 16;
/** A vector that is different for each number. */
const vectorOf = (seed: number) =>
  Float32Array.from({ length: DIMS }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233) + Math.cos(seed * (i + 1)));
const eager = (candidates?: number): AnnFactory[] =>
  allFactories().map((factory) => ({
    ...factory,
    minRows: 1,
    ...(candidates && { candidates: (k) => Math.max(k, candidates) }),
  }));
const ALGORITHMS = ['sq', 'sq4', 'bq', 'hnsw', 'ivf', 'pq', 'opq'] as const;

describe.each(ALGORITHMS)('an index with %s', (algorithm) => {
  it('is exact until the structure is ready, says so, and uses it then', async () => {
    const index = new VectorIndex({ pool, factories: eager(), exactBytes: 0 });
    for (let i = 0; i < 2000; i++) index.put(i, [{ vector: vectorOf(i) }]);
    const query = { vector: vectorOf(77), k: 1, algorithm, metric: 'euclidean' } as const;
    expect(await index.search(query)).toMatchObject({ algorithm: 'flat', hits: [{ ord: 77, score: 1 }] });
    await index.settled();
    expect(await index.search(query)).toMatchObject({ algorithm, hits: [{ ord: 77, score: 1 }] });
    expect(index.stats().sets[0]!.structures).toMatchObject([{ algorithm, covers: 2000 }]);
  });

  it('finds a vector at once after it was put, and never one that is gone', async () => {
    const index = new VectorIndex({ pool, factories: eager(), exactBytes: 0 });
    for (let i = 0; i < 1200; i++) index.put(i, [{ vector: vectorOf(i) }]);
    await index.search({ vector: vectorOf(0), k: 1, algorithm });
    await index.settled();
    for (let i = 1200; i < 2200; i += 50) {
      for (let j = i; j < i + 50; j++) index.put(j, [{ vector: vectorOf(j) }]);
      const [found, gone] = [i + 49, i + 7];
      index.remove(gone);
      expect(await index.search({ vector: vectorOf(found), k: 1, algorithm })).toMatchObject({
        algorithm,
        hits: [{ ord: found }],
      });
      const { hits } = await index.search({ vector: vectorOf(gone), k: 5, algorithm });
      expect(hits.map(({ ord }) => ord)).not.toContain(gone);
    }
  });

  it('returns as many results as there are, each with its exact score, though candidates are few', async () => {
    const steps = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 0, max: 3 })), {
      minLength: 30,
      maxLength: 150,
      size: 'max',
    });
    const query = fc.record({
      seed: fc.nat(500),
      k: fc.integer({ min: 1, max: 30 }),
      perDocument: fc.boolean(),
      filter: fc.option(fc.uniqueArray(fc.nat(60)), { nil: undefined }),
      metric: fc.constantFrom('cosine' as const, 'dot_product' as const, 'euclidean' as const),
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.array(query, { minLength: 1, maxLength: 5 }), fc.nat(150),
        async (list, queries, ready) => {
          const index = new VectorIndex({
            pool,
            factories: eager(4),
            exactBytes: 0,
            build: 'debug',
            ...(ready % 2 === 0 && { inlineBytes: 0, parallelMinRows: 1 }),
          });
          const reference = new ReferenceVectors();
          for (const [i, [ord, count]] of list.entries()) {
            const vectors = Array.from({ length: count }, (_, chunk) => vectorOf(i * 7 + chunk));
            index.put(ord, vectors.map((vector) => ({ vector })));
            reference.put(ord, vectors, 'float32');
            if (i !== ready) continue;
            for (const { metric } of queries) await index.search({ vector: vectorOf(1), k: 1, algorithm, metric });
            await index.settled();
          }
          for (const { seed, filter, ...asked } of queries) {
            const vector = vectorOf(seed);
            const words = filter && new Uint32Array(2);
            for (const ord of filter ?? []) words![ord >>> 5]! |= 1 << (ord & 31);
            const { hits } = await index.search({ ...asked, vector, algorithm, ...(words && { filter: words }) });
            const expected = reference.search({
              ...asked,
              vector,
              threshold: -Infinity,
              filter: filter && new Set(filter),
            });
            expect(hits).toHaveLength(expected.length);
            for (const { ord, chunk, score } of hits) {
              expect(score).toBeCloseTo(scoreTwin(vector, reference.vectorsOf(ord)[chunk]!, asked.metric), 6);
              expect(filter?.includes(ord) ?? true).toBe(true);
            }
            expect(new Set(hits.map(({ ord, chunk }) => (asked.perDocument ? ord : `${ord} ${chunk}`))).size).toBe(
              hits.length,
            );
            expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
          }
          await index.close();
        }),
      { numRuns: 40 },
    );
  });

  it('is right while searches, writes and training go on at the same time', async () => {
    const index = new VectorIndex({ pool, factories: eager(), exactBytes: 0 });
    const answers: Promise<void>[] = [];
    for (let i = 0; i < 4000; i++) {
      index.put(i, [{ vector: vectorOf(i) }]);
      if (i % 100 !== 99) continue;
      answers.push(
        index.search({ vector: vectorOf(i - 50), k: 1, algorithm, metric: 'euclidean' }).then(({ hits }) =>
          expect(hits).toMatchObject([{ ord: i - 50, score: 1 }])
        ),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(answers);
    await index.settled();
    const { structures, bytes } = index.stats().sets[0]!;
    expect(structures).toMatchObject([{ covers: 4000 }]);
    // Replaced trainings have freed their memory, except for what searches will reuse.
    expect(bytes).toBeLessThan(4000 * (DIMS * 4 + 13) + structures[0]!.bytes * 1.3 + 100_000);
    await index.close();
  });
});

describe('structures', () => {
  it('that fail leave searches to the flat scan, and are tried again when there is twice as much', async () => {
    const inserts: number[] = [];
    const failing: AnnFactory = {
      ...allFactories()[0]!,
      minRows: 1,
      create: () => ({
        covers: 0,
        bytes: 0,
        insert: async (upTo) => {
          inserts.push(upTo);
          throw new Error('no room');
        },
        search: () => Promise.reject(new Error('not ready')),
        async *save() {},
        close: () => undefined,
      }),
    };
    const index = new VectorIndex({ pool, factories: [failing], exactBytes: 0 });
    for (let i = 0; i < 25; i++) {
      index.put(i, [{ vector: vectorOf(i) }]);
      expect(await index.search({ vector: vectorOf(i), k: 1, algorithm: 'sq' })).toMatchObject({
        algorithm: 'flat',
        hits: [{ ord: i }],
      });
      await index.settled();
    }
    expect(inserts).toEqual([1, 2, 4, 8, 16]);
    expect(index.stats().sets[0]!.structures).toMatchObject([{ covers: 0, failure: new Error('no room') }]);
  });

  it('that are not registered are served by the flat scan', async () => {
    const index = new VectorIndex({ pool, factories: [] });
    index.put(0, [{ vector: vectorOf(0) }]);
    expect(await index.search({ vector: vectorOf(0), k: 1, algorithm: 'hnsw' })).toMatchObject({
      algorithm: 'flat',
      hits: [{ ord: 0 }],
    });
  });
});
