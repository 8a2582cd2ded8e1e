import { create } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { CompleteStatus, Fleet as FleetProtocol, Outcome, ResumeAction, type RunRef,
  ShipInfoSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { eventually, FleetFixture, type FleetFixtureOptions, TestShip } from '../../testkit/runs-fleet.ts';

let fixture: FleetFixture;

afterEach(() => fixture.stop());

const start = async (
  options: FleetFixtureOptions = {},
): Promise<FleetFixture> => (fixture = await FleetFixture.start(options));

const state = async (id: string): Promise<string> => (await fixture.queue.get(id))!.state;

const other = (ref: RunRef): RunRef => ({ ...ref, fencingToken: ref.fencingToken + 1n });

describe('a session', () => {
  it('begins with a welcome that names the times, the versions and the roots', async () => {
    await start({ fleet: '  min_ship_version: 0.9.0' });
    const ship = await fixture.ship('build-01');
    const stream = ship.connect();
    stream.hello();
    expect(await stream.next('welcome')).toMatchObject({
      serverVersion: '1.2.3',
      protocol: 1,
      minShipVersion: '0.9.0',
      leaseTtlMs: 60_000n,
      heartbeatMs: 15_000n,
      resume: [],
      trustBundleDer: [expect.any(Uint8Array)],
    });
  });

  it('is refused to a ship that is too old, does not say hello, or speaks another protocol', async () => {
    await start({ fleet: '  min_ship_version: 1.0.0' });
    const ship = await fixture.ship('build-01');
    const old = ship.connect();
    old.hello([], ship.sessionId, create(ShipInfoSchema, { ...ship.info, version: '1.0.0-rc.1' }));
    expect(await old.ended).toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'this server takes ships from version 1.0.0, got 1.0.0-rc.1',
    });
    const silent = ship.connect();
    silent.heartbeat([], 1);
    expect(await silent.ended).toMatchObject({ code: status.FAILED_PRECONDITION });
    const strange = ship.connect();
    strange.hello([], ship.sessionId, create(ShipInfoSchema, { ...ship.info, protocol: 7 }));
    expect(await strange.ended).toMatchObject({ code: status.FAILED_PRECONDITION });
    const twice = ship.connect();
    twice.hello();
    twice.hello();
    expect(await twice.ended).toMatchObject({ code: status.FAILED_PRECONDITION });
    const anonymous = ship.connect();
    anonymous.hello([], new Uint8Array());
    expect(await anonymous.ended).toMatchObject({ code: status.FAILED_PRECONDITION });
  });

  it('assigns runs by labels, kinds, keys and free slots, each once, with its input and secrets', async () => {
    await start();
    fixture.secrets.set('REGISTRY_TOKEN', 'hush');
    const { stream } = await fixture.connected('build-01', { capacity: 2, kinds: ['pipeline'] }, ['gpu=a100']);
    await fixture.submit({ kind: 'diagnostic' });
    await fixture.submit({ runsOn: ['gpu=h100'] });
    const definition = {
      assignment: { projectId: 'alpha' },
      secrets: ['REGISTRY_TOKEN'],
      retryOn: [],
      timeoutMs: 1000,
      keyVariable: '',
    };
    const wanted = await fixture.submit({
      runsOn: ['gpu=a100', 'os=linux', 'ship=build-01'],
      input: 'hällo',
      definition,
    });
    const [second, third] = [await fixture.submit(), await fixture.submit()];
    const first = await stream.take();
    expect(first.ref).toMatchObject({ runId: wanted.id, attempt: 1 });
    expect(Buffer.from(first.input).toString()).toBe('hällo');
    expect(first.secrets).toEqual({ REGISTRY_TOKEN: 'hush' });
    expect(first.limits).toMatchObject({ maxLine: 16_384, maxEvents: 200_000n });
    expect((await stream.take()).ref.runId).toBe(second.id);
    stream.heartbeat([], 0);
    await stream.next('ack');
    expect(stream.count('assignment')).toBe(2);
    expect(await state(third.id)).toBe('queued');
    expect((await fixture.queue.get(wanted.id))!.shipId).toBe(fixture.ships[0]!.id);
  });

  it('is named in the log of its runs', async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    await stream.take();
    const read = fixture.logHandlers.listRunLogs as (input: object, context: object) => Promise<object>;
    const lines = await read({ id: run.id, offset: 0 }, {});
    expect(JSON.stringify(lines)).toContain('is given to ship build-01');
    expect([fixture.roster.describe('local:node-1'), fixture.roster.describe('f00')]).toEqual([
      'the ship of server node-1',
      'ship f00',
    ]);
  });

  it('fails a run whose secret has no value, before any step, and reports which', async () => {
    await start();
    const { stream } = await fixture.connected('build-01', { capacity: 1 });
    const definition = {
      assignment: { projectId: 'alpha' },
      secrets: ['REGISTRY_TOKEN', 'OTHER_TOKEN'],
      retryOn: [],
      timeoutMs: 1000,
      keyVariable: '',
    };
    fixture.secrets.set('OTHER_TOKEN', 'hush');
    const run = await fixture.submit({ definition });
    await eventually(async () => (await state(run.id)) === 'failed');
    expect((await fixture.queue.get(run.id))!.error).toMatchObject({
      code: 'secret_unavailable',
      message: expect.stringContaining('the secret REGISTRY_TOKEN:'),
      attempt: 1,
      step: null,
    });
    const next = await fixture.submit();
    expect((await stream.take()).ref.runId).toBe(next.id);
  });

  it('never tells a ship of a run that is cancelled while its secrets are fetched, and frees the slot', async () => {
    await start();
    const fetched = Promise.withResolvers<void>();
    fixture.secretsFetched = fetched.promise;
    const { stream } = await fixture.connected('build-01', { capacity: 1 });
    const run = await fixture.submit();
    await eventually(async () => (await state(run.id)) === 'running');
    await fixture.queue.cancel(run.id, async () => {});
    fetched.resolve();
    await eventually(async () => (await state(run.id)) === 'cancelled');
    const next = await fixture.submit();
    expect((await stream.take()).ref.runId).toBe(next.id);
  });

  it('hands over the next run when one has ended, without a heartbeat', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01', { capacity: 1 });
    const runs = [await fixture.submit(), await fixture.submit(), await fixture.submit()];
    for (const run of runs) {
      const { ref } = await stream.take();
      expect(ref.runId).toBe(run.id);
      expect((await ship.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.RECORDED);
    }
    expect(await Promise.all(runs.map(({ id }) => state(id)))).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(stream.count('abandon')).toBe(0);
  });

  it('does not count an assignment that a heartbeat has crossed as room', async () => {
    await start();
    const { stream } = await fixture.connected('build-01', { capacity: 1 });
    await fixture.submit();
    const { ref } = await stream.next('assignment');
    await fixture.submit();
    // Sent before the assignment came.
    stream.heartbeat([], 1);
    await stream.next('ack');
    stream.accept(ref!);
    stream.heartbeat([ref!], 0);
    await stream.next('ack');
    expect(stream.count('assignment')).toBe(1);
  });

  it('takes a refused run back under its attempt, and leaves the ship alone until it has room', async () => {
    await start();
    const { stream } = await fixture.connected('build-01', { capacity: 2 });
    const run = await fixture.submit();
    const { ref } = await stream.next('assignment');
    stream.reject(ref!, 'full');
    await eventually(async () => (await state(run.id)) === 'queued');
    expect(await fixture.queue.get(run.id)).toMatchObject({ attempt: 1, shipId: null });
    fixture.now += 2000;
    stream.heartbeat([], 2);
    await stream.next('ack');
    const again = await stream.take();
    expect(again.ref).toMatchObject({ runId: run.id, attempt: 1 });
    expect(again.ref.fencingToken).toBeGreaterThan(ref!.fencingToken);
  });

  it('withholds runs that a ship cannot execute, and assigns it others', async () => {
    await start();
    const { stream } = await fixture.connected('build-01', { capacity: 2 });
    const run = await fixture.submit({ task: 'sandboxed' });
    stream.reject((await stream.next('assignment')).ref!, 'unsupported');
    await eventually(async () => (await state(run.id)) === 'queued');
    const ordinary = await fixture.submit({ runsOn: ['os=linux'] });
    expect((await stream.take()).ref.runId).toBe(ordinary.id);
    expect(stream.count('assignment')).toBe(2);
    expect(await state(run.id)).toBe('queued');
  });

  it("renews leases with heartbeats, reports lost runs, and the server's time", async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    fixture.now += 50_000;
    const unknown: RunRef = { ...ref, runId: 'f'.repeat(32) };
    const seq = stream.heartbeat([ref, other(ref), unknown], 3);
    const ack = await stream.next('ack');
    expect(ack).toMatchObject({ seq, serverUnixMs: BigInt(fixture.now) });
    expect(ack.renewed.map(({ runId }) => runId)).toEqual([run.id]);
    expect(ack.lost.map(({ runId }) => runId)).toEqual([run.id, 'f'.repeat(32)]);
    fixture.now += 50_000;
    await fixture.parts.tick();
    expect(await state(run.id)).toBe('running');
    fixture.now += 10_001;
    await fixture.parts.tick();
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2 });
    expect((await stream.next('abandon')).ref).toMatchObject({ runId: run.id, attempt: 1 });
  });

  it('hands nothing to a ship that has fallen silent, until it speaks again', async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    fixture.now += 37_501;
    const run = await fixture.submit();
    await fixture.parts.dispatcher.dispatch();
    expect(await state(run.id)).toBe('queued');
    stream.heartbeat([], 4);
    expect((await stream.take()).ref.runId).toBe(run.id);
  });

  it('acknowledges every heartbeat or a newer one, however fast they come', async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    await fixture.submit();
    const { ref } = await stream.take();
    let last = 0n;
    for (let n = 0; n < 200; n++) last = stream.heartbeat([ref], 3);
    await stream.next('ack');
    // Leases are written once a second.
    void fixture.timer.elapse();
    while ((await stream.next('ack')).seq < last) void fixture.timer.elapse();
    expect(stream.count('ack')).toBeGreaterThan(1);
  });

  it("passes a cancel on at once, and takes the ship's word on how it ended", async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    stream.heartbeat([ref], 3);
    await stream.next('ack');
    await fixture.queue.cancel(run.id, async () => {});
    expect(await stream.next('cancel')).toMatchObject({ ref, graceMs: 10_000n });
    expect(await state(run.id)).toBe('cancelling');
    expect((await ship.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.RECORDED);
    expect(await state(run.id)).toBe('cancelled');
    expect(stream.count('abandon')).toBe(0);
  });

  it('tells a ship to kill what it did not stop in time', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    await fixture.queue.cancel(run.id, async () => {});
    fixture.now += 25_001;
    await fixture.parts.tick();
    expect((await stream.next('abandon')).ref).toEqual(ref);
    expect((await ship.complete(ref, Outcome.CANCELLED)).status).toBe(CompleteStatus.COMPLETE_FENCED);
  });

  it('fences what a ship accepts too late', async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.next('assignment');
    fixture.now += 10_001;
    await fixture.parts.tick();
    expect((await fixture.queue.get(run.id))!.attempt).toBe(1);
    stream.accept(ref!);
    expect((await stream.next('abandon')).ref).toEqual(ref);
  });

  it('fails an attempt that cannot be turned into an assignment, and reports the reason in the log only', async () => {
    await start();
    await fixture.connected('build-01');
    const definition = {
      assignment: { pipeline: 'not a plan' },
      secrets: [],
      retryOn: [],
      timeoutMs: 1000,
      keyVariable: '',
    };
    const run = await fixture.submit({ maxAttempts: 1, definition });
    await eventually(async () => (await state(run.id)) === 'failed');
    expect((await fixture.queue.get(run.id))!.error).toMatchObject({
      code: expect.any(String),
      message: 'the server could not prepare the run',
    });
    expect(fixture.logged).toContain('a run could not be turned into an assignment');
  });
});

