import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { StoredType } from '../../kernels/vectors.ts';
import { Loopback } from '../../testkit/parts/loopback.ts';
import { clusteredVectors, exactNearest } from './hnsw/test-fixture.ts';
import { type Algorithm, allFactories, answerVectors, DimensionError, JoinedVectorIndex, type Metric, openValue,
  type OrClosed, orClosed, summaryOfVectors, VectorIndex, VectorIndexClosedError, type VectorIndexOptions,
  type VectorQuery, VectorStandIn, type VectorSummary, WorkerPool } from './index.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const DIMS = [3, 20];
/** Also one that no document has. */
const ORDS = Array.from({ length: 62 }, (_, at) => at);
const vectorOf = (dims: number) =>
  fc.array(fc.integer({ min: -2, max: 3 }), { minLength: dims, maxLength: dims }).map((numbers) =>
    Float32Array.from(numbers)
  );
const vectors = fc.constantFrom(...DIMS).chain((dims) => fc.array(vectorOf(dims), { maxLength: 4 }));
const ord = fc.integer({ min: 0, max: 60 });
const type = fc.constantFrom<StoredType>('float32', 'float32', 'int8', 'int4');
const change = fc.oneof({ weight: 5, arbitrary: fc.record({ put: ord, vectors, type }) }, fc.record({ remove: ord }));
const query = fc.record({
  vector: fc.constantFrom(...DIMS).chain(vectorOf),
  metric: fc.constantFrom<Metric>('cosine', 'dot_product', 'euclidean'),
  algorithm: fc.constantFrom<Algorithm>('flat', 'flat', 'quantized', 'sq', 'sq4', 'bq', 'hnsw', 'ivf', 'pq', 'opq'),
  k: fc.integer({ min: 1, max: 12 }),
  threshold: fc.constantFrom(-Infinity, 0, 0.4),
  perDocument: fc.boolean(),
  filter: fc.option(fc.uniqueArray(ord, { maxLength: 60, size: 'max' }), { nil: undefined }),
  oversample: fc.option(fc.constantFrom(1, 3), { nil: undefined }),
  isRescored: fc.boolean(),
});
type Asked = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

/** Which parts are in other processes. */
const AWAY = { none: () => false, some: (part: number) => part % 2 === 1, all: () => true };
type Away = keyof typeof AWAY;

function standInFor(index: VectorIndex, loopback: Loopback): VectorStandIn {
  const link = loopback.add((method, args) =>
    orClosed(() => (method === 'summary' ? summaryOfVectors(index) : answerVectors(index, method, args)))
  );
  return new VectorStandIn({
    summary: () => openValue(link.known<OrClosed<VectorSummary>>('summary')),
    known: <T>(method: string, ...args: readonly unknown[]) => openValue(link.known<OrClosed<T>>(method, ...args)),
  });
}

function join(parts: readonly VectorIndex[], away: Away, loopback: Loopback): JoinedVectorIndex {
  return new JoinedVectorIndex(parts.map((part, i) => (AWAY[away](i) ? standInFor(part, loopback) : part)));
}

/** An index of all documents, and several with a part each. */
class Both {
  readonly whole: VectorIndex;
  readonly parts: readonly VectorIndex[];
  readonly joined: JoinedVectorIndex;
  readonly loopback = new Loopback();

  constructor(count: number, inWorkers: boolean, away: Away = 'none') {
    const options: VectorIndexOptions = {
      pool,
      factories: allFactories().map((factory) => ({ ...factory, minRows: 1 })),
      exactBytes: 0,
      fewDocuments: inWorkers ? 2 : 40,
      ...(inWorkers && { inlineBytes: 0, parallelMinRows: 1 }),
    };
    this.whole = new VectorIndex(options);
    this.parts = Array.from({ length: count }, () => new VectorIndex(options));
    this.joined = join(this.parts, away, this.loopback);
  }

