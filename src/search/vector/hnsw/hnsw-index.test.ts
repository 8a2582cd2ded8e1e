import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { hnswKernel, M, M0 } from '../../../kernels/hnsw.ts';
import { SegmentFullError } from '../../../kernels/vectors.ts';
import { type Metric, VectorCheckpointError } from '../ann-index.ts';
import { VectorIndex } from '../vector-index.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { type CodeBits, hnswFactory, HnswIndex } from './hnsw-index.ts';
import { clusteredVectors, collect, CORPUS_SETS, corpusSet, exactNearest, inPieces, Rows, seededRandom,
  similarity } from './test-fixture.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const METRICS = ['cosine', 'dot_product', 'euclidean'] as const;

async function graphOf(vectors: readonly Float32Array[], metric: Metric, build: 'release' | 'debug' = 'release',
  bits?: CodeBits): Promise<{ rows: Rows; index: HnswIndex }>
{
  const rows = new Rows(pool, vectors[0]!.length, build).add(vectors);
  const index = new HnswIndex(rows.segment, metric, bits);
  await index.insert(vectors.length);
  return { rows, index };
}

describe('a graph at its defaults', () => {
  const queries = clusteredVectors(40, 32, 7).slice(0, 40);

  it.each(METRICS)('finds at least 95 of 100 nearest by %s', async (metric) => {
    const { rows, index } = await graphOf([...clusteredVectors(5000, 32, 7).slice(40)], metric);
    expect(await rows.recall(index, queries, metric, 10, 30)).toBeGreaterThanOrEqual(0.95);
  });

  it('finds them under filters that leave a half, a twentieth and a two hundredth', async () => {
    const { rows, index } = await graphOf(clusteredVectors(8000, 24, 3), 'cosine');
    const random = seededRandom(4);
    const lot = rows.vectors.map(() => random());
    for (const share of [0.5, 0.05, 0.005]) {
      const some = clusteredVectors(30, 24, 3);
      const counts = (row: number) => lot[row]! < share;
      expect(await rows.recall(index, some, 'cosine', 10, 30, counts)).toBeGreaterThanOrEqual(0.95);
      const { candidates } = await rows.search(index, some[0]!, 'cosine', 10, 30, counts);
      expect(candidates).toHaveLength(30);
      expect(candidates.every(counts)).toBe(true);
    }
  });

  it('looks at hardly more rows where a half passes, spread evenly, than without a filter', async () => {
    const { rows, index } = await graphOf(clusteredVectors(8000, 24, 3), 'cosine');
    const random = seededRandom(4);
    const lot = rows.vectors.map(() => random());
    let [filtered, all] = [0, 0];
    for (const query of clusteredVectors(30, 24, 3)) {
      filtered += (await rows.search(index, query, 'cosine', 10, 30, (row) => lot[row]! < 0.5)).scanned;
      all += (await rows.search(index, query, 'cosine', 10, 30)).scanned;
    }
    expect(filtered).toBeLessThan(all * 1.2);
  });

  it('finds all that a filter leaves far from the query', async () => {
    const vectors = clusteredVectors(4000, 16, 5);
    const { rows, index } = await graphOf(vectors, 'euclidean');
    const query = vectors[0]!;
    const farthest = new Set(exactNearest(vectors, query, 'euclidean', 4000).slice(-2200));
    const { candidates } = await rows.search(index, query, 'euclidean', 10, 30, (row) => farthest.has(row));
    expect(candidates).toHaveLength(30);
    expect(candidates.every((row) => farthest.has(row))).toBe(true);
  });

  it(
    'compares no more rows than without a filter where a tenth passes, spread evenly, in clusters near the query or ' +
      'far from it',
    async () => {
      const vectors = clusteredVectors(9000, 24, 61);
      const { rows, index } = await graphOf(vectors, 'cosine');
      const queries = clusteredVectors(20, 24, 61);
      const random = seededRandom(62);
      const lot = rows.vectors.map(() => random());
      const axis = queries[0]!;
      const along = rows.vectors.map((vector) => similarity(axis, vector, 'cosine'));
      const [near, far] = [along.toSorted((a, b) => b - a)[900]!, along.toSorted((a, b) => a - b)[900]!];
      const filters = {
        even: (row: number) => lot[row]! < 0.1,
        near: (row: number) => along[row]! > near,
        far: (row: number) => along[row]! < far,
      };
      for (const counts of Object.values(filters)) {
        let [filtered, all, found] = [0, 0, 0];
        for (const query of queries) {
          const truth = new Set(exactNearest(vectors, query, 'cosine', 10, counts));
          const narrow = await rows.search(index, query, 'cosine', 10, 20, counts, { efSearch: 25 });
          expect(narrow.candidates.every(counts)).toBe(true);
          expect(narrow.candidates.length).toBe(20);
          found += narrow.best.filter((row) => truth.has(row)).length;
          filtered += narrow.scanned;
          all += (await rows.search(index, query, 'cosine', 10, 20, undefined, { efSearch: 40 })).scanned;
        }
        expect(filtered).toBeLessThan(all * 1.2);
        expect(found / queries.length / 10).toBeGreaterThanOrEqual(0.9);
      }
    },
  );

  it('finds as many as there are, up to all of them', async () => {
    const { rows, index } = await graphOf(clusteredVectors(700, 16, 6), 'euclidean');
    const { candidates } = await rows.search(index, rows.vectors[3]!, 'euclidean', 10, 700);
    expect(new Set(candidates).size).toBe(700);
    const two = await rows.search(index, rows.vectors[3]!, 'euclidean', 10, 30, (row) => row === 5 || row === 600);
    expect([...two.candidates].toSorted((a, b) => a - b)).toEqual([5, 600]);
  });
});

