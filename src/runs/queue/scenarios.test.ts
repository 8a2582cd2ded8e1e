import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';
import type { Completion, RunRecord } from './port.ts';

// The acceptance scenarios of the run-queue decisions (section 7) that concern the queue.

let fixture: QueueFixture;
const noAudit = async (): Promise<void> => {};
const SUCCEEDED: Completion = { outcome: 'succeeded', started: true };

beforeEach(async () => {
  fixture = await QueueFixture.open();
});
afterEach(() => fixture.sql.close());

const dispatch = () => fixture.parts.dispatcher.dispatch();

async function taken(ship = new FakeShip('s')): Promise<{ ship: FakeShip; run: RunRecord }> {
  fixture.queue.addWorker(ship);
  const run = await fixture.submit();
  await dispatch();
  expect(await fixture.queue.accept(ship.last.ref, ship.shipId)).toBe('accepted');
  return { ship, run };
}

describe('scenario 5', () => {
  it('of 200 queued runs, 20 ships that claim at once get each one once', async () => {
    const ships = Array.from({ length: 20 }, (_, n) => new FakeShip(`s${n}`, 3));
    for (const ship of ships) fixture.queue.addWorker(ship);
    const runs = await Promise.all(Array.from({ length: 200 }, () => fixture.submit()));
    const refs = new Set<string>();
    const done: string[] = [];
    while (done.length < 200) {
      await Promise.all([dispatch(), dispatch(), dispatch()]); // as several nodes would do
      for (const ship of ships) {
        for (const { ref } of ship.claims.splice(0)) {
          refs.add(JSON.stringify(ref));
          done.push(ref.runId);
          expect(await fixture.queue.complete(ref, ship.shipId, SUCCEEDED)).toBe('recorded');
        }
      }
    }
    expect(refs.size).toBe(200);
    expect(done.sort()).toEqual(runs.map(({ id }) => id).sort());
  });
});

describe('scenario 7', () => {
  it('a run whose ships die three times has failed with lease_lost in attempt 3, each pause longer than the last', async () => {
    const run = await fixture.submit();
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      const ship = new FakeShip(`s${attempt}`);
      const handle = fixture.queue.addWorker(ship);
      await dispatch();
      expect(ship.last.ref.attempt).toBe(attempt);
      await fixture.queue.accept(ship.last.ref, ship.shipId);
      handle.remove();
      await fixture.live(60_000);
      const { availableMs } = (await fixture.queue.get(run.id))!;
      pauses.push(availableMs === 0 ? 0 : availableMs - fixture.wall);
      await fixture.live(15_000);
    }
    expect(pauses).toEqual([5000, 10_000, 0]);
    expect(await fixture.queue.get(run.id)).toMatchObject({
      state: 'failed',
      attempt: 3,
      error: { code: 'lease_lost', attempt: 3, retryable: true },
    });
  });
});

describe('scenario 12', () => {
  it('a completion that is sent twice is recorded once, also across a restart', async () => {
    const { ship, run } = await taken();
    expect(await fixture.queue.complete(ship.last.ref, 's', SUCCEEDED)).toBe('recorded');
    expect(await fixture.queue.complete(ship.last.ref, 's', SUCCEEDED)).toBe('already_recorded');
    await fixture.restart();
    expect(await fixture.queue.complete(ship.last.ref, 's', SUCCEEDED)).toBe('already_recorded');
    expect(await fixture.queue.complete(ship.last.ref, 's', { outcome: 'failed', started: true })).toBe('fenced');
    expect(await fixture.queue.complete(ship.last.ref, 'other', SUCCEEDED)).toBe('fenced');
    expect(fixture.changes.filter((change) => change.run.id === run.id && change.run.state === 'succeeded'))
      .toHaveLength(1);
  });

  it('a ship error that is sent again after the next attempt has begun changes nothing', async () => {
    const { ship, run } = await taken();
    const first = ship.claims.pop()!.ref;
    await fixture.queue.complete(first, 's', { outcome: 'ship_error', started: true });
    await fixture.live(5000);
    await dispatch();
    expect(await fixture.queue.complete(first, 's', { outcome: 'ship_error', started: true })).toBe('already_recorded');
    expect(await fixture.queue.complete(first, 's', SUCCEEDED)).toBe('fenced');
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'running', attempt: 2 });
  });
});

describe('scenario 15', () => {
  it('a cancel that races the claim ends in cancelled, never in succeeded', async () => {
    for (let round = 0; round < 30; round++) {
      const ship = new FakeShip(`s${round}`);
      const handle = fixture.queue.addWorker(ship);
      const run = await fixture.submit();
      const cancel = () => fixture.queue.cancel(run.id, noAudit);
      const [first] = await Promise.all(
        round % 2 === 0 ? [cancel(), dispatch()] : [dispatch().then(cancel, cancel), dispatch()],
      );
      expect(['cancelled', 'cancelling']).toContain((first as RunRecord).state);
      for (const { ref } of ship.claims) await fixture.queue.complete(ref, ship.shipId, SUCCEEDED);
      expect(await fixture.state(run.id)).toBe('cancelled');
      handle.remove();
    }
  });
});

