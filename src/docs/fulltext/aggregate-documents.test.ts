import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS, Fixture, START } from '../documents/test-fixture.ts';
import { aggregateDocuments } from './aggregate-documents.ts';

const DAY = 86_400;

describe.each(DRIVERS)('aggregation over %s (contract section 4, decisions section 4.5)', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    fixture.use({
      aggregateDocuments: aggregateDocuments({
        ...fixture.environment,
        columns: fixture.columns,
        geo: fixture.geo.view,
      }),
    });
  });
  afterEach(() => fixture.close());

  const add = (key: string, meta: Record<string, string[]> = {}, more: object = {}) =>
    fixture.call('addDocument', { collection: 'Blog', key, lang: 'en', meta, contentMd: '', ...more });
  const aggregate = (more: object = {}) => fixture.call('aggregateDocuments', { collection: 'blog', ...more });
  const facet = async (field: string, more: object = {}) =>
    (await aggregate({ facets: [{ field, ...more }] })).facets[field]!.map(({ value, count }) => `${value} ${count}`);

  describe('facets', () => {
    beforeEach(async () => {
      await add('a', { tags: ['x', 'x', 'y'], category: ['news'] });
      await add('b', { tags: ['y', 'ä'], category: ['news'] });
      await add('c', { tags: ['x', 'y'], category: ['blog'] }, { lang: 'en_GB' });
    });

    it('counts the cells of a map, and what is in a circle alone', async () => {
      const at = (lat: number, lng: number) => ({ geo_lat: [String(lat)], geo_lng: [String(lng)] });
      for (const [key, lat, lng] of [['a', 52.5163, 13.3777], ['b', 52.5164, 13.3778], ['c', 48.8566, 2.3522]] as const)
        await add(key, at(lat, lng));
      await add('nowhere', { tag: ['x'] });
      expect(await aggregate({ geohash: {} })).toMatchObject({
        totalDocs: 5,
        geohashes: [{
          geohash: 'u33db',
          lat: expect.closeTo(52.51, 1) as number,
          lng: expect.closeTo(13.38, 1) as number,
          count: 2,
        }, { geohash: 'u09tv', count: 1 }],
      });
      expect((await aggregate({ geohash: { precision: 1 } })).geohashes).toMatchObject([{ geohash: 'u', count: 3 }]);
      expect((await aggregate({ geohash: { precision: 12, size: 2 } })).geohashes).toHaveLength(2);
      const berlin = { geo: { lat: 52.5, lng: 13.4, radiusMeters: 50_000 } };
      expect(await aggregate({ ...berlin, geohash: { precision: 2 }, facets: [{ field: 'lang' }] })).toMatchObject({
        totalDocs: 2,
        geohashes: [{ geohash: 'u3', count: 2 }],
        facets: { lang: [{ value: 'en', count: 2 }] },
      });
      expect(await aggregate({ ...berlin, filterMeta: { tag: ['x'] }, geohash: {} })).toMatchObject({
        totalDocs: 0,
        geohashes: [],
      });
      expect(await aggregate()).not.toHaveProperty('geohashes');
      expect(await fixture.call('aggregateDocuments', { collection: 'none', geohash: {}, ...berlin })).toMatchObject({
        totalDocs: 0,
        geohashes: [],
      });
    });

    it('count documents, the most first and then by value', async () => {
      expect(await facet('tags')).toEqual(['y 3', 'x 2', 'ä 1']);
      expect(await facet('category', { orderBy: 'count' })).toEqual(['news 2', 'blog 1']);
      expect(await facet('category', { orderBy: 'value' })).toEqual(['blog 1', 'news 2']);
    });

    it('cover the language of documents (decision D-90)', async () => {
      await add('d', { lang: ['shadow'] });
      expect(await facet('lang')).toEqual(['en 3', 'en_GB 1']);
    });

    it('are empty for a key that no document has, also under names that objects inherit', async () => {
      const { facets } = await aggregate({
        facets: [{ field: 'none' }, { field: '__proto__' }, { field: 'constructor' }],
      });
      expect(Object.entries(facets)).toEqual([['none', []], ['__proto__', []], ['constructor', []]]);
    });

    it('end at maxFacetSize', async () => {
      const { facets } = await aggregate({
        facets: [{ field: 'tags' }, { field: 'category', orderBy: 'value' }],
        maxFacetSize: 1,
      });
      expect(facets).toEqual({ tags: [{ value: 'y', count: 3 }], category: [{ value: 'blog', count: 1 }] });
    });

    it('return 50 values by default', async () => {
      await add('many', { n: Array.from({ length: 60 }, (_, i) => String(i)) });
      expect(await facet('n')).toHaveLength(50);
    });

    it.each([[{ category: ['news'] }, 2, ['y 2', 'x 1', 'ä 1']], [{ category: ['news', 'blog'], tags: ['x'] }, 2, [
      'x 2',
      'y 2',
    ]], [{ category: [] }, 0, []], [{ none: ['x'] }, 0, []]])('are counted within filterMeta %j',
      async (filterMeta, totalDocs, tags) => {
        const answer = await aggregate({ filterMeta, facets: [{ field: 'tags' }] });
        expect(answer).toMatchObject({ collection: 'blog', totalDocs, durationMs: expect.any(Number) as number });
        expect(answer.facets['tags']!.map(({ value, count }) => `${value} ${count}`)).toEqual(tags);
      });
  });

  describe('histograms', () => {
    it('count whole periods in UTC, in order, without empty ones', async () => {
      await add('a');
      await add('b');
      fixture.advance(40 * DAY);
      await add('c');
      await add('a');
      const { histograms } = await aggregate({
        histograms: [{ field: 'addedAt' }, { field: 'updatedAt', interval: 'week' }],
      });
      expect(histograms).toEqual({
        addedAt: [{ key: '2025-12', from: Date.UTC(2025, 11) / 1000, to: Date.UTC(2026, 0) / 1000, count: 2 }, {
          key: '2026-01',
          from: Date.UTC(2026, 0) / 1000,
          to: Date.UTC(2026, 1) / 1000,
          count: 1,
        }],
        updatedAt: [{
          key: '2025-W52',
          from: Date.UTC(2025, 11, 22) / 1000,
          to: Date.UTC(2025, 11, 29) / 1000,
          count: 1,
        }, { key: '2026-W05', from: Date.UTC(2026, 0, 26) / 1000, to: Date.UTC(2026, 1, 2) / 1000, count: 2 }],
      });
      expect(
        (await aggregate({ histograms: [{ field: 'addedAt', interval: 'day' }] })).histograms['addedAt']!.map((
          { key },
        ) => key),
      ).toEqual(['2025-12-22', '2026-01-31']);
      expect(
        (await aggregate({ histograms: [{ field: 'addedAt', interval: 'year' }] })).histograms['addedAt']!.map((
          { key },
        ) => key),
      ).toEqual(['2025', '2026']);
    });
  });

  it('leaves out what has expired (decisions section 3.1)', async () => {
    await add('a', { tags: ['x'] });
    await add('b', { tags: ['x', 'y'] }, { ttl: 10 });
    const all = { facets: [{ field: 'tags' }, { field: 'lang' }], histograms: [{ field: 'addedAt' }] };
    expect(await aggregate(all)).toMatchObject({ totalDocs: 2, facets: { lang: [{ count: 2 }] } });
    fixture.advance(10);
    for (const filterMeta of [{}, { tags: ['x', 'y'] }]) {
      expect(await aggregate({ ...all, filterMeta })).toMatchObject({
        totalDocs: 1,
        facets: { tags: [{ value: 'x', count: 1 }], lang: [{ value: 'en', count: 1 }] },
        histograms: { addedAt: [{ count: 1 }] },
      });
    }
  });

  it('returns nothing of a collection that does not exist, and keeps to its own', async () => {
    await add('a', { tags: ['x'] }, { collection: 'wiki' });
    const asked = { facets: [{ field: 'tags' }], histograms: [{ field: 'addedAt' }] };
    expect(await aggregate(asked)).toEqual({
      collection: 'blog',
      totalDocs: 0,
      facets: { tags: [] },
      histograms: { addedAt: [] },
      durationMs: expect.any(Number),
    });
    expect(await aggregate()).toMatchObject({ facets: {}, histograms: {} });
    await add('a');
    expect(await aggregate(asked)).toMatchObject({ totalDocs: 1, facets: { tags: [] } });
  });

  it('refuses requests that it could not serve', async () => {
    const values = Array.from({ length: 501 }, (_, i) => String(i));
    for (const wrong of [{ facets: [{ field: 'a' }, { field: 'a', orderBy: 'value' }] }, {
      histograms: [{ field: 'addedAt', interval: 'day' }, { field: 'addedAt', interval: 'year' }],
    }, { histograms: [{ field: 'expiresAt' }] }, { facets: [{}] }, { maxFacetSize: 0 }, {
      filterMeta: { a: values, b: values },
    }]) await expect(aggregate(wrong)).rejects.toMatchObject({ status: 400 });
  });

  it('takes the widest request that the limits allow', async () => {
    await add('a', { k0: ['v'] });
    const filterMeta = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`k${i}`, ['v', 'w', 'x']]));
    const facets = Array.from({ length: 100 }, (_, i) => ({ field: `k${i}` }));
    expect(await aggregate({ filterMeta, facets, maxFacetSize: 10_000 })).toMatchObject({ totalDocs: 0 });
    expect(await aggregate({ facets, maxFacetSize: 10_000 })).toMatchObject({
      totalDocs: 1,
      facets: { k0: [{ value: 'v', count: 1 }], k1: [] },
    });
  });
});

