import { beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../storage/index.ts';
import { SharedQueueTime } from './queue-time.ts';

let elapsed: number;
/** How far the clock of the database is ahead of the elapsed time, and how long reading it takes. */
let ahead: number;
let takes: number;
let time: SharedQueueTime;

const sql = {
  get: async () => {
    elapsed += takes / 2;
    const ms = elapsed + ahead;
    elapsed += takes / 2;
    return { ms };
  },
} as unknown as Sql;

beforeEach(async () => {
  [elapsed, ahead, takes] = [5000, 1_700_000_000_000, 10];
  time = new SharedQueueTime(() => elapsed);
  await time.load(sql);
});

describe('the time that servers share', () => {
  it('is that of the database, and goes on between two looks', () => {
    expect(time.now()).toBe(elapsed + ahead);
    elapsed += 700;
    expect(time.now()).toBe(elapsed + ahead);
  });

  it('follows small corrections, and reports larger ones', async () => {
    ahead += 1500;
    expect(await time.save(sql)).toBe(0);
    expect(time.now()).toBe(elapsed + ahead);
    ahead -= 3_600_000;
    expect(await time.save(sql)).toBe(-3_600_000);
    expect(await time.save(sql)).toBe(0);
    expect(time.now()).toBe(elapsed + ahead);
  });

  it('ignores responses that took too long', async () => {
    const before = time.now() - elapsed;
    ahead += 60_000;
    takes = 2100;
    expect(await time.save(sql)).toBe(0);
    expect(time.now() - elapsed).toBe(before);
  });
});
