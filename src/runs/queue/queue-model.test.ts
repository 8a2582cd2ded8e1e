import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHeld, type ModelRun, QueueModel } from '../../testkit/runs-queue-model.ts';
import { FakeShip, newRun, QueueFixture } from '../../testkit/runs-queue.ts';
import type { Completion, NewRun, Outcome, RunRef, RunState } from './port.ts';

/** A step; its numbers select among the objects that exist at that moment. */
interface Step {
  readonly name: keyof typeof STEPS;
  readonly a: number;
  readonly b: number;
}

interface Sent {
  readonly ref: RunRef;
  readonly ship: string;
  readonly completion: Completion;
}

const OUTCOMES: readonly Outcome[] = ['succeeded', 'succeeded', 'failed', 'cancelled', 'timed_out', 'ship_error',
  'returned'];
const TERMINAL: readonly RunState[] = ['succeeded', 'failed', 'cancelled'];

/** The queue, the model, and the beliefs of three ships. */
class World {
  readonly fixture: QueueFixture;
  readonly model = new QueueModel();
  readonly ships = [new FakeShip('s0', 2, ['os=linux', 'gpu=1']), new FakeShip('s1', 3, ['os=linux']),
    new FakeShip('s2', 1, [])];
  readonly sent: Sent[] = [];

  constructor(fixture: QueueFixture) {
    this.fixture = fixture;
    this.connect();
  }

  get queue() {
    return this.fixture.queue;
  }

  connect(): void {
    for (const ship of this.ships) this.queue.addWorker(ship);
  }

  run(n: number): ModelRun | undefined {
    return this.model.runs[n % Math.max(1, this.model.runs.length)];
  }

  ship(n: number): FakeShip {
    return this.ships[n % this.ships.length]!;
  }

  /** A run that the ship believes to hold. */
  ref(ship: FakeShip, n: number): RunRef | undefined {
    return ship.claims[n % Math.max(1, ship.claims.length)]?.ref;
  }

  forget(ship: FakeShip, ref: RunRef): void {
    ship.claims.splice(ship.claims.findIndex((claim) => claim.ref.runId === ref.runId && claim.ref.fence === ref.fence),
      1);
  }

  async submit(run: NewRun): Promise<void> {
    this.model.submit((await this.fixture.sql.transaction((tx) => this.queue.insert(tx, run))).id, run);
  }

  async complete(ref: RunRef, ship: string, completion: Completion): Promise<void> {
    this.sent.push({ ref, ship, completion });
    expect(await this.queue.complete(ref, ship, completion)).toBe(this.model.complete(ref, ship, completion));
  }

  async pass(milliseconds: number): Promise<void> {
    this.fixture.pass(milliseconds);
    this.model.now += milliseconds;
    await this.tick();
  }

  async tick(): Promise<void> {
    await this.fixture.parts.tick();
    this.model.tick();
  }
}

