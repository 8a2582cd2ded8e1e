import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outcome } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { FAIR, type FakeRun, ShipBench } from '../testkit/ship/index.ts';

/** Events of ship, server and network, one after another. */
const incident = fc.oneof({
  weight: 4,
  arbitrary: fc.record({ what: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 30_000 }) }),
}, {
  weight: 2,
  arbitrary: fc.record({
    what: fc.constant('partition' as const),
    ms: fc.oneof(fc.integer({ min: 100, max: 40_000 }), fc.integer({ min: 40_000, max: 100_000 })),
  }),
}, fc.record({ what: fc.constant('cut' as const), ms: fc.constant(0) }),
  fc.record({ what: fc.constant('restart' as const), ms: fc.integer({ min: 100, max: 40_000 }) }),
  fc.record({ what: fc.constant('cancel' as const), ms: fc.nat(20) }),
  fc.record({ what: fc.constant('reconnect' as const), ms: fc.nat(20_000) }), {
  weight: 2,
  arbitrary: fc.record({ what: fc.constant('storm' as const), ms: fc.integer({ min: 1000, max: 60_000 }) }),
});

const script = fc.record({
  lines: fc.nat(300),
  durationMs: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 30_000, max: 200_000 })),
  dyingMs: fc.nat(20_000),
  outcome: fc.constantFrom('succeeded' as const, 'failed' as const),
  stopOnPartition: fc.boolean(),
});

const story = fc.record({
  scripts: fc.array(script, { minLength: 1, maxLength: 6 }),
  incidents: fc.array(incident, { maxLength: 12 }),
  capacity: fc.integer({ min: 1, max: 4 }),
  /** Decides how the network treats each call. */
  seed: fc.integer(),
});

/** A generator of numbers from 0 to 1 (mulberry32), so that a failing sequence can be repeated. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('whatever happens between a ship and its server', () => {
  it('every line arrives once and in order, every end is reported once, and nothing is done twice at a time', async () => {
    await fc.assert(fc.asyncProperty(story, play), { numRuns: 150 });
  });
});

async function play(
  { scripts, incidents, capacity, seed }: typeof story extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  const random = dice(seed);
  const bench = new ShipBench({ description: { capacity }, random });
  const { fleet, time, executor, spools, ship } = bench;
  const runs = scripts.map(({ stopOnPartition, ...rest }, index) =>
    fleet.add(`run${index}`, rest, { stopOnPartition })
  );
  fleet.onLeaseEnd = (run) => {
    // Work that stops by itself is dead before the server assigns its run again, to any ship.
    if (run.stopOnPartition) expect(executor.alive.filter(({ runId }) => runId === run.id)).toEqual([]);
  };
  const storm = {
    delayMs: () => random() * 3000,
    losesRequest: () => random() < 0.3,
    losesAnswer: () => random() < 0.3,
    repeats: () => random() < 0.3,
  };
  for (const { what, ms } of incidents) {
    if (what === 'cancel') cancelSome(bench, runs, ms);
    else if (what === 'cut') fleet.cut();
    else if (what === 'reconnect') fleet.broadcast({ case: 'reconnect', value: { afterMs: BigInt(ms) } as never });
    else {
      fleet.partitioned = what === 'partition';
      fleet.refusing = what === 'restart' ? 'lost' : undefined;
      if (what === 'restart') fleet.cut();
      if (what === 'storm') fleet.weather = storm;
      await time.pass(ms);
      Object.assign(fleet, { partitioned: false, refusing: undefined, weather: FAIR });
    }
    expectNoneTwice(bench);
  }
  await time.until((async () => {
    while (!runs.every(({ state }) => state === 'done')) await time.sleep(1000);
    await time.sleep(60_000);
  })());
  expectNoneTwice(bench);
  for (const run of runs) expectTold(run);
  expect([executor.alive.length, ship.running, spools.open.size]).toEqual([0, 0, 0]);
}

function cancelSome({ fleet }: ShipBench, runs: readonly FakeRun[], which: number): void {
  const run = runs[which % runs.length]!;
  if (run.state === 'running') fleet.cancel(run.id);
}

function expectNoneTwice({ executor, fleet }: ShipBench): void {
  const names = executor.executions.map(({ runId, attempt, fence }) => `${runId}.${attempt}.${fence}`);
  expect(names).toEqual([...new Set(names)]);
  const alive = executor.alive.map(({ runId }) => runId);
  expect(alive).toEqual([...new Set(alive)]);
  for (const a of executor.executions) {
    for (const b of executor.executions) {
      if (a === b || a.runId !== b.runId || a.startedAt > b.startedAt) continue;
      expect(a.endedAt, `${a.runId}: two attempts at once`).toBeLessThanOrEqual(b.startedAt);
    }
  }
  for (const run of fleet.runs.values()) {
    for (const [key, lines] of run.logs) expect(lines).toEqual(ShipBench.expected(`${run.id}.${key}`, lines.length));
  }
}

function expectTold(run: FakeRun): void {
  const keys = run.completions.map(({ ref }) => `${ref!.attempt}.${ref!.fencingToken}`);
  expect(keys).toEqual([...new Set(keys)]);
  for (const [index, { logSeqTotal, outcome }] of run.completions.entries()) {
    if (run.logGivenUpAt === undefined) expect(run.logs.get(keys[index]!)?.length ?? 0).toBe(Number(logSeqTotal));
    // Only two minutes of failures may excuse this.
    else expect(run.logGivenUpAt - run.logHeardAt).toBeGreaterThanOrEqual(120_000);
    if (outcome === Outcome.SUCCEEDED || outcome === Outcome.FAILED) {
      expect(outcome).toBe(run.script.outcome === 'failed' ? Outcome.FAILED : Outcome.SUCCEEDED);
      expect(Number(logSeqTotal)).toBe(run.script.lines);
    }
  }
  expect([Outcome.SUCCEEDED, Outcome.FAILED, Outcome.CANCELLED]).toContain(run.outcome);
}
