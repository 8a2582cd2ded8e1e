import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../embedding/index.ts';
import { Meaning } from '../vectors/test-fixture.ts';
import { HybridFixture, keysOf, recomputed } from './test-fixture.ts';

const WORDS = ['red', 'green', 'apple', 'pear', 'tree', 'sea'];

describe('POST /v1/hybrid-search over several languages', () => {
  it('reads its query for each document in the language of that (decision D-144)', async () => {
    const fixture = await HybridFixture.open();
    await fixture.add('de', 'Alte Häuser stehen leer', {}, { lang: 'de' });
    await fixture.add('en', 'Hauser was running', {}, { lang: 'en' });
    const found = async (query: string) =>
      (await fixture.find(query, { alpha: 0 })).results.map((
        { document: { key }, matchedTerms },
      ) => [key, ...matchedTerms]);
    expect(await found('Haus')).toEqual([['de', 'haus']]);
    expect(await found('runs')).toEqual([['en', 'runs']]);
    await fixture.close();
  });
});

describe('POST /v1/hybrid-search with ranges', () => {
  it('narrows both sides', async () => {
    const fixture = await HybridFixture.open();
    for (const year of ['1999', '2020']) await fixture.add(year, 'red apples', { year: [year] });
    for (const alpha of [0, 0.5, 1]) {
      expect(await fixture.keys('red apples', { alpha, rangeMeta: [{ field: 'year', gte: 2000 }] })).toEqual(['2020']);
      expect(await fixture.keys('red apples', { alpha, rangeMeta: [{ field: 'year', lt: 2000 }] })).toEqual(['1999']);
    }
    await expect(fixture.find('red', { rangeMeta: [{ field: 'addedAt', gte: 'soon' }] })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await fixture.close();
  });
});

describe('POST /v1/hybrid-search over a set of documents', () => {
  let fixture: HybridFixture;
  const texts = Array.from({ length: 24 },
    (_, i) => WORDS.filter((_, bit) => (((i + 3) * 7) >> bit) & 1).join(' ') || 'nothing');
  beforeAll(async () => {
    fixture = await HybridFixture.open();
    for (const [i, text] of texts.entries()) {
      await fixture.write(`d${i}`, text, {
        kind: [i % 3 === 0 ? 'a' : 'b'],
        ...(i % 2 === 0 && { geo_lat: [`${50 + i / 100}`], geo_lng: ['10'] }),
      });
    }
    await fixture.base.caughtUp();
  });
  afterAll(() => fixture.close());

  const requests = fc.record({
    query: fc.subarray(WORDS, { minLength: 1 }).map((words) => words.join(' ')),
    strategy: fc.constantFrom('alpha', 'rrf'),
    alpha: fc.constantFrom(0, 0.2, 0.5, 0.9, 1),
    rrfK: fc.integer({ min: 1, max: 100 }),
    topK: fc.integer({ min: 1, max: 30 }),
    algorithm: fc.constantFrom('bm25', 'bm25f', 'pmisparse'),
    distanceMetric: fc.constantFrom('cosine', 'dot_product', 'euclidean'),
    threshold: fc.constantFrom(0, 0.3),
    retrievalMode: fc.constantFrom('parent', 'chunk', 'window'),
    sort: fc.constantFrom('combined', 'distance'),
    boost: fc.constantFrom({}, { 'kind:a': 3 }, { 'kind:a': -2 }),
    filterMeta: fc.constantFrom({}, { kind: ['b'] }),
    geo: fc.constant({ lat: 50, lng: 10, radiusMeters: 20_000_000 }),
  });

  it('returns components from which every combined score can be computed, best first or nearest first, in every mode', async () => {
    await fc.assert(fc.asyncProperty(requests, async ({ query, ...more }) => {
      const answer = await fixture.find(query, more);
      expect(answer).toMatchObject({
        strategy: more.strategy,
        alpha: more.alpha,
        rrfK: more.rrfK,
        total: answer.results.length,
      });
      for (const [i, result] of answer.results.entries()) {
        expect(Math.abs(result.combinedScore - recomputed(answer, result))).toBeLessThan(1e-6);
        for (const score of [result.ftsScore, result.vectorScore]) expect(score >= 0 && score <= 1).toBe(true);
        expect([result.ftsScore > 0, result.rank]).toEqual([result.ftsRank !== undefined, i + 1]);
        if (more.filterMeta.kind) expect(result.document.meta!['kind']).toEqual(['b']);
        const before = answer.results[i - 1];
        if (before === undefined) continue;
        if (more.sort === 'combined') expect(before.combinedScore).toBeGreaterThanOrEqual(result.combinedScore);
        else expect(before.distanceMeters!).toBeLessThanOrEqual(result.distanceMeters!);
      }
    }), { numRuns: 60 });
  });

  it.each(['bm25', 'bm25f', 'pmisparse'])('counts words as often as the query has them, with %s', async (algorithm) => {
    const keys = async (query: string) => keysOf(await fixture.find(query, { alpha: 0, topK: 24, algorithm }));
    const often = await keys('pear sea sea sea sea sea sea sea sea');
    expect(often).toEqual((await fixture.call('searchFullText', {
      collection: 'c',
      query: 'sea pear sea sea sea sea sea sea sea',
      algorithm,
      rerank: false,
      limit: 24,
    })).results.map(({ document }) => document.key));
    expect(often).not.toEqual(await keys('pear sea'));
  });

  it.each(['bm25', 'bm25f', 'pmisparse'])('scores words and meaning as the two searches do by themselves, with %s',
    async (algorithm) => {
      const query = 'red pear tree';
      const answer = await fixture.find(query, { topK: 50, alpha: 0.5, algorithm });
      const words = await fixture.call('searchFullText', {
        collection: 'c',
        query,
        algorithm,
        rerank: false,
        limit: 100,
      });
      const meaning = await fixture.call('searchVectors', { collection: 'c', query, topK: 100, threshold: 0 });
      const best = words.results[0]!.score;
      for (const { document: { key }, ftsScore, vectorScore, matchedTerms } of answer.results) {
        const word = words.results.find(({ document }) => document.key === key);
        expect(ftsScore).toBeCloseTo((word?.score ?? 0) / best, 6);
        expect(matchedTerms).toEqual(word?.matchedTerms ?? []);
        expect(vectorScore).toBeCloseTo(meaning.results.find(({ document }) => document.key === key)?.score ?? 0, 6);
      }
      const found = new Set([...words.results, ...meaning.results].map(({ document }) => document.key));
      expect(new Set(keysOf(answer))).toEqual(found);
    });

  it('ranks words as full-text search does where nobody says how to weigh the sides', async () => {
    const query = 'red pear tree';
    const usual = await fixture.find(query, { topK: 50 });
    const words = await fixture.call('searchFullText', { collection: 'c', query, algorithm: 'bm25', limit: 100 });
    const best = words.results[0]!.score;
    for (const { document: { key }, ftsScore } of usual.results)
      expect(ftsScore).toBeCloseTo((words.results.find(({ document }) => document.key === key)?.score ?? 0) / best, 6);
    expect(usual.strategy).toBe('alpha');
    for (const result of usual.results)
      expect(result.combinedScore).toBeGreaterThanOrEqual(recomputed(usual, result) - 1e-6);
  });

  it(
    'finds what one side alone finds, by its weight: 0 is words only, without a vector asked for, and 1 is meaning ' +
      'only',
    async () => {
      const asked = fixture.base.meaning.queries.length;
      const byWords = await fixture.find('apple', { alpha: 0, topK: 50 });
      expect(byWords.alpha).toBe(0);
      expect(byWords.results.every(({ ftsScore, vectorScore, combinedScore }) =>
        ftsScore > 0 && vectorScore === 0 && combinedScore === ftsScore
      )).toBe(true);
      expect(fixture.base.meaning.queries.length).toBe(asked);
      const byMeaning = await fixture.find('apple', { alpha: 1, topK: 50, threshold: 0.5 });
      expect(byMeaning.results.every(({ vectorScore, combinedScore }) =>
        vectorScore >= 0.5 && combinedScore === vectorScore
      )).toBe(true);
      expect(byMeaning.results.length).toBeGreaterThan(0);
    },
  );

  it('counts facets over every document that words match and the candidates by meaning, before the limit', async () => {
    const all = await fixture.find('apple', { topK: 50 });
    const { facets, results } = await fixture.find('apple', { topK: 1, facetBy: ['kind', 'lang', 'none'] });
    const kinds = Map.groupBy(all.results, ({ document }) => document.meta!['kind']![0]!);
    expect(results).toHaveLength(1);
    expect(facets).toEqual({
      kind: [...kinds].map(([value, { length: count }]) => ({ value, count })).sort((a, b) => b.count - a.count),
      lang: [{ value: 'en', count: all.total }],
      none: [],
    });
    expect(await fixture.find('apple', { topK: 1 })).not.toHaveProperty('totalMatches');
    for (const totals of ['exact', 'bounded'])
      expect((await fixture.find('apple', { topK: 1, totals })).totalMatches).toBe(all.total);
    expect((await fixture.find('apple', { totals: 'exact', alpha: 0 })).totalMatches).toBe(
      (await fixture.call('searchFullText', { collection: 'c', query: 'apple' })).totalMatches,
    );
  });

  it('marks the words of its query as full-text search does, in every mode', async () => {
    const marked = { highlight: true, highlightTag: '<b>', fields: ['key'] };
    const words = await fixture.call('searchFullText', {
      collection: 'c',
      query: 'apple pears',
      limit: 100,
      ...marked,
    });
    const expected = new Map(words.results.map(({ document, highlights }) => [document.key, highlights]));
    for (const retrievalMode of ['parent', 'chunk', 'window']) {
      const { results } = await fixture.find('apple pears', { topK: 100, retrievalMode, ...marked });
      expect(results.length).toBeGreaterThanOrEqual(expected.size);
      for (const { document, highlights } of results) {
        expect(highlights, document.key).toEqual(expected.get(document.key) ?? []);
        expect(document).not.toHaveProperty('contentMd');
      }
    }
    const [best] = (await fixture.find('apple', { topK: 1 })).results;
    expect(best).not.toHaveProperty('highlights');
  });
});

describe('POST /v1/hybrid-search', () => {
  let fixture: HybridFixture;
  beforeEach(async () => {
    fixture = await HybridFixture.open();
  });
  afterEach(() => fixture.close());

  it('multiplies both sides by boosts before they are normalised', async () => {
    for (const [key, kind] of [['a', 'plain'], ['b', 'raised'], ['c', 'lowered']] as const)
      await fixture.write(key, 'red apple', { kind: [kind] });
    await fixture.base.caughtUp();
    const { results } = await fixture.find('red apple', { boost: { 'kind:raised': 2, 'kind:lowered': -2 } });
    expect(results.map(({ document: { key }, ftsScore, vectorScore }) => [key, ftsScore, vectorScore])).toEqual([['b',
      1, 1], ['a', 0.5, 0.5], ['c', 0.25, 0.25]]);
  });

  it('lets boosts bring documents to the front that are not among the nearest without them', async () => {
    for (let i = 0; i < 60; i++) await fixture.write(`near${i}`, 'red apple');
    await fixture.write('far', 'red sea tree', { kind: ['raised'] });
    await fixture.base.caughtUp();
    expect(await fixture.keys('red apple', { alpha: 1, topK: 1 })).not.toEqual(['far']);
    expect(await fixture.keys('red apple', { alpha: 1, topK: 1, boost: { 'kind:raised': 100 } })).toEqual(['far']);
  });

  it(
    'follows the retrieval profile where the request is silent; its weight counts unless it is turned off (decision ' +
      'D-136)',
    async () => {
      await fixture.add('a', 'red apple');
      const configure = (retrieval: object) => fixture.call('setCollectionConfig', { collection: 'c', retrieval });
      await configure({ hybridStrategy: 'rrf', hybridAlpha: 0, retrievalMode: 'chunk', topK: 1 });
      expect(await fixture.find('apple')).toMatchObject({ strategy: 'rrf', alpha: 0, retrievalMode: 'chunk' });
      await configure({ hybridStrategy: 'alpha', hybridAlpha: 0 });
      expect(await fixture.find('apple')).toMatchObject({ strategy: 'alpha', alpha: 0 });
      await configure({ hybridAlphaSet: false });
      expect(await fixture.find('apple')).toMatchObject({ strategy: 'alpha', alpha: 0.5 });
      await configure({ hybridAlphaSet: true });
      expect(await fixture.find('apple')).toMatchObject({ strategy: 'alpha', alpha: 0 });
      expect(await fixture.find('apple', { strategy: 'rrf', alpha: 0.7, retrievalMode: 'parent' })).toMatchObject({
        strategy: 'rrf',
        alpha: 0.7,
        retrievalMode: 'parent',
      });
    },
  );

  it('pins and hides after the fusion: a pinned document that is not found scores 0', async () => {
    for (const key of ['a', 'b', 'c']) await fixture.write(key, `red apple ${key}`);
    await fixture.add('pinned', 'zebra', {}, {});
    await fixture.call('createCurationRule', {
      collection: 'c',
      query: 'apple',
      matchMode: 'exact',
      pins: [{ key: 'pinned', position: 2 }],
      hides: ['b'],
      enabled: true,
    });
    const answer = await fixture.find('apple', { threshold: 0.9, facetBy: ['lang'], strategy: 'rrf' });
    expect(keysOf(answer)).toEqual(['a', 'pinned', 'c']);
    expect(answer.results[1]).toMatchObject({
      pinned: true,
      combinedScore: 0,
      ftsScore: 0,
      vectorScore: 0,
      matchedTerms: [],
      rank: 2,
    });
    expect(answer.results[1]).not.toHaveProperty('ftsRank');
    expect(answer.facets).toEqual({ lang: [{ value: 'en', count: 3 }] });
  });

  it('keeps the documents within a circle, wherever their place comes from, and says how far they are', async () => {
    const at = (lat: string, lng: string) => ({ geo_lat: [lat], geo_lng: [lng] });
    await fixture.write('gate', 'red apple', at('52.5163', '13.3777'));
    await fixture.write('hash', 'red apple', { geo_hash: ['u33db2m'] });
    await fixture.write('paris', 'red apple', at('48.85', '2.35'));
    await fixture.write('misled', 'red apple', { ...at('48.85', '2.35'), geo_hash: ['u33db2m'] });
    await fixture.write('several', 'red apple', { geo_lat: ['0', '52.52'], geo_lng: ['13.4'] });
    await fixture.write('nowhere', 'red apple');
    await fixture.write('broken', 'red apple', at('north', '13.4'));
    await fixture.base.caughtUp();
    const { results } = await fixture.find('apple', {
      geo: { lat: 52.52, lng: 13.405, radiusMeters: 5000 },
      sort: 'distance',
    });
    expect(results.map(({ document: { key }, distanceMeters }) => [key, Math.round(distanceMeters!)])).toEqual([['hash',
      1869], ['gate', 1892]]);
    expect((await fixture.find('apple')).results[0]).not.toHaveProperty('distanceMeters');
    await expect(fixture.find('apple', { sort: 'distance' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'sort: distance needs geo',
    });
  });

  it('finds within a circle across the anti-meridian and around a pole', async () => {
    await fixture.write('east', 'apple', { geo_lat: ['0'], geo_lng: ['179.9'] });
    await fixture.write('west', 'apple', { geo_lat: ['0'], geo_lng: ['-179.9'] });
    await fixture.add('pole', 'apple', { geo_lat: ['89.9'], geo_lng: ['-90'] });
    expect(await fixture.keys('apple', { geo: { lat: 0, lng: 179.95, radiusMeters: 20_000 }, sort: 'distance' }))
      .toEqual(['east', 'west']);
    expect(await fixture.keys('apple', { geo: { lat: 89.9, lng: 90, radiusMeters: 30_000 } })).toEqual(['pole']);
  });

  const LONG =
    'Red apples grow on old trees here.\n\nBlue whales swim in cold seas.\n\nGreen tea is served with honey.\n';

  it('returns passages with their lines: each that meaning finds, and the one with most words where words alone find', async () => {
    await fixture.add('long', LONG);
    const { results, retrievalMode } = await fixture.find('blue whales swim in cold seas', {
      retrievalMode: 'chunk',
      threshold: 0.9,
    });
    expect(retrievalMode).toBe('chunk');
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      chunkIndex: 1,
      startLine: 3,
      endLine: 3,
      vectorRank: 1,
      ftsRank: 1,
      chunkText: expect.stringContaining('Blue whales swim in cold seas.') as string,
    });
    expect(results[0]!.document).not.toHaveProperty('contentMd');
    const byWords = await fixture.find('honey', { retrievalMode: 'chunk', alpha: 0, includeContent: true });
    expect(byWords.results).toMatchObject([{ chunkIndex: 2, startLine: 5, endLine: 5, document: { contentMd: LONG } }]);
    const window = await fixture.find('blue whales', { retrievalMode: 'window', windowSize: 1, topK: 5 });
    expect(window.results).toMatchObject([{ startLine: 1, endLine: 5 }]);
    expect(window.results[0]!.chunkText).toContain('honey');
    const windowByWords = await fixture.find('honey', { retrievalMode: 'window', alpha: 0 });
    expect(windowByWords.results).toMatchObject([{ chunkIndex: 2, startLine: 3, endLine: 5 }]);
  });

  it('merges windows of a document that share a passage, and leaves out none that is found', async () => {
    const paragraphs = (words: readonly string[]) =>
      words.map((word) => `${word} paragraph of a fair length, long enough`).join('\n\n');
    await fixture.write('one', paragraphs(['red', 'blue', 'red', 'blue', 'blue', 'blue', 'blue', 'red']));
    await fixture.add('two', paragraphs(['blue', 'blue', 'blue', 'red']));
    const chunks = await fixture.find('red', { retrievalMode: 'chunk', topK: 50, strategy: 'rrf' });
    const windows = await fixture.find('red', { retrievalMode: 'window', topK: 50, strategy: 'rrf' });
    const spans = windows.results.map(({ document: { key }, startLine, endLine, combinedScore }) => ({
      key,
      from: startLine!,
      to: endLine!,
      combinedScore,
    }));
    expect(spans.length).toBeLessThan(chunks.total);
    expect(spans).toEqual(spans.toSorted((a, b) => b.combinedScore - a.combinedScore));
    for (const [i, a] of spans.entries())
      for (const b of spans.slice(i + 1)) expect(a.key === b.key && a.from <= b.to && b.from <= a.to).toBe(false);
    for (const { document: { key }, startLine, endLine, combinedScore } of chunks.results) {
      const around = spans.find((span) => span.key === key && span.from <= startLine! && span.to >= endLine!);
      expect(around?.combinedScore).toBeGreaterThanOrEqual(combinedScore);
    }
  });

  it('drops results that are beyond the token budget, and projects documents', async () => {
    for (const key of ['a', 'b', 'c']) await fixture.write(key, 'red apple', { title: ['T'] });
    await fixture.base.caughtUp();
    const answer = await fixture.find('apple', { includeContent: true, contextTokenBudget: 6 });
    expect(answer).toMatchObject({ total: 2, contextTruncated: true });
    expect((await fixture.find('apple', { fields: ['title', 'contentMd'], topK: 1 })).results[0]!.document).toEqual({
      id: 'c|a|en',
      key: 'a',
      lang: 'en',
      meta: { title: ['T'] },
      contentMd: 'red apple',
    });
    // If no text is returned, the metadata count.
    expect(await fixture.find('apple', { contextTokenBudget: 1 })).toMatchObject({ total: 1, contextTruncated: true });
    expect(await fixture.find('apple', { fields: ['key'], contextTokenBudget: 1 })).not.toHaveProperty(
      'contextTruncated',
    );
    const all = await fixture.find('apple');
    expect((await fixture.find('apple', { offset: 1, topK: 1 })).results).toEqual(all.results.slice(1, 2));
  });

  it('respects edits, unfinished words, stemming and synonyms', async () => {
    await fixture.add('a', 'running horses');
    const terms = async (query: string, more: object) =>
      (await fixture.find(query, { alpha: 0, ...more })).results.map(({ matchedTerms }) => matchedTerms);
    expect(await terms('horsis', {})).toEqual([]);
    expect(await terms('horsis', { fuzzy: 1, disableStem: true })).toEqual([['horsis~horses']]);
    expect(await terms('hors', {})).toEqual([]);
    expect(await terms('hors', { prefix: 'last' })).toEqual([['hors']]);
    expect(await terms('hors ', { prefix: 'last' })).toEqual([]);
    expect(await terms('runs', {})).toEqual([['runs']]);
    expect(await terms('runs', { disableStem: true })).toEqual([]);
    await fixture.call('addSynonyms', { collection: 'c', term: 'pony', synonyms: ['horses'] });
    expect(await terms('pony', {})).toEqual([['pony']]);
    expect(await terms('pony', { disableSynonyms: true })).toEqual([]);
  });

  it('returns the filled prompt of the collection', async () => {
    await fixture.add('a', 'red apple');
    await fixture.call('setCollectionConfig', {
      collection: 'c',
      responsePrompt: 'Answer {{query}} from {{collection}}.',
    });
    expect((await fixture.find('apple')).responsePrompt).toBe('Answer apple from c.');
  });

  it(
    'finds nothing in a collection that is not there, in blank text, and refuses what is beyond a limit; unfinished ' +
      'syntax is text',
    async () => {
      expect(await fixture.find('apple', { facetBy: ['kind'] })).toMatchObject({
        results: [],
        total: 0,
        facets: { kind: [] },
      });
      await fixture.add('a', 'red apple');
      expect(await fixture.find(' ')).toMatchObject({ results: [], total: 0 });
      expect(await fixture.find('(apple AND')).toMatchObject({ total: 1 });
      await expect(fixture.find('apple~3 AND x')).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('query: ') as string,
      });
    },
  );
});

