import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { DRIVERS } from '../documents/test-fixture.ts';
import { languages, type Row, TestKind, Views } from './test-fixture.ts';

const unending = new AbortController().signal;

describe.each(DRIVERS)('a view of collections over %s (design, section 1)', (driver) => {
  const views = new Views(driver);
  const { open, started, add, remove, append } = views;
  const loading = expect.objectContaining({ code: 'index_loading' }) as Error;

  it('is ready at once on an empty database, and follows what is written', async () => {
    const { view } = open();
    await view.start();
    expect(view.indexOf('c')).toBeUndefined();
    await add('de');
    await add('en');
    await remove('de');
    await view.caughtUp();
    expect([languages(view), languages(view, 'C')]).toEqual([['en'], ['en']]);
    expect([view.bytesOf('C'), view.bytesOf('other')]).toEqual([2, undefined]);
  });

  it('takes what a change brings, the last of a document, and asks the tables where a change brings nothing', async () => {
    const kind = new TestKind(views.fixture);
    kind.takesWhatChangesBring = true;
    const { view } = await started(kind);
    const write = (lang: string, contentMd: string) =>
      views.fixture.call('addDocument', { collection: 'c', key: 'k', lang, contentMd });
    await write('de', 'brought');
    await view.caughtUp();
    expect(languages(view)).toEqual(['brought']);
    await views.fixture.call('addDocuments', {
      collection: 'c',
      documents: [{ key: 'k', lang: 'de', contentMd: 'earlier' }, { key: 'k', lang: 'de', contentMd: 'later' }],
    });
    await view.caughtUp();
    expect(languages(view)).toEqual(['later']);
    await views.fixture.call('setDocumentTtl', { collection: 'c', key: 'k', lang: 'de', ttl: 100 });
    await view.caughtUp();
    expect(languages(view)).toEqual(['de']);
  });

  it('refuses searches until the indexes are loaded, says when to try again, and lets writes pass meanwhile', async () => {
    const { view } = open();
    expect(() => view.indexOf('c')).toThrow(loading);
    await expect(view.reindex(['c'], unending)).rejects.toMatchObject({
      code: 'index_loading',
      headers: { 'Retry-After': '1' },
    });
    await view.caughtUp();
    await add('de');
    await view.start();
    expect(() => view.indexOf('c')).toThrow('the language index is still loading');
    await view.caughtUp();
    await view.settled();
    expect(languages(view)).toEqual(['de']);
  });

  it('has what was written while it was loading as soon as it can be searched', async () => {
    await add('de');
    const { view } = open();
    await view.start();
    await add('it', 'd');
    for (;;) {
      try {
        view.indexOf('c');
        break;
      } catch {
        await view.changed;
      }
    }
    expect(languages(view)).toEqual(['de', 'it']);
  });

  it('reports that it is ready, and when that may have changed', async () => {
    await add('de');
    const kind = new TestKind(views.fixture);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    kind.beforeScan = () => held;
    const { view } = open(kind);
    await view.start();
    const refusal = await Promise.resolve().then(() => view.indexOf('c')).catch((error: unknown) => error) as {
      changed: Promise<void>;
    };
    expect(view.isReady).toBe(false);
    await refusal.changed;
    letGo();
    while (!view.isReady) await view.changed;
    expect(languages(view)).toEqual(['de']);
    kind.poison = 'en';
    const { changed } = view;
    await add('en');
    await changed;
    expect(view.isReady).toBe(false);
  });

  it('lets no collection wait for another whose bodies cannot be read, and makes its index when they can', async () => {
    for (const collection of ['a', 'c', 'z']) await add('de', 'k', collection);
    const timer = new ManualTimer();
    const kind = new TestKind(views.fixture);
    kind.outOfReach = 'de';
    const { view } = open(kind, { timer });
    await view.start();
    while (timer.sleeps.length < 3) await setImmediate();
    kind.outOfReach = undefined;
    await timer.elapse();
    while (!view.isReady) await view.changed;

    kind.outOfReach = 'far';
    await add('far');
    await add('fr', 'k', 'z');
    await view.caughtUp();
    expect(languages(view, 'z')).toEqual(['de', 'fr']);
    expect(() => view.indexOf('c')).toThrow('the bucket is down');
    while (timer.sleeps.length < 4) await setImmediate();
    kind.outOfReach = undefined;
    await timer.elapse();
    while (!view.isReady) await view.changed;
    expect(languages(view)).toEqual(['de', 'far']);
  });

  it('takes changes that come while an index is made for newer than what is read', async () => {
    for (const lang of ['de', 'en', 'fr']) await add(lang);
    const { view, kind } = await started();
    kind.beforeScan = async (lang) => {
      if (lang !== 'de') return;
      await remove('de');
      await add('it');
      await view.caughtUp();
    };
    expect(await view.reindex(['c'], unending)).toBe(3);
    expect(languages(view)).toEqual(['en', 'fr', 'it']);
  });

  it('serves the old index while it makes a new one, and lets go of the old one once', async () => {
    await add('de');
    const { view, kind } = await started();
    const old = view.indexOf('c')!;
    kind.beforeScan = () => expect(view.indexOf('c')).toBe(old);
    await view.reindex(['c'], unending);
    expect(view.indexOf('c')).not.toBe(old);
    await view.stop();
    expect(kind.created.map(({ closed }) => closed)).toEqual([1, 1]);
  });

  it('abandons a build when its collection is deleted, and starts over with the next document', async () => {
    await add('de');
    const { view, kind } = await started();
    kind.beforeScan = async () => {
      await views.fixture.call('deleteCollection', { collection: 'c' });
      await view.caughtUp();
    };
    await view.reindex(['c'], unending).catch(() => undefined);
    expect(view.indexOf('c')).toBeUndefined();
    await add('en');
    await view.caughtUp();
    expect(languages(view)).toEqual(['en']);
    expect(kind.created.map(({ closed }) => closed)).toEqual([1, 1, 0]);
  });

  it('tries a build again, later each time, until the tables can be read', async () => {
    await add('de');
    const timer = new ManualTimer();
    const kind = new TestKind(views.fixture);
    let failures = 0;
    kind.beforeScan = () => {
      if (failures++ < 2) throw new Error('the disk is away');
    };
    const { view } = open(kind, { timer });
    await view.start();
    await timer.elapse();
    expect(() => view.indexOf('c')).toThrow(loading);
    await timer.elapse();
    await view.settled();
    expect(languages(view)).toEqual(['de']);
    expect(timer.sleeps).toHaveLength(2);
    expect(timer.sleeps[1]).toBeGreaterThan(timer.sleeps[0]!);
  });

  it('stops in the middle of a wait for the next try', async () => {
    await add('de');
    const timer = new ManualTimer();
    const kind = new TestKind(views.fixture);
    const failed = Promise.withResolvers<void>();
    kind.beforeScan = () => {
      failed.resolve();
      throw new Error('the disk is away');
    };
    const { view } = open(kind, { timer });
    await view.start();
    await failed.promise;
    await view.stop();
    expect(() => view.indexOf('c')).toThrow(loading);
  });

  it('may be started and stopped in any order and repeatedly', async () => {
    const { view } = open();
    await view.stop();
    await view.start();
    await view.start();
    await view.stop();
    await view.stop();
    await view.caughtUp();
    await add('de');
    await view.start();
    await view.settled();
    expect(languages(view)).toEqual(['de']);
  });

  it('starts over when the database was replaced, even without a notification', async () => {
    await add('de');
    const { view } = await started();
    await views.fixture.sql.transaction((tx) => views.fixture.feed.restart(tx, 1000).then(() => undefined));
    await view.restart();
    await view.settled();
    expect(languages(view)).toEqual(['de']);
    await views.fixture.sql.transaction((tx) => views.fixture.feed.restart(tx, 5000).then(() => undefined));
    await add('en');
    await view.caughtUp();
    await view.settled();
    expect(languages(view)).toEqual(['de', 'en']);
  });

  it('puts an index that fails out of service, goes on with the others, and mends by reindexing', async () => {
    const { view, kind } = await started();
    kind.poison = 'de';
    await add('de');
    await add('en', 'k', 'other');
    await view.caughtUp();
    expect(() => view.indexOf('c')).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error);
    expect(languages(view, 'other')).toEqual(['en']);
    kind.poison = undefined;
    expect(await view.reindex(['c'], unending)).toBe(1);
    expect(languages(view)).toEqual(['de']);
  });

  it('serves the old index when the new one fails, says why, and goes on with the others', async () => {
    await add('de');
    await add('en', 'k', 'other');
    const { view, kind } = await started();
    kind.poison = 'de';
    await expect(view.reindex(['c', 'other'], unending)).rejects.toThrow('no room');
    expect([languages(view), languages(view, 'other')]).toEqual([['de'], ['en']]);
    kind.poison = undefined;
    kind.outOfReach = 'de';
    await expect(view.reindex(['c'], unending)).rejects.toThrow('the bucket is down');
    expect(languages(view)).toEqual(['de']);
  });

  it('builds once more what a change asks for while it is being built', async () => {
    await add('de');
    const { view, kind } = open();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    kind.beforeScan = () => {
      begun.resolve();
      return held;
    };
    await view.start();
    await begun.promise;
    await append({ kind: 'test.reindex', collection: 'c' });
    await view.caughtUp();
    letGo();
    await expect.poll(() => kind.puts).toEqual(['de', 'de']);
  });

  it('has no rebuild twice that nobody has begun, and lets who asked for it leave', async () => {
    await add('de');
    const { view, kind } = await started();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    kind.beforeScan = () => {
      begun.resolve();
      return held;
    };
    const first = view.reindex(['c'], unending);
    await begun.promise;
    const leaving = new AbortController();
    const others = [view.reindex(['c'], unending), view.reindex(['c'], leaving.signal)];
    leaving.abort(new Error('left'));
    await expect(others[1]).rejects.toThrow('left');
    letGo();
    expect(await Promise.all([first, others[0]])).toEqual([1, 1]);
    await view.settled();
    expect(kind.created).toHaveLength(3);
  });

  it('builds again for what was asked while a build goes on for an earlier change', async () => {
    await add('de');
    const { view, kind } = await started();
    /** Asks for a build that begins to read the tables, which wait for `letGo`. */
    const scanning = async (letScan: () => void = () => {}): Promise<() => void> => {
      const begun = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      kind.beforeScan = () => {
        begun.resolve();
        return held.promise;
      };
      await append({ kind: 'test.reindex', collection: 'c' });
      letScan();
      await begun.promise;
      return held.resolve;
    };
    const second = await scanning(await scanning());
    // What only a rebuild sees.
    await views.fixture.sql.transaction((tx) => tx.run("UPDATE documents SET lang = 'xx'").then(() => undefined));
    kind.beforeScan = () => {};
    await append({ kind: 'test.reindex', collection: 'c' });
    await view.caughtUp();
    second();
    await expect.poll(() => languages(view)).toEqual(['xx']);
  });

  it.skipIf(driver === 'sql.js')('rebuilds at a start what a stop has kept from being rebuilt', async () => {
    await add('de');
    const { view, kind } = await started();
    await view.stop();
    await view.start();
    await view.settled();
    // What only a rebuild sees.
    await views.fixture.sql.transaction((tx) => tx.run("UPDATE documents SET lang = 'xx'").then(() => undefined));
    const begun = Promise.withResolvers<void>();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    kind.beforeScan = () => {
      begun.resolve();
      return held;
    };
    const reindexing = view.reindex(['c'], unending).catch(() => undefined);
    await begun.promise;
    const stopping = view.stop();
    letGo();
    await Promise.all([stopping, reindexing]);
    kind.beforeScan = () => {};
    await view.start();
    await view.settled();
    expect(languages(view)).toEqual(['xx']);
  });

  it('finds the former version until the steps of a change are done, and acknowledges after them', async () => {
    await add('de');
    const { view, kind } = await started();
    kind.steps = 3;
    const found: unknown[] = [];
    kind.onStep = () => found.push(languages(view));
    await add('en');
    await view.caughtUp();
    expect(found).toEqual([['de'], ['de'], ['de']]);
    expect(languages(view)).toEqual(['de', 'en']);
  });

  it('discards what a build was about to add when the feed brings something newer', async () => {
    for (const lang of ['de', 'en']) await add(lang);
    const { view, kind } = await started();
    kind.steps = Infinity;
    let removed: Promise<void> | undefined;
    kind.onStep = (lang) => {
      if (lang === 'de') removed ??= remove('de').then(() => view.caughtUp());
    };
    kind.beforeScan = async (lang) => {
      if (lang === 'en') kind.steps = 0;
    };
    expect(await view.reindex(['c'], unending)).toBe(1);
    await removed;
    expect(languages(view)).toEqual(['en']);
    expect(kind.puts.filter((lang) => lang === 'de')).toHaveLength(1);
  });

  it(
    'respects the kinds of changes that it names: one brings a document in line with the tables, one outdates an ' +
      'index',
    async () => {
      await add('de');
      const { view, kind } = await started();
      const [{ ord }] = await views.fixture.sql.all<Row>('SELECT ord, lang FROM documents') as [Row];
      await views.fixture.sql.transaction((tx) =>
        tx.run("UPDATE documents SET lang = 'xx' WHERE ord = ?", [ord]).then(() => undefined)
      );
      await append({ kind: 'test.other', collection: 'c', ord });
      await view.caughtUp();
      expect(languages(view)).toEqual(['de']);
      await append({ kind: 'test.look', collection: 'c', ord });
      await view.caughtUp();
      expect(languages(view)).toEqual(['xx']);
      await append({ kind: 'test.look', collection: 'c', ord: 999 });
      await append({ kind: 'test.look', collection: 'nowhere', ord: 998 });
      await view.caughtUp();
      expect([languages(view), view.indexOf('nowhere')]).toEqual([['xx'], undefined]);
      const before = view.indexOf('c');
      await append({ kind: 'test.reindex', collection: 'c' });
      await view.caughtUp();
      await view.settled();
      expect(view.indexOf('c')).not.toBe(before);
      expect([languages(view), kind.created.length]).toEqual([['xx'], 2]);
    },
  );
});
