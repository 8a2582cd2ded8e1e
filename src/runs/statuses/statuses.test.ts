import { afterEach, expect, test } from 'vitest';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';
import { FakeForge, type FakeRoutes } from '../forge/api/test-fixture.ts';
import type { ForgeOrigin } from '../forge/port.ts';

const COMMIT = 'a'.repeat(40);
const STATUS = `POST /api/v1/repos/org/alpha/statuses/${COMMIT}`;
const COMMENTS = '/api/v1/repos/org/alpha/issues/7/comments';
const DONE = { outcome: 'succeeded', started: true } as const;
const ACCEPTED: FakeRoutes = { [STATUS]: { status: 201, json: { id: 1 } } };

let api: RunsApi;
let fake: FakeForge;
afterEach(async () => {
  await api.stop();
  await fake.stop();
});

async function start(routes: FakeRoutes = ACCEPTED, project = '', change = (config: string) => config): Promise<void> {
  fake = await new FakeForge(routes).start();
  const config = CONFIG.replace('issue_label: ready}', `issue_label: ready, forge: tea${project}}`).replace('projects:',
    `runtime: {public_url: 'https://runs.example.org/'}\nsecrets: [{name: T, env: T}]\nforges: [{name: tea, kind: gitea, url: '${fake.url}', token: T}]\nprojects:`);
  api = await RunsApi.start({ config: change(config) });
  api.statuses.start();
}

const ORIGIN: ForgeOrigin = {
  forge: 'tea',
  event: 'push',
  action: 'pushed',
  delivery: 'd',
  ref: 'refs/heads/main',
  branch: 'main',
  tag: '',
  commit: COMMIT,
  before: '',
  title: 't',
  author: 'pip',
  url: '',
};
const PULL: ForgeOrigin = {
  ...ORIGIN,
  event: 'pull_request',
  action: 'opened',
  pullRequest: { number: 7, base: 'main', head: 'topic', isFork: false },
};

let keys = 0;
async function push(forge: ForgeOrigin = ORIGIN, task = 'build'): Promise<string> {
  const { run } = await api.runs.enqueueOnce('forge', `a-key-${keys += 1}`, {
    projectId: 'alpha',
    kind: 'pipeline',
    task,
    forge,
  });
  return run.id;
}
const work = (completion: Parameters<RunsApi['work']>[0]) => api.work(completion, ['os=linux', 'gpu=a100']);
const sent = () => fake.received.filter(({ path }) => path.includes('/statuses/')).map(({ body }) => body);
const settle = () => api.statuses.settled();
/** Lets the time pass, and with it the pause of the sender. */
async function pass(milliseconds: number): Promise<void> {
  await settle();
  api.clock.ms += milliseconds;
  const before = api.timer.sleeps.length;
  await api.timer.elapse();
  await expect.poll(() => api.timer.sleeps.length).toBeGreaterThan(before);
}
const forges = async () => (await api.send('GET', '/forges')).json<{ data: Record<string, unknown>[] }>().data;
const statusesOf = async (id: string) =>
  (await api.send('GET', `/runs/${id}/statuses`)).json<{ data: Record<string, unknown>[] }>().data;
const stored = (columns: string) => api.sql.all(`SELECT ${columns} FROM forge_posts ORDER BY kind, target`);

test('a commit shows how its run is doing, with a link to it', async () => {
  await start();
  const id = await push();
  await settle();
  expect(sent()).toEqual([{
    state: 'pending',
    context: 'quire/build',
    description: 'queued',
    target_url: `https://runs.example.org/console#/runs/${id}`,
  }]);
  await work(DONE);
  await settle();
  expect(sent().at(-1)).toMatchObject({ state: 'success', description: 'succeeded after 1s' });
  expect(await forges()).toEqual([{
    name: 'tea',
    kind: 'gitea',
    url: fake.url,
    state: 'ok',
    waiting: 0,
    refused: 0,
    last_error: null,
    last_error_at: null,
    last_sent_at: api.clock.ms / 1000,
    webhook_url: null,
  }]);
});

test('a failure says which step failed; what no commit is to blame for is an error', async () => {
  await start();
  await push();
  const error = {
    code: 'step_failed',
    message: 'the step exited\nwith code 1',
    step: 'test',
    exitCode: 1,
    signal: null,
  } as const;
  await work({ outcome: 'failed', started: true, error });
  await settle();
  expect(sent().at(-1)).toMatchObject({
    state: 'failure',
    description: 'failed after 1s: test: the step exited with code 1',
  });
  await push();
  await work({ outcome: 'failed', started: true, error: { ...error, code: 'internal' } });
  await settle();
  expect(sent().at(-1)).toMatchObject({ state: 'error' });
});

