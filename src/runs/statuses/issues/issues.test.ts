import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { CONFIG, RunsApi } from '../../../testkit/runs-api.ts';
import { FakeForge, type FakeRoutes } from '../../forge/api/test-fixture.ts';

const DONE = { outcome: 'succeeded', started: true } as const;
const ISSUE = {
  number: 7,
  title: 'Crash',
  body: 'It crashes.',
  html_url: 'https://git.example.org/i/7',
  labels: [{ id: 1, name: 'ready' }],
  user: { login: 'eve' },
};
const BASE = '/api/v1/repos/org/alpha';

let api: RunsApi;
let fake: FakeForge;
let listed: object[] = [];
let comments: Record<string, unknown>[] = [];
let labels: { id: number; name: string }[] = [];
afterEach(async () => {
  await api.stop();
  await fake.stop();
});

/** A Gitea with one issue, whose labels and comments can be changed. */
function routes(): FakeRoutes {
  listed = [];
  comments = [{ id: 1, body: 'Me too.', user: { login: 'bob' } }];
  labels = [{ id: 1, name: 'ready' }];
  const known = [...labels, { id: 2, name: 'doing' }, { id: 3, name: 'done' }];
  return {
    [`GET ${BASE}/issues`]: () => ({ json: listed }),
    [`GET ${BASE}/issues/7`]: { json: ISSUE },
    [`GET ${BASE}/issues/7/comments`]: () => ({ json: comments }),
    [`POST ${BASE}/issues/7/comments`]: ({ body }) => {
      comments.push({ id: comments.length + 1, ...body, user: { login: 'bot' } });
      return { status: 201, json: { id: comments.length } };
    },
    [`GET ${BASE}/labels`]: { json: known },
    [`GET ${BASE}/issues/7/labels`]: () => ({ json: labels }),
    [`POST ${BASE}/issues/7/labels`]: ({ body }) => {
      labels.push(...known.filter(({ id }) => (body['labels'] as number[]).includes(id)));
      return { json: labels };
    },
    ...Object.fromEntries([1, 2, 3].map((id) => [`DELETE ${BASE}/issues/7/labels/${id}`, () => {
      labels = labels.filter((label) => label.id !== id);
      return { status: 204 };
    }])),
  };
}

async function start(issue: string, change = (config: string) => config): Promise<void> {
  fake = await new FakeForge(routes()).start();
  const config = CONFIG.replace('issue_label: ready}', `issue_label: ready, forge: tea, ${issue}}`).replace('projects:',
    `secrets: [{name: T, env: T}]\nforges: [{name: tea, kind: gitea, url: '${fake.url}', token: T}]\nprojects:`);
  api = await RunsApi.start({ config: change(config) });
  api.statuses.start();
}

const tell = (action: string, deliveryId: string, label = 'ready') =>
  api.statuses.onEvent({
    project: api.loaded.config.projects[0]!,
    event: { name: 'issue', action, label, issue: { number: 7, title: 'Crash', body: '', url: '', labels: [] } },
    deliveryId,
  });
const runs = async () => {
  await api.statuses.settled();
  return (await api.send('GET', '/runs?source=forge')).json<{ data: { id: string; kind: string; task: string }[] }>()
    .data;
};
const inputOf = async (id: string) => (await api.queue.material(id))!.input!;
const names = () => labels.map(({ name }) => name);
async function pass(milliseconds: number): Promise<void> {
  await api.statuses.settled();
  api.clock.ms += milliseconds;
  const asked = fake.lines.length;
  await api.timer.elapse();
  await expect.poll(() => fake.lines.length).toBeGreaterThan(asked);
  await api.statuses.settled();
}

test('a label queues the pipeline once, with the issue as its input', async () => {
  await start('issue: {pipeline: build}');
  await tell('labeled', 'd1');
  await tell('labeled', 'd1');
  await tell('labeled', 'd2', 'bug');
  const [run, ...others] = await runs();
  expect(others).toEqual([]);
  expect(run).toMatchObject({ kind: 'pipeline', task: 'build' });
  expect(JSON.parse(await inputOf(run!.id))).toEqual({
    number: 7,
    url: ISSUE.html_url,
    author: 'eve',
    labels: ['ready'],
    title: 'Crash',
    body: 'It crashes.',
    comments: [{ author: 'bob', body: 'Me too.' }],
  });
  await tell('unlabeled', 'd3');
  await tell('labeled', 'd4');
  expect(await runs()).toHaveLength(2);
});

test('an event that names no label tells whether the issue has it now', async () => {
  await start('issue: {pipeline: build}');
  const has = (action: string, deliveryId: string, ...labels: string[]) =>
    api.statuses.onEvent({
      project: api.loaded.config.projects[0]!,
      event: { name: 'issue', action, issue: { number: 7, title: 'Crash', body: '', url: '', labels } },
      deliveryId,
    });
  await has('opened', 'd1', 'bug');
  expect(await runs()).toEqual([]);
  // Gitea tells of a new issue and its labels twice, GitHub of the label once more by its name.
  await has('opened', 'd2', 'bug', 'ready');
  await has('labeled', 'd3', 'bug', 'ready');
  await tell('labeled', 'd4');
  expect(await runs()).toHaveLength(1);
  await has('labeled', 'd5', 'bug');
  await has('labeled', 'd6', 'ready');
  await has('labeled', 'd7', 'ready', 'bug');
  expect(await runs()).toHaveLength(2);
  await has('unlabeled', 'd8');
  await has('labeled', 'd9', 'ready');
  expect(await runs()).toHaveLength(3);
});

