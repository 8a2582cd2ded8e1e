import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';

// The queue as in production: with its own loops, over a file.

let folder: string;
let timer: ManualTimer;
let fixture: QueueFixture;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-queue-'));
  timer = new ManualTimer();
  fixture = await QueueFixture.open({ path: join(folder, 'runs.db'), timer });
});
afterEach(async () => {
  await fixture.queue.stop();
  await fixture.sql.close();
  await rm(folder, { recursive: true, force: true });
});

/** A ship that signals when it receives a run. */
class WaitingShip extends FakeShip {
  #next = Promise.withResolvers<void>();

  override assign(claim: Parameters<FakeShip['assign']>[0]): void {
    super.assign(claim);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  next(): Promise<void> {
    return this.#next.promise;
  }
}

/** Lets a second elapse; sleeping loops wake up and work. */
async function liveASecond(): Promise<void> {
  fixture.pass(1000);
  await timer.elapse();
  for (let n = 0; n < 5; n++) await setImmediate();
}

async function liveUntil(promise: Promise<unknown>): Promise<void> {
  let isOver = false;
  void promise.then(() => (isOver = true));
  while (!isOver) await liveASecond();
}

describe('the running queue', () => {
  it('assigns queued runs at once, and the next when there is a free slot again', async () => {
    const ship = new WaitingShip('s');
    fixture.queue.addWorker(ship);
    await fixture.queue.start();
    let got = ship.next();
    const first = await fixture.submit();
    const second = await fixture.submit();
    await got;
    expect(ship.last.run.id).toBe(first.id);
    for (let n = 0; n < 5; n++) await setImmediate(); // the queue has seen that no slot is free
    got = ship.next();
    await fixture.queue.complete(ship.claims.pop()!.ref, 's', { outcome: 'succeeded', started: true });
    await got;
    expect(ship.last.run.id).toBe(second.id);
  });

  it('assigns runs that waited before the start, and to a ship that connects or frees a slot later', async () => {
    await fixture.submit();
    await fixture.submit();
    await fixture.queue.start();
    const ship = new WaitingShip('s');
    let got = ship.next();
    const handle = fixture.queue.addWorker(ship);
    await got;
    got = ship.next();
    ship.capacity = 2;
    handle.wake();
    await got;
    expect(ship.claims).toHaveLength(2);
  });

  it('looks after leases once a second', async () => {
    const ship = new WaitingShip('s');
    fixture.queue.addWorker(ship);
    await fixture.queue.start();
    const got = ship.next();
    const run = await fixture.submit();
    await got;
    await fixture.queue.accept(ship.last.ref, 's');
    const changed = Promise.withResolvers<string>();
    fixture.queue.onChange((change) => changed.resolve(change.run.state));
    await liveUntil(changed.promise);
    expect(await changed.promise).toBe('queued');
    expect(await fixture.queue.get(run.id)).toMatchObject({ attempt: 2 });
    expect(timer.sleeps.every((milliseconds) => milliseconds === 1000)).toBe(true);
  });

  it('takes no run from its ship for the time in which the server itself stood still', async () => {
    const ship = new WaitingShip('s');
    fixture.queue.addWorker(ship);
    await fixture.queue.start();
    const got = ship.next();
    const run = await fixture.submit();
    await got;
    await fixture.queue.accept(ship.last.ref, 's');
    const lost = Promise.withResolvers<void>();
    fixture.queue.onChange(() => lost.resolve());
    fixture.pass(600_000);
    for (let n = 0; n < 20; n++) await liveASecond();
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'running', attempt: 1 });
    await liveUntil(lost.promise);
    expect(await fixture.queue.get(run.id)).toMatchObject({ attempt: 2 });
  });

