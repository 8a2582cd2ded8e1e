import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeShip, newRun, QueueFixture } from '../../testkit/runs-queue.ts';
import type { JobRule } from '../definitions/index.ts';
import type { NewRun, Outcome, RunRecord } from './port.ts';

const opened: QueueFixture[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ sql }) => sql.close())));

async function open(): Promise<QueueFixture> {
  const fixture = await QueueFixture.open();
  opened.push(fixture);
  return fixture;
}

/** A run with cells `n=1` and so on. */
function withCells(count: number,
  { maxParallel = 0, failFast = false }: { readonly maxParallel?: number; readonly failFast?: boolean } = {}
): Partial<NewRun> {
  const { definition } = newRun();
  const cells = Array.from({ length: count },
    (_, index) => ({ job: '', values: { n: index + 1 }, definition, runsOn: [], maxAttempts: 1 }));
  const rule: JobRule = { name: '', needs: [], runIf: 'success', continueOnError: false, maxParallel, failFast };
  return { maxAttempts: 1, input: 'to all', definition: { ...definition, jobs: [rule] }, cells };
}

const cellsOf = async ({ queue }: QueueFixture, { id }: Pick<RunRecord, 'id'>): Promise<RunRecord[]> =>
  (await queue.list({ parentId: id }, undefined, 100)).toReversed();

const states = async (fixture: QueueFixture, parent: Pick<RunRecord, 'id'>) =>
  [await fixture.state(parent.id), ...(await cellsOf(fixture, parent)).map(({ state }) => state)].join(' ');

/** Assigns all assignable runs. */
async function handOut(fixture: QueueFixture, ship: FakeShip): Promise<RunRecord[]> {
  await fixture.parts.dispatcher.dispatch();
  return ship.claims.splice(0).map(({ run }) => run);
}

async function end({ queue }: QueueFixture, { id }: Pick<RunRecord, 'id'>,
  outcome: Outcome = 'succeeded'): Promise<void>
{
  const { attempt, fence } = (await queue.get(id))!;
  const ref = { runId: id, attempt, fence };
  await queue.accept(ref, 'ship');
  await queue.complete(ref, 'ship', { outcome, started: true });
}

function shipOf(fixture: QueueFixture): FakeShip {
  const ship = new FakeShip('ship', 100);
  fixture.queue.addWorker(ship);
  return ship;
}

const cancel = ({ queue }: QueueFixture, { id }: Pick<RunRecord, 'id'>) => queue.cancel(id, async () => {});

