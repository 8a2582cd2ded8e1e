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
      revisions: [{ revision: 3, timestamp: START + 10, updatedAt: START + 10, contentMd: 'two', meta: {} }, {
        revision: 2,
        timestamp: START + 10,
        updatedAt: START + 10,
        contentMd: 'two',
        meta: { v: ['1'] },
      }, { revision: 1, timestamp: START, updatedAt: START, contentMd: 'one', meta: { v: ['1'] } }],
      total: 3,
    });
  });

  it('stores the body of a first write once', async () => {
    await write('x'.repeat(500));
    expect(await fixture.sql.get('SELECT meta, body FROM revisions')).toEqual({ meta: null, body: null });
  });

  it('keeps the order of versions of one second by their numbers, and is never ahead of the clock', async () => {
    for (const text of ['one', 'two', 'three']) await write(text);
    fixture.advance(-100);
    expect((await write('four')).updatedAt).toBe(START - 100);
    const { revisions } = await list();
    expect(revisions.map(({ contentMd }) => contentMd)).toEqual(['four', 'three', 'two', 'one']);
    expect(revisions.map(({ revision }) => revision)).toEqual([4, 3, 2, 1]);
    expect(revisions.map(({ timestamp }) => timestamp)).toEqual([START - 100, START, START, START]);
  });

  it('goes on from the numbers of documents whose revisions were named by time', async () => {
    await write('one');
    await fixture.sql.transaction(async (tx) => {
      await tx.run('UPDATE revisions SET ts = ?', [START + 7]);
      await tx.run('UPDATE documents SET rev_ts = ?', [START + 7]);
    });
    await write('two');
    expect((await list()).revisions.map(({ revision, timestamp, contentMd }) => [revision, timestamp, contentMd]))
      .toEqual([[START + 8, START, 'two'], [START + 7, START, 'one']]);
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

  describe('in pages', () => {
    const KIB = 1024;
    /** Versions of `kib` KiB each, which compress to nearly nothing. */
    const fill = async (versions: number, kib: number) => {
      for (let i = 1; i <= versions; i++) await write(`${i} ${'x'.repeat(kib * KIB)}`);
    };
    const page = (more: object = {}) => fixture.call('listRevisions', { ...hello, ...more });
    const numbers = (answer: { revisions: readonly { revision: number }[] }) =>
      answer.revisions.map(({ revision }) => revision);

    it('has those that were asked for, and the number of all', async () => {
      await fill(5, 1);
      expect(await page({ limit: 2, offset: 1 })).toMatchObject({
        total: 5,
        revisions: [{ revision: 4 }, { revision: 3 }],
      });
      expect(numbers(await page({ limit: 0 }))).toEqual([]);
      expect(await page({ offset: 5 })).toEqual({ ...hello, revisions: [], total: 5 });
    });

    it('has no bodies where none are wanted', async () => {
      await fill(2, 1);
      const { revisions } = await page({ includeContent: false });
      expect(revisions).toEqual([{ revision: 2, timestamp: START, updatedAt: START, contentMd: '', meta: {} }, {
        revision: 1,
        timestamp: START,
        updatedAt: START,
        contentMd: '',
        meta: {},
      }]);
    });

    it('ends with what one response may hold, and says where to go on', async () => {
      await fill(10, 100);
      fixture.answerBytes = 350 * KIB;
      const first = await page();
      expect([numbers(first), first.total, first.truncated, first.nextOffset]).toEqual([[10, 9, 8], 10, true, 3]);
      const seen: number[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const answer: Awaited<ReturnType<typeof page>> = await page({ offset });
        seen.push(...numbers(answer));
        offset = answer.nextOffset;
      }
      expect(seen).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    });

    it('has one revision at least, however large', async () => {
      await fill(2, 200);
      fixture.answerBytes = KIB;
      expect(await page()).toMatchObject({ revisions: [{ revision: 2 }], truncated: true, nextOffset: 1 });
      expect(await page({ offset: 1 })).not.toHaveProperty('truncated');
    });

    it('reads no more than the response may hold, however much is stored', async () => {
      const decoded: number[] = [];
      const { codec } = fixture.environment;
      const decode = codec.decodeAsync.bind(codec);
      codec.decodeAsync = async (stored) => {
        const text = await decode(stored);
        decoded.push(text.length);
        return text;
      };
      await fill(200, 64);
      decoded.length = 0;
      fixture.answerBytes = 1024 * KIB;
      await page();
      const total = decoded.reduce((sum, length) => sum + length, 0);
      expect(total).toBeLessThan((1024 + 2 * 64) * KIB);
    });

    it('ends when nobody waits for it any more', async () => {
      await fill(3, 1);
      await expect(fixture.call('listRevisions', hello, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    });
  });

  describe('restore (decision D-35)', () => {
    it('is an ordinary update: a new revision, in the feed, indexed', async () => {
      await write('one', { meta: { v: ['1'] } });
      await write('two', { meta: { v: ['2'] }, ttl: 50 });
      fixture.advance(7);
      expect(await fixture.call('restoreRevision', { ...hello, timestamp: START })).toEqual({
        id: 'blog|hello|en',
        key: 'hello',
        lang: 'en',
        contentMd: 'one',
        meta: { v: ['1'] },
        addedAt: START,
        updatedAt: START + 7,
        expiresAt: START + 50,
        checksum: expect.any(String) as string,
      });
      expect(await bodies()).toEqual(['one', 'two', 'one']);
      expect((await fixture.changes()).at(-1)).toMatchObject({ kind: 'doc.put', flags: 0 });
      expect(await fixture.call('searchDocuments', { collection: 'blog', filterMeta: { v: ['1'] } })).toHaveLength(1);
    });

    it('by number means exactly that revision, by a time that several share the newest of them', async () => {
      for (const text of ['one', 'two', 'three']) await write(text);
      fixture.advance(5);
      await write('four');
      const restored = async (which: object) =>
        (await fixture.call('restoreRevision', { ...hello, ...which })).contentMd;
      expect(await restored({ revision: 2 })).toBe('two');
      expect(await restored({ timestamp: START })).toBe('three');
      expect(await restored({ revision: 1, timestamp: START })).toBe('one');
      await expect(restored({ revision: 4, timestamp: START })).rejects.toMatchObject({ code: 'not_found' });
      await expect(restored({ revision: 99 })).rejects.toMatchObject({ code: 'not_found' });
      await expect(restored({})).rejects.toMatchObject({
        code: 'missing_fields',
        message: 'missing fields: one of revision, timestamp',
      });
    });

    it('by a time that the present version shares means one before it', async () => {
      for (const text of ['one', 'two']) await write(text);
      expect((await fixture.call('restoreRevision', { ...hello, timestamp: START })).contentMd).toBe('one');
    });

    it('returns 404 for an unknown timestamp, document or spelling', async () => {
      await write('one');
      const notFound = { code: 'not_found' };
      await expect(fixture.call('restoreRevision', { ...hello, timestamp: START + 1 })).rejects.toMatchObject(notFound);
      await expect(fixture.call('restoreRevision', { ...hello, key: 'Hello', timestamp: START })).rejects.toMatchObject(
        notFound,
      );
    });

    it('refuses metadata that the present schema forbids', async () => {
      await write('one');
      await fixture.call('setSchema', { collection: 'blog', schema: { required: ['owner'] } });
      await expect(fixture.call('restoreRevision', { ...hello, timestamp: START })).rejects.toMatchObject({
        code: 'validation_failed',
      });
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
      expect((await fixture.changes()).at(-1)).toMatchObject({
        kind: 'revisions.truncate',
        collection: 'blog',
        detail: '{"keepRevs":2}',
      });
    });

    it('deletes all history with 0, and leaves documents and numbers as they are', async () => {
      for (const text of ['one', 'two']) await write(text);
      expect((await truncate(0)).deleted).toBe(2);
      expect((await truncate(0)).deleted).toBe(0);
      expect(await list()).toMatchObject({ revisions: [], total: 0 });
      expect((await fixture.call('getDocument', hello)).contentMd).toBe('two');
      await write('three');
      expect((await list()).revisions).toMatchObject([{ revision: 3, contentMd: 'three' }]);
    });

    it('takes more documents than one transaction, and an unknown collection', async () => {
      const documents = Array.from({ length: 600 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: '' }));
      for (let i = 0; i < 2; i++) await fixture.call('addDocuments', { collection: 'blog', documents });
      expect((await truncate(1)).deleted).toBe(600);
      expect(await fixture.call('truncateRevisions', { collection: 'none', keepRevs: 0 })).toMatchObject({
        deleted: 0,
      });
    });

    it('needs keepRevs', async () => {
      await expect(fixture.call('truncateRevisions', { collection: 'blog' })).rejects.toMatchObject({
        status: 400,
        message: 'missing fields: keepRevs',
      });
    });
  });
});
