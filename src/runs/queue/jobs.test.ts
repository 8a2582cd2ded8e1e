import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeShip, newRun, QueueFixture } from '../../testkit/runs-queue.ts';
import type { CellValues } from '../config/index.ts';
import type { JobRule } from '../definitions/index.ts';
import type { NewRun, Outcome, RunRecord } from './port.ts';

const opened: QueueFixture[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ sql }) => sql.close())));

async function open(): Promise<QueueFixture> {
  const fixture = await QueueFixture.open();
  opened.push(fixture);
  return fixture;
}

type Job = Partial<JobRule> & { readonly name: string; readonly cells?: number };

/** A run with these jobs, each with one cell, or with cells `n=1` and so on. */
function withJobs(...jobs: readonly Job[]): Partial<NewRun> {
  const { definition } = newRun();
  const rules = jobs.map(({ cells: _, ...job }): JobRule => ({
    needs: [],
    runIf: 'success',
    continueOnError: false,
    maxParallel: 0,
    failFast: true,
    ...job,
  }));
  const cells = jobs.flatMap(({ name, cells: count }) =>
    Array.from({ length: count ?? 1 }, (_, index) => ({
      job: name,
      values: (count === undefined ? {} : { n: index + 1 }) as CellValues,
      definition,
      runsOn: [],
      maxAttempts: 1,
    }))
  );
  return { maxAttempts: 1, definition: { ...definition, jobs: rules }, cells };
}

const BUILD: Job = { name: 'build' };
const TEST: Job = { name: 'test', needs: ['build'], cells: 2, failFast: false };
const REPORT: Job = { name: 'report', needs: ['test'], runIf: 'always' };
const ALARM: Job = { name: 'alarm', needs: ['build', 'test'], runIf: 'failure' };

const partsOf = async ({ queue }: QueueFixture, { id }: Pick<RunRecord, 'id'>): Promise<RunRecord[]> =>
  (await queue.list({ parentId: id }, undefined, 100)).toReversed();

/** The states of all jobs: `skipped` for those that were not run. */
async function states(fixture: QueueFixture, parent: Pick<RunRecord, 'id'>): Promise<string> {
  const parts = await partsOf(fixture, parent);
  return [await fixture.state(parent.id),
    ...parts.map(({ job, state, skipped }) => `${job}:${skipped === null ? state : 'skipped'}`)].join(' ');
}

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

/** Assigns runs and ends them until none is left; those of the jobs in `failing` fail. */
async function runAll(fixture: QueueFixture, ship: FakeShip, ...failing: string[]): Promise<string[]> {
  const order: string[] = [];
  for (let runs = await handOut(fixture, ship); runs.length > 0; runs = await handOut(fixture, ship)) {
    for (const run of runs) {
      order.push(run.job!);
      await end(fixture, run, failing.includes(run.job!) ? 'failed' : 'succeeded');
    }
  }
  return order;
}

