import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { DOCUMENT_MIGRATIONS } from '../migrations/index.ts';
import type { Sql } from '../port.ts';
import { ChangeFeed } from './change-feed.ts';
import { CHANGE_FLAGS, type NewChange } from './change.ts';
import { storedCursor } from './cursor.ts';

const put = (docId: string): NewChange => ({ kind: 'doc.put', collection: 'c', docId });

describe('ChangeFeed', () => {
  let sql: Sql;
  let feed: ChangeFeed;
  let now: number;

  beforeEach(async () => {
    now = 1000;
    sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
    feed = new ChangeFeed(sql, { now: () => now });
  });
  afterEach(() => sql.close());

  const append = (...changes: NewChange[]) => sql.transaction((tx) => feed.append(tx, changes));
  const appendMany = (count: number) => append(...Array.from({ length: count }, (_, i) => put(`d${i}`)));

  it('begins empty', async () => {
    expect([await feed.head(), await feed.oldest(), await feed.read(0, 10)]).toEqual([0, 0, []]);
  });

  it('numbers changes from 1 on and returns them in order', async () => {
    const full: NewChange = {
      kind: 'doc.put',
      collection: 'c',
      ord: 7,
      docId: 'x',
      key: 'K',
      lang: 'en',
      flags: CHANGE_FLAGS.CREATED | CHANGE_FLAGS.SKIP_FTS,
      detail: '{"a":1}',
    };
    expect(await append(full, { kind: 'collection.delete', collection: 'c' })).toBe(2);
    expect(await feed.read(0, 10)).toEqual([{ ...full, lsn: 1, at: 1000 }, {
      kind: 'collection.delete',
      collection: 'c',
      lsn: 2,
      at: 1000,
      flags: 0,
    }]);
    expect((await feed.read(0, 1)).map(({ lsn }) => lsn)).toEqual([1]);
    expect(await append()).toBe(2);
  });

  it('copies the names of documents that were just stored, as if they had been handed over', async () => {
    await sql.transaction((tx) => tx.run("INSERT INTO collections(id, name) VALUES (1, 'c')"));
    const { CREATED, EMBEDDING_DROPPED } = CHANGE_FLAGS;
    let last = 0;
    // Those with different flags are passed.
    for (const flags of [[CREATED, CREATED, CREATED], [CREATED, EMBEDDING_DROPPED], [CREATED], []]) {
      const given = flags.map((each, i): NewChange => ({
        kind: 'doc.put',
        collection: 'c',
        docId: `c|k${last + 1 + i}|en`,
        key: `K${last + 1 + i}`,
        lang: 'en',
        flags: each,
      }));
      const head = await feed.head();
      const appended = await sql.transaction(async (tx) => {
        await tx.runMany(
          'INSERT INTO documents(ord, cid, id, key, lang, crc, bytes, added_at, updated_at, meta) VALUES (?, 1, ' +
            "?, ?, 'en', 0, 0, 0, 0, '{}')",
          given.map(({ docId, key }, i) => [last + 1 + i, docId!, key!]),
        );
        await feed.headIn(tx);
        return feed.appendStored(tx, given, { cid: 1, after: last });
      });
      expect(appended).toBe(head + given.length);
      const expected = given.map((change, i) => ({ ...change, ord: last + 1 + i, lsn: head + 1 + i, at: now }));
      expect(await new ChangeFeed(sql).read(head, 10)).toEqual(expected);
      expect(await feed.read(head, 10)).toEqual(expected);
      last += given.length;
    }
    expect([feed.settled, feed.latest]).toEqual([6, 6]);
  });

  it('passes documents to subscribers that follow closely, and to no others', async () => {
    let position = 0;
    const leave = feed.join({ wake: () => undefined, position: () => position });
    const document = { meta: { a: ['1'] }, contentMd: 'text', addedAt: 1, updatedAt: 2, expiresAt: null };
    await append({ ...put('a'), document }, put('b'));
    const [first] = await feed.read(0, 1);
    expect(first).toEqual({ ...put('a'), lsn: 1, at: 1000, flags: 0, document });
    expect((await new ChangeFeed(sql).read(0, 1))[0]).toEqual({ ...put('a'), lsn: 1, at: 1000, flags: 0 });
    position = 2;
    expect(await feed.read(2, 1)).toEqual([]);
    expect((await feed.read(0, 2)).map((change) => [change.lsn, change.document])).toEqual([[1, undefined], [2,
      undefined]]);
    leave();
  });

  it('passes documents on although the head of a shared feed was read before their commit and arrives after it', async () => {
    const [wasRead, mayArrive] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = new Proxy(sql, {
      get: (target,
        name) => (name !== 'get'
          ? (target[name as keyof Sql] as (() => void)).bind(target)
          : async (...query: Parameters<Sql['get']>) => {
            const row = await target.get(...query);
            wasRead.resolve();
            await mayArrive.promise;
            return row;
          }),
    });
    feed = new ChangeFeed(late, { now: () => now }, { shared: true });
    const leave = feed.join({ wake: () => undefined, position: () => 0 });
    const document = { meta: {}, contentMd: 'text', addedAt: 1, updatedAt: 1, expiresAt: null };
    const head = feed.head();
    await wasRead.promise;
    await append({ ...put('a'), document });
    mayArrive.resolve();
    expect(await head).toBe(0);
    expect(await feed.read(0, 1)).toMatchObject([{ docId: 'a', document }]);
    leave();
  });

  it('hands on nothing that was undone', async () => {
    const leave = feed.join({ wake: () => undefined, position: () => 0 });
    await append(put('a'));
    await expect(sql.transaction(async (tx) => {
      await feed.append(tx, [put('undone')]);
      throw new Error('undone');
    })).rejects.toThrow('undone');
    await append(put('b'));
    expect((await feed.read(0, 9)).map(({ docId }) => docId)).toEqual(['a', 'b']);
    leave();
  });

  it('knows a number that no visible change exceeds, without a question to the database', async () => {
    expect(feed.latest).toBeUndefined();
    await feed.head();
    expect(feed.latest).toBe(0);
    await appendMany(3);
    expect(feed.latest).toBe(3);
    await expect(sql.transaction(async (tx) => {
      await feed.append(tx, [put('x')]);
      // Other connections may see the changes from the commit on, before it is reported.
      expect([feed.latest, feed.settled]).toEqual([4, undefined]);
      throw new Error('undone');
    })).rejects.toThrow('undone');
    expect(feed.latest).toBeGreaterThanOrEqual(await feed.head());
    await appendMany(1);
    expect([feed.latest, await feed.head()]).toEqual([4, 4]);
    await sql.transaction((tx) => new ChangeFeed(sql).restart(tx, 100));
    expect([await feed.head(), feed.latest]).toEqual([102, 102]);
  });

  it('has no gap after transactions that were undone', async () => {
    await Promise.allSettled([0, 1, 2, 3, 4].map((i) =>
      sql.transaction(async (tx) => {
        await feed.append(tx, [put(`d${i}`)]);
        if (i % 2 === 1) throw new Error('undone');
      })
    ));
    expect((await feed.read(0, 10)).map(({ lsn, docId }) => [lsn, docId])).toEqual([[1, 'd0'], [2, 'd2'], [3, 'd4']]);
  });

  it('wakes readers after the commit, and only then', async () => {
    const heads: Promise<number>[] = [];
    const leave = feed.join({ wake: () => heads.push(feed.head()), position: () => 0 });
    await append(put('a'));
    await sql.transaction(async (tx) => {
      await feed.append(tx, [put('b')]);
      throw new Error('undone');
    }).catch(() => undefined);
    leave();
    await append(put('c'));
    expect(await Promise.all(heads)).toEqual([1]);
  });

  it('refuses to continue where changes are missing', async () => {
    await appendMany(10);
    await feed.prune({ entries: 4 });
    expect(await feed.oldest()).toBe(7);
    expect((await feed.read(6, 10)).map(({ lsn }) => lsn)).toEqual([7, 8, 9, 10]);
    expect(await feed.read(10, 10)).toEqual([]);
    await expect(feed.read(5, 10)).rejects.toMatchObject({ name: 'FeedGap', after: 5, oldest: 7, head: 10 });
    await expect(feed.read(0, 10)).rejects.toMatchObject({ name: 'FeedGap' });
    await expect(feed.read(11, 10)).rejects.toMatchObject({ name: 'FeedGap' });
  });

  describe('prune', () => {
    it('never deletes the newest change', async () => {
      await appendMany(12_000);
      expect(await feed.prune({ entries: 0 })).toBe(11_999);
      expect([await feed.oldest(), await feed.head()]).toEqual([12_000, 12_000]);
      expect(await append(put('next'))).toBe(12_001);
    });

    it('keeps what is young enough, and what is asked for by number', async () => {
      for (now = 1000; now <= 10_000; now += 1000) await append(put(`at ${now}`));
      await feed.prune({ since: 4000, entries: 2 });
      expect(await feed.oldest()).toBe(4);
      await feed.prune({ since: 99_000, entries: 5 });
      expect(await feed.oldest()).toBe(6);
      expect(await feed.prune({ since: 500 })).toBe(0);
    });

    it('keeps what a stored cursor or a reader has yet to read', async () => {
      await appendMany(10);
      await storedCursor(sql, 'webhooks').save(3);
      const leave = feed.join({ wake: () => {}, position: () => 2 });
      await feed.prune({ entries: 0 });
      expect(await feed.oldest()).toBe(3);
      leave();
      await feed.prune({ entries: 0 });
      expect(await feed.oldest()).toBe(4);
    });

    it('waits for a reader that lets go of what it has handled, up to the last change', async () => {
      await appendMany(10);
      const released: number[] = [];
      const leave = feed.join({
        wake: () => {},
        position: () => 8,
        async release(lsn) {
          released.push(lsn, await feed.oldest());
        },
      });
      expect([await feed.prune({ entries: 5 }), await feed.prune({ entries: 0 }), await feed.prune({ entries: 0 })])
        .toEqual([5, 2, 0]);
      expect(released).toEqual([5, 1, 7, 6]);
      leave();
    });

    it('deletes nothing where a reader cannot let go', async () => {
      await appendMany(3);
      const leave = feed.join({ wake: () => {}, position: () => 3, release: () => Promise.reject(new Error('full')) });
      await expect(feed.prune({ entries: 0 })).rejects.toThrow('full');
      expect(await feed.oldest()).toBe(1);
      leave();
    });

    it('has nothing to do for an empty feed', async () => {
      expect(await feed.prune({ entries: 0, since: 5000 })).toBe(0);
    });
  });

  it('starts over after a restore, so that all followers notice', async () => {
    await appendMany(5);
    const lsn = await sql.transaction((tx) => feed.restart(tx, 20));
    expect([lsn, await feed.oldest(), await feed.head()]).toEqual([22, 22, 22]);
    for (const position of [0, 5, 20]) await expect(feed.read(position, 10)).rejects.toMatchObject({ name: 'FeedGap' });
    expect(await append(put('next'))).toBe(23);
    expect((await feed.read(21, 10)).map(({ kind }) => kind)).toEqual(['feed.restart', 'doc.put']);
  });
});