test('a pipeline with inputs gets those that it declares', async () => {
  await start('issue: {pipeline: build}',
    (config) =>
      config.replace('{name: build,',
        '{name: build, inputs: [{name: title}, {name: number, type: number}, {name: target}],'));
  await tell('labeled', 'd1');
  expect(JSON.parse(await inputOf((await runs())[0]!.id))).toMatchObject({ title: 'Crash', number: 7 });
});

test('a role gets a text, its answer is commented without power, and labels follow', async () => {
  await start(
    'issue: {role: writer, on_start: {add: [doing], remove: [ready]}, on_success: {add: [done], remove: [doing]}}',
  );
  await tell('labeled', 'd1');
  const [run] = await runs();
  expect(run).toMatchObject({ kind: 'ai_text', task: 'writer' });
  expect(await inputOf(run!.id)).toContain('Issue 7: Crash\n');
  await api.statuses.settled();
  expect(names()).toEqual(['doing']);
  const body = new TextEncoder().encode(
    JSON.stringify({ content: 'Fixed, @eve.\n/close', content_type: 'text/plain', model: 'm' }),
  );
  await api.work({ ...DONE, result: { body, type: 'application/vnd.quire.result+json' } }, ['os=linux']);
  await api.statuses.settled();
  expect(names()).toEqual(['done']);
  expect(comments).toHaveLength(2);
  expect(comments[1]!['body']).toContain('Fixed, @\u200Beve.\n\u200B/close');
});

test('labels of the start are not lost when the run has ended before they were sent', async () => {
  await start(
    'issue: {pipeline: build, on_start: {add: [doing], remove: [ready]}, on_failure: {remove: [doing], add: [ready]}}',
  );
  const add = fake.routes[`POST ${BASE}/issues/7/labels`]!;
  fake.routes[`POST ${BASE}/issues/7/labels`] = { status: 503 };
  await tell('labeled', 'd1');
  const [run] = await runs();
  await api.queue.cancel(run!.id, async () => {});
  fake.routes[`POST ${BASE}/issues/7/labels`] = add;
  await pass(3_600_000);
  await expect.poll(names).toEqual(['ready', 'ready']);
  expect((await api.sql.all("SELECT wanted FROM forge_posts WHERE kind = 'labels'"))[0]!['wanted']).toBe(
    '{"number":7,"add":["ready"],"remove":["doing"]}',
  );
});

test('polling finds labels, once for each time that they are added, and a late webhook does not count again', async () => {
  await start('poll: 60s, issue: {pipeline: build}');
  listed = [ISSUE];
  await pass(61_000);
  expect(await runs()).toHaveLength(1);
  await tell('labeled', 'd1');
  await pass(61_000);
  expect(await runs()).toHaveLength(1);
  listed = [];
  await pass(61_000);
  listed = [ISSUE];
  await pass(61_000);
  expect(await runs()).toHaveLength(2);
});

test('an issue that is gone queues nothing, and one that cannot be read now is read later', async () => {
  await start('issue: {pipeline: build}');
  const issue = fake.routes[`GET ${BASE}/issues/7`]!;
  fake.routes[`GET ${BASE}/issues/7`] = { status: 502 };
  await tell('labeled', 'd1');
  expect(await runs()).toEqual([]);
  fake.routes[`GET ${BASE}/issues/7`] = issue;
  await pass(10_000);
  expect(await runs()).toHaveLength(1);
  fake.routes[`GET ${BASE}/issues/7`] = { status: 404 };
  await tell('labeled', 'd2');
  expect(await runs()).toHaveLength(1);
  expect(await api.sql.all('SELECT state FROM forge_issues')).toEqual([{ state: 'refused' }]);
});

test('a long issue is cut to what an input can hold', async () => {
  await start('issue: {pipeline: build}');
  fake.routes[`GET ${BASE}/issues/7`] = { json: { ...ISSUE, body: `\u0000${'ä'.repeat(100_000)}` } };
  comments = Array.from({ length: 90 }, (_, id) => ({ id, body: '"'.repeat(5000), user: { login: 'eve' } }));
  await tell('labeled', 'd1');
  const input = await inputOf((await runs())[0]!.id);
  expect(Buffer.byteLength(input)).toBeLessThan(262_144);
  expect(input).not.toContain('\\u0000');
});

test('an issue waits while the files of its role cannot be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-issues-'));
  try {
    await start('issue: {role: writer}', (config) =>
      `data_dir: ${folder}\nlocal: {git_protocols: [file]}\n${
        config.replace('system_prompt: Be brief.', "system_prompt: Be brief., files: ['docs/**']")
      }`);
    await tell('labeled', 'd-1');
    expect(await runs()).toEqual([]);
    expect(await api.sql.all('SELECT state FROM forge_issues', [])).toEqual([{ state: 'due' }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
