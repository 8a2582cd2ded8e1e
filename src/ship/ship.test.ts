import { describe, expect, it } from 'vitest';
import { Outcome } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { HeardLog } from '../testkit/ship/heard-log.ts';
import { FAIR, GRACE_MS, refOf, ShipBench } from '../testkit/ship/index.ts';

const { expected } = ShipBench;
const quick = { lines: 3, durationMs: 1000 };
const long = { lines: 10, durationMs: 600_000 };

describe('a ship', () => {
  it('introduces itself, works on what it is handed, and reports log and end', async () => {
    const { fleet, time, ship, executor, spools } = new ShipBench();
    const run = fleet.add('a', quick);
    await time.pass(5000);
    expect(fleet.received[0]!.body).toMatchObject({
      case: 'hello',
      value: {
        info: {
          name: 'test',
          version: '1.0.0',
          protocol: 1,
          os: 'linux',
          arch: 'amd64',
          kinds: ['diagnostic', 'pipeline', 'ai_text'],
          roles: ['WRITER_API_KEY'],
          capacity: 2,
          ephemeral: false,
        },
        held: [],
      },
    });
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED, attempt: 1 });
    expect(run.logs.get('1.1')).toEqual(expected('a.1.1', 3));
    expect(run.completions[0]).toMatchObject({ logSeqTotal: 3n, started: true });
    expect([ship.running, executor.alive.length, spools.open.size]).toEqual([0, 0, 0]);
  });

  it('works on as many runs at once as it has room for, and refuses more', async () => {
    const { fleet, time, ship } = new ShipBench();
    for (const id of ['a', 'b', 'c']) fleet.add(id, long);
    await time.pass(5000);
    expect(ship.running).toBe(2);
    expect(fleet.runs.get('c')!.state).toBe('queued');
    fleet.broadcast({
      case: 'assignment',
      value: { ref: { $typeName: 'quire.fleet.v1.RunRef', runId: 'c', attempt: 1, fencingToken: 1n } } as never,
    });
    await time.pass(10);
    expect(fleet.received.at(-1)!.body).toMatchObject({ case: 'reject', value: { reason: 'full' } });
  });

  it('takes the next run as soon as one has ended', async () => {
    const { fleet, time } = new ShipBench({ description: { capacity: 1 } });
    for (const id of ['a', 'b', 'c']) fleet.add(id, quick);
    // Well before the second heartbeat.
    await time.pass(5000);
    expect([...fleet.runs.values()].map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });

  it('sends a heartbeat at once only for what the server cannot count', async () => {
    const { fleet, time, ship } = new ShipBench({ description: { capacity: 1 } });
    const told = () =>
      fleet.received.flatMap((
        { body },
      ) => (body.case === 'heartbeat' ? [[body.value.freeSlots, body.value.draining]] : []));
    for (const id of ['a', 'b', 'c']) fleet.add(id, quick);
    await time.pass(5000); // well before the second heartbeat
    expect([...fleet.runs.values()].map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(told()).toEqual([[1, false]]);
    const abandoned = fleet.add('d', long);
    await time.pass(500);
    fleet.broadcast({ case: 'abandon', value: { ref: refOf(abandoned), reason: "it is another ship's" } as never });
    await time.pass(500);
    expect(told().slice(1)).toEqual([[0, false], [1, false]]); // its processes took a moment to die
    ship.drain({ exit: false });
    await time.pass(10);
    expect(told().slice(3)).toEqual([[0, true]]);
  });

  it('refuses what its executor cannot do', async () => {
    const { fleet, time, executor } = new ShipBench();
    executor.refusal = 'no bubblewrap here';
    fleet.add('a', quick);
    await time.pass(500);
    expect(fleet.received.map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ case: 'reject', value: expect.objectContaining({ reason: 'unsupported' }) }),
    );
    expect(executor.executions).toEqual([]);
  });

  it('executes a repeated assignment once, during and after the work', async () => {
    const { fleet, time, executor } = new ShipBench();
    fleet.weather = { ...FAIR, repeats: () => true };
    const run = fleet.add('a', quick);
    await time.pass(500);
    const ref = refOf(run);
    await time.pass(5000);
    fleet.broadcast({ case: 'assignment', value: { ref } as never });
    await time.pass(5000);
    expect(executor.executions).toHaveLength(1);
    expect(run.logs.get('1.1')).toEqual(expected('a.1.1', 3));
  });

  it('begins a run that is assigned again only when its former work is dead', async () => {
    const { fleet, time, executor } = new ShipBench();
    const run = fleet.add('a', long);
    await time.pass(1000);
    Object.assign(run, { state: 'queued', attempt: 2, fence: 2n });
    await time.pass(1000);
    const [former, latter] = executor.executions;
    expect(former!.endedAt).toBeLessThanOrEqual(latter!.startedAt);
    expect(executor.alive).toEqual([latter]);
    expect(fleet.received.at(-1)!.body).toMatchObject({
      case: 'heartbeat',
      value: { held: [{ attempt: 2, fencingToken: 3n }] },
    });
  });

  it("learns how far the server's clock is ahead, and does not mind", async () => {
    const { fleet, time, ship } = new ShipBench({ clockSkewMs: -3_600_000 });
    const run = fleet.add('a', { ...quick, durationMs: 300_000 });
    await time.pass(310_000);
    expect(Math.abs(ship.serverOffsetMs()! - 3_600_000)).toBeLessThan(10);
    expect(run).toMatchObject({ state: 'done', attempt: 1 });
  });
});