describe('scenario 17', () => {
  it('a run on a ship that has been silent for over 30 s is cancelled at once, and what it sends later is fenced off', async () => {
    const { ship, run } = await taken();
    fixture.pass(30_001);
    expect(await fixture.queue.cancel(run.id, noAudit)).toMatchObject({ state: 'cancelled' });
    expect(await fixture.queue.complete(ship.last.ref, 's', SUCCEEDED)).toBe('fenced');
  });

  it('a ship that gave a sign of life 30 s ago is asked, and has the grace, the time of steps that always run and 15 s more', async () => {
    const { ship, run } = await taken();
    fixture.pass(15_000);
    await fixture.queue.renew('s', [ship.last.ref]);
    fixture.pass(30_000);
    expect(await fixture.queue.cancel(run.id, noAudit)).toMatchObject({ state: 'cancelling' });
    await fixture.queue.renew('s', [ship.last.ref]);
    await fixture.live(54_000);
    expect(await fixture.state(run.id)).toBe('cancelling');
    await fixture.live(1000);
    expect(await fixture.state(run.id)).toBe('cancelled');
  });

  it('asking to stop does not extend the lease', async () => {
    const { run } = await taken();
    fixture.pass(25_000);
    await fixture.queue.cancel(run.id, noAudit);
    const [row] = await fixture.sql.all<{ lease_ms: number }>('SELECT lease_ms FROM runs');
    expect(row!.lease_ms).toBe(fixture.wall + 35_000);
  });
});

describe('scenario 18', () => {
  it('when success races a cancel, the end is what the cancel returned', async () => {
    for (let round = 0; round < 30; round++) {
      const { ship, run } = await taken(new FakeShip(`s${round}`));
      const complete = () => fixture.queue.complete(ship.last.ref, ship.shipId, SUCCEEDED);
      const cancel = () => fixture.queue.cancel(run.id, noAudit);
      const [answer] = round % 2 === 0
        ? await Promise.all([cancel(), complete()])
        : (await Promise.all([complete(), cancel()])).reverse() as [RunRecord | undefined];
      expect(await fixture.state(run.id)).toBe(answer === undefined ? 'succeeded' : 'cancelled');
    }
  });

  it('the late success of a cancelled run leaves no result, and a line says so', async () => {
    const { ship, run } = await taken();
    await fixture.queue.cancel(run.id, noAudit);
    await fixture.queue.complete(ship.last.ref, 's', {
      ...SUCCEEDED,
      result: { body: Buffer.from('{}'), type: 'application/json' },
    });
    expect(await fixture.queue.result(run.id)).toBeUndefined();
    expect(fixture.lines.at(-1)).toMatchObject({
      runId: run.id,
      message: expect.stringContaining('too late') as string,
    });
  });
});

describe('scenario 11', () => {
  it('a server that was down for an hour takes nothing from ships that come back within a lease', async () => {
    const ship = new FakeShip('s', 5);
    fixture.queue.addWorker(ship);
    const runs = await Promise.all(Array.from({ length: 5 }, () => fixture.submit()));
    await dispatch();
    for (const { ref } of ship.claims.slice(1)) await fixture.queue.accept(ref, 's'); // the first is not accepted yet
    fixture.pass(3_500_000);
    await fixture.restart();
    await fixture.live(55_000);
    const actions = await fixture.queue.resume('s', ship.claims.map(({ ref }) => ({ ref, finished: false })));
    expect(actions.map(({ action }) => action)).toEqual(Array(5).fill('continue'));
    for (const { ref } of ship.claims) expect(await fixture.queue.complete(ref, 's', SUCCEEDED)).toBe('recorded');
    for (const { id } of runs) expect(await fixture.queue.get(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });

  it('nor does it end attempts whose time seems over, or call ships silent that it could not receive from', async () => {
    const { run } = await taken();
    fixture.pass(7_200_000); // the attempt may take one hour
    await fixture.restart();
    await fixture.live(2000);
    expect(await fixture.queue.cancel(run.id, noAudit)).toMatchObject({ state: 'cancelling' });
  });

  it('nor does it wait longer for ships that do not come back', async () => {
    const { ship, run } = await taken();
    const cancelled = await taken(new FakeShip('t'));
    await fixture.queue.cancel(cancelled.run.id, noAudit);
    fixture.pass(10_000);
    await fixture.restart();
    await fixture.live(45_000);
    expect(await fixture.state(cancelled.run.id)).toBe('cancelled');
    await fixture.live(14_000);
    expect(await fixture.state(run.id)).toBe('running');
    await fixture.live(1000);
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2 });
    expect(await fixture.queue.complete(ship.last.ref, 's', SUCCEEDED)).toBe('fenced');
  });
});
