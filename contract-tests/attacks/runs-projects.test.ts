import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../generated/runs/operations.ts';
import type { OperationSpec } from '../../src/operations/index.ts';
import { type Answer, HttpClient } from '../../src/testkit/http-client.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../src/testkit/runs-server.ts';

/** Stands in every name and text of the project that the caller must learn nothing about. */
const CANARY = 'canary';
const FOREIGN = 'canary-a';
/** As long as the foreign names, so that only what a name reveals can make a difference. */
const MISSING = 'nobody-';

/** The token of another project, with every scope that a token for some projects may have; its value is its name. */
const CALLER = 'a-caller-of-the-project-beta';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const YAML = `
local: {enabled: false}
secrets: [{name: CANARY_SECRET, env: CANARY_SECRET}]
projects:
  - {id: beta, repository: org/beta}
  - {id: ${FOREIGN}, repository: org/canary, issue_label: canary, runs_on: [canary=yes]}
pipelines:
  - {name: shared, steps: [{name: one, run: make}], concurrency: {group: '{project}'}}
  - {name: canary-p, description: canary, projects: [${FOREIGN}], checkout: none, secrets: [CANARY_SECRET], env: {A: canary}, steps: [{name: canary, run: echo canary}],
     inputs: [{name: canary, type: choice, choices: [canary], default: canary}], approval: {required: true}}
ai:
  roles:
    - {name: common, endpoint: 'https://ai.example.org/v1', model: m}
    - {name: canary-r, endpoint: 'https://canary.example.org/v1', model: canary, api_key_env: CANARY_KEY, system_prompt: canary, projects: [${FOREIGN}]}
schedules: [{name: canary-s, project: ${FOREIGN}, cron: '0 3 * * *', kind: diagnostic, task: canary}]
alerts: {default_project: ${FOREIGN}, routes: [{match: {team: web}, project: ${FOREIGN}}]}
notifications: {webhooks: [{name: canary-w, url: 'https://canary.example.org', projects: [${FOREIGN}], enabled: false}]}
tokens:
  - {name: caller, sha256: ${sha256(CALLER)}, scopes: [submit, approve, read, alerts], projects: [beta]}
  - {name: canary-t, sha256: ${sha256('a-token-of-the-other-project')}, scopes: [submit, read], projects: [${FOREIGN}]}
`;

/**
 * Fields of bodies, for operations that take one: each names something of the other project, or something that does not
 * exist.
 */
const BODIES: Partial<Record<keyof typeof operations, (name: string) => object[]>> = {
  enqueueRun: (
    name,
  ) => [{ project_id: `${name}a`, kind: 'diagnostic' }, { project_id: 'beta', kind: 'pipeline', task: `${name}p` }, {
    project_id: 'beta',
    kind: 'pipeline',
    task: `${name}p`,
    ref: 'main',
  }, { project_id: 'beta', kind: 'pipeline', task: `${name}p`, input: { x: 1 } }, {
    project_id: 'beta',
    kind: 'ai_text',
    task: `${name}r`,
    input: 'x',
  }, { project_id: 'beta', kind: 'ai_text', task: `${name}r` }],
  receiveAlerts: (name) => [notification({ quire_project: `${name}a` })],
};

const notification = (commonLabels: object): object => ({
  version: '4',
  status: 'firing',
  groupKey: 'g',
  commonLabels,
  alerts: [{ status: 'firing', labels: {}, startsAt: '2026-01-01T00:00:00Z', fingerprint: 'f' }],
});

let server: RunsServer;
let client: HttpClient;
/** A run that waits for its approval, and one that has ended. */
let foreign: { readonly waiting: string; readonly ended: string };
beforeAll(async () => {
  server = await startRunsServer(YAML, { variables: { CANARY_SECRET: 'canary-secret', CANARY_KEY: 'canary-key' } });
  client = new HttpClient(server.url);
  foreign = { waiting: await queued('the-key-of-the-first', {}), ended: await queued('the-key-of-another', {}) };
  expect((await send('POST', `/api/v1/runs/${foreign.ended}/cancel`, API_TOKEN)).status).toBe(200);
});
afterAll(async () => {
  client.close();
  await server.remove();
});

function send(method: string, path: string, token: string, body?: object,
  key: string = crypto.randomUUID()): Promise<Answer>
{
  const headers = {
    'Authorization': `Bearer ${token}`,
    'Idempotency-Key': key,
    ...(body && { 'Content-Type': 'application/json' }),
  };
  return client.send(method, path, { headers, ...(body && { body: JSON.stringify(body) }) });
}

async function queued(key: string, input: object): Promise<string> {
  const answer = await send('POST', '/api/v1/runs', 'a-token-of-the-other-project', {
    project_id: FOREIGN,
    kind: 'pipeline',
    task: 'canary-p',
    input,
  }, key);
  return answer.json<{ data: { id: string } }>().data.id;
}

