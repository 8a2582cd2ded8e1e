import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';
import type { Concurrency } from '../definitions/index.ts';
import type { RunRecord } from './port.ts';

const opened: QueueFixture[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ sql }) => sql.close())));

async function open(): Promise<QueueFixture> {
  const fixture = await QueueFixture.open();
  opened.push(fixture);
  return fixture;
}

const inGroup = (others: Concurrency['others'] = 'first', group = 'deploy') => ({ concurrency: { group, others } });

/** Assigns all assignable runs, and ends those that `ends` names. */
async function work(fixture: QueueFixture, ship: FakeShip): Promise<string[]> {
  await fixture.parts.dispatcher.dispatch();
  return ship.claims.splice(0).map(({ run }) => run.id);
}

async function end(fixture: QueueFixture, { id }: Pick<RunRecord, 'id'>,
  outcome: 'succeeded' | 'failed' | 'cancelled' | 'ship_error' = 'succeeded'): Promise<void>
{
  const { attempt, fence } = (await fixture.queue.get(id))!;
  const ref = { runId: id, attempt, fence };
  await fixture.queue.accept(ref, 'ship');
  await fixture.queue.complete(ref, 'ship', { outcome, started: true });
}

function shipOf(fixture: QueueFixture): FakeShip {
  const ship = new FakeShip('ship', 10);
  fixture.queue.addWorker(ship);
  return ship;
}

const groups = ({ sql }: QueueFixture) => sql.all('SELECT name, holder FROM concurrency_groups');