describe('a run with a matrix', () => {
  it('goes to no ship itself, runs with its first cell and succeeds with its last one', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withCells(2));
    expect([parent.cells, parent.state, await states(fixture, parent)]).toEqual([2, 'queued', 'queued queued queued']);
    await fixture.parts.dispatcher.dispatch();
    const claims = ship.claims.splice(0);
    expect(claims.map(({ run, input }) => [run.parentId, run.matrix, input])).toEqual([[parent.id, { n: 1 }, 'to all'],
      [parent.id, { n: 2 }, 'to all']]);
    expect(await states(fixture, parent)).toBe('running running running');
    await end(fixture, claims[0]!.run);
    expect(await states(fixture, parent)).toBe('running succeeded running');
    await end(fixture, claims[1]!.run);
    expect(await states(fixture, parent)).toBe('succeeded succeeded succeeded');
    expect(fixture.changes.filter(({ run }) => run.id === parent.id).map(({ from, run }) => [from, run.state])).toEqual(
      [[null, 'queued'], ['queued', 'running'], ['running', 'succeeded']],
    );
  });

  it('takes no place of its project, and no lease or deadline ends it', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit({ ...withCells(3), projectId: 'limited' });
    const running = await handOut(fixture, ship);
    expect(running).toHaveLength(2);
    await fixture.restart();
    fixture.queue.addWorker(ship);
    await fixture.live(5000);
    expect(await states(fixture, parent)).toBe('running running running queued');
    await end(fixture, running[0]!);
    expect(await handOut(fixture, ship)).toHaveLength(1);
  });

  it('assigns at most as many cells at once as its limit says', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withCells(3, { maxParallel: 2 }));
    const [first, second] = await handOut(fixture, ship);
    const waiting = (await cellsOf(fixture, parent))[2]!;
    expect([ship.claims.length, fixture.queue.explain(waiting).waitingReason]).toEqual([0, 'matrix']);
    await end(fixture, second!, 'failed');
    expect((await handOut(fixture, ship)).map(({ matrix }) => matrix)).toEqual([{ n: 3 }]);
    await end(fixture, waiting);
    await end(fixture, first!);
    expect(await fixture.queue.get(parent.id)).toMatchObject({
      state: 'failed',
      error: { code: 'matrix_failed', message: '1 of 3 cells failed: n=2' },
    });
  });

  it('cancels the others with the first that fails, where it is asked to', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withCells(4, { maxParallel: 2, failFast: true }));
    const [first, second] = await handOut(fixture, ship);
    await end(fixture, first!, 'failed');
    expect(await states(fixture, parent)).toBe('running failed cancelling cancelled cancelled');
    await end(fixture, second!, 'cancelled');
    expect(await fixture.queue.get(parent.id)).toMatchObject({
      state: 'failed',
      error: { message: '1 of 4 cells failed: n=1; 3 were cancelled' },
    });
  });

  it('is cancelled with all its cells, and a single one by itself', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const [parent, queued] = [await fixture.submit(withCells(3, { maxParallel: 2 })),
      await fixture.submit({ ...withCells(2), priority: -5 })];
    const [first, second] = (await handOut(fixture, ship)).filter(({ parentId }) => parentId === parent.id);
    await cancel(fixture, first!);
    await end(fixture, first!, 'cancelled');
    expect(await states(fixture, parent)).toBe('running cancelled running queued');
    expect((await cancel(fixture, parent))?.state).toBe('cancelling');
    expect(await states(fixture, parent)).toBe('cancelling cancelled cancelling cancelled');
    expect(await cancel(fixture, parent)).toBeUndefined();
    await end(fixture, second!, 'succeeded');
    expect(await states(fixture, parent)).toBe('cancelled cancelled cancelled cancelled');
    const other = await fixture.submit({ ...withCells(2), projectId: 'off' });
    expect((await cancel(fixture, other))?.state).toBe('cancelled');
    expect([await states(fixture, other), (await fixture.queue.get(queued.id))!.state]).toEqual([
      'cancelled cancelled cancelled',
      'running',
    ]);
  });

  it('is in its group as a whole, and is approved once', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const concurrency = { group: 'deploy', others: 'first' as const };
    const [first, second] = [await fixture.submit({ ...withCells(2), concurrency }),
      await fixture.submit({ ...withCells(2), concurrency, approvalMs: 60_000 })];
    const running = await handOut(fixture, ship);
    expect(running.map(({ parentId }) => parentId)).toEqual([first.id, first.id]);
    await fixture.queue.approve(second.id, 'somebody', async () => {});
    expect([await handOut(fixture, ship), fixture.queue.explain((await fixture.queue.get(second.id))!).waitingReason])
      .toEqual([[], 'concurrency_group']);
    for (const run of running) await end(fixture, run);
    expect((await handOut(fixture, ship)).map(({ parentId }) => parentId)).toEqual([second.id, second.id]);
    const third = await fixture.submit({ ...withCells(1), concurrency: { group: 'deploy', others: 'cancel_all' } });
    expect([await states(fixture, second), await states(fixture, third)]).toEqual(['cancelling cancelling cancelling',
      'queued queued']);
    const rejected = await fixture.submit({ ...withCells(2), approvalMs: 60_000 });
    await fixture.queue.disapprove(rejected.id, 'somebody', async () => {});
    expect(await states(fixture, rejected)).toBe('cancelled cancelled cancelled');
  });

  it('ends when a restore has ended its cells', async () => {
    const fixture = await open();
    const parent = await fixture.submit(withCells(2));
    await fixture.sql.transaction((tx) =>
      tx.run("UPDATE runs SET state = 'cancelled', waits_for = NULL, finished_at = 1 WHERE parent_id = ?", [parent.id])
    );
    await fixture.restart();
    expect(await fixture.state(parent.id)).toBe('cancelled');
  });

  it('makes all its cells work on the commit that the first one has found', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withCells(2, { maxParallel: 1 }));
    const [first] = await handOut(fixture, ship);
    await fixture.queue.recordSource({ runId: first!.id, attempt: 1, fence: first!.fence }, 'ship', {
      gitRef: 'main',
      commit: 'a'.repeat(40),
    });
    expect((await cellsOf(fixture, parent)).map(({ gitCommit }) => gitCommit)).toEqual(['a'.repeat(40),
      'a'.repeat(40)]);
    expect((await fixture.queue.get(parent.id))!.gitRef).toBe('main');
  });

  it('is as its cells are, whatever happens to them', async () => {
    const step = fc.record({
      cell: fc.nat(3),
      what: fc.constantFrom('succeeded' as const, 'failed' as const, 'cancel' as const, 'hand out' as const,
        'cancel all' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.nat(3), fc.array(step, { maxLength: 14 }),
        async (failFast, maxParallel, steps) => {
          const fixture = await QueueFixture.open();
          const ship = shipOf(fixture);
          const parent = await fixture.submit(withCells(4, { failFast, maxParallel }));
          for (const { cell, what } of steps) {
            const target = (await cellsOf(fixture, parent))[cell]!;
            if (what === 'hand out') await handOut(fixture, ship);
            else if (what === 'cancel') await cancel(fixture, target);
            else if (what === 'cancel all') await cancel(fixture, parent);
            else if (target.state === 'running' || target.state === 'cancelling') await end(fixture, target, what);
            const now = (await fixture.queue.get(parent.id))!;
            const cells = (await cellsOf(fixture, parent)).map(({ state }) => state);
            const held = cells.filter((state) => state === 'running' || state === 'cancelling').length;
            const isOver = cells.every((state) => state === 'succeeded' || state === 'failed' || state === 'cancelled');
            expect(isOver).toBe(now.finishedAt !== null);
            if (maxParallel > 0) expect(held).toBeLessThanOrEqual(maxParallel);
            if (now.state === 'succeeded') expect(new Set(cells)).toEqual(new Set(['succeeded']));
            if (now.state === 'failed') expect(cells).toContain('failed');
            if (held > 0) expect(['running', 'cancelling']).toContain(now.state);
          }
          await fixture.sql.close();
        }),
      { numRuns: Number(process.env['QUIRE_MODEL_RUNS'] ?? 15) },
    );
  });
});