const STEPS = {
  submit: async (world: World, a: number, b: number) =>
    world.submit(newRun({
      projectId: ['alpha', 'beta', 'limited', 'limited', 'off'][a % 5]!,
      task: ['build', 'test'][b % 2]!,
      priority: (b % 3) - 1,
      runsOn: [[], ['os=linux'], ['gpu=1', 'os=linux']][a % 3]!,
      maxAttempts: 1 + (b % 3),
      inputIsJson: false,
      input: `${a}`,
      definition: {
        assignment: {},
        secrets: [],
        retryOn: a % 2 === 0 ? ['step_failed', 'timeout'] : [],
        timeoutMs: b % 2 === 0 ? 30_000 : 3_600_000,
        keyVariable: '',
      },
    })),
  /** Assigns runs, and checks that all assignable runs were assigned, the best first. */
  dispatch: async (world: World) => {
    const before = world.ships.map(({ claims }) => claims.length);
    await world.fixture.parts.dispatcher.dispatch();
    const given: { ship: FakeShip; run: ModelRun }[] = [];
    world.ships.forEach((ship, index) => {
      for (const { ref } of ship.claims.slice(before[index])) {
        const run = world.model.byId(ref.runId);
        expect(world.model.mayTake(ship, run), 'only what the ship may take').toBe(true);
        world.model.claim(run, ship.shipId);
        given.push({ ship, run });
        expect(ref).toEqual({ runId: run.id, attempt: run.attempt, fence: run.fence });
      }
    });
    expect(world.model.held('limited')).toBeLessThanOrEqual(2);
    for (const run of world.model.runs) {
      const room = run.new.projectId !== 'limited' || world.model.held('limited') < 2;
      const taker = world.ships.find((ship) => ship.free() > 0 && world.model.mayTake(ship, run));
      expect(room && taker !== undefined, `run ${run.seq} could be handed out to ${taker?.shipId}`).toBe(false);
      const instead = given.find((other) =>
        room && world.model.mayTake(other.ship, run) && comesBefore(run, other.run)
      );
      expect(instead, `run ${run.seq} comes before what was handed out`).toBe(undefined);
    }
  },
  accept: async (world: World, a: number, b: number) => {
    const ship = world.ship(a);
    const ref = world.ref(ship, b);
    if (ref !== undefined)
      expect(await world.queue.accept(ref, ship.shipId)).toBe(world.model.accept(ref, ship.shipId));
  },
  reject: async (world: World, a: number, b: number) => {
    const ship = world.ship(a);
    const ref = world.ref(ship, b);
    if (ref === undefined) return;
    const reason = b % 2 === 0 ? 'full' : 'unsupported';
    world.forget(ship, ref);
    await world.queue.reject(ref, ship.shipId, reason);
    world.model.reject(ref, ship.shipId, reason);
  },
  heartbeat: async (world: World, a: number) => {
    const ship = world.ship(a);
    const refs = ship.claims.map(({ ref }) => ref);
    const { renewed, lost } = await world.queue.renew(ship.shipId, refs);
    expect([...renewed, ...lost]).toHaveLength(refs.length);
    for (const ref of refs) expect(renewed.includes(ref)).toBe(world.model.renew(ref, ship.shipId));
    for (const ref of lost) world.forget(ship, ref);
  },
  complete: async (world: World, a: number, b: number) => {
    const ship = world.ship(a);
    const ref = world.ref(ship, b);
    if (ref === undefined) return;
    world.forget(ship, ref);
    const outcome = OUTCOMES[b % OUTCOMES.length]!;
    const error = outcome === 'failed'
      ? { error: { code: 'step_failed' as const, message: 'exit 1', step: 'test', exitCode: 1, signal: null } }
      : {};
    await world.complete(ref, ship.shipId, { outcome, started: a % 2 === 0, ...error });
  },
  /** A report that was sent before: unchanged, with another outcome, or from another ship. */
  completeAgain: async (world: World, a: number, b: number) => {
    const sent = world.sent[a % Math.max(1, world.sent.length)];
    if (sent === undefined) return;
    const completion = b % 3 === 0 ? { ...sent.completion, outcome: 'succeeded' as const } : sent.completion;
    await world.complete(sent.ref, b % 3 === 1 ? 'stranger' : sent.ship, completion);
  },
  stale: async (world: World, a: number, b: number) => {
    const run = world.run(a);
    if (run?.ship == null) return;
    await world.complete({ runId: run.id, attempt: run.attempt, fence: run.fence - 1 - (b % 2) }, run.ship, {
      outcome: 'succeeded',
      started: true,
    });
  },
  cancel: async (world: World, a: number) => {
    const run = world.run(a);
    if (run === undefined) return;
    let audited = false;
    const answer = await world.queue.cancel(run.id, async () => void (audited = true));
    expect(answer !== undefined).toBe(world.model.cancel(run));
    expect(audited).toBe(answer !== undefined);
    if (answer !== undefined) expect(answer.state).toBe(run.state);
  },
  retry: async (world: World, a: number) => {
    const run = world.run(a);
    if (run?.state !== 'failed' && run?.state !== 'cancelled') return;
    const retryOf = (await world.queue.get(run.id))!;
    await world.submit({ ...run.new, retryOf, source: 'retry' });
  },
  /** The process of a ship dies and restarts without runs. */
  crash: async (world: World, a: number) => {
    const ship = world.ship(a);
    ship.claims.length = 0;
    expect(await world.queue.resume(ship.shipId, [])).toEqual(world.model.resume(ship.shipId, []));
  },
  /** It dies, and the server does not notice. */
  vanish: async (world: World, a: number) => void (world.ship(a).claims.length = 0),
  reconnect: async (world: World, a: number) => {
    const ship = world.ship(a);
    const refs = ship.claims.map(({ ref }) => ref);
    const actions = await world.queue.resume(ship.shipId, refs.map((ref) => ({ ref, finished: false })));
    expect(actions.map(({ action }) => action)).toEqual(world.model.resume(ship.shipId, refs));
    for (const { ref, action } of actions) if (action === 'discard') world.forget(ship, ref);
  },
  revoke: async (world: World, a: number) => {
    const ship = world.ship(a);
    ship.claims.length = 0;
    await world.fixture.sql.transaction((tx) => world.queue.evict(tx, ship.shipId));
    world.model.evict(ship.shipId);
  },
  second: async (world: World, a: number) => world.pass(1000 * (1 + (a % 12))),
  minute: async (world: World, a: number) => world.pass(20_000 * (1 + (a % 4))),
  day: async (world: World, a: number, b: number) => (b % 4 === 0 ? world.pass(3_600_000 * (8 + (a % 20))) : undefined),
  /** The clock of the server is set; this must have no effect. */
  setClock: async (world: World, a: number, b: number) => {
    world.fixture.wall += (a % 2 === 0 ? 1 : -1) * (3000 + (b % 90) * 3_600_000);
    await world.tick();
  },
  restart: async (world: World) => {
    await world.fixture.restart();
    world.model.restart();
    world.connect();
  },
};

