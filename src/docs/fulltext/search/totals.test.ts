import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchFixture } from './test-fixture.ts';

let fixture: SearchFixture;
beforeAll(async () => {
  fixture = await SearchFixture.open('sql.js');
  const documents = Array.from({ length: 1200 }, (_, i) => ({
    key: `k${i}`,
    lang: 'en',
    contentMd: `frequent${i < 3 ? ' rare' : ''}`,
    meta: { kind: [i % 2 === 0 ? 'even' : 'odd'] },
  }));
  for (let i = 0; i < documents.length; i += 400)
    await fixture.call('addDocuments', { collection: 'c', documents: documents.slice(i, i + 400) });
});
afterAll(() => fixture.close());

describe('totals', () => {
  const find = (query: string, more: object = {}) => fixture.find(query, { limit: 5, ...more });

  it('of bounded are at least 1,000, and say that there may be more', async () => {
    const exact = await find('rare frequent');
    expect(exact).toMatchObject({ total: 5, totalMatches: 1200 });
    expect(exact).not.toHaveProperty('totalIsLowerBound');
    const bounded = await find('rare frequent', { totals: 'bounded' });
    expect(bounded).toEqual({ ...exact, totalMatches: 1000, totalIsLowerBound: true });
    expect(bounded.results.map(({ document }) => document.key)).toEqual(expect.arrayContaining(['k0', 'k1', 'k2']));
  });

  it('of bounded are exact where there are fewer, and where a search needs all matches', async () => {
    for (const [query, more, totalMatches] of [['rare', {}, 3], ['rare frequent', { filterMeta: { kind: ['even'] } },
      600], ['rare frequent', { facetBy: ['kind'] }, 1200], ['rare frequent', { sort: 'kind:asc' }, 1200], [
      'rare frequent',
      { boost: { 'kind:odd': 2 } },
      1200,
    ], ['"frequent rare"', {}, 3]] as const) {
      const found = await find(query, { totals: 'bounded', ...more });
      expect(found.totalMatches).toBe(totalMatches);
      expect(found).not.toHaveProperty('totalIsLowerBound');
      expect(found).toEqual(await find(query, more));
    }
  });

  it('of none are left out', async () => {
    for (const [query, more] of [['rare frequent', {}], ['rare', {}], ['nothing', {}], ['rare frequent', {
      facetBy: ['kind'],
    }]] as const) {
      const { totalMatches, ...exact } = await find(query, more);
      expect(totalMatches).toBeGreaterThanOrEqual(exact.total);
      expect(await find(query, { totals: 'none', ...more })).toEqual(exact);
    }
  });

  it('are the same by GET', async () => {
    expect(await fixture.call('searchFullTextByQuery', {
      collection: 'c',
      query: 'rare frequent',
      limit: 5,
      totals: 'bounded',
    })).toMatchObject({ totalMatches: 1000, totalIsLowerBound: true });
  });
});
