import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed, DOCUMENT_MIGRATIONS, KeyRing, migrate, openDatabase } from '../../storage/index.ts';
import { DRIVERS, Fixture } from '../documents/test-fixture.ts';
import { expressionOf, type RequestFilter } from '../search/index.ts';
import { columnsFactory, createColumnsView } from './columns-view.ts';
import { type ColumnsView, createColumns, selectDocuments } from './index.ts';

describe.each(DRIVERS)('the columns of documents over %s (design, section 4)', (driver) => {
  let fixture: Fixture;
  const views: ColumnsView[] = [];
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(async () => {
    for (const view of views.splice(0)) await view.stop();
    await fixture.close();
  });

  const add = (key: string, meta: Record<string, string[]> = {}, more: object = {}) =>
    fixture.call('addDocument', { collection: 'Blog', key, lang: 'en', meta, contentMd: '', ...more });
  const selected = async (request: RequestFilter = {}, view = fixture.columns, hidden: number[] = []) => {
    const found = await selectDocuments(view, 'blog', { filter: expressionOf(request), now: fixture.now, hidden });
    if (found === undefined) return undefined;
    const keys = [{ column: { kind: 'name', name: 'key' }, descending: false }] as const;
    return found.columns.sort(found.documents, { keys, offset: 0, count: 100 }).map(({ tie }) => tie);
  };

  it('follow what is written', async () => {
    expect(await selected()).toBeUndefined();
    await add('a', { tag: ['x'] });
    await add('b', { tag: ['y'] });
    expect(await selected({ filterMeta: { tag: ['x'] } })).toEqual(['a|en']);
    await add('a', { tag: ['y'] });
    expect(await selected({ filterMeta: { tag: ['y'] } })).toEqual(['a|en', 'b|en']);
    await fixture.call('deleteDocument', { collection: 'blog', key: 'b', lang: 'en' });
    expect(await selected({ filterMeta: { tag: ['y'] } })).toEqual(['a|en']);
    await fixture.call('deleteCollection', { collection: 'blog' });
    expect(await selected()).toBeUndefined();
  });

  it('know a change of expiry, and leave out what has expired before it is swept', async () => {
    await add('a', {}, { ttl: 10 });
    await add('b');
    expect(await selected()).toEqual(['a|en', 'b|en']);
    fixture.advance(10);
    expect(await selected()).toEqual(['b|en']);
    await fixture.call('setDocumentTtl', { collection: 'blog', key: 'b', lang: 'en', ttl: 5 });
    fixture.advance(5);
    expect(await selected()).toEqual([]);
  });

  it('leave out what is hidden', async () => {
    await add('a');
    await add('b');
    const { ord } = (await fixture.sql.get<{ ord: number }>("SELECT ord FROM documents WHERE key = 'a'"))!;
    expect(await selected({}, fixture.columns, [ord])).toEqual(['b|en']);
  });

  it('are built from the tables when a server starts, from more documents than are read at once', async () => {
    const items = Array.from({ length: 600 },
      (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: '', meta: { n: [String(i)] } }));
    await fixture.call('addDocuments', { collection: 'blog', documents: items });
    await fixture.call('setDocumentTtl', { collection: 'blog', key: 'k7', lang: 'en', ttl: 5 });
    fixture.advance(100);
    await add('late', { n: ['1'] });
    const view = createColumnsView(fixture.environment, { factory: columnsFactory });
    views.push(view);
    await view.start();
    await view.settled();
    expect(await selected({ rangeMeta: { n: { lt: 2 } } }, view)).toEqual(['k0|en', 'k1|en', 'late|en']);
    expect(view.indexOf('blog')!.columns.stats()).toMatchObject({ documents: 601, pairs: 601, keys: 1 });
  });

  it('start over when the database is replaced', async () => {
    await add('a', { tag: ['x'] });
    await fixture.sql.transaction(async (tx) => {
      await tx.run(`UPDATE documents SET meta = '{"tag":["y"]}'`);
      await fixture.feed.restart(tx, 1000);
    });
    await fixture.columns.restart();
    await fixture.columns.settled();
    expect([await selected({ filterMeta: { tag: ['x'] } }), await selected({ filterMeta: { tag: ['y'] } })]).toEqual([
      [],
      ['a|en'],
    ]);
  });

  it('do without metadata that cannot be opened, and know everything else', async () => {
    const sql = await openDatabase({ path: ':memory:', keys: new KeyRing({ id: 1, bytes: Buffer.alloc(32, 1) }) });
    await migrate(sql, DOCUMENT_MIGRATIONS);
    const feed = new ChangeFeed(sql);
    const view = createColumnsView({ ...fixture.environment, sql, feed }, { factory: columnsFactory });
    views.push(view);
    const insert = (key: string, meta: string) =>
      sql.transaction(async (tx) => {
        await tx.run('INSERT OR IGNORE INTO collections(id, name, docs) VALUES (1, ?, 1)', ['blog']);
        const row = await tx.get<{ ord: number }>(
          'INSERT INTO documents(cid, id, key, lang, crc, bytes, added_at, updated_at, meta, body) VALUES (1, ?, ' +
            "?, 'en', 0, 0, 1, 1, ?, x'00') RETURNING ord",
          [`blog|${key}|en`, key, meta],
        );
        await feed.append(tx, [{ kind: 'doc.put', collection: 'blog', ord: row!.ord, key }]);
      });
    await insert('a', '{"tag":["x"]}');
    await insert('b', 'U1ZDRU5Dand so on');
    await view.start();
    await view.settled();
    await insert('c', 'U1ZDRU5Dand so forth');
    await insert('d', '{"tag":["x"]}');
    await view.caughtUp();
    expect([await selected({}, view), await selected({ filterMeta: { tag: ['x'] } }, view)]).toEqual([['a|en', 'b|en',
      'c|en', 'd|en'], ['a|en', 'd|en']]);
    await sql.transaction(async (tx) => {
      await tx.run(`UPDATE documents SET meta = '{"tag":["x"]}' WHERE key = 'b'`);
      await feed.append(tx, [{ kind: 'encryption.reseal', collection: 'blog', ord: 2, key: 'b' }]);
    });
    await view.caughtUp();
    expect(await selected({ filterMeta: { tag: ['x'] } }, view)).toEqual(['a|en', 'b|en', 'd|en']);
    await view.stop();
    await sql.close();
  });

  if (driver === 'sql.js') return;

  describe('with checkpoints', () => {
    const folder = (): string => `${fixture.sql.info.path}.columns`;
    const reopened = async (keys?: KeyRing, encrypted = false): Promise<ColumnsView> => {
      const view = createColumns({ ...fixture.environment, ...(keys && { keys }) }, {
        collections: { configOf: () => ({ encrypted }) },
      });
      views.push(view);
      await view.start();
      await view.settled();
      return view;
    };

    it('go on from one, and take in what was written since', async () => {
      await add('a', { tag: ['x'] });
      await add('b', { tag: ['x'] }, { ttl: 60 });
      await fixture.columns.stop();
      expect(await readdir(folder())).toEqual(['blog.idx']);
      await add('c', { tag: ['x'] });
      await add('a', { tag: ['y'] });
      const view = await reopened();
      expect(await selected({ filterMeta: { tag: ['x'] } }, view)).toEqual(['b|en', 'c|en']);
      fixture.advance(60);
      expect(await selected({}, view)).toEqual(['a|en', 'c|en']);
    });

    it('are rebuilt where one is damaged', async () => {
      await add('a', { tag: ['x'] });
      await fixture.columns.stop();
      const path = join(folder(), 'blog.idx');
      const bytes = await readFile(path);
      await writeFile(path, bytes.subarray(0, bytes.length - 1));
      expect(await selected({ filterMeta: { tag: ['x'] } }, await reopened())).toEqual(['a|en']);
    });

    it('show nothing of an encrypted collection in the clear', async () => {
      await add('a', { tag: ['confidential'] });
      const keys = new KeyRing({ id: 1, bytes: Buffer.alloc(32, 1) });
      await (await reopened(keys, true)).stop();
      expect((await readFile(join(folder(), 'blog.idx'))).includes('confidential')).toBe(false);
      expect(await selected({ filterMeta: { tag: ['confidential'] } }, await reopened(keys, true))).toEqual(['a|en']);
      await (await reopened(undefined, true)).stop();
      expect(await readdir(folder())).toEqual([]);
    });
  });
});
