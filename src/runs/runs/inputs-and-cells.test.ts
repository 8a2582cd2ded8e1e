import { afterEach, describe, expect, it } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { CONFIG, RunsApi, TOKEN } from '../../testkit/runs-api.ts';
import { WebhookEndpoint } from '../../testkit/webhook-endpoint.ts';
import { assignmentOf } from '../definitions/index.ts';
import type { Claim } from '../queue/port.ts';

let api: RunsApi;
afterEach(() => api.stop());

const PIPELINES = `
  - name: deploy
    inputs: [{name: target, type: choice, choices: [staging, production], default: staging}, {name: count, type: number}, {name: why, required: true}]
    concurrency: {group: 'deploy-{input.target}'}
    steps: [{name: go, run: ./deploy.sh}]
  - name: matrix
    image: 'node:{matrix.node}'
    runs_on: ['arch={matrix.arch}']
    matrix: {node: [20, 24], arch: [x64], fail_fast: false}
    steps: [{name: go, run: npm test}]
  - {name: parts, jobs: [{name: build, steps: [{name: go, run: make}]}, {name: tidy, needs: [build], if: always, continue_on_error: true, steps: [{name: go, run: make}]}]}
  - {name: judged, result: json, steps: [{name: go, run: ./judge.sh}]}
`;
const configured = (more = '') => `${CONFIG.replace('\npipelines:\n', `\npipelines:${PIPELINES}`)}\n${more}`;
const start = async (more?: string): Promise<void> => {
  api = await RunsApi.start({ config: configured(more) });
};

let keys = 0;
const submit = async (task: string, body: object = {}): Promise<Run> => {
  const answer = await api.enqueue(`a-key-of-mine-${++keys}`, { project_id: 'beta', kind: 'pipeline', task, ...body });
  return answer.json<{ data: Run }>().data;
};
const list = async (query: string): Promise<Run[]> =>
  (await api.send('GET', `/runs?${query}`)).json<{ data: Run[] }>().data;
const get = async (id: string): Promise<Run> => (await api.send('GET', `/runs/${id}`)).json<{ data: Run }>().data;
const LIMITS = { max_line: 1, attempt_budget: 1, attempt_events: 1 };

/** The next run that a ship with these labels would get. */
async function taken(labels: readonly string[]): Promise<Claim> {
  const assigned = Promise.withResolvers<Claim>();
  const worker = api.queue.addWorker({
    shipId: 'ship',
    sessionId: 'one',
    labels,
    kinds: ['pipeline'],
    keyVariables: [],
    free: () => 1,
    assign: assigned.resolve,
  });
  const claim = await assigned.promise;
  worker.remove();
  return claim;
}

async function end({ ref }: Claim, outcome: 'succeeded' | 'failed',
  result?: { readonly type: string; readonly body: Uint8Array }): Promise<void>
{
  await api.queue.accept(ref, 'ship');
  await api.queue.complete(ref, 'ship', { outcome, started: true, ...(result && { result }) });
}

it('the jobs of a run are listed with what they need, and a matrix alone has none', async () => {
  await start();
  const jobsOf = async (id: string): Promise<unknown> =>
    (await api.send('GET', `/runs/${id}/jobs`)).json<{ data: unknown }>().data;
  expect(await jobsOf((await submit('parts')).id)).toEqual([
    { name: 'build', needs: [], if: 'success', continue_on_error: false },
    { name: 'tidy', needs: ['build'], if: 'always', continue_on_error: true },
  ]);
  expect(await jobsOf((await submit('matrix')).id)).toEqual([]);
});

