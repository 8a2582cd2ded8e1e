import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { note } from '../../operations/index.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { DRIVERS, Fixture, START } from '../documents/test-fixture.ts';
import { createTemporal, type Temporal } from './index.ts';
import { bucketsOf } from './temporal.ts';

const DAY = 86_400;

describe.each(DRIVERS)('temporal tracking over %s (decisions, section 4.10)', (driver) => {
  let fixture: Fixture;
  let temporal: Temporal;
  let timer: VirtualTimer;

  const start = () => {
    timer = new VirtualTimer();
    temporal = createTemporal(fixture.environment, {
      collections: fixture.collections,
      documents: fixture.documents,
      timer,
    });
    fixture.use(temporal.handlers, { note: temporal.note && note(temporal.note) });
    temporal.work();
  };
  beforeEach(async () => {
    fixture = await Fixture.open(driver, { temporal: true });
    start();
    await following();
  });
  /** Resolves when the tracking has a place in the feed, after which it misses no write. */
  const following = async () => {
    while (await fixture.sql.get('SELECT lsn FROM cursors') === undefined) await timer.settle();
  };
  afterEach(async () => {
    await temporal.stop();
    await fixture.close();
  });

  it('keeps nothing of the feed while it is off', async () => {
    await temporal.stop();
    const off = createTemporal({
      ...fixture.environment,
      settings: { ...fixture.environment.settings, temporal: false },
    }, { collections: fixture.collections, documents: fixture.documents, timer });
    expect(await fixture.sql.get('SELECT subscriber FROM cursors')).toEqual({ subscriber: 'temporal' });
    off.work();
    await off.stop();
    expect(await fixture.sql.get('SELECT subscriber FROM cursors')).toBeUndefined();
  });

  const add = (key: string, contentMd = key) =>
    fixture.call('addDocument', { collection: 'blog', key, lang: 'en', contentMd });
  const read = (key: string) => fixture.call('getDocument', { collection: 'blog', key, lang: 'en' });
  const track = (more: object) => fixture.call('setCollectionConfig', { collection: 'blog', ...more });
  const query = (key: string, more: object = {}) =>
    fixture.call('queryTemporal', { collection: 'blog', key, lang: 'en', ...more });
  const hot = async (more: object = {}) =>
    (await fixture.call('listHotDocuments', { collection: 'blog', ...more })).entries.map((
      { document, accessCount },
    ) => [document.key, accessCount]);
  const histogram = async (more: object = {}) =>
    (await fixture.call('getTemporalHistogram', { collection: 'blog', ...more })).buckets;
  /** Resolves when the writes so far are recorded. */
  const recorded = async () => {
    const head = await fixture.feed.head();
    while (((await fixture.sql.get<{ lsn: number }>('SELECT lsn FROM cursors'))?.lsn ?? -1) < head)
      await timer.settle();
  };

  it('records creations and updates, newest first', async () => {
    await add('a');
    fixture.advance(10);
    await add('a', 'other');
    await recorded();
    expect(await query('A')).toEqual({
      collection: 'blog',
      docId: 'blog|a|en',
      total: 2,
      events: [{ docId: 'blog|a|en', collection: 'blog', eventType: 'update', timestamp: START + 10 }, {
        docId: 'blog|a|en',
        collection: 'blog',
        eventType: 'create',
        timestamp: START,
      }],
    });
    expect(await query('a', { eventType: 'update' })).toMatchObject({ total: 1 });
    expect(await query('a', { limit: 1 })).toMatchObject({ total: 2, events: [{ eventType: 'update' }] });
    expect(await query('a', { to: START + 9 })).toMatchObject({ total: 1, events: [{ eventType: 'create' }] });
    await expect(query('a', { from: 2, to: 1 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('records reads only where the collection asks for it', async () => {
    await add('a');
    await read('a');
    expect(await query('a', { eventType: 'access' })).toMatchObject({ total: 0 });
    await track({ trackAccess: true });
    for (let i = 0; i < 3; i++) await read('a');
    expect(await query('a', { eventType: 'access', limit: 2 })).toMatchObject({
      total: 3,
      events: [{ eventType: 'access', timestamp: START }, { eventType: 'access' }],
    });
    expect(await hot()).toEqual([]);
    await track({ trackAccess: false, trackHot: true });
    await read('a');
    expect(await hot()).toEqual([['a', 1]]);
    expect(await query('a', { eventType: 'access' })).toMatchObject({ total: 3 });
  });

  it('ranks by reads, then by the latest, and leaves out what is gone', async () => {
    await track({ trackHot: true });
    for (const key of ['a', 'b', 'c']) await add(key);
    for (const key of ['a', 'b', 'b', 'c']) {
      await read(key);
      fixture.advance(1);
    }
    expect(await hot()).toEqual([['b', 2], ['c', 1], ['a', 1]]);
    expect(await hot({ topN: 1 })).toEqual([['b', 2]]);
    expect(await hot({ since: START + 2 })).toEqual([['b', 2], ['c', 1]]);
    await fixture.call('deleteDocument', { collection: 'blog', key: 'b', lang: 'en' });
    expect(await hot()).toEqual([['c', 1], ['a', 1]]);
    await recorded();
    await add('b');
    expect(await hot()).toEqual([['c', 1], ['a', 1]]);
  });

  it('keeps its counters over a restart, and what was read just before', async () => {
    await track({ trackHot: true, trackAccess: true });
    await add('a');
    await read('a');
    await timer.advance(1000);
    await read('a');
    await temporal.stop();
    start();
    expect(await hot()).toEqual([['a', 2]]);
    await recorded();
    expect(await query('a')).toMatchObject({ total: 3 });
  });

  it('records a change once, although it comes again after a crash', async () => {
    await add('a');
    await recorded();
    await temporal.stop();
    await fixture.sql.transaction((tx) => tx.run('UPDATE cursors SET lsn = 0'));
    start();
    await recorded();
    expect(await query('a')).toMatchObject({ total: 1 });
  });

  it('forgets a collection that is deleted, and what is older than 90 days', async () => {
    await add('a');
    await recorded();
    await fixture.call('deleteCollection', { collection: 'blog' });
    await recorded();
    expect(await query('a')).toMatchObject({ total: 0 });
    await add('a');
    await recorded();
    fixture.advance(91 * DAY);
    expect(await query('a', { from: 0 })).toMatchObject({ total: 0 });
    await timer.advance(3_600_000);
    while (await fixture.count('temporal_events') > 0) await timer.settle();
  });

  it('counts by day, week and month', async () => {
    await add('a');
    fixture.advance(DAY);
    await add('b');
    await recorded();
    const days = await histogram({ eventType: 'create' });
    expect(days.map(({ count, from, to }) => [count, to - from])).toEqual([[1, DAY], [1, DAY]]);
    expect((await histogram({ eventType: 'create', interval: 'month' })).map(({ count }) => count)).toEqual([2]);
    expect(await histogram()).toEqual([]);
  });

  it('says that it is off where it is', async () => {
    await temporal.stop();
    (fixture.environment.settings as { temporal?: boolean }).temporal = false;
    start();
    await expect(query('a')).rejects.toMatchObject({ status: 400, message: 'temporal tracking is disabled' });
    await expect(hot()).rejects.toMatchObject({ message: 'temporal tracking is disabled' });
  });
});

describe('buckets', () => {
  it.each(['day', 'week', 'month'] as const)('by %s are those of the calendar, and lose no event', (interval) => {
    fc.assert(fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 30_000 })), (given) => {
      const days = given.toSorted((a, b) => a - b).map((day) => ({ day, count: day + 1 }));
      const buckets = bucketsOf(days, interval);
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(days.reduce((sum, { count }) => sum + count, 0));
      for (const [i, { from, to, count }] of buckets.entries()) {
        expect(count).toBe(
          days.filter(({ day }) => day * DAY >= from && day * DAY < to).reduce((sum, each) => sum + each.count, 0),
        );
        if (i > 0) expect(from).toBeGreaterThanOrEqual(buckets[i - 1]!.to);
        const [start, end] = [new Date(from * 1000), new Date(to * 1000)];
        if (interval === 'week') expect([start.getUTCDay(), to - from]).toEqual([1, 7 * DAY]);
        if (interval === 'month')
          expect([start.getUTCDate(), end.getUTCDate(), (end.getUTCMonth() - start.getUTCMonth() + 12) % 12]).toEqual([
            1,
            1,
            1,
          ]);
      }
    }));
  });
});
