import { afterAll, describe, expect, it } from 'vitest';
import { SegmentFullError } from '../../../kernels/vectors.ts';
import { type AnnFactory, type AnnIndex, type Metric, VectorCheckpointError } from '../ann-index.ts';
import { clusteredVectors, collect, CORPUS_SETS, corpusSet, exactNearest, inPieces, Rows,
  seededRandom } from '../hnsw/test-fixture.ts';
import { VectorIndex } from '../vector-index.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { ivfFactory, listsFor } from './ivf.ts';
import { opqFactory, pqFactory } from './pq.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const FACTORIES = [ivfFactory, pqFactory, opqFactory].map((factory) => ({ algorithm: factory.algorithm, factory }));
const METRICS = ['cosine', 'dot_product', 'euclidean'] as const;

async function structureOf(factory: AnnFactory, vectors: readonly Float32Array[], metric: Metric,
  build: 'release' | 'debug' = 'release'): Promise<{ rows: Rows; index: AnnIndex }>
{
  const rows = new Rows(pool, vectors[0]!.length, build).add(vectors);
  const index = factory.create(rows.segment, factory.structureFor(metric));
  await index.insert(vectors.length);
  return { rows, index };
}

describe.each(FACTORIES)('$algorithm at its defaults', ({ factory }) => {
  const queries = clusteredVectors(40, 32, 7);
  const vectors = clusteredVectors(4000, 32, 7).slice(40);

  it('finds at least 95 of 100 nearest, whole and under filters that leave a half, a twentieth and a two hundredth', async () => {
    const { rows, index } = await structureOf(factory, vectors, 'cosine');
    const random = seededRandom(4);
    const lot = vectors.map(() => random());
    const candidates = factory.candidates(10, vectors.length, undefined, vectors[0]!.length);
    expect(await rows.recall(index, queries, 'cosine', 10, candidates)).toBeGreaterThanOrEqual(0.95);
    for (const share of [0.5, 0.05, 0.005]) {
      const counts = (row: number) => lot[row]! < share;
      expect(await rows.recall(index, queries, 'cosine', 10, candidates, counts)).toBeGreaterThanOrEqual(0.95);
      const found = await rows.search(index, queries[0]!, 'cosine', 10, candidates, counts);
      expect(found.candidates).toHaveLength(Math.min(candidates, lot.filter((x) => x < share).length));
      expect(found.candidates.every(counts)).toBe(true);
    }
  });

  it('searches by the dot product and by the distance from one structure', async () => {
    expect(factory.structureFor('dot_product')).toBe(factory.structureFor('euclidean'));
    const { rows, index } = await structureOf(factory, vectors.slice(0, 2000), 'euclidean');
    for (const metric of ['dot_product', 'euclidean'] as const) {
      expect(await rows.recall(index, queries, metric, 10, factory.candidates(10, 2000, undefined, vectors[0]!.length)))
        .toBeGreaterThanOrEqual(0.95);
    }
  });

  it('keeps its recall while rows come and go, is retrained when they have doubled, and never returns a dead one', async () => {
    const { rows, index } = await structureOf(factory, vectors.slice(0, 700), 'cosine');
    const random = seededRandom(12);
    for (const end of [1000, 1600, 2400]) {
      for (let row = 0; row < rows.vectors.length; row++) if (random() < 0.15) rows.remove(row);
      rows.add(vectors.slice(rows.vectors.length, end));
      rows.remove(end - 1);
      await index.insert(end);
      expect(index.covers).toBe(end);
      expect(
        await rows.recall(index, queries.slice(0, 20), 'cosine', 10,
          factory.candidates(10, end, undefined, vectors[0]!.length)),
      ).toBeGreaterThanOrEqual(0.95);
      const { candidates } = await rows.search(index, queries[0]!, 'cosine', 10, 50);
      expect(candidates.some((row) => rows.dead.has(row))).toBe(false);
      expect(new Set(candidates).size).toBe(candidates.length);
    }
  });

  it('serves searches while it is retrained', async () => {
    const { rows, index } = await structureOf(factory, vectors.slice(0, 600), 'cosine');
    rows.add(vectors.slice(600, 1300));
    let training = true;
    const trained = index.insert(1300).finally(() => (training = false));
    for (let i = 0; training; i = (i + 1) % queries.length) {
      const { candidates } = await rows.search(index, queries[i]!, 'cosine', 10, 100);
      expect(candidates).toHaveLength(100);
      expect(Math.max(...candidates)).toBeLessThan(index.covers);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await trained;
    expect(index.covers).toBe(1300);
  });

  it('returns all rows when so many are asked for', async () => {
    const { rows, index } = await structureOf(factory, vectors.slice(0, 600), 'euclidean');
    expect(new Set((await rows.search(index, queries[0]!, 'euclidean', 10, 600)).candidates).size).toBe(600);
  });

  it('comes back from a checkpoint with the same results, and goes on from there', async () => {
    const { rows, index } = await structureOf(factory, vectors.slice(0, 900), 'cosine');
    rows.remove(3);
    const restored = await factory.restore(rows.segment, 'cosine', inPieces(await collect(index.save()), 777));
    expect(restored.covers).toBe(900);
    for (const query of queries.slice(0, 10)) {
      const sorted = async (structure: AnnIndex) =>
        [...(await rows.search(structure, query, 'cosine', 10, 50)).candidates].toSorted((a, b) => a - b);
      expect(await sorted(restored)).toEqual(await sorted(index));
    }
    rows.add(vectors.slice(900, 1200));
    await restored.insert(1200);
    expect(
      await rows.recall(restored, queries.slice(0, 20), 'cosine', 10,
        factory.candidates(10, 1200, undefined, vectors[0]!.length)),
    ).toBeGreaterThanOrEqual(0.95);
  });

  it('refuses a checkpoint that is damaged, cut off, or of another metric or fewer rows', async () => {
    const { rows, index } = await structureOf(factory, vectors.slice(0, 600), 'cosine');
    const saved = await collect(index.save());
    const restore = (bytes: Buffer, metric: Metric = 'cosine', target = rows) =>
      factory.restore(target.segment, metric, inPieces(bytes, 4096));
    const damaged = Buffer.from(saved);
    damaged[saved.length >> 1]! ^= 0x10;
    await expect(restore(damaged)).rejects.toThrow(VectorCheckpointError);
    await expect(restore(saved.subarray(0, saved.length - 9))).rejects.toThrow(VectorCheckpointError);
    await expect(restore(saved, 'euclidean')).rejects.toThrow(VectorCheckpointError);
    await expect(restore(saved, 'cosine', new Rows(pool, 32).add(vectors.slice(0, 10)))).rejects.toThrow(
      VectorCheckpointError,
    );
  });

  it('stays as it was when a segment has no space to train it again, and frees all that it took', async () => {
    const rows = new Rows(pool, 32, 'release', 3 * 2 ** 20).add(vectors.slice(0, 600));
    const index = factory.create(rows.segment, 'cosine');
    await index.insert(600);
    const taken = index.bytes;
    rows.add(vectors.slice(600, 1300));
    rows.fill();
    await expect(index.insert(1300)).rejects.toThrow(SegmentFullError);
    expect(index.covers).toBe(600);
    expect(index.bytes).toBe(taken);
    expect((await rows.search(index, queries[0]!, 'cosine', 10, 50)).candidates).toHaveLength(50);
  });
});

describe.each(['release', 'debug'] as const)('odd vectors (%s build)', (build) => {
  it.each([1, 3, 7, 17, 33])('of %i dimensions are found', async (dims) => {
    for (const { factory } of FACTORIES) {
      for (const metric of METRICS) {
        const { rows, index } = await structureOf(factory, clusteredVectors(600, dims, 23), metric, build);
        const { best } = await rows.search(index, rows.vectors[77]!, metric, 10, 300, undefined, { nprobe: 100 });
        const truth = exactNearest(rows.vectors, rows.vectors[77]!, metric, 10);
        if (dims > 3) expect(best.filter((row) => truth.includes(row)).length).toBeGreaterThanOrEqual(8);
        else expect(best).toHaveLength(10);
      }
    }
  });

  it('all alike, or all zero, or fewer than centroids, are found as well as others', async () => {
    const same = Float32Array.from({ length: 20 }, (_, i) => i - 7);
    for (const { factory } of FACTORIES) {
      const { rows, index } = await structureOf(factory, [same, same, same, new Float32Array(20), new Float32Array(20)],
        'cosine', build);
      expect(new Set((await rows.search(index, same, 'cosine', 3, 5)).candidates).size).toBe(5);
    }
  });
});

describe('inverted files', () => {
  it.each([[0, 1], [1, 1], [10, 3], [1_000_000, 1000], [16_777_216, 4096], [100_000_000, 4096]])(
    'over %i rows have %i lists',
    (rows, lists) => {
      expect(listsFor(rows)).toBe(lists);
    },
  );

  it('look at more lists with a larger nprobe', async () => {
    const { rows, index } = await structureOf(ivfFactory, clusteredVectors(3000, 16, 41), 'euclidean');
    const query = rows.vectors[9]!;
    const all = await rows.search(index, query, 'euclidean', 10, 10, undefined, { nprobe: 54 });
    expect(all.best).toEqual(exactNearest(rows.vectors, query, 'euclidean', 10));
    expect((await rows.search(index, query, 'euclidean', 10, 10, undefined, { nprobe: 1 })).candidates).toHaveLength(
      10,
    );
  });
});

describe.each(CORPUS_SETS.flatMap((name) => FACTORIES.map(({ algorithm, factory }) => ({ name, algorithm, factory }))))(
  'real vectors: $algorithm on $name',
  ({ name, algorithm, factory }) => {
    const isLong = name === 'mnist784' && algorithm !== 'ivf';
    const set = isLong ? undefined : corpusSet(name);

    it.skipIf(set === undefined)(
      'have a recall of at least 0.95 at the defaults (needs the corpora beside the project; codebooks of 784 ' +
        'dimensions train too long for a test)',
      async () => {
        const { metric, base, queries, neighbours } = set!;
        const index = new VectorIndex({ pool, factories: [factory], exactBytes: 0 });
        base.forEach((vector, ord) => index.put(ord, [{ vector }]));
        await index.search({ vector: queries[0]!, metric, algorithm, k: 10 });
        await index.settled();
        let hits = 0;
        for (const [i, vector] of queries.entries()) {
          const found = await index.search({ vector, metric, algorithm, k: 10 });
          expect(found.algorithm).toBe(algorithm);
          const truth = new Set(neighbours[i]!.subarray(0, 10));
          hits += found.hits.filter(({ ord }) => truth.has(ord)).length;
        }
        expect(hits / queries.length / 10).toBeGreaterThanOrEqual(0.95);
        await index.close();
      },
    );
  },
);
