import { afterAll, describe, expect, it } from 'vitest';
import { OrdSet } from '../../../lib/ord-set.ts';
import { answerVectors, JoinedVectorIndex, summaryOfVectors, VectorIndex, VectorStandIn,
  WorkerPool } from '../../../search/vector/index.ts';
import { Loopback } from '../../../testkit/parts/loopback.ts';
import { combine } from './combine.ts';
import { DenseComponent } from './components.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

describe('a sum of similarities', () => {
  // More rows than are scored one by one: 5,000 documents of 16 vectors of 32 numbers are 10 MiB for each component.
  it.each([[200, 'all documents'], [5000, 'the candidates']])('of %i documents is exact for %s', async (count) => {
    const index = new VectorIndex({ pool });
    let state = 7;
    const random = (): number => ((state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0) >>> 8) / 2 ** 23 - 1;
    const vector = (): Float32Array => Float32Array.from({ length: 32 }, random);
    const documents = Array.from({ length: count }, () => Array.from({ length: 16 }, vector));
    for (const [ord, vectors] of documents.entries()) index.put(ord, vectors.map((each) => ({ vector: each })));
    const queries = Array.from({ length: 4 }, vector);
    const components = queries.map((vector) =>
      new DenseComponent(index, { vector, metric: 'dot_product', algorithm: 'flat' }, 0.5)
    );
    const scoreOf = (ord: number): number =>
      queries.reduce((sum, query) => sum + 0.5 * Math.max(...documents[ord]!.map((each) => dot(query, each))), 0);
    const wanted = { k: 5, threshold: undefined, oversample: undefined, filter: undefined };
    const { hits } = await combine(components, wanted);
    const best = documents.map((_, ord) => ord).sort((a, b) => scoreOf(b) - scoreOf(a));
    for (const { ord, score } of hits) expect(score).toBeCloseTo(scoreOf(ord), 3);
    expect(hits.map(({ ord }) => ord)).toEqual(best.slice(0, 5));
    // The same from another process: what there is, the nearest of each component, and the scores of all of those.
    const loopback = new Loopback();
    const link = loopback.add((method, args) =>
      method === 'summary' ? summaryOfVectors(index) : answerVectors(index, method, args)
    );
    const standIn = new VectorStandIn({ summary: () => link.known('summary'), known: link.known });
    const away = components.map((_, i) =>
      new DenseComponent(new JoinedVectorIndex([standIn]), {
        vector: queries[i]!,
        metric: 'dot_product',
        algorithm: 'flat',
      }, 0.5)
    );
    expect((await loopback.request(() => combine(away, wanted))).hits).toEqual(hits);
    expect(loopback.rounds).toBeLessThanOrEqual(3);
    const filter = OrdSet.of(best.slice(2, 6));
    expect((await combine(components, { ...wanted, filter })).hits.map(({ ord }) => ord)).toEqual(best.slice(2, 6));
    const threshold = scoreOf(best[1]!) - 0.001;
    expect((await combine(components, { ...wanted, threshold })).hits).toHaveLength(2);
    await index.close();
  });
});