describe('a ship that connects again', () => {
  it('goes on with what it holds, from the line that is wanted next', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01', { capacity: 3 });
    const run = await fixture.submit();
    const { ref } = await stream.take();
    stream.heartbeat([ref], 2);
    await stream.next('ack');
    await ship.append(ref, 0, ['one', 'two']);
    stream.cancel();
    fixture.now += 20_000;
    const again = ship.connect();
    again.hello([{ ref }]);
    const { resume } = await again.next('welcome');
    expect(resume).toMatchObject([{ ref, action: ResumeAction.CONTINUE, nextSeq: 2n }]);
    await ship.append(ref, 2, ['three']);
    expect((await ship.complete(ref, Outcome.SUCCEEDED, { logSeqTotal: 3n })).status).toBe(CompleteStatus.RECORDED);
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });

  it('gets no more than its room beside what it holds', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01', { capacity: 1 });
    await fixture.submit();
    const { ref } = await stream.take();
    stream.heartbeat([ref], 0);
    await stream.next('ack');
    const waiting = await fixture.submit();
    const again = ship.connect();
    again.hello([{ ref }]);
    await again.next('welcome');
    again.heartbeat([], 0);
    await again.next('ack');
    expect(await state(waiting.id)).toBe('queued');
    // A run that has ended uses no slot while its report is missing.
    const third = ship.connect();
    third.hello([{ ref, finished: true }]);
    expect((await third.take()).ref.runId).toBe(waiting.id);
  });

  it('discards runs that were reassigned, and stops those cancelled meanwhile', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const [lost, cancelled] = [await fixture.submit(), await fixture.submit()];
    const refs = [(await stream.take()).ref, (await stream.take()).ref];
    const [lostRef, cancelledRef] = [refs.find(({ runId }) => runId === lost.id)!,
      refs.find(({ runId }) => runId === cancelled.id)!];
    stream.heartbeat(refs, 2);
    await stream.next('ack');
    stream.cancel();
    await fixture.queue.cancel(cancelled.id, async () => {});
    const again = ship.connect();
    again.hello([{ ref: other(lostRef) }, { ref: cancelledRef }]);
    const { resume } = await again.next('welcome');
    expect(resume.map(({ ref, action }) => [ref!.runId, action])).toEqual([[lost.id, ResumeAction.DISCARD], [
      cancelled.id,
      ResumeAction.STOP,
    ]]);
    expect((await fixture.queue.get(lost.id))!.attempt).toBe(2);
  });

  it('is welcomed before anything else, and learns of a cancel whenever it comes', async () => {
    await start({ direct: true });
    const { connectDirectly } = await import('../../testkit/runs-direct-ships.ts');
    for (let delay = 0; delay < 12; delay++) {
      const id = delay.toString(16).padStart(32, '0');
      const first = await connectDirectly(fixture, id);
      const run = await fixture.submit({ runsOn: [`ship=${id.slice(-4)}`] });
      await eventually(() => first.assigned.length === 1);
      await first.accept(first.assigned[0]!);
      const again = connectDirectly(fixture, id, [first.assigned[0]!]);
      for (let n = 0; n < delay * 3; n++) await Promise.resolve();
      await fixture.queue.cancel(run.id, async () => {});
      const { received } = await again;
      await eventually(() => received.length > 0);
      const [head, ...rest] = received.map(({ body }) => body);
      expect(head!.case).toBe('welcome');
      const stopped = head!.case === 'welcome' && head!.value.resume[0]!.action === ResumeAction.STOP;
      expect(stopped || rest.some((body) => body.case === 'cancel')).toBe(true);
    }
  });

  it('and holds nothing has lost its runs: they are queued again at once', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    stream.heartbeat([ref], 3);
    await stream.next('ack');
    const again = ship.connect();
    again.hello([], Buffer.from('another process'));
    await again.next('welcome');
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'queued', attempt: 2, shipId: null });
  });

  it('replaces its former session, which ends without touching its runs', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    stream.heartbeat([ref], 3);
    await stream.next('ack');
    const again = ship.connect();
    again.hello([{ ref }]);
    await again.next('welcome');
    expect(await stream.ended).toMatchObject({ code: status.UNAVAILABLE });
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'running', attempt: 1 });
    const next = await fixture.submit();
    expect((await again.take()).ref.runId).toBe(next.id);
    expect(stream.count('assignment')).toBe(1);
    // Streams that never say hello do not disturb the stream that has.
    const [silent, later] = [ship.connect(), ship.connect()];
    expect(await Promise.race([silent.ended, later.ended])).toMatchObject({ code: status.UNAVAILABLE });
    again.heartbeat([], 1);
    await again.next('ack');
  });
});

