import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Project, Run } from '../../../generated/runs/sdk/types.gen.ts';
import { FaultBench, leases, QUICK } from '../../../src/testkit/runs-faults/bench.ts';
import { ProgramClock } from '../../../src/testkit/runs-faults/clock.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { counted, OVERLAP } from '../../../src/testkit/runs-faults/pipelines.ts';
import { serve, ZONE } from '../../../src/testkit/runs-faults/serve.ts';

const LIMIT = { timeout: 120_000 };

describe.concurrent('a server that stands still for longer than a lease', LIMIT, () => {
  it('takes no run from ships that could not reach it meanwhile', async (test) => {
    const bench = await serve(test, { queue: QUICK });
    await bench.ship('one', ZONE);
    const id = await bench.submit('all', 'patient');
    await bench.logged(id, 'attempt 1');
    bench.server.signal('SIGSTOP');
    await setTimeout(9000); // it has to last
    bench.server.signal('SIGCONT');
    expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
  });
});

describe.concurrent('a cancel while the ship is dead', LIMIT, () => {
  it('is over without the end of the lease, and at once when the ship is back', async (test) => {
    const bench = await serve(test, { queue: leases('10m') });
    const ship = await bench.ship('one', ZONE);
    const [first, second] = [await bench.submit('all', 'endless'), await bench.submit('all', 'endless')];
    await Promise.all([bench.logged(first, 'attempt 1'), bench.logged(second, 'attempt 1')]);
    await ship.program.signal('SIGKILL').ended;
    const cancel = (id: string) => bench.call('POST', `/runs/${id}/cancel`);
    expect(await cancel(first)).toMatchObject({ status: 200, body: { data: { state: 'cancelling' } } });
    await bench.reached(first, 'cancelled'); // its lease lasts ten minutes
    expect(await cancel(second)).toMatchObject({ status: 200 });
    await ship.restart();
    expect(await bench.reached(second, 'cancelled')).toMatchObject({ attempt: 1 });
    expect([...bench.stepsOf(first), ...bench.stepsOf(second)]).toEqual([]);
  });
});

describe.concurrent('a server whose clock is set', LIMIT, () => {
  it('days ahead, and back: what a schedule has missed is one run, and none is queued twice', async (test) => {
    const clock = new ProgramClock();
    test.onTestFinished(() => clock.remove());
    const schedule = 'scheduler: {release_pipeline: release, jitter: 0s}\nprojects: [{id: all, repository: org/all, ' +
      'release_interval: 1h}]\npipelines: [{name: release, steps: [{name: only, run: echo released}]}]\n';
    const bench = new FaultBench({ local: true, env: clock.env, yaml: () => `${QUICK}\n${schedule}` });
    test.onTestFinished(() => bench.close());
    await bench.serve();
    const next = async (): Promise<number> => (await bench.data<Project[]>('GET', '/projects'))[0]!.next_release_at!;
    const first = await next();
    const runsAfter = async (count: number): Promise<Run[]> =>
      eventually(`${count} runs`, async () => {
        const runs = await bench.allRuns();
        return runs.length >= count && runs.every(({ finished_at: end }) => end !== null) ? runs : undefined;
      });
    // Schedules are checked once a minute, and when the configuration is reloaded.
    const set = async (aheadMs: number): Promise<void> => {
      clock.set(aheadMs);
      await setTimeout(500);
      bench.touch();
    };
    await set(10 * 86_400_000);
    expect(await runsAfter(1)).toHaveLength(1);
    expect(await next()).toBeGreaterThan(first + 9 * 86_400);
    await set(0);
    await set(10 * 86_400_000 + 3_600_000);
    expect(await runsAfter(2)).toHaveLength(2);
  });

  it('an hour ahead and two back: leases last as long as ever, no run is lost or waits; a join token goes by the clock', async (test) => {
    const clock = new ProgramClock();
    test.onTestFinished(() => clock.remove());
    const bench = await serve(test, { queue: QUICK, env: clock.env });
    const ship = await bench.ship('one', ZONE);
    const steady = await bench.submit('all', 'count', '150');
    await bench.logged(steady, 'line 5');
    const token = await bench.makeToken('late', []);
    clock.set(3_600_000);
    await bench.logged(steady, 'line 40');
    const late = await bench.start(['ship', 'join', '--server', bench.enrol, '--name', 'late', '--data-dir',
      join(bench.folder, 'late')], { env: { QUIRE_JOIN_TOKEN: token } }).ended;
    expect(late).toMatchObject({ code: 1, stderr: expect.stringMatching(/token/) as string });
    clock.set(-3_600_000);
    expect(await bench.reached(steady, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await bench.output(steady)).toEqual(counted(150));

    const id = await bench.submit('all', 'second');
    await bench.logged(id, 'attempt 1');
    await ship.program.signal('SIGKILL').ended;
    clock.set(-7_200_000);
    await bench.when(id, 'its lease to end', ({ attempt }) => attempt === 2);
    clock.set(0);
    await ship.restart();
    expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 2 });
    expect(await bench.output(id, 2)).not.toContain(OVERLAP);
  });
});