  put(at: number, chunks: readonly Float32Array[], stored: StoredType): void {
    for (const index of [this.whole, this.#partOf(at)]) index.put(at, chunks.map((vector) => ({ vector })), stored);
  }

  remove(at: number): void {
    for (const index of [this.whole, this.#partOf(at)]) index.remove(at);
  }

  async compare({ filter, isRescored, oversample, ...asked }: Asked): Promise<void> {
    const words = new Uint32Array(2);
    for (const each of filter ?? []) words[each >>> 5]! |= 1 << (each & 31);
    const wanted: VectorQuery = {
      ...asked,
      ...(filter && { filter: words }),
      ...(oversample !== undefined && { oversample }),
      // Any numbers will do, if they only depend on the chunk.
      ...(isRescored && {
        fullVectors: async (chunks) =>
          chunks.map(({ ord: at, chunk }) => asked.vector.map((value) => value + ((at * 7 + chunk) % 5))),
      }),
    };
    const outcome = async (index: VectorIndex | JoinedVectorIndex) =>
      index.search(wanted).catch((error: unknown) => error as DimensionError);
    const [one, several] = [await outcome(this.whole), await this.loopback.request(() => outcome(this.joined))];
    expect(this.loopback.rounds).toBeLessThanOrEqual(2);
    if (one instanceof Error || several instanceof Error) {
      expect(several).toEqual(one);
      return;
    }
    expect(several.hits).toEqual(one.hits);
    if (asked.algorithm === 'flat' || asked.algorithm === 'quantized') expect(several).toEqual(one);
    const ords = [...several.hits.map(({ ord: at }) => at), 61];
    const scores = (index: VectorIndex | JoinedVectorIndex) =>
      Promise.all([index.firstScores(ords, asked.vector, asked.metric),
        index.bestScores(ords, asked.vector, asked.metric)]);
    expect(await this.loopback.request(() => scores(this.joined))).toEqual(await scores(this.whole));
    expect(this.loopback.rounds).toBeLessThanOrEqual(1);
  }

  async compareReading(): Promise<void> {
    const { whole, joined } = this;
    const read = (index: VectorIndex | JoinedVectorIndex) => ({
      dims: index.dims,
      documentCount: index.documentCount,
      rowBytes: index.rowBytes,
      ords: [...index.ords()],
      counts: index.chunkCounts(ORDS),
      vectors: index.passageVectors(
        ORDS.flatMap((at) => [0, 1, 2, 3, 4, undefined].map((chunk) => ({ ord: at, chunk }))),
      ),
      chunks: index.stats().chunks,
      sets: index.stats().sets.map(({ dims, type: stored, chunks, dead }) => [dims, stored, chunks, dead].join(' '))
        .toSorted(),
    });
    expect(await this.loopback.request(() => read(joined))).toEqual(read(whole));
    expect(this.loopback.rounds).toBeLessThanOrEqual(4);
  }

  async close(): Promise<void> {
    await Promise.all([this.whole, ...this.parts].map((index) => index.close()));
  }

  #partOf(at: number): VectorIndex {
    return this.parts[Math.imul(at, 7) % this.parts.length]!;
  }
}

describe('several indexes as one', () => {
  it('find and read what one index with all documents does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.boolean(), fc.constantFrom<Away>('none', 'some', 'all'),
        fc.array(fc.tuple(fc.array(change, { minLength: 1, maxLength: 60, size: 'max' }), query), {
          minLength: 1,
          maxLength: 6,
        }), async (count, inWorkers, away, rounds) => {
        const both = new Both(count, inWorkers, away);
        for (const [changes, asked] of rounds) {
          for (const each of changes) {
            if ('put' in each) both.put(each.put, each.vectors, each.type);
            else both.remove(each.remove);
          }
          await both.compare(asked);
          await both.compareReading();
        }
        await both.close();
      }),
      { numRuns: 90 },
    );
  });

  it.each<Away>(['none', 'some', 'all'])(
    'reject when one of them was closed, and for a dimension that none has: %s away',
    async (away) => {
      const both = new Both(3, false, away);
      const vector = Float32Array.of(1, 2);
      const search = (query: VectorQuery) => both.loopback.request(() => both.joined.search(query));
      expect(await search({ vector, k: 1 })).toEqual({ hits: [], algorithm: 'flat', scanned: 0 });
      both.put(1, [Float32Array.of(1, 0, 0)], 'float32');
      both.put(2, [Float32Array.of(1, 0, 0, 0)], 'float32');
      await expect(search({ vector, k: 1 })).rejects.toThrow(new DimensionError(2, [3, 4]));
      await expect(search({ vector: Float32Array.of(1, Number.NaN), k: 1 })).rejects.toThrow(RangeError);
      await both.parts[1]!.close();
      const scores = () => both.joined.firstScores([1], vector, 'cosine');
      await expect(both.loopback.request(scores)).rejects.toThrow(VectorIndexClosedError);
      await expect(search({ vector, k: 1 })).rejects.toThrow(VectorIndexClosedError);
      await both.close();
    },
  );
});

