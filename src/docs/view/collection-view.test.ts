import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BodyUnavailable, DOCUMENT_MIGRATIONS, migrate, type Change } from '../../storage/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { DRIVERS, Fixture } from '../documents/test-fixture.ts';
import { CheckpointFiles } from './checkpoint-files.ts';
import { CollectionView, type CollectionViewOptions } from './collection-view.ts';
import type { Effect, Entry, ViewIndex, ViewKind } from './view-kind.ts';

const MAGIC = 'QTEST001';

/** The languages of documents by ordinal: an index as small as one can be. */
class Languages implements ViewIndex {
  readonly byOrd: Map<number, string>;
  closed = 0;

  constructor(entries: Iterable<[number, string]> = []) {
    this.byOrd = new Map(entries);
  }

  get documents(): number {
    return this.byOrd.size;
  }

  get bytes(): number {
    return this.byOrd.size * 2;
  }

  remove(ord: number): void {
    this.byOrd.delete(ord);
  }

  async *save(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify([...this.byOrd]));
  }

  close(): void {
    this.closed += 1;
  }
}

interface Row {
  readonly [column: string]: string | number;
  readonly ord: number;
  readonly lang: string;
}

/** A kind that tells what it did, and fails on demand. */
class TestKind implements ViewKind<Languages> {
  readonly name = 'language';
  /** Languages put into indexes, in order. */
  readonly puts: string[] = [];
  readonly created: Languages[] = [];
  /** Called before each document that a build reads. */
  beforeScan: (lang: string) => Promise<void> | void = () => {};
  poison: string | undefined;
  /** The language of a document whose body cannot be read. */
  outOfReach: string | undefined;
  /** Whether the body that a change brings stands for the language in the tables. */
  takesWhatChangesBring = false;
  /** Steps that each document takes before it is within. */
  steps = 0;
  /** Called at each of these steps. */
  onStep: (lang: string, index: Languages) => void = () => {};
  readonly #sql: Fixture['sql'];

  constructor({ sql }: Fixture) {
    this.#sql = sql;
  }

  create(): Languages {
    const index = new Languages();
    this.created.push(index);
    return index;
  }

  async restore(_: string, bytes: AsyncIterable<Uint8Array>): Promise<Languages> {
    const all = await Array.fromAsync(bytes);
    return new Languages(JSON.parse(Buffer.concat(all).toString()) as [number, string][]);
  }

  effectOf({ kind }: Change): Effect | undefined {
    const effects: Record<string, Effect> = { 'doc.put': 'read', 'test.look': 'read', 'doc.delete': 'remove', 'test.rules': 'rebuild' };
    return effects[kind];
  }

  async collections(): Promise<string[]> {
    return (await this.#sql.all<{ name: string }>('SELECT name FROM collections WHERE docs > 0 ORDER BY name')).map(({ name }) => name);
  }

  entryOf({ ord, document }: Change): Entry<Languages> | undefined {
    return document === undefined || !this.takesWhatChangesBring ? undefined : this.#toEntry({ ord: ord!, lang: document.contentMd });
  }

  async *entriesOf(ords: readonly number[]): AsyncGenerator<Entry<Languages>> {
    for (const ord of ords) {
      const row = await this.#sql.get<Row>('SELECT ord, lang FROM documents WHERE ord = ?', [ord]);
      if (row !== undefined) yield this.#toEntry(row);
    }
  }

  async *allEntries(collection: string): AsyncGenerator<Entry<Languages>> {
    for (const row of await this.#sql.all<Row>("SELECT ord, lang FROM documents WHERE id > ? || '|' AND id < ? || '}' ORDER BY id", [collection, collection])) {
      await this.beforeScan(row.lang);
      yield this.#toEntry(row);
    }
  }

  #toEntry({ ord, lang }: Row): Entry<Languages> {
    if (lang === this.outOfReach) throw new BodyUnavailable('the bucket is down');
    return {
      ord,
      addTo: (index) => {
        if (lang === this.poison) throw new Error('no room');
        let left = this.steps;
        const step = (): boolean => {
          if (left > 0) this.onStep(lang, index);
          if (left-- > 0) return true;
          this.puts.push(lang);
          index.byOrd.set(ord, lang);
          return false;
        };
        return step() ? step : undefined;
      },
    };
  }
}