  it('writes the renewals of all ships of a second in one transaction', async () => {
    const ships = Array.from({ length: 10 }, (_, n) => new FakeShip(`s${n}`));
    for (const ship of ships) fixture.queue.addWorker(ship);
    for (let n = 0; n < 10; n++) await fixture.submit();
    await fixture.parts.dispatcher.dispatch();
    const transaction = vi.spyOn(fixture.sql, 'transaction');
    const renewed = (ship: FakeShip) => fixture.queue.renew(ship.shipId, [ship.last.ref]);
    expect((await renewed(ships[0]!)).renewed).toHaveLength(1);
    const others = ships.slice(1).map(renewed);
    await timer.elapse();
    for (const answer of await Promise.all(others)) expect(answer.renewed).toHaveLength(1);
    expect(transaction).toHaveBeenCalledTimes(2);
    transaction.mockRestore();
  });

  it('completes renewals that wait when it stops, and assigns no more runs', async () => {
    const ship = new WaitingShip('s');
    const handle = fixture.queue.addWorker(ship);
    await fixture.queue.start();
    const got = ship.next();
    await fixture.submit();
    await got;
    await fixture.queue.renew('s', [ship.last.ref]);
    const waiting = fixture.queue.renew('s', [ship.last.ref]);
    await fixture.queue.stop();
    expect((await waiting).renewed).toHaveLength(1);
    // Later requests are answered at once, because the store is about to be closed.
    for (let n = 0; n < 3; n++) expect((await fixture.queue.renew('s', [ship.last.ref])).renewed).toHaveLength(1);
    ship.capacity = 2;
    await fixture.submit();
    handle.wake();
    expect(await fixture.queue.complete(ship.last.ref, 's', { outcome: 'succeeded', started: true })).toBe('recorded');
    expect(ship.claims).toHaveLength(1);
    await fixture.queue.stop(); // calling it again is harmless
  });

  it('goes on after the store has failed', async () => {
    await fixture.queue.start();
    await fixture.submit();
    // All fail, because a loop that began with the queue may be in one of its own.
    const transaction = vi.spyOn(fixture.sql, 'transaction').mockRejectedValue(new Error('the disk is full'));
    const ship = new WaitingShip('s');
    const got = ship.next();
    fixture.queue.addWorker(ship);
    await vi.waitFor(() => expect(transaction).toHaveBeenCalled());
    for (let n = 0; n < 5; n++) await setImmediate();
    expect(ship.claims).toEqual([]);
    transaction.mockRestore();
    await liveUntil(got);
    expect(ship.claims).toHaveLength(1);
  });

  it(
    'ends no lease while the store refuses writes, nor in the time of a lease after that: what ships have finished ' +
      'meanwhile counts',
    async () => {
      const ship = new WaitingShip('s');
      fixture.queue.addWorker(ship);
      await fixture.queue.start();
      const got = ship.next();
      const { id } = await fixture.submit();
      await got;
      await fixture.queue.accept(ship.last.ref, 's');
      const transaction = vi.spyOn(fixture.sql, 'transaction').mockRejectedValue(new Error('the disk is full'));
      await expect(fixture.queue.renew('s', [ship.last.ref])).rejects.toThrow('the disk is full');
      for (let second = 0; second < 90; second++) await liveASecond();
      transaction.mockRestore();
      for (let second = 0; second < 50; second++) await liveASecond();
      expect(await fixture.queue.get(id)).toMatchObject({ state: 'running', attempt: 1 });
      expect(await fixture.queue.complete(ship.last.ref, 's', { outcome: 'succeeded', started: true })).toBe(
        'recorded',
      );
      // A ship that does not reconnect loses its runs one lease time after the outage.
      ship.capacity = 2;
      const next = ship.next();
      const lost = await fixture.submit();
      await next;
      await fixture.queue.accept(ship.last.ref, 's');
      vi.spyOn(fixture.sql, 'transaction').mockRejectedValueOnce(new Error('the disk is full'));
      await expect(fixture.queue.renew('s', [ship.last.ref])).rejects.toThrow('the disk is full');
      vi.restoreAllMocks();
      while ((await fixture.queue.get(lost.id))!.attempt === 1) await liveASecond();
    },
  );
});