test('only the last state is sent after an outage, and the newest run of a context wins', async () => {
  await start({ [STATUS]: { status: 503 } });
  const older = await push();
  await settle();
  expect(sent()).toHaveLength(1);
  expect(await forges()).toMatchObject([{
    state: 'failing',
    waiting: 1,
    last_error: `POST /repos/org/alpha/statuses/${COMMIT}: 503`,
  }]);
  await push();
  await api.queue.cancel(older, async () => {});
  await work(DONE);
  fake.routes[STATUS] = { status: 201, json: {} };
  await pass(3_600_000);
  await expect.poll(() => sent().slice(1)).toEqual([expect.objectContaining({ state: 'success' })]);
  await settle();
  expect(await stored('sent_version = version AS sent, error')).toEqual([{ sent: 1, error: '' }]);
});

test('a run tells what its forge shows of it, until a newer run has replaced that', async () => {
  await start({ [STATUS]: { status: 503 } });
  const id = await push();
  await settle();
  const waiting = {
    run_id: id,
    kind: 'status',
    forge: 'tea',
    repository: 'org/alpha',
    commit: COMMIT,
    number: null,
    context: 'quire/build',
    state: 'pending',
    description: 'queued',
    delivery: 'waiting',
    failures: 1,
    error: `POST /repos/org/alpha/statuses/${COMMIT}: 503`,
    updated_at: api.clock.ms / 1000,
    next_attempt_at: expect.any(Number) as unknown,
  };
  expect(await statusesOf(id)).toEqual([waiting]);
  fake.routes[STATUS] = { status: 201, json: {} };
  await pass(3_600_000);
  const delivered = { delivery: 'delivered', failures: 0, error: null, next_attempt_at: null };
  await expect.poll(() => statusesOf(id)).toEqual([{ ...waiting, ...delivered, updated_at: api.clock.ms / 1000 }]);
  const newer = await push();
  expect([await statusesOf(id), await statusesOf(newer)]).toEqual([[], [expect.objectContaining({ run_id: newer })]]);
  expect((await api.send('GET', `/runs/${'0'.repeat(32)}/statuses`)).status).toBe(404);
});

test('a project tells which forge it has, and what that shows', async () => {
  await start();
  const id = await push();
  await settle();
  const answer = await api.send('GET', '/projects/alpha/forge');
  expect(answer.json<{ data: unknown }>().data).toEqual({
    forge: expect.objectContaining({ name: 'tea', state: 'ok', webhook_url: null }),
    repository: 'org/alpha',
    poll: null,
    last_delivery: null,
    last_status: expect.objectContaining({ run_id: id, context: 'quire/build', delivery: 'delivered' }),
  });
  expect((await api.send('GET', '/projects/beta/forge')).json()).toMatchObject({ data: { forge: null } });
  expect((await api.send('GET', '/projects/none/forge')).status).toBe(404);
});

test('a forge that asks for a pause gets one', async () => {
  await start({ [STATUS]: { status: 429, headers: { 'Retry-After': '120' } } });
  await push();
  await settle();
  await pass(119_000);
  expect(sent()).toHaveLength(1);
  fake.routes[STATUS] = { status: 201, json: {} };
  await pass(1000);
  await expect.poll(sent).toHaveLength(2);
});

test('what is refused for good is shown, and tried again at the next start', async () => {
  await start({ [STATUS]: { status: 404, json: { message: 'no such repository' } } });
  await push();
  await settle();
  expect(await forges()).toMatchObject([{
    waiting: 0,
    refused: 1,
    last_error: expect.stringContaining('no such repository') as unknown,
  }]);
  await api.statuses.stop();
  fake.routes[STATUS] = { status: 201, json: {} };
  const next = api.anotherStatuses();
  next.start();
  await next.settled();
  await next.stop();
  expect(await forges()).toMatchObject([{ state: 'ok', refused: 0 }]);
});

test('one repository that is refused does not hold up others', async () => {
  await start({ ...ACCEPTED, [`POST /api/v1/repos/org/alpha/statuses/${'b'.repeat(40)}`]: { status: 404 } });
  await push({ ...ORIGIN, commit: 'b'.repeat(40) });
  await push();
  await settle();
  expect(sent()).toHaveLength(2);
  expect(await forges()).toMatchObject([{ state: 'ok', waiting: 0, refused: 1 }]);
});

test('an event that starts nothing leaves an error on the commit', async () => {
  await start();
  await api.statuses.reject({
    project: { id: 'alpha' },
    event: { commit: COMMIT },
    pipeline: 'test',
    reason: '.quire/test.yaml: steps: expected a list\n',
  });
  await settle();
  expect(sent()).toMatchObject([{
    state: 'error',
    context: 'quire/test',
    description: '.quire/test.yaml: steps: expected a list ',
  }]);
});