describe('many ships', () => {
  it('of 200 connections at once each is welcomed, works and is known as online', async () => {
    await start();
    const ships = await Promise.all(Array.from({ length: 200 }, (_, n) => fixture.enrolled(`ship-${n}`)));
    const streams = ships.map((ship) => ship.connect());
    for (const stream of streams) stream.hello();
    await Promise.all(streams.map((stream) => stream.next('welcome')));
    expect((await fixture.handle('listShips', {})).data.filter(({ online }) => online)).toHaveLength(200);
    const runs = await Promise.all(
      Array.from({ length: 200 }, (_, n) => fixture.submit({ runsOn: [`ship=ship-${n}`] })),
    );
    const refs = await Promise.all(streams.map(async (stream) => (await stream.take()).ref));
    expect(refs.map(({ runId }) => runId)).toEqual(runs.map(({ id }) => id));
    await Promise.all(ships.map((ship, n) => ship.complete(refs[n]!, Outcome.SUCCEEDED)));
    expect((await fixture.queue.list({ state: 'succeeded' }, undefined, 300)).length).toBe(200);
  });

  it('without a network get 400 runs, each once', async () => {
    await start({ direct: true });
    const { createLocalShips } = await import('../../testkit/runs-direct-ships.ts');
    const ships = createLocalShips(fixture, 200);
    await ships.connect();
    const runs = await Promise.all(Array.from({ length: 400 }, () => fixture.submit()));
    await eventually(async () =>
      (await Promise.all(runs.map(({ id }) => state(id)))).every((at) => at === 'succeeded')
    );
    expect(ships.handedOut).toBe(400);
    expect(new Set(ships.runs).size).toBe(400);
  });
});