describe('structures of several indexes as one', () => {
  const parts = 6;

  it.each(
    (['hnsw', 'ivf', 'sq', 'bq'] as const).flatMap((algorithm) => [[algorithm, 'none'], [algorithm, 'some']] as const),
  )('find at least what that of one index finds, by %s: %s away', async (algorithm, away) => {
    const both = new Both(parts, false, away);
    const all = clusteredVectors(7000, 32, 7);
    const [queries, rows] = [all.slice(0, 40), all.slice(40)];
    for (const [at, vector] of rows.entries()) both.put(at, [vector], 'float32');
    const recall = async (index: VectorIndex | JoinedVectorIndex): Promise<number> => {
      await index.search({ vector: queries[0]!, algorithm, k: 1 });
      await index.settled();
      let found = 0;
      for (const vector of queries) {
        const truth = new Set(exactNearest(rows, vector, 'cosine', 10));
        const { hits, algorithm: used } = await index.search({ vector, algorithm, k: 10 });
        expect([hits.length, used]).toEqual([10, algorithm]);
        found += hits.filter(({ ord: at }) => truth.has(at)).length;
      }
      return found;
    };
    const joined = await both.loopback.request(() => recall(both.joined));
    expect(joined).toBeGreaterThanOrEqual(await recall(both.whole));
    await both.close();
  });

  it.each((['hnsw', 'sq', 'bq'] as const).flatMap((algorithm) => [[algorithm, 'none'], [algorithm, 'all']] as const))(
    'find the best also where one part has all of them, by %s: %s away',
    async (algorithm, away) => {
      const indexes = Array.from({ length: parts }, () => new VectorIndex({ pool, exactBytes: 0 }));
      const loopback = new Loopback();
      const joined = join(indexes, away, loopback);
      for (const [at, vector] of clusteredVectors(6000, 16, 5).entries()) {
        const part = at % parts;
        vector[0]! += part === 0 ? 40 : 0;
        indexes[part]!.put(at, [{ vector }]);
      }
      const vector = Float32Array.from({ length: 16 }, (_, i) => (i === 0 ? 40 : 0));
      const query = { vector, k: 40, metric: 'euclidean' as const };
      await loopback.request(() => joined.search({ ...query, algorithm }));
      await loopback.request(() => joined.settled());
      const { hits, algorithm: used } = await loopback.request(() => joined.search({ ...query, algorithm }));
      expect([used, new Set(hits.map(({ ord: at }) => at % parts))]).toEqual([algorithm, new Set([0])]);
      const truth = new Set((await loopback.request(() => joined.search(query))).hits.map(({ ord: at }) => at));
      expect(hits.filter(({ ord: at }) => truth.has(at)).length).toBeGreaterThanOrEqual(38);
      await Promise.all(indexes.map((index) => index.close()));
    },
  );
});
