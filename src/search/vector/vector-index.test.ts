import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { StoredType } from '../../kernels/vectors.ts';
import { ReferenceVectors } from '../../testkit/vector/reference.ts';
import { scoreTwin } from '../../testkit/vector/twins.ts';
import { type Algorithm, allFactories, DimensionError, type Metric, VectorIndex, VectorIndexClosedError,
  WorkerPool } from './index.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

// Small numbers, so that products and distances are exact in 32 bits and many scores are equal.
const vectorOf = (dims: number) =>
  fc.array(fc.integer({ min: -2, max: 3 }), { minLength: dims, maxLength: dims }).map((numbers) =>
    Float32Array.from(numbers)
  );
const DIMS = [3, 20];
const type = fc.constantFrom<StoredType>('float32', 'float32', 'int8', 'int4');
const chunks = fc.constantFrom(...DIMS).chain((dims) => fc.array(vectorOf(dims), { maxLength: 4 }));
const ord = fc.integer({ min: 0, max: 40 });
const query = fc.record({
  vector: fc.constantFrom(...DIMS).chain(vectorOf),
  metric: fc.constantFrom<Metric>('cosine', 'dot_product', 'euclidean'),
  algorithm: fc.constantFrom<Algorithm>('flat', 'sq', 'sq4', 'bq', 'hnsw', 'ivf', 'pq', 'opq', 'quantized'),
  k: fc.integer({ min: 1, max: 12 }),
  threshold: fc.constantFrom(-Infinity, 0, 0.4),
  perDocument: fc.boolean(),
  filter: fc.option(
    fc.oneof(fc.uniqueArray(ord), fc.constantFrom([1, 3, 5, 7, 9, 11, 13, 15], [2, 4, 40])).map((ords) =>
      new Set(ords)
    ),
    { nil: undefined },
  ),
});
const step = fc.oneof({ weight: 6, arbitrary: fc.record({ put: ord, chunks, type }) }, {
  weight: 2,
  arbitrary: fc.record({ remove: ord }),
}, { weight: 3, arbitrary: fc.record({ query }) }, fc.constant('compact' as const), fc.constant('reload' as const));

/** The index and its reference, which receive the same calls. */
class Pair {
  index: VectorIndex;
  readonly reference = new ReferenceVectors();
  readonly #build: 'release' | 'debug';
  /** Equal filters are the same object, by which the index recognises them. */
  readonly #filters = new Map<string, Uint32Array>();

  readonly #inWorkers: boolean;