describe('aggregation against a plain count', () => {
  const documents = fc.array(fc.record({
    tags: fc.array(fc.constantFrom('x', 'y', 'z')),
    cat: fc.array(fc.constantFrom('p', 'q'), { maxLength: 1 }),
    wait: fc.integer({ min: 0, max: 40 * DAY }),
  }), { maxLength: 8 });

  it('agrees', async () => {
    await fc.assert(fc.asyncProperty(documents, fc.subarray(['p', 'q']), async (drafts, cats) => {
      const fixture = await Fixture.open('sql.js');
      fixture.use({
        aggregateDocuments: aggregateDocuments({
          ...fixture.environment,
          columns: fixture.columns,
          geo: fixture.geo.view,
        }),
      });
      const stored = [];
      for (const [i, { tags, cat, wait }] of drafts.entries()) {
        fixture.advance(wait);
        stored.push(await fixture.call('addDocument', {
          collection: 'blog',
          key: `k${i}`,
          lang: 'en',
          meta: { tags, cat },
          contentMd: '',
        }));
      }
      const filterMeta = cats.length === 0 ? {} : { cat: cats };
      const answer = await fixture.call('aggregateDocuments', {
        collection: 'blog',
        filterMeta,
        facets: [{ field: 'tags' }],
        histograms: [{ field: 'addedAt' }],
      });
      const matches = stored.filter(({ meta }) =>
        cats.length === 0 || cats.some((cat) => meta!['cat']?.includes(cat) === true)
      );
      const counted = (value: string) => matches.filter(({ meta }) => meta!['tags']?.includes(value) === true).length;
      expect(answer.totalDocs).toBe(matches.length);
      expect(new Map(answer.facets['tags']!.map(({ value, count }) => [value, count]))).toEqual(
        new Map(['x', 'y', 'z'].map((v) => [v, counted(v)] as const).filter(([, n]) => n > 0)),
      );
      for (const { from, to, count } of answer.histograms['addedAt']!)
        expect(count).toBe(matches.filter(({ addedAt }) => from <= addedAt && addedAt < to).length);
      expect(answer.histograms['addedAt']!.reduce((sum, { count }) => sum + count, 0)).toBe(matches.length);
      expect(START).toBeLessThanOrEqual(fixture.now);
      await fixture.close();
    }), { numRuns: 15 });
  });
});

