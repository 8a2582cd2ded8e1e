import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sql, Transaction } from '../../storage/index.ts';
import { FleetFixture } from '../../testkit/runs-fleet.ts';
import { FakeShip } from '../../testkit/runs-queue.ts';

/** Statements for 20 rows: one for 16 and one for 4. */
const STEPS_OF_20 = 2;

/** The statements that a store has executed. */
class Count {
  statements = 0;
  commits = 0;
}

/** Counts the statements of a store's transactions from now on, and reads outside of them too. */
function counting(sql: Sql): Count {
  const count = new Count();
  const { get, all, transaction } = sql;
  const counted = <Args extends unknown[], T>(call: (...args: Args) => T) => (...args: Args): T => {
    count.statements += 1;
    return call(...args);
  };
  Object.assign(sql, {
    get: counted(get.bind(sql)),
    all: counted(all.bind(sql)),
    transaction: (work: (tx: Transaction) => Promise<unknown>, ...options: []) => {
      count.commits += 1;
      return transaction.call(sql, (tx: Transaction) =>
        work({
          get: counted(tx.get.bind(tx)),
          all: counted(tx.all.bind(tx)),
          run: counted(tx.run.bind(tx)),
          runMany: tx.runMany.bind(tx),
          onCommit: tx.onCommit.bind(tx),
          lock: tx.lock.bind(tx),
        } as Transaction), ...options);
    },
  });
  return count;
}

describe('what the store is asked for', () => {
  let fixture: FleetFixture;
  let count: Count;
  let ship: FakeShip;

  /** The first run of a lane and of a definition needs more statements. */
  beforeEach(async () => {
    fixture = await FleetFixture.start({ enabled: false });
    ship = new FakeShip('a'.repeat(32), 20);
    await fixture.queue.stop(); // the test assigns batches itself
    fixture.parts.queue.addWorker(ship);
    await fixture.submit({ task: 'warms-up' });
    await fixture.parts.dispatcher.dispatch();
    await fixture.queue.complete(ship.claims.splice(0)[0]!.ref, ship.shipId, { outcome: 'succeeded', started: true });
    count = counting(fixture.sql);
  });
  afterEach(() => fixture.stop());

  it('a run that is queued takes 5 statements', async () => {
    await fixture.submit({ task: 'warms-up' });
    expect(count).toEqual({ statements: 5, commits: 1 });
  });

  it('claims take one statement for a batch and 6 for its 20 runs, in one transaction, however many lanes there are', async () => {
    for (let n = 0; n < 20; n++) await fixture.submit({ task: `task-${n}` });
    Object.assign(count, new Count());
    await fixture.parts.dispatcher.dispatch();
    expect(ship.claims).toHaveLength(20);
    expect(count.statements).toBeLessThanOrEqual(1 + STEPS_OF_20 * 3);
    expect(count.commits).toBeLessThanOrEqual(2); // the second one finds the backlog empty
  });

  it('an acceptance takes 1 statement, the end of a run 5', async () => {
    await fixture.submit();
    await fixture.parts.dispatcher.dispatch();
    const { ref } = ship.claims[0]!;
    Object.assign(count, new Count());
    await fixture.queue.accept(ref, ship.shipId);
    expect(count).toEqual({ statements: 1, commits: 1 });
    await fixture.queue.complete(ref, ship.shipId, { outcome: 'succeeded', started: true });
    expect(count).toEqual({ statements: 1 + 5, commits: 2 });
  });

  it('acceptances and ends that arrive together are joined: 20 of each take 2 commits and few statements', async () => {
    for (let n = 0; n < 20; n++) await fixture.submit();
    await fixture.parts.dispatcher.dispatch();
    Object.assign(count, new Count());
    const ended = { outcome: 'succeeded', started: true } as const;
    const reports = ship.claims.flatMap((
      { ref },
    ) => [fixture.queue.accept(ref, ship.shipId), fixture.queue.complete(ref, ship.shipId, ended)]);
    expect(new Set(await Promise.all(reports))).toEqual(new Set(['accepted', 'recorded']));
    expect(count.commits).toBe(2); // the first acceptance alone, and what has arrived meanwhile
    expect(count.statements).toBeLessThanOrEqual(40 / 3);
  });

  it('a line of a log takes 3 statements, once the log is known', async () => {
    await fixture.submit();
    await fixture.parts.dispatcher.dispatch();
    const { ref } = ship.claims[0]!;
    const line = { unixMs: fixture.now, level: 'info', stream: 'stdout', step: null, message: 'a line' } as const;
    await fixture.logs.append(ref, ship.shipId, 0, [line]);
    Object.assign(count, new Count());
    for (let seq = 1; seq <= 50; seq++) await fixture.logs.append(ref, ship.shipId, seq, [line]);
    expect(count).toEqual({ statements: 50 * 3, commits: 50 });
  });

  it('lines of many runs that arrive together are joined: 20 calls take at most 2 commits and few statements', async () => {
    for (let n = 0; n < 20; n++) await fixture.submit();
    await fixture.parts.dispatcher.dispatch();
    const line = { unixMs: fixture.now, level: 'info', stream: 'stdout', step: null, message: 'a line' } as const;
    for (const { ref } of ship.claims) await fixture.logs.append(ref, ship.shipId, 0, [line]);
    Object.assign(count, new Count());
    const answers = await Promise.all(ship.claims.map(({ ref }) => fixture.logs.append(ref, ship.shipId, 1, [line])));
    expect(ship.claims).toHaveLength(20);
    expect(answers).toEqual(ship.claims.map(() => ({ status: 'stored', nextSeq: 2 })));
    expect(count.commits).toBeLessThanOrEqual(2); // the first call alone, and what has arrived meanwhile
    expect(count.statements).toBeLessThanOrEqual(15);
  });
});
