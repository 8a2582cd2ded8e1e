import { describe, expect, it } from 'vitest';
import { Outcome } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { FAIR, ShipBench } from '../testkit/ship/index.ts';

const { expected } = ShipBench;
const long = { lines: 10, durationMs: 600_000 };

describe('a partition', () => {
  it('shorter than the lease leaves the run alone: it goes on, and its log has neither gaps nor repetitions', async () => {
    const { fleet, time, executor } = new ShipBench();
    const run = fleet.add('a', { lines: 500, durationMs: 60_000 });
    await time.pass(10_000);
    fleet.partitioned = true;
    await time.pass(20_000);
    fleet.partitioned = false;
    await time.pass(70_000);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED, attempt: 1 });
    expect(executor.executions).toHaveLength(1);
    expect(run.logs.get('1.1')).toEqual(expected('a.1.1', 500));
  });

  it('of 20 s does not cost a run, whenever it begins and ends', async () => {
    for (const beginMs of [1000, 8000, 14_900, 15_100]) {
      const { fleet, time, executor } = new ShipBench();
      const run = fleet.add('a', { lines: 100, durationMs: 90_000 });
      await time.pass(beginMs);
      // It is noticed at once.
      fleet.refusing = 'lost';
      fleet.cut();
      await time.pass(20_000);
      fleet.refusing = undefined;
      await time.pass(90_000);
      expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED, attempt: 1 });
      expect(executor.executions).toHaveLength(1);
    }
  });

  it('longer than that stops the work before the server hands the run out again', async () => {
    const { fleet, time, executor } = new ShipBench();
    // It needs all of its grace to die.
    const run = fleet.add('a', { ...long, dyingMs: 60_000 });
    await time.pass(1000);
    fleet.partitioned = true;
    const partitionedAt = time.now();
    await time.until((async () => {
      while (run.state === 'running') await time.sleep(10);
    })());
    expect(executor.alive).toHaveLength(0);
    expect(executor.executions[0]!.endedAt! - partitionedAt).toBeLessThanOrEqual(55_000);
    // Not much sooner than needed, either.
    expect(executor.executions[0]!.endedAt! - partitionedAt).toBeGreaterThan(25_000);
    expect(run.attempt).toBe(2);
    fleet.partitioned = false;
    await time.pass(60_000);
    expect(executor.executions).toHaveLength(2);
    expect(run.completions).toEqual([]);
  });

  it('that ends after the work was stopped, but before the lease, returns the run as a fault of the ship', async () => {
    const { fleet, time } = new ShipBench();
    const run = fleet.add('a', { ...long, dyingMs: 100 });
    await time.pass(1000);
    fleet.partitioned = true;
    await time.pass(46_000);
    expect(run.state).toBe('running');
    fleet.partitioned = false;
    await time.pass(10_000);
    expect(run.completions[0]).toMatchObject({ outcome: Outcome.SHIP_ERROR, error: { code: 'lease_lost' } });
  });

  it('does not stop a run that is to go on', async () => {
    const { fleet, time, executor } = new ShipBench();
    const run = fleet.add('a', { lines: 50, durationMs: 100_000 }, { stopOnPartition: false });
    await time.pass(1000);
    fleet.partitioned = true;
    await time.pass(58_000);
    expect(executor.alive).toHaveLength(1);
    fleet.partitioned = false;
    run.leaseEnds = Infinity;
    await time.pass(60_000);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED, attempt: 1 });
    expect(run.logs.get('1.1')).toEqual(expected('a.1.1', 50));
  });

  it('is noticed when a heartbeat stays unanswered until the next', async () => {
    const { fleet, time, ship } = new ShipBench();
    await time.pass(1000);
    expect(ship.isConnected).toBe(true);
    fleet.partitioned = true;
    await time.pass(31_000);
    expect(ship.isConnected).toBe(false);
  });
});

