// A run that waits between two steps: on a real server and its ship, over a restart of both.
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
local: {sandbox: none, run_as: ${OWN_USER}}
projects: [{id: alpha, repository: org/alpha}]
pipelines:
  - name: release
    steps:
      - {name: build, run: 'mkdir -p dist/deep; echo built > dist/deep/app; echo notes > "dist/release notes"; echo scratch > other', artifacts: [dist]}
      - {name: go-live, approval: {required: true, timeout: 8h, message: Deploy to production?}}
      - {name: deploy, run: 'cat dist/deep/app "dist/release notes"; test ! -e other; echo "$QUIRE_ATTEMPT" > "$QUIRE_RESULT_FILE"'}
`;
const UNTIL = { timeout: 60_000, interval: 50 };

let folder: string;
let service: RunningRunQueueService;

async function start(): Promise<void> {
  ({ service } = await serveRuns({ folder, yaml: YAML }));
}

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

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-approval-steps-'));
  await start();
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('continues after the approval, with the artefacts of the steps before it', { timeout: 180_000 }, async () => {
  const { id } = await call<Run>('POST', '/runs', { project_id: 'alpha', kind: 'pipeline', task: 'release' });
  await vi.waitFor(async () =>
    expect(await call<Run>('GET', `/runs/${id}`)).toMatchObject({
      state: 'queued',
      waiting_reason: 'approval',
      ship_id: null,
      approval: { state: 'waiting', step: 'go-live', message: 'Deploy to production?' },
    }), UNTIL);
  await service.stop();
  await start();
  const quire = (...args: string[]) => runQuire(['runs', ...args, '--url', service.url, '--token', API_TOKEN]);
  expect((await quire('show', id)).stdout).toMatch(/approval +go-live until .*: Deploy to production\?/);
  expect(await quire('approve', id)).toMatchObject({ exitCode: 0 });
  await vi.waitFor(async () => expect(await call<Run>('GET', `/runs/${id}`)).toMatchObject({ state: 'succeeded' }),
    UNTIL);
  const run = await call<Run>('GET', `/runs/${id}`);
  expect(run).toMatchObject({ attempt: 1, approval: { state: 'approved', by: 'api', step: 'go-live' } });
  const messages = (await call<{ message: string }[]>('GET', `/runs/${id}/logs`)).map(({ message }) => message);
  expect(messages).toEqual(
    expect.arrayContaining(['kept 2 artefacts', 'the step go-live is approved by api',
      'restored 2 artefacts of earlier steps and jobs', 'built', 'notes']),
  );
  expect(await call(`GET`, `/runs/${id}/result`)).toMatchObject({ content: expect.stringMatching(/^1\s*$/) });
  const attempts = await call<{ attempt: number; steps: { name: string }[] }[]>('GET', `/runs/${id}/attempts`);
  expect(attempts.map(({ attempt, steps }) => [attempt, steps.map(({ name }) => name)])).toEqual([[1, ['build']], [1, [
    'deploy',
  ]]]);
});