describe('a graph while rows come and go', () => {
  it('keeps its recall, and never returns a dead row', async () => {
    const all = clusteredVectors(6000, 24, 11);
    const { rows, index } = await graphOf(all.slice(0, 2000), 'cosine');
    const random = seededRandom(12);
    for (const end of [3000, 4500, 6000]) {
      for (let row = 0; row < rows.vectors.length; row++) if (random() < 0.15) rows.remove(row);
      rows.add(all.slice(rows.vectors.length, end));
      rows.remove(end - 1); // dead before it is inserted
      await index.insert(end);
      const queries = clusteredVectors(25, 24, 11);
      expect(await rows.recall(index, queries, 'cosine', 10, 30)).toBeGreaterThanOrEqual(0.95);
      for (const query of queries) {
        const { candidates } = await rows.search(index, query, 'cosine', 10, 30);
        expect(candidates.some((row) => rows.dead.has(row))).toBe(false);
      }
    }
  });

  it('serves from the rows that it covers by then while a worker inserts more', async () => {
    const all = clusteredVectors(6000, 24, 13);
    const { rows, index } = await graphOf(all.slice(0, 1500), 'euclidean');
    rows.add(all.slice(1500));
    let inserting = true;
    const inserted = index.insert(6000).finally(() => (inserting = false));
    const queries = clusteredVectors(20, 24, 13);
    let searches = 0;
    while (inserting) {
      const before = index.covers;
      const query = queries[searches++ % queries.length]!;
      const { candidates, best } = await rows.search(index, query, 'euclidean', 10, 60);
      expect(candidates.every((row) => row < index.covers)).toBe(true);
      expect(new Set(candidates).size).toBe(60);
      const truth = new Set(exactNearest(all.slice(0, before), query, 'euclidean', 10));
      expect(best.filter((row) => row >= before || truth.has(row)).length).toBeGreaterThanOrEqual(7);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await inserted;
    expect(searches).toBeGreaterThan(1);
    expect(index.covers).toBe(6000);
    expect(await rows.recall(index, queries, 'euclidean', 10, 30)).toBeGreaterThanOrEqual(0.95);
  });
});

describe('the links of a graph (debug build)', () => {
  it('lead to rows of their level, are no more than the level allows, and reach every row from the entry', async () => {
    const { rows, index } = await graphOf(clusteredVectors(2500, 20, 17), 'cosine', 'debug');
    const kernel = hnswKernel(rows.segment.memory, 'debug');
    const graph = index.address;
    expect(kernel.linksAreSound(graph)).toBe(1);
    expect(kernel.graphNodes(graph)).toBe(2500);
    const linksOf = (row: number, level: number): number[] => {
      const list = kernel.linksOf(graph, row, level) >>> 0;
      return list === 0 ? [] : [...rows.segment.rows.u32(list + 4, rows.segment.rows.u32(list, 1)[0]!)];
    };
    for (let row = 0; row < 2500; row++) {
      for (let level = 0; level <= kernel.levelOf(row); level++) {
        const links = linksOf(row, level);
        expect(new Set(links).size).toBe(links.length);
        expect(links.length).toBeLessThanOrEqual(level === 0 ? M0 : M);
        expect(links.every((link) => link < 2500 && link !== row && kernel.levelOf(link) >= level)).toBe(true);
      }
    }
    expect(reached(kernel.entryRow(graph), (row) => linksOf(row, 0))).toBe(2500);
    expect(await rows.recall(index, clusteredVectors(10, 20, 17), 'cosine', 10, 30)).toBeGreaterThanOrEqual(0.95);
  });

  it('are the same whenever the same rows are inserted, in whatever steps', async () => {
    const vectors = clusteredVectors(900, 10, 19);
    const { index: whole } = await graphOf(vectors, 'euclidean');
    const rows = new Rows(pool, 10, 'debug').add(vectors);
    const stepped = new HnswIndex(rows.segment, 'euclidean');
    for (const end of [1, 2, 77, 500, 900]) await stepped.insert(end);
    expect((await collect(stepped.save())).equals(await collect(whole.save()))).toBe(true);
  });
});

describe('a graph with codes of four bits', () => {
  it('takes far less memory where vectors have many dimensions, and finds nearly as much', async () => {
    const vectors = clusteredVectors(1500, 512, 47);
    const [small, large] = [await graphOf(vectors, 'cosine', 'release', 4), await graphOf(vectors, 'cosine')];
    expect(small.index.bytes).toBeLessThan(0.7 * large.index.bytes);
    for (const { rows, index } of [small, large])
      expect(await rows.recall(index, clusteredVectors(20, 512, 47), 'cosine', 10, 30)).toBeGreaterThanOrEqual(0.95);
  });
});

describe.each(METRICS)('a graph over rows of int8, by %s', (metric) => {
  const all = clusteredVectors(4060, 48, 53);
  const [vectors, queries] = [all.slice(60), all.slice(0, 60)];

  it('finds at least 98 of 100 that a scan finds, also of documents of several passages and after changes', async () => {
    const index = new VectorIndex({ pool, factories: [hnswFactory()], exactBytes: 0 });
    for (let ord = 0; ord < 1000; ord++)
      index.put(ord, vectors.slice(ord * 4, ord * 4 + 4).map((vector) => ({ vector })), 'int8');
    await index.search({ vector: queries[0]!, metric, algorithm: 'hnsw', k: 10 });
    await index.settled();
    for (let ord = 0; ord < 1000; ord += 9) index.remove(ord);
    index.put(5, [{ vector: vectors[7]! }], 'int8');
    for (const perDocument of [false, true]) {
      let [found, wanted] = [0, 0];
      for (const vector of queries) {
        const exact = new Set(
          (await index.search({ vector, metric, k: 10, perDocument })).hits.map(({ ord, chunk }) => `${ord} ${chunk}`),
        );
        const { hits, algorithm } = await index.search({ vector, metric, algorithm: 'hnsw', k: 10, perDocument });
        expect(algorithm).toBe('hnsw');
        found += hits.filter(({ ord, chunk }) => exact.has(`${ord} ${chunk}`)).length;
        wanted += exact.size;
      }
      expect(found / wanted).toBeGreaterThanOrEqual(0.98);
    }
    await index.close();
  });

  it('finds under any filter what a scan finds, and as much', async () => {
    const index = new VectorIndex({ pool, factories: [hnswFactory()], exactBytes: 0 });
    for (let ord = 0; ord < 1000; ord++)
      index.put(ord, vectors.slice(ord * 4, ord * 4 + 4).map((vector) => ({ vector })), 'int8');
    await index.search({ vector: queries[0]!, metric, algorithm: 'hnsw', k: 10 });
    await index.settled();
    let [found, wanted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 999 }), fc.nat(), fc.nat(59), fc.boolean(),
        fc.constantFrom(12, 40, 600), async (share, seed, query, perDocument, efSearch) => {
        const random = seededRandom(seed);
        const filter = new Uint32Array(32);
        for (let ord = 0; ord < 1000; ord++) if (random() * 1000 < share) filter[ord >> 5]! |= 1 << (ord & 31);
        const asked = { vector: queries[query]!, metric, k: 10, perDocument, filter } as const;
        const exact = (await index.search(asked)).hits;
        const { hits } = await index.search({ ...asked, algorithm: 'hnsw', options: { efSearch } });
        expect(hits).toHaveLength(exact.length);
        expect(hits.every(({ ord }) => (filter[ord >> 5]! >> (ord & 31)) & 1)).toBe(true);
        const truth = new Set(exact.map(({ ord, chunk }) => `${ord} ${chunk}`));
        found += hits.filter(({ ord, chunk }) => truth.has(`${ord} ${chunk}`)).length;
        wanted += exact.length;
      }),
      { numRuns: 100, seed: 17 },
    );
    expect(found / wanted).toBeGreaterThanOrEqual(0.97);
    await index.close();
  });

  it('comes back from a checkpoint with the same results', async () => {
    const options = { pool, factories: [hnswFactory()], exactBytes: 0 };
    const index = new VectorIndex(options);
    vectors.slice(0, 1500).forEach((vector, ord) => index.put(ord, [{ vector }], 'int8'));
    const find = (of: VectorIndex, vector: Float32Array) => of.search({ vector, metric, algorithm: 'hnsw', k: 10 });
    await find(index, queries[0]!);
    await index.settled();
    const { index: restored } = await VectorIndex.restore(inPieces(await collect(index.save(() => '')), 65_536),
      options);
    for (const query of queries.slice(0, 10)) expect(await find(restored, query)).toEqual(await find(index, query));
    expect(restored.stats().sets[0]!.structures).toMatchObject([{ algorithm: 'hnsw', covers: 1500 }]);
    await index.close();
    await restored.close();
  });
});

