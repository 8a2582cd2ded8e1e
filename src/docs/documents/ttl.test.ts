import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { DRIVERS, Fixture, START } from './test-fixture.ts';

const hello = { collection: 'blog', key: 'hello', lang: 'en' };
const notFound = { code: 'not_found' };

describe.each(DRIVERS)('time to live over %s (contract section 3, decisions section 3.1)', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(() => fixture.close());
  const write = (more: object = {}) =>
    fixture.call('addDocument', { ...hello, contentMd: 'text', meta: { a: ['b'] }, ...more });

  it('is set, kept, and removed by 0', async () => {
    expect((await write({ ttl: 60 })).expiresAt).toBe(START + 60);
    fixture.advance(10);
    expect((await write()).expiresAt, 'an absent ttl keeps the expiry (decision D-32)').toBe(START + 60);
    expect((await write({ ttl: 60 })).expiresAt).toBe(START + 70);
    expect((await write({ ttl: 0 })).expiresAt).toBeUndefined();
    expect(await fixture.call('setDocumentTtl', { ...hello, ttl: 5 })).toMatchObject({
      expiresAt: START + 15,
      updatedAt: START + 10,
      contentMd: 'text',
    });
    expect(await fixture.call('setDocumentTtl', { ...hello, ttl: 0 })).not.toHaveProperty('expiresAt');
  });

  it.each(['addDocument', 'setDocumentTtl', 'updateDocument'] as const)('refuses a negative one in %s',
    async (operation) => {
      await expect(fixture.call(operation, { ...hello, contentMd: '', ttl: -1 })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    });

  it('makes a document absent at once, everywhere', async () => {
    await write({ ttl: 60 });
    fixture.advance(59);
    await fixture.call('getDocument', hello);
    fixture.advance(1);
    for (const operation of ['getDocument', 'getDocumentMeta', 'deleteDocument', 'listRevisions'] as const) {
      await expect(fixture.call(operation, hello), operation).rejects.toMatchObject(notFound);
    }
    await expect(fixture.call('updateDocument', { ...hello, contentMd: '' })).rejects.toMatchObject(notFound);
    await expect(fixture.call('setDocumentTtl', { ...hello, ttl: 0 })).rejects.toMatchObject(notFound);
    await expect(fixture.call('restoreRevision', { ...hello, timestamp: START })).rejects.toMatchObject(notFound);
    for (const filterMeta of [{}, { a: ['b'] }]) {
      const { value, headers } = await fixture.reply('searchDocuments', { collection: 'blog', filterMeta });
      expect([value, headers['X-Total-Count']]).toEqual([[], '0']);
    }
    expect(await fixture.call('getChecksum', { collection: 'blog' })).toMatchObject({
      checksum: '00000000',
      documentCount: 0,
    });
    expect(await fixture.call('listMetaKeys', { collection: 'blog' })).toEqual({ meta: {} });
    expect((await Array.fromAsync(fixture.documents.reader.documents('blog'))).flat()).toEqual([]);
  });

  it('lets a write to an expired id start over (rule 3)', async () => {
    await write({ key: 'Hello', ttl: 60 });
    fixture.advance(60);
    expect(await fixture.call('addDocuments', {
      collection: 'blog',
      documents: [{ key: 'hello', lang: 'en', contentMd: 'new' }],
    })).toMatchObject({ added: 1, updated: 0 });
    const document = await fixture.call('getDocument', hello);
    expect(document).toMatchObject({ addedAt: START + 60, contentMd: 'new', meta: {} });
    expect(document).not.toHaveProperty('expiresAt');
    await expect(fixture.call('getDocument', { ...hello, key: 'Hello' })).rejects.toMatchObject(notFound);
    expect((await fixture.call('listRevisions', hello)).total).toBe(1);
    expect(await fixture.changes()).toMatchObject([{ kind: 'doc.put', key: 'Hello' }, {
      kind: 'doc.delete',
      key: 'Hello',
      detail: '{"reason":"ttl"}',
    }, { kind: 'doc.put', key: 'hello', flags: 1 }]);
    expect(await fixture.sql.get('SELECT docs FROM collections')).toEqual({ docs: 1 });
  });

  it('deletes expired documents, in transactions of 1000, and records the reason in the feed (rule 2)', async () => {
    const documents = Array.from({ length: 1100 },
      (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: '', meta: { n: [`${i}`] }, ttl: 1 }));
    await fixture.call('addDocuments', { collection: 'blog', documents });
    await write({ ttl: 100 });
    await write({ key: 'stays' });
    fixture.advance(1);
    const before = await fixture.feed.head();
    const timer = new ManualTimer();
    fixture.documents.startSweep(timer);
    fixture.documents.startSweep(timer);
    await timer.elapse();
    await fixture.documents.stop();
    const swept = await fixture.changes(before);
    expect(swept).toHaveLength(1100);
    expect(swept[0]).toMatchObject({
      kind: 'doc.delete',
      collection: 'blog',
      docId: 'blog|k0|en',
      key: 'k0',
      lang: 'en',
      detail: '{"reason":"ttl"}',
    });
    for (const table of ['documents', 'spellings', 'revisions']) expect(await fixture.count(table), table).toBe(2);
    expect(await fixture.countMeta()).toBe(2);
    expect(timer.sleeps[0]).toBe(30_000);
  });

  it('goes on sweeping after a failure, and stops before a start, twice, and starts again', async () => {
    await fixture.documents.stop();
    await write({ ttl: 1 });
    fixture.advance(1);
    await fixture.sql.transaction((tx) => tx.run('ALTER TABLE spellings RENAME TO hidden'));
    const timer = new ManualTimer();
    fixture.documents.startSweep(timer);
    await timer.elapse();
    await fixture.sql.transaction((tx) => tx.run('ALTER TABLE hidden RENAME TO spellings'));
    await timer.elapse();
    await fixture.documents.stop();
    await fixture.documents.stop();
    expect(await fixture.count('documents')).toBe(0);
    await write({ ttl: 1 });
    fixture.advance(1);
    const again = new ManualTimer();
    fixture.documents.startSweep(again);
    await again.elapse();
    expect(await fixture.count('documents')).toBe(0);
  });
});
