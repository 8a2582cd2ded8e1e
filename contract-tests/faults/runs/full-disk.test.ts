import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { FaultBench, LONG_LEASES } from '../../../src/testkit/runs-faults/bench.ts';
import type { Answer } from '../../../src/testkit/runs-faults/client.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { pipelines, projects } from '../../../src/testkit/runs-faults/pipelines.ts';

/**
 * A multiple of 512; below the size at which the database's write-ahead log is checkpointed, and enough for the runs
 * that are queued first, even if each takes a commit of its own.
 */
const LIMIT = 6000 * 512;

const canLift = spawnSync('prlimit', ['--version']).status === 0;
const TIME = { timeout: 120_000 };

const lift = (pid: number): void =>
  expect(spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']).status).toBe(0);

/** One line of some length a moment, as long as it may. */
const TALK = `
  - {name: talk, steps: [{name: only, run: 'i=0; while [ $i -lt 20 ]; do head -c 9000 /dev/urandom | base64 -w 0; echo; i=$((i+1)); sleep 0.1; done; echo "the end"'}]}
`;

describe.concurrent('a full disk', TIME, () => {
  it.skipIf(!canLift)(
    'of the server: it refuses runs and goes on reading; with room again it goes on, and has lost none (needs ' +
      'prlimit of util-linux)',
    async ({ onTestFinished }) => {
      const bench = new FaultBench({
        local: true,
        yaml: (folder) =>
          `${LONG_LEASES}\nprojects: [{id: all, repository: org/all}, {id: later, repository: org/later, runs_on: [gpu=a100]}]\n${
            pipelines(folder)
          }`,
      });
      onTestFinished(() => bench.close());
      await bench.serve({ maxFileBytes: LIMIT });
      const ids: string[] = [];
      const refusals: Answer<Run>[] = [];
      const queued = await Promise.all(Array.from({ length: 24 }, () => bench.submit('later', 'short', '1')));
      // Some runs end while there is space, and some can no longer be recorded.
      const submit = async (): Promise<void> => {
        const answer = await bench.call<Run>('POST', '/runs', {
          project_id: 'all',
          kind: 'pipeline',
          task: 'short',
          input: '1',
        });
        if (answer.status === 202) ids.push(answer.body.data.id);
        else refusals.push(answer);
      };
      while (refusals.length < 8) await Promise.all(Array.from({ length: 8 }, submit));
      for (const { status, body } of refusals) expect([status, body.error!.code]).toEqual([500, 'enqueue_failed']);
      // A cancellation writes less than a new run, so some may succeed when there is no space for a run.
      let waiting = queued[0]!;
      let cancelled = await bench.call('POST', `/runs/${waiting}/cancel`);
      for (const id of queued.slice(1)) {
        if (cancelled.status !== 200) break;
        cancelled = await bench.call('POST', `/runs/${waiting = id}/cancel`);
      }
      expect(cancelled).toMatchObject({ status: 500, body: { error: { code: 'storage_failed' } } });
      expect((await bench.run(waiting)).state).toBe('queued');
      for (const path of [`/runs/${ids[0]!}`, '/runs', '/projects', `/runs/${ids[0]!}/logs`])
        expect((await bench.call('GET', path)).status, path).toBe(200);
      expect((await fetch(`${bench.url}/healthz`)).status).toBe(200);
      expect((await stat(join(bench.folder, 'server', 'runs.db-wal'))).size, 'the limit did not hold')
        .toBeLessThanOrEqual(LIMIT);

      lift(bench.server.pid);
      expect((await bench.call('POST', `/runs/${waiting}/cancel`)).body.data).toMatchObject({ state: 'cancelled' });
      refusals.length = 0;
      await submit();
      expect(refusals).toEqual([]);
      for (const id of ids) expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
      expect(await bench.server.signal('SIGTERM').ended).toMatchObject({ code: 0 });
    },
  );

  it('of a ship: costs nothing while the server takes the log as it comes', async ({ onTestFinished }) => {
    const bench = new FaultBench({
      yaml: (folder) => `${LONG_LEASES}\n${projects(['all'])}${pipelines(folder)}${TALK}`,
    });
    onTestFinished(() => bench.close());
    await bench.serve();
    await bench.ship('one', ['zone=all'], { maxFileBytes: 100 * 512 });
    const [first, second] = [await bench.submit('all', 'talk'), await bench.submit('all', 'short', '1')];
    expect(await bench.reached(first, 'succeeded')).toMatchObject({ attempt: 1, log_truncated: false });
    await bench.reached(second, 'succeeded');
    expect((await bench.output(first)).at(-1)).toBe('the end');
    await eventually('the ship to be free',
      async () => ((await bench.listShips())[0]!.running === 0 ? true : undefined));
  });
});

describe('a full store of logs', TIME, () => {
  it('costs an attempt the middle of its log, and the oldest runs theirs; no run is refused', async ({ onTestFinished }) => {
    const bench = new FaultBench({
      yaml: (folder) =>
        `${LONG_LEASES}\nlogs: {attempt_budget: 1MiB, total_budget: 900KiB}\n${projects(['all'])}${pipelines(folder)}
  - {name: flood, steps: [{name: only, run: 'head -c 1500000 /dev/urandom | base64 -w 900; { yes "$(printf "%0999d" 1)" || :; } | head -c 104857600; echo; echo the end; echo "{}" > "$QUIRE_RESULT_FILE"'}]}\n`,
    });
    onTestFinished(() => bench.close());
    await bench.serve();
    await bench.ship('one', ['zone=all']);
    const [flood, other] = [await bench.submit('all', 'flood'), await bench.submit('all', 'count', '40')];
    expect(await bench.reached(flood, 'succeeded')).toMatchObject({ attempt: 1, log_truncated: true });
    const log = await bench.log(flood);
    expect(log.filter(({ stream, level }) => stream === 'system' && level === 'warn').map(({ message }) => message))
      .toEqual([expect.stringMatching(/^the log has reached its limit of 1MiB/),
        expect.stringMatching(/^\d+ lines of \d+ bytes are left out here$/)]);
    expect((await bench.output(flood)).at(-1)).toBe('the end');
    expect((await bench.data<{ content: string }>('GET', `/runs/${flood}/result`)).content.trim()).toBe('{}');
    expect(await bench.reached(other, 'succeeded')).toMatchObject({ attempt: 1, log_truncated: false });
    expect((await bench.output(other)).length).toBe(40);
    const second = await bench.submit('all', 'flood');
    await bench.reached(second, 'succeeded');
    expect((await bench.output(second)).at(-1)).toBe('the end');
    await eventually('the first log to make room',
      async () => ((await bench.call('GET', `/runs/${flood}/logs`)).status === 410 ? true : undefined));
    expect(
      (await bench.call('POST', '/runs', { project_id: 'all', kind: 'pipeline', task: 'short', input: '1' })).status,
    ).toBe(202);
  });
});
