import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fixture } from './test-fixture.ts';

describe('metadata that are sent as single values (decision D-135)', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open('sql.js');
  });
  afterEach(() => fixture.close());

  const given = JSON.parse('{"text":"a","number":1.5,"truth":true,"list":["x",2,false],"none":[],"__proto__":7}') as object;
  const kept = JSON.parse('{"text":["a"],"number":["1.5"],"truth":["true"],"list":["x","2","false"],"none":[],"__proto__":["7"]}') as object;
  const document = { collection: 'c', key: 'k', lang: 'en' };
  const metaOf = async () => (await fixture.call('getDocument', document)).meta;

  it('are kept and returned as lists of texts, whatever writes them', async () => {
    expect((await fixture.call('addDocument', { ...document, contentMd: '', meta: given })).meta).toEqual(kept);
    expect(await metaOf()).toEqual(kept);
    await fixture.call('updateDocument', { ...document, meta: { n: 1 } });
    expect(await metaOf()).toEqual({ n: ['1'] });
    expect(await fixture.call('addDocuments', { collection: 'c', documents: [{ key: 'k', lang: 'en', contentMd: '', meta: given }] })).toMatchObject({ updated: 1, failed: 0 });
    expect(await metaOf()).toEqual(kept);
  });

  it('are found by single values as well', async () => {
    await fixture.call('addDocument', { ...document, contentMd: '', meta: given });
    for (const filterMeta of [{ text: 'a' }, { number: 1.5 }, { truth: true }, { list: [2, 'none'] }, JSON.parse('{"__proto__":7}') as object]) {
      expect(await fixture.call('searchDocuments', { collection: 'c', filterMeta }), JSON.stringify(filterMeta)).toHaveLength(1);
    }
    expect(await fixture.call('searchDocuments', { collection: 'c', filterMeta: { number: 2 } })).toEqual([]);
  });

  it('are refused when they are anything else', async () => {
    for (const value of [null, {}, [null], [['a']], [{}], 'x'.repeat(8193)]) {
      await expect(fixture.call('addDocument', { ...document, contentMd: '', meta: { k: value } }), JSON.stringify(value).slice(0, 20)).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringMatching(/^meta\.k/) as string });
    }
  });
});