describe('a run with jobs', () => {
  it('starts each job when those that it needs have ended, and tells why the others wait', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withJobs(BUILD, TEST, REPORT));
    const waiting = (await partsOf(fixture, parent))[1]!;
    expect([parent.cells, fixture.queue.explain(waiting).waitingReason]).toEqual([4, 'needs']);
    expect(await runAll(fixture, ship)).toEqual(['build', 'test', 'test', 'report']);
    expect(await states(fixture, parent)).toBe(
      'succeeded build:succeeded test:succeeded test:succeeded report:succeeded',
    );
  });

  it('skips what needs a job that has failed, and runs what is for failures or for any end', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withJobs(BUILD, TEST, REPORT, ALARM));
    expect(await runAll(fixture, ship, 'build')).toEqual(['build', 'report', 'alarm']);
    expect(await states(fixture, parent)).toBe(
      'failed build:failed test:skipped test:skipped report:succeeded alarm:succeeded',
    );
    const [, test] = await partsOf(fixture, parent);
    expect(test).toMatchObject({ state: 'cancelled', skipped: 'the job build, which it needs, has failed' });
    expect((await fixture.queue.get(parent.id))!.error).toMatchObject({
      code: 'job_failed',
      message: '1 of 5 jobs failed: build',
    });
  });

  it('skips what is for failures when there are none', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withJobs(BUILD, { ...ALARM, needs: ['build'] }));
    await runAll(fixture, ship);
    expect(await states(fixture, parent)).toBe('succeeded build:succeeded alarm:skipped');
  });

  it('goes on after a job that may fail', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withJobs({ ...BUILD, continueOnError: true }, TEST));
    await runAll(fixture, ship, 'build');
    expect(await states(fixture, parent)).toBe('succeeded build:failed test:succeeded test:succeeded');
  });

  it('ends the other cells of a matrix with the first that fails, and no other job', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const lint: Job = { name: 'lint', cells: 3, maxParallel: 1, failFast: true };
    const parent = await fixture.submit(withJobs(lint, { name: 'unit' }, { name: 'pack', needs: ['unit'] }));
    expect((await runAll(fixture, ship, 'lint')).sort()).toEqual(['lint', 'pack', 'unit']);
    expect(await states(fixture, parent)).toBe(
      'failed lint:failed lint:cancelled lint:cancelled unit:succeeded pack:succeeded',
    );
    expect((await fixture.queue.get(parent.id))!.error!.message).toBe(
      '1 of 5 jobs failed: lint (n=1); 2 were cancelled',
    );
  });

  it('is cancelled with the jobs that wait', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit(withJobs(BUILD, TEST, REPORT));
    const [build] = await handOut(fixture, ship);
    await fixture.queue.cancel(parent.id, async () => {});
    expect(await states(fixture, parent)).toBe(
      'cancelling build:cancelling test:cancelled test:cancelled report:cancelled',
    );
    await end(fixture, build!, 'cancelled');
    expect(await fixture.state(parent.id)).toBe('cancelled');
  });

  it('does not start for a cell that is cancelled while the run waits for an approval', async () => {
    const fixture = await open();
    const ship = shipOf(fixture);
    const parent = await fixture.submit({ ...withJobs(BUILD, { name: 'unit' }, TEST), approvalMs: 60_000 });
    const [build] = await partsOf(fixture, parent);
    await fixture.queue.cancel(build!.id, async () => {});
    expect(await handOut(fixture, ship)).toEqual([]);
    await fixture.queue.approve(parent.id, 'somebody', async () => {});
    expect(await runAll(fixture, ship)).toEqual(['unit']);
    expect(await states(fixture, parent)).toBe('cancelled build:cancelled unit:succeeded test:skipped test:skipped');
  });

  it('goes on after a restore that has ended a job', async () => {
    const fixture = await open();
    const parent = await fixture.submit(withJobs(BUILD, TEST, REPORT));
    await fixture.sql.transaction((tx) =>
      tx.run("UPDATE runs SET state = 'cancelled', waits_for = NULL, finished_at = 1 WHERE parent_id = ? AND job = ?", [
        parent.id,
        'build',
      ])
    );
    await fixture.restart();
    expect(await states(fixture, parent)).toBe('queued build:cancelled test:skipped test:skipped report:queued');
  });

  it('always ends, and runs no job before those that it needs', async () => {
    const job = fc.record({
      needs: fc.array(fc.nat(4), { maxLength: 3 }),
      runIf: fc.constantFrom('success' as const, 'failure' as const, 'always' as const),
      continueOnError: fc.boolean(),
      cells: fc.integer({ min: 1, max: 3 }),
      maxParallel: fc.nat(2),
      failFast: fc.boolean(),
    });
    const outcome = fc.constantFrom<Outcome>('succeeded', 'succeeded', 'failed');
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 5 }), fc.array(outcome, { maxLength: 20 }),
        async (wanted, outcomes) => {
          const fixture = await QueueFixture.open();
          const ship = shipOf(fixture);
          const jobs = wanted.map(({ needs: asked, runIf, ...rest }, i) => {
            const needs = [...new Set(asked.filter((n) => n < i).map((n) => `j${n}`))];
            // The configuration refuses a job for failures that needs none.
            return { ...rest, name: `j${i}`, needs, runIf: needs.length === 0 ? 'success' as const : runIf };
          });
          const parent = await fixture.submit(withJobs(...jobs));
          let next = 0;
          for (let runs = await handOut(fixture, ship); runs.length > 0; runs = await handOut(fixture, ship)) {
            for (const run of runs) {
              const others = await partsOf(fixture, parent);
              const needs = jobs.find(({ name }) => name === run.job)!.needs;
              expect(others.filter(({ job: name, finishedAt }) => needs.includes(name!) && finishedAt === null))
                .toEqual([]);
              const { state } = (await fixture.queue.get(run.id))!;
              if (state === 'running' || state === 'cancelling')
                await end(fixture, run, outcomes[next++ % (outcomes.length || 1)] ?? 'succeeded');
            }
          }
          const parts = await partsOf(fixture, parent);
          expect(parts.filter(({ finishedAt }) =>
            finishedAt === null
          )).toEqual([]);
          expect(['succeeded', 'failed', 'cancelled']).toContain(await fixture.state(parent.id));
          await fixture.sql.close();
        }),
      { numRuns: Number(process.env['QUIRE_MODEL_RUNS'] ?? 15) },
    );
  });
});