describe('POST /v1/hybrid-search without meaning', () => {
  it.each([{ alpha: 0.5 }, { alpha: 1 }, { strategy: 'rrf' }])(
    'lets the words alone decide without a provider, and says so: %o',
    async (more) => {
      const fixture = await HybridFixture.open({ embedding: { provider: 'none' } });
      await fixture.write('a', 'red apple');
      const answer = await fixture.find('apple', more);
      expect(answer).toMatchObject({
        total: 1,
        warnings: ['embedding provider not configured: the words alone decided'],
        results: [{ ftsScore: 1, vectorScore: 0 }],
      });
      expect(answer.results[0]!.combinedScore).toBeCloseTo(recomputed(answer, answer.results[0]!), 6);
      expect(answer.results[0]!.combinedScore).toBeGreaterThan(0);
      await fixture.close();
    },
  );

  it('lets the words alone decide when the provider fails, and says why', async () => {
    const fixture = await HybridFixture.open();
    await fixture.add('a', 'red apple');
    fixture.base.meaning.failure = () => new EmbeddingError('away', { retryable: false });
    expect(await fixture.find('apple')).toMatchObject({
      alpha: 0,
      warnings: ['embedding failed: away: the words alone decided'],
      results: [{ combinedScore: 1 }],
    });
    await fixture.close();
  });

  it('says when there is nothing that meaning could find, and asks no provider then', async () => {
    const fixture = await HybridFixture.open();
    fixture.base.meaning.failure = () => new EmbeddingError('away', { retryable: true });
    await fixture.write('a', 'red apple');
    expect(await fixture.find('apple')).toMatchObject({
      alpha: 0,
      warnings: ['no document of the collection has vectors: nothing was found by meaning'],
      results: [{ combinedScore: 1 }],
    });
    expect(fixture.base.meaning.queries).toEqual([]);
    await fixture.close();
  });

  it('returns 503 while the vectors load', async () => {
    const fixture = await HybridFixture.open({ unstarted: true });
    await fixture.base.embeddings.start();
    await fixture.write('a', 'red apple');
    await expect(fixture.find('apple')).rejects.toMatchObject({ code: 'index_loading' });
    await fixture.close();
  });

  it('says how many documents have vectors of another model', async () => {
    const fixture = await HybridFixture.open({ meaning: new Meaning('one', 32) });
    await fixture.add('a', 'red apple');
    const other = await HybridFixture.open({ meaning: new Meaning('two', 32), file: fixture.base.sql.info.path });
    expect((await other.find('apple')).warnings).toEqual([
      expect.stringContaining('the vectors of 1 document were not compared'),
    ]);
    for (const each of [other, fixture]) await each.close();
  });
});