test('cells count for their run', async () => {
  await start(ACCEPTED, '', (config) => config.replace('{name: build,', '{name: build, matrix: {node: [20, 24]},'));
  await push();
  await work(DONE);
  await settle();
  expect(sent().at(-1)).toMatchObject({ state: 'pending', context: 'quire/build', description: 'running' });
  await work(DONE);
  await settle();
  expect(sent().at(-1)).toMatchObject({ state: 'success' });
  expect(await stored('target')).toEqual([{ target: `${COMMIT} quire/build` }]);
});

test('runs that no event has started have a status where the project says so', async () => {
  const run = async () => {
    const key = `a-key-of-somebody-${keys += 1}`;
    await api.enqueue(key, { project_id: 'alpha', kind: 'pipeline', task: 'build' });
    await api.work(DONE, ['os=linux', 'gpu=a100'], { gitRef: 'main', commit: COMMIT });
    await settle();
  };
  await start();
  await run();
  expect(sent()).toEqual([]);
  await api.stop();
  await fake.stop();
  await start(ACCEPTED, ', statuses: {of: all, context: "ci/{project}/{pipeline}"}');
  await run();
  expect(sent()).toMatchObject([{ state: 'success', context: 'ci/alpha/build' }]);
});

test('a pull request gets one comment with the summaries of all pipelines, which is replaced', async () => {
  const posted: string[] = [];
  await start({
    ...ACCEPTED,
    [`GET ${COMMENTS}`]: { json: [{ id: 3, body: 'hello', user: { login: 'eve' } }] },
    [`POST ${COMMENTS}`]: ({ body }) => {
      posted.push(String(body['body']));
      return { status: 201, json: { id: 12 } };
    },
    'PATCH /api/v1/repos/org/alpha/issues/comments/12': ({ body }) => {
      posted.push(String(body['body']));
      return { json: { id: 12 } };
    },
  });
  await push(PULL);
  await work(DONE);
  await settle();
  expect(posted).toEqual([]);
  await push(PULL);
  await work({ ...DONE, summary: '## 212 passed\n@everyone look\n/close\n```\nopen' });
  await settle();
  expect(posted).toHaveLength(1);
  expect(posted[0]).toContain('| ✅ | [quire/build](https://runs.example.org/console#/runs/');
  expect(posted[0]).toContain('## 212 passed\n@\u200Beveryone look\n\u200B/close\n```\nopen\n```');
  const marker = /quire:[0-9a-f]{24}/.exec(posted[0]!)![0];
  await push(PULL);
  await settle();
  expect(posted[1]).toContain('| ⏳ |');
  expect(posted[1]).toContain(marker);
});

test('a comment whose id was lost is found by its marker, not by what others write', async () => {
  let comments: object[] = [];
  await start({
    ...ACCEPTED,
    [`GET ${COMMENTS}`]: () => ({ json: comments }),
    [`POST ${COMMENTS}`]: ({ body }) => {
      comments = [...comments, { id: 12, body: body['body'], user: { login: 'bot' } }];
      // The connection breaks: the comment is there, and nobody knows its id.
      return { status: 502 };
    },
    'PATCH /api/v1/repos/org/alpha/issues/comments/12': { json: { id: 12 } },
  });
  comments = [{ id: 3, body: '[comment]: # (quire:000000000000000000000000)', user: { login: 'eve' } }];
  await push(PULL);
  await work({ ...DONE, summary: 'x' });
  await settle();
  await pass(3_600_000);
  await expect.poll(() => fake.lines.filter((line) => /POST .*comments|PATCH/.test(line))).toEqual([`POST ${COMMENTS}`,
    'PATCH /api/v1/repos/org/alpha/issues/comments/12']);
});

test("a fork's summary does not appear under the name of the token's owner", async () => {
  await start(ACCEPTED);
  await push({ ...PULL, pullRequest: { ...PULL.pullRequest!, isFork: true } });
  await work({ ...DONE, summary: 'follow [this](https://evil.example.org)' });
  await settle();
  expect(fake.lines.some((line) => line.includes('comments'))).toBe(false);
});

test('without a token nothing is stored, and the list says so', async () => {
  await start();
  api.configure(
    CONFIG.replace('issue_label: ready}', 'issue_label: ready, forge: tea}').replace('projects:',
      "forges: [{name: tea, kind: gitea, url: 'http://127.0.0.1:9'}, {name: bare, kind: git}]\nprojects:"),
  );
  await push();
  await settle();
  expect(await stored('target')).toEqual([]);
  expect((await forges()).map(({ state }) => state)).toEqual(['no_token', 'no_api']);
});
