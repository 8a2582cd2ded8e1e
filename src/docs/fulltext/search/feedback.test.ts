import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SearchFixture } from './test-fixture.ts';

const QUESTION = 'how does a whale sleep while it breathes and swims under dark cold water';

/** The characteristic terms of the best documents of a long query count for the others. */
describe('a long query', () => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await SearchFixture.open('sql.js');
    const fillers = Array.from({ length: 1000 }, (_, i) => ({
      key: `filler${i}`,
      lang: 'en',
      contentMd: `something else about subject${i} and more of it`,
      meta: {},
    }));
    await fixture.call('addDocuments', { collection: 'c', documents: fillers });
    await fixture.add('best',
      'A whale sleeps while it breathes under cold water: its spiracle, the spiracle of a whale, closes');
    await fixture.add('second', 'Sleeping, a whale breathes in cold water with half its brain and a spiracle');
    await fixture.add('plain', 'Cold water in the morning, for a table of four');
    await fixture.add('related', 'Cold water in the spiracle, for a while and more');
  });
  afterEach(() => fixture.close());

  const order = async (query: string, more: object = {}) =>
    (await fixture.keys(query, more)).filter((key) => key === 'plain' || key === 'related');

  it.each(['tfidf', 'bm25', 'bm25f'])('prefers documents that are like the best ones, by %s', async (algorithm) => {
    const plain = await fixture.find(QUESTION, { algorithm, rerank: false });
    const better = await fixture.find(QUESTION, { algorithm });
    expect(better.results.slice(0, 2).map(({ document }) => document.key)).toEqual(['best', 'second']);
    expect((await order(QUESTION, { algorithm }))[0]).toBe('related');
    expect(better.totalMatches).toBe(plain.totalMatches);
    expect(better.results.map(({ document }) => document.key).sort()).toEqual(
      plain.results.map(({ document }) => document.key).sort(),
    );
  });

  it('finds nothing besides, and calls nothing a term that the query does not have', async () => {
    const { results } = await fixture.find(QUESTION);
    expect(results.flatMap(({ matchedTerms }) => matchedTerms)).not.toContain('spiracle');
    await fixture.add('spiracle', 'spiracle spiracle spiracle');
    expect(await fixture.keys(QUESTION)).not.toContain('spiracle');
  });

  it('has the same pages, however long they are', async () => {
    const all = await fixture.keys(QUESTION);
    const pages = await Promise.all(all.map((_, offset) => fixture.keys(QUESTION, { offset, limit: 1 })));
    expect(pages.flat()).toEqual(all);
  });

  it('keeps its order where another is asked for, and for a filter what passes it', async () => {
    const sorted = await fixture.keys(QUESTION, { sort: 'key:asc' });
    expect(sorted).toEqual(sorted.toSorted());
    expect(await fixture.keys(QUESTION, { filter: 'key IN ["plain", "related"]' })).toHaveLength(2);
  });

  it('has seven words or more, and no syntax', async () => {
    expect(await order('whale sleeps breathes cold water morning')).toEqual(['plain', 'related']);
    expect((await order('whale sleeps breathes cold water brain half'))[0]).toBe('related');
    expect(await order(QUESTION, { mode: 'boolean' })).toEqual(
      await order(QUESTION, { mode: 'boolean', rerank: false }),
    );
  });

  it('is read by its own words in a small collection', async () => {
    const small = await SearchFixture.open('sql.js');
    await small.add('best',
      'A whale sleeps while it breathes under cold water: its spiracle, the spiracle of a whale, closes');
    await small.add('second', 'Sleeping, a whale breathes in cold water with half its brain and a spiracle');
    await small.add('plain', 'Cold water in the morning, for a table of four');
    await small.add('related', 'Cold water in the spiracle, for a while and more');
    const keys = await small.keys('whale sleeps breathes cold water brain half');
    expect(keys.slice(2)).toEqual(['plain', 'related']);
    await small.close();
  });
});
