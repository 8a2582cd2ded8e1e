import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkMoments, type Filter } from '../../../search/filter/index.ts';
import { type Filtered, filtersOver, matches, toTree } from '../../../search/filter/test-fixture.ts';
import { DRIVERS, START } from '../../documents/test-fixture.ts';
import { createMaintenance } from '../../maintenance/index.ts';
import { aggregateDocuments } from '../aggregate-documents.ts';
import { SearchFixture } from './test-fixture.ts';

const refusal = { code: 'invalid_argument' };

/** The keys that each endpoint finds, and the number that it reports. */
async function everywhere(fixture: SearchFixture, filters: object): Promise<{ keys: string[]; counts: number[] }> {
  const listed = await fixture.base.reply('searchDocuments', { collection: 'c', limit: 1000, ...filters });
  const found = await fixture.find('word', { limit: 1000, facetBy: ['lang'], ...filters });
  const { totalDocs } = await fixture.call('aggregateDocuments', { collection: 'c', ...filters });
  const { content } = await fixture.call('exportDocuments', {
    collection: 'c',
    format: 'ndjson',
    ...filters,
  }) as unknown as { content: AsyncIterable<Uint8Array> };
  const lines = Buffer.concat(await Array.fromAsync(content)).toString().split('\n').filter(Boolean);
  const keys = listed.value.map(({ key }) => key).sort();
  expect(found.results.map(({ document }) => document.key).sort()).toEqual(keys);
  expect(lines.map((line) => (JSON.parse(line) as { key: string }).key).sort()).toEqual(keys);
  return { keys, counts: [Number(listed.headers['X-Total-Count']), found.totalMatches!, totalDocs] };
}

/** Whether times are compared only with times. */
function comparesMoments(filter: Filter): boolean {
  try {
    checkMoments(filter);
    return true;
  } catch {
    return false;
  }
}

async function open(driver: (typeof DRIVERS)[number]): Promise<SearchFixture> {
  const fixture = await SearchFixture.open(driver);
  const { base, search } = fixture;
  const { exportDocuments } =
    createMaintenance(base.environment, { documents: base.documents, onRestored: [] }).handlers;
  base.use({
    ...base.documents.handlers,
    ...search.handlers,
    aggregateDocuments: aggregateDocuments({ ...base.environment, columns: base.columns, geo: base.geo.view }),
    exportDocuments,
  });
  return fixture;
}

