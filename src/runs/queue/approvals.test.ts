import { afterEach, describe, expect, it } from 'vitest';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';
import type { Claim, NewRun } from './port.ts';

const HOUR = 3_600_000;
const nothing = async (): Promise<void> => {};

const opened: QueueFixture[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ sql }) => sql.close())));

async function open(): Promise<{ fixture: QueueFixture; ship: FakeShip; handedOut: () => Promise<string[]> }> {
  const fixture = await QueueFixture.open();
  opened.push(fixture);
  const ship = new FakeShip('ship', 5);
  fixture.queue.addWorker(ship);
  const handedOut = async (): Promise<string[]> => {
    await fixture.parts.dispatcher.dispatch();
    return ship.claims.map(({ run }) => run.id);
  };
  return { fixture, ship, handedOut };
}

describe('a run that somebody has to approve', () => {
  it('waits without a slot and a lease, and starts when it is approved', async () => {
    const { fixture, handedOut } = await open();
    const [run, other] = [await fixture.submit({ approvalMs: 48 * HOUR }), await fixture.submit()];
    expect(run.approval).toEqual({
      state: 'waiting',
      by: null,
      at: null,
      expiresAt: run.createdAt + 48 * 3600,
      step: null,
      message: null,
    });
    expect(await handedOut()).toEqual([other.id]);
    expect(fixture.queue.explain(run).waitingReason).toBe('approval');
    fixture.pass(30 * HOUR); // longer than queue_timeout
    await fixture.parts.tick();
    expect((await fixture.queue.numbers()).oldestQueuedSeconds).toContainEqual({
      reason: 'approval',
      seconds: 30 * 3600,
    });
    await fixture.restart();
    const approved = await fixture.queue.approve(run.id, 'token:lead', nothing);
    expect(approved).toMatchObject({
      state: 'queued',
      approval: { state: 'approved', by: 'token:lead', at: run.createdAt + 30 * 3600 },
      availableMs: 0,
    });
    expect(await fixture.queue.approve(run.id, 'token:lead', nothing)).toBeUndefined();
    await fixture.parts.tick();
    const ship = new FakeShip('another', 1);
    fixture.queue.addWorker(ship);
    await fixture.parts.dispatcher.dispatch();
    expect(ship.claims.map((claim) => claim.run.id)).toEqual([run.id]);
  });

  it('is cancelled when it is rejected, and cannot be approved afterwards', async () => {
    const { fixture, handedOut } = await open();
    const run = await fixture.submit({ approvalMs: HOUR });
    expect(await fixture.queue.disapprove(run.id, 'api', nothing)).toMatchObject({
      state: 'cancelled',
      approval: { state: 'rejected', by: 'api' },
    });
    expect(await fixture.queue.approve(run.id, 'api', nothing)).toBeUndefined();
    expect(await handedOut()).toEqual([]);
    expect(fixture.lines.at(-1)!.message).toBe('the run is cancelled: rejected by api');
  });

  it('fails when nobody decides in time', async () => {
    const { fixture } = await open();
    const run = await fixture.submit({ approvalMs: HOUR });
    await fixture.live(0);
    fixture.pass(HOUR - 1);
    await fixture.parts.tick();
    expect(await fixture.state(run.id)).toBe('queued');
    fixture.pass(1);
    await fixture.parts.tick();
    expect(await fixture.queue.get(run.id)).toMatchObject({
      state: 'failed',
      error: { code: 'approval_timeout', message: 'nobody approved the run within 1h', retryable: true },
      approval: { state: 'expired', by: null },
    });
  });

  it('can be cancelled, which withdraws it', async () => {
    const { fixture } = await open();
    const run = await fixture.submit({ approvalMs: HOUR });
    expect(await fixture.queue.cancel(run.id, nothing)).toMatchObject({
      state: 'cancelled',
      approval: { state: 'withdrawn' },
    });
  });

  it('enters its group when it is approved, and holds nobody up before', async () => {
    const { fixture, handedOut } = await open();
    const concurrency = { group: 'deploy', others: 'cancel_waiting' } as const;
    const first = await fixture.submit({ concurrency });
    expect(await handedOut()).toEqual([first.id]);
    const second = await fixture.submit({ concurrency });
    const careful = await fixture.submit({ approvalMs: HOUR, concurrency });
    expect(await fixture.state(second.id)).toBe('queued');
    await fixture.queue.approve(careful.id, 'api', nothing);
    expect([await fixture.state(second.id),
      fixture.queue.explain((await fixture.queue.get(careful.id))!).waitingReason]).toEqual(['cancelled',
        'concurrency_group']);
    const { attempt, fence } = (await fixture.queue.get(first.id))!;
    const ref = { runId: first.id, attempt, fence };
    await fixture.queue.accept(ref, 'ship');
    await fixture.queue.complete(ref, 'ship', { outcome: 'succeeded', started: true });
    expect(await handedOut()).toEqual([first.id, careful.id]);
  });
});