describe.each(DRIVERS)('a view of collections over %s (design, section 1)', (driver) => {
  let fixture: Fixture;
  const views: CollectionView<Languages>[] = [];
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    await migrate(fixture.sql, DOCUMENT_MIGRATIONS);
  });
  afterEach(async () => {
    for (const view of views.splice(0)) await view.stop();
    await fixture.close();
  });

  const open = (kind = new TestKind(fixture), options: CollectionViewOptions = {}): { view: CollectionView<Languages>; kind: TestKind } => {
    const view = new CollectionView(fixture.environment, kind, { checkpoints: CheckpointFiles.beside(fixture.sql, 'test', MAGIC), ...options });
    views.push(view);
    return { view, kind };
  };
  const started = async (kind?: TestKind, options?: CollectionViewOptions) => {
    const opened = open(kind, options);
    await opened.view.start();
    await opened.view.settled();
    return opened;
  };
  /** The key says nothing to the view, the language everything; `lang` stands in the place of a version. */
  const add = (lang: string, key = 'k', collection = 'c') => fixture.call('addDocument', { collection, key, lang, contentMd: 'x' });
  const remove = (lang: string, key = 'k', collection = 'c') => fixture.call('deleteDocument', { collection, key, lang });
  const languages = (view: CollectionView<Languages>, collection = 'c'): string[] | undefined => {
    const index = view.indexOf(collection);
    return index && [...index.byOrd.values()].sort();
  };
  const append = (change: Parameters<Fixture['feed']['append']>[1][number]) => fixture.sql.transaction((tx) => fixture.feed.append(tx, [change]).then(() => undefined));
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
    const kind = new TestKind(fixture);
    kind.takesWhatChangesBring = true;
    const { view } = await started(kind);
    const write = (lang: string, contentMd: string) => fixture.call('addDocument', { collection: 'c', key: 'k', lang, contentMd });
    await write('de', 'brought');
    await view.caughtUp();
    expect(languages(view)).toEqual(['brought']);
    await fixture.call('addDocuments', { collection: 'c', documents: [{ key: 'k', lang: 'de', contentMd: 'earlier' }, { key: 'k', lang: 'de', contentMd: 'later' }] });
    await view.caughtUp();
    expect(languages(view)).toEqual(['later']);
    await fixture.call('setDocumentTtl', { collection: 'c', key: 'k', lang: 'de', ttl: 100 });
    await view.caughtUp();
    expect(languages(view)).toEqual(['de']);
  });

  it('refuses searches until the indexes are loaded, says when to try again, and lets writes pass meanwhile', async () => {
    const { view } = open();
    expect(() => view.indexOf('c')).toThrow(loading);
    await expect(view.reindex('c')).rejects.toMatchObject({ code: 'index_loading', headers: { 'Retry-After': '1' } });
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

  it('tells that it is ready, and when that may have changed', async () => {
    await add('de');
    const kind = new TestKind(fixture);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    kind.beforeScan = () => held;
    const { view } = open(kind);
    await view.start();
    const refusal = await Promise.resolve().then(() => view.indexOf('c')).catch((error: unknown) => error) as { changed: Promise<void> };
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
    const kind = new TestKind(fixture);
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
    expect(await view.reindex('c')).toBe(3);
    expect(languages(view)).toEqual(['en', 'fr', 'it']);
  });

  it('serves the old index while it makes a new one, and lets go of the old one once', async () => {
    await add('de');
    const { view, kind } = await started();
    const old = view.indexOf('c')!;
    kind.beforeScan = () => expect(view.indexOf('c')).toBe(old);
    await view.reindex('c');
    expect(view.indexOf('c')).not.toBe(old);
    await view.stop();
    expect(kind.created.map(({ closed }) => closed)).toEqual([1, 1]);
  });

  it('gives a build up when its collection is deleted, and begins anew with the next document', async () => {
    await add('de');
    const { view, kind } = await started();
    kind.beforeScan = async () => {
      await fixture.call('deleteCollection', { collection: 'c' });
      await view.caughtUp();
    };
    await view.reindex('c').catch(() => undefined);
    expect(view.indexOf('c')).toBeUndefined();
    await add('en');
    await view.caughtUp();
    expect(languages(view)).toEqual(['en']);
    expect(kind.created.map(({ closed }) => closed)).toEqual([1, 1, 0]);
  });

  it('tries a build again, later each time, until the tables can be read', async () => {
    await add('de');
    const timer = new ManualTimer();
    const kind = new TestKind(fixture);
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
    const kind = new TestKind(fixture);
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

  it('begins anew when the database was replaced, and when it was not told', async () => {
    await add('de');
    const { view } = await started();
    await fixture.sql.transaction((tx) => fixture.feed.restart(tx, 1000).then(() => undefined));
    await view.restart();
    await view.settled();
    expect(languages(view)).toEqual(['de']);
    await fixture.sql.transaction((tx) => fixture.feed.restart(tx, 5000).then(() => undefined));
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
    expect(await view.reindex('c')).toBe(1);
    expect(languages(view)).toEqual(['de']);
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

  it('gives up what a build was about to add when the feed brings something newer', async () => {
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
    expect(await view.reindex('c')).toBe(1);
    await removed;
    expect(languages(view)).toEqual(['en']);
    expect(kind.puts.filter((lang) => lang === 'de')).toHaveLength(1);
  });

  it('heeds the kinds of changes that it names: one brings a document in line with the tables, one outdates an index', async () => {
    await add('de');
    const { view, kind } = await started();
    const [{ ord }] = await fixture.sql.all<Row>('SELECT ord, lang FROM documents') as [Row];
    await fixture.sql.transaction((tx) => tx.run("UPDATE documents SET lang = 'xx' WHERE ord = ?", [ord]).then(() => undefined));
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
    await append({ kind: 'test.rules', collection: 'c' });
    await view.caughtUp();
    await view.settled();
    expect(view.indexOf('c')).not.toBe(before);
    expect([languages(view), kind.created.length]).toEqual([['xx'], 2]);
  });

  if (driver === 'sql.js') return;

  describe('with checkpoints', () => {
    const folder = (): string => `${fixture.sql.info.path}.test`;
    beforeEach(async () => {
      await add('de', 'a');
      await add('en', 'b');
      await add('fr', 'x', 'Träume/1');
      await (await started()).view.stop();
    });

    it('loads them, catches up, and reads nothing else', async () => {
      expect(await readdir(folder())).toHaveLength(2);
      await add('it', 'd');
      await remove('de', 'a');
      const { view, kind } = await started();
      expect([languages(view), languages(view, 'träume/1')]).toEqual([['en', 'it'], ['fr']]);
      expect(kind.puts).toEqual(['it']);
    });

    it.each([
      ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
      ['empty', () => Buffer.alloc(0)],
      ['something else', () => Buffer.from(`${MAGIC} and so on, which is no checkpoint at all`)],
      ['of another kind of view', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(MAGIC, 'QFTIDX01'), 'latin1')],
      ['of another feed', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"at":\d/, '"at":9'), 'latin1')],
      ['ahead of the feed', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"lsn":\d/, '"lsn":9'), 'latin1')],
      ['of another collection', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"collection":"c"', '"collection":"d"'), 'latin1')],
    ])('builds anew what is %s', async (_, change) => {
      const path = join(folder(), 'c.idx');
      await writeFile(path, change(await readFile(path)));
      const { view, kind } = await started();
      expect([languages(view), languages(view, 'träume/1')]).toEqual([['de', 'en'], ['fr']]);
      expect(kind.puts.sort()).toEqual(['de', 'en']);
    });

    it('writes one while it runs, when much has changed', async () => {
      const { view, kind } = await started();
      const items = Array.from({ length: 5000 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: 'x' }));
      for (let i = 0; i < items.length; i += 1000) await fixture.call('addDocuments', { collection: 'c', documents: items.slice(i, i + 1000) });
      await view.caughtUp();
      await view.settled();
      expect(kind.puts).toHaveLength(5000);
      const other = await started();
      expect(other.kind.puts.length).toBeLessThan(1000);
      expect(languages(other.view)).toHaveLength(5002);
    });

    it('needs nothing of the feed that was pruned, whether a collection changed or not', async () => {
      const { view } = await started();
      await add('it', 'd');
      await view.caughtUp();
      expect(await fixture.feed.prune({ entries: 0 })).toBeGreaterThan(0);
      await add('es', 'e');
      const other = await started();
      expect([languages(other.view), languages(other.view, 'träume/1')]).toEqual([['de', 'en', 'es', 'it'], ['fr']]);
      expect(other.kind.puts).toEqual(['es']);
    });

    it('does not read again what was written before it stopped, however old a checkpoint is', async () => {
      const { view } = await started();
      await add('it', 'd');
      await view.caughtUp();
      await view.stop();
      const read = vi.spyOn(fixture.feed, 'read');
      expect(languages((await started()).view, 'träume/1')).toEqual(['fr']);
      expect(read.mock.calls.map(([after]) => after)).toEqual([await fixture.feed.head()]);
    });

    it('takes no confirmation that was made for another checkpoint', async () => {
      const { view } = await started();
      await add('it', 'd');
      await view.caughtUp();
      await view.stop();
      const path = join(folder(), 'confirmed.json');
      await writeFile(path, (await readFile(path, 'utf8')).replace(/"written":\{"lsn":\d/, '"written":{"lsn":1'));
      const { kind, view: again } = await started();
      expect([languages(again, 'träume/1'), kind.puts]).toEqual([['fr'], []]);
    });

    it('tries again to write a checkpoint that could not be written', async () => {
      const { view } = await started();
      await add('it', 'd');
      await view.caughtUp();
      const save = vi.spyOn(CheckpointFiles.prototype, 'save').mockRejectedValueOnce(new Error('full'));
      await fixture.feed.prune({ entries: 0 });
      await view.stop();
      save.mockRestore();
      const other = await started();
      expect([languages(other.view), other.kind.puts]).toEqual([['de', 'en', 'it'], []]);
    });

    it('removes what a crash left half written, and what belongs to no collection any more', async () => {
      await writeFile(join(folder(), 'c.idx.12345678.tmp'), 'half');
      await writeFile(join(folder(), 'gone.idx'), 'words');
      await started();
      expect((await readdir(folder())).filter((name) => name.endsWith('.tmp') || name.startsWith('gone'))).toEqual([]);
    });

    it('leaves none of a collection that is gone or must not have one', async () => {
      const { view } = await started(undefined, { isSecret: (collection) => collection === 'c' });
      expect(await readdir(folder())).toHaveLength(1);
      await fixture.call('deleteCollection', { collection: 'träume/1' });
      await add('it', 'd');
      await view.caughtUp();
      await view.stop();
      expect(await readdir(folder())).toEqual([]);
    });
  });
});
