import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS, Fixture, START } from './test-fixture.ts';

const hello = { collection: 'blog', key: 'hello', lang: 'en' };

describe.each(DRIVERS)('revisions over %s', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(() => fixture.close());
  const write = (contentMd: string, more: object = {}) => fixture.call('addDocument', { ...hello, contentMd, ...more });
  const list = () => fixture.call('listRevisions', hello);
  const bodies = async () => (await list()).revisions.map(({ contentMd }) => contentMd);

  it('has each version written, newest first, the first included (decision D-33)', async () => {
    await write('one', { meta: { v: ['1'] } });
    fixture.advance(10);
    await fixture.call('updateDocument', { ...hello, contentMd: 'two' });
    await fixture.call('updateDocument', { ...hello, meta: {} });
    expect(await list()).toEqual({
      ...hello,
      revisions: [
        { timestamp: START + 11, updatedAt: START + 10, contentMd: 'two', meta: {} },
        { timestamp: START + 10, updatedAt: START + 10, contentMd: 'two', meta: { v: ['1'] } },
        { timestamp: START, updatedAt: START, contentMd: 'one', meta: { v: ['1'] } },
      ],
      total: 3,
    });
  });

  it('stores the body of a first write once', async () => {
    await write('x'.repeat(500));
    expect(await fixture.sql.get('SELECT meta, body FROM revisions')).toEqual({ meta: null, body: null });
  });

  it('names each version once, also when the clock goes back (decision D-34)', async () => {
    for (const text of ['one', 'two', 'three']) await write(text);
    fixture.advance(-100);
    expect((await write('four')).updatedAt).toBe(START - 100);
    expect((await list()).revisions.map(({ timestamp }) => timestamp)).toEqual([START + 3, START + 2, START + 1, START]);
  });

  it('leaves out versions written with saveRevision false', async () => {
    await write('one');
    await write('two', { saveRevision: false });
    expect(await bodies()).toEqual(['one']);
    await write('three');
    expect(await bodies()).toEqual(['three', 'one']);
  });

  it('are not made by set-ttl, which writes no version', async () => {
    await write('one');
    await fixture.call('setDocumentTtl', { ...hello, ttl: 100 });
    expect((await list()).total).toBe(1);
  });

  it('are trimmed with each write to maxRevisions (contract section 2)', async () => {
    for (const text of ['one', 'two', 'three', 'four']) await write(text);
    await fixture.call('setCollectionConfig', { collection: 'blog', maxRevisions: 2 });
    expect((await list()).total).toBe(4);
    await write('five');
    expect(await bodies()).toEqual(['five', 'four']);
    await write('six', { saveRevision: false });
    expect(await bodies()).toEqual(['five', 'four']);
  });

  describe('restore (decision D-35)', () => {
    it('is an ordinary update: a new revision, in the feed, indexed', async () => {
      await write('one', { meta: { v: ['1'] } });
      await write('two', { meta: { v: ['2'] }, ttl: 50 });
      fixture.advance(7);
      expect(await fixture.call('restoreRevision', { ...hello, timestamp: START })).toEqual({
        id: 'blog|hello|en', key: 'hello', lang: 'en', contentMd: 'one', meta: { v: ['1'] }, addedAt: START, updatedAt: START + 7, expiresAt: START + 50,
      });
      expect(await bodies()).toEqual(['one', 'two', 'one']);
      expect((await fixture.changes()).at(-1)).toMatchObject({ kind: 'doc.put', flags: 0 });
      expect(await fixture.call('searchDocuments', { collection: 'blog', filterMeta: { v: ['1'] } })).toHaveLength(1);
    });

    it('answers 404 for an unknown timestamp, document or spelling', async () => {
      await write('one');
      const notFound = { code: 'not_found' };
      await expect(fixture.call('restoreRevision', { ...hello, timestamp: START + 1 })).rejects.toMatchObject(notFound);
      await expect(fixture.call('restoreRevision', { ...hello, key: 'Hello', timestamp: START })).rejects.toMatchObject(notFound);
    });

    it('refuses metadata that the present schema forbids', async () => {
      await write('one');
      await fixture.call('setSchema', { collection: 'blog', schema: { required: ['owner'] } });
      await expect(fixture.call('restoreRevision', { ...hello, timestamp: START })).rejects.toMatchObject({ code: 'validation_failed' });
    });
  });

  describe('truncate (contract section 4)', () => {
    const truncate = (keepRevs: number) => fixture.call('truncateRevisions', { collection: 'Blog', keepRevs });

    it('keeps the newest of each document of the collection', async () => {
      for (const text of ['one', 'two', 'three']) await write(text);
      await write('other', { key: 'other' });
      for (const text of ['a', 'b']) await write(text, { collection: 'wiki' });
      expect(await truncate(2)).toEqual({ deleted: 1, status: 'truncated', collection: 'Blog', keepRevs: 2 });
      expect(await bodies()).toEqual(['three', 'two']);
      expect(await fixture.count('revisions')).toBe(5);
      expect((await fixture.changes()).at(-1)).toMatchObject({ kind: 'revisions.truncate', collection: 'blog', detail: '{"keepRevs":2}' });
    });

    it('deletes all history with 0, and leaves documents and timestamps as they are', async () => {
      for (const text of ['one', 'two']) await write(text);
      expect((await truncate(0)).deleted).toBe(2);
      expect((await truncate(0)).deleted).toBe(0);
      expect(await list()).toMatchObject({ revisions: [], total: 0 });
      expect((await fixture.call('getDocument', hello)).contentMd).toBe('two');
      await write('three');
      expect((await list()).revisions).toMatchObject([{ timestamp: START + 2, contentMd: 'three' }]);
    });

    it('takes more documents than one transaction, and an unknown collection', async () => {
      const documents = Array.from({ length: 600 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: '' }));
      for (let i = 0; i < 2; i++) await fixture.call('addDocuments', { collection: 'blog', documents });
      expect((await truncate(1)).deleted).toBe(600);
      expect(await fixture.call('truncateRevisions', { collection: 'none', keepRevs: 0 })).toMatchObject({ deleted: 0 });
    });

    it('needs keepRevs', async () => {
      await expect(fixture.call('truncateRevisions', { collection: 'blog' })).rejects.toMatchObject({ status: 400, message: 'missing fields: keepRevs' });
    });
  });
});