const comesBefore = (a: ModelRun, b: ModelRun): boolean =>
  a.new.priority > b.new.priority || (a.new.priority === b.new.priority && a.seq < b.seq);

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.oneof({ weight: 10, arbitrary: fc.constantFrom('submit', 'dispatch', 'complete') }, {
    weight: 6,
    arbitrary: fc.constantFrom('accept', 'heartbeat', 'second', 'cancel', 'dispatch'),
  }, { weight: 9, arbitrary: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])) }) as fc.Arbitrary<
    keyof typeof STEPS
  >,
  a: fc.nat(1000),
  b: fc.nat(1000),
});

async function compare({ queue, model }: World): Promise<void> {
  const found = await queue.list({}, undefined, 1000);
  expect(found).toHaveLength(model.runs.length);
  for (const run of found) {
    const { state, attempt, fence, ship, error } = model.byId(run.id);
    expect({ state: run.state, attempt: run.attempt, fence: run.fence, ship: run.shipId, error: run.error?.code })
      .toEqual({ state, attempt, fence, ship, error });
    expect(run.finishedAt !== null).toBe(TERMINAL.includes(state));
  }
  expect(queue.runningOn('s0')).toBe(model.runs.filter((run) => isHeld(run) && run.ship === 's0').length);
}

/** Checks the notifications of listeners against the guarantees that need no model. */
function checkHistory({ fixture }: World): void {
  const last = new Map<string, { state: RunState; fence: number }>();
  const successes = new Set<string>();
  for (const { run, from } of fixture.changes) {
    const before = last.get(run.id);
    expect(from).toBe(before?.state ?? null);
    expect(from === null || !TERMINAL.includes(from), 'a terminal state is final').toBe(true);
    if (from === 'cancelling') expect(run.state, 'leaving cancelling').toBe('cancelled');
    if (run.state === 'running') expect(run.fence, 'a claim raises the fence').toBeGreaterThan(before!.fence);
    if (run.state === 'succeeded') {
      expect(successes.has(run.id), 'succeeded once').toBe(false);
      successes.add(run.id);
    }
    last.set(run.id, run);
  }
}

/** If ships do their work, all runs that can finish do finish. */
async function workOff(world: World): Promise<void> {
  for (let round = 0; round < 200; round++) {
    await STEPS.dispatch(world);
    for (const ship of world.ships) {
      for (const { ref } of ship.claims.splice(0))
        await world.complete(ref, ship.shipId, { outcome: 'succeeded', started: true });
    }
    if (world.model.runs.every((run) => TERMINAL.includes(run.state) || run.new.projectId === 'off')) return;
    await world.pass(60_000);
  }
  expect.unreachable('runs were left behind');
}

describe('the queue against a model', () => {
  it('does what the state machine says, whatever happens in whatever order', { timeout: 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80 }), async (steps) => {
      const fixture = await QueueFixture.open();
      const world = new World(fixture);
      try {
        for (const { name, a, b } of steps) {
          await STEPS[name](world, a, b);
          await compare(world);
        }
        await workOff(world);
        await compare(world);
        checkHistory(world);
      } finally {
        await fixture.sql.close();
      }
    }), { numRuns: Number(process.env['QUIRE_MODEL_RUNS'] ?? 40) });
  });
});