  constructor(build: 'release' | 'debug', inWorkers: boolean) {
    this.#build = build;
    this.#inWorkers = inWorkers;
    this.index = new VectorIndex(this.#options);
  }

  get #options() {
    // Structures from the first row on, and tiny segments, so that random steps use both.
    return {
      pool,
      build: this.#build,
      factories: allFactories().map((factory) => ({ ...factory, minRows: 1 })),
      segmentBytes: 24 * 1024 * 1024,
      fewDocuments: this.#inWorkers ? 2 : 40,
      ...(this.#inWorkers && { inlineBytes: 0, parallelMinRows: 1 }),
    };
  }

  put(at: number, vectors: readonly Float32Array[], stored: StoredType): void {
    this.index.put(at, vectors.map((vector) => ({ vector })), stored);
    this.reference.put(at, vectors, stored);
  }

  async reload(): Promise<void> {
    const pieces = await Array.fromAsync(this.index.save(() => '17'));
    await this.index.close();
    const { index, lsn } = await VectorIndex.restore((async function*() {
      yield* pieces;
    })(), this.#options);
    expect(lsn).toBe('17');
    this.index = index;
  }

  #wordsOf(filter: ReadonlySet<number>): Uint32Array {
    const name = [...filter].sort((a, b) => a - b).join();
    const words = this.#filters.get(name) ?? new Uint32Array(2);
    for (const each of filter) words[each >>> 5]! |= 1 << (each & 31);
    this.#filters.set(name, words);
    return words;
  }

  async compare({ filter, ...asked }: typeof query extends fc.Arbitrary<infer Q> ? Q : never): Promise<void> {
    const { reference } = this;
    if (reference.dims.length > 0 && !reference.dims.includes(asked.vector.length)) {
      await expect(this.index.search({ ...asked })).rejects.toThrow(
        new DimensionError(asked.vector.length, reference.dims),
      );
      return;
    }
    const words = filter && this.#wordsOf(filter);
    const result = await this.index.search({ ...asked, ...(words && { filter: words }) });
    const expected = reference.search({ ...asked, filter });
    // Scores of stored types and cosines may differ in the last bit, and so may the order of nearly equal scores.
    expect(result.hits.map(({ score }) => score)).toEqual(
      expected.map(({ score }) => expect.closeTo(score, 5) as number),
    );
    for (const { ord: at, chunk, score } of result.hits)
      expect(score).toBeCloseTo(scoreTwin(asked.vector, reference.vectorsOf(at)[chunk]!, asked.metric), 5);
    const isExact = asked.metric !== 'cosine' &&
      [...reference.types(asked.vector.length)].every((each) => each === 'float32');
    if (isExact) expect(result.hits).toEqual(expected);
    if ([...reference.types(asked.vector.length)].some((each) => each === 'float32'))
      expect([asked.algorithm, 'flat']).toContain(result.algorithm);
  }
}

describe.each(['release', 'debug'] as const)('a vector index, %s build', (build) => {
  it('finds what its reference finds, after whatever happened to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50, size: 'max' }), fc.boolean(),
        async (steps, inWorkers) => {
          const pair = new Pair(build, inWorkers);
          for (const each of steps) {
            if (each === 'compact') await pair.index.compact();
            else if (each === 'reload') await pair.reload();
            else if ('put' in each) pair.put(each.put, each.chunks, each.type);
            else if ('remove' in each) expect(pair.index.remove(each.remove)).toBe(pair.reference.remove(each.remove));
            else await pair.compare(each.query);
            expect([...pair.index.ords()]).toEqual(pair.reference.ords);
          }
          for (const at of pair.reference.ords) {
            const vectors = pair.index.vectorsOf(at).map((vector) => [...vector]);
            expect(vectors).toEqual(pair.reference.vectorsOf(at).map((vector) =>
              [...vector].map((value) =>
                expect.closeTo(value, 5) as number
              )
            ));
          }
          await pair.index.close();
        }),
      { numRuns: build === 'release' ? 60 : 20 },
    );
  });
});

