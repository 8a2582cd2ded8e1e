import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../storage/index.ts';
import { keepChecksumKey } from './index.ts';
import { DRIVERS, Fixture, START } from './test-fixture.ts';

const blog = { collection: 'blog', lang: 'en' };
const hello = { ...blog, key: 'hello', contentMd: '# Hello', meta: { tags: ['b', 'a', 'b'], category: ['news'] } };
const named = (key: string, lang = 'en') => ({ collection: 'blog', key, lang });
const CHECKSUM = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
const notFound = { code: 'not_found', message: 'not found' };

describe.each(DRIVERS)('documents over %s', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(() => fixture.close());
  const add = (more: object = {}) => fixture.call('addDocument', { ...hello, ...more });
  const get = (key: string, lang = 'en') => fixture.call('getDocument', named(key, lang));

  describe('add and get', () => {
    it('returns the document as stored (contract section 2, Document)', async () => {
      const expected = {
        id: 'blog|hello|en',
        key: 'hello',
        lang: 'en',
        meta: { tags: ['b', 'a', 'b'], category: ['news'] },
        contentMd: '# Hello',
        addedAt: START,
        updatedAt: START,
        checksum: CHECKSUM,
      };
      expect(await add()).toEqual(expected);
      expect(await get('hello')).toEqual(expected);
    });

    it.each(['', 'x'.repeat(2000), 'ä€😀'.repeat(20_000), 'a\0b'])('keeps any body (%#)', async (contentMd) => {
      await add({ contentMd });
      expect((await get('hello')).contentMd).toBe(contentMd);
    });

    it('has no metadata when none are given, also on an update', async () => {
      await add();
      expect((await add({ meta: undefined })).meta).toEqual({});
      expect((await get('hello')).meta).toEqual({});
      expect(await fixture.countMeta()).toBe(0);
    });

    it('takes any metadata key as data', async () => {
      const meta = JSON.parse('{"__proto__":["p"],"constructor":["c"],"toString":["t"],"1":["x"]}') as Record<string,
        string[]>;
      await add({ meta });
      expect(Object.entries((await get('hello')).meta).sort()).toEqual(Object.entries(meta).sort());
      expect(Object.entries((await fixture.call('listMetaKeys', { collection: 'blog' })).meta)).toContainEqual([
        '__proto__',
        ['p'],
      ]);
      expect(await fixture.call('searchDocuments', {
        collection: 'blog',
        filterMeta: JSON.parse('{"__proto__":["p"]}') as object,
      })).toHaveLength(1);
      await add({ meta: {} });
      expect(await fixture.countMeta()).toBe(0);
    });

    it('names missing fields (contract section 7)', async () => {
      await expect(fixture.call('addDocument', { collection: 'blog', contentMd: '' })).rejects.toMatchObject({
        code: 'missing_fields',
        message: 'missing fields: key, lang',
      });
    });

    it('refuses what the schema forbids and stores nothing (decision D-48)', async () => {
      await fixture.call('setSchema', { collection: 'blog', schema: { required: ['owner'] } });
      await expect(add()).rejects.toMatchObject({
        code: 'validation_failed',
        message: 'validation failed',
        errors: ['required key "owner" is missing'],
      });
      await expect(get('hello')).rejects.toMatchObject(notFound);
      await add({ meta: { owner: ['me'] } });
    });
  });

  describe('identity (contract section 2)', () => {
    it('makes keys, langs and collections that differ only in case one document; the later write wins (rule 1)', async () => {
      await add();
      fixture.advance(5);
      const second = await add({ collection: 'BLOG', key: 'HeLLo', lang: 'EN', contentMd: 'later' });
      expect(second).toMatchObject({
        id: 'blog|hello|en',
        key: 'HeLLo',
        lang: 'EN',
        addedAt: START,
        updatedAt: START + 5,
      });
      expect(await get('hello')).toMatchObject({ key: 'HeLLo', lang: 'EN', contentMd: 'later' });
      expect(await fixture.count('documents')).toBe(1);
    });

    it('composes keys and collections, so that all spellings of a letter name one document (rule 1)', async () => {
      const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
      expect((await add({ key: decomposed, collection: decomposed })).id).toBe(`${composed}|${composed}|en`);
      for (const name of [composed, decomposed]) {
        expect(await fixture.call('getDocument', { collection: name, key: name, lang: 'en' })).toMatchObject({
          key: composed,
        });
      }
      const item = { key: decomposed, lang: 'en' };
      await fixture.call('addDocuments', { collection: 'batch', documents: [{ ...item, contentMd: 'x' }] });
      expect(await fixture.call('getDocument', { collection: 'batch', key: composed, lang: 'en' })).toMatchObject({
        id: `batch|${composed}|en`,
      });
      expect(await fixture.call('deleteDocuments', { collection: 'batch', documents: [item] })).toMatchObject({
        deleted: 1,
      });
    });

    it('finds a document only by a spelling that was once written (rule 2, decision D-31)', async () => {
      await add({ key: 'Straße' });
      await add({ key: 'STRAßE' });
      for (const key of ['Straße', 'STRAßE']) expect(await get(key, 'eN')).toMatchObject({ key: 'STRAßE' });
      for (const operation of ['getDocument', 'deleteDocument', 'getDocumentMeta', 'listRevisions'] as const) {
        await expect(fixture.call(operation, named('straße')), operation).rejects.toMatchObject(notFound);
      }
      await expect(fixture.call('updateDocument', { ...named('straße'), contentMd: 'x' })).rejects.toMatchObject(
        notFound,
      );
      await expect(fixture.call('setDocumentTtl', { ...named('straße'), ttl: 1 })).rejects.toMatchObject(notFound);
    });

    it('forgets every spelling with the document (decision D-31)', async () => {
      await add({ key: 'Hello' });
      await add({ key: 'HELLO' });
      await fixture.call('deleteDocument', named('Hello'));
      await add({ key: 'hello' });
      for (const key of ['Hello', 'HELLO']) await expect(get(key)).rejects.toMatchObject(notFound);
    });

    it('holds for writers that come at once', async () => {
      const written = await Promise.all(
        Array.from({ length: 20 }, (_, i) => add({ key: i % 2 === 0 ? 'hello' : 'HELLO', contentMd: String(i) })),
      );
      expect(written.map(({ contentMd }) => contentMd)).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
      expect(await get('hello')).toMatchObject({ key: 'HELLO', contentMd: '19' });
      const { revisions } = await fixture.call('listRevisions', named('hello'));
      expect(revisions.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, (_, i) => 20 - i));
      expect(new Set(revisions.map(({ timestamp }) => timestamp))).toEqual(new Set([START]));
    });

    it('keeps languages and collections apart', async () => {
      await add();
      await expect(get('hello', 'de')).rejects.toMatchObject(notFound);
      await expect(fixture.call('getDocument', { ...named('hello'), collection: 'other' })).rejects.toMatchObject(
        notFound,
      );
    });

    it.each([['key', 'a|b'], ['key', 'a\nb'], ['key', 'ä'.repeat(513)], ['lang', 'e n'], ['collection', '_memory'], [
      'collection',
      'a|b',
    ]])('refuses %s %j (decision D-30)', async (field, value) => {
      await expect(add({ [field]: value })).rejects.toMatchObject({ code: 'invalid_argument' });
    });
  });

  it('fills placeholders that have a value (decision D-65)', async () => {
    await add({ contentMd: '%%site%% %%none%% 100%%' });
    expect(await fixture.call('getDocument', { ...named('hello'), env: { site: '$& %%none%%' } })).toMatchObject({
      contentMd: '$& %%none%% %%none%% 100%%',
    });
  });

  it('returns metadata without the body (decision D-65)', async () => {
    await add({ ttl: 60 });
    expect(await fixture.call('getDocumentMeta', { collection: 'Blog', key: 'hello' })).toEqual({
      id: 'blog|hello|en',
      collection: 'Blog',
      key: 'hello',
      lang: 'en',
      meta: hello.meta,
      addedAt: START,
      updatedAt: START,
      expiresAt: START + 60,
      checksum: CHECKSUM,
    });
  });

  describe('update (contract section 4, decision D-65)', () => {
    const update = (changes: object) => fixture.call('updateDocument', { ...named('hello'), ...changes });
    beforeEach(() => add({ ttl: 100 }));

    it('changes what is given and keeps the rest', async () => {
      fixture.advance(3);
      const stored = {
        ...hello,
        updatedAt: START + 3,
        addedAt: START,
        expiresAt: START + 100,
        id: 'blog|hello|en',
        collection: undefined,
        checksum: CHECKSUM,
      };
      expect(await update({ contentMd: 'new' })).toEqual({ ...stored, contentMd: 'new' });
      expect(await update({ meta: { a: ['b'] } })).toEqual({ ...stored, contentMd: 'new', meta: { a: ['b'] } });
      expect(await update({ ttl: 0 })).toEqual({
        ...stored,
        contentMd: 'new',
        meta: { a: ['b'] },
        expiresAt: undefined,
      });
      expect(await get('hello')).toEqual({ ...stored, contentMd: 'new', meta: { a: ['b'] }, expiresAt: undefined });
    });

    it('clears the metadata with {}', async () => {
      expect((await update({ meta: {} })).meta).toEqual({});
      expect(await fixture.countMeta()).toBe(0);
    });

    it('refuses a request that changes nothing', async () => {
      await expect(update({})).rejects.toMatchObject({
        status: 400,
        message: 'missing fields: one of meta, contentMd, ttl, vectors',
      });
    });

    it('checks metadata that are given, and does not rename', async () => {
      await add({ key: 'HELLO' });
      await fixture.call('setSchema', { collection: 'blog', schema: { required: ['owner'] } });
      await expect(update({ meta: {} })).rejects.toMatchObject({ code: 'validation_failed' });
      expect(await update({ contentMd: 'x' })).toMatchObject({ key: 'HELLO', contentMd: 'x' });
    });
  });

  describe('delete (decisions D-31, D-74)', () => {
    it('confirms, then returns 404 with deleted false', async () => {
      await add({ key: 'Hello' });
      expect(await fixture.call('deleteDocument', named('Hello', 'EN'))).toEqual({
        deleted: true,
        status: 'deleted',
        ...named('Hello', 'EN'),
      });
      await expect(fixture.call('deleteDocument', named('Hello'))).rejects.toMatchObject({
        ...notFound,
        body: { deleted: false },
      });
      for (const table of ['documents', 'spellings', 'revisions']) expect(await fixture.count(table), table).toBe(0);
      expect(await fixture.countMeta()).toBe(0);
    });

    it('deletes a batch, each item for itself', async () => {
      await add();
      await add({ key: 'other' });
      const item = (key: string) => ({ key, lang: 'en' });
      const documents = [item('hello'), item('hello'), item('absent'), item('x|y'), { lang: 'en' }, item('other')];
      expect(await fixture.call('deleteDocuments', { collection: 'blog', documents })).toEqual({
        deleted: 2,
        not_found: 2,
        failed: 2,
        errors: ['3 x|y: key must not contain control characters or "|"', '4 : missing fields: key'],
      });
      expect(await fixture.call('deleteDocuments', { collection: 'blog', documents: [item('hello')] })).toEqual({
        deleted: 0,
        not_found: 1,
        failed: 0,
        errors: null,
      });
    });

    it('deletes a collection with one change, and keeps configuration and schema', async () => {
      await fixture.call('setCollectionConfig', { collection: 'blog', maxRevisions: 2 });
      await fixture.call('setSchema', { collection: 'blog', schema: { required: ['category'] } });
      await add({ collection: 'other' });
      const documents = Array.from({ length: 700 },
        (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: '', meta: { category: [`c${i}`, 'all'] } }));
      await fixture.call('addDocuments', { collection: 'blog', documents });
      await add({ key: 'gone', ttl: 1 });
      fixture.advance(1);
      const before = await fixture.feed.head();
      expect(await fixture.call('deleteCollection', { collection: 'Blog' })).toEqual({
        deleted: 700,
        status: 'deleted',
        collection: 'Blog',
      });
      expect(await fixture.changes(before)).toMatchObject([{
        kind: 'collection.delete',
        collection: 'blog',
        detail: '{"deleted":700}',
      }]);
      for (const table of ['documents', 'spellings', 'revisions', 'collections'])
        expect(await fixture.count(table), table).toBe(1);
      expect([await fixture.countMeta(), await fixture.countMeta('other')]).toEqual([0, 3]);
      expect(fixture.collections.configOf('blog')).toEqual({ maxRevisions: 2 });
      expect(await fixture.call('deleteCollection', { collection: 'blog' })).toMatchObject({ deleted: 0 });
    });
  });

  it('lists metadata keys with their distinct values, sorted', async () => {
    await add();
    await add({ key: 'second', meta: { tags: ['c', 'a'] } });
    await add({ key: 'gone', meta: { gone: ['x'] }, ttl: 1 });
    fixture.advance(1);
    expect(await fixture.call('listMetaKeys', { collection: 'BLOG' })).toEqual({
      meta: { category: ['news'], tags: ['a', 'b', 'c'] },
    });
    expect(await fixture.call('listMetaKeys', { collection: 'none' })).toEqual({ meta: {} });
  });

  it('appends each write to the change feed', async () => {
    await add();
    await add({ key: 'HELLO' });
    await fixture.call('updateDocument', { ...named('hello'), ttl: 5 });
    await fixture.call('setDocumentTtl', { ...named('hello'), ttl: 9 });
    await fixture.call('deleteDocument', named('hello'));
    const changes = await fixture.changes();
    expect(changes.map(({ kind, key, flags }) => [kind, key, flags])).toEqual([['doc.put', 'hello',
      CHANGE_FLAGS.CREATED], ['doc.put', 'HELLO', 0], ['doc.put', 'HELLO', CHANGE_FLAGS.BODY_KEPT], ['doc.put', 'HELLO',
      CHANGE_FLAGS.SKIP_WEBHOOKS | CHANGE_FLAGS.BODY_KEPT], ['doc.delete', 'HELLO', 0]]);
    for (const change of changes)
      expect(change).toMatchObject({ collection: 'blog', docId: 'blog|hello|en', lang: 'en', ord: changes[0]!.ord });
  });

  describe('checksum (decision D-36)', () => {
    const checksum = async () => (await fixture.call('getChecksum', { collection: 'blog' })).checksum;

    it('is 00000000 without documents', async () => {
      expect(await fixture.call('getChecksum', { collection: 'Blog' })).toEqual({
        collection: 'Blog',
        checksum: '00000000',
        documentCount: 0,
      });
    });

    it('depends on id, time, body and metadata alone', async () => {
      await add({ key: 'a', meta: { x: ['1'], y: ['2'] } });
      await add({ key: 'b' });
      const first = await checksum();
      expect(first).toMatch(/^[0-9a-f]{8}$/);
      await add({ key: 'b' });
      await add({ key: 'A', meta: { y: ['2'], x: ['1'] } });
      await add({ key: 'b2', ttl: 1 });
      await add({ collection: 'other' });
      const third = await checksum();
      fixture.advance(1);
      expect([await checksum(), await checksum()]).toEqual([first, first]);
      expect(third).not.toBe(first);
      await add({ key: 'b' });
      expect(await checksum()).not.toBe(first);
    });

    it(
      'is made with the key of the database from the CRC-32 of `id\\0updatedAt\\0crc` of each document by id ' +
        '(decision D-170)',
      async () => {
        await keepChecksumKey(fixture.sql);
        await fixture.documents.load();
        await add({ key: 'b', contentMd: 'B', meta: {} });
        await add({ key: 'a', contentMd: 'A', meta: { z: ['1'], y: ['2', '1'] } });
        const line = (key: string, text: string) =>
          `blog|${key}|en\0${START}\0${crc32(text).toString(16).padStart(8, '0')}`;
        const expected = crc32(line('a', 'A{"y":["2","1"],"z":["1"]}') + line('b', 'B{}'));
        const { value: key } =
          (await fixture.sql.get<{ value: string }>("SELECT value FROM settings WHERE name = 'checksum_key'"))!;
        const keyed = createHmac('sha256', Buffer.from(key, 'base64')).update(expected.toString(16).padStart(8, '0'))
          .digest('hex');
        expect(await checksum()).toBe(crc32(keyed).toString(16).padStart(8, '0'));
      },
    );
  });
});
