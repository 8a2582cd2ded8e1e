import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS, Fixture } from '../documents/test-fixture.ts';
import { createSynonyms, type Synonyms } from './synonyms.ts';

describe.each(DRIVERS)('synonyms over %s (contract section 4)', (driver) => {
  let fixture: Fixture;
  let synonyms: Synonyms;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    synonyms = createSynonyms(fixture.environment);
    await synonyms.load();
    fixture.use(synonyms.handlers);
  });
  afterEach(() => fixture.close());

  const add = (term: string, words: string[], collection = 'Blog') =>
    fixture.call('addSynonyms', { collection, term, synonyms: words });
  const remove = (term: string, collection = 'blog') => fixture.call('deleteSynonym', { collection, term });
  const list = async (collection = 'blog') => (await fixture.call('listSynonyms', { collection })).synonyms;
  const of = (term: string, collection = 'blog') => synonyms.synonymsOf(collection)(term);
  const feed = async () => (await fixture.changes()).map(({ kind, collection, key }) => `${kind} ${collection} ${key}`);

  it('are added to those that the term has, in the order in which they come', async () => {
    expect(await add('post', ['entry', 'article'])).toEqual({ status: 'ok' });
    await add('POST', ['article', 'Blog  Post', 'post', ' note ']);
    expect(await list()).toEqual({ post: ['entry', 'article', 'blog post', 'note'] });
    expect(await feed()).toEqual(['synonyms.put blog post', 'synonyms.put blog post']);
  });

  it('are none until they are added, and of one collection alone', async () => {
    await add('a', ['b']);
    expect(await fixture.call('listSynonyms', { collection: 'Wiki' })).toEqual({ collection: 'Wiki', synonyms: {} });
    expect(of('a', 'wiki')).toEqual([]);
    expect(of('a', 'BLOG')).toEqual(['b']);
  });

  it('work in both directions over one step (decision D-86)', async () => {
    await add('car', ['automobile', 'motor car']);
    await add('automobile', ['vehicle']);
    expect(of('car')).toEqual(['automobile', 'motor car']);
    expect(of('automobile')).toEqual(['car', 'vehicle']);
    expect(of('vehicle')).toEqual(['automobile']);
    expect(of('motor car')).toEqual(['car']);
    expect(of('bicycle')).toEqual([]);
  });

  it('are found as the index has them, however they are written', async () => {
    await add('Straße', ['CAFE\u0301', 'Caf\u00e9']);
    expect(await list()).toEqual({ straße: ['caf\u00e9'] });
    expect(of('strasse')).toEqual(['caf\u00e9']);
    expect(of('Cafe\u0301')).toEqual(['strasse']);
  });

  it('go with their term, once or again; others stay', async () => {
    await add('car', ['automobile']);
    await add('ship', ['boat']);
    for (let i = 0; i < 2; i++) expect(await remove('CAR')).toEqual({ status: 'ok' });
    expect(await list()).toEqual({ ship: ['boat'] });
    expect(of('automobile')).toEqual([]);
    expect((await feed()).filter((change) => change.startsWith('synonyms.delete'))).toEqual([
      'synonyms.delete blog car',
    ]);
  });

  it('survive a restart in order, and the deletion of their collection (decision D-74)', async () => {
    await add('b', ['y', 'x']);
    await add('a', ['z']);
    await add('b', ['w']);
    await fixture.call('addDocument', { collection: 'blog', key: 'a', lang: 'en', contentMd: '' });
    await fixture.call('deleteCollection', { collection: 'blog' });
    const later = createSynonyms(fixture.environment);
    await later.load();
    fixture.use(later.handlers);
    expect(await list()).toEqual({ b: ['y', 'x', 'w'], a: ['z'] });
    expect(later.synonymsOf('blog')('w')).toEqual(['b']);
  });

  it('change nothing when a term is only its own synonym', async () => {
    await add('post', ['Post']);
    expect(await list()).toEqual({});
    expect(await feed()).toEqual([]);
  });

  it('of concurrent writes are all there', async () => {
    await Promise.all(['x', 'y', 'z'].map((word) => add('a', [word])));
    expect((await list())['a']!.toSorted()).toEqual(['x', 'y', 'z']);
  });

  it('may have names that objects inherit', async () => {
    await add('__proto__', ['constructor']);
    expect(Object.entries(await list())).toEqual([['__proto__', ['constructor']]]);
    expect(of('constructor')).toEqual(['proto']);
  });

  it('refuse what no text can contain, and an endless dictionary', async () => {
    await expect(add('!?', ['a'])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'term must contain a letter or a digit',
    });
    await expect(add('a', ['b', ' '])).rejects.toMatchObject({
      message: 'synonyms[1] must contain a letter or a digit',
    });
    for (const wrong of [[], ['']]) await expect(add('a', wrong)).rejects.toMatchObject({ status: 400 });
    await fixture.sql.transaction((tx) =>
      tx.run(`
      INSERT INTO synonyms(collection, term, synonym)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) SELECT 'blog', 'many', 'word' || i FROM n`)
    );
    await expect(add('a', ['b', 'c'])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'a collection has at most 50000 synonyms',
    });
    expect(await add('a', ['b'])).toEqual({ status: 'ok' });
  });
});
