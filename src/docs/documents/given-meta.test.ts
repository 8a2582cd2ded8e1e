import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fixture } from './test-fixture.ts';

describe('metadata that are sent as single or nested values (decision D-135)', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open('sql.js');
  });
  afterEach(() => fixture.close());

  const given = JSON.parse(
    '{"text":"a","number":1.5,"truth":true,"list":["x",2,false],"none":[],"null":null,"__proto__":7}',
  ) as object;
  const kept = JSON.parse(
    '{"text":["a"],"number":["1.5"],"truth":["true"],"list":["x","2","false"],"__proto__":["7"]}',
  ) as object;
  const document = { collection: 'c', key: 'k', lang: 'en' };
  const metaOf = async () => (await fixture.call('getDocument', document)).meta;

  it('are kept and returned as lists of texts, whatever writes them', async () => {
    expect((await fixture.call('addDocument', { ...document, contentMd: '', meta: given })).meta).toEqual(kept);
    expect(await metaOf()).toEqual(kept);
    await fixture.call('updateDocument', { ...document, meta: { n: 1 } });
    expect(await metaOf()).toEqual({ n: ['1'] });
    expect(await fixture.call('addDocuments', {
      collection: 'c',
      documents: [{ key: 'k', lang: 'en', contentMd: '', meta: given }],
    })).toMatchObject({ updated: 1, failed: 0 });
    expect(await metaOf()).toEqual(kept);
  });

  it('are found by single values as well', async () => {
    await fixture.call('addDocument', { ...document, contentMd: '', meta: given });
    for (const filterMeta of [{ text: 'a' }, { number: 1.5 }, { truth: true }, { list: [2, 'none'] },
      JSON.parse('{"__proto__":7}') as object])
    {
      expect(await fixture.call('searchDocuments', { collection: 'c', filterMeta }), JSON.stringify(filterMeta))
        .toHaveLength(1);
    }
    expect(await fixture.call('searchDocuments', { collection: 'c', filterMeta: { number: 2 } })).toEqual([]);
  });

  it('are refused when they are anything else', async () => {
    await expect(fixture.call('addDocument', { ...document, contentMd: '', meta: { k: 'x'.repeat(8193) } })).rejects
      .toMatchObject({ code: 'invalid_argument', message: expect.stringMatching(/^meta\.k/) as string });
    for (const meta of ['text', ['a'], null])
      await expect(fixture.call('addDocument', { ...document, contentMd: '', meta })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/^meta must be/) as string,
      });
  });

  it('are flattened where they are nested, in the order in which they are sent', async () => {
    const meta = {
      'faq.0.question': 'first',
      faq: [{ question: 'second', answer: null }, { question: [1, null, true] }],
      geo: { lat: 52.5, empty: {} },
      rows: [[1, 2], []],
      mixed: ['a', { b: 'c' }],
    };
    const flat = {
      'faq.0.question': ['first', 'second'],
      'faq.1.question': ['1', 'true'],
      'geo.lat': ['52.5'],
      'rows.0': ['1', '2'],
      'mixed.0': ['a'],
      'mixed.1.b': ['c'],
    };
    expect((await fixture.call('addDocument', { ...document, contentMd: '', meta })).meta).toEqual(flat);
    expect(await fixture.call('searchDocuments', { collection: 'c', filterMeta: { 'faq.0.question': 'second' } }))
      .toHaveLength(1);
    await fixture.call('updateDocument', { ...document, meta: { geo: { lat: null }, kept: 1 } });
    expect(await metaOf()).toEqual({ kept: ['1'] });
    expect(await fixture.call('addDocuments', {
      collection: 'c',
      documents: [{ key: 'k', lang: 'en', contentMd: '', meta }, { key: 'l', lang: 'en', contentMd: '', meta: null }],
    })).toMatchObject({ updated: 1, added: 1, failed: 0 });
    expect(await metaOf()).toEqual(flat);
  });

  it.each([['too many keys', { a: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])) },
    /^meta must .*256/], ['too many values', { a: { b: Array.from({ length: 1001 }, () => 1) } },
    /^meta\.a\.b must .*1000/], ['too long a key', { ['x'.repeat(600)]: { ['y'.repeat(600)]: { z: 1 } } },
    /^meta\.x+.* must be at most 1024 bytes/], ['too long a value', { a: [{ b: 'x'.repeat(8193) }] },
    /^meta\.a\.0\.b\[0\] must be at most 8192 bytes/]])(
      'are refused after that where they have %s, and fail one item of a batch',
      async (_, meta, message) => {
        await expect(fixture.call('addDocument', { ...document, contentMd: '', meta })).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringMatching(message) as string,
        });
        const { added, failed, errors } = await fixture.call('addDocuments', {
          collection: 'c',
          documents: [{ key: 'bad', lang: 'en', contentMd: '', meta }, { key: 'good', lang: 'en', contentMd: '' }],
        });
        expect({ added, failed }).toEqual({ added: 1, failed: 1 });
        expect(errors[0]!.slice('0 bad: '.length)).toMatch(message);
      },
    );
});
