// Jobs with artefacts that go on from one to the next, a matrix and a job that is skipped: on a real server and ship.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { runQuire } from '../../testkit/commands/run-command.ts';
import { OWN_USER } from '../../testkit/runs-executor.ts';
import { API_TOKEN, serveRuns } from '../../testkit/runs-server.ts';
import type { RunningRunQueueService } from '../runs-service.ts';

const YAML = `
local: {sandbox: none, run_as: ${OWN_USER}, capacity: 4}
projects: [{id: alpha, repository: org/alpha}]
pipelines:
  - name: ci
    env: {WHOLE: everywhere}
    jobs:
      - {name: build, steps: [{name: make, run: 'mkdir dist; echo app > dist/app; echo scratch > other', artifacts: [dist]}]}
      - name: test
        needs: [build]
        matrix: {n: [1, 2], fail_fast: false}
        env: {OWN: "true"}
        steps: [{name: check, run: 'cat dist/app; test ! -e other; echo "$WHOLE $OWN" > "dist/report-$QUIRE_MATRIX_N"; test -e /nowhere || test "$QUIRE_MATRIX_N" = 1', artifacts: [dist/report-*]}]
      - {name: publish, needs: [test], steps: [{name: push, run: 'exit 1'}]}
      - {name: report, needs: [build, test], if: always, steps: [{name: tell, run: 'cat dist/app dist/report-1 dist/report-2'}]}
      - {name: alarm, needs: [test], if: failure, steps: [{name: ring, run: 'echo alarm'}]}
`;
const UNTIL = { timeout: 60_000, interval: 50 };

let folder: string;
let service: RunningRunQueueService;

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${API_TOKEN}`,
      'idempotency-key': crypto.randomUUID(),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json() as { data: T }).data;
}

async function ended(id: string): Promise<Run> {
  await vi.waitFor(async () => expect((await call<Run>('GET', `/runs/${id}`)).finished_at).not.toBeNull(), UNTIL);
  return call<Run>('GET', `/runs/${id}`);
}

const jobsOf = async (id: string): Promise<Run[]> => (await call<Run[]>('GET', `/runs?parent_id=${id}`)).toReversed();

const linesOf = async (id: string): Promise<string[]> =>
  (await call<{ message: string }[]>('GET', `/runs/${id}/logs`)).map(({ message }) => message);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-jobs-'));
  ({ service } = await serveRuns({ folder, yaml: YAML }));
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('runs jobs one after the other, with the artefacts of those that they need', { timeout: 180_000 }, async () => {
  const { id } = await call<Run>('POST', '/runs', { project_id: 'alpha', kind: 'pipeline', task: 'ci' });
  expect(await ended(id)).toMatchObject({
    state: 'failed',
    cells: 6,
    error: { code: 'job_failed', message: '1 of 6 jobs failed: test (n=2)' },
  });
  const jobs = await jobsOf(id);
  expect(jobs.map(({ job, state, skipped }) => [job, state, skipped])).toEqual([['build', 'succeeded', null], ['test',
    'succeeded', null], ['test', 'failed', null], ['publish', 'cancelled', 'the job test, which it needs, has failed'],
    ['report', 'succeeded', null], ['alarm', 'succeeded', null]]);
  expect(await linesOf(jobs[4]!.id)).toEqual(
    expect.arrayContaining(['restored 3 artefacts of earlier steps and jobs', 'app', 'everywhere true']),
  );

  // Of a retry of what has failed, jobs get the artefacts of those that had succeeded.
  const retry = await call<Run>('POST', `/runs/${id}/retry?cells=failed`);
  await ended(retry.id);
  const again = await jobsOf(retry.id);
  expect(again.map(({ job, matrix, state }) => [job, matrix, state])).toEqual([['test', { n: 2 }, 'failed'], ['publish',
    null, 'cancelled']]);
  expect(await linesOf(again[0]!.id)).toEqual(expect.arrayContaining(['app']));
  const alone = await call<Run>('POST', `/runs/${jobs[2]!.id}/retry`);
  expect(await ended(alone.id)).toMatchObject({ job: 'test', matrix: { n: 2 }, parent_id: null, state: 'failed' });
  expect(await linesOf(alone.id)).toEqual(expect.arrayContaining(['app']));

  const { stdout } = await runQuire(['runs', 'show', jobs[3]!.id, '--url', service.url, '--token', API_TOKEN]);
  expect(stdout).toMatch(/job +publish/);
  expect(stdout).toMatch(/skipped +the job test, which it needs, has failed/);
});