describe.each([['release', 7], ['debug', 7], ['release', 4], ['debug', 4]] as const)('odd vectors (%s build, %i bits)',
  (build, bits) => {
    it.each([1, 3, 15, 17, 33])('of %i dimensions are found', async (dims) => {
      for (const metric of METRICS) {
        const { rows, index } = await graphOf(clusteredVectors(600, dims, 23), metric, build, bits);
        const { best } = await rows.search(index, rows.vectors[77]!, metric, 10, 60);
        const truth = exactNearest(rows.vectors, rows.vectors[77]!, metric, 10);
        const scores = (found: readonly number[]) => found.map((row) => rows.vectors[row]!);
        if (dims > 3) expect(best.filter((row) => truth.includes(row)).length).toBeGreaterThanOrEqual(9);
        else expect(scores(best)).toHaveLength(10);
      }
    });

    it('all alike, or all zero, are found as well as others', async () => {
      const same = Float32Array.from({ length: 20 }, (_, i) => i - 7);
      for (const metric of METRICS) {
        const { rows, index } = await graphOf([...Array.from({ length: 300 }, () => same),
          ...Array.from({ length: 300 }, () => new Float32Array(20))], metric, build, bits);
        const { candidates } = await rows.search(index, same, metric, 10, 30);
        expect(new Set(candidates).size).toBe(30);
      }
    });
  });