describe.each(DRIVERS)('filters over %s (decision D-133)', (driver) => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await open(driver);
  });
  afterEach(() => fixture.close());

  const documentsOf = async (documents: readonly Filtered[]): Promise<void> => {
    const items = documents.map(({ key, lang, meta, expiresAt }) => ({
      key,
      lang,
      meta,
      contentMd: 'word',
      ...(expiresAt !== undefined && { ttl: expiresAt - START }),
    }));
    await fixture.call('addDocuments', { collection: 'c', documents: items });
    await fixture.search.view.caughtUp(new AbortController().signal);
  };

  it('find the same documents on every endpoint as a scan of all of them', async () => {
    const values = ['1', '2.0', '2', '10', 'a', 'A', '', '2025-12-22', '2025-12-22T10:40:00Z', 'ä'];
    const meta = fc.dictionary(fc.constantFrom('n', 'lang', 'with space', '__proto__'),
      fc.array(fc.constantFrom(...values), { maxLength: 3 }), { noNullPrototype: true });
    const documents = fc.uniqueArray(fc.record({
      key: fc.constantFrom('a', 'B', 'c/1', 'c/2', 'd', 'e', 'f'),
      lang: fc.constantFrom('en', 'de', 'EN_gb'),
      meta,
      ttl: fc.constantFrom(undefined, 100),
    }), { minLength: 1, maxLength: 7, selector: ({ key }) => key });
    const field = fc.constantFrom('n', 'meta.lang', 'lang', 'key', 'with space', '__proto__', 'addedAt', 'expiresAt',
      'none');
    const value = fc.oneof(fc.constantFrom(...values, 'en', 'c/', START, START + 100), fc.constantFrom(1, 2, 10));
    const filters = filtersOver(field, value, true).filter(comparesMoments);
    await fc.assert(
      fc.asyncProperty(documents, filters, fc.constantFrom([], ['EN'], ['de', 'en_gb']),
        async (items, filter, langs) => {
          await fixture.call('deleteCollection', { collection: 'c' }).catch(() => undefined);
          const stored = items.map(({ ttl, ...item }) => ({
            ...item,
            addedAt: START,
            updatedAt: START,
            expiresAt: ttl && START + ttl,
          }));
          await documentsOf(stored);
          const expected = stored.filter((document) =>
            matches(filter, document) && (langs.length === 0 || langs.some((lang) =>
              document.lang.toLowerCase() === lang.toLowerCase() ||
              document.lang.toLowerCase().startsWith(`${lang.toLowerCase()}_`)
            ))
          );
          const { keys, counts } = await everywhere(fixture, { filter: toTree(filter), langs });
          expect(keys).toEqual(expected.map(({ key }) => key).sort());
          expect(counts).toEqual([keys.length, keys.length, keys.length]);
        }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('compare values of metadata however their letters are composed', async () => {
    const [composed, decomposed] = ['Zo\u00eb', 'Zoe\u0308'];
    const times = { lang: 'en', addedAt: START, updatedAt: START };
    await documentsOf([{ ...times, key: 'a', meta: { by: [composed] } }, {
      ...times,
      key: 'b',
      meta: { by: [decomposed] },
    }, { ...times, key: 'c', meta: { by: ['Zoe'] } }]);
    for (const by of [composed, decomposed]) {
      for (const filters of [{ filter: `by = ${by}` }, { filterMeta: { by: [by] } }, { filter: `by STARTS WITH ${by}` },
        {
          filter: { field: 'by', gte: by },
        }]) expect((await everywhere(fixture, filters)).keys).toEqual(['a', 'b']);
      expect((await everywhere(fixture, { filter: `by != ${by}` })).keys).toEqual(['c']);
    }
  });

  it('hold beside all others, for more documents than a statement names', async () => {
    const documents = Array.from({ length: 1300 }, (_, i) => ({
      key: `k${i}`,
      lang: i % 2 === 0 ? 'en' : 'de',
      addedAt: START,
      updatedAt: START,
      meta: { n: [String(i)], half: [i < 650 ? 'low' : 'high'] },
    }));
    for (let i = 0; i < documents.length; i += 500) await documentsOf(documents.slice(i, i + 500));
    expect((await everywhere(fixture, { filter: 'n < 1000 AND NOT n 100 TO 199' })).counts).toEqual([900, 900, 900]);
    expect((await everywhere(fixture, { filter: 'n >= 100', filterMeta: { half: ['low'] }, langs: ['de'] })).counts)
      .toEqual([275, 275, 275]);
    expect((await everywhere(fixture, { filter: 'n IN [5, 7, 8]', langs: ['de'] })).keys).toEqual(['k5', 'k7']);
    const page = await fixture.base.reply('searchDocuments', {
      collection: 'c',
      filter: 'n >= 10',
      sort: 'key',
      asc: true,
      offset: 1288,
      limit: 5,
    });
    expect([page.value.map(({ key }) => key), page.headers['X-Total-Count']]).toEqual([['k998', 'k999'], '1290']);
  });

  it('leave out what has expired', async () => {
    await documentsOf([{ key: 'a', lang: 'en', addedAt: START, updatedAt: START, expiresAt: START + 10, meta: {} }, {
      key: 'b',
      lang: 'en',
      addedAt: START,
      updatedAt: START,
      meta: {},
    }]);
    expect((await everywhere(fixture, { filter: 'NOT x EXISTS' })).keys).toEqual(['a', 'b']);
    fixture.base.advance(20);
    expect((await everywhere(fixture, { filter: 'NOT x EXISTS' })).keys).toEqual(['b']);
  });

  it('are refused with the place of what is wrong', async () => {
    for (const filter of ['a =', { and: [{ field: 'a' }] }, 'addedAt > later', { field: 'a', eq: null }, 7, '', {
      field: 'a',
      in: [],
    }]) {
      for (const id of ['searchDocuments', 'searchFullText', 'aggregateDocuments', 'exportDocuments'] as const)
        await expect(fixture.call(id, { collection: 'c', query: 'x', format: 'ndjson', filter }),
          `${id} ${JSON.stringify(filter)}`).rejects.toMatchObject(refusal);
    }
    await expect(fixture.find('x', { langs: ['not a language'] })).rejects.toMatchObject(refusal);
    for (const levels of [25, 100]) {
      const deep = Array.from({ length: levels }).reduce<object>((inner) => ({ not: inner }), { field: 'a', eq: 1 });
      await expect(fixture.find('x', { filter: deep })).rejects.toMatchObject({
        ...refusal,
        message: expect.stringContaining('nested deeper than') as string,
      });
    }
  });

  it('and `limit` and `topK` are one number', async () => {
    await documentsOf(['a', 'b', 'd'].map((key) => ({ key, lang: 'en', addedAt: START, updatedAt: START, meta: {} })));
    expect(await fixture.keys('word', { topK: 2 })).toHaveLength(2);
    expect(await fixture.keys('word', { topK: 1, limit: 1 })).toHaveLength(1);
    expect(await fixture.call('searchDocuments', { collection: 'c', topK: 2 })).toHaveLength(2);
    await expect(fixture.find('word', { topK: 1, limit: 2 })).rejects.toMatchObject({
      ...refusal,
      message: 'limit and topK are two names of one number, got limit 2 and topK 1',
    });
  });
});