describe('runs of one group', () => {
  it('are under way one at a time, by priority and then in their order, and hold up no other', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const [first, second, third] = [await fixture.submit(inGroup()), await fixture.submit(inGroup()),
      await fixture.submit({ ...inGroup(), priority: 5 })];
    const [other, free] = [await fixture.submit(inGroup('first', 'other')), await fixture.submit()];
    expect(await work(fixture, ship)).toEqual([first.id, other.id, free.id]);
    expect(fixture.queue.explain((await fixture.queue.get(second.id))!).waitingReason).toBe('concurrency_group');
    expect((await fixture.queue.numbers()).oldestQueuedSeconds).toEqual([{ reason: 'concurrency_group', seconds: 0 }]);
    await end(fixture, first);
    expect(await work(fixture, ship)).toEqual([third.id]);
    await end(fixture, third, 'failed');
    expect(await work(fixture, ship)).toEqual([second.id]);
    await end(fixture, second);
    await end(fixture, other);
    expect(await groups(fixture)).toEqual([]);
  });

  it('wait while the one before is between two attempts, also over a new start', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const [first, second] = [await fixture.submit(inGroup()), await fixture.submit(inGroup())];
    await work(fixture, ship);
    await end(fixture, first, 'ship_error');
    await fixture.restart();
    const again = shipOf(fixture);
    expect(await work(fixture, again)).toEqual([]);
    await fixture.live(10_000);
    expect(await work(fixture, again)).toEqual([first.id]);
    await end(fixture, first);
    expect(await work(fixture, again)).toEqual([second.id]);
  });

  it('get their turn when the one before is cancelled before or while it runs', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const [first, second, third] = [await fixture.submit(inGroup()), await fixture.submit(inGroup()),
      await fixture.submit(inGroup())];
    await fixture.queue.cancel(first.id, async () => {});
    expect(await work(fixture, ship)).toEqual([second.id]);
    await fixture.queue.cancel(second.id, async () => {});
    expect(await work(fixture, ship)).toEqual([]);
    await end(fixture, second, 'cancelled');
    expect(await work(fixture, ship)).toEqual([third.id]);
  });

  it('make room for the newest where only that is kept, but not one that is under way', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const [first, second] = [await fixture.submit(inGroup('cancel_waiting')),
      await fixture.submit(inGroup('cancel_waiting'))];
    expect(await fixture.state(first.id)).toBe('cancelled');
    expect(await work(fixture, ship)).toEqual([second.id]);
    const [third, fourth] = [await fixture.submit(inGroup('cancel_waiting')),
      await fixture.submit(inGroup('cancel_waiting'))];
    expect([await fixture.state(second.id), await fixture.state(third.id)]).toEqual(['running', 'cancelled']);
    expect(fixture.lines.find(({ runId, message }) => runId === third.id && message.includes('cancelled'))!.message)
      .toContain(`run ${fourth.id} of its group takes its place`);
    await end(fixture, second, 'ship_error');
    await fixture.submit(inGroup('cancel_waiting'));
    expect(await fixture.state(second.id)).toBe('queued'); // between two attempts
  });

  it('are asked to stop where a new one cancels those in progress; it starts when they have', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const first = await fixture.submit(inGroup('cancel_all'));
    await work(fixture, ship);
    const second = await fixture.submit(inGroup('cancel_all'));
    const third = await fixture.submit(inGroup('cancel_all'));
    expect([await fixture.state(first.id), await fixture.state(second.id)]).toEqual(['cancelling', 'cancelled']);
    expect(await work(fixture, ship)).toEqual([]);
    await end(fixture, first, 'succeeded');
    expect(await work(fixture, ship)).toEqual([third.id]);
  });

  it('that wait for an approval are cancelled by a newer one that enters, and cancel no newer one themselves', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const careful = (others: Concurrency['others']) => fixture.submit({ ...inGroup(others), approvalMs: 60_000 });
    const approve = (run: RunRecord) => fixture.queue.approve(run.id, 'lead', async () => {});
    for (const others of ['cancel_waiting', 'cancel_all'] as const) {
      const [older, newer, newest] = [await careful(others), await careful(others), await careful('first')];
      await approve(newer);
      expect(await fixture.queue.get(older.id)).toMatchObject({ state: 'cancelled', approval: { state: 'withdrawn' } });
      expect(fixture.lines.findLast(({ runId }) => runId === older.id)!.message).toBe(
        `the run is cancelled: run ${newer.id} of its group takes its place`,
      );
      expect(await approve(older)).toBeUndefined();
      expect(await fixture.state(newest.id)).toBe('queued');
      await approve(newest);
      const last = await careful(others);
      expect(await fixture.state(newest.id)).toBe('queued'); // nobody has approved the last one yet
      expect(await work(fixture, ship)).toEqual([newer.id]);
      await end(fixture, newer);
      expect(await work(fixture, ship)).toEqual([newest.id]);
      await end(fixture, newest);
      await approve(last);
      expect(await work(fixture, ship)).toEqual([last.id]);
      await end(fixture, last);
    }
  });

  it('end as the newest alone where an older one is approved while it is queued', async () => {
    const fixture = await open();
    for (let n = 0; n < 5; n++) {
      const older = await fixture.submit({ ...inGroup('cancel_waiting'), approvalMs: 60_000 });
      const [, newer] = await Promise.all([fixture.queue.approve(older.id, 'lead', async () => {}),
        fixture.submit(inGroup('cancel_waiting'))]);
      expect([await fixture.state(older.id), await fixture.state(newer.id)]).toEqual(['cancelled', 'queued']);
    }
  });

  it('are not approved once a later one of the same pipeline has begun', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const careful = (run = {}) => fixture.submit({ ...inGroup(), approvalMs: 60_000, ...run });
    const approve = (run: RunRecord) => fixture.queue.approve(run.id, 'lead', async () => {});
    const [first, second, third, other] = [await careful(), await careful(), await careful(),
      await careful({ task: 'test' })];
    await approve(third);
    await fixture.sql.transaction((tx) => tx.run('UPDATE runs SET fence = fence + 1000000')); // as after a restore
    await approve(second); // the later one has not begun: both are done in their order
    expect(await work(fixture, ship)).toEqual([third.id]);
    const refusal = `run ${third.id} of its group, which was queued later, has begun`;
    await expect(approve(first)).rejects.toThrow(refusal);
    await end(fixture, third);
    await expect(approve(first)).rejects.toThrow(refusal);
    expect(await fixture.queue.get(first.id)).toMatchObject({ state: 'queued', approval: { state: 'waiting' } });
    expect(await work(fixture, ship)).toEqual([second.id]);
    await approve(other);
    await end(fixture, second);
    expect(await work(fixture, ship)).toEqual([other.id]);
  });

  it('are passed on at the start where a build without groups has ended the holder', async () => {
    const fixture = await open();
    const [first, second] = [await fixture.submit(inGroup()), await fixture.submit(inGroup())];
    await fixture.sql.transaction((tx) =>
      tx.run("UPDATE runs SET state = 'cancelled', finished_at = 1, waits_for = NULL WHERE id = ?", [first.id])
    );
    await fixture.restart();
    expect(await work(fixture, shipOf(fixture))).toEqual([second.id]);
  });

  it('are never two at once, and none is forgotten, whatever happens in which order', async () => {
    const step = fc.oneof(fc.record({
      do: fc.constant('submit' as const),
      group: fc.constantFrom('a', 'b'),
      others: fc.constantFrom('first' as const, 'cancel_waiting' as const, 'cancel_all' as const),
      approved: fc.boolean(),
    }), fc.record({
      do: fc.constantFrom('work' as const, 'restart' as const, 'end' as const, 'cancel' as const, 'approve' as const),
      at: fc.nat(20),
      outcome: fc.constantFrom('succeeded' as const, 'failed' as const, 'ship_error' as const),
    }));
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const fixture = await QueueFixture.open();
      let ship = shipOf(fixture);
      const ids: string[] = [];
      const groupOf = new Map<string, string>();
      const begun = new Set<string>();
      for (const each of steps) {
        if (each.do === 'submit') {
          const { id } = await fixture.submit({
            ...inGroup(each.others, each.group),
            ...(!each.approved && { approvalMs: 1000 }),
          });
          ids.push(id);
          groupOf.set(id, each.group);
        } else if (each.do === 'work') { for (const id of await work(fixture, ship)) begun.add(id); }
        else if (each.do === 'restart') {
          await fixture.restart();
          ship = shipOf(fixture);
        } else if (ids.length > 0) {
          const id = ids[each.at % ids.length]!;
          if (each.do === 'cancel') await fixture.queue.cancel(id, async () => {});
          else if (each.do === 'approve') {
            const approved = await fixture.queue.approve(id, 'api', async () => {}).catch(() => undefined);
            const later = ids.slice(ids.indexOf(id) + 1).filter((other) => groupOf.get(other) === groupOf.get(id));
            if (approved !== undefined) expect(later.filter((other) => begun.has(other))).toEqual([]);
          } else await end(fixture, { id }, each.outcome);
        }
        const held = await fixture.sql.all<{ n: number }>(
          "SELECT count(*) AS n FROM runs WHERE state IN ('running', 'cancelling') GROUP BY concurrency_group",
        );
        expect(held.every(({ n }) => n === 1)).toBe(true);
      }
      for (let turn = 0; turn <= ids.length; turn++) {
        fixture.pass(400_000); // longer than any pause
        await fixture.parts.tick();
        await work(fixture, ship);
        for (const id of ids)
          if (['running', 'cancelling'].includes(await fixture.state(id))) await end(fixture, { id });
      }
      for (const id of ids) expect(['succeeded', 'failed', 'cancelled']).toContain(await fixture.state(id));
      expect(await groups(fixture)).toEqual([]);
      await fixture.sql.close();
    }), { numRuns: 20 });
  });
});