describe('a saved graph', () => {
  it('comes back with the same results, and goes on from there', async () => {
    const vectors = clusteredVectors(3000, 20, 29);
    const { rows, index } = await graphOf(vectors.slice(0, 2600), 'cosine');
    rows.remove(5);
    rows.add(vectors.slice(2600, 2610));
    rows.remove(2605);
    await index.insert(2610);
    const saved = await collect(index.save());
    const restored = await new HnswIndex(rows.segment, 'cosine').restore(inPieces(saved, 1000));
    expect(restored.covers).toBe(2610);
    for (const query of vectors.slice(0, 20)) {
      expect((await rows.search(restored, query, 'cosine', 10, 30)).candidates).toEqual(
        (await rows.search(index, query, 'cosine', 10, 30)).candidates,
      );
    }
    rows.add(vectors.slice(2610));
    await restored.insert(3000);
    expect(await rows.recall(restored, vectors.slice(-20), 'cosine', 10, 30)).toBeGreaterThanOrEqual(0.95);
  });

  it('is refused when it is damaged, cut off, or of another metric or fewer rows', async () => {
    const { rows, index } = await graphOf(clusteredVectors(1500, 12, 31), 'cosine');
    const saved = await collect(index.save());
    const restore = (bytes: Buffer, metric: Metric = 'cosine', target = rows) =>
      new HnswIndex(target.segment, metric).restore(inPieces(bytes, 4096));
    const damaged = Buffer.from(saved);
    damaged[saved.length >> 1]! ^= 0x10;
    await expect(restore(damaged)).rejects.toThrow(VectorCheckpointError);
    await expect(restore(saved.subarray(0, saved.length - 9))).rejects.toThrow(VectorCheckpointError);
    await expect(restore(saved, 'euclidean')).rejects.toThrow(VectorCheckpointError);
    await expect(restore(saved, 'cosine', new Rows(pool, 12).add(clusteredVectors(10, 12, 31)))).rejects.toThrow(
      VectorCheckpointError,
    );
  });
});

