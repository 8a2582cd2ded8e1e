import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { DOCUMENT_MIGRATIONS } from '../migrations/index.ts';
import type { Row, Sql } from '../port.ts';
import { ChangeFeed } from './change-feed.ts';
import type { NewChange } from './change.ts';
import { SharedHead } from './shared-head.ts';

const put = (docId: string): NewChange => ({ kind: 'doc.put', collection: 'c', docId });

describe('a feed to which other processes append', () => {
  let sql: Sql;
  let now = 1000;
  let own: ChangeFeed;
  let other: ChangeFeed;

  beforeEach(async () => {
    sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
    const clock = { now: () => now++ };
    own = new ChangeFeed(sql, clock, { shared: true });
    other = new ChangeFeed(sql, clock, { shared: true });
  });
  afterEach(() => sql.close());

  const append = (feed: ChangeFeed, ...changes: NewChange[]) => sql.transaction((tx) => feed.append(tx, changes));
  /** As a standby that did not have the last changes when it was promoted. */
  const lose = (after: number) => sql.transaction((tx) => tx.run('DELETE FROM changes WHERE lsn > ?', [after]));

  it('is known up to the last own commit or the last head, whichever is later', async () => {
    expect(own.known).toBeUndefined();
    await append(other, put('a'));
    await own.head();
    expect(own.known).toBe(1);
    await append(own, put('b'));
    expect(own.known).toBe(2);
    await append(other, put('c'));
    expect([own.known, await own.head(), own.known]).toEqual([2, 3, 3]);
  });

  it('wakes its readers when others have appended, who need no query before that', async () => {
    let woken = 0;
    own.join({ wake: () => woken++, position: () => undefined });
    await own.head();
    const before = woken;
    await append(other, put('a'));
    expect([await own.read(0, 10), woken]).toEqual([[], before]);
    await own.head();
    expect([(await own.read(0, 10)).length, woken]).toEqual([1, before + 1]);
  });

  it('notices that the database has lost changes, whether or not others have taken their numbers', async () => {
    for (const appended of [0, 1, 3]) {
      await append(own, put('a'), put('b'), put('c'), put('d'));
      const head = await own.head();
      const before = own.history;
      expect(await own.head()).toBe(head);
      expect(own.history).toBe(before);
      await lose(head - 1);
      for (let i = 0; i < appended; i++) await append(other, put('x'));
      expect(await own.head()).toBe(head - 1 + appended);
      expect(own.history).toBe(before + 1);
      expect(own.known).toBe(head - 1 + appended);
      expect(own.hasForeign(head - 2, head - 1)).toBe(true);
      await other.head();
    }
  });

  it('takes changes that were pruned, and a feed that was restarted, for no loss', async () => {
    await append(own, put('a'), put('b'));
    await own.head();
    await append(other, put('c'));
    await sql.transaction((tx) => tx.run('DELETE FROM changes WHERE lsn < 3'));
    await own.head();
    await sql.transaction((tx) => other.restart(tx, 20));
    expect([await own.head(), own.history]).toEqual([22, 0]);
  });
});

describe('reads of the head', () => {
  it('share a query that begins after each of them was requested', async () => {
    const running: ((row: Row | undefined) => void)[] = [];
    const head = new SharedHead({
      get: () => new Promise((resolve) => running.push(resolve as (row: Row | undefined) => void)),
    }, () => undefined);
    const first = [head.read(), Promise.resolve().then(() => head.read())];
    while (running.length === 0) await new Promise(setImmediate);
    const later = [head.read(), head.read(), head.read()];
    expect(running.length).toBe(1);
    running[0]!({ lsn: 1, at: 1, marked: null });
    expect(await Promise.all(first)).toEqual([1, 1]);
    while (running.length === 1) await new Promise(setImmediate);
    expect(running.length).toBe(2);
    running[1]!({ lsn: 2, at: 2, marked: 1 });
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
  });

  it('go on after one that failed', async () => {
    let fails = true;
    const head = new SharedHead({
      get: async () => {
        if (fails) throw new Error('gone');
        return undefined;
      },
    }, () => undefined);
    await expect(head.read()).rejects.toThrow('gone');
    fails = false;
    expect(await head.read()).toBe(0);
  });
});