describe('a server that stops', () => {
  it('asks its ships to come back within 30 seconds, and takes their reports until it is gone', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    await fixture.fleet.stop();
    expect(await stream.next('reconnect')).toMatchObject({ afterMs: 15_000n });
    expect(await stream.ended).toMatchObject({ code: status.UNAVAILABLE });
    expect((await ship.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.RECORDED);
    expect(await state(run.id)).toBe('succeeded');
    const late = ship.connect();
    expect(await late.ended).toMatchObject({ code: status.UNAVAILABLE });
  });

  it('is found again by its ships, whose runs go on under the same attempt', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    const run = await fixture.submit();
    const { ref } = await stream.take();
    stream.heartbeat([ref], 3);
    await stream.next('ack');
    const { identity, sessionId, folder } = { ...ship, identity: ship.identity, folder: fixture.folder };
    await fixture.stop({ keepFolder: true });
    await start({ folder });
    const again = new TestShip(fixture.addresses, 'build-01');
    fixture.ships.push(again);
    again.identity = identity;
    const resumed = again.connect();
    resumed.hello([{ ref }], sessionId);
    expect((await resumed.next('welcome')).resume).toMatchObject([{ action: ResumeAction.CONTINUE }]);
    expect((await again.complete(ref, Outcome.SUCCEEDED)).status).toBe(CompleteStatus.RECORDED);
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });
});

