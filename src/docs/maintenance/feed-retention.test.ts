import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { type FeedLimits, FeedRetention } from './feed-retention.ts';

const HOUR = 3_600_000;

describe('the retention of the change feed', () => {
  let sql: Sql;
  let feed: ChangeFeed;
  let now: number;
  const clock = { now: () => now };
  beforeEach(async () => {
    now = 1_766_400_000_000;
    sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
    feed = new ChangeFeed(sql, clock);
  });
  afterEach(() => sql.close());

  const append = (count: number) =>
    sql.transaction((tx) =>
      feed.append(tx, Array.from({ length: count }, () => ({ kind: 'doc.put' as const, collection: 'c' })))
    );
  const retention = (limits: Partial<FeedLimits>, timer = new VirtualTimer()) =>
    new FeedRetention({
      feed,
      clock,
      log: silentLog,
      timer,
      limits: { maxAgeMs: HOUR, maxBytes: 1e9, ...limits },
      bytesOfChange: async () => 50,
    });

  it('removes what is too old', async () => {
    await append(3);
    now += HOUR;
    await append(2);
    now += 1;
    expect(await retention({}).prune()).toBe(3);
    expect(await feed.oldest()).toBe(4);
  });

  it('removes what is too much', async () => {
    await append(10);
    expect(await retention({ maxBytes: 200 }).prune()).toBe(6);
    expect(await feed.oldest()).toBe(7);
  });

  it('looks once an hour until it is stopped', async () => {
    const timer = new VirtualTimer();
    const kept = retention({}, timer);
    kept.loop.start();
    await append(5);
    now += 2 * HOUR;
    await timer.advance(HOUR - 1);
    expect(await feed.oldest()).toBe(1);
    await timer.advance(1);
    await expect.poll(() => feed.oldest()).toBe(5);
    await kept.loop.stop();
  });
});