describe('cancelling', () => {
  it('asks the work to stop, with the grace of the cancel, and reports it', async () => {
    const { fleet, time, executor } = new ShipBench();
    const run = fleet.add('a', { ...long, dyingMs: 60_000 });
    await time.pass(1000);
    fleet.cancel('a', 3000);
    await time.pass(2900);
    expect(executor.alive).toHaveLength(1);
    await time.pass(200);
    expect(executor.alive).toHaveLength(0);
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.CANCELLED });
  });

  it('while the ship is away stops the run when it comes back', async () => {
    const { fleet, time } = new ShipBench();
    const run = fleet.add('a', long);
    await time.pass(1000);
    fleet.refusing = 'lost';
    fleet.cut();
    fleet.cancel('a');
    await time.pass(10_000);
    fleet.refusing = undefined;
    await time.pass(10_000);
    expect(run.outcome).toBe(Outcome.CANCELLED);
  });

  it('of a run that is just succeeding reports the truth', async () => {
    const { fleet, time, executor } = new ShipBench();
    fleet.weather = { ...FAIR, delayMs: () => 200 };
    const run = fleet.add('a', quick);
    await time.pass(1500);
    expect([executor.alive.length, run.state]).toEqual([0, 'running']);
    fleet.cancel('a');
    await time.pass(5000);
    expect(run.completions[0]!.outcome).toBe(Outcome.SUCCEEDED);
  });

  it('by abandoning kills at once and reports nothing', async () => {
    const { fleet, time, executor, spools } = new ShipBench();
    const run = fleet.add('a', { ...long, dyingMs: 9000 });
    await time.pass(1000);
    const ref = refOf(run);
    run.state = 'done';
    fleet.broadcast({ case: 'abandon', value: { ref, reason: 'revoked' } as never });
    await time.pass(50);
    expect([executor.alive.length, spools.open.size, run.completions.length]).toEqual([0, 0, 0]);
  });
});

