import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { DOCUMENT_MIGRATIONS } from '../migrations/index.ts';
import type { Sql } from '../port.ts';
import { ChangeFeed } from './change-feed.ts';
import { type Cursor, memoryCursor, storedCursor } from './cursor.ts';
import { Subscriber, type SubscriberOptions } from './subscriber.ts';

describe('Subscriber', () => {
  let sql: Sql;
  let feed: ChangeFeed;
  let cursor: Cursor;
  let timer: ManualTimer;
  let seen: number[];
  let failures: string[];
  const started: Subscriber[] = [];

  beforeEach(async () => {
    sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
    feed = new ChangeFeed(sql);
    cursor = storedCursor(sql, 'test');
    timer = new ManualTimer();
    [seen, failures] = [[], []];
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((subscriber) => subscriber.stop()));
    await sql.close();
  });

  const append = (count = 1) =>
    sql.transaction((tx) =>
      feed.append(tx, Array.from({ length: count }, () => ({ kind: 'doc.put' as const, collection: 'c' })))
    );
  const subscriber = (options: Partial<SubscriberOptions> = {}) => {
    const made = new Subscriber({
      feed,
      cursor,
      timer,
      handle: async (changes) => void seen.push(...changes.map(({ lsn }) => lsn)),
      onFailure: (error, count) => failures.push(`${count}: ${(error as Error).message}`),
      ...options,
    });
    started.push(made);
    return made;
  };

  it('handles what is there and what comes, in order and in batches', async () => {
    await append(5);
    const batches: number[] = [];
    const following = subscriber({
      batch: 2,
      handle: async (changes) => void batches.push(...changes.map(({ lsn }) => lsn), -1),
    });
    following.start();
    await following.caughtUp(5);
    expect(batches).toEqual([1, 2, -1, 3, 4, -1, 5, -1]);
    await following.caughtUp(await append());
    expect(following.position).toBe(6);
    expect(await cursor.load()).toBe(6);
  });

  it('misses nothing that is appended while it handles', async () => {
    const following = subscriber();
    following.start();
    const lsns = await Promise.all(Array.from({ length: 50 }, () => append()));
    await following.caughtUp(Math.max(...lsns));
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('goes on after its stored cursor; without one, at the oldest change or at the head', async () => {
    await append(3);
    await cursor.save(2);
    const known = subscriber();
    known.start();
    await known.caughtUp(3);
    expect(seen).toEqual([3]);
    const late = subscriber({ cursor: storedCursor(sql, 'late'), begin: 'head' });
    late.start();
    await late.caughtUp(3);
    expect(seen).toEqual([3]);
    await late.caughtUp(await append());
    expect(await storedCursor(sql, 'late').load()).toBe(4);
  });

  it('moves the cursor only after the handler, and retries a failed batch with growing delays', async () => {
    const stored: (number | undefined)[] = [];
    const following = subscriber({
      handle: async (changes) => {
        stored.push(await cursor.load());
        if (failures.length < 3) throw new Error('down');
        seen.push(...changes.map(({ lsn }) => lsn));
      },
    });
    await append(2);
    following.start();
    for (let i = 0; i < 3; i++) await timer.elapse();
    await following.caughtUp(2);
    expect(stored).toEqual([0, 0, 0, 0]);
    expect(seen).toEqual([1, 2]);
    expect(failures).toEqual(['1: down', '2: down', '3: down']);
    expect(timer.sleeps[1]!).toBeGreaterThan(timer.sleeps[0]!);
  });

  it('rebuilds at a gap, and goes on from there', async () => {
    await append(10);
    await feed.prune({ entries: 3 });
    const gaps: number[] = [];
    const view = subscriber({
      cursor: memoryCursor(2),
      onGap: async (gap) => {
        gaps.push(gap.after);
        return gap.head - 1;
      },
    });
    view.start();
    await view.caughtUp(10);
    expect([gaps, seen]).toEqual([[2], [10]]);
  });

  it('treats a gap that it cannot rebuild as a failure', async () => {
    await append(10);
    await feed.prune({ entries: 3 });
    subscriber({ cursor: memoryCursor(2) }).start();
    await timer.elapse();
    expect(failures[0]).toContain('cannot continue after 2');
  });

  describe('start and stop', () => {
    it('may be stopped before the start, twice, and started twice or again', async () => {
      const following = subscriber();
      await following.stop();
      following.start();
      following.start();
      await following.caughtUp(await append());
      await Promise.all([following.stop(), following.stop()]);
      await append();
      expect(seen).toEqual([1]);
      following.start();
      await following.caughtUp(2);
      expect(seen).toEqual([1, 2]);
    });

    it('may be started again while it is stopping', async () => {
      const following = subscriber();
      following.start();
      const stopping = following.stop();
      following.start();
      await stopping;
      await following.caughtUp(await append());
      expect(seen).toEqual([1]);
    });

    it('waits for the handler under way, whose batch counts', async () => {
      const entered = Promise.withResolvers<AbortSignal>();
      const leave = Promise.withResolvers<void>();
      const following = subscriber({
        handle: async (_, signal) => {
          entered.resolve(signal);
          await leave.promise;
        },
      });
      following.start();
      await append();
      const signal = await entered.promise;
      let stopped = false;
      const stopping = following.stop().then(() => (stopped = true));
      await append();
      expect([signal.aborted, stopped]).toEqual([true, false]);
      leave.resolve();
      await stopping;
      expect(await cursor.load()).toBe(1);
    });

    it('ends the delay before a retry', async () => {
      const failed = Promise.withResolvers<void>();
      const following = subscriber({
        handle: () => Promise.reject(new Error('down')),
        onFailure: () => failed.resolve(),
      });
      following.start();
      await append();
      await failed.promise;
      await following.stop();
      expect(await cursor.load()).toBe(0);
    });
  });

  describe('caughtUp', () => {
    it('rejects when the subscriber is not running or is stopped meanwhile', async () => {
      const following = subscriber();
      await expect(following.caughtUp(1)).rejects.toMatchObject({ code: 'unavailable' });
      following.start();
      const waiting = following.caughtUp(99);
      await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'unavailable' }), following.stop()]);
    });

    it("rejects with the signal's reason", async () => {
      const following = subscriber();
      following.start();
      const abort = new AbortController();
      const waiting = following.caughtUp(99, abort.signal);
      abort.abort(new Error('too long'));
      await expect(waiting).rejects.toThrow('too long');
    });
  });
});
