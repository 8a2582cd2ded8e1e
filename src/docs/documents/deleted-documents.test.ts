import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { sweepDeleted } from './sweep.ts';
import { DRIVERS, Fixture, START } from './test-fixture.ts';

const hello = { collection: 'blog', key: 'hello', lang: 'en' };
const notFound = { code: 'not_found' };
const DAY = 86_400;

describe.each(DRIVERS)('deleted documents over %s', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(() => fixture.close());

  const write = (contentMd: string, more: object = {}) => fixture.call('addDocument', { ...hello, contentMd, ...more });
  const remove = (more: object = {}) => fixture.call('deleteDocument', { ...hello, ...more });
  const list = (more: object = {}) => fixture.call('listRevisions', { ...hello, ...more });
  const trash = async (more: object = {}) =>
    (await fixture.call('searchDocuments', { collection: 'blog', deleted: true, ...more })).map(({ key }) => key);
  const sweep = () =>
    sweepDeleted({
      ...fixture.environment,
      deletedRetention: fixture.environment.settings.deletedRetention ?? 30 * DAY,
    });
  const rows = async () => [await fixture.count('deleted_documents'), await fixture.count('deleted_revisions')];

  it('keep their revisions, which are listed with when they were deleted', async () => {
    await write('one', { meta: { v: ['1'] } });
    await write('two', { meta: { v: ['2'] } });
    fixture.advance(5);
    await remove();
    await expect(fixture.call('getDocument', hello)).rejects.toMatchObject(notFound);
    expect(await list()).toEqual({
      ...hello,
      total: 2,
      deletedAt: START + 5,
      revisions: [{ revision: 2, timestamp: START, updatedAt: START, contentMd: 'two', meta: { v: ['2'] } }, {
        revision: 1,
        timestamp: START,
        updatedAt: START,
        contentMd: 'one',
        meta: { v: ['1'] },
      }],
    });
    expect(await list({ key: 'HELLO', limit: 1, offset: 1, includeContent: false })).toMatchObject({
      key: 'hello',
      total: 2,
      revisions: [{ revision: 1, contentMd: '' }],
    });
    await expect(remove()).rejects.toMatchObject({ ...notFound, body: { deleted: false } });
  });

  it('come back with metadata, revisions and the time they were added', async () => {
    await write('one', { key: 'Hello', meta: { v: ['1'] } });
    await write('two', { key: 'Hello' });
    await remove({ key: 'Hello' });
    fixture.advance(10);
    const before = await fixture.feed.head();
    const back = await fixture.call('restoreRevision', { ...hello, revision: 1 });
    expect(back).toEqual({
      id: 'blog|hello|en',
      key: 'Hello',
      lang: 'en',
      contentMd: 'one',
      meta: { v: ['1'] },
      addedAt: START,
      updatedAt: START + 10,
    });
    expect(await fixture.call('getDocument', { ...hello, key: 'Hello' })).toMatchObject(back);
    expect(await fixture.call('searchDocuments', { collection: 'blog', filterMeta: { v: ['1'] } })).toEqual([back]);
    expect(await fixture.changes(before)).toMatchObject([{ kind: 'doc.put', key: 'Hello', flags: 1 }]);
    const { revisions, total, ...rest } = await list({ key: 'Hello' });
    expect(revisions.map(({ revision, contentMd }) => [revision, contentMd])).toEqual([[3, 'one'], [2, 'two'], [1,
      'one']]);
    expect([total, rest]).toEqual([3, { ...hello, key: 'Hello' }]);
    expect([await trash(), await rows()]).toEqual([[], [0, 0]]);
  });

  it('go on with their numbers and history when they are added again', async () => {
    await write('one');
    await remove();
    await write('two');
    await remove();
    await fixture.call('addDocuments', {
      collection: 'blog',
      documents: [{ key: 'hello', lang: 'en', contentMd: 'three' }, { key: 'other', lang: 'en', contentMd: '' }],
    });
    expect((await list()).revisions.map(({ revision, contentMd }) => [revision, contentMd])).toEqual([[3, 'three'], [2,
      'two'], [1, 'one']]);
    expect((await list({ key: 'other' })).revisions.map(({ revision }) => revision)).toEqual([1]);
  });

  it('keep the version that was deleted, also one without a revision', async () => {
    await write('one');
    await write('two', { saveRevision: false, meta: { v: ['2'] } });
    await remove();
    expect((await list()).revisions.map(({ revision, contentMd, meta }) => [revision, contentMd, meta])).toEqual([[2,
      'two', { v: ['2'] }], [1, 'one', {}]]);
    await fixture.call('truncateRevisions', { collection: 'blog', keepRevs: 0 });
    expect(await fixture.call('restoreRevision', { ...hello, revision: 2 })).toMatchObject({
      contentMd: 'two',
      meta: { v: ['2'] },
    });
  });

  it('are trimmed to maxRevisions when they come back', async () => {
    for (const text of ['one', 'two', 'three']) await write(text);
    await remove();
    await fixture.call('setCollectionConfig', { collection: 'blog', maxRevisions: 2 });
    await fixture.call('restoreRevision', { ...hello, revision: 1 });
    expect((await list()).revisions.map(({ revision }) => revision)).toEqual([4, 3]);
  });

  it('have to fit the present schema to come back, and need a revision that is there', async () => {
    await write('one', { meta: { v: ['1'] } });
    await remove();
    await fixture.call('setSchema', { collection: 'blog', schema: { required: ['title'] } });
    await expect(fixture.call('restoreRevision', { ...hello, revision: 1 })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    await expect(fixture.call('restoreRevision', { ...hello, revision: 7 })).rejects.toMatchObject(notFound);
    await expect(fixture.call('restoreRevision', { ...hello, lang: 'de', revision: 1 })).rejects.toMatchObject(
      notFound,
    );
  });

  it('are found by search, with filter, order, page and projection', async () => {
    for (const [i, key] of ['b', 'c', 'a', 'd'].entries()) {
      await write(`body of ${key}`, { key, meta: { n: [String(i % 2)], all: ['x', 'y'] } });
      fixture.advance(1);
    }
    await fixture.call('deleteDocuments', {
      collection: 'blog',
      documents: ['a', 'b', 'c'].map((key) => ({ key, lang: 'en' })),
    });
    expect(await trash()).toEqual(['a', 'b', 'c']);
    expect(await trash({ sort: 'addedAt' })).toEqual(['a', 'c', 'b']);
    expect(await trash({ sort: 'updatedAt', asc: true, limit: 1, offset: 1 })).toEqual(['c']);
    expect(await trash({ filterMeta: { n: ['0', '5'], all: ['y'] } })).toEqual(['a', 'b']);
    const { value, headers } = await fixture.reply('searchDocuments', {
      collection: 'blog',
      deleted: true,
      filterMeta: { n: ['0'] },
      limit: 1,
      fields: ['n'],
    });
    expect([value, headers['X-Total-Count']]).toEqual([[{
      id: 'blog|a|en',
      key: 'a',
      lang: 'en',
      meta: { n: ['0'] },
      deletedAt: START + 4,
    }], '2']);
    expect(await trash({ filterMeta: { toString: ['x'] } })).toEqual([]);
    expect((await fixture.call('searchDocuments', { collection: 'blog' })).map(({ key }) => key)).toEqual(['d']);
    expect((await fixture.call('searchDocuments', { collection: 'blog', deleted: true }))[0]).toMatchObject({
      contentMd: 'body of a',
    });
  });

  it('are purged at once when that is asked for, before or after', async () => {
    await write('one');
    await remove({ purge: true });
    expect(await rows()).toEqual([0, 0]);
    await expect(list()).rejects.toMatchObject(notFound);
    await write('two');
    expect((await list()).revisions.map(({ revision }) => revision)).toEqual([1]);
    await remove();
    const { collection: _, ...named } = hello;
    expect(await fixture.call('deleteDocuments', {
      collection: 'blog',
      documents: [named, named, { ...named, key: 'none' }],
      purge: true,
    })).toMatchObject({ deleted: 1, not_found: 2 });
    expect(await rows()).toEqual([0, 0]);
    await expect(remove({ purge: true })).rejects.toMatchObject(notFound);
  });

  it('are gone after 30 days, and then swept', async () => {
    await write('one');
    await remove();
    fixture.advance(30 * DAY - 1);
    expect(await sweep()).toBe(0);
    expect((await list()).total).toBe(1);
    fixture.advance(1);
    await expect(list()).rejects.toMatchObject(notFound);
    await expect(fixture.call('restoreRevision', { ...hello, revision: 1 })).rejects.toMatchObject(notFound);
    expect(await trash()).toEqual([]);
    const timer = new ManualTimer();
    fixture.documents.startSweep(timer);
    await timer.elapse();
    await fixture.documents.stop();
    expect(await rows()).toEqual([0, 0]);
  });

  it('are gone no later than they would have expired, and expired ones leave nothing', async () => {
    await write('one', { ttl: 60 });
    await remove();
    fixture.advance(59);
    expect((await trash()).length).toBe(1);
    fixture.advance(1);
    expect(await trash()).toEqual([]);
    await write('two', { ttl: 60 });
    expect((await list()).revisions.map(({ revision }) => revision)).toEqual([1]);
    fixture.advance(60);
    await write('three');
    expect((await list()).total).toBe(1);
    expect(await sweep()).toBe(0);
    expect(await rows()).toEqual([0, 0]);
  });

  it('go with their collection', async () => {
    for (let i = 0; i < 70; i++) await write('text', { key: `k${i}` });
    await fixture.call('deleteDocuments', {
      collection: 'blog',
      documents: Array.from({ length: 70 }, (_, i) => ({ key: `k${i}`, lang: 'en' })),
    });
    await write('text');
    expect((await trash({ limit: 100 })).length).toBe(70);
    expect(await fixture.call('deleteCollection', { collection: 'blog' })).toMatchObject({ deleted: 1 });
    expect([await trash(), await rows()]).toEqual([[], [0, 0]]);
  });

  it('keep long histories whole, deltas included', async () => {
    fixture.switchDeltas();
    const texts = Array.from({ length: 150 }, (_, i) => `${'a long text '.repeat(60)}${i}`);
    for (const text of texts) await write(text);
    await remove();
    const shown = async () => (await list()).revisions.map(({ contentMd }) => contentMd.replaceAll('a long text ', ''));
    const numbers = texts.map((_, i) => String(i)).reverse();
    expect(await shown()).toEqual(numbers);
    await fixture.call('restoreRevision', { ...hello, revision: 3 });
    await write('the last');
    expect(await shown()).toEqual(['the last', '2', ...numbers]);
  });

  it('return once, whichever callers ask for them at the same time', async () => {
    await write('one');
    await remove();
    const back = await Promise.all([1, 2, 3].map(() => fixture.call('restoreRevision', { ...hello, revision: 1 })));
    expect(back.map(({ contentMd }) => contentMd)).toEqual(['one', 'one', 'one']);
    expect((await list()).revisions.map(({ revision }) => revision)).toEqual([4, 3, 2, 1]);
  });
});

describe.each(DRIVERS)('deleted documents over %s without a retention', (driver) => {
  it('leave nothing', async () => {
    const fixture = await Fixture.open(driver, { deletedRetention: 0 });
    await fixture.call('addDocument', { ...hello, contentMd: 'one' });
    await fixture.call('deleteDocument', hello);
    expect(await fixture.count('deleted_documents')).toBe(0);
    await expect(fixture.call('listRevisions', hello)).rejects.toMatchObject(notFound);
    expect(await fixture.call('searchDocuments', { collection: 'blog', deleted: true })).toEqual([]);
    await fixture.close();
  });
});
