import { beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../storage/index.ts';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';
import { QueueTime, SharedQueueTime } from './queue-time.ts';

const HOUR = 3_600_000;

async function busy() {
  const fixture = await QueueFixture.open();
  const ship = new FakeShip('s');
  fixture.queue.addWorker(ship);
  const run = await fixture.submit();
  await fixture.parts.dispatcher.dispatch();
  await fixture.queue.accept(ship.last.ref, 's');
  return { fixture, ship, run };
}

describe('the time of the queue', () => {
  it('follows what elapses and small corrections, not a clock that is set', () => {
    let wall = 1_000_000;
    let elapsed = 500;
    const time = new QueueTime({ now: () => wall }, 'node', () => elapsed);
    wall += 1000;
    elapsed += 1000;
    expect(time.now()).toBe(1_001_000);
    wall += 1500; // corrected
    expect(time.now()).toBe(1_002_500);
    wall += HOUR;
    elapsed += 250;
    expect(time.now()).toBe(1_002_750);
    wall -= 3 * HOUR;
    elapsed += 250;
    expect(time.now()).toBe(1_003_000);
  });

  it('a clock set forward ends no lease, and a silent ship still loses its run in time', async () => {
    const { fixture, ship, run } = await busy();
    fixture.wall += HOUR;
    await fixture.live(59_000);
    expect(await fixture.state(run.id)).toBe('running');
    expect((await fixture.queue.renew('s', [ship.last.ref])).renewed).toHaveLength(1);
    await fixture.live(61_000);
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2 });
    await fixture.sql.close();
  });

  it('a clock set back freezes nothing', async () => {
    const { fixture, run } = await busy();
    fixture.wall -= 24 * HOUR;
    await fixture.live(61_000);
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2 });
    await fixture.live(7000);
    await fixture.parts.dispatcher.dispatch();
    await fixture.sql.close();
  });

  it('means the same after a restart, so that a clock that started in 1970 does not end what waits', async () => {
    const fixture = await QueueFixture.open();
    fixture.wall = 1000;
    await fixture.parts.tick();
    const run = await fixture.submit();
    fixture.wall += 50 * 365 * 24 * HOUR;
    await fixture.parts.tick();
    await fixture.restart();
    await fixture.live(2000);
    expect(await fixture.state(run.id)).toBe('queued');
    await fixture.sql.close();
  });

  it("a clock that was set back while the server was down does not keep a dead ship's runs", async () => {
    const { fixture, run } = await busy();
    fixture.wall -= 24 * HOUR;
    await fixture.restart(); // the new process has not seen the step
    await fixture.live(61_000);
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2 });
    const pause = (await fixture.queue.get(run.id))!.availableMs;
    fixture.wall -= 24 * HOUR;
    await fixture.restart();
    await fixture.live(361_000); // no pause is longer than 5 minutes plus a fifth
    expect(pause).toBeGreaterThan(0);
    expect((await fixture.queue.get(run.id))!.availableMs).toBe(0);
    await fixture.sql.close();
  });
});

describe('the time that servers share', () => {
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