describe('a run with an approval step', () => {
  const approvals = [{ name: 'go-live', before: 1, timeoutMs: 48 * HOUR, message: 'Deploy?' }];
  const definition = {
    assignment: { project_id: 'alpha' },
    secrets: [],
    retryOn: [],
    timeoutMs: HOUR,
    keyVariable: '',
    approvals,
  };
  const ended = { outcome: 'succeeded', started: true } as const;

  /** Assigns the next run to a new ship, which accepts it. */
  async function taken(fixture: QueueFixture): Promise<Claim> {
    const ship = new FakeShip(`ship-${fixture.changes.length}`, 1);
    const handle = fixture.queue.addWorker(ship);
    await fixture.parts.dispatcher.dispatch();
    handle.remove();
    await fixture.queue.accept(ship.last.ref, ship.shipId);
    return ship.last;
  }
  const shipOf = ({ run }: Claim): string => run.shipId!;
  const waiting = async (run: Partial<NewRun> = {}): Promise<{ fixture: QueueFixture; first: Claim }> => {
    const fixture = await QueueFixture.open();
    opened.push(fixture);
    await fixture.submit({ definition, ...run });
    const first = await taken(fixture);
    expect(await fixture.queue.complete(first.ref, shipOf(first), ended)).toBe('recorded');
    return { fixture, first };
  };

  it('leaves its ship after the steps before it, waits through restarts, and continues in the same attempt on any ship', async () => {
    const { fixture, first } = await waiting();
    const { runId } = first.ref;
    const now = Math.floor(fixture.wall / 1000);
    expect(await fixture.queue.get(runId)).toMatchObject({
      state: 'queued',
      attempt: 1,
      shipId: null,
      part: 0,
      approval: {
        state: 'waiting',
        by: null,
        at: null,
        expiresAt: now + 48 * 3600,
        step: 'go-live',
        message: 'Deploy?',
      },
    });
    expect(fixture.changes.at(-1)).toMatchObject({ from: 'running', reason: 'approval', formerShipId: shipOf(first) });
    expect(fixture.lines.at(-1)!.message).toBe('the run waits for the approval of step go-live');
    expect([await fixture.queue.complete(first.ref, shipOf(first), ended), fixture.queue.runningOn(shipOf(first))])
      .toEqual(['already_recorded', 0]);
    expect(fixture.queue.explain((await fixture.queue.get(runId))!).waitingReason).toBe('approval');
    fixture.pass(30 * HOUR); // longer than queue_timeout
    await fixture.restart();
    await fixture.parts.tick();
    expect(await fixture.queue.approve(runId, 'token:lead', nothing)).toMatchObject({
      state: 'queued',
      part: 1,
      approval: { state: 'approved', by: 'token:lead', step: 'go-live' },
    });
    expect(await fixture.queue.approve(runId, 'token:lead', nothing)).toBeUndefined();
    const second = await taken(fixture);
    expect([second.ref.attempt, second.run.part, second.ref.fence > first.ref.fence]).toEqual([1, 1, true]);
    await fixture.queue.complete(second.ref, shipOf(second), ended);
    expect(await fixture.queue.get(runId)).toMatchObject({ state: 'succeeded', part: 1 });
    expect(
      (await fixture.queue.attempts((await fixture.queue.get(runId))!)).map((
        { attempt, outcome },
      ) => [attempt, outcome]),
    ).toEqual([[1, 'succeeded'], [1, 'succeeded']]);
  });

  it('fails without asking when a step before the approval fails', async () => {
    const fixture = await QueueFixture.open();
    opened.push(fixture);
    await fixture.submit({ definition });
    const first = await taken(fixture);
    await fixture.queue.complete(first.ref, shipOf(first), { outcome: 'failed', started: true });
    expect(await fixture.queue.get(first.ref.runId)).toMatchObject({ state: 'failed', approval: null });
  });

  it('is cancelled when it is rejected', async () => {
    const { fixture, first } = await waiting();
    expect(await fixture.queue.disapprove(first.ref.runId, 'api', nothing)).toMatchObject({
      state: 'cancelled',
      approval: { state: 'rejected', by: 'api', step: 'go-live' },
    });
    await fixture.parts.dispatcher.dispatch();
    expect(await fixture.state(first.ref.runId)).toBe('cancelled');
  });

  it('fails when nobody decides in time', async () => {
    const { fixture, first } = await waiting();
    fixture.pass(48 * HOUR);
    await fixture.parts.tick();
    expect(await fixture.queue.get(first.ref.runId)).toMatchObject({
      state: 'failed',
      error: { code: 'approval_timeout', message: 'nobody approved the step go-live within 2d' },
      approval: { state: 'expired' },
    });
  });

  it('starts over and asks again in another attempt', async () => {
    const { fixture, first } = await waiting();
    const { runId } = first.ref;
    await fixture.queue.approve(runId, 'api', nothing);
    const second = await taken(fixture);
    await fixture.queue.complete(second.ref, shipOf(second), { outcome: 'ship_error', started: true });
    expect(await fixture.queue.get(runId)).toMatchObject({ state: 'queued', attempt: 2, part: 0, approval: null });
    await fixture.live(20_000);
    const third = await taken(fixture);
    await fixture.queue.complete(third.ref, shipOf(third), ended);
    expect(await fixture.queue.get(runId)).toMatchObject({
      state: 'queued',
      attempt: 2,
      approval: { state: 'waiting' },
    });
  });

  it('keeps its place after the approval when a ship does not take it', async () => {
    const { fixture, first } = await waiting();
    await fixture.queue.approve(first.ref.runId, 'api', nothing);
    const second = await taken(fixture);
    await fixture.queue.reject(second.ref, shipOf(second), 'full');
    expect(await fixture.queue.get(first.ref.runId)).toMatchObject({ state: 'queued', attempt: 1, part: 1 });
    expect((await taken(fixture)).run.part).toBe(1);
  });

  it('keeps its group while it waits', async () => {
    const concurrency = { group: 'deploy', others: 'first' } as const;
    const { fixture, first } = await waiting({ concurrency });
    const other = await fixture.submit({ concurrency });
    expect(fixture.queue.explain(other).waitingReason).toBe('concurrency_group');
    await fixture.queue.approve(first.ref.runId, 'api', nothing);
    const second = await taken(fixture);
    expect(second.ref.runId).toBe(first.ref.runId);
    await fixture.queue.complete(second.ref, shipOf(second), ended);
    expect((await taken(fixture)).ref.runId).toBe(other.id);
  });
});
