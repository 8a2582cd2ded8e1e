import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { DOCUMENT_MIGRATIONS } from '../migrations/index.ts';
import type { Sql } from '../port.ts';
import { ChangeFeed } from './change-feed.ts';
import { memoryCursor } from './cursor.ts';
import { Subscriber } from './subscriber.ts';

/** A database whose disk confirms a commit only when the test says so. */
describe('Subscriber that is early', () => {
  let folder: string;
  let sql: Sql;
  let feed: ChangeFeed;
  let disk: PromiseWithResolvers<void> | undefined;
  const started: Subscriber[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-early-'));
    disk = undefined;
    sql = await openMigrated({ path: join(folder, 'a.db'), faults: { onSync: () => disk?.promise } },
      DOCUMENT_MIGRATIONS);
    feed = new ChangeFeed(sql);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((subscriber) => subscriber.stop()));
    await sql.close();
    await rm(folder, { recursive: true });
  });

  const append = () => sql.transaction((tx) => feed.append(tx, [{ kind: 'doc.put', collection: 'c' }]));
  const follow = (isEarly: boolean) => {
    const seen: number[] = [];
    const subscriber = new Subscriber({
      feed,
      isEarly,
      cursor: memoryCursor(0),
      handle: async (changes) => void seen.push(...changes.map(({ lsn }) => lsn)),
      onFailure: () => undefined,
    });
    subscriber.start();
    started.push(subscriber);
    return { seen, subscriber };
  };

  it('handles a change while its commit is on its way to the disk; others wait for the disk', async () => {
    const [early, other] = [follow(true), follow(false)];
    await append();
    await Promise.all([early, other].map(({ subscriber }) => subscriber.caughtUp(1)));
    disk = Promise.withResolvers();
    const appended = append();
    await early.subscriber.caughtUp(2);
    expect([early.seen, other.seen, feed.settled]).toEqual([[1, 2], [1], undefined]);
    expect([await feed.read(1, 10), (await feed.read(0, 10)).length, (await feed.read(0, 10, true)).length]).toEqual([
      [],
      1,
      2,
    ]);
    disk.resolve();
    expect(await appended).toBe(2);
    await other.subscriber.caughtUp(2);
    expect([other.seen, feed.settled]).toEqual([[1, 2], 2]);
  });

  it('goes on after a commit that the disk did not confirm, as do the others', async () => {
    const [early, other] = [follow(true), follow(false)];
    disk = Promise.withResolvers();
    const appended = append();
    await early.subscriber.caughtUp(1);
    disk.reject(new Error('broken'));
    await expect(appended).rejects.toThrow('may be written or not');
    disk = undefined;
    expect(await append()).toBe(2);
    await Promise.all([early, other].map(({ subscriber }) => subscriber.caughtUp(2)));
    expect([early.seen, other.seen]).toEqual([[1, 2], [1, 2]]);
  });
});