describe('a segment without room', () => {
  it('refuses rows beyond the capacity of the graph, and serves from the others', async () => {
    const vectors = clusteredVectors(9000, 8, 37);
    const rows = new Rows(pool, 8, 'release', 4 * 2 ** 20).add(vectors.slice(0, 1000));
    const index = new HnswIndex(rows.segment, 'cosine');
    await index.insert(1000);
    rows.add(vectors.slice(1000));
    rows.fill();
    await expect(index.insert(9000)).rejects.toThrow(SegmentFullError);
    expect(index.covers).toBeGreaterThanOrEqual(1000);
    expect(index.covers).toBeLessThan(9000);
    expect((await rows.search(index, vectors[0]!, 'cosine', 10, 30)).candidates).toHaveLength(30);
  });
});

describe.each(CORPUS_SETS)('real vectors: %s', (name) => {
  const set = corpusSet(name);

  it.skipIf(set === undefined)('have a recall of at least 0.95 at the defaults (needs the corpora beside the project)',
    async () => {
      const { metric, base, queries, neighbours } = set!;
      const index = new VectorIndex({ pool, factories: [hnswFactory()], exactBytes: 0 });
      base.forEach((vector, ord) => index.put(ord, [{ vector }]));
      await index.search({ vector: queries[0]!, metric, algorithm: 'hnsw', k: 10 });
      await index.settled();
      let hits = 0;
      for (const [i, vector] of queries.entries()) {
        const found = await index.search({ vector, metric, algorithm: 'hnsw', k: 10 });
        expect(found.algorithm).toBe('hnsw');
        const truth = new Set(neighbours[i]!.subarray(0, 10));
        hits += found.hits.filter(({ ord }) => truth.has(ord)).length;
      }
      expect(hits / queries.length / 10).toBeGreaterThanOrEqual(0.95);
      await index.close();
    });
});

function reached(entry: number, linksOf: (row: number) => number[]): number {
  const seen = new Set([entry]);
  for (const row of seen) for (const link of linksOf(row)) seen.add(link);
  return seen.size;
}