describe('messages that no ship would send', () => {
  it('are handled in turn, however many come at once, and others are served meanwhile', async () => {
    await start();
    const { stream } = await fixture.connected('build-01');
    const other = await fixture.connected('build-02');
    for (let n = 0; n < 1200; n++) stream.accept({ runId: '0'.repeat(32), attempt: 1, fencingToken: 1n } as RunRef);
    const seq = stream.heartbeat([], 1);
    other.stream.heartbeat([], 1);
    await other.stream.next('ack');
    expect((await stream.next('ack')).seq).toBe(seq);
    // acceptances are written together, and heartbeats need not wait for that
    await eventually(() => stream.count('abandon') === 1200);
    expect(fixture.fenced).toHaveLength(1200);
  });

  it('end the stream, or are passed over, and harm nobody', async () => {
    await start();
    const { ship, stream } = await fixture.connected('build-01');
    stream.accept({ runId: 'nonsense', attempt: 0, fencingToken: 0n } as RunRef);
    stream.reject({ runId: '0'.repeat(32), attempt: 1, fencingToken: 2n ** 63n } as RunRef, 'because');
    stream.send({ case: undefined } as never);
    stream.heartbeat([], 4_000_000_000);
    await stream.next('ack');
    const runs = await Promise.all(Array.from({ length: 6 }, () => fixture.submit()));
    for (let n = 0; n < 4; n++) await stream.take();
    stream.heartbeat([], 4_000_000_000);
    await stream.next('ack');
    // Never more than the capacity that it reported.
    expect(stream.count('assignment')).toBe(4);
    expect(runs).toHaveLength(6);
    stream.heartbeat(
      Array.from({ length: 6000 }, () => ({ runId: '0'.repeat(32), attempt: 1, fencingToken: 1n }) as RunRef),
      0,
    );
    expect(await stream.ended).toMatchObject({ code: status.FAILED_PRECONDITION });
    await expect(
      ship.call(FleetProtocol.method.completeRun, { ref: { runId: 'x', attempt: 1, fencingToken: 1n }, outcome: 1 }),
    ).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});
