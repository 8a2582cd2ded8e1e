import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddingError } from '../../../embedding/index.ts';
import { type FixtureOptions, Meaning, VectorFixture } from '../test-fixture.ts';
import type { VectorView } from '../view/vector-view.ts';

let fixture: VectorFixture;
beforeEach(async () => {
  fixture = await VectorFixture.open();
});
afterEach(() => fixture.close());

/** Opens another server in place of each test's own. */
async function reopen(options: FixtureOptions): Promise<void> {
  await fixture.close();
  fixture = await VectorFixture.open(options);
}

/** Three paragraphs, each of them a chunk; the second line of each is blank. */
const LONG =
  'Red apples grow on very old trees.\n\nBlue whales swim in cold deep seas.\n\nGreen tea is served with honey.\n';

describe('POST /v1/vector-search', () => {
  it('ranks documents by the similarity of their vectors, with score and place', async () => {
    await fixture.add('apples', 'red apples', { meta: { tags: ['fruit'] } });
    await fixture.add('pears', 'green pears');
    await fixture.add('both', 'red pears');
    const answer = await fixture.find('red apples');
    expect(answer.results[0]).toEqual({
      document: {
        id: 'c|apples|en',
        key: 'apples',
        lang: 'en',
        meta: { tags: ['fruit'] },
        addedAt: expect.any(Number) as number,
        updatedAt: expect.any(Number) as number,
      },
      score: 1,
      rank: 1,
    });
    expect(answer.results.map(({ rank }) => rank)).toEqual(answer.results.map((_, i) => i + 1));
    const scores = answer.results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(answer).toMatchObject({
      total: answer.results.length,
      model: 'words',
      dimensions: 32,
      algorithm: 'flat',
      distanceMetric: 'cosine',
      retrievalMode: 'parent',
    });
    expect(Number.isInteger(answer.searchStats.durationMs)).toBe(true);
    for (const absent of ['warnings', 'contextTruncated', 'responsePrompt']) expect(answer).not.toHaveProperty(absent);
  });

  it('finds what is in a circle alone', async () => {
    await fixture.add('near', 'red pears', { meta: { geo_lat: ['52.5163'], geo_lng: ['13.3777'] } });
    await fixture.add('far', 'red apples', { meta: { geo_lat: ['48.8566'], geo_lng: ['2.3522'] } });
    await fixture.add('nowhere', 'red apples');
    const geo = { lat: 52.5, lng: 13.4, radiusMeters: 50_000 };
    expect(await fixture.keys('red apples', { geo })).toEqual(['near']);
    expect((await fixture.find('red apples', { geo })).results).toMatchObject([{ distanceMeters: 2358.57 }]);
    expect((await fixture.find('red apples')).results[0]).not.toHaveProperty('distanceMeters');
    expect(await fixture.keys('red apples', { geo: { ...geo, radiusMeters: 2e6 }, topK: 1 })).toEqual(['far']);
  });

  it('narrows by ranges', async () => {
    for (const [key, year] of [['old', '1999'], ['new', '2020']])
      await fixture.add(key!, 'red apples', { meta: { year: [year!] } });
    await fixture.add('none', 'red apples');
    expect(await fixture.keys('red apples', { rangeMeta: [{ field: 'year', gte: 2000 }] })).toEqual(['new']);
    expect(await fixture.keys('red apples', { rangeMeta: [{ field: 'year', lt: 2000 }] })).toEqual(['old']);
    for (const rangeMeta of [[{ field: 'addedAt', gte: 'soon' }], { year: { gte: 1 } }])
      await expect(fixture.find('red apples', { rangeMeta })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('multiplies similarities by boosts, after the threshold', async () => {
    await fixture.add('near', 'red apples', { meta: { kind: ['common'] } });
    await fixture.add('raised', 'red pears', { meta: { kind: ['rare'] } });
    await fixture.add('far', 'blue whales', { meta: { kind: ['rare'] } });
    const plain = await fixture.find('red apples', { threshold: 0.1 });
    expect(plain.results.map(({ document }) => document.key)).toEqual(['near', 'raised']);
    const [near, raised] = plain.results.map(({ score }) => score) as [number, number];
    const boost = { 'kind:rare': 4, 'kind:common': -2 };
    const boosted = await fixture.find('red apples', { threshold: 0.1, boost });
    expect(boosted.results.map(({ document, score, rank }) => [document.key, score, rank])).toEqual([
      ['raised', expect.closeTo(4 * raised, 5), 1],
      ['near', expect.closeTo(near / 2, 5), 2],
    ]);
    expect(await fixture.keys('red apples', { threshold: 0.1, boost, topK: 1 })).toEqual(['raised']);
    expect(await fixture.keys('red apples', { threshold: 0.1, boost, retrievalMode: 'chunk' })).toEqual(['raised',
      'near']);
    const { nextCursor: cursor } = await fixture.find('red apples', { threshold: 0.1, boost, cursor: '*', limit: 1 });
    expect(await fixture.keys('red apples', { threshold: 0.1, boost, cursor })).toEqual(['near']);
    await expect(fixture.find('red apples', { cursor })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(fixture.find('red apples', { boost: { rare: 2 } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('metaKey:metaValue') as string,
    });
  });

  it('raises documents by boosts of different size that are not among the nearest', async () => {
    for (let i = 0; i < 8; i++) await fixture.add(`good${i}`, 'red apples', { meta: { kind: ['good'] } });
    await fixture.add('best', 'red pears', { meta: { kind: ['best'] } });
    const boost = { 'kind:good': 2, 'kind:best': 100 };
    expect((await fixture.keys('red apples', { boost, topK: 2 }))[0]).toBe('best');
  });

  it('searches with a vector, which goes before a text and needs no provider', async () => {
    await fixture.add('apples', 'red apples');
    await fixture.add('whales', 'blue whales');
    const queryVector = fixture.meaning.vectorOf('blue whales');
    expect(await fixture.keys('red apples', { queryVector, topK: 1 })).toEqual(['whales']);
    expect(fixture.meaning.queries).toEqual([]);
    const without = await fixture.crashed({ embedding: { provider: 'none' } });
    expect(await without.call('searchVectors', { collection: 'c', queryVector, topK: 1 })).toMatchObject({
      results: [{ document: { key: 'whales' } }],
      model: 'words',
      dimensions: 32,
    });
    await expect(without.find('blue whales')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'embedding provider not configured',
    });
    await expect(without.call('searchVectors', { collection: 'unknown', query: 'q' })).rejects.toMatchObject({
      message: 'embedding provider not configured',
    });
    await without.close();
  });

  it('knows nothing of an unknown collection, and calls no provider for it', async () => {
    expect(await fixture.call('searchVectors', { collection: 'unknown', query: 'q' })).toMatchObject({
      results: [],
      total: 0,
      model: 'words',
      dimensions: 32,
      algorithm: 'flat',
    });
    expect(await fixture.call('searchVectors', { collection: 'unknown', queryVector: [1, 2] })).toMatchObject({
      results: [],
      model: '',
      dimensions: 2,
    });
    expect(fixture.meaning.queries).toEqual([]);
  });

  it.each([['no query', {}, 'missing_fields', 'query or queryVector'], ['a blank query', { query: ' \n' },
    'missing_fields', 'query or queryVector'], ['another dimension', { queryVector: [1, 2, 3] }, 'invalid_argument',
    "queryVector must have 32 numbers, as the collection's vectors, got 3"], ['no direction', {
    queryVector: Array.from({ length: 32 }, () => 0),
  }, 'invalid_argument', 'queryVector must not be all zeros'], ['numbers that are too large', {
    queryVector: Array.from({ length: 32 }, () => 1e200),
    distanceMetric: 'dot_product',
  }, 'invalid_argument', 'queryVector must have numbers up to'], ['an unknown algorithm', {
    query: 'q',
    algorithm: 'magic',
  }, 'invalid_argument', 'algorithm'], ['a topK of 0', { query: 'q', topK: 0 }, 'invalid_argument', 'topK'], [
    'too many values of a filter',
    {
      query: 'q',
      filterMeta: Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [`k${i}`, Array.from({ length: 26 }, (_each, j) => `${j}`)]),
      ),
    },
    'invalid_argument',
    'filterMeta',
  ]])('refuses %s', async (_, input, code, message) => {
    await fixture.add('apples', 'red apples');
    await expect(fixture.call('searchVectors', { collection: 'c', ...input })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  it('measures the cosine to vectors of any length alike', async () => {
    await fixture.add('apples', 'red apples');
    for (const scale of [1, 1e-300, 1e200]) {
      const queryVector = fixture.meaning.vectorOf('red apples').map((number) => number * scale);
      expect((await fixture.call('searchVectors', { collection: 'c', queryVector })).results[0]!.score).toBeCloseTo(1,
        6);
    }
  });

  it('says that the provider failed, and holds no place while it waits for it', async () => {
    await fixture.add('apples', 'red apples');
    const held = Promise.withResolvers<void>();
    fixture.meaning.held = held.promise;
    const waiting = fixture.find('red');
    await expect.poll(() => fixture.meaning.queries).toEqual(['red']);
    // The gate has a single place.
    expect(
      (await fixture.call('searchVectors', { collection: 'c', queryVector: fixture.meaning.vectorOf('red') })).total,
    ).toBe(1);
    fixture.meaning.failure = () => new EmbeddingError('connection refused', { retryable: true });
    held.resolve();
    await expect(waiting).rejects.toMatchObject({
      code: 'unavailable',
      message: 'embedding failed: connection refused',
    });
  });

  it('leaves out what scores less than the threshold, is filtered, or has expired', async () => {
    await fixture.add('a', 'red apples', { meta: { kind: ['fruit'] } });
    await fixture.add('b', 'red apples fall', { meta: { kind: ['story'] } });
    await fixture.add('c', 'red apples rot', { ttl: 10 });
    await fixture.add('d', 'submarine engines');
    expect(await fixture.keys('red apples', { threshold: 0.5 })).toEqual(['a',
      ...(await fixture.keys('red apples', { topK: 3 })).slice(1)]);
    expect(await fixture.keys('red apples', { filterMeta: { kind: ['story'] } })).toEqual(['b']);
    expect(await fixture.keys('red apples', { filterMeta: { kind: [] } })).toEqual([]);
    fixture.advance(11);
    expect(await fixture.keys('red apples', { topK: 2 })).toEqual(['a', 'b']);
  });

  it('counts facets over the candidates, whatever the page', async () => {
    for (const [key, kind] of [['a', 'fruit'], ['b', 'fruit'], ['c', 'tree']])
      await fixture.add(key!, `red apples ${key}`, { meta: { kind: [kind!] } });
    const facets = {
      kind: [{ value: 'fruit', count: 2 }, { value: 'tree', count: 1 }],
      lang: [{ value: 'en', count: 3 }],
      none: [],
    };
    for (const more of [{ topK: 1 }, { topK: 1, offset: 2, fields: ['key'] }, { retrievalMode: 'chunk' }, {
      sort: 'kind:desc',
      topK: 2,
    }, { mmr: true }]) {
      expect((await fixture.find('red apples', { facetBy: ['kind', 'lang', 'none'], ...more })).facets).toEqual(facets);
    }
    const threshold = (await fixture.find('red apples a', { topK: 1 })).results[0]!.score - 1e-6;
    expect((await fixture.find('red apples a', { facetBy: ['kind'], threshold })).facets).toEqual({
      kind: [{ value: 'fruit', count: 1 }],
    });
    expect(await fixture.find('red apples')).not.toHaveProperty('facets');
  });

  it('shows of a document what is asked for (decision D-40)', async () => {
    await fixture.add('a', 'red apples', { meta: { kind: ['fruit'], tags: ['x'] } });
    const shown = async (more: object) => (await fixture.find('red', more)).results[0]!.document;
    expect(await shown({})).not.toHaveProperty('contentMd');
    expect(await shown({ includeContent: true })).toMatchObject({ contentMd: 'red apples', meta: { kind: ['fruit'] } });
    expect(await shown({ fields: ['kind'] })).toEqual({
      id: 'c|a|en',
      key: 'a',
      lang: 'en',
      meta: { kind: ['fruit'] },
    });
    expect(await shown({ fields: ['contentMd'] })).toEqual({
      id: 'c|a|en',
      key: 'a',
      lang: 'en',
      contentMd: 'red apples',
    });
    expect(await shown({ fields: ['kind'], includeContent: true })).toMatchObject({ contentMd: 'red apples' });
  });

  it.each(['dot_product', 'euclidean'] as const)('measures by %s', async (distanceMetric) => {
    await fixture.add('a', 'red apples');
    await fixture.add('b', 'blue whales');
    const queryVector = fixture.meaning.vectorOf('red apples').map((number) => number * 2);
    const { results, distanceMetric: said } = await fixture.call('searchVectors', {
      collection: 'c',
      queryVector,
      distanceMetric,
    });
    expect([results[0]!.document.key, said]).toEqual(['a', distanceMetric]);
    expect(results[0]!.score).toBeCloseTo(distanceMetric === 'dot_product' ? 1 : 1 / 2, 5);
  });

  it.each(['cosine', 'dot_product', 'euclidean'] as const)(
    'has bounded scores by %s that fall from result to result, and leaves out what is below the threshold (decision D-213)',
    async (distanceMetric) => {
      for (const text of ['red apples', 'red whales', 'blue whales', 'apples grow', 'the market fell'])
        await fixture.add(text, text);
      for (const factor of [1, 1000, 1e-20]) {
        const queryVector = fixture.meaning.vectorOf('red apples').map((number) => number * factor);
        const { results } = await fixture.call('searchVectors', {
          collection: 'c',
          queryVector,
          distanceMetric,
          topK: 9,
        });
        const scores = results.map(({ score }) => score);
        expect(Math.max(...scores)).toBeLessThanOrEqual(1);
        expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
        expect(scores.toSorted((a, b) => b - a)).toEqual(scores);
        const threshold = Math.min(1, scores[1]!);
        const above = await fixture.call('searchVectors', {
          collection: 'c',
          queryVector,
          distanceMetric,
          topK: 9,
          threshold: threshold - 1e-6,
        });
        expect(above.results.every(({ score }) => score >= threshold - 1e-5)).toBe(true);
        if (distanceMetric !== 'euclidean') expect(scores[0]).toBeCloseTo(1, 5);
      }
    },
  );

  it('drops results from the end of a budget of tokens, never the first', async () => {
    for (const key of ['a', 'b', 'c']) await fixture.add(key, 'red apples'.padEnd(40, '.'));
    const answer = await fixture.find('red apples', { includeContent: true, contextTokenBudget: 20 });
    expect(answer).toMatchObject({ total: 2, contextTruncated: true });
    expect((await fixture.find('red apples', { includeContent: true, contextTokenBudget: 1 })).total).toBe(1);
    expect(await fixture.find('red apples', { contextTokenBudget: 1 })).not.toHaveProperty('contextTruncated');
  });

  it('follows the request, then the profile of the collection, then the defaults', async () => {
    for (let i = 0; i < 7; i++) await fixture.add(`k${i}`, `${LONG} ${i}`);
    expect(await fixture.find('red apples')).toMatchObject({ total: 5, retrievalMode: 'parent' });
    const retrieval = { topK: 2, retrievalMode: 'chunk', contextTokenBudget: 5, oversample: 2 };
    await fixture.call('setCollectionConfig', {
      collection: 'c',
      retrieval,
      responsePrompt: 'Answer {{query}} from {{collection}} {{else}}',
    });
    expect(await fixture.find('red apples')).toMatchObject({
      total: 1,
      contextTruncated: true,
      retrievalMode: 'chunk',
      responsePrompt: 'Answer red apples from c {{else}}',
    });
    expect(await fixture.find('red apples', { topK: 3, retrievalMode: 'parent', contextTokenBudget: 0 })).toMatchObject(
      { total: 3, retrievalMode: 'parent' },
    );
  });
});

describe('passages', () => {
  const passages = async (query: string, more: object = {}) =>
    (await fixture.find(query, { retrievalMode: 'chunk', ...more })).results.map((
      { document: { key }, chunkIndex, chunkText, startLine, endLine },
    ) => ({ key, chunkIndex, chunkText, startLine, endLine }));

  it('are results of their own in the mode chunk, with their text and lines', async () => {
    await fixture.add('a', LONG);
    expect(await passages('blue whales swim in cold deep seas', { topK: 1 })).toEqual([{
      key: 'a',
      chunkIndex: 1,
      chunkText: 'Blue whales swim in cold deep seas.',
      startLine: 3,
      endLine: 3,
    }]);
    expect((await passages('red', { threshold: 0 })).length).toBeGreaterThan(0);
    expect((await fixture.find('blue whales', { retrievalMode: 'chunk', topK: 1 })).results[0]!.document).not
      .toHaveProperty('contentMd');
    expect(
      (await fixture.find('blue whales', { retrievalMode: 'chunk', topK: 1, includeContent: true })).results[0]!
        .document.contentMd,
    ).toBe(LONG);
    expect((await fixture.find('blue whales')).results).toHaveLength(1);
  });

  it('have their neighbours in the mode window, overlapping ones merged', async () => {
    await fixture.add('a', `${LONG}\nYellow birds sing in the early morning.\n\nBlack cats sleep on the warm stove.\n`);
    const [window] = await passages('red apples grow on very old trees', {
      retrievalMode: 'window',
      topK: 1,
      threshold: 0.99,
    });
    expect(window).toEqual({
      key: 'a',
      chunkIndex: 0,
      chunkText: LONG.slice(0, LONG.indexOf('.\n\nGreen') + 1),
      startLine: 1,
      endLine: 3,
    });
    const all = await passages('red apples', { retrievalMode: 'window', windowSize: 10 });
    expect(all).toMatchObject([{ startLine: 1, endLine: 9 }]);
  });

  it('that are merged leave room for windows of other documents', async () => {
    await fixture.add('a',
      Array.from({ length: 20 }, (_, i) => `Red apples grow on very old trees ${i}.`).join('\n\n'));
    await fixture.add('b', 'Red apples.');
    const found = await passages('red apples grow on very old trees', {
      retrievalMode: 'window',
      windowSize: 10,
      topK: 2,
      oversample: 1,
    });
    expect(found.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(found[0]).toMatchObject({ startLine: 1 });
  });

  it('are cut at bytes, so that any script stays whole', async () => {
    const text =
      'Äpfel wachsen auf sehr alten Bäumen.\n\n鯨は冷たい海を泳ぎます。とても大きいです。\n\n🍵 wird mit Honig serviert, sehr süß.\n';
    await fixture.add('a', text);
    const found = await passages('Honig süß 鯨は冷たい海を泳ぎます', { queryVector: undefined });
    for (const { chunkText } of found) expect(text).toContain(chunkText);
    expect((await passages('wird mit Honig serviert sehr süß', { topK: 1 }))[0]).toMatchObject({
      chunkText: '🍵 wird mit Honig serviert, sehr süß.',
      startLine: 5,
    });
  });

  it('count with their text against a budget', async () => {
    await fixture.add('a', LONG);
    expect(await fixture.find('red apples blue whales green tea', { retrievalMode: 'chunk', contextTokenBudget: 10 }))
      .toMatchObject({ total: 1, contextTruncated: true });
  });

  it('of a document that was written since are left out, while the document is found', async () => {
    for (let i = 0; i < 12; i++) await fixture.add(`old${i}`, LONG);
    await fixture.add('fresh', `${LONG} Fresh.`);
    for (let i = 0; i < 12; i++) await fixture.addUnembedded(`old${i}`, `Rewritten text number ${i}.`);
    expect(
      await fixture.keys('blue whales swim in cold deep seas', { retrievalMode: 'chunk', topK: 2, threshold: 0.9 }),
    ).toEqual(['fresh']);
    expect(
      await fixture.keys('blue whales swim in cold deep seas', { retrievalMode: 'window', topK: 2, threshold: 0.9 }),
    ).toEqual(['fresh']);
    expect(await fixture.keys('blue whales swim in cold deep seas', { topK: 3 })).toEqual(['old0', 'old1', 'old2']);
    await fixture.add('old3', `${LONG}\nAnd more of it.`);
    expect(await fixture.keys('blue whales swim in cold deep seas', { retrievalMode: 'chunk', topK: 2 })).toEqual([
      'old3',
      'fresh',
    ]);
  });
});

describe('maximal marginal relevance', () => {
  it('prefers results that differ from each other', async () => {
    for (const key of ['a1', 'a2', 'a3']) await fixture.add(key, 'red apples');
    await fixture.add('b', 'red whales');
    expect(await fixture.keys('red apples', { topK: 2 })).toEqual(['a1', 'a2']);
    expect(await fixture.keys('red apples', { topK: 2, mmr: true, mmrLambda: 0.3 })).toEqual(['a1', 'b']);
    expect(await fixture.keys('red apples', { topK: 2, mmr: true, mmrLambda: 1 })).toEqual(['a1', 'a2']);
  });

  it('chooses among passages, too', async () => {
    await fixture.add('a', LONG);
    await fixture.add('b', LONG);
    const found = (await fixture.find('red apples grow on very old trees', {
      retrievalMode: 'chunk',
      topK: 2,
      mmr: true,
      oversample: 10,
      mmrLambda: 0.3,
    })).results;
    expect(found.map(({ chunkIndex }) => chunkIndex)).toHaveLength(2);
    expect(found[0]!.chunkIndex).toBe(0);
    expect(found[1]!.chunkIndex).not.toBe(0);
  });
});

describe('algorithms', () => {
  const ALGORITHMS = ['flat', 'hnsw', 'ivf', 'pq', 'opq', 'sq', 'sq4', 'bq', 'quantized'] as const;

  it('all find what there is, whatever the size of the collection', async () => {
    await fixture.add('a', 'red apples');
    await fixture.add('b', 'blue whales');
    for (const algorithm of ALGORITHMS)
      expect(await fixture.keys('red apples', { algorithm, topK: 1 }), algorithm).toEqual(['a']);
  });

  it('are what the request says, then the quantization, then the server', async () => {
    await reopen({ vectors: { defaultAlgorithm: 'sq' } });
    await fixture.add('a', 'red apples');
    const used = async (more: object = {}) => (await fixture.find('red', more)).algorithm;
    const asked = async (more: object = {}) => {
      const search = vi.spyOn((fixture.vectors.view as VectorView).indexOf('c')!.of('')!, 'search');
      await fixture.find('red', more);
      return search.mock.calls.at(-1)![0].algorithm;
    };
    expect([await asked(), await asked({ algorithm: 'hnsw' }), await asked({ algorithm: 'flat' })]).toEqual(['sq',
      'hnsw', 'flat']);
    expect([await used(), await used({ algorithm: 'hnsw' })], 'so few are scanned').toEqual(['flat', 'flat']);
    await fixture.call('setCollectionConfig', { collection: 'c', quantization: 'int8' });
    expect(await used()).toBe('flat');
    await fixture.call('reindexVectors', { collection: 'c', force: true });
    expect(await used()).toBe('quantized');
  });

  it('score every vector by its own stored type (decision D-41)', async () => {
    await fixture.add('a', 'red apples');
    await fixture.call('setCollectionConfig', { collection: 'c', quantization: 'int8' });
    await fixture.add('b', 'red apples fall');
    await fixture.call('setCollectionConfig', { collection: 'c', quantization: 'int4' });
    await fixture.add('d', 'red apples rot');
    const exact = (text: string) =>
      fixture.meaning.vectorOf('red apples').reduce(
        (sum, number, i) => sum + number * fixture.meaning.vectorOf(text)[i]!,
        0,
      );
    const { results } = await fixture.find('red apples');
    const scores = Object.fromEntries(results.map(({ document: { key }, score }) => [key, score]));
    expect(scores['a']).toBe(1);
    expect(Math.abs(scores['b']! - exact('red apples fall'))).toBeLessThan(0.01);
    expect(Math.abs(scores['d']! - exact('red apples rot'))).toBeLessThan(0.1);
    expect(scores['d']).not.toBeCloseTo(exact('red apples rot'), 6);
  });

  it('rescore with full vectors where only codes are in memory (decision D-42)', async () => {
    await fixture.call('setCollectionConfig', { collection: 'c', quantization: 'int4', diskOnlyVectors: true });
    for (const text of ['apples', 'whales', 'tea']) await fixture.add(text, `red ${text}`);
    const { results, algorithm } = await fixture.find('red apples');
    expect([results[0]!.document.key, results[0]!.score, algorithm]).toEqual(['apples', 1, 'quantized']);
  });
});

describe('searches beside writes', () => {
  it('return documents that are there, each once, while types, models and bodies change', async () => {
    for (let i = 0; i < 20; i++) await fixture.add(`k${i}`, `red apples ${i}`);
    let isOver = false;
    const write = async (): Promise<void> => {
      for (let round = 0; round < 4; round++) {
        await fixture.call('setCollectionConfig', {
          collection: 'c',
          quantization: (['int8', 'int4', 'float32', 'int8'] as const)[round]!,
          diskOnlyVectors: round < 2,
        });
        await fixture.call('reindexVectors', { collection: 'c', force: true });
        for (let i = 0; i < 10; i++)
          await fixture.call('addDocument', {
            collection: 'c',
            key: `k${i}`,
            lang: 'en',
            contentMd: `red apples ${round} ${i}`,
          });
        for (let i = 10; i < 15; i++)
          await fixture.call('deleteDocument', { collection: 'c', key: `k${i}`, lang: 'en' });
        for (let i = 10; i < 15; i++)
          await fixture.call('addDocument', {
            collection: 'c',
            key: `k${i}`,
            lang: 'en',
            contentMd: `red apples ${round} ${i}`,
          });
      }
      isOver = true;
    };
    const search = async (): Promise<number> => {
      let searches = 0;
      for (; !isOver; searches++) {
        const retrievalMode = (['parent', 'chunk', 'window'] as const)[searches % 3]!;
        const { results } = await fixture.find('red apples', {
          topK: 10,
          retrievalMode,
          includeContent: true,
          mmr: searches % 2 === 1,
          algorithm: (['flat', 'hnsw', 'sq'] as const)[searches % 3]!,
        });
        const keys = results.map(({ document: { key } }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { document: { contentMd }, chunkText } of results)
          expect(contentMd).toContain(chunkText ?? 'red apples');
        await new Promise(setImmediate);
      }
      return searches;
    };
    const [, searches] = await Promise.all([write(), search()]);
    expect(searches).toBeGreaterThan(3);
    await fixture.caughtUp();
    expect(await fixture.find('red apples', { topK: 50 })).toMatchObject({ total: 20 });
  });
});

describe('vectors of several models', () => {
  it('are compared with those of their own alone, and the response says what was left out', async () => {
    await fixture.add('a', 'red apples');
    await fixture.add('b', 'red apples, too');
    const later = await fixture.crashed({ meaning: new Meaning('other words') });
    expect(await later.find('red apples')).toMatchObject({
      results: [],
      model: 'other words',
      warnings: [
        'the vectors of 2 documents were not compared: they are of another model or variant than the query; POST ' +
        '/v1/vector-reindex embeds them again',
      ],
    });
    await later.add('n', 'red apples');
    expect(await later.find('red apples')).toMatchObject({
      total: 1,
      results: [{ document: { key: 'n' } }],
      warnings: [expect.stringContaining('2 documents') as string],
    });
    const byVector = await later.call('searchVectors', {
      collection: 'c',
      queryVector: later.meaning.vectorOf('red apples'),
    });
    expect([byVector.total, byVector.model, 'warnings' in byVector]).toEqual([3, 'words', false]);
    await later.call('reindexVectors', { collection: 'c' });
    expect(await later.find('red apples')).not.toHaveProperty('warnings');
    expect(await later.keys('red apples', { topK: 2 })).toEqual(['a', 'n']);
    await later.close();
  });

  it('may have several dimensions, of which a query meets its own', async () => {
    await fixture.add('a', 'red apples');
    const later = await fixture.crashed({ meaning: new Meaning('words', 8) });
    expect(await later.find('red apples')).toMatchObject({
      results: [],
      dimensions: 8,
      warnings: [expect.stringContaining('1 document were') as string],
    });
    await later.add('n', 'red apples');
    expect(await later.keys('red apples')).toEqual(['n']);
    const byVector = await later.call('searchVectors', {
      collection: 'c',
      queryVector: fixture.meaning.vectorOf('red apples'),
    });
    expect(byVector).toMatchObject({
      total: 1,
      dimensions: 32,
      warnings: ['the vectors of 1 document were not compared: they have another dimension than queryVector'],
    });
    await expect(later.call('searchVectors', { collection: 'c', queryVector: [1] })).rejects.toMatchObject({
      message: expect.stringContaining('8 or 32 numbers') as string,
    });
    await later.close();
  });
});