describe('a vector index', () => {
  const of = (...numbers: number[]) => ({ vector: Float32Array.from(numbers) });
  const make = () => new VectorIndex({ pool });

  it('scores a vector that is the query itself exactly 1', async () => {
    const index = make();
    const vector = Float32Array.from({ length: 768 }, (_, i) => Math.sin(i * i));
    index.put(3, [{ vector }]);
    for (const metric of ['cosine', 'euclidean'] as const) {
      expect((await index.search({ vector, metric, k: 1, threshold: 1 })).hits).toEqual([{
        ord: 3,
        chunk: 0,
        score: 1,
      }]);
    }
  });

  it('scores a zero vector, and any vector by a zero query, 0 by cosine', async () => {
    const index = make();
    index.put(0, [of(0, 0)]);
    index.put(1, [of(-1, 0)]);
    expect((await index.search({ vector: Float32Array.of(1, 0), k: 5 })).hits.map(({ ord: at, score }) => [at, score]))
      .toEqual([[0, 0], [1, -1]]);
    expect((await index.search({ vector: Float32Array.of(0, 0), k: 5 })).hits.map(({ ord: at, score }) => [at, score]))
      .toEqual([[0, 0], [1, 0]]);
  });

  it.each(['flat', 'sq', 'sq4', 'bq', 'hnsw', 'ivf', 'pq', 'opq'] as const)(
    'loses no vector that is next to nothing, or huge, by %s',
    async (algorithm) => {
      const index = new VectorIndex({
        pool,
        exactBytes: 0,
        factories: allFactories().map((factory) => ({ ...factory, minRows: 1 })),
      });
      const components = [0, 1e-45, 1e-38, 1e-20, 1, 1e18, 3e38];
      for (const [i, component] of components.entries()) index.put(i, [of(component, component),
          of(component, -component)]);
      for (const metric of ['cosine', 'dot_product', 'euclidean'] as const) {
        await index.search({ vector: Float32Array.of(1, 0), k: 99, metric, algorithm });
        await index.settled();
        const { hits } = await index.search({ vector: Float32Array.of(1, 0), k: 99, metric, algorithm });
        expect(hits.map(({ ord: at, chunk }) => at * 2 + chunk).toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: 14 }, (_, i) => i),
        );
        expect(hits.every(({ score }) => Number.isFinite(score))).toBe(true);
        if (metric === 'cosine')
          expect(hits.map(({ score }) => score)).toEqual([...Array<number>(10).fill(Math.fround(Math.SQRT1_2)), 0, 0, 0,
            0]);
      }
    },
  );

  it('finds nothing when it is empty, and says so when only other dimensions are known', async () => {
    const index = make();
    expect(await index.search({ vector: Float32Array.of(1), k: 5 })).toEqual({
      hits: [],
      algorithm: 'flat',
      scanned: 0,
    });
    index.put(0, [of(1, 2)]);
    await expect(index.search({ vector: Float32Array.of(1), k: 5 })).rejects.toThrow(
      'the vectors have 2 dimensions, got 1',
    );
  });

  it('replaces a document of another dimension, type or number of chunks', async () => {
    const index = make();
    index.put(5, [of(1, 0), of(0, 1)]);
    index.put(5, [of(1, 0, 0)], 'int8');
    expect(index.dims).toEqual([3]);
    expect(index.typeOf(5)).toBe('int8');
    expect(index.chunkCounts([5])).toEqual([1]);
    index.put(5, []);
    expect(index.documentCount).toBe(0);
    expect(index.vectorsOf(5)).toEqual([]);
  });

  it('keeps a document apart from its former version, which lies right before it', async () => {
    const index = make();
    index.put(1, [of(1, 0), of(0, 1)]);
    index.put(1, [of(1, 1), of(-1, 1), of(2, 2)]);
    expect(index.chunkCounts([1, 2])).toEqual([3, 0]);
    expect([...index.meanOf(1)!]).toEqual([expect.closeTo(2 / 3), expect.closeTo(4 / 3)]);
    expect(Math.hypot(...index.meanOf(1, true)!)).toBeCloseTo(1);
    expect(index.stats()).toMatchObject({
      documents: 1,
      chunks: 3,
      sets: [{ dims: 2, type: 'float32', chunks: 3, dead: 2, segments: 1 }],
    });
  });

  it('scores vectors of all types side by side, each by what is stored', async () => {
    const index = make();
    const vector = Float32Array.of(0.1, 0.7, 0.2, 0.4);
    for (const [i, stored] of (['float32', 'int8', 'int4'] as const).entries()) index.put(i, [{ vector }], stored);
    const { hits, algorithm } = await index.search({ vector, k: 3, metric: 'euclidean', algorithm: 'sq' });
    expect(hits.map(({ ord: at }) => at)).toEqual([0, 1, 2]);
    expect(hits[0]!.score).toBe(1);
    expect(hits[1]!.score).toBeGreaterThan(hits[2]!.score);
    expect(algorithm).toBe('flat'); // rows are scanned because there are so few
    index.remove(0);
    expect((await index.search({ vector, k: 3, algorithm: 'sq' })).algorithm).toBe('quantized');
  });

  it('scores oversampled candidates by the full vectors that the caller brings', async () => {
    const index = make();
    const full = Array.from({ length: 40 },
      (_, i) => Float32Array.from({ length: 8 }, (_x, j) => Math.sin(i * 9 + j * j)));
    for (const [i, vector] of full.entries()) index.put(i, [{ vector }], 'int4');
    const vector = Float32Array.from({ length: 8 }, (_, j) => Math.cos(j));
    const asked: number[] = [];
    const { hits } = await index.search({
      vector,
      k: 3,
      oversample: 4,
      fullVectors: async (list) => list.map(({ ord: at, chunk }) => (expect(chunk).toBe(0), asked.push(at), full[at])),
    });
    expect(asked).toHaveLength(12);
    const exact = full.map((each, at) => ({ ord: at, chunk: 0, score: scoreTwin(vector, each, 'cosine') })).sort((a,
      b) => b.score - a.score
    );
    expect(hits).toEqual(exact.slice(0, 3));
    const none = await index.search({
      vector,
      k: 3,
      oversample: 4,
      fullVectors: async (list) => list.map(() => undefined),
    });
    expect(none.hits).toEqual((await index.search({ vector, k: 3 })).hits);
  });

  it('keeps vectors that were rounded before as it would keep their numbers', async () => {
    const rounded = (least: number, step: number, ...codes: number[]) =>
      Uint8Array.of(...new Uint8Array(Float32Array.of(least, step).buffer), ...codes);
    const index = new VectorIndex({ pool });
    index.put(1, [{ vector: rounded(-0.5, 0.25, 0, 255, 7) }, { vector: rounded(2, 0, 0, 0, 0) }], 'int8');
    index.put(2, [-0.5, 2].map((least, i) => ({
      vector: i === 0 ? Float32Array.of(least, least + 0.25 * 255, least + 0.25 * 7) : Float32Array.of(2, 2, 2),
    })), 'int8');
    expect(index.vectorsOf(1)).toEqual(index.vectorsOf(2));
    expect(
      (await index.search({ vector: Float32Array.of(0, 1, 0.1), k: 4 })).hits.map(({ ord, chunk }) => [ord, chunk]),
    ).toEqual([[1, 0], [2, 0], [1, 1], [2, 1]]);
    expect(() => index.put(3, [{ vector: rounded(NaN, 1, 1, 2, 3) }], 'int8')).toThrow(RangeError);
    expect(() => index.put(3, [{ vector: rounded(1, 1, 1, 2, 3) }], 'float32')).toThrow(RangeError);
    expect(() => index.put(3, [{ vector: new Uint8Array(3) }, { vector: rounded(1, 1, 1) }], 'int8')).toThrow(
      RangeError,
    );
    await index.close();
  });

  it('refuses what is no vector, and leaves the document as it was', async () => {
    const index = make();
    index.put(1, [of(1, 2)]);
    expect(() => index.put(1, [of(1, 2), of(1, 2, 3)])).toThrow(RangeError);
    expect(() => index.put(1, [of(1, Number.NaN)])).toThrow('finite');
    expect(() => index.put(-1, [of(1, 2)])).toThrow(RangeError);
    await expect(index.search({ vector: Float32Array.of(1, Infinity), k: 1 })).rejects.toThrow(RangeError);
    expect(index.vectorsOf(1)).toEqual([Float32Array.of(1, 2)]);
  });

  it('starts new segments when one is full, and searches all', async () => {
    const index = new VectorIndex({ pool, segmentBytes: 3 * 1024 * 1024 });
    const vectors = Array.from({ length: 1600 },
      (_, i) => Float32Array.from({ length: 400 }, (_x, j) => Math.sin(i + j * (i % 7))));
    for (const [i, vector] of vectors.entries()) index.put(i, [{ vector }]);
    expect(index.stats().sets[0]!.segments).toBeGreaterThan(1);
    const { hits, scanned } = await index.search({ vector: vectors[1555]!, k: 1600 });
    expect(hits).toHaveLength(1600);
    expect(hits[0]).toMatchObject({ ord: 1555, score: 1 });
    expect(scanned).toBe(1600);
    await index.compact();
    expect((await index.search({ vector: vectors[2]!, k: 1 })).hits[0]).toMatchObject({ ord: 2 });
  });

  it('lets nobody in after it was closed', async () => {
    const index = make();
    index.put(1, [of(1, 2)]);
    await index.close();
    await index.close();
    expect(() => index.put(1, [of(1, 2)])).toThrow(VectorIndexClosedError);
    await expect(index.search({ vector: Float32Array.of(1, 2), k: 1 })).rejects.toThrow(VectorIndexClosedError);
  });
});
