import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HybridResult, VectorResult } from '../../../generated/docs/sdk/types.gen.ts';
import { seededRandom } from '../../testkit/crash/random.ts';
import { HybridFixture } from './test-fixture.ts';

const WORDS = ['red', 'blue', 'green', 'apples', 'whales', 'tea', 'coffee', 'rain', 'stone', 'lamp'];
/** More documents than candidates of the first page. */
const DOCUMENTS = 240;

let fixture: HybridFixture;
beforeAll(async () => {
  fixture = await HybridFixture.open();
  const { integer } = seededRandom(11);
  const any = (count: number): number => integer(0, count - 1);
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
    key: `k${i}`,
    lang: 'en',
    contentMd: Array.from({ length: 3 + any(20) }, () => WORDS[any(WORDS.length)]).join(' '),
    meta: { kind: [String(i % 3)], geo_lat: [String(52 + any(1000) / 1000)], geo_lng: [String(13 + any(1000) / 1000)] },
  }));
  await fixture.call('addDocuments', { collection: 'c', documents });
  await fixture.base.caughtUp();
});
afterAll(() => fixture.close());

/** All pages by offset, until one is empty. */
async function walk(limit: number, more: object, operation: 'searchHybrid' | 'searchVectors' = 'searchHybrid') {
  const all: Partial<HybridResult & VectorResult>[] = [];
  for (;;) {
    // Scores of the Euclidean distance are positive, so that every document is a result.
    const { results } = await fixture.call(operation, {
      collection: 'c',
      query: 'red apples tea',
      distanceMetric: 'euclidean',
      limit,
      offset: all.length,
      ...more,
    }) as { results: typeof all };
    if (results.length === 0) return all as Required<(typeof all)[number]>[];
    all.push(...results);
  }
}

describe('pages by offset', () => {
  it.each([[10, {}], [7, { strategy: 'rrf' }], [10, { alpha: 0.3 }], [10, { boost: { 'title:none': 2 } }], [30, {
    rerank: 'none',
    oversample: 1,
  }], [10, { sort: 'distance', geo: { lat: 52.5, lng: 13.4, radiusMeters: 2e6 } }], [25, { sort: 'key:asc' }]])(
    'of %i results have every document once, in the order of their ranks (%j)',
    async (limit, more) => {
      const all = await walk(limit, more);
      expect(all.map(({ rank }) => rank)).toEqual(all.map((_, i) => i + 1));
      const keys = all.map(({ document: { key } }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.length).toBe(DOCUMENTS);
    },
  );

  it.each(['chunk', 'window'])('repeat no passage in the mode %s', async (retrievalMode) => {
    const all = await walk(10, { retrievalMode });
    const names = all.map(({ document: { key }, chunkIndex }) => `${key} ${chunkIndex}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(all.map(({ document: { key } }) => key)).size).toBe(DOCUMENTS);
  });

  it.each([[7, {}], [10, { distanceMetric: 'cosine' }], [10, { mmr: true, mmrLambda: 0.3 }], [5, {
    retrievalMode: 'chunk',
  }], [5, { retrievalMode: 'window' }], [10, { retrievalMode: 'window', mmr: true }], [25, { sort: 'key:asc' }], [10, {
    boost: { 'kind:1': 3, 'kind:2': -2 },
  }], [5, { retrievalMode: 'window', boost: { 'kind:1': 3 } }], [10, { mmr: true, boost: { 'kind:2': 2 } }]])(
    'of vector search (%i) neither repeat nor lose a result (%j)',
    async (limit, more) => {
      const all = await walk(limit, more, 'searchVectors');
      expect(all.map(({ rank }) => rank)).toEqual(all.map((_, i) => i + 1));
      const names = all.map(({ document: { key }, chunkIndex }) => `${key} ${chunkIndex ?? ''}`);
      expect(new Set(names).size).toBe(names.length);
      const whole = await fixture.call('searchVectors', {
        collection: 'c',
        query: 'red apples tea',
        distanceMetric: 'euclidean',
        limit: 1000,
        ...more,
      });
      const keysOf = (results: readonly { readonly document: { readonly key: string } }[]) =>
        [...new Set(results.map(({ document: { key } }) => key))].sort();
      expect(keysOf(all)).toEqual(keysOf(whole.results));
    },
  );
});