/** The paths of an operation with names that begin with `name`; several where it takes the id of a run. */
function pathsOf({ path, parameters }: OperationSpec, name: string, runs: readonly string[]): string[] {
  const ids = path.startsWith('/api/v1/runs/{id}') ? runs : [`${name}a`];
  const filled = ids.map((id) =>
    path.replace('{id}', id).replace('{project_id}', `${name}a`).replaceAll(/\{\w+\}/g, `${name}s`)
  );
  const filters = parameters.filter(({ in: place }) => place === 'query').map(({ name: query }) => query);
  return filled.flatMap((
    each,
  ) => [each,
    ...filters.map((filter) =>
      `${each}?${filter}=${filter === 'project_id' ? `${name}a` : filter === 'parent_id' ? ids[0]! : `${name}p`}`
    )]
  );
}

/** What the caller is told about these names, without the names themselves. */
async function told(operation: OperationSpec, name: string,
  runs: readonly string[]): Promise<{ status: number; text: string }[]>
{
  const bodies = operation.consumes.length === 0
    ? [undefined]
    : BODIES[operation.id as keyof typeof operations]?.(name) ?? [{}];
  const answers: { status: number; text: string }[] = [];
  for (const path of pathsOf(operation, name, runs)) {
    for (const body of bodies) {
      const { status, headers, text } = await send(operation.method, path, CALLER, body);
      const { date: _, ...rest } = headers;
      const shown = [...runs, ...Array.from('aprs', (end) => name + end)].reduce((all, own) => all.replaceAll(own, '~'),
        `${JSON.stringify(rest)} ${text}`);
      answers.push({ status, text: shown.replaceAll(/"x-request-id":"[^"]*",?/g, '') });
    }
  }
  return answers;
}

describe('a token of one project', () => {
  const OF_THE_SERVICE = new Set(['listShips', 'getMetrics', 'getLiveness', 'getReadiness']);

  it.each(Object.values(operations).map((operation): [string, OperationSpec] => [operation.id, operation]))(
    'learns nothing of another from %s',
    async (id, operation) => {
      const runs = [foreign.waiting, foreign.ended];
      const real = await told(operation, 'canary-', runs);
      expect(real.map(({ text }) => text).join('\n').toLowerCase()).not.toContain(CANARY);
      // Load and uptime change meanwhile.
      if (OF_THE_SERVICE.has(id)) return;
      expect(real).toEqual(await told(operation, MISSING, runs.map((_, index) => `${index}`.repeat(32))));
    },
  );

  it('learns nothing from alerts that go to another, by their labels or because nothing else fits', async () => {
    for (const labels of [{ team: 'web' }, {}]) {
      const { status, text } = await send('POST', '/api/v1/webhooks/alertmanager', CALLER, notification(labels));
      expect([status, text]).toEqual([403, expect.not.stringContaining(CANARY) as string]);
    }
  });

  it('sees only its own projects, pipelines, roles and schedules', async () => {
    const names = async (path: string): Promise<string[]> =>
      (await send('GET', `/api/v1/${path}`, CALLER)).json<{ data: { id?: string; name?: string }[] }>().data.map((
        each,
      ) => each.id ?? each.name ?? '');
    expect(await Promise.all(['projects', 'pipelines', 'roles', 'schedules'].map(names))).toEqual([['beta'], ['shared'],
      ['common'], []]);
  });
});

describe('idempotency keys', () => {
  const run = (answer: Answer): string => answer.json<{ data: { id: string } }>().data.id;
  const body = { project_id: 'beta', kind: 'diagnostic' };

  it('belong to the token: another token finds those of others free', async () => {
    const answer = await send('POST', '/api/v1/runs', CALLER, body, 'the-key-of-the-first');
    expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([202, undefined]);
    expect(run(answer)).not.toBe(foreign.waiting);
    expect(run(await send('POST', '/api/v1/runs', CALLER, body, 'the-key-of-the-first'))).toBe(run(answer));
  });

  it('are of the same owner for a retry and a run', async () => {
    const first = await send('POST', '/api/v1/runs', CALLER, body, 'a-key-for-retries');
    await send('POST', `/api/v1/runs/${run(first)}/cancel`, CALLER);
    expect((await send('POST', `/api/v1/runs/${run(first)}/retry`, CALLER, undefined, 'a-key-for-retries')).status)
      .toBe(409);
    expect((await send('POST', `/api/v1/runs/${run(first)}/retry`, CALLER, undefined, 'the-key-of-another')).status)
      .toBe(202);
  });

  it('of the token of the service are not those of other tokens, even for an equal request', async () => {
    const own = await send('POST', '/api/v1/runs', CALLER, body, 'one-key-of-two-tokens');
    const answer = await send('POST', '/api/v1/runs', API_TOKEN, body, 'one-key-of-two-tokens');
    expect([answer.status, run(answer) === run(own)]).toEqual([202, false]);
  });
});