describe('an outage', () => {
  it.each(['server', 'store'] as const)(
    'of the %s within the grace costs no run, and no line of those that end meanwhile',
    async (what) => {
      const { fleet, time, executor } = new ShipBench();
      fleet.outageGraceMs = 600_000;
      const long = fleet.add('long', { lines: 500, durationMs: 700_000 });
      const short = fleet.add('short', { lines: 100, durationMs: 60_000 });
      await time.pass(40_000);
      fleet.fail(what);
      await time.pass(540_000);
      expect(executor.alive).toHaveLength(1);
      fleet.heal();
      await time.pass(160_000);
      for (const run of [long, short])
        expect(run).toMatchObject({
          state: 'done',
          outcome: Outcome.SUCCEEDED,
          attempt: 1,
        });
      expect(executor.executions).toHaveLength(2);
      expect([long.logs.get('1.1'), short.logs.get('1.1')]).toEqual([expected('long.1.1', 500),
        expected('short.1.1', 100)]);
    },
  );

  it.each(['server', 'store'] as const)('of the %s beyond the grace stops the work about a lease later',
    async (what) => {
      const { fleet, time, executor } = new ShipBench();
      fleet.outageGraceMs = 120_000;
      fleet.add('a', { lines: 10, durationMs: 3_600_000 });
      await time.pass(1000);
      fleet.fail(what);
      await time.pass(120_000);
      expect(executor.alive).toHaveLength(1);
      await time.pass(60_000);
      expect(executor.alive).toHaveLength(0);
    });

  it('that turns into a silence of the network is not bridged any longer: a server that is back may hand the run out', async () => {
    const { fleet, time, executor } = new ShipBench();
    fleet.outageGraceMs = 600_000;
    const run = fleet.add('a', { ...long, dyingMs: 60_000 });
    await time.pass(1000);
    fleet.fail('server');
    await time.pass(120_000);
    expect(executor.alive).toHaveLength(1);
    fleet.heal();
    fleet.partitioned = true;
    await time.until((async () => {
      while (run.state === 'running') await time.sleep(10);
    })());
    expect(executor.alive).toHaveLength(0);
  });
});

describe('a restart of the server', () => {
  it('does not disturb the runs', async () => {
    const { fleet, time, executor } = new ShipBench({ description: { capacity: 5 } });
    for (const id of ['a', 'b', 'c', 'd', 'e']) fleet.add(id, { lines: 100, durationMs: 30_000 });
    await time.pass(5000);
    fleet.refusing = 'lost';
    fleet.cut();
    await time.pass(10_000);
    fleet.refusing = undefined;
    await time.pass(60_000);
    for (const run of fleet.runs.values()) {
      expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED, attempt: 1 });
      expect(run.logs.get('1.1')).toEqual(expected(`${run.id}.1.1`, 100));
    }
    expect(executor.executions).toHaveLength(5);
  });

  it('that is announced is waited for as it says', async () => {
    const { fleet, time, ship } = new ShipBench();
    await time.pass(1000);
    fleet.broadcast({ case: 'reconnect', value: { afterMs: 7000n } as never });
    await time.pass(100);
    expect([ship.isConnected, fleet.connections]).toEqual([false, 0]);
    await time.pass(6800);
    expect(ship.isConnected).toBe(false);
    await time.pass(200);
    expect(ship.isConnected).toBe(true);
  });

  it('that is announced is waited for no longer than the runs can bear', async () => {
    const { fleet, time, executor } = new ShipBench();
    const run = fleet.add('a', long);
    // Just before a heartbeat: the lease is known to have begun 14 s ago.
    await time.pass(14_900);
    fleet.broadcast({ case: 'reconnect', value: { afterMs: 30_000n } as never });
    fleet.refusing = 'lost';
    await time.pass(20_000);
    fleet.refusing = undefined;
    await time.pass(60_000);
    expect(run).toMatchObject({ state: 'running', attempt: 1 });
    expect(executor.executions).toHaveLength(1);
  });

  it('that takes long is met with attempts from half a second to half a minute apart', async () => {
    const { fleet, time } = new ShipBench();
    const attempts: number[] = [];
    const connect = fleet.connect.bind(fleet);
    fleet.connect = (events) => {
      attempts.push(time.now());
      return connect(events);
    };
    fleet.refusing = 'lost';
    fleet.cut();
    await time.pass(300_000);
    const pauses = attempts.slice(1).map((at, index) => at - attempts[index]!);
    expect(pauses.slice(0, 4)).toEqual([501, 1001, 2001, 4001]);
    expect(Math.max(...pauses)).toBe(30_001);
  });
});

