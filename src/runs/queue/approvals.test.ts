import { afterEach, describe, expect, it } from 'vitest';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';

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
    expect(run.approval).toEqual({ state: 'waiting', by: null, at: null, expiresAt: run.createdAt + 48 * 3600 });
    expect(await handedOut()).toEqual([other.id]);
    expect(fixture.queue.explain(run).waitingReason).toBe('approval');
    fixture.pass(30 * HOUR); // longer than queue_timeout
    await fixture.parts.tick();
    expect((await fixture.queue.numbers()).oldestQueuedSeconds).toContainEqual({ reason: 'approval', seconds: 30 * 3600 });
    await fixture.restart();
    const approved = await fixture.queue.approve(run.id, 'token:lead', nothing);
    expect(approved).toMatchObject({ state: 'queued', approval: { state: 'approved', by: 'token:lead', at: run.createdAt + 30 * 3600 }, availableMs: 0 });
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
    expect(await fixture.queue.disapprove(run.id, 'api', nothing)).toMatchObject({ state: 'cancelled', approval: { state: 'rejected', by: 'api' } });
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
    expect(await fixture.queue.get(run.id)).toMatchObject({ state: 'failed', error: { code: 'approval_timeout', message: 'nobody approved the run within 1h', retryable: true }, approval: { state: 'expired', by: null } });
  });

  it('can be cancelled, which withdraws it', async () => {
    const { fixture } = await open();
    const run = await fixture.submit({ approvalMs: HOUR });
    expect(await fixture.queue.cancel(run.id, nothing)).toMatchObject({ state: 'cancelled', approval: { state: 'withdrawn' } });
  });

  it('enters its group when it is approved, and holds nobody up before', async () => {
    const { fixture, handedOut } = await open();
    const concurrency = { group: 'deploy', others: 'cancel_waiting' } as const;
    const careful = await fixture.submit({ approvalMs: HOUR, concurrency });
    const first = await fixture.submit({ concurrency });
    expect(await handedOut()).toEqual([first.id]);
    const second = await fixture.submit({ concurrency });
    await fixture.queue.approve(careful.id, 'api', nothing);
    expect([await fixture.state(second.id), fixture.queue.explain((await fixture.queue.get(careful.id))!).waitingReason]).toEqual(['cancelled', 'concurrency_group']);
    const { attempt, fence } = (await fixture.queue.get(first.id))!;
    const ref = { runId: first.id, attempt, fence };
    await fixture.queue.accept(ref, 'ship');
    await fixture.queue.complete(ref, 'ship', { outcome: 'succeeded', started: true });
    expect(await handedOut()).toEqual([first.id, careful.id]);
  });
});
