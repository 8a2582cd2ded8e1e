import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS, Fixture, START } from './test-fixture.ts';

describe.each(DRIVERS)('search over %s (contract section 4, decision D-66)', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(() => fixture.close());

  const add = (key: string, meta: Record<string, string[]> = {}, more: object = {}) =>
    fixture.call('addDocument', { collection: 'blog', key, lang: 'en', meta, contentMd: `body of ${key}`, ...more });
  const search = async (more: object = {}) => {
    const { value, headers } = await fixture.reply('searchDocuments', { collection: 'blog', ...more });
    return {
      keys: value.map(({ key, lang }) => (lang === 'en' ? key : `${key}.${lang}`)),
      total: Number(headers['X-Total-Count']),
      value,
      headers,
    };
  };

  describe('filter', () => {
    beforeEach(async () => {
      await add('a', { category: ['news', 'news'], tags: ['x', 'y'] });
      await add('b', { category: ['blog'], tags: ['x'] });
      await add('c', { category: ['news'], tags: ['z'] });
      await add('d');
    });

    it.each([[{}, ['a', 'b', 'c', 'd']], [{ category: ['news'] }, ['a', 'c']], [{ category: ['news', 'blog'] }, ['a',
      'b', 'c']], [{ category: ['news', 'blog'], tags: ['x'] }, ['a', 'b']], [{
      category: ['news'],
      tags: ['x', 'z', 'none'],
    }, ['a', 'c']], [{ tags: ['x', 'y'] }, ['a', 'b']], [{ tags: ['none'] }, []], [{ none: ['x'] }, []], [{ tags: [] },
      []], [{ category: ['NEWS'] }, []]])('%j: values of a key are alternatives, keys must all match',
        async (filterMeta, keys) => {
          expect(await search({ filterMeta })).toMatchObject({ keys, total: keys.length });
        });

    it('looks into its own collection', async () => {
      await add('other', { category: ['news'] }, { collection: 'wiki' });
      expect(await search({ filterMeta: { category: ['news'] }, collection: 'BLOG' })).toMatchObject({
        keys: ['a', 'c'],
      });
      expect(await search({ collection: 'none' })).toMatchObject({ keys: [], total: 0 });
    });

    it('narrows by ranges, but not deleted documents', async () => {
      await add('e', { year: ['2020'] });
      await add('f', { year: ['1999'] });
      const rangeMeta = [{ field: 'year', gte: 2000 }];
      expect(await search({ rangeMeta })).toMatchObject({ keys: ['e'], total: 1 });
      expect(await search({ rangeMeta: [{ field: 'addedAt', lt: START }] })).toMatchObject({ keys: [] });
      await expect(search({ rangeMeta, deleted: true })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('rangeMeta must not come with deleted') as string,
      });
    });

    it('refuses more than 1000 values in all', async () => {
      const values = Array.from({ length: 501 }, (_, i) => String(i));
      await expect(search({ filterMeta: { a: values, b: values } })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    });
  });

  it('sorts by key, ascending, then by id, by default', async () => {
    await add('b');
    await add('a', {}, { lang: 'pl' });
    await add('a', {}, { lang: 'de' });
    await add('Z');
    fixture.advance(1);
    await add('c');
    await add('b', { changed: ['yes'] });
    expect((await search()).keys).toEqual(['Z', 'a.de', 'a.pl', 'b', 'c']);
    expect((await search({ sort: 'key' })).keys).toEqual(['c', 'b', 'a.de', 'a.pl', 'Z']);
    expect((await search({ sort: 'key', asc: true })).keys).toEqual(['Z', 'a.de', 'a.pl', 'b', 'c']);
    expect((await search({ asc: false })).keys).toEqual(['c', 'b', 'a.de', 'a.pl', 'Z']);
    expect((await search({ sort: 'addedAt' })).keys).toEqual(['c', 'a.de', 'a.pl', 'b', 'Z']);
    expect((await search({ sort: 'updatedAt', asc: true })).keys).toEqual(['a.de', 'a.pl', 'Z', 'b', 'c']);
  });

  it('orders by id what any other order leaves equal', async () => {
    for (const [key, lang, n] of [['b', 'en', '1'], ['B2', 'en', '1'], ['a', 'pl', '1'], ['a', 'de', '2'], ['c', 'en',
      undefined], ['A0', 'en', undefined]] as const)
    {
      await add(key, n === undefined ? {} : { n: [n] }, { lang });
    }
    expect((await search({ sort: 'n:asc' })).keys).toEqual(['a.pl', 'B2', 'b', 'a.de', 'A0', 'c']);
    expect((await search({ sort: 'n:desc' })).keys).toEqual(['a.de', 'a.pl', 'B2', 'b', 'A0', 'c']);
    expect((await search({ sort: 'n:desc', limit: 2, offset: 2 })).keys).toEqual(['B2', 'b']);
    expect((await search({ sort: 'addedAt' })).keys).toEqual(['A0', 'a.de', 'a.pl', 'B2', 'b', 'c']);
  });

  it('shows nothing that does not match any more, though the index has yet to hear of it', async () => {
    for (const key of ['a', 'b', 'c']) await add(key, { tag: ['x'] });
    await fixture.sql.transaction(async (tx) => {
      await tx.run(`UPDATE documents SET meta = '{"tag":["y"]}' WHERE key = 'a'`);
      await tx.run("UPDATE documents SET expires_at = 1 WHERE key = 'b'");
    });
    for (const narrowed of [{ filterMeta: { tag: ['x'] } }, { filter: 'tag = x' }]) {
      expect((await search(narrowed)).keys).toEqual(['c']);
      const streamed = await Array.fromAsync(
        fixture.documents.reader.documents('blog', narrowed.filterMeta, { filter: narrowed.filter }),
      );
      expect(streamed.flat().map(({ key }) => key)).toEqual(['c']);
    }
  });

  it('lists the values of a metadata key that has the name of a field', async () => {
    await add('a', { lang: ['shadow'], key: ['k'], 'meta.x': ['1'] });
    expect(await fixture.call('listMetaKeys', { collection: 'blog' })).toEqual({
      meta: { key: ['k'], lang: ['shadow'], 'meta.x': ['1'] },
    });
    expect(await fixture.call('listMetaKeys', { collection: 'blog', key: 'lang' })).toEqual({
      meta: { lang: ['shadow'] },
    });
    for (const filterMeta of [{ lang: ['shadow'] }, { key: ['k'] }, { 'meta.x': ['1'] }])
      expect((await search({ filterMeta })).keys).toEqual(['a']);
    for (const filterMeta of [{ lang: ['en'] }, { key: ['a'] }, { x: ['1'] }, { '': ['1'] }])
      expect((await search({ filterMeta })).keys).toEqual([]);
  });

  it('pages, and counts before paging (X-Total-Count)', async () => {
    const documents = Array.from({ length: 60 }, (_, i) => ({
      key: `k${String(i).padStart(2, '0')}`,
      lang: 'en',
      contentMd: '',
      meta: { even: [String(i % 2 === 0)] },
    }));
    await fixture.call('addDocuments', { collection: 'blog', documents });
    expect((await search()).keys).toHaveLength(50);
    expect(await search({ limit: 2, offset: 3 })).toMatchObject({ keys: ['k03', 'k04'], total: 60 });
    expect(await search({ limit: 2, offset: 29, filterMeta: { even: ['true'] } })).toMatchObject({
      keys: ['k58'],
      total: 30,
    });
    expect(await search({ limit: 0 })).toMatchObject({ keys: [], total: 60 });
    expect(await search({ offset: 60 })).toMatchObject({ keys: [], total: 60 });
    for (const wrong of [{ limit: 10_001 }, { limit: -1 }, { offset: -1 }, { sort: 'size' }])
      await expect(search(wrong)).rejects.toMatchObject({ status: 400 });
  });

  describe('in responses of limited size', () => {
    const large = (i: number) => ({
      key: `k${i}`,
      lang: 'en',
      contentMd: String(i).repeat(100_000),
      meta: { n: [String(i)] },
    });
    beforeEach(() =>
      fixture.call('addDocuments', { collection: 'blog', documents: Array.from({ length: 5 }, (_, i) => large(i)) })
    );

    it('ends where the next document does not fit, and says where to go on', async () => {
      fixture.answerBytes = 250_000;
      expect(await search()).toMatchObject({
        keys: ['k0', 'k1'],
        total: 5,
        headers: { 'X-Truncated': 'true', 'X-Next-Offset': '2' },
      });
      expect(await search({ offset: 4 })).toMatchObject({ keys: ['k4'], value: [large(4)] });
      expect((await search({ offset: 4 })).headers).not.toHaveProperty('X-Truncated');
      expect((await search({ includeContent: false })).keys).toHaveLength(5);
    });

    it('has one document at least', async () => {
      fixture.answerBytes = 1;
      expect(await search({ offset: 1 })).toMatchObject({
        keys: ['k1'],
        value: [large(1)],
        headers: { 'X-Next-Offset': '2' },
      });
    });

    it('ends when nobody waits for it any more', async () => {
      await expect(fixture.call('searchDocuments', { collection: 'blog' }, AbortSignal.abort(new Error('gone'))))
        .rejects.toThrow('gone');
    });
  });

  it('lists metadata values in pages, of one key or of all', async () => {
    const a = Array.from({ length: 1500 }, (_, i) => `v${String(i).padStart(4, '0')}`);
    await add('one', { a: a.slice(0, 800) });
    await add('two', { a: a.slice(700), b: ['x', 'y'] });
    const meta = { a, b: ['x', 'y'] };
    const list = (more: object = {}) => fixture.call('listMetaKeys', { collection: 'blog', ...more });
    expect(await list()).toEqual({ meta });
    expect(await list({ key: 'b' })).toEqual({ meta: { b: ['x', 'y'] } });
    expect(await list({ offset: 1499, limit: 2 })).toEqual({ meta: { a: ['v1499'], b: ['x'] } });
    expect(await list({ offset: 1502 })).toEqual({ meta: {} });
    fixture.answerBytes = 1024;
    expect(await list({ key: 'a' })).toMatchObject({ meta: { a: a.slice(0, 14) }, truncated: true, nextOffset: 14 });
  });

  it('lists large collections alike, from the background', async () => {
    const documents = Array.from({ length: 1500 }, (_, i) => ({
      key: `k${String(i).padStart(4, '0')}`,
      lang: 'en',
      contentMd: `b${i}`,
      meta: { mod: [String(i % 7)] },
    }));
    await fixture.call('addDocuments', { collection: 'blog', documents });
    await add('k0000', { mod: ['0'] }, { ttl: 1 });
    fixture.advance(1);
    expect(await search({ limit: 2 })).toMatchObject({
      keys: ['k0001', 'k0002'],
      total: 1499,
      value: [{ contentMd: 'b1' }, { contentMd: 'b2' }],
    });
    expect(await search({ filterMeta: { mod: ['0', '1'] }, limit: 3, sort: 'key' })).toMatchObject({
      keys: ['k1499', 'k1498', 'k1492'],
      total: 429,
    });
    expect((await fixture.call('listMetaKeys', { collection: 'blog' })).meta).toEqual({
      mod: ['0', '1', '2', '3', '4', '5', '6'],
    });
    const streamed = (await Array.fromAsync(fixture.documents.reader.documents('Blog', { mod: ['0'] }))).flat();
    expect(streamed.map(({ key }) => key)).toEqual(
      documents.filter(({ meta }) => meta.mod[0] === '0').slice(1).map(({ key }) => key),
    );
    expect(await fixture.call('getChecksum', { collection: 'blog' })).toMatchObject({ documentCount: 1499 });
  });

  describe('the fields of a response (decision D-40)', () => {
    beforeEach(() => add('a', { tags: ['x'], lang: ['pl'] }, { ttl: 9 }));
    const all = {
      id: 'blog|a|en',
      key: 'a',
      lang: 'en',
      addedAt: START,
      updatedAt: START,
      expiresAt: START + 9,
      meta: { tags: ['x'], lang: ['pl'] },
      contentMd: 'body of a',
    };
    const { id, key, lang, addedAt, updatedAt, expiresAt, meta, contentMd } = all;

    it.each([[{}, all], [{ includeContent: false }, { id, key, lang, addedAt, updatedAt, expiresAt, meta }], [{
      fields: [],
    }, { id, key, lang }], [{ fields: ['updatedAt', 'tags'] }, { id, key, lang, updatedAt, meta: { tags: ['x'] } }], [{
      fields: ['absent'],
    }, { id, key, lang, meta: {} }], [{ fields: ['meta', 'expiresAt', 'addedAt'] }, {
      id,
      key,
      lang,
      meta,
      expiresAt,
      addedAt,
    }], [{ fields: ['contentMd'] }, { id, key, lang, contentMd }], [{ fields: ['contentMd'], includeContent: false }, {
      id,
      key,
      lang,
    }], [{ fields: ['lang'], includeContent: true }, { id, key, lang, contentMd }]])('%j',
      async (request, expected) => {
        expect((await search(request)).value).toEqual([expected]);
      });
  });

  describe('the retrieval profile (contract section 2)', () => {
    beforeEach(async () => {
      for (const key of ['a', 'b', 'c']) await add(key, {}, { contentMd: 'x'.repeat(40) });
    });
    const profile = (retrieval: object) => fixture.call('setCollectionConfig', { collection: 'blog', retrieval });

    it('returns the limit that the request leaves out', async () => {
      await profile({ topK: 2 });
      expect(await search()).toMatchObject({ keys: ['a', 'b'], total: 3 });
      expect(await search({ limit: 3 })).toMatchObject({ keys: ['a', 'b', 'c'] });
    });

    it('drops trailing documents beyond the token budget, never the first', async () => {
      await profile({ contextTokenBudget: 25 });
      expect(await search()).toMatchObject({ keys: ['a', 'b'], total: 3, headers: { 'X-Context-Truncated': 'true' } });
      expect(await search({ contextTokenBudget: 1 })).toMatchObject({
        keys: ['a'],
        headers: { 'X-Context-Truncated': 'true' },
      });
      for (const enough of [{ contextTokenBudget: 30 }, { contextTokenBudget: 0 }, { includeContent: false }]) {
        const { keys, headers } = await search(enough);
        expect(keys).toEqual(['a', 'b', 'c']);
        expect(headers).not.toHaveProperty('X-Context-Truncated');
      }
    });
  });
});