describe('the log', () => {
  it('is abandoned two minutes after the end when the server cannot be reached, and the end reports the loss', async () => {
    const { fleet, time } = new ShipBench();
    const run = fleet.add('a', { lines: 10, durationMs: 10_000 }, { stopOnPartition: false });
    fleet.appendLogs = () => Promise.reject(new Error('UNAVAILABLE'));
    await time.pass(125_000);
    expect(run.completions).toEqual([]);
    await time.pass(10_000);
    expect(run.completions[0]).toMatchObject({ outcome: Outcome.SUCCEEDED, logSeqTotal: 10n });
    expect(run.logs.size).toBe(0);
  });

  it('goes on from where the server says when the ship is back, also while lines wait for company', async () => {
    const { fleet, time } = new ShipBench();
    const run = fleet.add('a', { lines: 20, durationMs: 40_000 });
    // Lines arrive, but the ship gets no response.
    fleet.weather = { ...FAIR, losesAnswer: () => true };
    await time.pass(10_000);
    fleet.weather = FAIR;
    fleet.cut();
    await time.pass(60_000);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED });
    expect(run.logs.get('1.1')).toEqual(expected('a.1.1', 20));
  });

  it('goes on where it was when a welcome is late, and knows of fewer lines than the server has acknowledged since', async () => {
    const { fleet, time } = new ShipBench();
    const run = fleet.add('a', { lines: 100, durationMs: 50_000 });
    await time.pass(10_000);
    const connect = fleet.connect.bind(fleet);
    fleet.connect = (events) =>
      connect({
        ended: (...end) => events.ended(...end),
        message: (message) => {
          if (message.body.case === 'welcome') { for (const resume of message.body.value.resume) resume.nextSeq = 0n; }
          events.message(message);
        },
      });
    fleet.cut();
    await time.pass(50_000);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED });
    expect(run.logs.get('1.1')).toEqual(expected('a.1.1', 100));
  });

  it('of which the server has lost lines, with an older store, is given up, and the run ends all the same', async () => {
    const { fleet, time } = new ShipBench();
    const run = fleet.add('a', { lines: 100, durationMs: 50_000 });
    await time.pass(20_000);
    run.logs.get('1.1')!.length = 3;
    fleet.cut();
    await time.pass(50_000);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED });
    expect([run.logs.get('1.1')!.length, run.completions[0]!.logSeqTotal]).toEqual([3, 100n]);
  });

  it('that neither the disk nor the server takes loses its oldest lines; its end comes, and the run is not tried again', async () => {
    const { fleet, time, spools } = new ShipBench();
    fleet.outageGraceMs = 600_000;
    spools.failing = true;
    const run = fleet.add('a', { lines: 5000, durationMs: 50_000, lineBytes: 1000 });
    await time.pass(5000);
    fleet.fail('server');
    await time.pass(60_000);
    fleet.heal();
    await time.pass(30_000);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED, attempt: 1 });
    const stored = run.logs.get('1.1')!;
    expect(stored.at(-1)).toMatch(/^a\.1\.1#4999\./);
    const { logLinesLeftOut, logSeqTotal } = run.completions[0]!;
    expect(stored.filter((message) => message.includes('lost here'))).toEqual([
      `${logLinesLeftOut} lines are lost here, because the disk of the ship does not take more`,
    ]);
    expect([BigInt(stored.length), logSeqTotal + logLinesLeftOut]).toEqual([logSeqTotal, 5001n]);
  });

  it('is not sent beyond the budget, and the run goes on', async () => {
    const { fleet, time } = new ShipBench();
    fleet.budgetLines = 4;
    const run = fleet.add('a', { lines: 100, durationMs: 50_000 });
    await time.pass(60_000);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED });
    expect(run.completions[0]!.logSeqTotal).toBe(100n);
  });

  it('goes in calls of at most 500 lines and 512 KiB, one at a time', async () => {
    const { fleet, time } = new ShipBench();
    const sizes: [number, number][] = [];
    let underWay = 0;
    const append = fleet.appendLogs.bind(fleet);
    fleet.appendLogs = async (request) => {
      expect(++underWay).toBe(1);
      sizes.push([request.lines.length, request.lines.reduce((sum, { message }) => sum + message.length, 0)]);
      const answer = await append(request);
      underWay--;
      return answer;
    };
    const run = fleet.add('a', { lines: 2000, durationMs: 1, lineBytes: 2000 });
    await time.pass(5000);
    expect(run.logs.get('1.1')).toHaveLength(2000);
    expect(Math.max(...sizes.map(([lines]) => lines))).toBeLessThanOrEqual(500);
    expect(Math.max(...sizes.map(([, bytes]) => bytes))).toBeLessThanOrEqual(512 * 1024);
    expect(sizes.length).toBeLessThan(20);
  });
});