describe('a place among the searches', () => {
  it('is not taken by a client that goes away while a provider is waited for', async () => {
    const fixture = await HybridFixture.open();
    await fixture.add('a', 'red apple');
    const { promise, resolve } = Promise.withResolvers<void>();
    fixture.base.meaning.held = promise;
    const leaving = new AbortController();
    const waiting = fixture.call('searchHybrid', { collection: 'c', query: 'apple' }, leaving.signal);
    while (fixture.base.meaning.queries.length === 0) await new Promise(setImmediate);
    leaving.abort(new Error('gone'));
    resolve();
    await expect(waiting).rejects.toThrow('gone');
    expect(fixture.gated).toBe(0);
    await fixture.close();
  });

  it('is not held while a provider is waited for', async () => {
    const fixture = await HybridFixture.open();
    await fixture.add('a', 'red apple');
    const { promise, resolve } = Promise.withResolvers<void>();
    fixture.base.meaning.held = promise;
    const waiting = fixture.find('apple');
    // There is one place, which this search would not get.
    expect(await fixture.keys('apple', { alpha: 0 })).toEqual(['a']);
    resolve();
    expect(keysOf(await waiting)).toEqual(['a']);
    expect(fixture.gated).toBe(2);
    await fixture.close();
  });
});

describe('a search that is reordered by the encoder (decision D-148)', () => {
  it('has the best results in its order, in every mode', async () => {
    const encoder = new Meaning('encoder', 48);
    const vectorOf = encoder.vectorOf.bind(encoder);
    encoder.vectorOf = (text) => vectorOf(text.replaceAll('felines', 'cats'));
    const fixture = await HybridFixture.open({ encoder });
    try {
      await fixture.add('words', 'felines bark loudly');
      await fixture.add('meaning', 'cats sleep');
      await fixture.add('none', 'the market fell');
      const plain = await fixture.find('felines', { alpha: 0.1 });
      expect(keysOf(plain)[0]).toBe('words');
      expect(plain).not.toHaveProperty('reranked');
      for (const retrievalMode of ['parent', 'chunk', 'window']) {
        const found = await fixture.find('felines sleep', { alpha: 0.1, retrievalMode, rerank: 'encoder' });
        expect(keysOf(found)[0]).toBe('meaning');
        expect(found.reranked).toBe(found.results.length);
      }
      expect(await fixture.find('felines sleep', { rerank: 'none' })).not.toHaveProperty('reranked');
    } finally {
      await fixture.close();
    }
  });
});