describe('ending', () => {
  it('by a drain waits for what runs, takes no more, and then ends', async () => {
    const { fleet, time, ship, end } = new ShipBench();
    const run = fleet.add('a', { ...quick, durationMs: 100_000 });
    await time.pass(1000);
    ship.drain({ exit: true });
    fleet.add('b', quick);
    await time.pass(50_000);
    expect(fleet.received.at(-1)!.body).toMatchObject({ case: 'heartbeat', value: { freeSlots: 0, draining: true } });
    expect(await time.until(end)).toBe('drained');
    expect(run).toMatchObject({ state: 'done', outcome: Outcome.SUCCEEDED });
    expect(fleet.runs.get('b')!.state).toBe('queued');
  });

  it('by a drain with a deadline returns the runs that still run then', async () => {
    const { fleet, time, ship, end, executor } = new ShipBench();
    const run = fleet.add('a', { ...long, dyingMs: 2000 });
    await time.pass(1000);
    ship.drain({ exit: true, deadlineMs: 30_000 });
    expect(await time.until(end)).toBe('drained');
    expect(run.completions[0]).toMatchObject({ outcome: Outcome.RETURNED, started: true });
    expect(executor.alive).toEqual([]);
    expect(time.now()).toBeLessThan(35_000);
  });

  it('by a drain of the server ends only when that asks for it', async () => {
    const { fleet, time, ship, end } = new ShipBench();
    await time.pass(1000);
    fleet.broadcast({ case: 'drain', value: { deadlineMs: 0n, exit: false } as never });
    fleet.add('a', quick);
    await time.pass(60_000);
    expect([ship.isConnected, fleet.runs.get('a')!.state]).toEqual([true, 'queued']);
    fleet.broadcast({ case: 'drain', value: { deadlineMs: 0n, exit: true } as never });
    expect(await time.until(end)).toBe('drained');
  });

  it('by a drain of the server not at all when the server takes it back', async () => {
    const { fleet, time, ship } = new ShipBench();
    await time.pass(1000);
    const run = fleet.add('a', long);
    await time.pass(1000);
    fleet.broadcast({ case: 'drain', value: { deadlineMs: 0n, exit: true } as never });
    const waiting = fleet.add('b', quick);
    await time.pass(1000);
    expect([run.state, waiting.state]).toEqual(['running', 'queued']);
    fleet.broadcast({ case: 'undrain', value: {} as never });
    await time.pass(60_000);
    expect([ship.isConnected, waiting.state]).toEqual([true, 'done']);
  });

  it('by a drain of the server not when that was taken back while the ship was away', async () => {
    const { fleet, time, ship } = new ShipBench();
    await time.pass(1000);
    fleet.broadcast({ case: 'drain', value: { deadlineMs: 0n, exit: false } as never });
    await time.pass(1000);
    fleet.cut();
    const waiting = fleet.add('a', quick);
    await time.pass(60_000);
    expect([ship.isConnected, waiting.state]).toEqual([true, 'done']);
  });

  it('by a stop returns the runs in progress, with its grace', async () => {
    const { fleet, time, ship, end, executor } = new ShipBench();
    const run = fleet.add('a', { ...long, dyingMs: 60_000 });
    await time.pass(1000);
    const stoppedAt = time.now();
    ship.stop();
    expect(await time.until(end)).toBe('drained');
    expect(executor.executions[0]!.endedAt! - stoppedAt).toBe(GRACE_MS);
    expect(run.completions[0]!.outcome).toBe(Outcome.RETURNED);
  });

  it('by a stop does not wait for a server that is gone', async () => {
    const { fleet, time, ship, end, executor } = new ShipBench();
    fleet.add('a', { ...long, dyingMs: 60_000 });
    await time.pass(1000);
    fleet.partitioned = true;
    ship.stop();
    expect(await time.until(end, 60_000)).toBe('gave_up');
    expect(executor.alive).toEqual([]);
  });

  it('after its one run, if it is ephemeral', async () => {
    const { fleet, time, end, executor } = new ShipBench({ description: { ephemeral: true, capacity: 4 } });
    fleet.add('a', quick);
    fleet.add('b', quick);
    expect(await time.until(end)).toBe('ephemeral');
    expect(executor.executions).toHaveLength(1);
    expect([...fleet.runs.values()].map(({ state }) => state)).toEqual(['done', 'queued']);
  });

  it('when it is revoked kills its work', async () => {
    const { fleet, time, end, executor, spools } = new ShipBench();
    const run = fleet.add('a', { ...long, dyingMs: 60_000 });
    await time.pass(1000);
    fleet.refusing = 'denied';
    fleet.cut('denied');
    expect(await time.until(end, 1000)).toBe('denied');
    expect([executor.alive.length, spools.open.size, run.completions.length]).toEqual([0, 0, 0]);
  });

  it(
    'but not when the server does not know it: the ship kills nothing of its own accord, asks again after a minute ' +
      'and goes on',
    async () => {
      const log = new HeardLog();
      const { fleet, time, ship, executor } = new ShipBench({ log });
      await time.pass(1000);
      fleet.refusing = 'unknown';
      fleet.cut('unknown');
      await time.pass(59_000);
      expect(ship.isConnected).toBe(false);
      expect(log.messages.filter((message) => message.startsWith('the server does not know this ship'))).toHaveLength(
        1,
      );
      fleet.refusing = undefined;
      await time.pass(2000);
      expect(ship.isConnected).toBe(true);
      const run = fleet.add('a', quick);
      await time.pass(10_000);
      expect([run.state, executor.executions.length]).toEqual(['done', 1]);
    },
  );

  it('when it is too old says so', async () => {
    const { fleet, time, end } = new ShipBench();
    fleet.refusing = 'outdated';
    fleet.cut('outdated');
    expect(await time.until(end)).toBe('outdated');
  });
});
