import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { comparePlaces, type SortValue, sortValueOf } from '../../../search/order/index.ts';
import { DRIVERS } from '../../documents/test-fixture.ts';
import { SearchFixture } from './test-fixture.ts';

const refusal = { code: 'invalid_argument' };

describe.each(DRIVERS)('sorted results over %s (decision D-135)', (driver) => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await SearchFixture.open(driver);
  });
  afterEach(() => fixture.close());

  const listed = async (more: object) =>
    (await fixture.call('searchDocuments', { collection: 'c', ...more })).map(({ key }) => key);
  const both = async (sort: string, more: object = {}) => {
    const keys = await listed({ sort, ...more });
    expect(await fixture.keys('word', { sort, ...more })).toEqual(keys);
    return keys;
  };

  it('have numbers and dates as such, several keys, and what has no value last', async () => {
    await fixture.add('a', 'word', { n: ['10'], day: ['2025-12-01'] });
    await fixture.add('b', 'word', { n: ['9'], day: ['1766400000'] });
    await fixture.add('d', 'word', { n: ['9.0', '11'], 'a, b': ['x'] });
    await fixture.add('e', 'word', { n: ['ten'], day: ['2026'] });
    expect(await both('n:asc')).toEqual(['b', 'd', 'a', 'e']);
    expect(await both('n:desc')).toEqual(['e', 'd', 'a', 'b']);
    expect(await both('meta.n')).toEqual(['e', 'd', 'a', 'b']);
    expect(await both('n:asc, key:desc')).toEqual(['d', 'b', 'a', 'e']);
    expect(await both('day:asc')).toEqual(['e', 'a', 'b', 'd']);
    expect(await both('"a, b":asc,key')).toEqual(['d', 'e', 'b', 'a']);
    expect(await both('n:asc', { offset: 1, limit: 2 })).toEqual(['d', 'a']);
    expect(await both('n:asc', { filter: 'n > 9', limit: 1 })).toEqual(['d']);
    expect(await listed({ sort: 'n:asc, key', asc: true })).toEqual(['b', 'd', 'a', 'e']);
    expect(await listed({ sort: 'expiresAt' })).toEqual(['a', 'b', 'd', 'e']);
    expect((await fixture.base.reply('searchDocuments', {
      collection: 'c',
      sort: 'n:asc',
      limit: 1,
      filterMeta: { n: ['9', '10'] },
    })).headers).toMatchObject({ 'X-Total-Count': '2' });
  });

  it('keep their scores, and are sorted by them too', async () => {
    for (const [key, text, year] of [['a', 'word', '1'], ['b', 'word word word', '1'], ['d',
      'word filler filler filler filler', '2']] as const) await fixture.add(key, text, { year: [year] });
    const plain = await fixture.find('word', { boost: { 'year:2': 5 }, rerank: false });
    const scores = new Map(plain.results.map(({ document, score }) => [document.key, score]));
    for (const sort of ['year:asc, score', 'year:desc,score:asc', 'score:asc', 'score', 'addedAt,key:asc']) {
      const { results, totalMatches } = await fixture.find('word', { sort, boost: { 'year:2': 5 }, facetBy: ['year'] });
      expect([results.length, totalMatches]).toEqual([3, 3]);
      for (const { document, score } of results) expect(score, sort).toBe(scores.get(document.key));
    }
    const byScore = plain.results.map(({ document }) => document.key);
    expect(await fixture.keys('word', { sort: 'score', boost: { 'year:2': 5 } })).toEqual(byScore);
    expect(await fixture.keys('word', { sort: 'score:asc', boost: { 'year:2': 5 } })).toEqual(byScore.toReversed());
    expect((await fixture.keys('word', { sort: 'year:desc,score', boost: { 'year:2': 5 } }))[0]).toBe('d');
  });

  it('have what curation pins in its place', async () => {
    for (const key of ['a', 'b', 'd']) await fixture.add(key, 'word', { n: [key] });
    await fixture.call('createCurationRule', {
      collection: 'c',
      query: 'word',
      pins: [{ key: 'd', position: 1 }],
      enabled: true,
    });
    expect(await fixture.keys('word', { sort: 'n:asc' })).toEqual(['d', 'a', 'b']);
    expect(await fixture.keys('word', { sort: 'n:asc', offset: 1 })).toEqual(['a', 'b']);
  });

  it('have what curation pins with its score, also where its own place is on a later page', async () => {
    for (const [i, key] of ['a', 'b', 'd', 'e', 'f', 'g'].entries()) await fixture.add(key, 'word', { n: [String(i)] });
    await fixture.add('x', 'other', { n: ['9'] });
    await fixture.call('createCurationRule', {
      collection: 'c',
      query: 'word',
      pins: [{ key: 'g', position: 1 }, { key: 'x', position: 2 }],
      enabled: true,
    });
    const { results, totalMatches } = await fixture.find('word', { sort: 'n:asc', limit: 3 });
    expect([totalMatches, ...results.map(({ document: { key }, score, pinned }) => [key, score > 0, pinned])]).toEqual([
      7,
      ['g', true, true],
      ['x', false, true],
      ['a', true, undefined],
    ]);
    expect(await fixture.keys('word', { sort: 'n:asc', offset: 3, limit: 3 })).toEqual(['b', 'd', 'e']);
  });

  it('are those of sorting all documents, on every page', async () => {
    const value = fc.constantFrom('1', '1.0', '2', '10', 'a', 'B', '2025-12-01', '');
    const documents = fc.array(
      fc.record({ a: fc.array(value, { maxLength: 2 }), b: fc.array(value, { maxLength: 2 }) }),
      { minLength: 1, maxLength: 12 },
    );
    const order = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'key'), fc.boolean()), {
      minLength: 1,
      maxLength: 3,
      selector: ([name]) => name,
    });
    await fc.assert(fc.asyncProperty(documents, order, async (metas, keys) => {
      await fixture.call('deleteCollection', { collection: 'c' }).catch(() => undefined);
      const stored = metas.map((meta, i) => ({ key: `k${String(i).padStart(2, '0')}`, meta }));
      for (const { key, meta } of stored) await fixture.add(key, 'word', meta);
      const places = stored.map(({ key, meta }) => ({
        key,
        place: keys.map(([name, descending]) => (name === 'key' ? key : best(meta[name as 'a' | 'b'], descending))),
      }));
      const expected = places.toSorted((one, other) =>
        comparePlaces(one.place, other.place, keys.map(([, descending]) => ({ descending })))
      ).map(({ key }) => key);
      const sort = keys.map(([name, descending]) => `${name}:${descending ? 'desc' : 'asc'}`).join(', ');
      // Added in the order of their ids, which is also the order of equal documents.
      expect(await both(sort)).toEqual(expected);
      for (let offset = 0; offset < expected.length; offset += 5)
        expect(await both(sort, { offset, limit: 5 })).toEqual(expected.slice(offset, offset + 5));
    }), { numRuns: 20 });
  }, 60_000);

  describe('by cursor', () => {
    const page = async (id: 'searchDocuments' | 'searchFullText',
      more: object): Promise<{ keys: string[]; next: string | undefined }> =>
    {
      const { value, headers } = await fixture.base.reply(id, {
        collection: 'c',
        ...(id === 'searchFullText' && { query: 'word' }),
        limit: 4,
        ...more,
      });
      if (Array.isArray(value)) return { keys: value.map(({ key }) => key), next: headers['X-Next-Cursor'] };
      return { keys: value.results.map(({ document }) => document.key), next: value.nextCursor };
    };
    const walk = async (id: 'searchDocuments' | 'searchFullText', more: object,
      between: (round: number) => Promise<unknown> = async () => undefined): Promise<string[]> =>
    {
      const keys: string[] = [];
      let cursor: string | undefined = '*';
      for (let round = 0; cursor !== undefined; round++) {
        const found = await page(id, { ...more, cursor });
        keys.push(...found.keys);
        cursor = found.next;
        await between(round);
      }
      return keys;
    };
    const all = Array.from({ length: 14 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    beforeEach(async () => {
      for (const [i, key] of all.entries())
        await fixture.add(key, 'word '.repeat(1 + (i % 5)), i % 3 === 0 ? {} : { n: [String(i % 4)] });
    });
    const CASES = [
      ...[undefined, 'key:desc', 'addedAt', 'n:asc', 'n:desc, key', 'expiresAt:asc'].map((sort) =>
        ['searchDocuments', sort] as const
      ),
      ...[undefined, 'n:asc', 'score:asc, n:asc', 'updatedAt'].map((sort) => ['searchFullText', sort] as const),
    ];

    it.each(CASES)('%s by %s has every document once, in the order of offsets', async (id, sort) => {
      const { keys } = await page(id, { sort, limit: 100 });
      expect(await walk(id, { sort })).toEqual(keys);
      expect(await walk(id, { sort, limit: 7 })).toEqual(keys);
    });

    it.each([...CASES].filter(([, sort]) => sort !== 'score:asc, n:asc' && sort !== 'updatedAt'))(
      '%s by %s repeats and leaves out nothing while documents come and go',
      async (id, sort) => {
        const keys = await walk(id, { sort }, async (round) => {
          if (round >= 2) return;
          await fixture.call('deleteDocument', { collection: 'c', key: all[round * 5 + 1]!, lang: 'en' });
          await fixture.add(`new${round}`, 'other', { n: ['1'] });
          await fixture.add(`a${round}`, 'other', { n: ['9'] });
        });
        const kept = all.filter((key) => key !== 'k01' && key !== 'k06');
        expect(new Set(keys).size).toBe(keys.length);
        // Scores depend on all documents, so the position of a result may change with them.
        if (id === 'searchDocuments' || sort !== undefined) expect(keys).toEqual(expect.arrayContaining(kept));
      },
    );

    it.each([undefined, 'score:asc', 'score, key:desc'])(
      'by %s has every document once and ends, while each write changes all scores',
      async (sort) => {
        const equal = Array.from({ length: 20 }, (_, i) => `e${String(i).padStart(2, '0')}`);
        for (const key of equal) await fixture.add(key, 'A post.', { title: [`Post ${key}`] });
        const keys = await walk('searchFullText', { query: 'post', sort, limit: 4 }, async (round) => {
          if (round < 12) await fixture.add(`w${round}`, 'Another post');
        });
        expect(keys.filter((key) => key.startsWith('e')).toSorted()).toEqual(equal);
      },
    );

    it('by score goes on behind the documents before the last one, if that one is deleted', async () => {
      const equal = Array.from({ length: 12 }, (_, i) => `e${String(i).padStart(2, '0')}`);
      for (const key of equal) await fixture.add(key, 'A post.');
      const keys = await walk('searchFullText', { query: 'post' }, async (round) => {
        if (round === 0) await fixture.call('deleteDocument', { collection: 'c', key: 'e03', lang: 'en' });
      });
      expect(keys).toEqual(equal);
    });

    it('hides what curation hides, and pins nothing', async () => {
      await fixture.call('createCurationRule', {
        collection: 'c',
        query: 'word',
        pins: [{ key: 'k13', position: 1 }, { key: 'k03', position: 0 }],
        hides: ['k00'],
        enabled: true,
      });
      expect(await walk('searchFullText', { sort: 'key:asc' })).toEqual(all.slice(1));
    });

    it('is refused for another order, another query, an offset, and where it is none', async () => {
      const { next } = await page('searchFullText', { cursor: '*', sort: 'n:asc' });
      for (const more of [{ cursor: next }, { cursor: next, sort: 'n:desc' }, {
        cursor: next,
        sort: 'n:asc',
        query: 'other',
      }, { cursor: '*', offset: 1 }, { cursor: 'x' }, { cursor: '' }]) {
        await expect(page('searchFullText', more), JSON.stringify(more)).rejects.toMatchObject(refusal);
      }
      for (const more of [{ cursor: next, sort: 'n:asc' }, { cursor: '*', offset: 1 }, { cursor: 'x' }])
        await expect(page('searchDocuments', more)).rejects.toMatchObject(refusal);
      expect(await page('searchFullText', { cursor: '*', langs: ['de'] })).toEqual({ keys: [], next: undefined });
    });
  });

  it('are refused where the order is none', async () => {
    for (const sort of ['size', '', 'key,', 'a:asc,b', ':desc']) {
      for (const id of ['searchDocuments', 'searchFullText'] as const)
        await expect(fixture.call(id, { collection: 'none', query: 'x', sort }), `${id} ${sort}`).rejects.toMatchObject(
          refusal,
        );
    }
    await expect(listed({ sort: 'score' })).rejects.toMatchObject(refusal);
  });
});

function best(values: readonly string[], descending: boolean): SortValue {
  return values.map(sortValueOf).sort((a, b) => comparePlaces([a], [b], [{ descending }]))[0];
}