describe('a pipeline with inputs', () => {
  it('refuses what it does not declare and names the input; nothing is queued', async () => {
    await start();
    const answer = await api.enqueue('a-key-of-mine', {
      project_id: 'beta',
      kind: 'pipeline',
      task: 'deploy',
      input: { tagret: 'staging', why: 'x' },
    });
    expect([answer.status, answer.json()]).toEqual([400, {
      error: {
        code: 'invalid_input',
        message: 'input.tagret is not known; the pipeline has: target, count, why; did you mean target?',
      },
    }]);
    expect(await list('')).toEqual([]);
  });

  it('hands them to steps as variables, and to its group, with their defaults', async () => {
    await start();
    const { concurrency_group: group } = await submit('deploy', { input: { count: '3', why: 'release' } });
    expect(group).toBe('deploy-staging');
    const { env, input } = assignmentOf(await taken([]), () => undefined, LIMITS);
    expect(env).toEqual({ QUIRE_INPUT_TARGET: 'staging', QUIRE_INPUT_COUNT: '3', QUIRE_INPUT_WHY: 'release' });
    expect(JSON.parse(Buffer.from(input).toString())).toEqual({ target: 'staging', count: 3, why: 'release' });
  });

  it('gets them from schedules and alerts, too, and runs name their source', async () => {
    await start(
      "schedules: [{name: nightly, project: beta, cron: '0 2 * * *', task: deploy, input: {why: " +
        'nightly}}]\nalerts: {routes: [{match: {team: web}, project: beta, pipeline: deploy, input: {why: ' +
        "'{labels.alertname} of {labels.none}'}}]}",
    );
    const alert = {
      status: 'firing',
      labels: {},
      annotations: {},
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: '',
      fingerprint: 'f',
    };
    const commonLabels = { alertname: 'DiskFull', team: 'web' };
    const sent = await api.send('POST', '/webhooks/alertmanager', {
      body: {
        version: '4',
        groupKey: 'g',
        truncatedAlerts: 0,
        status: 'firing',
        receiver: 'r',
        externalURL: '',
        groupLabels: {},
        commonLabels,
        commonAnnotations: {},
        alerts: [alert],
      },
    });
    const [alerted] = sent.json<{ data: Run[] }>().data;
    expect(alerted).toMatchObject({
      kind: 'pipeline',
      task: 'deploy',
      source: { type: 'alert', by: null, schedule: null, alert_labels: commonLabels },
    });
    expect(JSON.parse((await api.queue.material(alerted!.id))!.input!)).toEqual({
      target: 'staging',
      why: 'DiskFull of ',
    });
    const scheduled = await api.send('POST', '/schedules/beta/nightly/run', {
      headers: { 'Idempotency-Key': 'a-key-of-mine' },
    });
    expect(scheduled.json<{ data: Run }>().data.source).toEqual({
      type: 'schedule',
      by: 'api',
      schedule: 'nightly',
      alert_labels: null,
      forge: null,
    });
    const asked = await submit('build');
    expect(asked.source).toEqual({ type: 'api', by: 'api', schedule: null, alert_labels: null, forge: null });
    for (const [source, task] of [['alert', 'deploy'], ['schedule', 'deploy'], ['api', 'build']] as const)
      expect((await list(`source=${source}`)).map((run) => [run.source.type, run.task])).toEqual([[source, task]]);
    expect(await list('source=alert&state=failed')).toEqual([]);
    expect((await list('schedule=nightly')).map(({ id }) => id)).toEqual([scheduled.json<{ data: Run }>().data.id]);
    expect(await list('schedule=nightly&source=api')).toEqual([]);
    expect((await list('by=api')).map(({ id }) => id)).toEqual([asked.id, scheduled.json<{ data: Run }>().data.id]);
    expect(await list('by=token%3Aci')).toEqual([]);
  });
});