describe('aggregation while documents are written', () => {
  it('has counts of one moment', async () => {
    const fixture = await Fixture.open('sql.js');
    fixture.use({
      aggregateDocuments: aggregateDocuments({
        ...fixture.environment,
        columns: fixture.columns,
        geo: fixture.geo.view,
      }),
    });
    const fields = Array.from({ length: 40 }, (_, i) => `f${i}`);
    const put = (value: string) =>
      fixture.call('addDocument', {
        collection: 'blog',
        key: 'a',
        lang: 'en',
        contentMd: '',
        meta: Object.fromEntries(fields.map((field) => [field, [value]])),
      });
    await put('0');
    // Each facet takes so long that the event loop runs before the next one, and the document has changed by then.
    const { columns } = fixture.columns.indexOf('blog')!;
    const facet = columns.facet.bind(columns);
    let version = 0;
    const writes: Promise<unknown>[] = [];
    columns.facet = (...args) => {
      if (version < 60) writes.push(put(String(++version)));
      const end = performance.now() + 9;
      while (performance.now() < end);
      return facet(...args);
    };
    const { facets } = await fixture.call('aggregateDocuments', {
      collection: 'blog',
      facets: fields.map((field) => ({ field })),
    });
    await Promise.all(writes);
    expect(new Set(Object.values(facets).map(([first]) => first!.value)).size).toBe(1);
    expect(Object.values(facets).every((values) => values.length === 1 && values[0]!.count === 1)).toBe(true);
    await fixture.close();
  });
});