describe('a pipeline with a matrix', () => {
  it('makes a run for each cell, which lists group under the one that was asked for', async () => {
    await start();
    const body = { project_id: 'beta', kind: 'pipeline', task: 'matrix' };
    const first = await api.enqueue('the-same-key', body);
    const again = await api.enqueue('the-same-key', body);
    const parent = first.json<{ data: Run }>().data;
    expect([parent.cells, parent.matrix, again.json<{ data: Run }>().data.id]).toEqual([2, null, parent.id]);
    expect((await list('cells=false')).map(({ id }) => id)).toEqual([parent.id]);
    const cells = await list(`parent_id=${parent.id}`);
    expect(cells.map(({ matrix, runs_on, parent_id }) => [matrix, runs_on, parent_id])).toEqual([[{
      node: 24,
      arch: 'x64',
    }, ['arch=x64'], parent.id], [{ node: 20, arch: 'x64' }, ['arch=x64'], parent.id]]);
    expect(await list('')).toHaveLength(3);
    const claim = await taken(['arch=x64']);
    const { env, plan } = assignmentOf(claim, () => undefined, LIMITS);
    expect([env, plan.value]).toMatchObject([{ QUIRE_MATRIX_NODE: '20', QUIRE_MATRIX_ARCH: 'x64' }, {
      image: 'node:20',
    }]);
  });

  it('is retried as a whole, with the cells that failed alone, or one cell by itself', async () => {
    await start();
    const parent = await submit('matrix');
    const [first, second] = [await taken(['arch=x64']), await taken(['arch=x64'])];
    await end(first, 'failed');
    await end(second, 'succeeded');
    expect(await get(parent.id)).toMatchObject({
      state: 'failed',
      error: { code: 'matrix_failed', message: '1 of 2 cells failed: node=20 arch=x64' },
    });
    const retry = async (id: string, query: string): Promise<Run> =>
      (await api.send('POST', `/runs/${id}/retry${query}`, {
        headers: { 'Idempotency-Key': `a-key-of-mine-${++keys}` },
      })).json<{ data: Run }>().data;
    expect(await retry(parent.id, '')).toMatchObject({ cells: 2, retry_of: parent.id, source: { type: 'retry' } });
    const failed = await retry(parent.id, '?cells=failed');
    expect((await list(`parent_id=${failed.id}`)).map(({ matrix }) => matrix)).toEqual([{ node: 20, arch: 'x64' }]);
    const alone = await retry(first.run.id, '');
    expect(alone).toMatchObject({
      cells: 0,
      parent_id: null,
      retry_of: first.run.id,
      matrix: { node: 20, arch: 'x64' },
    });
    const again = await api.queue.material(alone.id);
    expect(again?.definition.assignment).toMatchObject({ pipeline: { image: 'node:20' } });
  });

  it('counts in badges as a whole', async () => {
    await start();
    await submit('matrix');
    const badge = async (query: string) => api.send('GET', `/projects/beta/badge.svg?pipeline=matrix${query}`);
    await end(await taken(['arch=x64']), 'succeeded');
    expect((await badge('')).text).toContain('matrix: no runs');
    await end(await taken(['arch=x64']), 'failed');
    const answer = await badge('');
    expect(answer.text).toContain('matrix: failing');
    expect((await badge('&ref=main')).text).toContain('matrix: no runs');
    const etag = answer.headers['etag'] as string;
    expect((await api.send('GET', '/projects/beta/badge.svg?pipeline=matrix', {
      headers: { 'If-None-Match': etag, 'Authorization': `Bearer ${TOKEN}` },
    })).status).toBe(304);
  });
});

describe('a result in JSON', () => {
  const json = (value: unknown) => ({ type: 'application/json', body: Buffer.from(JSON.stringify(value)) });

  it('is returned as a value, and sent to webhooks', async () => {
    const endpoint = await WebhookEndpoint.open();
    try {
      await start(
        `notifications: {allow_private: loopback, webhooks: [{name: chat, url: '${endpoint.url}', states: ` +
          '[succeeded]}]}',
      );
      await api.notifications.start();
      const { id } = await submit('judged');
      await end(await taken([]), 'succeeded', json({ score: 7 }));
      expect((await api.send('GET', `/runs/${id}/result`)).json()).toMatchObject({
        data: { content: '{"score":7}', content_type: 'application/json', value: { score: 7 } },
      });
      await endpoint.until(1);
      expect(JSON.parse(endpoint.received[0]!.text)).toMatchObject({ run: { id }, result: { score: 7 } });
    } finally {
      await endpoint.close();
    }
  });

  it('is what a run fails without, where its pipeline asks for one', async () => {
    await start();
    const text = { type: 'text/plain', body: Buffer.from('seven') };
    for (const result of [undefined, text]) {
      const { id } = await submit('judged');
      await end(await taken([]), 'succeeded', result);
      expect((await get(id)).error).toMatchObject({ code: 'result_invalid' });
    }
  });
});
